"""A study's trials as arrays that a model can be fitted to.

On the model's scale both objectives are maximized: a minimized one changes its sign, and one on a
ratio scale, such as seconds, is replaced by its logarithm to base 10.

Noise that depends on the mean (``Objectives.noise_at``) is taken at the model's means, so a model
is fitted here. Its hyperparameters stay those of noise that is pooled: fitted to precise low scores
and vague high ones, they describe the low ones. After 80 trials of four games on the surfaces of
:mod:`study.bench.samplers`, six studies each, the front's score was then off by 4,061 points in
place of 3,158 (root mean square).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from study.samplers.encoding import UnitCube
from study.samplers.posterior import Posterior

Floats = npt.NDArray[np.float64]
MOST_PENDING = 512
GROWTH = 1.1
MOST_TO_FIT = 256
N_REFITS = 2  # of the model, with noise that depends on its means


@dataclass(frozen=True)
class Objectives:
    """What a model needs to know of a study's two objectives beyond their values.

    Attributes
    ----------
    logarithmic : pair of bool
        Whether an objective, which is then above 0, is modelled by its logarithm.
    reference_point : pair of float, optional
        In the objectives' own units; only points that are better in both count. By default a tenth
        of the observed range beyond the worst observed values.
    noise : callable, optional
        Takes the complete trials with finite values, in order, and returns the variances of their
        two values, shape (n, 2), in the values' own units squared; NaN where a variance is unknown
        and must be inferred, as all are by default.
    noise_at : callable, optional
        For noise that depends on the mean: takes these trials and their posterior means, shape (n,
        2), in the objectives' own units, and returns variances as ``noise`` does. Hyperparameters
        are fitted with the variances of ``noise``; then the model is conditioned twice more, on
        those at its means.
    """

    logarithmic: tuple[bool, bool] = (False, False)
    reference_point: tuple[float, float] | None = None
    noise: Callable[[Sequence[FrozenTrial]], Floats] | None = None
    noise_at: Callable[[Sequence[FrozenTrial], Floats], Floats] | None = None

    def __post_init__(self) -> None:
        """Refuse an impossible reference point."""
        if self.reference_point is None:
            return
        if len(self.reference_point) != 2 or not np.all(np.isfinite(self.reference_point)):
            raise ValueError(f"reference point: {self.reference_point} given, two numbers allowed")
        for value, log in zip(self.reference_point, self.logarithmic, strict=True):
            if log and value <= 0.0:
                raise ValueError(f"reference point: {value} given, above 0 allowed for a logarithm")


@dataclass(frozen=True)
class Observations:
    """Trials as arrays; both objectives are to be maximized.

    Attributes
    ----------
    points : float64, shape (n, d)
        Complete trials, in the unit cube.
    values : float64, shape (n, 2)
        Their observed objectives.
    noise : float64, shape (n, 2)
        The values' variances; NaN where they must be inferred.
    first_noise : float64, shape (m, 2)
        The variances of the first m values, computed from these m trials alone. Hyperparameters are
        fitted to these, so that they do not change before the next fit.
    pending : float64, shape (p, d)
        Trials in flight.
    reference : float64, shape (2,)
        The reference point.
    owners : int64, shape (d,)
        Which parameter each coordinate belongs to, see :class:`~study.samplers.encoding.UnitCube`.
    """

    points: Floats
    values: Floats
    noise: Floats
    first_noise: Floats
    pending: Floats
    reference: Floats
    owners: npt.NDArray[np.int64]

    @property
    def tried(self) -> Floats:
        """Complete and pending trials, no point twice, shape (m, d)."""
        return np.unique(np.concatenate([self.points, self.pending]), axis=0)


def n_to_fit(n: int) -> int:
    """Return to how many of ``n`` observations, the first ones, hyperparameters are fitted.

    They are fitted again when there are a tenth more observations: they change little in between,
    and the fit is half of a proposal's cost.
    """
    size = min(n, 1)
    while (larger := max(size + 1, int(size * GROWTH))) <= min(n, MOST_TO_FIT):
        size = larger
    return size


def noise_of(
    trials: Sequence[FrozenTrial],
    raw: Floats,
    objectives: Objectives,
    means: Floats | None = None,
) -> Floats:
    """Return the variances of values on the model's scale, shape (n, 2); NaN where unknown.

    ``raw`` are the observed values, ``means`` their posterior means, both in their own units.
    """
    if objectives.noise is None or not len(trials):
        return np.full(raw.shape, np.nan)
    if means is not None and objectives.noise_at is not None:
        noise = np.asarray(objectives.noise_at(trials, means), np.float64)
    else:
        noise = np.asarray(objectives.noise(trials), np.float64)
    if noise.shape != raw.shape:
        raise ValueError(f"noise: shape {noise.shape} returned, {raw.shape} needed")
    if np.any(noise < 0.0) or np.any(np.isinf(noise)):
        raise ValueError(
            "noise: a negative or infinite variance returned, 0 and above or NaN allowed"
        )
    # The variance of log₁₀ y, to first order.
    slopes = np.where(np.array(objectives.logarithmic), raw * np.log(10.0), 1.0)
    return np.asarray(noise / slopes**2)


def to_maximize(
    values: Floats, directions: Sequence[StudyDirection], logarithmic: Sequence[bool]
) -> Floats:
    """Map values, shape (n, 2), to the model's scale; NaN where a logarithm does not exist."""
    signs = np.array([1.0 if each == StudyDirection.MAXIMIZE else -1.0 for each in directions])
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = np.where(np.array(logarithmic), np.log10(values), values)
    return np.asarray(signs * scaled)


