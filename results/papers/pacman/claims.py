"""The report's claims about its figures, judged by differences of win rates in our games.

A claim has *parts*. Each part is a difference of win rates, paired by seed, and the report's
statement about it: the difference is ``above`` 0, ``below`` 0, or there is ``hardly`` any. We
define ``hardly`` as less than ten percentage points, that is, one game in a trial of ten.

- A part is supported if the interval of its difference lies where the statement says: above 0,
  below 0, or within ±HARDLY.
- A part is contradicted if this interval is on the other side of 0 or, for ``hardly``, if all of
  it is farther than HARDLY from 0 on one side.
- Otherwise, a part is undecided.

A claim is supported if all of its parts are supported. It is contradicted if at least one part is
contradicted. Otherwise, it is undecided. If a claim has several parts, their intervals are widened
(Bonferroni, :func:`~results.papers.pacman.tables.contrast`). Our mazes are not the report's, so a
contradicted claim may hold in the report's mazes.
"""

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

import pandas as pd

from results.papers import paper
from results.papers.pacman import design
from results.papers.pacman.design import RADII, Bars, Played
from results.papers.pacman.tables import contrast, wins_frame, won_by_seed
from thetafront.agents.agent import agent_digest
from thetafront.study.estimate import Estimate

HARDLY = 0.10
MAX_PARTS = 4  # how many parts of a claim the text shows
REPORTED_CERTAIN = 0.87  # win rate of A* without noise, §3.2

Pairs = dict[str, tuple[str, str]]
"""Differences by name, each of two groups of points; a condition selects a group's points."""
Statement = tuple[str, str, str, Pairs]
"""A shortened sentence of the report, the games that judge it, its statement, and its parts."""


def verdict(says: str, low: float, high: float) -> str:
    """Return the verdict on a statement about a difference, given the difference's interval."""
    if says == "below":
        low, high = -high, -low
    supported, contradicted = low > 0, high < 0
    if says == "hardly":
        supported = -HARDLY <= low <= high <= HARDLY
        contradicted = low > HARDLY or high < -HARDLY
    return "supported" if supported else "contradicted" if contradicted else "undecided"


def combine_verdicts(verdicts: Iterable[str]) -> str:
    """Judge a claim by the verdicts on its parts."""
    found = set(verdicts)
    worst = "contradicted" if "contradicted" in found else "undecided"
    return "supported" if found == {"supported"} else worst


def figure_statements() -> Iterator[Statement]:
    """Yield the claims about figures 2 to 6."""
    early = "layout == 'small' and max_sweeps == 5"
    late = "layout == 'small' and max_sweeps in (10, 15)"
    sweeps = "layout == '{}' and tolerance == 0 and radius == {} and gamma in (0.6, 0.9)"
    medium = "layout == 'medium' and tolerance == 0.2 and distance == 'manhattan'"

    def minus(name: str, form: str, *pairs: tuple[float, float]) -> Pairs:
        return {
            f"{name} = {one:g} minus {name} = {other:g}": (form.format(one), form.format(other))
            for one, other in pairs
        }

    def far(when: str) -> Pairs:
        near = f"{when} and radius in (1, 2)"
        return {f"r = {r} minus r = 1 and 2": (f"{when} and radius == {r}", near) for r in (3, 4)}

    gammas = [(0.2, 0.6), (0.4, 0.6), (0.8, 0.6), (0.9, 0.6)]
    single: Pairs = {}
    for r in RADII:
        pairs = minus("γ", f"{late} and radius == {r} and gamma == {{}}", *gammas)
        single |= {f"{name}, r = {r}": pair for name, pair in pairs.items()}
    text, when = "On small, γ has little effect", "at 10 and 15 sweeps"
    overall = minus("γ", f"{late} and gamma == {{}}", *gammas)
    yield text, f"{when}, means over all radii", "hardly", overall
    yield f"{text} at any radius", f"{when}, each radius by itself", "hardly", single
    text, when = "On small, at a radius of 3 and beyond the win rate drops", f"{when}, means"
    yield text, f"{when} over all γ", "below", far(late)
    text = "On small, after 5 sweeps the radius has no clear effect"
    yield text, "at 5 sweeps, means over all γ", "hardly", far(early)

    how = "means over γ of 0.6 and 0.9"
    for layout, radius, middle in (("small", 1, 14), ("medium", 2, 20)):
        points = sweeps.format(layout, radius)
        few, some, many = (f"{points} and max_sweeps == {n}" for n in (1, middle, 50))
        fewer = {"1 sweep minus 50 sweeps": (few, many)}
        yield f"On {layout}, few sweeps win less", how, "below", fewer
        text = f"On {layout}, more than {middle} sweeps win hardly more"
        yield text, how, "hardly", {f"50 sweeps minus {middle} sweeps": (many, some)}

    by_gamma = f"{medium} and radius == 2 and gamma == {{}}"
    by_radius = f"{medium} and gamma in (0.8, 0.9) and radius == {{}}"
    how, means = "at radius 2", "means over γ of 0.8 and 0.9"
    more = minus("γ", by_gamma, (0.8, 0.2), (0.8, 0.4))
    flat = minus("γ", by_gamma, (0.9, 0.8), (0.95, 0.8))
    yield "On medium, a higher γ wins more", how, "above", more
    yield "On medium, the win rate is on a plateau from γ = 0.8", how, "hardly", flat
    poor = minus("r", by_radius, (1, 2), (1, 3), (1, 4))
    same = minus("r", by_radius, (3, 2), (4, 2), (4, 3))
    yield "On medium, radius 1 is poor", means, "below", poor
    yield "On medium, radii 2 to 4 win about the same", means, "hardly", same


