"""What is validated: baselines and the model's proposals; and what replaces a point left out."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from tests.study.conftest import QUICK, CoinGame
from tests.study.made_studies import data_of_values, present, record_of, simulated
from thetafront.agents.agent import FailedGame
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.dimension import NumericParameter
from thetafront.study.experiments.objectives.costs import PLAYOUT_MOVES
from thetafront.study.experiments.objectives.goals import Direction
from thetafront.study.experiments.space import Space
from thetafront.study.log.point import Point, theta_key
from thetafront.study.log.study_data import StudyData
from thetafront.study.log.tables import SEARCH
from thetafront.study.model.study_model import (
    MIN_GAP,
    another_point,
    choose_points,
    combine,
    fit_study,
    more_points,
    n_due,
    points_to_validate,
)
from thetafront.study.pareto import hypervolume
from thetafront.study.samplers.fitted_model import FittedModel

EXACT = QUICK.with_cost(PLAYOUT_MOVES)
Fitted = tuple[StudyData, FittedModel, list[Point]]


TWO = replace(
    EXACT,
    name="two",
    title="two parameters, for tests",
    agent="mcmdp",
    space=Space(
        (
            NumericParameter("theta1", 16, 2048, integer=True, log=True),
            NumericParameter("theta5", 1.0, 10.0, log=True),
        )
    ),
    baselines={
        "the author's": {"theta1": 500, "theta5": 6.25},
        "small": {"theta1": 16, "theta5": 9.5},
    },
)


def two_data(n: int = 24) -> StudyData:
    """Trials of ``TWO``: a larger θ₁ scores more and costs more, θ₅ is best at its middle."""
    rng = np.random.default_rng(4)
    complete = []
    for _ in range(n):
        params = TWO.space.from_unit(rng.random(2).tolist())
        u1, u5 = TWO.space.to_unit(params)
        mean = 8000.0 + 6000.0 * u1 - 8000.0 * (u5 - 0.5) ** 2
        cost = 10.0 ** (3.0 + 2.0 * u1 + 0.1 * u5)
        complete.append((params, (mean, cost)))
    # One that failed, and one that is still running: none of them is validated.
    failed, running = {"theta1": 2048, "theta5": 3.0}, {"theta1": 1024, "theta5": 3.0}
    return data_of_values(TWO, complete, [failed], [running], seed=1)


@pytest.fixture(scope="module")
def two() -> Fitted:
    data = two_data()
    model = present(fit_study(data))
    return data, model, choose_points(model, data, 6)


def test_baselines_are_validated_as_they_are(two: Fitted) -> None:
    _, _, points = two
    by_origin = {point.origin: point.params for point in points}
    assert list(by_origin)[:2] == ["the author's", "small"]
    assert {name: by_origin[name] for name in TWO.baselines} == TWO.baselines


def test_points_that_add_most_hypervolume_are_validated(two: Fitted) -> None:
    """By definition: both ends of the predicted front, then one point after the other."""
    _, model, points = two
    front = model.predicted_front
    worst_score, most_expensive = front.mean.min(axis=0) - 1.0

    def total(chosen: list[int]) -> float:
        score, minus_cost = front.mean[chosen].T
        return hypervolume(score, 10.0**-minus_cost, worst_score, 10.0**-most_expensive)

    chosen = [0, len(front.points) - 1]
    while len(chosen) < 6:
        chosen.append(max(range(len(front.points)), key=lambda k: total([*chosen, k])))
    best = {theta_key(TWO.space.tidy(model.cube.decode(front.points[k]))) for k in chosen}
    assert len(best) >= 4
    assert {point.key for point in points if point.origin not in TWO.baselines} == best


def test_a_reference_point_that_no_point_reaches_does_not_matter(two: Fitted) -> None:
    """A user's reference point says which hypervolumes count, not what is played."""
    data, model, points = two
    strict = replace(
        model, observations=replace(model.observations, reference=np.array([1e9, 1e9]))
    )
    assert [p.key for p in choose_points(strict, data, 6)] == [p.key for p in points]
    assert another_point(strict, data, points, []) is not None


def test_proposals_are_in_the_space_rounded_and_better_than_trials(two: Fitted) -> None:
    _, model, points = two
    proposals = [point.params for point in points if point.origin not in TWO.baselines]
    assert 4 <= len(proposals) <= 6
    for params in proposals:
        for each in TWO.space:
            assert each.check(params[each.name]) == params[each.name]
        assert isinstance(params["theta1"], int)
        assert params["theta5"] == float(f"{params['theta5']:.3g}")
    score, minus_cost = model.posterior.mean(model.cube.encode(proposals)).T
    for trial_score, trial_minus_cost in model.posterior.mean(model.trial_front):
        # θ₅ is rounded by half a percent at most: ten points, and 0.001 decades.
        beats = (trial_score > score + 10.0) & (trial_minus_cost > minus_cost + 0.001)
        assert not beats.any()


