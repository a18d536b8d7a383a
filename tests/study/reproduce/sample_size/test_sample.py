"""Games of one θ: the mean with its interval, and refusals."""

import pytest

from tests.study.reproduce.sample_size.samples import sample
from thetafront.study.errors import InputError


def test_the_means_interval() -> None:
    """Student's t for four games: 3.182446 standard errors."""
    estimate = sample([0, 2, 4, 6]).estimate
    half = 3.182446305284263 * (20 / 3 / 4) ** 0.5
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((3, 3 - half, 3 + half))


def test_one_game_is_too_few() -> None:
    with pytest.raises(InputError, match="2 or more needed"):
        sample([5])
