"""Hyperparameters of a Gaussian process: the most probable ones, and random draws.

All length scales, σ², τ² and an unknown noise variance have lognormal priors. Without these priors,
a fit to sixteen noisy points would explain the noise by a short length scale.

The smoothness ν is 5/2 or 3/2, whichever is more probable. With ν = 5/2, the model is too certain
where scores have steps (as with the parameters of a decision tree) or cliffs (as with the weights
of a heuristic). This was tested on 80 states of simulated studies (16 to 80 trials). On surfaces
with steps or cliffs, the log density was higher with ν = 3/2, by 0.5 to 5. On smooth surfaces, it
was higher with ν = 5/2, by 0.4 to 4.

Sources: Rasmussen and Williams, *Gaussian Processes for Machine Learning* (2006), equation 5.9;
MacKay, *Information Theory, Inference, and Learning Algorithms* (2003), §27.1 and §29.2, for draws.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import lapack

from thetafront.study.arrays import Floats, Integers
from thetafront.study.samplers.covariance import ROUGH, SMOOTH, Hyperparameters, matern

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

# Lognormal priors for data scaled to variance 1: (median, standard deviation of the log).
LENGTH_PRIOR = (0.5, 0.55)  # median times √p, because distances grow with the dimension
SIGNAL_PRIOR = (1.0, 0.7)
NOISE_PRIOR = (1e-3, 1.5)
MISFIT_PRIOR = (1e-4, 2.0)
LOG_BOUNDS = (-16.0, 5.0)  # at least three standard deviations of each prior on both sides
STARTS = (1.0, 0.4)  # where fits start: length scales relative to the prior's median
# For draws: step in the logarithms for the Hessian, and lower limit of its eigenvalues.
STEP, MIN_PRECISION = 0.05, 0.2
JITTER = 1e-8  # added to K's diagonal, relative to σ², because duplicate points make K singular


def centre_and_scale(values: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation along the first axis; 1 replaces a deviation of 0."""
    centre, scale = values.mean(axis=0), values.std(axis=0)
    varies = scale > 1e-12 * np.maximum(1.0, np.abs(centre))
    return np.asarray(centre), np.where(varies, scale, 1.0)


@dataclass(frozen=True)
class NegativeLogPosterior:
    """Minus the log posterior density of the hyperparameters, as a function of their logarithms."""

    squares: Floats  # (p, n·n): squared distances of all pairs of points along each parameter
    # (n,): scaled observations and their noise variances; NaN if a variance is unknown.
    y: Floats
    noise: Floats
    smoothness: float = SMOOTH  # ν

    @classmethod
    def from_observations(
        cls, points: Floats, values: Floats, noise: Floats, owners: Integers
    ) -> "NegativeLogPosterior":
        """Scale the observations; the parameters are those of :func:`fit_hyperparameters`."""
        centre, scale = centre_and_scale(values)
        n, d = points.shape
        along = ((points[:, None, :] - points[None, :, :]) ** 2).transpose(2, 0, 1)
        squares = np.zeros((int(owners.max()) + 1, n * n))
        for owner, row in zip(owners, along.reshape(d, n * n), strict=True):
            squares[owner] += row
        return cls(squares, (values - centre) / scale, noise / scale**2)

    def __call__(self, logs: Floats) -> tuple[float, Floats]:
        """Return value and gradient at logs = (log σ², p values of log ℓ, log noise, log τ²)."""
        p, n = len(self.squares), len(self.y)
        variance, inverse = np.exp(logs[0]), np.exp(-2.0 * logs[1:-2])
        r2 = 2.0 * self.smoothness * (inverse @ self.squares).reshape(n, n)
        r = np.sqrt(r2)
        decay = variance * np.exp(-r)
        shape, steepness = matern(r, self.smoothness)
        k = decay * shape
        misfit = np.exp(logs[-1]) * (r2 == 0.0)
        inferred = np.isnan(self.noise)
        noise = np.where(inferred, np.exp(logs[-2]), self.noise) + JITTER * variance
        factor, failed = lapack.dpotrf(k + misfit + np.diag(noise), lower=1)
        if failed:
            return 1e25, np.zeros_like(logs)
        half = lapack.dpotri(factor, lower=1)[0]
        inverse_k = np.tril(half) + np.tril(half, -1).T
        alpha = inverse_k @ self.y
        value = 0.5 * float(self.y @ alpha) + float(np.sum(np.log(np.diag(factor))))
        # d(−log p)/dK = −½ (α αᵀ − K⁻¹)
        slope = -0.5 * (np.outer(alpha, alpha) - inverse_k)
        gradient = np.empty(p + 3)
        gradient[0] = np.sum(slope * k) + JITTER * variance * np.trace(slope)
        along = (slope * decay * steepness).ravel()
        gradient[1:-2] = 2.0 * self.smoothness * inverse * (self.squares @ along)
        gradient[-2] = np.exp(logs[-2]) * np.sum(np.diag(slope)[inferred])
        gradient[-1] = np.sum(slope * misfit)
        lengths = (LENGTH_PRIOR[0] * np.sqrt(p), LENGTH_PRIOR[1])
        for part, (median, deviation) in (
            (slice(0, 1), SIGNAL_PRIOR),
            (slice(1, -2), lengths),
            (slice(-2, -1), NOISE_PRIOR),
            (slice(-1, None), MISFIT_PRIOR),
        ):
            z = (logs[part] - np.log(median)) / deviation
            value += 0.5 * float(np.sum(z * z))
            gradient[part] += z / deviation
        return value, gradient