def test_no_point_is_validated_twice(two: Fitted) -> None:
    data, model, points = two
    assert all(point.key == theta_key(point.params) for point in points)
    assert len({point.key for point in points}) == len(points)
    assert all(set(point.params) == {"theta1", "theta5"} for point in points)
    assert all(not point.games for point in points)
    again = choose_points(model, data, 6)
    assert [(each.key, each.origin) for each in again] == [(p.key, p.origin) for p in points]
    many = choose_points(model, data, 200)
    assert len({point.key for point in many}) == len(many) > len(points)


def test_a_trial_that_is_a_baseline_is_played_as_the_baseline() -> None:
    trials = [({"n_playouts": n}, (1000.0 * n, 100.0 * n)) for n in (2, 4, 9)]
    data = data_of_values(EXACT, trials)
    model = present(fit_study(data))
    points = choose_points(model, data, 50)
    four = [point.origin for point in points if point.params == {"n_playouts": 4}]
    assert four == ["four playouts"]
    assert "trial 0" in {point.origin for point in points}, "proposed again"


def test_tidy_leaves_three_digits_and_whole_numbers() -> None:
    assert TWO.space.tidy({"theta1": 1234, "theta5": 1.23456}) == {"theta1": 1234, "theta5": 1.23}
    assert TWO.space.tidy({"theta1": 17, "theta5": 9.9999}) == {"theta1": 17, "theta5": 10.0}
    assert TWO.space.tidy({"theta1": 17, "theta5": 1.0004}) == {"theta1": 17, "theta5": 1.0}


def test_after_several_failures_a_trial_s_theta_takes_the_place(two: Fitted) -> None:
    """The dearest points fail; trials there did not, though a proposal nearby may."""
    data, model, points = two
    *kept, one, other = sorted(points, key=lambda point: float(point.params["theta1"]))
    first = present(another_point(model, data, [*kept, one], [other]))
    played = {theta_key(TWO.space.tidy(each.params)) for each in data.trials if each.values}
    assert first.key not in played
    second = present(another_point(model, data, kept, [one, other]))
    assert second.key in played
    dearest = max(kept, key=lambda point: float(point.params["theta1"]))
    assert second.params["theta1"] > dearest.params["theta1"]
    left_out = [one, other, replace(second, error="failed, too")]
    third = present(another_point(model, data, kept, left_out))
    assert third.key not in {each.key for each in (*kept, *left_out)}
    before = replace(data, points=[*data.points, left_out[-1]])
    other_run = present(another_point(model, before, kept, [one, other]))
    assert other_run.key == third.key, "an earlier run left out the second"
    last = present(another_point(model, data, [], points))
    assert last.key in played - {each.key for each in points}, "none is left: one that was played"


def test_an_end_of_the_front_is_replaced_by_the_end_that_is_left(two: Fitted) -> None:
    """The dearest point failed: without its neighbour, dear budgets would have no good answer."""
    data, model, points = two
    *kept, dearest = sorted(points, key=lambda point: float(point.params["theta1"]))
    costs = -model.expected_means(model.cube.encode([each.params for each in kept]))[:, 1]
    found = present(another_point(model, data, kept, [dearest]))
    cost = -model.expected_means(model.cube.encode([found.params]))[0, 1]
    assert cost > costs.max()
    proposed = [point for point in points if point.origin not in TWO.baselines]
    cheapest, *others = sorted(proposed, key=lambda point: float(point.params["theta1"]))
    found = present(another_point(model, data, others, []))
    assert found.key == cheapest.key


def test_more_points_are_chosen_by_what_validation_found() -> None:
    """One after the other, by the combined model: here, points cost three times what trials did."""
    data = simulated([(0.0, 0.5), (0.3, 0.5), (0.6, 0.5)], factor=3.0)
    before = replace(data, points=[])
    model, combined = present(fit_study(data)), present(combine(fit_study(data), data))
    found = more_points(model, before, data.points, [], 3)
    assert len(found) == 3
    for n, each in enumerate(found):
        known = [*data.points, *found[:n]]
        assert each.key == present(another_point(combined, data, known, [])).key
    assert found[0].key != present(another_point(model, data, data.points, [])).key
    assert len(more_points(model, before, data.points, [], 1000)) < 1000, "ends if none is worth it"


def test_a_theta_that_failed_is_avoided_once() -> None:
    """Otherwise the front would be predicted anew for each point that is added."""
    data = simulated([(0.5, 0.5)])
    model, failed = present(fit_study(data)), data.points[0].params
    avoided = model.avoiding([failed])
    assert len(avoided.observations.failed) == 1
    assert avoided.avoiding([failed]) is avoided
    assert model.avoiding([]) is model


