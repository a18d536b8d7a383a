"""The report's claims about its figures, judged on our games by differences with intervals.

A claim has *parts*: differences of win rates, paired by seed, and the report's statement on each:
above 0, below 0, or hardly any. ``HARDLY`` is ours: ten percentage points, one game in a trial of
ten.

=============  ===================================  ========================================
statement      supported if the interval is         contradicted if it is
=============  ===================================  ========================================
``above``      above 0                              below 0
``below``      below 0                              above 0
``hardly``     within ±HARDLY                       beyond HARDLY, to one side
=============  ===================================  ========================================

and undecided otherwise. A claim is contradicted if one of its parts is, supported if all are. The
parts of a claim are judged together (:func:`study.reproduce.pacman.points.contrast`). The mazes are
ours: a contradicted claim may still have held in the report's mazes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, product
from typing import NamedTuple

import pandas as pd

from thetafront.agents.pacman.agent import PacmanAgent
from thetafront.engine.pacman.motion import P_CHOSEN
from thetafront.study.estimate import Estimate
from thetafront.study.reproduce.pacman.design import (
    ASTAR,
    BEST,
    BEST_ASTAR,
    CODE,
    MEDIUM,
    MEDIUM_RADIUS,
    MEDIUM_RADIUS_GAMMAS,
    PANEL_SWEEPS,
    RADII,
    RANDOM,
    SMALL,
    SMALL_GAMMAS,
    SWEEP_GAMMAS,
    SWEEP_RADIUS,
    TEXT,
    WEAK_ASTAR,
    Bars,
    Played,
    after_sweeps,
    to_tolerance,
)
from thetafront.study.reproduce.pacman.points import columns_of, contrast, win_rate, won_by_seed
from thetafront.study.reproduce.pacman.questions import CERTAIN, REPORTED_CERTAIN, movers

HARDLY = 0.10

MIDDLE_GAMMA = 0.6
PLATEAU_GAMMA = 0.8
FEW_SWEEPS, MIDDLE_SWEEPS, MANY_SWEEPS = 1, {SMALL: 14, MEDIUM: 20}, 50


class Verdict(StrEnum):
    """How our games judge a claim."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNDECIDED = "undecided"


class Says(StrEnum):
    """The report's statement on a difference."""

    ABOVE = "above"
    BELOW = "below"
    HARDLY = "hardly"


@dataclass(frozen=True)
class Part:
    """A difference, and the report's statement on it."""

    name: str  # the one less the other
    says: Says
    estimate: Estimate  # our difference

    @property
    def verdict(self) -> Verdict:
        """The verdict of our difference: see the module."""
        low, high = self.estimate.low, self.estimate.high
        if self.says is Says.BELOW:
            low, high = -high, -low
        supported, contradicted = low > 0, high < 0
        if self.says is Says.HARDLY:
            supported = -HARDLY <= low <= high <= HARDLY
            contradicted = low > HARDLY or high < -HARDLY
        if supported:
            return Verdict.SUPPORTED
        return Verdict.CONTRADICTED if contradicted else Verdict.UNDECIDED


@dataclass(frozen=True)
class Claim:
    """A sentence of the report, shortened, and the differences by which it is judged."""

    text: str
    how: str  # the games that the parts are made of
    parts: tuple[Part, ...]

    @property
    def verdict(self) -> Verdict:
        """Contradicted if one part is, supported if all are."""
        verdicts = {part.verdict for part in self.parts}
        if Verdict.CONTRADICTED in verdicts:
            return Verdict.CONTRADICTED
        return Verdict.SUPPORTED if verdicts == {Verdict.SUPPORTED} else Verdict.UNDECIDED


Group = Sequence[PacmanAgent]
Pairs = dict[str, tuple[Group, Group]]
"""Groups of points, the one less the other, by name."""


