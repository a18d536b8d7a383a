"""What the tables say, as Markdown: every sentence follows from its table's intervals."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from agents.twenty48.leaf_value import LeafValue
from study.estimate import Estimate
from study.experiments.cost import engineering
from study.report.scores import shown
from study.reproduce.mcts.design import DEPTH, EXPLORATION, TITLES, Design
from study.reproduce.mcts.points import leads
from study.reproduce.mcts.timing import TIMED_SIMULATIONS, Timings
from study.reproduce.mcts.widening import case_of, points_a_percent

HEURISTICS = (LeafValue.WEIGHTS_A, LeafValue.WEIGHTS_B, LeafValue.SCORE)
BOOKS_RATIO = 18
SHOWN_DEPTHS = (1, 5, 10, 15, 20)
NEITHER_SIDE = 0.05  # how often a 95% interval misses 0 by chance alone


def times(relative: Estimate) -> str:
    """Write a ratio of times with its 95% interval."""
    return f"{relative.value:.2f} ({relative.low:.2f} to {relative.high:.2f})"


def listed(words: Sequence[str]) -> str:
    """Write ``a``, ``a and b``, ``a, b and c``."""
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def header(cells: Sequence[str], n_left: int = 1) -> list[str]:
    """Write a table's heading."""
    rule = ["---" if k < n_left else "---:" for k in range(len(cells))]
    return [f"| {' | '.join(cells)} |", f"|{'|'.join(rule)}|"]


def score_lines(points: pd.DataFrame) -> list[str]:
    """Write mean scores by m and leaf value."""
    most = points["n_simulations"].max()
    at = points[points["n_simulations"] == most].set_index("leaf_value")["score_mean_points"]
    without = [float(at[each.value]) for each in HEURISTICS]
    lines = [
        f"At m = {most:,} random rollouts score {at[LeafValue.RANDOM.value]:,.0f} and rollouts with lookahead "
        f"{at[LeafValue.LOOKAHEAD.value]:,.0f}, the three values without a rollout {min(without):,.0f} to "
        f"{max(without):,.0f}. At m = 1 only the first legal action is tried, and so taken: all leaf values play the "
        "same games. Below m = 4 not every action is tried.",
        "",
        *header(["m", *TITLES.values()]),
    ]
    for m, part in points.groupby("n_simulations"):
        by_value = part.set_index("leaf_value")
        cells = [shown(by_value.loc[each.value], "score_mean", "score") for each in TITLES]
        lines.append(f"| {m:,} | {' | '.join(cells)} |")
    return lines


def time_lines(timings: Timings) -> list[str]:
    """Write what a decision takes, and the book's ratio beside ours."""
    ratios = [
        f"{times(timings.relative(LeafValue.LOOKAHEAD, each, DEPTH))} times as long as by {TITLES[each]}"
        for each in HEURISTICS
    ]
    call = float(np.median(timings.call_seconds))
    n_rounds = timings.seconds.shape[2]
    lines = [
        f"CPU time of a decision of m = {TIMED_SIMULATIONS} simulations from starting boards, c = {EXPLORATION:g}: medians over "
        f"{n_rounds:,} rounds of {timings.n_boards} decisions, the leaf values in turn; in parentheses 95% intervals of the "
        f"medians, by ranks. What a call takes, {engineering(call)} in the median, is measured in each round and taken off. *Relative* is "
        "to random rollouts **at the same depth**, round by round, as the source's plot has it, in which they are a "
        "constant 1.",
        "",
        f"At d = {DEPTH} a decision by rollouts with lookahead takes {listed(ratios)}. The source's margin says that "
        f"lookahead takes about {BOOKS_RATIO} times as long as evaluation by a heuristic. Both times hold the search in "
        "the tree, which is the same whatever a leaf is worth.",
        "",
        *header(["d", *(f"{title}, relative" for title in TITLES.values())]),
    ]
    for depth in (depth for depth in SHOWN_DEPTHS if depth in timings.depths):
        cells = [
            "1"
            if each == LeafValue.RANDOM
            else times(timings.relative(each, LeafValue.RANDOM, depth))
            for each in TITLES
        ]
        lines.append(f"| {depth} | {' | '.join(cells)} |")
    lines += ["", *header(["d", *(f"{title}, CPU time" for title in TITLES.values())])]
    for depth in (depth for depth in SHOWN_DEPTHS if depth in timings.depths):
        cells = [engineering(float(np.median(timings.of(each, depth)))) for each in TITLES]
        lines.append(f"| {depth} | {' | '.join(cells)} |")
    return lines


