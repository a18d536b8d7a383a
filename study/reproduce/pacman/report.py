"""The findings on Pacman, as Markdown."""

from collections.abc import Mapping, Sequence

import pandas as pd

from thetafront.agents.agent import digest_of, identity
from thetafront.agents.pacman.agent import PacmanAgent
from thetafront.agents.pacman.mdp import PacmanMDP
from thetafront.agents.pacman.rewards import Distance
from thetafront.engine.pacman import MOST_STEPS, Layout
from thetafront.study.estimate import Z95
from thetafront.study.experiments.objectives import format_seconds
from thetafront.study.report.sections import document, frame_table, markdown_table
from thetafront.study.reproduce.pacman.claims import HARDLY, MIDDLE_SWEEPS, Claim, Part, Verdict
from thetafront.study.reproduce.pacman.design import (
    ASTAR,
    BEST,
    BEST_ASTAR,
    DISTANCE_GAMMA,
    GAMES_A_TRIAL,
    MEDIUM,
    MEDIUM_RADIUS_GAMMAS,
    PANEL_SWEEPS,
    SMALL,
    SWEEP_RADIUS,
    TOLERANCES,
    WEAK_ASTAR,
    Selected,
    astar_candidates,
    mdp_candidates,
)
from thetafront.study.reproduce.pacman.question_report import changes_sections, motion_sections
from thetafront.study.reproduce.pacman.wording import percent, points

ABOUT = 2.0
MOST_PARTS = 4


def row_name(agent: PacmanAgent) -> str:
    """Name an agent in progress and manifest: its layout, and its parameters except defaults."""
    values = {"layout": agent.layout.name} | identity(agent)
    return ", ".join(str(value) if name in {"agent", "layout"} else f"{name} {value}"
                     for name, value in values.items())  # fmt: skip


def part_text(part: Part) -> str:
    """Write a difference with its interval."""
    value, low, high = (points(getattr(part.estimate, each)) for each in ("value", "low", "high"))
    return f"{part.name}: {value} ({low} to {high})"


def parts_text(claim: Claim) -> str:
    """Write the parts that decide a claim's verdict, the largest differences first."""
    same = [part for part in claim.parts if part.verdict is claim.verdict]
    shown = sorted(same or claim.parts, key=lambda part: -abs(part.estimate.value))[:MOST_PARTS]
    text = "; ".join(map(part_text, shown))
    if len(claim.parts) > 1:
        text += f" [{len(same)} of {len(claim.parts)} {claim.verdict}]"
    return text


def settings_text(row: Mapping[str, object]) -> str:
    """Write the parameters of a bar of figure 7."""
    if str(row["strategy"]).startswith("MDP"):
        form = "γ = {gamma:g}, r = {radius:g}, {distance}, tolerance {tolerance:g}"
        return form.format_map(row)
    return "danger {danger:g}".format_map(row) if str(row["strategy"]).startswith("A*") else "-"


def strategies_table(strategies: pd.DataFrame) -> str:
    """Write figure 7 as a table."""
    shown = strategies.assign(
        settings=strategies.apply(settings_text, axis=1),
        time=strategies["seconds_per_move"].map(format_seconds),
        **strategies.filter(like="win_rate").map(percent),
    )
    columns = (
        ("maze", "{layout}"),
        ("strategy", "{strategy}"),
        ("settings", "{settings}"),
        ("won", "{win_rate}"),
        ("95%", "{win_rate_low95} to {win_rate_high95}"),
        ("the report", "{report_win_rate}"),
        ("sd of ten games", "{win_rate_sd_of_ten_games}"),
        ("CPU a move", "{time}"),
        ("sweeps a move", "{sweeps_per_move:.1f}"),
    )
    return frame_table(shown, columns, "lllrrrrrr")


def cost_text(strategies: pd.DataFrame) -> str:
    """Compare A* with the selected MDP, by wins and cost."""
    said = []
    for layout, part in strategies.groupby("layout", sort=False):
        won = dict(zip(part["strategy"], part["win_rate"].map(percent), strict=True))
        cost = dict(zip(part["strategy"], part["seconds_per_move"], strict=True))
        said.append(
            f"On {layout} it wins {won[WEAK_ASTAR]} with danger 1, {won[ASTAR]} with 4, and "
            f"{won[BEST_ASTAR]} in {format_seconds(cost[BEST_ASTAR])} of CPU a move with the "
            f"danger that we chose; the MDP that we chose wins {won[BEST]} in "
            f"{format_seconds(cost[BEST])}, {cost[BEST] / cost[BEST_ASTAR]:,.0f} times as much."
        )
    return (
        "The report does not say how its A* survives. Its rank beside the MDP depends on its "
        "danger: the steps through the maze within which a ghost makes it flee. " + " ".join(said)
    )


