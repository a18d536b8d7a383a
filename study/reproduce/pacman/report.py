"""What was found, as Markdown."""

from collections.abc import Mapping, Sequence
from math import isfinite

import pandas as pd

from agents.agent import digest_of
from agents.pacman.agent import PacmanAgent
from agents.pacman.astar import PacmanAStar
from agents.pacman.mdp import PacmanMDP
from agents.pacman.rewards import Distance
from engine.pacman import MOST_STEPS, Layout
from study.experiments.cost import engineering
from study.experiments.objectives import Z95
from study.reproduce.pacman.claims import HARDLY, MIDDLE_SWEEPS, Claim, Part, Verdict
from study.reproduce.pacman.design import (
    ASTAR,
    BEST,
    BEST_ASTAR,
    DISTANCE_GAMMA,
    MEDIUM,
    MEDIUM_RADIUS_GAMMAS,
    PANEL_SWEEPS,
    SMALL,
    SWEEP_RADIUS,
    TOLERANCES,
    WEAK_ASTAR,
    Chosen,
    astar_candidates,
    mdp_candidates,
)
from study.reproduce.pacman.trials import GAMES_A_TRIAL, Played

ABOUT = 2.0
MINUS = "\N{MINUS SIGN}"
MOST_PARTS = 4


def percent(value: float) -> str:
    """Write a share for people."""
    return f"{value:.1%}" if isfinite(value) else "-"


def points(value: float) -> str:
    """Write a difference of win rates in percentage points, with its sign."""
    return f"{100 * value:+.1f}".replace("-", MINUS)


def settings_text(agent: PacmanAgent) -> str:
    """Write what was chosen of a candidate."""
    if isinstance(agent, PacmanMDP):
        return (
            f"γ = {agent.gamma:g}, radius {agent.radius}, steps by {agent.distance.value} distance"
        )
    assert isinstance(agent, PacmanAStar)
    return f"danger {agent.danger}"


def part_text(part: Part) -> str:
    """Write a difference with its interval."""
    estimate = part.estimate
    return (
        f"{part.name}: {points(estimate.value)} ({points(estimate.low)} to {points(estimate.high)})"
    )


def parts_text(claim: Claim) -> str:
    """Write the parts that a claim's verdict rests on; of many the most telling, the rest being in the table."""
    wanted = [part for part in claim.parts if part.verdict is claim.verdict] or list(claim.parts)
    wanted.sort(key=lambda part: -abs(part.estimate.value))
    text = "; ".join(part_text(part) for part in wanted[:MOST_PARTS])
    n_same = sum(part.verdict is claim.verdict for part in claim.parts)
    if len(claim.parts) > 1:
        text += f" [{n_same} of {len(claim.parts)} {claim.verdict}]"
    return text