def verdict(part: pd.DataFrame) -> str:
    """Say who leads at one budget: only who is above each of the others by its paired interval is called best."""
    leader = LeafValue(part["leader"].iloc[0])
    others = part[part["leaf_value"] != leader.value]
    close = others[~(others["ahead_of_low95_points"] > 0)]
    if close.empty:
        return f"{TITLES[leader]}: best"
    names = listed([TITLES[LeafValue(each)] for each in close["leaf_value"]])
    return f"{TITLES[leader]}, not told apart from {names}"


def equal_time_lines(points: pd.DataFrame, budgets: pd.DataFrame) -> list[str]:
    """Write who leads in which range of time, and by how much at the budgets."""
    ranges = [
        f"{TITLES[LeafValue(each.leaf_value)]} from {engineering(each.low)} to {engineering(each.high)}"
        for each in leads(points)
        if engineering(each.low) != engineering(each.high)
    ]
    ends = points.groupby("leaf_value", sort=False)["seconds_per_move"].agg(["min", "max"])
    spans = [
        f"{TITLES[LeafValue(str(name))]} {engineering(end['min'])} to {engineering(end['max'])}"
        for name, end in ends.iterrows()
    ]
    lines = [
        "Scores at a time are read off straight lines over log time between neighbouring points; times are taken as exact. "
        f"Points span: {'; '.join(spans)} a move. Where fewer than two leaf values have points, nothing is compared, and "
        "one whose points end below a budget is not in the comparison there.",
        "",
        f"The largest *observed* mean has: {'; '.join(ranges) or 'none, as no time is spanned by two'}. Of several noisy "
        "means the largest is too high, and near a change of leader who leads is chance. So at each budget the one who "
        "leads is compared with each of the others, in pairs of equal seeds, and is called best only if all of those "
        "95% intervals lie above 0.",
        "",
    ]
    if budgets.empty:
        return lines[:-1]
    lines += header(["CPU time a move", *TITLES.values(), "largest mean"])
    leads_by = [
        "",
        "By how much the one who leads is above each of the others, same seeds:",
        "",
        *header(["CPU time a move", *TITLES.values()]),
    ]
    for budget, part in budgets.groupby("seconds_per_move"):
        by_value = part.set_index("leaf_value")
        scores, gaps = [], []
        for each in TITLES:
            if each.value not in by_value.index:
                scores.append("-")
                gaps.append("-")
                continue
            row = by_value.loc[each.value]
            scores.append(shown(row, "score", "score"))
            is_leader = row["leader"] == each.value
            gaps.append("leads" if is_leader else shown(row, "ahead_of", "ahead_of", "+"))
        at = engineering(float(str(budget)))
        lines.append(f"| {at} | {' | '.join(scores)} | {verdict(part)} |")
        leads_by.append(f"| {at} | {' | '.join(gaps)} |")
    return lines + leads_by


