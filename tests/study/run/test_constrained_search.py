"""Searches of spaces with constraints and conditional parameters: what every sampler proposes."""

import sys
from collections.abc import Callable
from concurrent.futures import wait
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from optuna.study import StudyDirection
from optuna.trial import create_trial

from thetafront.study.api import sweep
from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.dimension import CategoricalParameter, NumericParameter
from thetafront.study.experiments.objectives.costs import reported
from thetafront.study.experiments.objectives.goals import exact, mean
from thetafront.study.experiments.space import Space
from thetafront.study.experiments.widening import WidenRequest, find_edges, widened
from thetafront.study.log.point import Point
from thetafront.study.log.study_data import frozen
from thetafront.study.run.proposals import Proposals, Proposer
from thetafront.study.samplers import installed_samplers, make_sampler
from thetafront.study.samplers.candidates import nearest_feasible, perturb, sobol_points
from thetafront.study.samplers.design import draw_design
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.samplers.fitted_model import FittedModel
from thetafront.study.samplers.observations import Objectives, observe
from thetafront.study.samplers.posterior import Posterior
from thetafront.study.scale import Scale

DIRECTIONS = [StudyDirection.MAXIMIZE, StudyDirection.MINIMIZE]
OBJECTIVES = Objectives(scales=(Scale.LINEAR, Scale.LOG))
N_DESIGN = 8
XZ_PARAMETERS = (
    NumericParameter("lc", 0, 4, integer=True),
    NumericParameter("lp", 0, 4, integer=True),
    NumericParameter("nice", 5, 273, integer=True, log=True),
    NumericParameter("low", 0.0, 1.0),
    NumericParameter("high", 0.0, 1.0),
)
XZ = Space(XZ_PARAMETERS, ("lc + lp <= 4", "low < high"))
SOLVER = Space(
    (
        NumericParameter("momentum", 0.0, 1.0, when={"solver": "sgd"}),
        CategoricalParameter("solver", ("sgd", "adam", "lbfgs")),
        NumericParameter("batch", 8, 256, integer=True, log=True, when={"solver": ["sgd", "adam"]}),
        CategoricalParameter("nesterov", (True, False), when={"solver": "sgd"}),
        NumericParameter("alpha", 1e-4, 1.0, log=True),
    ),
    ("batch * momentum <= 128",),
)
THIN = Space(XZ_PARAMETERS, ("lc + lp == 4", "0 < high - low < 0.1"))
SPACES = {"xz": XZ, "solver": SOLVER, "thin": THIN}


def check(space: Space, theta: dict[str, Any]) -> None:
    """Refuse a θ with an inactive parameter, or one that breaks a constraint: by itself."""
    if space is SOLVER:
        active = {"solver", "alpha"} | ({"batch"} if theta["solver"] != "lbfgs" else set())
        active |= {"momentum", "nesterov"} if theta["solver"] == "sgd" else set()
        assert set(theta) == active
        assert theta.get("batch", 0) * theta.get("momentum", 0) <= 128
        assert type(theta.get("nesterov", True)) is bool
        assert type(theta.get("batch", 8)) is int
        return
    assert theta["lc"] + theta["lp"] <= 4
    assert theta["low"] < theta["high"]
    if space is THIN:
        assert theta["lc"] + theta["lp"] == 4
        assert theta["high"] - theta["low"] < 0.1


def values(theta: dict[str, Any]) -> list[float]:
    """The best values are where the constraints end, or beyond."""
    score = sum(float(value) for name, value in theta.items() if name in {"lc", "lp", "low"})
    score += {"sgd": 2.0, "adam": 1.0}.get(theta.get("solver", ""), 0.0)
    score += theta.get("momentum", 0.0) * theta.get("batch", 0) / 100
    return [score, 1.0 + theta.get("nice", 10) / 50 + theta.get("batch", 100) / 100]


def searched(
    space: Space,
    sampler: str,
    n: int,
    at_a_time: int = 1,
    values: Callable[[dict[str, Any]], list[float]] = values,
    free: Space | None = None,
) -> list[dict[str, Any]]:
    """Propose and tell trials as a search does; the design is one of a ``free`` space, if given."""
    design = draw_design("sobol", free or space, N_DESIGN, 3)
    distributions = space.distributions()
    trials = [
        create_trial(
            params=theta,
            distributions={name: distributions[name] for name in theta},
            values=values(theta),
        )
        for theta in design
    ]

    def sampler_of(number: int) -> Any:
        return make_sampler(sampler, 3, number, N_DESIGN, OBJECTIVES, space)

    proposer = Proposer(trials, DIRECTIONS, space, sampler_of)
    found = design
    news: list[Any] = []
    while len(found) < n:
        numbers = range(len(found), len(found) + at_a_time)
        for each in proposer.answer(news, numbers).proposals:
            found.append(each.params)
        news = [
            frozen(Point(found[k], number=k, values=values(found[k])), distributions)
            for k in numbers
        ]
    return found


