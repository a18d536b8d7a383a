"""Trials as numbers: signs, logarithms, variances, and what is left out."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState, create_trial

from tests.study.conftest import QUICK
from thetafront.agents.twenty48.agent import Game2048
from thetafront.study.experiments.objectives.costs import PLAYOUT_MOVES
from thetafront.study.log.point import Point
from thetafront.study.log.study_data import frozen
from thetafront.study.log.tables import SEARCH
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.samplers.observations import (
    MAX_PENDING,
    Objectives,
    Observations,
    direction_signs,
    observe,
)
from thetafront.study.scale import Scale, beyond_worst

SPACE = {"x": FloatDistribution(0.0, 1.0), "choice": CategoricalDistribution(["a", "b"])}
CUBE = UnitCube(SPACE)
MAX, MIN = StudyDirection.MAXIMIZE, StudyDirection.MINIMIZE


def trial(
    x: float,
    values: tuple[float, float] | None = None,
    state: TrialState | None = None,
    **attrs: Any,
) -> FrozenTrial:
    if state is None:
        state = TrialState.RUNNING if values is None else TrialState.COMPLETE
    return create_trial(
        state=state,
        values=values,
        params={"x": x, "choice": "b"},
        distributions=SPACE,
        user_attrs=attrs,
    )


def seen(
    trials: Sequence[FrozenTrial],
    directions: tuple[StudyDirection, StudyDirection] = (MAX, MIN),
    **objectives: Any,
) -> Observations:
    return observe(trials, CUBE, directions, Objectives(**objectives))


def test_a_minimized_objective_changes_its_sign() -> None:
    trials = [trial(0.25, (3.0, 5.0)), trial(0.5, (4.0, -1.0))]
    np.testing.assert_array_equal(seen(trials).values, [[3.0, -5.0], [4.0, 1.0]])
    np.testing.assert_array_equal(seen(trials, (MIN, MAX)).values, [[-3.0, 5.0], [-4.0, -1.0]])
    np.testing.assert_array_equal(seen(trials).points, [[0.25, 0, 1], [0.5, 0, 1]])


@pytest.mark.parametrize(
    ("scales", "expected"),
    [
        ((Scale.LOG, Scale.LOG), [[2.0, 2.0], [3.0, -1.0]]),
        ((Scale.LINEAR, Scale.LOG), [[100.0, 2.0], [1000.0, -1.0], [-1.0, 0.0]]),
        ((Scale.ROOT, Scale.LINEAR), [[10.0, -0.01], [1000.0**0.5, -10.0], [0.0, 0.0]]),
    ],
)
def test_values_are_on_their_scale_and_what_is_not_on_it_is_left_out(
    scales: tuple[Scale, Scale], expected: list[list[float]]
) -> None:
    raw = [(100.0, 0.01), (1000.0, 10.0), (0.0, 0.0), (-1.0, 1.0)]
    found = seen([trial(0.1, each) for each in raw], scales=scales)
    np.testing.assert_allclose(found.values, expected, rtol=1e-12)


@pytest.mark.filterwarnings("error")
def test_pruned_waiting_and_infinite_trials_are_left_out_and_failed_ones_are_pending() -> None:
    trials = [
        trial(0.1, (1.0, 2.0)),
        trial(0.2, state=TrialState.FAIL),
        trial(0.3, state=TrialState.PRUNED),
        trial(0.4, state=TrialState.WAITING),
        trial(0.5, (np.inf, 2.0)),
        trial(0.6, (1.0, -np.inf)),
        create_trial(values=[1.0, 2.0], params={}, distributions={}),
        trial(0.7),
    ]
    found = seen(trials)
    np.testing.assert_array_equal(found.points[:, 0], [0.1])
    np.testing.assert_array_equal(found.pending[:, 0], [0.2, 0.7])
    assert found.values.shape == found.noise.shape == (1, 2)


def noise_of(trials: Sequence[FrozenTrial]) -> list[list[float]]:
    return [[each.user_attrs["variance"], np.nan] for each in trials]


def test_noise_belongs_to_its_trial_and_is_asked_for_finite_ones_alone() -> None:
    """Infinite scores among what is pooled over all trials would leave no variance known."""
    asked: list[float] = []

    def noise(trials: Sequence[FrozenTrial]) -> list[list[float]]:
        asked.extend(each.values[0] for each in trials)
        return noise_of(trials)

    trials = [
        trial(0.1, (1.0, 2.0), variance=0.5),
        trial(0.2),
        trial(0.3, (np.inf, 2.0), variance=0.6),
        trial(0.4, (3.0, 2.0), variance=0.7),
    ]
    found = seen(trials, noise=noise)
    np.testing.assert_array_equal(found.noise, [[0.5, np.nan], [0.7, np.nan]])
    assert set(asked) == {1.0, 3.0}
    assert np.all(np.isnan(seen(trials).noise))
    nothing = seen([])
    assert nothing.points.shape == nothing.pending.shape == (0, 3)
    assert nothing.values.shape == nothing.noise.shape == (0, 2)


def test_the_variance_of_a_logarithm_is_relative() -> None:
    """Var(log₁₀ y) ≈ Var(y)/(y ln 10)²: here against the spread of many logarithms."""
    found = seen(
        [trial(0.1, (50.0, 2.0), variance=0.25)], scales=(Scale.LOG, Scale.LINEAR), noise=noise_of
    )
    assert found.noise[0, 0] == pytest.approx(0.25 / (50.0 * np.log(10.0)) ** 2, rel=1e-12)
    draws = np.random.default_rng(0).normal(50.0, 0.5, 100_000)
    assert found.noise[0, 0] == pytest.approx(np.log10(draws).var(), rel=0.03)


def test_roots_of_noisy_means_are_not_biased() -> None:
    """Of 200,000 means of four games, gamma-distributed, their roots' squares are right to 1%."""
    rng = np.random.default_rng(0)
    games = rng.gamma(6.25, 100.0 / 6.25, (200_000, 4))  # mean 100, deviation 40
    means = games.mean(axis=1)
    variance = float(np.mean(games.var(axis=1, ddof=1) / 4))
    trials = [trial(0.1, (float(mean), 2.0), variance=variance) for mean in means[:2000]]
    found = seen(trials, scales=(Scale.ROOT, Scale.LINEAR), noise=noise_of)
    np.testing.assert_allclose(found.noise[:, 0], variance / (4.0 * means[:2000]), rtol=1e-12)
    corrected = Scale.ROOT.unbiased(np.sqrt(means), np.full(len(means), variance / 400.0))
    np.testing.assert_allclose(found.values[:, 0], np.sqrt(means[:2000]), rtol=0.02)
    assert (found.values[:, 0] > np.sqrt(means[:2000])).all()
    assert corrected.mean() ** 2 == pytest.approx(100.0, rel=0.001)
    assert np.sqrt(means).mean() ** 2 < 99.1
    np.testing.assert_array_equal(found.first_values, found.values[: len(found.first_values)])