def to_own_units(
    values: Floats, directions: Sequence[StudyDirection], logarithmic: Sequence[bool]
) -> Floats:
    """Map values, shape (n, 2), back from the model's scale."""
    scaled = values * [1.0 if each == StudyDirection.MAXIMIZE else -1.0 for each in directions]
    with np.errstate(over="ignore"):
        return np.where(np.array(logarithmic), 10.0**scaled, scaled)


def observe(
    trials: Sequence[FrozenTrial],
    cube: UnitCube,
    directions: Sequence[StudyDirection],
    objectives: Objectives,
) -> Observations:
    """Read trials; skip those that failed, lack parameters or have no finite values.

    Of more than 512 running trials only the latest count: others may be left from killed processes.
    """
    names = set(cube.distributions)
    usable = [trial for trial in trials if names <= set(trial.params)]
    complete = [trial for trial in usable if trial.state == TrialState.COMPLETE]
    raw = np.array([trial.values for trial in complete], np.float64).reshape(-1, 2)
    values = to_maximize(raw, directions, objectives.logarithmic)
    # Before the noise is computed: an infinite value would spoil what is pooled over trials.
    finite = np.all(np.isfinite(values), axis=1)
    complete = [trial for trial, kept in zip(complete, finite, strict=True) if kept]
    raw, values = raw[finite], values[finite]
    noise = noise_of(complete, raw, objectives)
    first = n_to_fit(len(complete))
    first_noise = noise_of(complete[:first], raw[:first], objectives)
    points = cube.encode([trial.params for trial in complete])
    running = [trial for trial in usable if trial.state == TrialState.RUNNING][-MOST_PENDING:]
    pending = cube.encode([trial.params for trial in running])
    if objectives.reference_point is not None:
        given = np.array([objectives.reference_point], np.float64)
        reference = to_maximize(given, directions, objectives.logarithmic)[0]
    elif len(values):
        worst = values.min(axis=0)
        # Below constant values too, whatever their size.
        least = 1e-9 * np.maximum(1.0, np.abs(worst))
        reference = worst - 0.1 * np.maximum(np.ptp(values, axis=0), least)
    else:
        reference = np.zeros(2)
    observations = Observations(points, values, noise, first_noise, pending, reference, cube.owners)
    if objectives.noise_at is None or not complete:
        return observations
    for _ in range(N_REFITS):
        means = Posterior.fit(observations).mean(points)
        means = to_own_units(means, directions, objectives.logarithmic)
        observations = replace(observations, noise=noise_of(complete, raw, objectives, means))
    return observations