@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("sampler", installed_samplers())
def test_no_sampler_proposes_what_is_not_allowed(sampler: str, name: str) -> None:
    space = SPACES[name]
    n = 12 if sampler in {"gp"} else 16
    found = searched(space, sampler, n)
    for theta in found:
        check(space, theta)
    assert len({tuple(each.items()) for each in found[N_DESIGN:]}) > 1


@pytest.mark.parametrize("name", SPACES)
def test_several_proposals_at_a_time_are_allowed_too(name: str) -> None:
    for theta in searched(SPACES[name], "knowledge-gradient", 20, at_a_time=6):
        check(SPACES[name], theta)


def test_trials_that_a_constraint_now_forbids_hide_no_others() -> None:
    """They beat all that is allowed, but proposals of nehvi still spread over the budgets."""
    free = Space(
        (NumericParameter("x", 1.0, 100.0, log=True), NumericParameter("z", 0.0, 3.0)),
    )
    strict = replace(free, constraints=(lambda theta: theta["z"] <= 0.1,))
    found = searched(
        strict,
        "nehvi",
        N_DESIGN + 10,
        values=lambda theta: [theta["x"] * (1 + theta["z"]), theta["x"] / (1 + theta["z"])],
        free=free,
    )[N_DESIGN:]
    assert max(theta["z"] for theta in found) <= 0.1
    xs = [theta["x"] for theta in found]
    assert max(xs) > 50.0
    assert min(xs) < 2.0


def test_samplers_draw_allowed_points_before_there_are_trials() -> None:
    for name in ("knowledge-gradient", "random"):
        sampler_of = lambda number, name=name: make_sampler(  # noqa: E731
            name, 3, number, N_DESIGN, OBJECTIVES, SOLVER
        )
        proposer = Proposer([], DIRECTIONS, SOLVER, sampler_of)
        found = [proposer.answer([], [k]).proposals[0].params for k in range(12)]
        for theta in found:
            check(SOLVER, theta)
        assert {each["solver"] for each in found} == {"sgd", "adam", "lbfgs"}


@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("design", ["sobol", "lhs"])
def test_a_design_has_its_size_and_is_the_same_again(design: str, name: str) -> None:
    space = SPACES[name]
    found = draw_design(design, space, 16, 5)
    assert found == draw_design(design, space, 16, 5)
    assert found != draw_design(design, space, 16, 6)
    assert len({tuple(each.items()) for each in found}) == 16
    for theta in found:
        check(space, theta)


def test_a_design_keeps_the_allowed_points_and_spreads() -> None:
    free = draw_design("sobol", Space(XZ_PARAMETERS), 64, 0)
    allowed = [each for each in free if not XZ.broken_by(each)]
    found = draw_design("sobol", XZ, 64, 0)
    distinct = list({tuple(each.items()): each for each in allowed}.values())
    assert found[: len(distinct)] == distinct
    # lc is 0 to 4 with weights 5 to 1 of 15 under lc + lp <= 4: the mean is 4/3.
    assert np.mean([theta["lc"] for theta in found]) == pytest.approx(4 / 3, abs=0.25)
    assert np.mean([theta["low"] for theta in found]) == pytest.approx(1 / 3, abs=0.05)


def test_a_design_of_few_different_theta_has_all_of_them() -> None:
    space = Space(
        (
            CategoricalParameter("solver", ("sgd", "lbfgs")),
            CategoricalParameter("batch", (1, 2, 4), when={"solver": "sgd"}),
        )
    )
    found = draw_design("sobol", space, 16, 0)
    assert sorted(map(str, found)) == sorted(
        ["{'solver': 'lbfgs'}", *(f"{{'solver': 'sgd', 'batch': {n}}}" for n in (1, 2, 4))]
    )


def test_one_theta_is_one_point_whatever_an_inactive_parameter_would_be() -> None:
    cube = UnitCube.from_space(SOLVER)
    rng = np.random.default_rng(0)
    points = cube.snap(rng.random((500, cube.n_coordinates)))
    thetas = [cube.decode(point) for point in points]
    np.testing.assert_allclose(cube.encode(thetas), points, atol=1e-12)
    lbfgs = np.array([theta["solver"] == "lbfgs" for theta in thetas])
    assert 100 < lbfgs.sum() < 250
    for name in ("batch", "momentum", "nesterov"):
        assert (points[lbfgs][:, cube.columns[name]] == 0.5).all()
    assert len({tuple(point) for point in points[lbfgs].round(9)}) == lbfgs.sum(), "of alpha"


