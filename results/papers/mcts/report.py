"""The findings on tree search, as Markdown; each sentence follows from its table's intervals."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from results.papers.mcts.design import DEPTH, EXPLORATION, TITLES, Design, Widened
from results.papers.mcts.points import leads
from results.papers.mcts.timing import TIMED_SIMULATIONS, Timings
from results.papers.mcts.widening import case_of, points_a_percent
from results.papers.paper import document, markdown_table, shown, time_text
from thetafront.agents.twenty48.leaf_value import LeafValue
from thetafront.study.estimate import Estimate

HEURISTICS = (LeafValue.WEIGHTS_A, LeafValue.WEIGHTS_B, LeafValue.SCORE)
SHOWN_DEPTHS = (1, 5, 10, 15, 20)
NEITHER_SIDE = 0.05  # probability that a 95% interval misses 0 by chance


def listed(names: Sequence[str]) -> str:
    """Write ``a``, ``a and b``, ``a, b and c``."""
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def ratio(relative: Estimate) -> str:
    """Write a ratio of times with its 95% interval."""
    return f"{relative.value:.2f} ({relative.low:.2f} to {relative.high:.2f})"


def score_parts(points: pd.DataFrame) -> list[str]:
    """Write mean scores by m and leaf value."""
    most = points["n_simulations"].max()
    at = points[points["n_simulations"] == most].set_index("leaf_value")["score_mean_points"]
    without = [float(at[each.value]) for each in HEURISTICS]
    rows = []
    for m, part in points.groupby("n_simulations"):
        by_value = part.set_index("leaf_value")
        cells = [shown(by_value.loc[each.value], "score_mean", "score") for each in TITLES]
        rows.append([f"{m:,}", *cells])
    return [
        f"At m = {most:,} random rollouts score {at[LeafValue.RANDOM.value]:,.0f} and rollouts "
        f"with lookahead {at[LeafValue.LOOKAHEAD.value]:,.0f}; the three values without a rollout "
        f"score {min(without):,.0f} to {max(without):,.0f}. At m = 1 only the first legal action "
        "is tried, and so taken: all leaf values play the same games. Below m = 4 not every "
        "action is tried.",
        markdown_table(["m", *TITLES.values()], rows),
    ]


def time_parts(timings: Timings) -> list[str]:
    """Write the times of a decision."""
    ratios = [
        f"{ratio(timings.relative(LeafValue.LOOKAHEAD, each, DEPTH))} times as long as with "
        f"{TITLES[each]}"
        for each in HEURISTICS
    ]
    call = float(np.median(timings.call_seconds))

    def relative(each: LeafValue, depth: int) -> str:
        if each == LeafValue.RANDOM:
            return "1"
        return ratio(timings.relative(each, LeafValue.RANDOM, depth))

    def seconds(each: LeafValue, depth: int) -> str:
        return time_text(float(np.median(timings.of(each, depth))))

    def table(what: str, cell: Callable[[LeafValue, int], str]) -> str:
        depths = [depth for depth in SHOWN_DEPTHS if depth in timings.depths]
        rows = [[f"{depth}", *(cell(each, depth) for each in TITLES)] for depth in depths]
        return markdown_table(["d", *(f"{title}, {what}" for title in TITLES.values())], rows)

    return [
        f"CPU time of a decision of m = {TIMED_SIMULATIONS} simulations from starting boards, c = "
        f"{EXPLORATION:g}: medians over {timings.seconds.shape[2]:,} rounds of {timings.n_boards} "
        "decisions, the leaf values in turns. In parentheses: 95% intervals of the medians, by "
        f"ranks. The time of the call, {time_text(call)} in the median, is measured in each "
        "round and subtracted. *Relative* is to random rollouts **at the same depth**, round by "
        "round, as in the source's plot, where they are a constant 1.",
        f"At d = {DEPTH} a decision by rollouts with lookahead takes {listed(ratios)}. All times "
        "include the search in the tree, the same for all leaf values.",
        table("relative", relative),
        table("CPU time", seconds),
    ]


def verdict(part: pd.DataFrame) -> str:
    """Name the leader at a budget: the best, if every paired interval is above 0."""
    leader = LeafValue(part["leader"].iloc[0])
    others = part[part["leaf_value"] != leader.value]
    close = others[~(others["ahead_of_low95_points"] > 0)]
    if close.empty:
        return f"{TITLES[leader]}: best"
    names = listed([TITLES[LeafValue(each)] for each in close["leaf_value"]])
    return f"{TITLES[leader]}, not distinguishable from {names}"


def equal_time_parts(points: pd.DataFrame, budgets: pd.DataFrame) -> list[str]:
    """Write who leads in which range of time, and by how much at the budgets."""
    ranges = [
        f"{TITLES[LeafValue(each.leaf_value)]} from {time_text(each.low)} to {time_text(each.high)}"
        for each in leads(points)
        if time_text(each.low) != time_text(each.high)
    ]
    ends = points.groupby("leaf_value", sort=False)["seconds_per_move"].agg(["min", "max"])
    spans = [
        f"{TITLES[LeafValue(str(name))]} {time_text(end['min'])} to {time_text(end['max'])}"
        for name, end in ends.iterrows()
    ]
    text = [
        "Between neighbouring points, scores are interpolated linearly over log time; times count "
        f"as exact. Points span: {'; '.join(spans)} a move. Nothing is compared where fewer than "
        "two leaf values have points; a leaf value whose points end below a budget is left out "
        "there.",
        "The largest *observed* mean has: "
        f"{'; '.join(ranges) or 'none, because no two leaf values have a time in common'}. The "
        "largest of several noisy means is biased upwards, and near a change of leader it is a "
        "matter of chance. So at each budget the leader is compared with each of the others, "
        "paired by seed, and is called best only if all of these 95% intervals lie above 0.",
    ]
    if budgets.empty:
        return text
    scores, gaps = [], []
    for budget, part in budgets.groupby("seconds_per_move"):
        score_cells = dict.fromkeys((each.value for each in TITLES), "-")
        gap_cells = dict(score_cells)
        for row in part.to_dict("records"):
            name, gap = row["leaf_value"], shown(row, "ahead_of", "ahead_of", "+")
            score_cells[name] = shown(row, "score", "score")
            gap_cells[name] = "leads" if row["leader"] == name else gap
        at = time_text(float(str(budget)))
        scores.append([at, *score_cells.values(), verdict(part)])
        gaps.append([at, *gap_cells.values()])
    columns = ["CPU time a move", *TITLES.values()]
    return [
        *text,
        markdown_table([*columns, "largest mean"], scores),
        "The leader's score less each of the others', same seeds:",
        markdown_table(columns, gaps),
    ]


WIDENING = {
    Widened.STATES: "An action is followed by at most k′·N^α′ different states.",
    Widened.ACTIONS: (
        "An action is added to a state's while at most k·N^α are there. The source does not say "
        "in which order: here it is any of the others, all equally likely. A state has four "
        "actions at most. So k = 0.5 with α = 0 has one, and plays at random; k = 2 with α = 0.5 "
        "has all of them after four visits, and is the plain tree but for their order."
    ),
}


def widening_parts(
    frame: pd.DataFrame, points: pd.DataFrame, design: Design, widened: Widened
) -> list[str]:
    """Write each case's settings beside its plain agent."""
    settings = frame[frame["widened"] == widened.value]
    n_above = int((settings["less_plain_low95_points"] > 0).sum())
    n_below = int((settings["less_plain_high95_points"] < 0).sum())
    n_games, in_games = int(frame["n_games"].iloc[0]), settings["relative_time"]
    k, alpha = widened.symbols
    parts = [
        f"{WIDENING[widened]} The number of simulations m of each setting is such that a decision "
        "takes the plain agent's time (`calibration.csv`, by timing both in turns on boards of one "
        "game, before any score was known); *time* is that time, relative to the plain agent's. "
        f"In the games the ratio was {in_games.min():.2f} to {in_games.max():.2f}; it has the "
        "machine's speed in it, which differs between runs.",
        f"Of {len(settings)} settings {n_above} score more than the plain agent and {n_below} "
        f"less, by the 95% interval of the paired difference (n = {n_games} pairs each); "
        f"{NEITHER_SIDE * len(settings):.1f} such intervals would miss 0 by chance. The best of a "
        "case's settings is chosen by the games that give its score, which is therefore biased "
        "upwards.",
    ]
    columns = (k, alpha, "m", "mean score", "less plain, same seeds", "time")
    for case in design.cases:
        plain, part = case_of(frame, case, widened)
        gain = points_a_percent(points, case)
        about = f"Plain: {shown(plain, 'score_mean', 'score')}, "
        about += f"{time_text(plain['seconds_per_move'])} a move."
        if np.isfinite(gain):
            about += f" One percent more time gains about {gain:,.0f} points"
            about += ", by its neighbouring points."
        rows = [
            (
                f"{row['k']:g}",
                f"{row['alpha']:g}",
                f"{row['n_simulations']:,.0f}",
                shown(row, "score_mean", "score"),
                shown(row, "less_plain", "less_plain", "+"),
                f"{row['relative_time_calibrated']:.3f}",
            )
            for row in part.to_dict("records")
        ]
        parts += [f"### {case.name}", about, markdown_table(columns, rows, "r" * len(columns))]
    return parts


