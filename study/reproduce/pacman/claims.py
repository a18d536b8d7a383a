"""What the report says of its figures, each sentence judged on our games by differences with intervals.

A claim is a list of *parts*: differences of win rates, paired by seeds, and what the report says of each: that it is
above 0, below 0, or hardly there. ``HARDLY`` is ours: ten percentage points, one game in a trial of ten.

=============  ===================================  ========================================
a part says    supported if its interval is         contradicted if it is
=============  ===================================  ========================================
``above``      above 0                              below 0
``below``      below 0                              above 0
``hardly``     within ±HARDLY                       beyond HARDLY, to one side
=============  ===================================  ========================================

else undecided. A claim is contradicted if one of its parts is, supported if all are. Parts of a claim are judged together:
:func:`study.reproduce.pacman.points.contrast`. The mazes are ours: what is contradicted here may have been so in the
report's mazes all the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

import pandas as pd

from agents.pacman.agent import PacmanAgent
from engine.pacman import Layout
from study.estimate import Estimate
from study.reproduce.pacman.design import (
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
    Strategy,
    after_sweeps,
    to_tolerance,
)
from study.reproduce.pacman.points import contrast, win_rate, won_by_seed
from study.reproduce.pacman.trials import Played

HARDLY = 0.10

MIDDLE_GAMMA = 0.6
PLATEAU_GAMMA = 0.8
FEW_SWEEPS, MIDDLE_SWEEPS, MANY_SWEEPS = 1, {SMALL: 14, MEDIUM: 20}, 50


class Verdict(StrEnum):
    """What our games say of a claim."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNDECIDED = "undecided"


class Says(StrEnum):
    """What the report says of a difference."""

    ABOVE = "above"
    BELOW = "below"
    HARDLY = "hardly"


@dataclass(frozen=True)
class Part:
    """A difference, and what is said of it.

    Attributes
    ----------
    name : str
        The one less the other.
    says : Says
        What the report says.
    estimate : Estimate
        Ours.
    """

    name: str
    says: Says
    estimate: Estimate

    @property
    def verdict(self) -> Verdict:
        """What our difference says of it: see the module."""
        low, high = self.estimate.low, self.estimate.high
        if self.says is Says.HARDLY:
            supported, contradicted = (
                -HARDLY <= low <= high <= HARDLY,
                low > HARDLY or high < -HARDLY,
            )
        else:
            if self.says is Says.BELOW:
                low, high = -high, -low
            supported, contradicted = low > 0, high < 0
        if supported:
            return Verdict.SUPPORTED
        return Verdict.CONTRADICTED if contradicted else Verdict.UNDECIDED


@dataclass(frozen=True)
class Claim:
    """A sentence of the report's, and what our games say of it.

    Attributes
    ----------
    text : str
        The sentence, shortened.
    parts : tuple of Part
        What it comes to.
    how : str
        What the parts are made of.
    """

    text: str
    parts: tuple[Part, ...]
    how: str

    @property
    def verdict(self) -> Verdict:
        """Contradicted if one part is, supported if all are."""
        return judged([part.verdict for part in self.parts])


def judged(verdicts: Sequence[Verdict]) -> Verdict:
    """Put the verdicts of a claim's parts together."""
    if Verdict.CONTRADICTED in verdicts:
        return Verdict.CONTRADICTED
    return Verdict.SUPPORTED if set(verdicts) == {Verdict.SUPPORTED} else Verdict.UNDECIDED


Group = Sequence[PacmanAgent]


def claim(
    played: Played, text: str, how: str, says: Says, pairs: Mapping[str, tuple[Group, Group]]
) -> Claim:
    """Judge differences between groups of points together."""
    parts = (
        Part(
            name,
            says,
            contrast(won_by_seed(played, ones), won_by_seed(played, others), len(pairs)),
        )
        for name, (ones, others) in pairs.items()
    )
    return Claim(text, tuple(parts), how)


def small_group(gammas: Sequence[float], radii: Sequence[int], n_sweeps: Sequence[int]) -> Group:
    """List the points of figures 2 and 3 with these coordinates."""
    return [
        after_sweeps(SMALL, gamma, radius, n)
        for gamma in gammas
        for radius in radii
        for n in n_sweeps
    ]


def small_claims(played: Played) -> list[Claim]:
    """Judge what is said of figures 2 and 3."""
    few, many = PANEL_SWEEPS[:1], PANEL_SWEEPS[1:]
    converged = "at 10 and 15 sweeps"
    by_gamma = {
        f"γ = {gamma:g} less γ = {MIDDLE_GAMMA:g}": (
            small_group((gamma,), RADII, many),
            small_group((MIDDLE_GAMMA,), RADII, many),
        )
        for gamma in SMALL_GAMMAS
        if gamma != MIDDLE_GAMMA
    }
    by_gamma_and_radius = {
        f"γ = {gamma:g} less γ = {MIDDLE_GAMMA:g}, r = {radius}": (
            small_group((gamma,), (radius,), many),
            small_group((MIDDLE_GAMMA,), (radius,), many),
        )
        for radius in RADII
        for gamma in SMALL_GAMMAS
        if gamma != MIDDLE_GAMMA
    }

    def far_zones(n_sweeps: Sequence[int]) -> dict[str, tuple[Group, Group]]:
        return {
            f"r = {radius} less r = 1 and 2": (
                small_group(SMALL_GAMMAS, (radius,), n_sweeps),
                small_group(SMALL_GAMMAS, (1, 2), n_sweeps),
            )
            for radius in RADII
            if radius > 2
        }

    return [
        claim(
            played,
            "On small, γ has little effect",
            f"{converged}, means over all radii",
            Says.HARDLY,
            by_gamma,
        ),
        claim(
            played,
            "On small, γ has little effect at any radius",
            f"{converged}, each radius by itself",
            Says.HARDLY,
            by_gamma_and_radius,
        ),
        claim(
            played,
            "On small, at a radius of 3 and beyond the win rate drops",
            f"{converged}, means over all γ",
            Says.BELOW,
            far_zones(many),
        ),
        claim(
            played,
            "On small, after 5 sweeps the radius has no clear effect",
            "at 5 sweeps, means over all γ",
            Says.HARDLY,
            far_zones(few),
        ),
    ]