class Statement(NamedTuple):
    """A claim before it is judged."""

    text: str
    how: str
    says: Says
    pairs: Pairs

    def judged(self, played: Played) -> Claim:
        """Judge the differences between the groups together."""
        parts = []
        for name, (ones, others) in self.pairs.items():
            wins = won_by_seed(played, ones), won_by_seed(played, others)
            parts.append(Part(name, self.says, contrast(*wins, len(self.pairs))))
        return Claim(self.text, self.how, tuple(parts))


def means_over_gammas(gammas: Sequence[float]) -> str:
    """Say that a group is a mean over γ."""
    return "means over γ of " + " and ".join(f"{gamma:g}" for gamma in gammas)


def small_statements() -> Iterator[Statement]:
    """State the claims about figures 2 and 3."""
    few, many = PANEL_SWEEPS[:1], PANEL_SWEEPS[1:]

    def group(gammas: Sequence[float], radii: Sequence[int], n_sweeps: Sequence[int]) -> Group:
        return [after_sweeps(SMALL, *each) for each in product(gammas, radii, n_sweeps)]

    def less_middle(radii: Sequence[int], where: str = "") -> Pairs:
        less = f"less γ = {MIDDLE_GAMMA:g}{where}"
        by_gamma = {gamma: group((gamma,), radii, many) for gamma in SMALL_GAMMAS}
        middle = by_gamma.pop(MIDDLE_GAMMA)
        return {f"γ = {gamma:g} {less}": (each, middle) for gamma, each in by_gamma.items()}

    def far_zones(n_sweeps: Sequence[int]) -> Pairs:
        near = group(SMALL_GAMMAS, (1, 2), n_sweeps)
        far = {r: group(SMALL_GAMMAS, (r,), n_sweeps) for r in RADII if r > 2}
        return {f"r = {r} less r = 1 and 2": (each, near) for r, each in far.items()}

    by_radius: Pairs = {}
    for radius in RADII:
        by_radius |= less_middle((radius,), f", r = {radius}")
    little, converged = "On small, γ has little effect", "at 10 and 15 sweeps"
    drops = "On small, at a radius of 3 and beyond the win rate drops"
    early, at_few = "On small, after 5 sweeps the radius has no clear effect", "at 5 sweeps"
    single = f"{converged}, each radius by itself"
    yield Statement(little, f"{converged}, means over all radii", Says.HARDLY, less_middle(RADII))
    yield Statement(f"{little} at any radius", single, Says.HARDLY, by_radius)
    yield Statement(drops, f"{converged}, means over all γ", Says.BELOW, far_zones(many))
    yield Statement(early, f"{at_few}, means over all γ", Says.HARDLY, far_zones(few))


def sweep_statements() -> Iterator[Statement]:
    """State the claims about figures 4 and 6."""
    how = means_over_gammas(SWEEP_GAMMAS)
    for layout, radius in SWEEP_RADIUS.items():
        middle = MIDDLE_SWEEPS[layout]
        few, some, many = (
            [after_sweeps(layout, gamma, radius, n) for gamma in SWEEP_GAMMAS]
            for n in (FEW_SWEEPS, middle, MANY_SWEEPS)
        )
        less: Pairs = {f"{FEW_SWEEPS} less {MANY_SWEEPS} sweeps": (few, many)}
        more: Pairs = {f"{MANY_SWEEPS} less {middle} sweeps": (many, some)}
        plateau = f"On {layout.name}, more than {middle} sweeps win hardly more"
        yield Statement(f"On {layout.name}, few sweeps win less", how, Says.BELOW, less)
        yield Statement(plateau, how, Says.HARDLY, more)