def test_a_validation_goes_on_with_the_points_of_an_earlier_run() -> None:
    data = simulated([(0.1 * k, 0.5) for k in range(10)])
    model = present(fit_study(data))
    proposals = choose_points(model, data, 5)

    def validated(points: list[Point], n: int = 5) -> list[Point]:
        return points_to_validate(model, replace(data, points=points), n)

    assert [each.key for each in validated([])] == [each.key for each in proposals]
    assert validated(data.points) == data.points
    few = validated(data.points[:1])
    assert few[0] is data.points[0]
    assert len(few) == 5, "a kill left a single one"
    assert validated(data.points, n=2) == data.points, "all, however few are asked for"
    unplayed = [replace(each, games={}) for each in data.points]
    assert validated(unplayed) == unplayed, "a kill came before their first games"
    failed = [replace(each, error="failed") for each in (proposals[1], *data.points[8:])]
    failed[2] = replace(failed[2], failures={99: FailedGame(99, "failed")})
    found = validated([*data.points[:8], *failed])
    assert found == [*data.points[:8], failed[1]], "left out for good, but for a repaired point"
    given = replace(data.experiment, baselines={"mine": {"effort": 0.55, "idle": 0.5}})
    data.trials[:] = [replace(each, ended=1.0) for each in data.trials]
    data.points[:] = [replace(each, began=2.0) for each in data.points[:5]]
    found = points_to_validate(model, replace(data, experiment=given), 5)
    assert found[0].origin == "mine"
    assert found[1:] == data.points, "the definition has got a baseline"


def test_a_baseline_that_failed_is_played_again_only_if_no_game_has_shown_why() -> None:
    data = simulated([(0.2 * k, 0.5) for k in range(5)])
    given = replace(data.experiment, baselines={"mine": {"effort": 0.55, "idle": 0.5}})
    data, model = replace(data, experiment=given), present(fit_study(data))
    mine = replace(choose_points(model, data, 5)[0], error="failed")
    shown = replace(mine, failures={0: FailedGame(0, "failed")})
    for failed, is_played in ((mine, True), (shown, False)):
        with_failed = replace(data, points=[*data.points, failed])
        found = points_to_validate(model, with_failed, 4)
        assert [each.origin == "mine" for each in found] == [True] * is_played + [False] * 5


def test_after_more_trials_a_validation_gets_new_points_between_the_old_ones() -> None:
    data = simulated([(0.2 * k, 0.5) for k in range(5)])
    half = len(data.trials) // 2
    data.trials[half:] = [replace(each, ended=9.0) for each in data.trials[half:]]
    model = present(fit_study(data))
    found = points_to_validate(model, data, 5)
    assert found[:5] == data.points
    assert len(found) == 7, "half of the trials are new, so half of five points are"
    combined = present(combine(model, data))
    codes = combined.cube.encode([each.params for each in found])
    costs = np.sort(combined.expected_means(codes)[:, 1])
    assert np.diff(costs).min() > 0.5 * MIN_GAP, "a rounded θ may be a little closer"
    stored = [*data.points, *(replace(each, began=10.0) for each in found[5:])]
    assert points_to_validate(model, replace(data, points=stored), 5) == stored
    killed = stored[:-1]
    assert len(points_to_validate(model, replace(data, points=killed), 5)) == 7


@pytest.mark.parametrize(
    ("ended", "began", "n"),
    [
        (range(100), [], 12),
        (range(100), [99.5] * 12, 0),
        (range(100), [98.5] * 12, 0),  # one more trial
        (range(100), [49.5] * 12, 6),
        (range(100), [49.5] * 12 + [99.5], 5),
        (range(100), [24.5] * 12 + [49.5] * 6, 6),
        (range(100), [0.0] * 30, 11),  # long before all other trials
        ([0.0] * 10, [0.0] * 12, 0),  # no time is known
        (range(6), [4.5] * 12, 2),
    ],
)
def test_new_points_are_due_in_proportion_to_new_trials(
    ended: Sequence[float], began: Sequence[float], n: int
) -> None:
    trials = [Point({}, ended=each) for each in ended]
    assert n_due(trials, [Point({}, began=each) for each in began], 12) == n


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
@pytest.mark.parametrize("mostly", [False, True])
def test_rates_near_an_end_are_expected_as_they_are(
    coin: Experiment, mostly: bool, direction: Direction
) -> None:
    """The rate is that of all trials together, of ten games each, whatever the effort."""
    coin = replace(coin, goal=replace(coin.goal, direction=direction))
    rng = np.random.default_rng(3)
    trials = []
    for number in range(60):
        won = (rng.random(10) < 0.03) ^ mostly
        games = {r: CoinGame(r, 0.0, 10, 1e-4, bool(each), 100) for r, each in enumerate(won)}
        values = float(won.mean()), 1e-5 * (1 + number)
        effort = {"effort": 1 + number}
        trials.append(Point(effort, "", SEARCH, number, games, n_games=10, values=values))
    model = present(fit_study(StudyData("s", coin, record_of(coin), trials)))
    known = model.observations
    np.testing.assert_array_equal(known.first_values, known.values[: len(known.first_values)])
    scale = coin.goal.estimator.scale
    mean = model.posterior.mean(known.points)[:, 0]
    expected = scale.inverse(coin.goal.sign * mean)
    share = np.mean([trial.values for trial in trials], axis=0)[0]
    assert abs(float(expected.mean()) - share) < 0.002
