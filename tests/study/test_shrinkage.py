"""How noisy a mean is: by hand."""

import numpy as np
import pytest

from study.shrinkage import EXPONENT, PSEUDO_GAMES, Moments, variances_at_means
from study.shrinkage import variances_of_means as variances_of_moments


def variances_of_means(samples: list[np.ndarray]) -> np.ndarray:
    return variances_of_moments([Moments.of(sample) for sample in samples])


def test_two_samples_by_hand() -> None:
    """Squares 2 and 32 about the means, degrees of freedom 2 and 1, pooled variance 34/3."""
    samples = [np.array([1.0, 2.0, 3.0]), np.array([0.0, 8.0])]
    pooled = 34.0 / 3.0
    expected = [
        (2.0 + PSEUDO_GAMES * pooled) / (2 + PSEUDO_GAMES) / 3,
        (32.0 + PSEUDO_GAMES * pooled) / (1 + PSEUDO_GAMES) / 2,
    ]
    np.testing.assert_allclose(variances_of_means(samples), expected, rtol=1e-12)


def test_a_single_game_has_the_pooled_variance() -> None:
    variances = variances_of_means([np.array([5.0]), np.array([0.0, 2.0])])
    assert variances[0] == pytest.approx(2.0, rel=1e-12)
    assert variances[1] == pytest.approx(1.0, rel=1e-12)


def test_many_games_speak_for_themselves() -> None:
    rng = np.random.default_rng(0)
    quiet, loud = rng.normal(0, 1, 20_000), rng.normal(0, 10, 20_000)
    variances = variances_of_means([quiet, loud])
    np.testing.assert_allclose(variances * 20_000, [quiet.var(), loud.var()], rtol=0.05)


def test_few_games_are_drawn_towards_the_others() -> None:
    calm = [np.array([1.0, 1.0, 1.0])]
    others = [np.array([0.0, 10.0, 20.0])] * 20
    alone, *rest = variances_of_means(calm + others)
    assert alone > 0.5 * rest[0]
    assert alone < rest[0]


def test_games_without_any_spread_are_certain() -> None:
    np.testing.assert_array_equal(variances_of_means([np.ones(3), np.full(2, 7.0)]), [0.0, 0.0])


def test_single_games_alone_have_the_deviation_that_is_typical() -> None:
    """40% of the mean of all, 1.5: a variance of 0.36 each."""
    variances = variances_of_means([np.array([1.0]), np.array([2.0])])
    assert variances == pytest.approx([0.36, 0.36])


def test_a_trial_without_games_is_not_known() -> None:
    variances = variances_of_means([np.array([]), np.array([1.0, 3.0])])
    assert np.isnan(variances[0])
    assert variances[1] == pytest.approx(1.0)


def test_no_trials() -> None:
    assert variances_of_means([]).shape == (0,)


def at_means(samples: list[np.ndarray], expected: list[float]) -> np.ndarray:
    return variances_at_means([Moments.of(each) for each in samples], np.array(expected))


def test_variances_grow_with_the_expected_mean_by_hand() -> None:
    """Squares 2 and 32 with 2 and 1 degrees of freedom; expected means 2 and 5, not 2 and 4."""
    samples = [np.array([1.0, 2.0, 3.0]), np.array([0.0, 8.0])]
    factor = (2.0 + 32.0) / (2.0 * 2.0**EXPONENT + 5.0**EXPONENT)
    expected = [factor * 2.0**EXPONENT / 3, factor * 5.0**EXPONENT / 2]
    np.testing.assert_allclose(at_means(samples, [2.0, 5.0]), expected, rtol=1e-12)


def test_the_law_of_simulated_scores_is_found() -> None:
    """Gamma-distributed games whose variance is 8·m^1.4: the mean's variance, 5% off at most."""
    rng = np.random.default_rng(0)
    means = rng.uniform(10_000.0, 60_000.0, 500)
    variances = 8.0 * means**EXPONENT
    samples = [rng.gamma(m * m / v, v / m, 9) for m, v in zip(means, variances, strict=True)]
    np.testing.assert_allclose(at_means(samples, means.tolist()), variances / 9, rtol=0.05)


def test_means_too_low_to_have_a_power_count_as_the_lowest_observed() -> None:
    samples = [np.array([4.0, 8.0]), np.array([1.0, 3.0])]
    np.testing.assert_array_equal(at_means(samples, [6.0, -5.0]), at_means(samples, [6.0, 2.0]))


def test_means_below_zero_have_the_pooled_variance() -> None:
    samples = [np.array([-4.0, 1.0]), np.array([1.0, 3.0])]
    found = at_means(samples, [6.0, 1.0])
    np.testing.assert_array_equal(found, variances_of_means(samples))


def test_of_single_games_the_deviation_is_typical_and_grows_with_the_mean() -> None:
    """On average over the trials the variance of one game is that of 40% of 1.5, the mean."""
    variances = at_means([np.array([1.0]), np.array([2.0])], [1.2, 1.8])
    assert variances.mean() == pytest.approx(0.36)
    assert variances[1] / variances[0] == pytest.approx(1.5**EXPONENT)
    nothing = at_means([np.array([]), np.array([1.0, 3.0])], [1.0, 2.0])
    assert np.isnan(nothing[0])
    assert at_means([], []).shape == (0,)
