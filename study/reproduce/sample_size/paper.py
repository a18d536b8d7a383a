"""The paper's example of how many games make a trial, checked against its own model.

A game reaches the 4096 tile or not; the mean of n games is binomial. Source: Ripstein (2023), §5.1,
*Parameter Optimization*.
"""

import math
from dataclasses import dataclass

import pandas as pd
from scipy.stats import binom


@dataclass(frozen=True)
class BinomialScores:
    """A θ whose games end in one of two scores, in points."""

    p_success: float  # probability to reach the 4096 tile
    success: float
    failure: float

    def mean(self, n_successes: int, n_games: int) -> float:
        """Return the mean score, in points, of games of which some succeed."""
        n_failures = n_games - n_successes
        return (n_successes * self.success + n_failures * self.failure) / n_games

    @property
    def expected(self) -> float:
        """The mean of one game's score, in points."""
        return self.p_success * self.success + (1.0 - self.p_success) * self.failure

    @property
    def deviation(self) -> float:
        """The standard deviation of one game's score, in points."""
        spread = self.success - self.failure
        return spread * math.sqrt(self.p_success * (1.0 - self.p_success))


PAPER = BinomialScores(0.6, 70_000.0, 35_000.0)
"""The example's θ (Ripstein 2023, §5.1)."""


def paper_frame() -> pd.DataFrame:
    """Compare the figures of the paper's example (NaN: not given) with its own model.

    Two do not follow from it; each follows with another number, which ``note`` names.
    """
    model = PAPER
    one = f"{binom.pmf(1, 3, 0.5):.3f} is that of p = 0.5"
    other = BinomialScores(0.6, 70_000.0, 36_000.0).mean(1, 3)
    mean = f"{other:,.0f} = (70,000 + 2 × 36,000)/3"
    rows = [
        (1, "expected score, points", 56_000.0, model.expected, ""),
        (1, "standard deviation, points", math.nan, model.deviation, ""),
        (3, "P(4096 exactly once)", 0.375, binom.pmf(1, 3, model.p_success), one),
        (3, "P(4096 at most once)", math.nan, binom.cdf(1, 3, model.p_success), ""),
        (3, "mean score with 4096 once, points", 47_333.0, model.mean(1, 3), mean),
        (3, "standard error, points", math.nan, model.deviation / math.sqrt(3), ""),
        (9, "P(4096 at most 3 times)", 0.099, binom.cdf(3, 9, model.p_success), ""),
        (9, "mean score with 4096 3 times, points", 47_333.0, model.mean(3, 9), "as for 3 games"),
        (9, "standard error, points", math.nan, model.deviation / math.sqrt(9), ""),
    ]
    return pd.DataFrame(rows, columns=["n_games", "what", "paper", "exact", "note"])
