"""Wider spaces: which bounds can be moved, how far, and what is refused."""

import pytest

from thetafront.agents.external.program import Program
from thetafront.agents.parameters import Value
from thetafront.study.errors import InputError
from thetafront.study.experiments.builtin import DICE, MCMDP, NTUPLE, TREE_SEARCH
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.dimension import NumericParameter
from thetafront.study.experiments.objectives.goals import mean
from thetafront.study.experiments.space import Space
from thetafront.study.experiments.widening import (
    WidenRequest,
    find_edges,
    moved,
    parse_widen_request,
    widened,
)


def theta(*values: float) -> dict[str, Value]:
    return dict(zip(MCMDP.space.names, values, strict=True))


def test_edges_are_bounds_that_the_agent_allows_to_move() -> None:
    """θ₅ = 1 and θ₆ = 1 are the agent's own limits."""
    thetas = [
        theta(100, 50, 20, 2, 10.0, 1.0),
        theta(100, 50, 20, 2, 9.99, 1.0),
        theta(100, 50, 20, 3, 1.0, 0.5),
    ]
    found = {(each.parameter.name, each.is_upper): each for each in find_edges(MCMDP, thetas)}
    assert {key: each.n_points for key, each in found.items()} == {
        ("theta4", False): 2,
        ("theta5", True): 2,
    }
    assert found["theta4", False].text == "θ₄ at its lowest, 2"
    assert found["theta5", True].text == "θ₅ at its highest, 10"
    assert find_edges(MCMDP, []) == []


@pytest.mark.parametrize(
    ("experiment", "name", "is_upper", "expected"),
    [
        (MCMDP, "theta4", False, 1),  # a factor of four, but an integer above 0
        (MCMDP, "theta4", True, 256),
        (MCMDP, "theta1", False, 4),
        (MCMDP, "theta5", True, 40.0),
        (MCMDP, "theta5", False, 1.0),  # the agent's limit
        (MCMDP, "theta6", True, 1.0),
        (MCMDP, "theta6", False, 0.0125),  # 0 itself is excluded: a quarter of the way is left
        (TREE_SEARCH, "depth", True, 45),  # linear: half of 29 more
        (TREE_SEARCH, "alpha_state", False, 0.0),
        (DICE, "gamma", False, 0.25),
        (DICE, "tolerance", True, 40.0),
        (NTUPLE, "decay", True, 1.0),  # one step; half of the range more is not allowed
        (NTUPLE, "rate", True, 1.4),  # four whole steps of the 0.45 more
        (NTUPLE, "restart", True, 6100),
        (NTUPLE, "restart", False, 100),  # the agent allows 0, less than a step away
        (NTUPLE, "rate", False, 0.1),  # 0 is not allowed, and there is no step above it
    ],
)
def test_bounds_move_as_far_as_stated(
    experiment: Experiment, name: str, is_upper: bool, expected: float
) -> None:
    parameter = next(each for each in experiment.space if each.name == name)
    assert isinstance(parameter, NumericParameter)
    there = moved(experiment, parameter, is_upper)
    assert there == pytest.approx(expected, rel=1e-12)
    assert isinstance(there, int) or not parameter.integer
    experiment.build({**next(iter(experiment.baselines.values())), name: there})


@pytest.mark.parametrize(
    ("low", "ends"), [(10000, (9990, 10030)), (9990, (9980, 10035)), (10000.0, (9990.0, 10030.0))]
)
def test_bounds_of_a_narrow_range_move_outwards(low: float, ends: tuple[float, float]) -> None:
    """Rounded to three digits, the new bounds would lie within the range."""
    narrow = NumericParameter("narrow", low, 10020, integer=isinstance(low, int))
    program = Program(("echo", "{narrow}"))
    experiment = Experiment("narrow", program, Space((narrow,)), mean())
    assert (moved(experiment, narrow, False), moved(experiment, narrow, True)) == ends


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 12, 0),
        (1, 12, 1),
        (10, 200, 3),
        (10, 12, 9),
        (-1, 1, -2),
        (0.0, 0.3, 0.0),
        (0.2, 1.0, 0.05),
        (-0.5, 0.5, -1.0),
    ],
)
def test_a_lower_bound_that_is_not_negative_stays_so(
    low: float, high: float, expected: float
) -> None:
    parameter = NumericParameter("x", low, high, integer=isinstance(low, int))
    experiment = Experiment("x", Program(("echo", "{x}")), Space((parameter,)), mean())
    assert moved(experiment, parameter, False) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("step", [1 / 8192, 0.001 / 3, 1e-12])
