"""How much of the post's order of averages is noise, given the exact means behind them."""

from dataclasses import dataclass
from itertools import combinations
from math import sqrt

import numpy as np
import numpy.typing as npt
import pandas as pd

N_DRAWS = 1_000_000


@dataclass(frozen=True)
class OrderNoise:
    """How much noise may have made the post's order of five averages."""

    noise_share: float  # of the expected variance among the averages
    p_order: float  # probability of the post's order
    p_gammas: float  # that both averages of the higher γ lie above all of the lower
    gap: float  # largest difference of two averages of one policy, in points
    gap_standard_errors: float  # the gap in standard errors of such a difference
    p_gap: float  # that some pair of one policy differs by the gap or more


def order_noise(part: pd.DataFrame) -> OrderNoise:
    """Judge the post's order by a million draws; ``part`` has the lines of its program."""
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
    return OrderNoise(
        noise_share=noise / (noise + float(exact.var(ddof=1))),
        p_order=float((np.diff(draws[:, order], axis=1) > 0).all(axis=1).mean()),
        p_gammas=float((draws[:, high].min(axis=1) > draws[:, ~high].max(axis=1)).mean()),
        gap=largest,
        gap_standard_errors=largest / (sqrt(2) * float(errors[widest])),
        p_gap=float((gaps(draws).max(axis=0) >= largest).mean()),
    )
