"""Scaling of observed values to mean 0 and variance 1, before a model is fitted to them."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def centre_and_scale(values: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation along the first axis; 1 in place of that of a constant."""
    centre, scale = values.mean(axis=0), values.std(axis=0)
    varies = scale > 1e-12 * np.maximum(1.0, np.abs(centre))
    return np.asarray(centre), np.where(varies, scale, 1.0)
