"""Where trials can be played, learned from those that failed: against known boundaries."""

from dataclasses import replace

import numpy as np
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState, create_trial

from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.samplers.feasibility import Feasibility
from thetafront.study.samplers.knowledge_gradient import KnowledgeGradientSampler
from thetafront.study.samplers.nehvi import NoisyEHVISampler
from thetafront.study.samplers.observations import Objectives, Observations, observe
from thetafront.study.samplers.posterior import Posterior
from thetafront.study.samplers.predicted_front import predicted_front
from thetafront.study.scale import Scale

SPACE = {
    "x": FloatDistribution(0.0, 1.0),
    "y": FloatDistribution(0.0, 1.0),
    "kind": CategoricalDistribution(["a", "b"]),
}
CUBE = UnitCube(SPACE)
BOUNDARY = 0.8  # of x, beyond which all trials fail, where scores would be the best
OBJECTIVES = Objectives(scales=(Scale.LINEAR, Scale.LOG), reference_point=(-1.0, 20.0))


def trials_of(n: int, seed: int, *, may_fail: bool = True) -> list[FrozenTrial]:
    """Return trials whose score and cost grow with x; a fifth of them has failed."""
    rng = np.random.default_rng(seed)
    found = []
    for x, y in rng.random((n, 2)):
        params = {"x": float(x), "y": float(y), "kind": "ab"[int(rng.integers(2))]}
        if may_fail and x > BOUNDARY:
            failed = create_trial(state=TrialState.FAIL, params=params, distributions=SPACE)
            found.append(failed)
        else:
            values = [10.0 * float(x) + 0.1 * rng.standard_normal(), 10.0 ** float(x)]
            found.append(create_trial(values=values, params=params, distributions=SPACE))
    return found


def observed(trials: list[FrozenTrial]) -> Observations:
    return observe(trials, CUBE, (StudyDirection.MAXIMIZE, StudyDirection.MINIMIZE), OBJECTIVES)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_boundary_is_found(seed: int) -> None:
    feasibility = Feasibility.learned_from(observed(trials_of(60, seed)))
    points = CUBE.snap(np.random.default_rng(0).random((2000, 4)))
    probability = feasibility.probability(points)
    is_playable = points[:, 0] <= BOUNDARY
    assert np.mean((probability >= 0.5) == is_playable) > 0.93
    assert probability[points[:, 0] < 0.6].min() > 0.5
    assert probability[points[:, 0] > 0.95].max() < 0.5


def test_without_a_failed_trial_nothing_is_weighed_or_left_out() -> None:
    feasibility = Feasibility.learned_from(observed(trials_of(20, 1, may_fail=False)))
    points = np.random.default_rng(0).random((50, 4))
    assert (feasibility.probability(points) == 1.0).all()
    assert feasibility.allowed(points) is points


@pytest.mark.parametrize("sampler", [KnowledgeGradientSampler, NoisyEHVISampler])
def test_proposals_keep_to_what_can_be_played(
    sampler: type[KnowledgeGradientSampler | NoisyEHVISampler],
) -> None:
    """The best scores are beyond the boundary; without the failures, most proposals are."""
    known = observed(trials_of(40, 4))
    unaware = replace(known, failed=known.failed[:0], pending=known.pending[:0])
    made: dict[str, list[float]] = {"aware": [], "unaware": []}
    for seed in range(4):
        for name, each in (("aware", known), ("unaware", unaware)):
            points = sampler(seed).propose_many(each, CUBE, np.random.default_rng(seed), 3)
            made[name] += points[:, 0].tolist()
    assert np.mean(np.array(made["aware"]) > BOUNDARY + 0.05) <= 0.1
    assert np.mean(np.array(made["unaware"]) > BOUNDARY + 0.05) >= 0.3


def test_the_predicted_front_keeps_to_what_can_be_played() -> None:
    known = observed(trials_of(40, 4))
    posterior = Posterior.fit(known)
    front = predicted_front(posterior, known, CUBE, np.random.default_rng(0))
    assert BOUNDARY - 0.1 < front.points[:, 0].max() < BOUNDARY + 0.05
    unaware = replace(known, failed=known.failed[:0])
    front = predicted_front(posterior, unaware, CUBE, np.random.default_rng(0))
    assert front.points[:, 0].max() > 0.95
