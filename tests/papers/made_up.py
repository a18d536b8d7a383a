"""Games of 2048 that nobody played."""

from collections.abc import Sequence

import numpy as np
import pandas as pd


def games_of(
    scores: Sequence[float] | np.ndarray,
    tiles: Sequence[int] | int = 2048,
    n_moves: Sequence[int] | int = 1000,
    seconds: Sequence[float] | float = 0.1,
) -> pd.DataFrame:
    """Return a table of games as :meth:`results.papers.paper.Paper.play` has them."""
    return pd.DataFrame(
        {
            "seed": range(len(scores)),
            "score_points": np.array(scores, int),
            "n_moves": n_moves,
            "cpu_seconds": seconds,
            "n_playout_moves": 10,
            "max_tile": tiles,
        }
    )