def residual_text(sweeps: pd.DataFrame) -> str:
    """Compare the residual with the report's, after the report's numbers of sweeps."""
    said = []
    for layout, tolerance in TOLERANCES.items():
        middle = MIDDLE_SWEEPS[layout]
        at = sweeps[(sweeps["layout"] == layout.name) & (sweeps["n_sweeps"] == middle)]
        form = "{residual:.2g} ({residual_low95:.2g} to {residual_high95:.2g}) at γ = {gamma:g}"
        parts = [form.format_map(row) for row in at.to_dict("records")]
        about = at["residual"].between(tolerance / ABOUT, tolerance * ABOUT)
        agrees = (
            "it agrees" if about.all() else "it agrees at one γ" if about.any() else "it differs"
        )
        if not about.any() and at["residual"].min() < tolerance < at["residual"].max():
            agrees = "it agrees at neither, but (since it grows with γ) at some γ between"
        said.append(
            f"after {middle} sweeps on {layout.name}, where the report has around {tolerance:g}, "
            f"it is {' and '.join(parts)}: {agrees}"
        )
    return (
        f"The residual of the last sweep, mean over moves and games: {'; '.join(said)} "
        f'("around" is within a factor of {ABOUT:g}). It falls as γ to the power of the sweeps, '
        "and the report does not give its γ; all sweeps are in sweeps.csv."
    )


def distance_text(distance: pd.DataFrame) -> str:
    """Say whether maze distance is better than Manhattan distance."""
    said = []
    for _, row in distance[distance["radius"] == "all"].iterrows():
        low, high = row["difference_low95"], row["difference_high95"]
        word = "better" if low > 0 else "worse" if high < 0 else "not distinguishable"
        said.append(
            f"on {row['layout']} it is {word} ({points(row['difference'])} percentage points, "
            f"{points(low)} to {points(high)}, over all radii)"
        )
    place = f"Maze distance in place of Manhattan distance, at γ = {DISTANCE_GAMMA:g}"
    return f"{place}: {'; '.join(said)}."


def distance_table(distance: pd.DataFrame) -> str:
    """Write both distances as a table."""
    shares, differences = distance.filter(like="win_rate"), distance.filter(like="difference")
    shown = distance.assign(**shares.map(percent), **differences.map(points))
    columns = (
        ("maze", "{layout}"),
        ("radius", "{radius}"),
        ("Manhattan", "{win_rate_manhattan}"),
        ("through the maze", "{win_rate_maze}"),
        ("difference, points", "{difference}"),
        ("95%", "{difference_low95} to {difference_high95}"),
    )
    return frame_table(shown, columns)


def spread_text(frame: pd.DataFrame, n_games: int) -> str:
    """Say how precise the report's twenty trials of ten games are."""
    n_trials = n_games // GAMES_A_TRIAL
    if n_trials < 2:
        return f"There are too few games for two trials of {GAMES_A_TRIAL}."
    middle = frame[frame["win_rate"].between(0.2, 0.8)]
    seen = float((middle["win_rate_sd_of_ten_games"] ** 2).mean()) ** 0.5
    expected = float((middle["binomial_sd_of_ten_games"] ** 2).mean()) ** 0.5
    error = expected / n_trials**0.5
    return (
        f"{n_trials} trials of ten games: a trial's win rate has a standard deviation of "
        f"{percent(seen)} ({percent(expected)} for tosses of a coin; root mean squares over the "
        f"{len(middle)} points that win 20% to 80%), and the mean of {n_trials} trials has a "
        f"standard error of {percent(error)}. Two points of the report's figures must be about "
        f"{percent(Z95 * 2**0.5 * error)} apart to differ significantly."
    )


def range_of(part: pd.DataFrame) -> str:
    """Write the lowest and the highest win rate of some points."""
    low, high = percent(part["win_rate"].min()), percent(part["win_rate"].max())
    return f"{low} to {high} in {len(part)} points"


def ranges_text(frame: pd.DataFrame) -> str:
    """Compare our win rates with the ranges in the report's text."""
    mdp = frame[frame["strategy"] == PacmanMDP.__name__]
    small = mdp[(mdp["layout"] == SMALL.name) & (mdp["tolerance"] == 0)]
    small = small[small["max_sweeps"].isin(PANEL_SWEEPS[1:]) & small["radius"].isin((1, 2))]
    medium = mdp[(mdp["layout"] == MEDIUM.name) & (mdp["tolerance"] == TOLERANCES[MEDIUM])]
    medium = medium[
        medium["gamma"].isin(MEDIUM_RADIUS_GAMMAS)
        & medium["radius"].isin((2, 3, 4))
        & (medium["distance"] == Distance.MANHATTAN)
    ]
    return (
        "The report wins 50 to 60% on small at radii 1 and 2 after 10 sweeps or more, and 40 to "
        f"50% on medium at radii 2 to 4; we win {range_of(small)}, and {range_of(medium)}."
    )


