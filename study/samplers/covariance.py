"""Matérn covariances with one length scale per parameter, and a misfit term.

Notation
--------
=========  =========================================================================================
k(x, x')   σ² m(r) exp(−r), r² = 2ν Σⱼ (xⱼ − x'ⱼ)²/ℓⱼ²; plus τ² if x = x'
ν, m(r)    smoothness ν and its polynomial: 1 + r + r²/3 for ν = 5/2, 1 + r for ν = 3/2
ℓⱼ         length scale along coordinate j; all coordinates of a categorical parameter share one
τ²         misfit: variance of the differences between values and the smooth function
=========  =========================================================================================

Source: Rasmussen and Williams, *Gaussian Processes for Machine Learning* (2006), equation 4.17.
"""

from dataclasses import dataclass

import numpy as np

from thetafront.study.arrays import Floats

SMOOTH, ROUGH = 2.5, 1.5  # ν
BLOCK = 2**15  # pairs at a time; with arrays larger than the cache, a pair takes 20 times as long
# Points are the same if their coordinates are, rounded to so many decimals. They are compared only
# if their squared distance is at most this share of their squared norms.
DECIMALS, NEAR = 9, 1e-12


@dataclass(frozen=True)
class Hyperparameters:
    """Hyperparameters of a Gaussian process, with the scaling of its observations."""

    # Mean and standard deviation of observations, by which they are centred and scaled.
    centre: float
    scale: float
    variance: float  # σ², of scaled observations
    lengths: Floats  # (d,): ℓ
    noise: float  # noise variance, scaled, for observations whose variance is unknown
    misfit: float = 0.0  # τ², of scaled observations
    smoothness: float = SMOOTH  # ν
    log_density: float = 0.0  # log posterior density up to a constant, if the values were fitted

    @property
    def total(self) -> float:
        """The prior variance of a value, k(x, x)."""
        return self.variance + self.misfit


def covariances(hyper: Hyperparameters, a: Floats, b: Floats) -> Floats:
    """Return k for all pairs of rows, shape (n_a, n_b)."""
    rounded_a, rounded_b = (a.round(DECIMALS), b.round(DECIMALS)) if hyper.misfit else (a, b)
    a, b = a / hyper.lengths, b / hyper.lengths
    of_b = (b * b).sum(axis=1)
    found = np.empty((len(a), len(b)))
    n_rows = max(1, BLOCK // max(1, len(b)))
    for start in range(0, len(a), n_rows):
        some, k = a[start : start + n_rows], found[start : start + n_rows]
        norms = (some * some).sum(axis=1)[:, None] + of_b
        square = norms - 2.0 * some @ b.T
        r = np.sqrt(2.0 * hyper.smoothness * np.maximum(square, 0.0))
        np.multiply(hyper.variance * matern(r, hyper.smoothness)[0], np.exp(-r), out=k)
        if hyper.misfit:
            rows, columns = divmod(np.flatnonzero(square <= NEAR * norms), len(b))
            same = (rounded_a[start + rows] == rounded_b[columns]).all(axis=1)
            k[rows[same], columns[same]] += hyper.misfit
    return found


def matern(r: Floats, smoothness: float) -> tuple[Floats, Floats]:
    """Return k, and −dk/d(r²/2), both divided by σ² exp(−r); the first is m(r)."""
    if smoothness == ROUGH:
        return 1.0 + r, np.ones_like(r)
    return 1.0 + r + r * r / 3.0, (1.0 + r) / 3.0
