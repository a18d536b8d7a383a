"""Expected hypervolume improvement of two objectives, in closed form.

Notation
--------
==============  ====================================================================================
(y₁, y₂)        a point's two objectives, both to be maximized
r               the reference point
(aᵢ, bᵢ)        the front, a₁ < … < a_k, so b₁ > … > b_k; a₀ = r₁, a_{k+1} = ∞, b_{k+1} = r₂
ψ(c; μ, σ)      E[(Y − c)⁺] for Y ~ N(μ, σ²): σ φ(z) + (μ − c) Φ(z), z = (μ − c)/σ
==============  ====================================================================================

What y adds to the hypervolume is cut into strips along the first objective: Σᵢ (min(y₁, aᵢ₊₁) −
aᵢ)⁺ · (y₂ − bᵢ₊₁)⁺, i = 0 … k. For independent normal objectives the expectation of each product is
the product of expectations, and that of the first factor is ψ(aᵢ) − ψ(aᵢ₊₁): EHVI = Σᵢ (ψ(aᵢ; μ₁,
σ₁) − ψ(aᵢ₊₁; μ₁, σ₁)) · ψ(bᵢ₊₁; μ₂, σ₂).

Sources: Emmerich, Yang, Deutz, Wang and Fonseca, *A multicriteria generalization of Bayesian global
optimization* (2016); average over posterior draws of the noisy front: Daulton, Balandat and Bakshy,
*Parallel Bayesian optimization of multiple noisy objectives with expected hypervolume improvement*
(2021).
"""

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

Floats = npt.NDArray[np.float64]
Strips = tuple[Floats, Floats]
"""For each draw's front the edges aᵢ, shape (n_draws, n + 2), and floors bᵢ₊₁, (n_draws, n + 1)."""

FAR = 1e100  # in place of ∞, which times 0 is NaN; beyond any objective
FAR_OUT = 40.0  # standard deviations beyond which a normal density is 0


def expected_excess(threshold: Floats, mean: Floats, deviation: Floats) -> Floats:
    """Return ψ; arrays are broadcast, and a deviation of 0 is allowed."""
    gap = mean - threshold
    z = np.clip(gap / np.maximum(deviation, 1e-100), -FAR_OUT, FAR_OUT)
    density = np.exp(-0.5 * z * z) * (1.0 / np.sqrt(2.0 * np.pi))
    return np.asarray(np.maximum(deviation * density + gap * ndtr(z), 0.0))


def strips_of(draws: Floats, reference: Floats) -> Strips:
    """Cut the region that no point dominates into strips, for several draws at once.

    Parameters
    ----------
    draws : float64, shape (n_draws, n, 2)
        The points' objectives in each draw, to be maximized.
    reference : float64, shape (2,)
        Points that are not above it in both objectives do not count.

    Returns
    -------
    Strips
        As many for each draw as the largest front needs; surplus ones have no width.
    """
    n_draws = len(draws)
    inside = np.all(draws > reference, axis=2)
    first = np.where(inside, draws[..., 0], -FAR)
    order = np.argsort(-first, axis=1, kind="stable")  # from the largest y₁ down
    first = np.take_along_axis(first, order, axis=1)
    second = np.take_along_axis(np.where(inside, draws[..., 1], -FAR), order, axis=1)
    highest = np.maximum.accumulate(second, axis=1)
    before = np.concatenate([np.full((n_draws, 1), reference[1]), highest[:, :-1]], axis=1)
    on_front = second > before
    size = int(on_front.sum(axis=1).max(initial=0))
    edges = np.full((n_draws, size + 2), FAR)
    floors = np.full((n_draws, size + 1), reference[1])
    edges[:, 0] = reference[0]
    for draw in range(n_draws):
        front = np.flatnonzero(on_front[draw])[::-1]
        edges[draw, 1 : len(front) + 1] = first[draw, front]
        floors[draw, : len(front)] = second[draw, front]
    return edges, floors


def expected_improvement(strips: Strips, mean: Floats, deviation: Floats) -> Floats:
    """Return the expected hypervolume improvement of points, averaged over draws.

    Parameters
    ----------
    strips : Strips
        Of :func:`strips_of`.
    mean : float64, shape (m, n_draws, 2)
        Expected objectives of each point given each draw.
    deviation : float64, shape (m, 2)
        Their standard deviations, the same for all draws; the two objectives are independent.

    Returns
    -------
    float64, shape (m,)
    """
    edges, floors = strips
    excess = expected_excess(edges[None], mean[:, :, None, 0], deviation[:, None, None, 0])
    widths = excess[..., :-1] - excess[..., 1:]
    heights = expected_excess(floors[None], mean[:, :, None, 1], deviation[:, None, None, 1])
    return np.asarray(np.einsum("mds,mds->m", widths, heights) / mean.shape[1])
