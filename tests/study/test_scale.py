"""Scales: there and back, variances by differences, beliefs by draws, and nothing out of bounds."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom

from thetafront.study.samplers.gaussian_process import GaussianProcess
from thetafront.study.samplers.hyperparameters import fit_hyperparameters
from thetafront.study.scale import Scale
from thetafront.study.shrinkage import Moments, bounded_variances

MIRRORED, ANGLE = Scale.within(None, 100.0), Scale.within(-2.0, 3.0)
VALUES = {
    Scale.LINEAR: [-3.0, 0.5, 2.0, 90_000.0],
    Scale.LOG: [0.5, 2.0, 40.0, 90_000.0],
    Scale.ROOT: [0.5, 2.0, 40.0, 90_000.0],
    MIRRORED: [-90_000.0, 0.5, 40.0, 99.5],
    ANGLE: [-1.9, 0.0, 1.0, 2.9],
}
SCALES = pytest.mark.parametrize("scale", [*VALUES])
BOUNDED = pytest.mark.parametrize("scale", [Scale.ROOT, MIRRORED, ANGLE])


def test_bounds_choose_the_scale() -> None:
    assert Scale.within(None, None) == Scale.LINEAR
    assert Scale.within(0.0, None) == Scale.ROOT


@SCALES
def test_there_and_back(scale: Scale) -> None:
    values = np.array(VALUES[scale])
    scaled = scale.transform(values)
    np.testing.assert_allclose(scale.inverse(scaled), values, rtol=1e-12, atol=1e-12)
    assert (np.diff(scaled) > 0).all()


@BOUNDED
def test_bounds_are_on_the_scale_and_values_beyond_are_not(scale: Scale) -> None:
    ends = np.array([end for end in (scale.low, scale.high) if np.isfinite(end)])
    np.testing.assert_allclose(scale.inverse(scale.transform(ends)), ends, atol=1e-12)
    np.testing.assert_allclose(
        scale.transform(ends * (1 + 1e-15)), scale.transform(ends)
    )  # by rounding
    beyond = np.where(ends == scale.low, ends - 0.1, ends + 0.1)
    assert np.isnan(scale.transform(beyond)).all()


def test_what_is_not_on_a_scale() -> None:
    assert not np.isfinite(Scale.LOG.transform(np.array([0.0, -1.0]))).any()
    assert np.isnan(Scale.ROOT.variances(np.array([1.0]), np.array([np.nan])))[0]


@SCALES
def test_variances_are_by_the_slope(scale: Scale) -> None:
    """By differences: the variance of z is that of y over the slope squared."""
    at, step = scale.transform(np.array(VALUES[scale])), 1e-5
    slope = (scale.inverse(at + step) - scale.inverse(at - step)) / (2 * step)
    if scale is not Scale.LOG:
        np.testing.assert_allclose(scale.slope(at), slope, rtol=1e-4)
    found = scale.variances(np.array(VALUES[scale]), np.full(4, 1e-3))
    np.testing.assert_allclose(found, 1e-3 / slope**2, rtol=1e-4)


def test_a_win_rate_has_the_same_noise_wherever_it_is() -> None:
    """1/(4n) in the middle; no wins of n and a few of them tell about as much."""
    n = 20
    wins = np.arange(n + 1)
    samples = [Moments(n, k / n, k * (n - k) / n) for k in wins.tolist()]
    found = Scale.within(0.0, 1.0).variances(wins / n, bounded_variances(samples))
    assert found[n // 2] == pytest.approx(1 / (4 * n), rel=0.01)
    np.testing.assert_allclose(found, 1 / (4 * n), rtol=0.45)


@BOUNDED
def test_what_is_exact_at_a_bound_stays_exact(scale: Scale) -> None:
    end = np.array([scale.low if np.isfinite(scale.low) else scale.high])
    assert scale.variances(end, np.array([0.0])) == 0.0


@SCALES
def test_beliefs_are_those_of_draws(scale: Scale) -> None:
    """A million draws of z; a logarithm's mean is its median."""
    mean, deviation = {
        Scale.LOG: (0.2, 0.02), MIRRORED: (-5.0, 0.8), ANGLE: (0.9, 0.2)
    }.get(scale, (5.0, 0.8))  # fmt: skip
    z = np.random.default_rng(0).normal(mean, deviation, 1_000_000)
    y = scale.inverse(z)
    found = scale.belief(np.array(mean), np.array(deviation))
    middle = np.median(y) if scale is Scale.LOG else y.mean()
    assert found.mean == pytest.approx(middle, rel=0.002)
    assert found.deviation == pytest.approx(y.std(), rel=0.01)
    ends = np.quantile(y, [0.025, 0.975])
    np.testing.assert_allclose([found.low95, found.high95], ends, rtol=0.005)


@BOUNDED
def test_beliefs_stay_within_bounds_and_the_mean_within_its_interval(scale: Scale) -> None:
    mean, deviation = np.meshgrid(np.linspace(-20.0, 20.0, 81), [0.0, 1e-3, 0.1, 0.5, 3.0])
    found = scale.belief(mean, deviation)
    assert (found.deviation >= 0.0).all()
    for each in (found.mean, found.low95, found.high95):
        assert (each >= scale.low).all()
        assert (each <= scale.high).all()
    narrow = deviation <= 0.5
    assert (found.low95 <= found.mean + 1e-12)[narrow].all()
    assert (found.mean <= found.high95 + 1e-12)[narrow].all()


