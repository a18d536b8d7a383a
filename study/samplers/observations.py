"""A study's trials as arrays that a model can be fitted to.

On the model's scale, both objectives are maximized: each is transformed by a scale of
:mod:`study.scale`, and an objective that is minimized is negated.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from thetafront.study.arrays import Floats, Integers
from thetafront.study.batch_means import relative_variances
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives.costs import Cost
from thetafront.study.experiments.objectives.goals import Goal
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.scale import Scale, beyond_worst
from thetafront.study.shrinkage import Moments, are_equal, columns

Noise = Callable[[Sequence[FrozenTrial]], npt.ArrayLike]
MAX_PENDING = 512
GROWTH = 1.1
MAX_TO_FIT = 256


@dataclass(frozen=True)
class Objectives:
    """What a model needs to know about a study's two objectives, besides their values."""

    # The scales on which the objectives are modelled. A trial is left out if a value is not on its
    # scale, such as 0 on a logarithmic scale.
    scales: tuple[Scale, Scale] = (Scale.LINEAR, Scale.LINEAR)
    # In the objectives' units; only points that are better in both objectives count. By default,
    # `study.scale.beyond_worst` computes it from the values.
    reference_point: tuple[float, float] | None = None
    # A function that takes the complete trials with finite values, in order. It returns the
    # variances of their two values, shape (n, 2), in the values' units squared; NaN if a variance
    # is unknown and must be inferred. By default, all variances are inferred.
    noise: Noise | None = None

    @classmethod
    def from_experiment(cls, experiment: Experiment) -> "Objectives":
        """Return an experiment's objectives; the noise of the goal comes from the trials' games."""
        noise = partial(noise_of_trials, goal=experiment.goal, cost=experiment.cost)
        return cls(experiment.scales, experiment.reference_point, noise)

    def __post_init__(self) -> None:
        """Raise ValueError if the reference point is impossible."""
        if self.reference_point is None:
            return
        if len(self.reference_point) != 2 or not np.all(np.isfinite(self.reference_point)):
            raise ValueError(f"reference point must be two numbers (got {self.reference_point})")
        for value, scale in zip(self.reference_point, self.scales, strict=True):
            if not np.isfinite(scale.transform(np.clip(value, scale.low, scale.high))):
                raise ValueError(f"reference point must be above 0 (got {value:g})")


@dataclass(frozen=True)
class Observations:
    """Trials as arrays; both objectives are to be maximized."""

    points: Floats  # (n, d): complete trials, in the unit cube
    values: Floats  # (n, 2): their observed objectives
    noise: Floats  # (n, 2): the values' variances; NaN if they must be inferred
    # (m, 2): the first m values and their variances, computed from the first m trials alone (except
    # by `study_model.revised`). Hyperparameters are fitted only to these values, and so change only
    # when m changes.
    first_values: Floats
    first_noise: Floats
    pending: Floats  # (p, d): trials in flight
    reference: Floats  # (2,): the reference point
    # (d,): which parameter each coordinate belongs to, see `UnitCube`.
    owners: Integers
    scales: tuple[Scale, Scale] = (Scale.LINEAR, Scale.LINEAR)  # scales of the values
    # −1 if the first objective is minimized, so that its values here are negated; otherwise 1.
    sign: float = 1.0
    failed: Floats = field(default_factory=lambda: np.zeros((0, 0)))  # (f, d): trials that failed

    @property
    def tried(self) -> Floats:
        """The distinct points of complete and pending trials, shape (m, d)."""
        return np.unique(np.concatenate([self.points, self.pending]), axis=0)

    def to_fit(self, k: int) -> tuple[Floats, Floats, Floats, Integers]:
        """Return points, values, noise and owners to which objective k's process is fitted."""
        first = self.first_values, self.first_noise
        values, noise = (np.ascontiguousarray(each[:, k]) for each in first)
        return self.points[: len(values)], values, noise, self.owners

    def column(self, k: int) -> tuple[Floats, Floats, Floats]:
        """Return the points, values and noise that the process of objective k is conditioned on."""
        values, noise = (np.ascontiguousarray(each[:, k]) for each in (self.values, self.noise))
        return self.points, values, noise

    def some(self, kept: Integers) -> "Observations":
        """Return the observations with only those complete trials whose indices are ``kept``."""
        kept = np.sort(kept)
        values, noise, m = self.values[kept], self.noise[kept], len(self.first_noise)
        return replace(
            self,
            points=self.points[kept],
            values=values,
            noise=noise,
            first_values=values[:m],
            first_noise=noise[:m],
        )


def n_to_fit(n: int) -> int:
    """Return the number m: hyperparameters are fitted to the first m of ``n`` observations.

    The fit is repeated whenever the number of observations has grown by a tenth. In between,
    hyperparameters change little, and a fit takes half of the time of a proposal.
    """
    size = min(n, 1)
    while (larger := max(size + 1, int(size * GROWTH))) <= min(n, MAX_TO_FIT):
        size = larger
    return size