def selected_text(
    selection: pd.DataFrame, selected: Mapping[Layout, Selected], seeds: Sequence[int]
) -> str:
    """Describe the settings of figure 7, and those that we selected."""
    won = selection.set_index("agent")["win_rate"].map(percent)
    tolerances = " and ".join(f"{value:g} ({layout.name})" for layout, value in TOLERANCES.items())
    chosen = "; ".join(
        f"{layout.name}: γ = {mdp.gamma:g}, radius {mdp.radius}, steps by {mdp.distance.value} "
        f"distance, {won[digest_of(mdp)]} there and danger {astar.danger}, "
        f"{won[digest_of(astar)]} there"
        for layout, (mdp, astar) in selected.items()
    )
    n_mdps, n_astars = len(mdp_candidates(SMALL)), len(astar_candidates(SMALL))
    return (
        "The report's text gives neither γ nor radius for this figure. *The report's code* has γ "
        "= 0.6 and radius 0 on small and 2 on medium; *the report's text* is γ = 0.8, where its "
        f"plateau begins, and radius 2; both sweep to the report's tolerances, {tolerances}. "
        f"*Chosen by us* is the agent with most wins on other seeds, {seeds[0]} to {seeds[-1]}, "
        f"of {n_mdps} settings of the MDP and {n_astars} dangers of A* in each maze ({chosen}; "
        "selection.csv). The dangers 1 and 4 were not chosen by games: 4 is the agent's default, "
        "1 the weakest possible."
    )


def pacman_markdown(
    tables: Mapping[str, pd.DataFrame],
    found: Sequence[Claim],
    selected: Mapping[Layout, Selected],
    seeds: Sequence[int],
    seeds_selected_on: Sequence[int],
) -> str:
    """Write all findings, the verdicts on the report's claims first."""
    frame, strategies, distance = (tables[each] for each in ("points", "strategies", "distance"))
    n_of_strategies = sum(" wins more than A*" in each.text for each in found)
    counts = {verdict: sum(each.verdict is verdict for each in found) for verdict in Verdict}
    radii = " and ".join(f"{radius} ({layout.name})" for layout, radius in SWEEP_RADIUS.items())
    verdicts = [(each.text, f"**{each.verdict}**", each.how, parts_text(each)) for each in found]
    return document(
        f"Pacman by value iteration (Verghese 2018), played again: {len(seeds):,} games a point",
        f"Seeds {seeds[0]} to {seeds[-1]}, the same for all {len(frame)} points. The mazes are "
        "ours, in the spirit of the report's: figures can agree with it only roughly. Win rates "
        "have Wilson's 95% intervals; differences are paired by seed (Agresti and Min), and those "
        f"of one claim are judged together. *Hardly* means less than {HARDLY:.0%}. "
        f"{int(frame['n_cut'].sum()):,} games were cut after {MOST_STEPS:,} steps; they count as "
        "not won.",
        spread_text(frame, len(seeds)),
        "## The report's claims, judged by our games",
        f"Of {len(found)} verdicts ({n_of_strategies} of them on one sentence, that the MDP wins "
        "more than A*: for each danger, in each maze, of the report's MDP and of ours) "
        f"{counts[Verdict.SUPPORTED]} are supported, {counts[Verdict.CONTRADICTED]} contradicted, "
        f"{counts[Verdict.UNDECIDED]} undecided. Differences are percentage points of win rate; "
        "all parts are in claims.csv.",
        markdown_table(("claim", "verdict", "on", "differences"), verdicts, "llll"),
        ranges_text(frame),
        residual_text(tables["sweeps"]),
        "## Strategies (figure 7)",
        selected_text(tables["selection"], selected, seeds_selected_on),
        strategies_table(strategies),
        "For comparison, not by this command: the report's own code in its own engine and mazes, "
        "with γ = 0.6, tolerance 0.1, radius 0 and 2, wins 56 ± 1% on small and 38 ± 2.5% on "
        "medium; with its bug in slips to the sides fixed, 42 ± 1% and 36 ± 2.5%; random play "
        "wins 0.16% on small.",
        cost_text(strategies),
        "## Manhattan or maze distance",
        distance_text(distance),
        distance_table(distance),
        *motion_sections(tables["motion"]),
        *changes_sections(tables["changes"]),
        "## Figures",
        "figure1.png (rewards around ghosts), figure2.png and figure3.png (small: radius, γ), "
        f"figure4.png and figure6.png (sweeps, at a radius of {radii}), figure5.png (medium: γ, "
        "radius), figure7.png (strategies), distance.png, values.png (U after each sweep), "
        "motion.png, changes.png (routes and the smaller map). All lists of γ are ours: the "
        "report's text gives none. All points are in points.csv, motion.csv and changes.csv, all "
        "games in games.csv.",
    )