def medium_statements() -> Iterator[Statement]:
    """State the claims about figure 5."""

    def less_gamma(one: float, other: float) -> Pairs:
        points = [[to_tolerance(MEDIUM, gamma, MEDIUM_RADIUS)] for gamma in (one, other)]
        return {f"γ = {one:g} less γ = {other:g}": (points[0], points[1])}

    def less_radius(one: int, other: int) -> Pairs:
        points = [
            [to_tolerance(MEDIUM, gamma, radius) for gamma in MEDIUM_RADIUS_GAMMAS]
            for radius in (one, other)
        ]
        return {f"r = {one} less r = {other}": (points[0], points[1])}

    at_radius, of_radius = f"at radius {MEDIUM_RADIUS}", means_over_gammas(MEDIUM_RADIUS_GAMMAS)
    more = less_gamma(PLATEAU_GAMMA, 0.2) | less_gamma(PLATEAU_GAMMA, 0.4)
    yield Statement("On medium, a higher γ wins more", at_radius, Says.ABOVE, more)
    same = less_gamma(0.9, PLATEAU_GAMMA) | less_gamma(0.95, PLATEAU_GAMMA)
    plateau = "On medium, the win rate is on a plateau from γ = 0.8"
    yield Statement(plateau, at_radius, Says.HARDLY, same)
    poor = less_radius(1, 2) | less_radius(1, 3) | less_radius(1, 4)
    yield Statement("On medium, radius 1 is poor", of_radius, Says.BELOW, poor)
    same = less_radius(3, 2) | less_radius(4, 2) | less_radius(4, 3)
    yield Statement("On medium, radii 2 to 4 win about the same", of_radius, Says.HARDLY, same)


def strategy_statements(bars: Bars) -> Iterator[Statement]:
    """State the claim about figure 7: by each danger of A*, for the report's MDP and for ours."""
    mdps = {
        "the report's MDP": ("as its code and as its text have it", (CODE, TEXT)),
        "the MDP that we chose": ("one setting, chosen on other seeds", (BEST,)),
    }
    for layout, agents in bars.items():
        for astar, (mdp, (how, names)) in product((WEAK_ASTAR, ASTAR, BEST_ASTAR), mdps.items()):
            other = [agents[astar]]
            pairs: Pairs = {f"{name} less {astar}": ([agents[name]], other) for name in names}
            text = f"On {layout.name}, {mdp} wins more than {astar}"
            yield Statement(text, how, Says.ABOVE, pairs)


def motion_claims(played: Played, bars: Bars) -> Iterator[Claim]:
    """Judge the claims about A* without noise, by each danger."""
    agents = movers(bars)
    for name in (WEAK_ASTAR, ASTAR, BEST_ASTAR):
        certain, noisy = (agents[MEDIUM, name, p] for p in (CERTAIN, P_CHOSEN))
        rate = win_rate(played[certain])
        away = Estimate(*(each - REPORTED_CERTAIN for each in (rate.value, rate.low, rate.high)))
        about = f"On medium without noise, {name} wins about {REPORTED_CERTAIN:.0%}"
        part = Part(f"our win rate less {REPORTED_CERTAIN:.0%}", Says.HARDLY, away)
        yield Claim(about, "p = 1, Wilson's interval", (part,))
        pairs: Pairs = {"p = 1 less p = 0.8": ([certain], [noisy])}
        more = f"On medium, {name} wins more without noise"
        yield Statement(more, "p of 1 and 0.8", Says.ABOVE, pairs).judged(played)


def claims(played: Played, bars: Bars, more: Played) -> list[Claim]:
    """Judge all claims; ``bars`` are figure 7's, ``more`` the games of the open questions."""
    statements = chain(
        small_statements(), sweep_statements(), medium_statements(), strategy_statements(bars)
    )
    part = Part("random's win rate", Says.HARDLY, win_rate(played[bars[MEDIUM][RANDOM]]))
    return [
        *(each.judged(played) for each in statements),
        Claim("On medium, random play fails to win", "Wilson's interval", (part,)),
        *motion_claims(more, bars),
    ]


def claims_frame(found: Sequence[Claim]) -> pd.DataFrame:
    """Return one row a part."""
    return pd.DataFrame(
        {
            "claim": each.text,
            "verdict": each.verdict.value,
            "how": each.how,
            "part": part.name,
            "says": part.says.value,
            **columns_of(part.estimate, "difference"),
            "part_verdict": part.verdict.value,
        }
        for each in found
        for part in each.parts
    )