def exploration_parts(frame: pd.DataFrame) -> list[str]:
    """Write the effect of other c on plain agents."""
    rows = [
        (
            f"{TITLES[LeafValue(row['leaf_value'])]}, m = {row['n_simulations']}",
            f"{row['exploration_points']:,g}",
            shown(row, "score_mean", "score"),
            "-"
            if row["exploration_points"] == EXPLORATION
            else shown(row, "less_c_100", "less_c_100", "+"),
            time_text(row["seconds_per_move"]),
        )
        for row in frame.to_dict("records")
    ]
    less = f"less c = {EXPLORATION:g}, same seeds"
    return [
        f"The example's c = {EXPLORATION:g} is small beside returns of hundreds or thousands of "
        "points; everything above uses it. Widening was not tried with other c.",
        markdown_table(("plain agent", "c", "mean score", less, "time a move"), rows),
    ]


def readings_parts(frame: pd.DataFrame) -> list[str]:
    """Write what each reading changes."""
    n = int(frame["n_games"].iloc[0])
    columns = ("reading", "leaf value", "default", "with the reading", "difference, same seeds")
    rows = [
        (
            row["reading"],
            TITLES[LeafValue(row["leaf_value"])],
            shown(row, "default", "default"),
            shown(row, "score_mean", "score"),
            shown(row, "less_default", "less_default", "+"),
        )
        for row in frame.to_dict("records")
    ]
    return [
        "The source leaves two things open. It does not say which of several equally good actions "
        "is taken, in the tree or at the end: by default the first of up, right, down, left, and "
        "here any of them. And its U(s) does not know how deep a rollout may go: by default as "
        f"deep as d = {DEPTH} allows from the root, and here always {DEPTH} actions. Both are "
        f"played at m = {int(frame['n_simulations'].iloc[0])}, n = {n:,} pairs each.",
        markdown_table(columns, rows, "llrrr"),
    ]


