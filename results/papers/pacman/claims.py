"""The report's claims about its figures, judged on our games by differences with intervals.

A claim has *parts*: differences of win rates, paired by seed, and the report's statement on each:
``above`` 0, ``below`` 0, or ``hardly`` any, which is ours: less than ten percentage points, one
game in a trial of ten. A part is supported if the interval is above 0, below 0, or within ±HARDLY;
contradicted if it is on the other side of 0, or beyond ±HARDLY to one side; and undecided
otherwise. A claim is contradicted if one of its parts is, supported if all are. The parts of a
claim are judged together. The mazes are ours: a contradicted claim may still have held in the
report's mazes.
"""

from collections.abc import Iterable, Iterator
from itertools import product

import pandas as pd

from results.papers.pacman import design
from results.papers.pacman.design import RADII, Bars, Played
from results.papers.pacman.tables import columns_of, contrast, wins_frame, won_by_seed
from thetafront.agents.agent import digest_of
from thetafront.study.estimate import Estimate

HARDLY = 0.10
REPORTED_CERTAIN = 0.87  # of A* without noise, §3.2

Pairs = dict[str, tuple[str, str]]
"""Groups of points, the one less the other, by name: each a condition on the table of points."""
Statement = tuple[str, str, str, Pairs]
"""A sentence of the report, shortened; the games it is judged by; what it says; its parts."""


def verdict(says: str, estimate: Estimate) -> str:
    """Judge a difference by the report's statement on it: see the module."""
    low, high = estimate.low, estimate.high
    if says == "below":
        low, high = -high, -low
    supported, contradicted = low > 0, high < 0
    if says == "hardly":
        supported = -HARDLY <= low <= high <= HARDLY
        contradicted = low > HARDLY or high < -HARDLY
    return "supported" if supported else "contradicted" if contradicted else "undecided"


def verdict_of(verdicts: Iterable[str]) -> str:
    """Judge a claim by the verdicts on its parts."""
    found = set(verdicts)
    if "contradicted" in found:
        return "contradicted"
    return "supported" if found == {"supported"} else "undecided"


def figure_statements() -> Iterator[Statement]:
    """State the claims about figures 2 to 6."""
    early = "layout == 'small' and max_sweeps == 5"
    late = "layout == 'small' and max_sweeps in (10, 15)"
    sweeps = "layout == '{}' and tolerance == 0 and radius == {} and gamma in (0.6, 0.9)"
    medium = "layout == 'medium' and tolerance == 0.2 and distance == 'manhattan'"

    def less(name: str, form: str, *pairs: tuple[float, float]) -> Pairs:
        return {
            f"{name} = {one:g} less {name} = {other:g}": (form.format(one), form.format(other))
            for one, other in pairs
        }

    def far(when: str) -> Pairs:
        near = f"{when} and radius in (1, 2)"
        return {f"r = {r} less r = 1 and 2": (f"{when} and radius == {r}", near) for r in (3, 4)}

    gammas = [(0.2, 0.6), (0.4, 0.6), (0.8, 0.6), (0.9, 0.6)]
    single: Pairs = {}
    for r in RADII:
        pairs = less("γ", f"{late} and radius == {r} and gamma == {{}}", *gammas)
        single |= {f"{name}, r = {r}": pair for name, pair in pairs.items()}
    text, when = "On small, γ has little effect", "at 10 and 15 sweeps"
    overall = less("γ", f"{late} and gamma == {{}}", *gammas)
    yield text, f"{when}, means over all radii", "hardly", overall
    yield f"{text} at any radius", f"{when}, each radius by itself", "hardly", single
    text = "On small, at a radius of 3 and beyond the win rate drops"
    yield text, f"{when}, means over all γ", "below", far(late)
    text = "On small, after 5 sweeps the radius has no clear effect"
    yield text, "at 5 sweeps, means over all γ", "hardly", far(early)

    how = "means over γ of 0.6 and 0.9"
    for layout, radius, middle in (("small", 1, 14), ("medium", 2, 20)):
        points = sweeps.format(layout, radius)
        few, some, many = (f"{points} and max_sweeps == {n}" for n in (1, middle, 50))
        yield f"On {layout}, few sweeps win less", how, "below", {"1 less 50 sweeps": (few, many)}
        text = f"On {layout}, more than {middle} sweeps win hardly more"
        yield text, how, "hardly", {f"50 less {middle} sweeps": (many, some)}

    by_gamma = f"{medium} and radius == 2 and gamma == {{}}"
    by_radius = f"{medium} and gamma in (0.8, 0.9) and radius == {{}}"
    how, means = "at radius 2", "means over γ of 0.8 and 0.9"
    more = less("γ", by_gamma, (0.8, 0.2), (0.8, 0.4))
    yield "On medium, a higher γ wins more", how, "above", more
    text = "On medium, the win rate is on a plateau from γ = 0.8"
    yield text, how, "hardly", less("γ", by_gamma, (0.9, 0.8), (0.95, 0.8))
    poor = less("r", by_radius, (1, 2), (1, 3), (1, 4))
    yield "On medium, radius 1 is poor", means, "below", poor
    same = less("r", by_radius, (3, 2), (4, 2), (4, 3))
    yield "On medium, radii 2 to 4 win about the same", means, "hardly", same


