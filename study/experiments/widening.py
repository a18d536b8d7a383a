"""Wider search spaces: bounds at which points lie, and how far these bounds may be moved.

A bound can be moved as far as the agent allows. By default, it is moved by a factor of four on a
logarithmic scale, and by half of the range on a linear scale. A lower bound that is not negative is
divided by at most four, because counts, sizes and probabilities are seldom negative.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from thetafront.agents.parameters import RealRange, Value
from thetafront.study.axis import without_rounding_error
from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.dimension import TOLERANCE, NumericParameter, is_absent
from thetafront.study.experiments.space import Space
from thetafront.study.text import counted

FACTOR = 4.0
SHARE = 0.5
AT_EDGE = 0.005  # share of the range: values this close to a bound count as at the bound
FORM = "NAME or NAME=LOW:HIGH"


@dataclass(frozen=True)
class Edge:
    """A parameter's bound at which some points lie, and which can be moved."""

    parameter: NumericParameter
    is_upper: bool
    new_bound: float  # the bound's value when it is moved by the default amount
    n_points: int
    n_active: int

    @property
    def bound(self) -> float:
        """The bound's value."""
        return self.parameter.ends[self.is_upper]

    @property
    def text(self) -> str:
        """Say which bound it is: ``θ₄ at its lowest, 2``."""
        end = "highest" if self.is_upper else "lowest"
        return f"{self.parameter.label} at its {end}, {self.bound:g}"

    @property
    def count_text(self) -> str:
        """Say how many points lie there: ``3 of 8 points with θ₄ at its lowest, 2``."""
        return f"{self.n_points} of {counted(self.n_active, 'point')} with {self.text}"


@dataclass(frozen=True)
class WidenRequest:
    """A request to widen a parameter's range, by the default amount or to given bounds."""

    name: str
    bounds: tuple[float, float] | None = None


def parse_widen_request(text: str, experiment: Experiment) -> WidenRequest:
    """Read ``NAME`` or ``NAME=LOW:HIGH``.

    InputError if the text does not name a numeric parameter, or if its bounds are not allowed, or
    do not include the present bounds.
    """
    name, has_bounds, bounds = text.partition("=")
    known = {each.name: each for each in experiment.space if isinstance(each, NumericParameter)}
    if name not in known:
        raise InputError(f"widen must be {FORM} with NAME one of {', '.join(known)} (got {text!r})")
    if not has_bounds:
        return WidenRequest(name)
    try:
        low, high = map(float, bounds.split(":"))
    except ValueError:
        raise InputError(f"widen must be {FORM}, such as {name}=1:100 (got {text!r})") from None
    parameter, given = known[name], f"(got {low:g}:{high:g})"
    if not (low <= parameter.low and parameter.high <= high):
        allowed = f"{parameter.low:g} to {parameter.high:g}"
        raise InputError(f"widen: bounds of {name} must include {allowed} {given}")
    if parameter.step:
        n_steps = (parameter.low - low) / parameter.step
        if abs(n_steps - round(n_steps)) > TOLERANCE:
            raise InputError(
                f"widen: the lower bound of {name} must be {parameter.low:g}, or a whole number of "
                f"steps of {parameter.step:g} below it {given}"
            )
    try:
        for bound in replace(parameter, low=low, high=high).ends:
            experiment.player.domain(parameter).check(name, bound)
    except (ValueError, OverflowError) as error:
        raise InputError(f"widen: {error}") from None
    return WidenRequest(name, (low, high))


def find_edges(experiment: Experiment, thetas: Sequence[Mapping[str, Value]]) -> list[Edge]:
    """Return the bounds that can be moved and at which some of these θ lie."""
    found = []
    for each in experiment.space:
        if not isinstance(each, NumericParameter):
            continue
        values = [theta[each.name] for theta in thetas if not is_absent(theta.get(each.name))]
        for is_upper in (False, True):
            n_points = sum(is_at(each, value, is_upper) for value in values)
            there = moved(experiment, each, is_upper)
            if n_points and there != each.ends[is_upper]:
                found.append(Edge(each, is_upper, there, n_points, len(values)))
    return found


def is_at(parameter: NumericParameter, value: Value, is_upper: bool) -> bool:
    """Return whether a value lies at a bound; a value on a grid must be equal to the bound."""
    if parameter.grid:
        return bool(value == parameter.ends[is_upper])
    u = parameter.to_unit(value)
    return u >= 1.0 - AT_EDGE if is_upper else u <= AT_EDGE


def moved(experiment: Experiment, parameter: NumericParameter, is_upper: bool) -> float:
    """Return the new value of a bound that is moved by the default amount.

    The value is unchanged if the agent allows no values beyond the bound.
    """
    low, high = parameter.ends
    here = parameter.ends[is_upper]
    domain = experiment.player.domain(parameter)
    if parameter.log:
        there = here * FACTOR if is_upper else here / FACTOR
    else:
        there = here + SHARE * (high - low) * (1.0 if is_upper else -1.0)
    rounded = float(f"{there:.3g}")  # may lie within the range, if it is narrow
    there = rounded if (rounded > here if is_upper else rounded < here) else there
    there = max(there, low / FACTOR) if low >= 0 else there
    if parameter.integer:
        there = math.ceil(there) if is_upper or low >= 0 else math.floor(there)
    excluded = isinstance(domain, RealRange) and domain.open_low
    if there <= domain.low and excluded:
        there = domain.low + (low - domain.low) / FACTOR
    there = min(max(there, domain.low), domain.high)
    if parameter.step:  # a whole number of steps, within what is allowed
        n_steps = math.floor(abs(there - here) / parameter.step + TOLERANCE)
        there = here + n_steps * parameter.step * (1.0 if is_upper else -1.0)
        there = float(without_rounding_error(np.array(there), parameter.step))
    return int(there) if parameter.integer else there


def widened(space: Space, requests: Sequence[WidenRequest], edges: Sequence[Edge]) -> Space:
    """Return a space with wider bounds.

    A request without bounds moves the bounds at which points lie (``edges``). A request with bounds
    extends the range to include these bounds, so the same request again changes nothing.
    """
    bounds: dict[str, Sequence[float]] = {
        each.name: each.bounds
        or [edge.new_bound for edge in edges if edge.parameter.name == each.name]
        for each in requests
    }
    return replace(
        space,
        parameters=tuple(
            replace(
                each,
                low=min(*each.ends, *bounds[each.name]),
                high=max(*each.ends, *bounds[each.name]),
            )
            if isinstance(each, NumericParameter) and each.name in bounds
            else each
            for each in space
        ),
    )