def mcts_markdown(
    points: pd.DataFrame,
    timings: Timings,
    budgets: pd.DataFrame,
    widening: pd.DataFrame,
    exploration: pd.DataFrame,
    readings: pd.DataFrame,
    design: Design,
    seeds: Sequence[int],
) -> str:
    """Write all findings."""
    n = int(points["n_games"].iloc[0])
    return document(
        "Monte Carlo tree search on 2048: the example of Kochenderfer, Wheeler, Wray (2022), §9.6",
        f"d = {DEPTH}, c = {EXPLORATION:g}, unless another is named. {n:,} games an agent, on the "
        f"seeds {seeds[0]} to {seeds[-1]}, the same for all. In parentheses: 95% intervals by "
        "bootstrap (Student's t below 20 games); differences are paired by seed. Weights A "
        "continue the one row that the source's text gives, weights B are ours: compare neither "
        "with the book's figures.",
        "## Score against simulations",
        *score_parts(points),
        "## Execution time",
        *time_parts(timings),
        "## Score against time",
        *equal_time_parts(points, budgets),
        "## Progressive widening of states at equal time",
        *widening_parts(widening, points, design, Widened.STATES),
        "## Progressive widening of actions at equal time",
        *widening_parts(widening, points, design, Widened.ACTIONS),
        "## Is c large enough?",
        *exploration_parts(exploration),
        "## Two readings of the source",
        *readings_parts(readings),
    )
