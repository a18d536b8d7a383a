"""How noisy a mean is: by hand."""

import numpy as np
import pytest

from thetafront.study.experiments.objectives.estimators import (
    Estimator,
    GrowingMean,
    NoisyMean,
    Proportion,
)
from thetafront.study.shrinkage import (
    MANY_PSEUDO_GAMES,
    NO_PRIOR,
    PSEUDO_GAMES,
    Moments,
    Prior,
    growing_variances,
)
from thetafront.study.shrinkage import variances_of_means as variances_of_moments


def variances_of_means(samples: list[np.ndarray]) -> np.ndarray:
    return variances_of_moments([Moments.from_sample(sample) for sample in samples])


def test_two_samples_by_hand() -> None:
    """Squares 2 and 32 about the means, degrees of freedom 2 and 1, pooled variance 34/3."""
    samples = [np.array([1.0, 2.0, 3.0]), np.array([0.0, 8.0])]
    pooled = 34.0 / 3.0
    expected = [
        (2.0 + PSEUDO_GAMES * pooled) / (2 + PSEUDO_GAMES) / 3,
        (32.0 + PSEUDO_GAMES * pooled) / (1 + PSEUDO_GAMES) / 2,
    ]
    np.testing.assert_allclose(variances_of_means(samples), expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("samples", "expected"),
    [
        ([[5.0], [0.0, 2.0]], [2.0, 1.0]),  # a single game has the pooled variance
        ([[1.0] * 3, [7.0] * 2], [0.0, 0.0]),  # games without any spread are certain
        ([[1.0], [2.0]], [0.4, 0.4]),  # of single games alone: 40% of their root mean square
        ([[-5.0], [5.0]], [4.0, 4.0]),  # also if their mean is 0
        ([[], [1.0, 3.0]], [np.nan, 1.0]),  # a trial without games is not known
        ([], []),
    ],
)
def test_variances_of_few_games(samples: list[list[float]], expected: list[float]) -> None:
    found = variances_of_means([np.array(each) for each in samples])
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def growing(samples: list[np.ndarray]) -> np.ndarray:
    return growing_variances([Moments.from_sample(each) for each in samples])


def test_growing_variances_by_hand() -> None:
    """Squares 2 and 32, means 2 and 4: relative ones 1 and 8, pooled 9/3 a degree of freedom."""
    kappa = MANY_PSEUDO_GAMES
    expected = [
        2.0 * (1.0 + kappa * 3.0) / (2 + kappa) / 3,
        4.0 * (8.0 + kappa * 3.0) / (1 + kappa) / 2,
    ]
    found = growing([np.array([1.0, 2.0, 3.0]), np.array([0.0, 8.0])])
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_the_variances_of_scores_that_scatter_with_their_mean_are_found() -> None:
    """Gamma-distributed games whose variance is 8,000 m: that of their mean, 10% off on average."""
    rng = np.random.default_rng(0)
    means = rng.uniform(30_000.0, 60_000.0, 500)
    variances = 8_000.0 * means
    samples = [rng.gamma(m * m / v, v / m, 20) for m, v in zip(means, variances, strict=True)]
    np.testing.assert_allclose(growing(samples) * 20, variances, rtol=0.7)
    assert np.abs(growing(samples) * 20 / variances - 1.0).mean() < 0.1


@pytest.mark.parametrize(
    "estimator",
    [NoisyMean(), GrowingMean(), Proportion(0.0, 100.0)],
    ids=lambda each: each.__class__.__name__,
)
def test_other_games_do_not_blur_a_mean_of_many_games(estimator: Estimator) -> None:
    """The games of one θ differ by a hundredth of the others' differences."""
    rng = np.random.default_rng(1)
    quiet, *others = (rng.normal(50.0, sd, 40) for sd in (0.1, *[10.0] * 9))
    moments = [Moments.from_sample(sample) for sample in (quiet, *others)]
    found = estimator.variances(moments)
    assert found[0] == pytest.approx(quiet.var(ddof=1) / 40, rel=0.05)
    few = estimator.variances([Moments.from_sample(quiet[:29]), *moments[1:]])
    assert few[0] > 100.0 * found[0], "a few games may agree by chance"
    for m2 in (0.0, 1e-28):  # a running sum of squares has rounding errors
        same = estimator.variances([Moments(40, 50.0, m2), *moments[1:]])
        assert same[0] > 100.0 * found[0], "equal games do not tell their variance"


def test_growing_variances_where_there_is_little_to_go_by() -> None:
    """Single games have 40% of the mean of all; a mean of 0 has none, an empty one is unknown."""
    np.testing.assert_allclose(
        growing([np.array([1.0]), np.array([2.0])]), [0.16 * 1.5, 0.16 * 1.5 * 2.0]
    )
    found = growing([np.array([]), np.array([0.0, 0.0]), np.array([1.0, 3.0])])
    assert np.isnan(found[0])
    assert found[1] == 0.0
    assert growing([]).shape == (0,)


def test_a_prior_finds_how_much_variances_differ() -> None:
    """Variances of normal samples are 3·(6/χ²₆): their mean is 3·6/(6 − 2), worth six values."""
    rng = np.random.default_rng(5)
    variances = 18.0 / rng.chisquare(6, 20_000)
    freedom = rng.integers(1, 6, 20_000).astype(float)
    found = Prior.from_squares(freedom, variances * rng.chisquare(freedom))
    assert found.variance == pytest.approx(4.5, rel=0.1)
    assert found.freedom == pytest.approx(6.0, rel=0.1)
    same = Prior.from_squares(freedom, 3.0 * rng.chisquare(freedom))
    assert same.freedom > 60.0, "where all are alike, others are worth more"


def test_equal_values_have_no_variance() -> None:
    """The mean of 0.1, 20 times, is not 0.1 to the last bit."""
    sample = np.full(20, 0.1)
    assert np.sum((sample - sample.mean()) ** 2) > 0.0
    found = Moments.from_sample(sample)
    assert found.m2 == 0.0
    assert NoisyMean().prior([found] * 3) == NO_PRIOR
    assert Moments.from_sample(np.array([0.1, 0.1 + 1e-9])).m2 == pytest.approx(5e-19, rel=1e-6)


def test_a_prior_counts_like_games_where_there_are_few() -> None:
    prior = Prior(variance=4.0, freedom=6.0)
    assert prior.given(3, 1.0) == pytest.approx(((2 * 1.0 + 6 * 4.0) / 8, 8.0))
    assert prior.given(30, 1.0) == (1.0, 29.0)
    assert NO_PRIOR.given(3, 1.0) == (1.0, 2.0)
    alone = np.array([2.0])
    assert Prior.from_squares(alone, alone) == NO_PRIOR, "nothing to compare it with"