def strategy_statements(bars: Bars) -> Iterator[Statement]:
    """Yield the claim about figure 7 for each A* agent and both MDPs, the report's and ours."""
    mdps = (
        ("the report's MDP", "as its code and as its text have it", (design.CODE, design.TEXT)),
        ("the MDP that we chose", "one setting, chosen on other seeds", (design.BEST,)),
    )
    for layout, agents in bars.items():
        points = {name: f"agent == '{agent_digest(agent)}'" for name, agent in agents.items()}
        for astar, (mdp, how, names) in product(design.ASTARS, mdps):
            pairs = {f"{name} minus {astar}": (points[name], points[astar]) for name in names}
            yield f"On {layout.name}, {mdp} wins more than {astar}", how, "above", pairs


def motion_statements() -> Iterator[Statement]:
    """Yield the claim that A* wins more without noise, for each danger of A*."""
    for name in design.ASTARS:
        astar = f"layout == 'medium' and strategy == \"{name}\" and p_chosen == {{}}"
        pairs = {"p = 1 minus p = 0.8": (astar.format(1), astar.format(0.8))}
        yield f"On medium, {name} wins more without noise", "p of 1 and 0.8", "above", pairs


Line = dict[str, Any]


def compared(played: Played, points: pd.DataFrame, statements: Iterable[Statement]) -> list[Line]:
    """Return a line for each part; the intervals of a statement's parts are adjusted together."""
    wins, lines = wins_frame(played), list[Line]()
    for text, how, says, pairs in statements:
        for name, pair in pairs.items():
            one, other = (won_by_seed(wins, points, where) for where in pair)
            line: Line = {"claim": text, "how": how, "part": name, "says": says}
            lines.append(line | paper.interval_row("difference", contrast(one, other, len(pairs))))
    return lines


def alone(points: pd.DataFrame, where: str, reported: float, *named: str) -> Line:
    """Return the line of a claim about one point: our win rate minus the report's."""
    rate = points.query(where).iloc[0][["win_rate", "win_rate_low95", "win_rate_high95"]]
    line: Line = dict(zip(("claim", "how", "part"), named, strict=True), says="hardly")
    return line | paper.interval_row("difference", Estimate(*(rate - reported)))


def claims_frame(
    played: Played, points: pd.DataFrame, bars: Bars, more: Played, motion: pd.DataFrame
) -> pd.DataFrame:
    """Judge all claims, one row per part; ``more`` has the games of the table ``motion``."""
    lines = compared(played, points, (*figure_statements(), *strategy_statements(bars)))
    where, wilson = "layout == 'medium' and strategy == 'PacmanRandom'", "Wilson's interval"
    text, part = "On medium, random play fails to win", "random's win rate"
    lines.append(alone(points, where, 0.0, text, wilson, part))
    noisier = compared(more, motion, motion_statements())
    for name, line in zip(design.ASTARS, noisier, strict=True):
        where = f"layout == 'medium' and strategy == \"{name}\" and p_chosen == 1"
        text = f"On medium without noise, {name} wins about 87%"
        names = (text, f"p = 1, {wilson}", "our win rate minus 87%")
        lines += [alone(motion, where, REPORTED_CERTAIN, *names), line]
    frame = pd.DataFrame(lines)
    ends = frame[["says", "difference_low95", "difference_high95"]].itertuples(index=False)
    frame["part_verdict"] = [verdict(*each) for each in ends]
    frame.insert(1, "verdict", frame.groupby("claim")["part_verdict"].transform(combine_verdicts))
    return frame


def shown(claims: pd.DataFrame) -> pd.DataFrame:
    """Return one row per claim, with the largest differences among the parts that decide it."""
    lines = []
    for (claim, said, how), group in claims.groupby(["claim", "verdict", "how"], sort=False):
        same = group[group["part_verdict"] == said]
        largest = same.sort_values("difference", key=abs, ascending=False, kind="stable")
        rows = paper.records(largest.head(MAX_PARTS))
        parts = "; ".join("{part}: {difference:+.1pp}".format_map(row) for row in rows)
        count = f" [{len(same)} of {len(group)} {said}]" if len(group) > 1 else ""
        lines.append({"claim": claim, "verdict": said, "how": how, "parts": parts + count})
    return pd.DataFrame(lines)
