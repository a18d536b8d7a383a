"""How much of an order of averages is noise, where the exact means behind them are known."""

from dataclasses import dataclass
from itertools import combinations
from math import sqrt

import numpy as np
import numpy.typing as npt
import pandas as pd

N_DRAWS = 1_000_000


@dataclass(frozen=True)
class Ranking:
    """How much of the post's order of five averages its noise may have made.

    Attributes
    ----------
    noise_share : float
        Of the variance that one expects among such averages: the share that noise makes.
    p_order : float
        How often averages come in the post's order by chance, ties in expectation and all.
    p_gammas : float
        How often both averages of the higher γ lie above all of the lower.
    gap, gap_standard_errors : float
        The largest difference of two averages of one and the same policy, in points, and in standard errors of a
        difference of two averages of that policy.
    p_gap : float
        How often some pair of the same policy differs by so much or more.
    """

    noise_share: float
    p_order: float
    p_gammas: float
    gap: float
    gap_standard_errors: float
    p_gap: float


def ranking(part: pd.DataFrame) -> Ranking:
    """Judge the post's order by the exact means and standard errors of its own policies, by a million draws.

    Parameters
    ----------
    part : DataFrame
        The lines of the post's program, from :func:`study.reproduce.dice.run.dice_frame`.
    """
    exact = part["exact_score_points"].to_numpy(float)
    errors = part["post_standard_error_points"].to_numpy(float)
    reported = part["post_score_mean_points"].to_numpy(float)
    high = part["gamma"].to_numpy(float) == part["gamma"].max()
    draws = np.random.default_rng(0).normal(exact, errors, (N_DRAWS, len(part)))
    order = np.argsort(reported)
    noise = float((errors**2).mean())
    same = np.abs(exact[:, None] - exact) < 1e-9
    pairs = [(i, j) for i, j in combinations(range(len(part)), 2) if same[i, j]]

    def gaps(averages: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return np.array([np.abs(averages[..., i] - averages[..., j]) for i, j in pairs])

    widest, _ = pairs[int(gaps(reported).argmax())]
    largest = float(gaps(reported).max())
    return Ranking(
        noise / (noise + float(exact.var(ddof=1))),
        float((np.diff(draws[:, order], axis=1) > 0).all(axis=1).mean()),
        float((draws[:, high].min(axis=1) > draws[:, ~high].max(axis=1)).mean()),
        largest,
        largest / (sqrt(2) * float(errors[widest])),
        float((gaps(draws).max(axis=0) >= largest).mean()),
    )