def strategy_statements(bars: Bars) -> Iterator[Statement]:
    """State the claim about figure 7, for each danger of A*, the report's MDP and ours."""
    mdps = (
        ("the report's MDP", "as its code and as its text have it", (design.CODE, design.TEXT)),
        ("the MDP that we chose", "one setting, chosen on other seeds", (design.BEST,)),
    )
    for layout, agents in bars.items():
        points = {name: f"agent == '{digest_of(agent)}'" for name, agent in agents.items()}
        for astar, (mdp, how, names) in product(design.ASTARS, mdps):
            pairs = {f"{name} less {astar}": (points[name], points[astar]) for name in names}
            yield f"On {layout.name}, {mdp} wins more than {astar}", how, "above", pairs


def judged(text: str, how: str, says: str, parts: dict[str, Estimate]) -> list[dict[str, object]]:
    """Judge a claim; return a row a part."""
    verdicts = {name: verdict(says, each) for name, each in parts.items()}
    claim = {"claim": text, "verdict": verdict_of(verdicts.values()), "how": how}
    rows: list[dict[str, object]] = []
    for name, each in parts.items():
        found = columns_of(each, "difference") | {"part_verdict": verdicts[name]}
        rows.append({**claim, "part": name, "says": says, **found})
    return rows


def differences(wins: pd.DataFrame, points: pd.DataFrame, pairs: Pairs) -> dict[str, Estimate]:
    """Estimate differences between groups of points, judged together."""
    found = {}
    for name, pair in pairs.items():
        one, other = (won_by_seed(wins, points, where) for where in pair)
        found[name] = contrast(one, other, len(pairs))
    return found


def estimate_of(rows: pd.DataFrame, reported: float = 0.0) -> Estimate:
    """Return a point's win rate less the report's."""
    rate = rows.iloc[0][["win_rate", "win_rate_low95", "win_rate_high95"]]
    return Estimate(*(rate - reported))


def claims_frame(
    played: Played, points: pd.DataFrame, bars: Bars, more: Played, motion: pd.DataFrame
) -> pd.DataFrame:
    """Judge all claims, a row a part; ``more`` and ``motion`` are of the open questions."""
    wins, more_wins = wins_frame(played), wins_frame(more)
    rows = []
    for text, how, says, pairs in (*figure_statements(), *strategy_statements(bars)):
        rows += judged(text, how, says, differences(wins, points, pairs))
    random = "layout == 'medium' and strategy == 'PacmanRandom'"
    rate = estimate_of(points.query(random))
    text = "On medium, random play fails to win"
    rows += judged(text, "Wilson's interval", "hardly", {"random's win rate": rate})
    for name in design.ASTARS:
        astar = f"layout == 'medium' and strategy == \"{name}\" and p_chosen == {{}}"
        certain, noisy = astar.format(1), astar.format(0.8)
        away = estimate_of(motion.query(certain), REPORTED_CERTAIN)
        text, parts = f"{name} wins about 87%", {"our win rate less 87%": away}
        how = "p = 1, Wilson's interval"
        rows += judged(f"On medium without noise, {text}", how, "hardly", parts)
        parts = differences(more_wins, motion, {"p = 1 less p = 0.8": (certain, noisy)})
        text = f"On medium, {name} wins more without noise"
        rows += judged(text, "p of 1 and 0.8", "above", parts)
    return pd.DataFrame(rows)