def noise_of_trials(trials: Sequence[FrozenTrial], *, goal: Goal, cost: Cost) -> Floats:
    """Return the variances of trials' values, shape (n, 2); NaN if unknown.

    Variances of times are unknown, because a machine's speed drifts. Counts of exact goals have no
    noise, unless trials show that they vary.
    """
    found = [Moments(*trial.user_attrs[goal.moments_attribute]) for trial in trials]
    variances = goal.estimator.variances(found)
    of_costs = np.full(len(trials), np.nan)
    if not goal.is_exact and not cost.is_timed:
        n, values, squares = columns([trial.user_attrs[cost.moments_attribute] for trial in trials])
        of_costs = values**2 * relative_variances(n, squares / values**2)
    elif not cost.is_timed and all(each.n == 1 for each in found):
        costs: dict[frozenset[Any], list[float]] = {}
        for trial in trials:
            costs.setdefault(frozenset(trial.params.items()), []).append(trial.values[1])
        if all(are_equal(np.array(each)) for each in costs.values()):
            of_costs[:] = 0.0
    return np.stack([variances, of_costs], axis=-1)


def scaled_noise(
    trials: Sequence[FrozenTrial], raw: Floats, scales: Sequence[Scale], noise: Noise | None
) -> Floats:
    """Return the variances of values on the model's scale, shape (n, 2); NaN if unknown.

    ``raw`` has the observed values, in their own units.
    """
    if noise is None or not len(trials):
        return np.full(raw.shape, np.nan)
    variances = np.asarray(noise(trials), np.float64)
    if variances.shape != raw.shape:
        raise ValueError(f"noise must have shape {raw.shape} (got {variances.shape})")
    if np.any(variances < 0.0) or np.any(np.isinf(variances)):
        raise ValueError(
            "noise must be finite and 0 or more, or NaN (got a negative or infinite variance)"
        )
    columns = zip(scales, raw.T, variances.T, strict=True)
    return np.column_stack([scale.variances(*each) for scale, *each in columns])


def to_maximize(
    values: Floats, signs: Floats, scales: Sequence[Scale], noise: Floats | None = None
) -> Floats:
    """Map values, shape (n, 2), to the model's scale; NaN if a value is not on the scale.

    ``signs`` are −1 for an objective that is minimized, else 1. ``noise`` has the variances on that
    scale. If it is given, the bias that noise causes in the mapped values is removed.
    """
    noise = np.full(values.shape, np.nan) if noise is None else noise
    columns = zip(scales, values.T, noise.T, strict=True)
    scaled = np.column_stack(
        [scale.unbiased(scale.transform(each), v) for scale, each, v in columns]
    )
    return np.asarray(signs * scaled)


def scaled_reference(
    given: tuple[float, float] | None, raw: Floats, signs: Floats, scales: Sequence[Scale]
) -> Floats:
    """Clip a reference point to the scales' bounds, and map it to the model's scale, shape (2,).

    If none is given, it is a little worse than all values, shape (n, 2); it is 0 if n is 0.
    """
    if given is None and not len(raw):
        return np.zeros(2)
    corner = given or beyond_worst(raw, signs, scales)
    lows, highs = np.transpose([(each.low, each.high) for each in scales])
    return np.asarray(to_maximize(np.clip([corner], lows, highs), signs, scales)[0])


def study_directions(goal: Goal) -> tuple[StudyDirection, StudyDirection]:
    """Return the directions of a study's objectives: the goal's, and minimization of the cost."""
    return StudyDirection[goal.direction.upper()], StudyDirection.MINIMIZE


def direction_signs(directions: Sequence[StudyDirection]) -> Floats:
    """Return −1 for each objective that is minimized, and 1 for each that is maximized."""
    return np.array([1.0 if each == StudyDirection.MAXIMIZE else -1.0 for each in directions])


def observe(
    trials: Sequence[FrozenTrial],
    cube: UnitCube,
    directions: Sequence[StudyDirection],
    objectives: Objectives,
) -> Observations:
    """Read trials; skip those that lack parameters or have no finite values.

    Failed trials count as running. This lowers the expected gains of points near them, so proposals
    leave a part of the space in which all trials fail. Killed processes leave behind trials that
    stay marked as running. So that these do not pile up, only the latest 512 failed or running
    trials count.
    """
    usable = [trial for trial in trials if cube.is_whole(trial.params)]
    complete = [trial for trial in usable if trial.state == TrialState.COMPLETE]
    raw = np.array([trial.values for trial in complete], np.float64).reshape(-1, 2)
    signs, scales = direction_signs(directions), objectives.scales
    values = to_maximize(raw, signs, scales)
    # Infinite values are removed first, because the noise is estimated from all trials together.
    finite = np.all(np.isfinite(values), axis=1)
    complete = [trial for trial, kept in zip(complete, finite, strict=True) if kept]
    raw = raw[finite]
    noise = scaled_noise(complete, raw, scales, objectives.noise)
    values = to_maximize(raw, signs, scales, noise)
    first = n_to_fit(len(complete))
    first_noise = scaled_noise(complete[:first], raw[:first], scales, objectives.noise)
    first_values = to_maximize(raw[:first], signs, scales, first_noise)
    points = cube.encode([trial.params for trial in complete])
    silent = {TrialState.RUNNING, TrialState.FAIL}
    running = [trial for trial in usable if trial.state in silent][-MAX_PENDING:]
    pending = cube.encode([trial.params for trial in running])
    return Observations(
        points,
        values,
        noise,
        first_values,
        first_noise,
        pending,
        scaled_reference(objectives.reference_point, raw, signs, scales),
        cube.owners,
        scales,
        float(signs[0]),
        cube.encode([trial.params for trial in usable if trial.state == TrialState.FAIL]),
    )