def widening_lines(frame: pd.DataFrame, points: pd.DataFrame, design: Design) -> list[str]:
    """Write each case's settings beside its plain agent."""
    settings = frame[frame["k_state"].notna()]
    n_above = int((settings["less_plain_low95_points"] > 0).sum())
    n_below = int((settings["less_plain_high95_points"] < 0).sum())
    lines = [
        "Settings of k′ and α′, each with as many simulations m as a decision takes in the plain agent's time "
        "(`calibration.csv`: chosen by timing on boards of one game, before any score was known). *Time* is CPU time a "
        "move in the games themselves, by the plain agent's.",
        "",
        f"Of {len(settings)} settings {n_above} score more than the plain agent and {n_below} less, by the 95% interval of "
        f"the paired difference; {NEITHER_SIDE * len(settings):.1f} such intervals would miss 0 by chance alone. The best of a "
        "case's settings is chosen from the same games as its score, which is therefore too high.",
    ]
    for case in design.cases:
        plain, part = case_of(frame, case)
        worth = points_a_percent(points, case)
        lines += [
            "",
            f"### {case.name}",
            "",
            f"Plain: {shown(plain, 'score_mean', 'score')}, {engineering(plain['seconds_per_move'])} a move."
            + (
                f" One percent more time is worth about {worth:,.0f} points to it, by its neighbouring points."
                if np.isfinite(worth)
                else ""
            ),
            "",
            *header(["k′", "α′", "m", "mean score", "less plain, same seeds", "time"], 0),
        ]
        for _, row in part.iterrows():
            lines.append(
                f"| {row['k_state']:g} | {row['alpha_state']:g} | {row['n_simulations']:,.0f} | "
                f"{shown(row, 'score_mean', 'score')} | {shown(row, 'less_plain', 'less_plain', '+')} | "
                f"{row['relative_time']:.3f} |"
            )
    return lines


def exploration_lines(frame: pd.DataFrame) -> list[str]:
    """Write what other c do to plain agents."""
    lines = [
        f"The example's c = {EXPLORATION:g} is small beside returns of hundreds or thousands of points; all that is above "
        "is played with it. Widening was not tried with other c.",
        "",
        *header(
            [
                "plain agent",
                "c",
                "mean score",
                f"less c = {EXPLORATION:g}, same seeds",
                "time a move",
            ]
        ),
    ]
    for _, row in frame.iterrows():
        apart = (
            "-"
            if row["exploration_points"] == EXPLORATION
            else shown(row, "less_c_100", "less_c_100", "+")
        )
        lines.append(
            f"| {TITLES[LeafValue(row['leaf_value'])]}, m = {row['n_simulations']} | {row['exploration_points']:,g} | "
            f"{shown(row, 'score_mean', 'score')} | {apart} | {engineering(row['seconds_per_move'])} |"
        )
    return lines


def mcts_markdown(
    points: pd.DataFrame,
    timings: Timings,
    budgets: pd.DataFrame,
    widening: pd.DataFrame,
    exploration: pd.DataFrame,
    design: Design,
    seeds: Sequence[int],
) -> str:
    """Write all of it."""
    n = int(points["n_games"].iloc[0])
    sections = [
        (
            "Score against simulations",
            score_lines(points),
        ),
        ("Execution time", time_lines(timings)),
        ("Score against time", equal_time_lines(points, budgets)),
        ("Double progressive widening at equal time", widening_lines(widening, points, design)),
        ("Is c large enough?", exploration_lines(exploration)),
    ]
    lines = [
        "# Monte Carlo tree search on 2048: the example of Kochenderfer, Wheeler, Wray (2022), §9.6",
        "",
        f"d = {DEPTH}, c = {EXPLORATION:g}, unless another is named. {n:,} games for each agent, on the seeds {seeds[0]} to "
        f"{seeds[-1]}, the same for all. In parentheses 95% intervals by bootstrap (Student's t below 20 games), "
        "differences in pairs of equal seeds. Weights A continue the one row that the source's text keeps, weights B are "
        "ours: no figure of theirs is to be compared with the book's.",
    ]
    for title, section in sections:
        lines += ["", f"## {title}", "", *section]
    return "\n".join(lines) + "\n"