def strategy_lines(strategies: pd.DataFrame) -> list[str]:
    """Write figure 7 as a table."""
    lines = [
        "| maze | strategy | settings | won | 95% | the report | sd of ten games | CPU a move | sweeps a move |",
        "|---|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for _, row in strategies.iterrows():
        settings = "-"
        if row["strategy"].startswith("MDP"):
            settings = (
                f"γ = {row['gamma']:g}, r = {row['radius']:g}, {row['distance']}, "
                f"tolerance {row['tolerance']:g}"
            )
        elif row["strategy"].startswith("A*"):
            settings = f"danger {row['danger']:g}"
        lines.append(
            f"| {row['layout']} | {row['strategy']} | {settings} | {percent(row['win_rate'])} | "
            f"{percent(row['win_rate_low95'])} to {percent(row['win_rate_high95'])} | "
            f"{percent(row['report_win_rate'])} | {percent(row['win_rate_sd_of_ten_games'])} | "
            f"{engineering(row['seconds_per_move'])} | {row['sweeps_per_move']:.1f} |"
        )
    return lines


def cost_text(strategies: pd.DataFrame) -> str:
    """Say what A* costs and wins beside the MDP that was chosen."""
    said = []
    for layout, part in strategies.groupby("layout", sort=False):
        won = dict(zip(part["strategy"], part["win_rate"], strict=True))
        cost = dict(zip(part["strategy"], part["seconds_per_move"], strict=True))
        said.append(
            f"on {layout} it wins {percent(won[WEAK_ASTAR])} with a danger of 1, {percent(won[ASTAR])} with 4 and "
            f"{percent(won[BEST_ASTAR])}, in {engineering(cost[BEST_ASTAR])} of CPU a move, with the one that we chose; the MDP "
            f"that we chose wins {percent(won[BEST])} in {engineering(cost[BEST])}, {cost[BEST] / cost[BEST_ASTAR]:,.0f} times "
            "as much"
        )
    return (
        "The report does not say how its A* survives. How it ranks beside the MDP depends on that rule, on how many steps of a "
        "true way a ghost may be off when A* flees: " + "; ".join(said) + "."
    )


def residual_text(sweeps: pd.DataFrame) -> str:
    """Say what the residual is after the sweeps that the report finds its tolerances at."""
    said = []
    for layout, tolerance in TOLERANCES.items():
        middle = MIDDLE_SWEEPS[layout]
        at = sweeps[(sweeps["layout"] == layout.name) & (sweeps["n_sweeps"] == middle)]
        parts = [
            f"{row['residual']:.2g} ({row['residual_low95']:.2g} to {row['residual_high95']:.2g}) at γ = {row['gamma']:g}"
            for _, row in at.iterrows()
        ]
        about = at["residual"].between(tolerance / ABOUT, tolerance * ABOUT)
        verdict = "so it is" if about.all() else "so at one of them" if about.any() else "not so"
        if not about.any() and at["residual"].min() < tolerance < at["residual"].max():
            verdict = "so at neither, but (it grows with γ) at some γ between"
        said.append(
            f"after {middle} sweeps on {layout.name}, where the report has around {tolerance:g}, it is {' and '.join(parts)}: "
            f"{verdict}"
        )
    return (
        "The residual of the last sweep, mean over moves and games: "
        + "; ".join(said)
        + f' ("around" is within a factor of {ABOUT:g}). It falls with γ to the power of the sweeps, and the report does not say '
        "which γ it had; all sweeps are in sweeps.csv."
    )


def distance_text(distance: pd.DataFrame) -> str:
    """Say whether true steps are better than Manhattan's."""
    said = []
    for _, row in distance[distance["radius"] == "all"].iterrows():
        low, high = row["difference_low95"], row["difference_high95"]
        word = "better" if low > 0 else "worse" if high < 0 else "neither better nor worse for sure"
        said.append(
            f"on {row['layout']} they are {word} ({points(row['difference'])} percentage points, {points(low)} to "
            f"{points(high)}, over all radii)"
        )
    return (
        f"True steps through the maze in place of Manhattan's, at γ = {DISTANCE_GAMMA:g}: "
        + "; ".join(said)
        + "."
    )


def distance_lines(distance: pd.DataFrame) -> list[str]:
    """Write both ways to count steps as a table."""
    lines = [
        "| maze | radius | Manhattan | through the maze | difference, points | 95% |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    return lines + [
        f"| {row['layout']} | {row['radius']} | {percent(row['win_rate_manhattan'])} | {percent(row['win_rate_maze'])} | "
        f"{points(row['difference'])} | {points(row['difference_low95'])} to {points(row['difference_high95'])} |"
        for _, row in distance.iterrows()
    ]


def spread_text(frame: pd.DataFrame, n_games: int) -> str:
    """Say what twenty trials of ten games can tell."""
    n_trials = n_games // GAMES_A_TRIAL
    if n_trials < 2:
        return f"There are too few games for two trials of {GAMES_A_TRIAL}."
    middle = frame[frame["win_rate"].between(0.2, 0.8)]
    seen = float((middle["win_rate_sd_of_ten_games"] ** 2).mean()) ** 0.5
    expected = float((middle["binomial_sd_of_ten_games"] ** 2).mean()) ** 0.5
    return (
        f"{n_trials} trials of ten games: a trial's win rate scatters with a standard deviation of {percent(seen)} "
        f"({percent(expected)} if games were tosses of a coin; root mean squares over the {len(middle)} points that win 20% "
        f"to 80%), and the mean of {n_trials} trials has a standard error of {percent(expected / n_trials**0.5)}: two points "
        f"of the report's figures must be some {percent(Z95 * 2**0.5 * expected / n_trials**0.5)} apart to differ for sure."
    )


def range_of(part: pd.DataFrame) -> str:
    """Write the lowest and the highest win rate of some points."""
    return f"{percent(part['win_rate'].min())} to {percent(part['win_rate'].max())} in {len(part)} points"


def ranges_text(frame: pd.DataFrame) -> str:
    """Say where our win rates lie where the report's text gives a range."""
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
        "The report wins 50 to 60% on small at radii 1 and 2 after 10 sweeps or more, and 40 to 50% on medium at radii 2 to "
        f"4; we win {range_of(small)}, and {range_of(medium)}."
    )