def test_noise_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match=r"noise must have shape \(1, 2\) \(got \(1,\)\)"):
        seen([trial(0.1, (1.0, 2.0))], noise=lambda trials: np.ones(len(trials)))


def test_of_many_running_trials_the_latest_count() -> None:
    running = [trial(x) for x in np.linspace(0.0, 1.0, MAX_PENDING + 40)]
    pending = seen(running).pending
    assert len(pending) == MAX_PENDING
    np.testing.assert_array_equal(pending[-1], CUBE.encode([running[-1].params])[0])


def test_a_reference_beyond_the_worst_is_in_units_of_its_own() -> None:
    """Of logarithms a tenth of the decades; of roots a tenth of the points, and never below 0."""
    raw = np.array([[4.0, 0.01], [9.0, 10.0]])
    for first, directions, expected in (
        (Scale.LINEAR, (MAX, MIN), 3.5),
        (Scale.LINEAR, (MIN, MIN), 9.5),
        (Scale.ROOT, (MAX, MIN), 3.5),
    ):
        scales = (first, Scale.LOG)
        corner = beyond_worst(raw, direction_signs(directions), scales)
        assert corner == pytest.approx((expected, 10.0**1.3))
        trials = [trial(x, tuple(values)) for x, values in zip((0.1, 0.2), raw, strict=True)]
        found = seen(trials, directions, scales=scales)
        assert found.sign == (1.0 if directions[0] == MAX else -1.0)
        given = seen(trials, directions, scales=scales, reference_point=corner)
        np.testing.assert_array_equal(found.reference, given.reference)
    signs = direction_signs((MAX, MIN))
    assert beyond_worst(np.array([[0.1, 1.0], [9.0, 1.0]]), signs, scales)[0] == 0.0


@pytest.mark.parametrize("value", [0.0, 1.0, 1e-12, 1e15])
def test_the_reference_of_constant_objectives_is_below_them(value: float) -> None:
    found = seen([trial(0.1, (value, value)), trial(0.2, (value, value))])
    assert np.all(found.reference < found.values)


def test_a_given_reference_is_in_the_objectives_own_units() -> None:
    found = seen([], reference_point=(5.0, 0.01), scales=(Scale.LINEAR, Scale.LOG))
    np.testing.assert_allclose(found.reference, [5.0, 2.0], rtol=1e-12)


def test_the_noise_of_counts_is_that_of_their_games() -> None:
    """Few games of each trial: its own variance counts beside that of all trials."""
    rng = np.random.default_rng(4)
    experiment = QUICK.with_cost(PLAYOUT_MOVES)
    trials = []
    for number in range(20):
        moves = rng.integers(50, 150, 4).tolist()
        played = (moves * rng.lognormal(number / 10.0, number / 20.0, 4)).astype(int).tolist()
        games = {
            r: Game2048(r, 1000, n, 0.1, work, 64, 0)
            for r, (n, work) in enumerate(zip(moves, played, strict=True))
        }
        point = Point({"n_playouts": 1 + number}, "", SEARCH, number, games, n_games=4)
        values = point.objectives(experiment.goal, experiment.cost)
        trials.append(replace(point, values=values))
    distributions = experiment.space.distributions()
    noise = Objectives.from_experiment(experiment).noise
    assert noise is not None
    found = np.asarray(noise([frozen(each, distributions, experiment) for each in trials]))[:, 1]
    costs = np.array([each.values[1] for each in trials if each.values])
    expected = experiment.cost.log_variances([each.in_order for each in trials]).own
    np.testing.assert_allclose(found / (costs * np.log(10.0)) ** 2, expected)
    assert expected.max() > 2.0 * expected.min() > 0.0