def test_bounds_move_by_whole_steps_of_any_size(step: float) -> None:
    fine = NumericParameter("x", 0.0, 9 * step, step=step)
    experiment = Experiment("fine", Program(("echo", "{x}")), Space((fine,)), mean())
    there = moved(experiment, fine, True)
    assert there == pytest.approx(13 * step, rel=1e-9)
    assert NumericParameter("x", 0.0, there, step=step).check(there) == there


def test_limits_are_those_of_the_definition_today() -> None:
    def limited(most: float) -> Experiment:
        x = NumericParameter("x", 0.0, 1.0, most=most)
        return Experiment("limited", Program(("echo", "{x}")), Space((x,)), mean())

    today = limited(10.0).widened_to(limited(2.0))
    assert widened(today.space, [WidenRequest("x", (0.0, 5.0))], []).parameters[0].high == 5.0  # type: ignore[union-attr]
    assert limited(1.0).widened_to(today).space.parameters[0].most == 1.0  # type: ignore[union-attr]


@pytest.mark.parametrize("agent", ["dice", Program(("echo", "{gamma}"))])
def test_constraints_are_those_of_the_definition_today(agent: str | Program) -> None:
    """Where a study was read, a function of a script is unknown, and allows everything."""
    gamma = NumericParameter("gamma", 0.5, 1.0)

    def constrained(most: float) -> Experiment:
        return Experiment("mine", agent, Space((gamma,), (lambda x: x["gamma"] <= most,)), mean())

    today = constrained(0.9).widened_to(constrained(1.0))
    assert today.space.broken_by({"gamma": 0.95}) == "<lambda>()"


def test_a_request_moves_the_edges_and_is_granted_once() -> None:
    edges = find_edges(MCMDP, [theta(100, 50, 20, 2, 10.0, 1.0)])
    space = widened(MCMDP.space, [WidenRequest("theta4")], edges)
    assert [
        (old.name, new.low, new.high)
        for old, new in zip(MCMDP.space, space, strict=True)
        if old != new
    ] == [("theta4", 1, 64)]
    wider = MCMDP.as_made(space, {})
    again = find_edges(wider, [theta(100, 50, 20, 2, 10.0, 1.0)])
    assert widened(wider.space, [WidenRequest("theta4")], again) == space
    given = widened(
        wider.space, [WidenRequest("theta4", (1, 100)), WidenRequest("theta6", (0.01, 1.0))], again
    )
    assert widened(MCMDP.as_made(given, {}).space, [WidenRequest("theta4", (1, 64))], []) == given


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("theta9", "widen must be NAME or NAME=LOW:HIGH with NAME one of theta1, theta2"),
        ("", "widen must be NAME or NAME=LOW:HIGH with NAME one of theta1"),
        ("theta4=1", "widen must be NAME or NAME=LOW:HIGH, such as theta4=1:1"),
        ("theta4=4:64", "widen: bounds of theta4 must include 2 to 64 (got 4:64)"),
        ("theta4=0:64", "widen: theta4: a log scale needs bounds above 0"),
        ("theta4=1.5:64", "widen: theta4: bounds 1.5 to 64.0 are not whole"),
        ("theta4=1:inf", "widen: theta4: bounds 1.0 to inf are not an interval"),
        ("theta4=1:1e9", "widen: theta4 must be a whole number from 0"),
        ("theta6=0:1", "widen: theta6 must be above 0 and up to 1 (got 0)"),
    ],
)
def test_a_request_that_cannot_be_granted_is_refused(words: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_widen_request(words, MCMDP)
    assert str(refused.value).startswith(message)
    with pytest.raises(InputError, match="of n_simulations, depth"):
        parse_widen_request("leaf_value", TREE_SEARCH)


def test_a_request_that_moves_the_grid_is_refused() -> None:
    """Trials of before would lie between two steps."""
    message = (
        "^widen: the lower bound of restart must be 100, or a whole number of steps of 1000 "
        r"below it \(got 0:5000\)$"
    )
    with pytest.raises(InputError, match=message):
        parse_widen_request("restart=0:5000", NTUPLE)
    assert parse_widen_request("restart=100:6100", NTUPLE).bounds == (100, 6100)
