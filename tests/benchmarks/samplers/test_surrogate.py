"""The neural surrogate: its networks and their front, degenerate studies, a problem to solve."""

import warnings

import numpy as np
import pytest
from optuna.samplers import RandomSampler
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from results.benchmarks.samplers.surrogate import Floats, SurrogateSampler, evolve, fitted
from tests.study.samplers.toy import (
    DEGENERATE,
    MIXED,
    OBJECTIVES,
    TOY_OBJECTIVES,
    UNIT,
    ask,
    mixed_study,
    ordinary,
    true_hypervolume,
)
from thetafront.study.pareto import nondominated
from thetafront.study.samplers.candidates import is_among
from thetafront.study.samplers.encoding import UnitCube

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning", "error::UserWarning")


@pytest.fixture
def few_generations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("results.benchmarks.samplers.surrogate.N_GENERATIONS", 4)


def test_networks_learn() -> None:
    rng = np.random.default_rng(2)
    points, elsewhere = rng.random((64, 2)), rng.random((200, 2))

    def truth(x: Floats) -> Floats:
        return np.stack([np.sin(4 * x[:, 0]), 1e6 * (x[:, 0] + x[:, 1] ** 2)], axis=1)

    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("error")
        scaler = StandardScaler().fit(truth(points))
        predict = fitted(points, scaler.transform(truth(points)), 2)
    error = predict(elsewhere) - scaler.transform(truth(elsewhere))
    assert np.all(np.sqrt(np.mean(error**2, axis=0)) < 0.2)


def test_evolution_finds_a_front() -> None:
    """Of networks that predict closeness to two corners: the front is the line between them."""
    cube = UnitCube(UNIT)
    rng = np.random.default_rng(0)
    learnt_from = rng.random((200, 4))
    corners = np.array([[0.2] * 4, [0.8] * 4])
    closeness = -np.linalg.norm(learnt_from[:, None] - corners[None], axis=2)
    predict = fitted(learnt_from, closeness, 0)
    points = evolve(predict, cube, learnt_from[:1], 0)
    assert len(np.unique(points, axis=0)) == len(points)
    predicted = predict(points)
    front = points[nondominated(predicted[:, 0], -predicted[:, 1])]
    assert np.median(np.ptp(front, axis=1)) < 0.15
    assert np.ptp(front.mean(axis=1)) > 0.4


@pytest.mark.usefixtures("few_generations")
@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_studies(name: str) -> None:
    trials = DEGENERATE[name](np.random.default_rng(2))
    ask(mixed_study(SurrogateSampler(0, OBJECTIVES, 1), trials), 1)


@pytest.mark.usefixtures("few_generations")
def test_the_seed_and_the_data_decide() -> None:
    def proposals(seed: int, n: int) -> list[dict[str, object]]:
        trials = ordinary(np.random.default_rng(1), n)
        return [trial.params for trial in ask(mixed_study(SurrogateSampler(seed), trials), 2)]

    first = proposals(0, 12)
    assert first == proposals(0, 12)
    assert first[0] != first[1]
    assert first[0] != proposals(1, 12)[0]
    assert first[0] != proposals(0, 11)[0]


@pytest.mark.usefixtures("few_generations")
def test_no_point_is_proposed_twice() -> None:
    study = mixed_study(SurrogateSampler(0, OBJECTIVES), ordinary(np.random.default_rng(3)))
    trials = ask(study, 6)
    points = UnitCube(MIXED).encode([trial.params for trial in study.trials])
    for k in range(1, 7):
        assert not is_among(points[[-k]], points[:-k])[0]
    assert all(trial.relative_params for trial in trials)


def test_it_finds_a_noisy_front() -> None:
    """With half as many trials."""
    ours = true_hypervolume(SurrogateSampler(0, TOY_OBJECTIVES), 0, 12, 20)
    assert ours > true_hypervolume(RandomSampler(), 0, 40, 40) + 0.4