def fit_hyperparameters(
    points: Floats, values: Floats, noise: Floats, owners: Integers | None = None
) -> Hyperparameters:
    """Find the hyperparameters of highest posterior density.

    Parameters
    ----------
    points : float64, shape (n, d)
        At least one point in the unit cube.
    values : float64, shape (n,)
        The values observed at the points.
    noise : float64, shape (n,)
        Noise variance of each value, in the value's units squared; NaN if it is unknown. Unknown
        variances are taken to be equal, and are inferred.
    owners : int64, shape (d,), optional
        Which parameter, 0 to p − 1, each coordinate belongs to. By default, each coordinate belongs
        to a different parameter.
    """
    owners = np.arange(points.shape[1]) if owners is None else owners
    smooth = NegativeLogPosterior.from_observations(points, values, noise, owners)
    p = len(smooth.squares)
    median = LENGTH_PRIOR[0] * np.sqrt(p)
    starts = [
        np.log([SIGNAL_PRIOR[0], *[start * median] * p, NOISE_PRIOR[0], MISFIT_PRIOR[0]])
        for start in STARTS
    ]
    best = min((highest(smooth, logs) for logs in starts), key=lambda found: found.fun)
    rough = highest(replace(smooth, smoothness=ROUGH), best.x)
    best, smoothness = (rough, ROUGH) if rough.fun < best.fun else (best, SMOOTH)
    found = hyperparameters_from_logs(best.x, values, owners, smoothness)
    return replace(found, log_density=-float(best.fun))


def highest(objective: NegativeLogPosterior, logs: Floats) -> "OptimizeResult":
    """Return the maximum of the density that is found from these starting values."""
    from scipy.optimize import minimize  # noqa: PLC0415, slow to import

    return minimize(
        objective,
        logs,
        jac=True,
        method="L-BFGS-B",
        bounds=[LOG_BOUNDS] * len(logs),
        options={"maxiter": 60, "ftol": 1e-6},
    )


def hyperparameters_from_logs(
    logs: Floats, values: Floats, owners: Integers, smoothness: float
) -> Hyperparameters:
    """Return the hyperparameters with these logarithms."""
    centre, scale = (float(each) for each in centre_and_scale(values))
    variance, *lengths, inferred, misfit = (float(each) for each in np.exp(logs))
    of_coordinates = np.array(lengths)[owners]
    return Hyperparameters(centre, scale, variance, of_coordinates, inferred, misfit, smoothness)


def draw_hyperparameters(
    mode: Hyperparameters,
    points: Floats,
    values: Floats,
    noise: Floats,
    owners: Integers,
    n: int,
    rng: np.random.Generator,
) -> list[Hyperparameters]:
    """Draw n sets of hyperparameters from their posterior around the fitted ``mode``.

    For each of the two values of ν, n sets are drawn from Laplace's approximation. From these 2n
    sets, n are drawn with probabilities in proportion to their importance weights. So the more the
    data support a value of ν, the more often it occurs.
    """
    smooth = NegativeLogPosterior.from_observations(points, values, noise, owners)
    _, firsts = np.unique(owners, return_index=True)
    at_mode = np.log([mode.variance, *mode.lengths[firsts], mode.noise, mode.misfit])
    found, importance = [], []
    for smoothness in (SMOOTH, ROUGH):
        objective = replace(smooth, smoothness=smoothness)
        is_known = smoothness == mode.smoothness
        drawn, log_weights = draw_logs(
            objective, at_mode if is_known else highest(objective, at_mode).x, n, rng
        )
        found += [hyperparameters_from_logs(each, values, owners, smoothness) for each in drawn]
        importance += log_weights.tolist()
    weights = np.exp(np.array(importance) - max(importance))
    return [found[k] for k in rng.choice(2 * n, size=n, p=weights / weights.sum())]


def draw_logs(
    objective: NegativeLogPosterior, mode: Floats, n: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draw from Laplace's approximation at a mode; also return the log importance weights.

    The Hessian comes from differences of gradients. MIN_PRECISION replaces smaller eigenvalues.
    """
    steps = STEP * np.eye(len(mode))
    hessian = np.array([objective(mode + e)[1] - objective(mode - e)[1] for e in steps])
    values, vectors = np.linalg.eigh((hessian + hessian.T) / (4.0 * STEP))
    precision = np.maximum(values, MIN_PRECISION)
    normals = rng.standard_normal((n, len(mode)))
    # The symmetric root: unlike eigenvectors, whose signs are arbitrary, it is the same everywhere.
    root = (vectors / np.sqrt(precision)) @ vectors.T
    drawn = np.clip(mode + normals @ root, *LOG_BOUNDS)
    density = 0.5 * np.sum(np.log(precision)) - 0.5 * np.sum(normals**2, axis=1)
    return drawn, np.array([-objective(each)[0] for each in drawn]) - density