@pytest.mark.parametrize("name", SPACES)
def test_candidates_are_allowed_and_stay_near(name: str) -> None:
    space = SPACES[name]
    cube, rng = UnitCube.from_space(space), np.random.default_rng(0)
    spread = sobol_points(cube, 256, rng)
    assert len(spread) == 256 or (name == "thin" and len(spread) > 100)
    near = perturb(cube, spread, np.array(0.02), rng)
    anywhere = nearest_feasible(cube, cube.snap(rng.random((50, cube.n_coordinates))), rng)
    for point in (*spread, *near, *anywhere):
        check(space, cube.decode(point))
    moved = np.abs(near - spread).max(axis=1)
    assert np.mean(moved > 0.0) > 0.5
    assert np.median(moved) < 0.1


def test_without_constraints_candidates_are_as_before() -> None:
    plain = Space(XZ_PARAMETERS)
    cubes = UnitCube(plain.distributions()), UnitCube.from_space(plain)
    first, second = (sobol_points(cube, 64, np.random.default_rng(1)) for cube in cubes)
    assert (first == second).all()
    first, second = (perturb(c, first, np.array(0.1), np.random.default_rng(2)) for c in cubes)
    assert (first == second).all()
    assert type(make_sampler("tpe", 0, 0, 8, OBJECTIVES, plain)).__name__ == "TPESampler"


@pytest.mark.parametrize("name", SPACES)
def test_the_predicted_front_is_allowed(name: str) -> None:
    space = SPACES[name]
    distributions = space.distributions()
    trials = [
        create_trial(
            params=theta,
            distributions={each: distributions[each] for each in theta},
            values=values(theta),
        )
        for theta in draw_design("sobol", space, 16, 1)
    ]
    cube = UnitCube.from_space(space)
    known = observe(trials, cube, DIRECTIONS, OBJECTIVES)
    model = FittedModel(cube, known, Posterior.fit(known), 0)
    for point in model.predicted_front.points:
        theta = model.cube.decode(point)
        check(space, theta)
        check(space, space.tidy(theta))


def test_a_space_that_hardly_any_point_is_in_is_refused() -> None:
    with pytest.raises(ValueError, match=r"by 4 or more of 4,096 random points \(got 0"):
        Space(XZ_PARAMETERS, ("lc + lp > 8",)).check_feasible()
    with pytest.raises(InputError, match="is not satisfied by lc 4, lp 4"):
        XZ.check({"lc": 4, "lp": 4, "nice": 5, "low": 0.1, "high": 0.5})


def test_edges_are_counted_where_a_parameter_is_active() -> None:
    experiment = Experiment("solver", lambda seed, **theta: 0.0, SOLVER, mean("score"))
    thetas: list[dict[str, Any]] = [
        {"solver": "sgd", "alpha": 0.1, "batch": 8, "momentum": 0.5, "nesterov": True},
        {"solver": "adam", "alpha": 0.2, "batch": 9},
        {"solver": "lbfgs", "alpha": 0.3},
        {"solver": "lbfgs", "alpha": 0.3, "batch": float("nan"), "momentum": None},
    ]
    (edge,) = find_edges(experiment, thetas)
    assert (edge.parameter.name, edge.n_points, edge.n_active) == ("batch", 1, 2)
    wider = widened(experiment.space, [WidenRequest("batch", (4, 512))], [edge])
    assert wider.constraints == SOLVER.constraints
    assert wider.parameters[2].ends == (4, 512)
    assert wider.parameters[2].when == SOLVER.parameters[2].when


def test_functions_filter_proposals_in_a_process_that_cannot_import_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = ModuleType("definition_of_test")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec("LIMIT = 4\ndef fits(theta): return theta['lc'] + theta['lp'] <= LIMIT", vars(module))
    space = Space(XZ_PARAMETERS[:3], (module.fits,))
    proposals = Proposals([], DIRECTIONS, space, partial(gradient, space=space), False, True)
    try:
        proposals.begin(12)
        assert proposals.future is not None
        assert wait([proposals.future], timeout=60.0).done
        for each in proposals.take():
            assert each.params["lc"] + each.params["lp"] <= 4
    finally:
        proposals.close()


def gradient(number: int, space: Space) -> Any:
    return make_sampler("knowledge-gradient", 3, number, N_DESIGN, OBJECTIVES, space)


def test_functions_of_a_script_hold_in_its_design(tmp_path: Path) -> None:
    """Its record has only their names, and the design was once drawn without them."""
    numbers = (NumericParameter("x", 0.0, 1.0), NumericParameter("y", 0.0, 1.0))
    near = Space(numbers, (lambda theta: abs(theta["x"] - theta["y"]) < 0.1,))

    def play(seed: int, x: float, y: float) -> dict[str, float]:
        return {"score": x + y, "work": 1.0 + x}

    mine = Experiment("mine", play, near, goal=exact("score"), cost=reported("work"))
    asked = {"trials": 10, "design_size": 8, "jobs": 1, "sampler": "random", "validate": False}
    study = sweep(mine, results=tmp_path, budget=None, progress=False, **asked)
    assert (study.trials["state"] == "complete").all()
    assert len(study.trials) == 10
    assert ((study.trials["x"] - study.trials["y"]).abs() < 0.1).all()