def test_an_interval_of_roots_does_not_go_below_0() -> None:
    found = Scale.ROOT.belief(np.array(1.0), np.array(2.0))
    assert found.low95 == 0.0
    assert found.mean == pytest.approx(5.0)
    below = Scale.ROOT.belief(np.array([-10.0, 0.0]), np.array([1.0, 1.0]))
    assert below.mean[0] == below.mean[1] == 1.0


def test_only_bounded_means_are_corrected_and_by_little() -> None:
    z, v = np.array([10.0, 10.0, 0.0]), np.array([1.0, 1e9, 1.0])
    np.testing.assert_allclose(Scale.ROOT.unbiased(z, v), [10.05, 10.2, 0.0])
    np.testing.assert_allclose(MIRRORED.unbiased(-z, v), [-10.05, -10.2, 0.0])
    for other in (Scale.LINEAR, Scale.LOG):
        np.testing.assert_array_equal(other.unbiased(z, v), z)
    for scale in (Scale.ROOT, ANGLE):
        np.testing.assert_allclose(scale.unbiased(z / 10, np.full(3, np.nan)), z / 10)
    # 0 of 10 games: between 0 and what half a win would be
    zero = np.array([0.0])
    drawn = ANGLE.inverse(ANGLE.unbiased(zero, np.array([1 / 40])))[0]
    assert -2.0 < drawn < -2.0 + 5.0 * 0.5 / 10


@pytest.mark.parametrize("rate", [0.02, 0.3, 0.9, 0.99])
def test_working_responses_have_no_bias_if_the_prediction_is_right(rate: float) -> None:
    """Summed over all outcomes of 10 games; the angle itself is biased."""
    scale, n = Scale.within(0.0, 1.0), 10
    wins, chances = np.arange(n + 1), binom.pmf(np.arange(n + 1), n, rate)
    variances = np.full(n + 1, 1.0 / (4 * n))
    truth = scale.transform(np.array([rate]))
    found = scale.working_response(wins / n, np.full(n + 1, truth), variances)
    assert chances @ found == pytest.approx(truth[0], abs=1e-6)
    if rate != 0.3:
        biased = scale.unbiased(scale.transform(wins / n), variances)
        assert abs(chances @ biased - truth[0]) > 0.01


def test_working_responses_at_the_ends() -> None:
    def found(value: float, predicted: float, variance: float) -> float:
        columns = (np.array([each]) for each in (value, predicted, variance))
        return float(Scale.within(0.0, 1.0).working_response(*columns)[0])

    assert found(1.0, np.pi / 2, 0.025) == found(1.0, 2.0, 0.025) == np.pi / 2
    assert found(0.5, np.pi / 2, 0.025) == -np.pi / 4, "a prediction that is far off"
    slope = np.sin(np.sqrt(0.025))  # half a standard deviation from the end
    assert found(0.1, 0.0, 0.025) == pytest.approx(0.1 / slope)
    for variance in (0.0, np.nan):
        assert found(0.5, 0.1, variance) == pytest.approx(np.pi / 4)


def test_win_rates_are_predicted_better_by_their_angle_than_as_they_are() -> None:
    """Of 0.02 to 0.98, 40 trials of 10 games: errors, and what 95% intervals hold."""
    errors: dict[Scale, list[float]] = {Scale.LINEAR: [], Scale.within(0.0, 1.0): []}
    held: dict[Scale, list[float]] = {each: [] for each in errors}
    n = 10
    for seed in range(12):
        rng = np.random.default_rng(seed)
        points, others = rng.random((40, 2)), rng.random((300, 2))
        slope, middle = rng.normal(size=2), rng.uniform(0.3, 0.7, 2)

        def rate(at: np.ndarray, slope: np.ndarray = slope, middle: np.ndarray = middle):  # type: ignore[no-untyped-def]
            return expit(np.clip(6.0 * (at - 0.5) @ slope + 3 * np.sin(6 * at @ middle), -3.9, 3.9))

        wins, true = rng.binomial(n, rate(points)), rate(others)
        samples = [Moments(n, k / n, k * (n - k) / n) for k in wins.tolist()]
        for scale in errors:
            noise = scale.variances(wins / n, bounded_variances(samples))
            values = scale.unbiased(scale.transform(wins / n), noise)
            hyper = fit_hyperparameters(points, values, noise)
            mean, variance = GaussianProcess.condition(hyper, points, values, noise).predict(others)
            found = scale.belief(mean, np.sqrt(variance))
            errors[scale] += ((found.mean - true) ** 2).tolist()
            held[scale] += ((found.low95 <= true) & (true <= found.high95)).tolist()
    (linear, angle), (of_linear, of_angle) = (
        [float(np.mean(each)) for each in found.values()] for found in (errors, held)
    )
    assert angle**0.5 < 0.97 * linear**0.5
    assert of_angle > max(0.9, of_linear - 0.01)