def sweep_claims(played: Played) -> list[Claim]:
    """Judge what is said of figures 4 and 6."""
    found = []
    for layout, radius in SWEEP_RADIUS.items():

        def at(n_sweeps: int, layout: Layout = layout, radius: int = radius) -> Group:
            return [after_sweeps(layout, gamma, radius, n_sweeps) for gamma in SWEEP_GAMMAS]

        middle = MIDDLE_SWEEPS[layout]
        how = "means over γ of " + " and ".join(f"{gamma:g}" for gamma in SWEEP_GAMMAS)
        found += [
            claim(
                played,
                f"On {layout.name}, few sweeps win less",
                how,
                Says.BELOW,
                {f"{FEW_SWEEPS} less {MANY_SWEEPS} sweeps": (at(FEW_SWEEPS), at(MANY_SWEEPS))},
            ),
            claim(
                played,
                f"On {layout.name}, more than {middle} sweeps win hardly more",
                how,
                Says.HARDLY,
                {f"{MANY_SWEEPS} less {middle} sweeps": (at(MANY_SWEEPS), at(middle))},
            ),
        ]
    return found


def medium_claims(played: Played) -> list[Claim]:
    """Judge what is said of figure 5."""

    def at_gamma(gamma: float) -> Group:
        return [to_tolerance(MEDIUM, gamma, MEDIUM_RADIUS)]

    def at_radius(radius: int) -> Group:
        return [to_tolerance(MEDIUM, gamma, radius) for gamma in MEDIUM_RADIUS_GAMMAS]

    of_radius = "means over γ of " + " and ".join(f"{gamma:g}" for gamma in MEDIUM_RADIUS_GAMMAS)
    return [
        claim(
            played,
            "On medium, a higher γ wins more",
            f"at radius {MEDIUM_RADIUS}",
            Says.ABOVE,
            {
                f"γ = {PLATEAU_GAMMA:g} less γ = {gamma:g}": (
                    at_gamma(PLATEAU_GAMMA),
                    at_gamma(gamma),
                )
                for gamma in (0.2, 0.4)
            },
        ),
        claim(
            played,
            "On medium, the win rate is on a plateau from γ = 0.8",
            f"at radius {MEDIUM_RADIUS}",
            Says.HARDLY,
            {
                f"γ = {gamma:g} less γ = {PLATEAU_GAMMA:g}": (
                    at_gamma(gamma),
                    at_gamma(PLATEAU_GAMMA),
                )
                for gamma in (0.9, 0.95)
            },
        ),
        claim(
            played,
            "On medium, radius 1 is poor",
            of_radius,
            Says.BELOW,
            {f"r = 1 less r = {radius}": (at_radius(1), at_radius(radius)) for radius in (2, 3, 4)},
        ),
        claim(
            played,
            "On medium, radii 2 to 4 win about the same",
            of_radius,
            Says.HARDLY,
            {
                f"r = {larger} less r = {radius}": (at_radius(larger), at_radius(radius))
                for radius, larger in combinations((2, 3, 4), 2)
            },
        ),
    ]


def strategy_claims(played: Played, rows: Mapping[Layout, Sequence[Strategy]]) -> list[Claim]:
    """Judge what is said of figure 7, by each danger of A* and for both sides' MDP: the report says it of its own."""
    found: list[Claim] = []
    sides = {
        "the report's MDP": ("as its code and as its text have it", (CODE, TEXT)),
        "the MDP that we chose": ("one setting, chosen on other seeds", (BEST,)),
    }
    for layout, bars in rows.items():
        agents = {each.name: each.agent for each in bars}
        found += [
            claim(
                played,
                f"On {layout.name}, {side} wins more than {rule}",
                how,
                Says.ABOVE,
                {f"{name} less {rule}": ([agents[name]], [agents[rule]]) for name in names},
            )
            for rule in (WEAK_ASTAR, ASTAR, BEST_ASTAR)
            for side, (how, names) in sides.items()
        ]
    random = next(each.agent for each in rows[MEDIUM] if each.name == RANDOM)
    part = Part("random's win rate", Says.HARDLY, win_rate(played[random]))
    found.append(Claim("On medium, random play fails to win", (part,), "Wilson's interval"))
    return found


def claims(played: Played, rows: Mapping[Layout, Sequence[Strategy]]) -> list[Claim]:
    """Judge all of them."""
    return [
        *small_claims(played),
        *sweep_claims(played),
        *medium_claims(played),
        *strategy_claims(played, rows),
    ]


def claims_frame(found: Sequence[Claim]) -> pd.DataFrame:
    """Return one row a part."""
    return pd.DataFrame(
        [
            {
                "claim": each.text,
                "verdict": each.verdict.value,
                "how": each.how,
                "part": part.name,
                "says": part.says.value,
                "difference": part.estimate.value,
                "difference_low95": part.estimate.low,
                "difference_high95": part.estimate.high,
                "part_verdict": part.verdict.value,
            }
            for each in found
            for part in each.parts
        ]
    )
