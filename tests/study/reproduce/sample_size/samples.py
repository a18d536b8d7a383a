"""Samples for tests: any scores, and coins."""

import numpy as np

from thetafront.study.reproduce.sample_size.sample import Sample


def sample(scores: "list[int] | np.ndarray", name: str = "A", first_seed: int = 0) -> Sample:
    values = np.asarray(scores, np.int64)
    seeds = np.arange(first_seed, first_seed + len(values), dtype=np.int64)
    return Sample(name, "1,2", "test", name * 12, seeds, values)


def coins(p_percent: int, n: int, name: str) -> Sample:
    """Scores 0 and 4, with the given percentage of 4s."""
    ones = n * p_percent // 100
    return sample([4] * ones + [0] * (n - ones), name)