def pacman_markdown(
    played: Played,
    tables: Mapping[str, pd.DataFrame],
    found: Sequence[Claim],
    best: Mapping[Layout, Chosen],
    seeds: Sequence[int],
    seeds_chosen_on: Sequence[int],
) -> str:
    """Write what was found, first of all what the report's claims have come to.

    Parameters
    ----------
    played : Played
        All games of the figures.
    tables : mapping of str to DataFrame
        ``points``, ``sweeps``, ``strategies``, ``distance`` and ``selection``, as they are written.
    found : sequence of Claim
        The claims.
    best : mapping of Layout to Chosen
        What was chosen.
    seeds, seeds_chosen_on : sequence of int
        Of the games, and of those that settings were chosen on.
    """
    frame, strategies, distance = (tables[each] for each in ("points", "strategies", "distance"))
    n_cut = int(frame["n_cut"].sum())
    n_of_strategies = sum(" wins more than A*" in each.text for each in found)
    counts = {verdict: sum(each.verdict is verdict for each in found) for verdict in Verdict}
    tolerances = " and ".join(f"{value:g} ({layout.name})" for layout, value in TOLERANCES.items())
    radii = " and ".join(f"{radius} ({layout.name})" for layout, radius in SWEEP_RADIUS.items())
    won_there = tables["selection"].set_index("agent")["win_rate"]
    chosen = "; ".join(
        f"{layout.name}: "
        + " and ".join(
            f"{settings_text(agent)}, {percent(won_there[digest_of(agent)])} there"
            for agent in ours
        )
        for layout, ours in best.items()
    )
    first = next(iter(best))
    n_mdps, n_astars = len(mdp_candidates(first)), len(astar_candidates(first))
    lines = [
        f"# Pacman by value iteration (Verghese 2018), played again: {len(seeds):,} games a point",
        "",
        f"Seeds {seeds[0]} to {seeds[-1]}, the same for all {len(played)} points. The mazes are ours, in the spirit of the "
        "report's: figures agree with it at most roughly. Win rates have Wilson's 95% intervals; differences are taken in "
        "pairs of equal seeds (Agresti and Min), and those of one claim are judged together. *Hardly* means less than "
        f"{HARDLY:.0%}. Of all games {n_cut:,} were cut after {MOST_STEPS:,} steps; they count as not won.",
        "",
        spread_text(frame, len(seeds)),
        "",
        "## What the report says, and what our games say of it",
        "",
        f"Of {len(found)} judgements ({n_of_strategies} of them on one sentence, that the MDP wins more than A*: for each danger, in "
        f"each maze, of the report's MDP and of ours) {counts[Verdict.SUPPORTED]} are supported, {counts[Verdict.CONTRADICTED]} contradicted, "
        f"{counts[Verdict.UNDECIDED]} undecided. Differences are percentage points of win rate; all parts are in claims.csv.",
        "",
        "| claim | verdict | on | differences |",
        "|---|---|---|---|",
        *(
            f"| {each.text} | **{each.verdict}** | {each.how} | {parts_text(each)} |"
            for each in found
        ),
        "",
        ranges_text(frame),
        "",
        residual_text(tables["sweeps"]),
        "",
        "## Strategies (figure 7)",
        "",
        f"The report's text names neither γ nor radius for this figure. *The report's code* has γ = 0.6 and a radius of 0 on "
        "small and 2 on medium; *the report's text* is γ = 0.8, where it sees the plateau begin, and radius 2; both sweep to "
        f"the tolerances that it comes to, {tolerances}. *Chosen by us* is, of {n_mdps} settings of the MDP a maze and of "
        f"{n_astars} dangers of A*, the one that won most games on other seeds, {seeds_chosen_on[0]} to "
        f"{seeds_chosen_on[-1]} ({chosen}; selection.csv). The dangers 1 and 4 were not chosen by games: 4 is the agent's "
        "default, 1 the weakest rule that is one.",
        "",
        *strategy_lines(strategies),
        "",
        "For context, and not by this command: measured with the report's own code in its own engine and mazes, γ = 0.6, "
        "tolerance 0.1, radius 0 and 2, it wins 56 ± 1% on small, 38 ± 2.5% on medium; "
        "with its slips to the sides mended, 42 ± 1% and 36 ± 2.5%; random play wins 0.16% on small.",
        "",
        cost_text(strategies),
        "",
        "## Manhattan or true steps",
        "",
        distance_text(distance),
        "",
        *distance_lines(distance),
        "",
        "## Pictures",
        "",
        f"figure2.png and figure3.png (small: radius, γ), figure4.png and figure6.png (sweeps, at a radius of {radii}), "
        "figure5.png (medium: γ, radius), figure7.png (strategies), distance.png. γ of all lists are ours: the report's text "
        "gives none. All points are in points.csv, all games in games.csv.",
    ]
    return "\n".join(lines) + "\n"
