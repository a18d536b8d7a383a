"""Scales: there and back, slopes by differences, beliefs by draws."""

import numpy as np
import pytest

from study.scale import Scale

VALUES = np.array([0.5, 2.0, 40.0, 90_000.0])
BACK = {Scale.LINEAR: lambda z: z, Scale.LOG: lambda z: 10.0**z, Scale.ROOT: lambda z: z * z}


@pytest.mark.parametrize("scale", Scale)
def test_there_and_back(scale: Scale) -> None:
    np.testing.assert_allclose(BACK[scale](scale.of(VALUES)), VALUES, rtol=1e-12)


def test_what_is_not_on_a_scale() -> None:
    assert not np.isfinite(Scale.LOG.of(np.array([0.0, -1.0]))).any()
    assert np.isnan(Scale.ROOT.of(np.array([-1.0]))).all()
    assert np.isnan(Scale.ROOT.variances(np.array([0.0]), np.array([4.0])))[0]


@pytest.mark.parametrize("scale", Scale)
def test_slopes_and_variances(scale: Scale) -> None:
    """By differences; the variance of z is that of y over the slope squared."""
    at = scale.of(VALUES)
    step = 1e-5
    difference = (BACK[scale](at + step) - BACK[scale](at - step)) / (2 * step)
    np.testing.assert_allclose(scale.slope(at), difference, rtol=1e-4)
    np.testing.assert_allclose(
        scale.variances(VALUES, np.full(4, 0.3)), 0.3 / scale.slope(at) ** 2, rtol=1e-12
    )


@pytest.mark.parametrize("scale", Scale)
def test_beliefs_are_those_of_draws(scale: Scale) -> None:
    """A million draws of z; a logarithm's mean is its median."""
    mean, deviation = (0.2, 0.02) if scale is Scale.LOG else (5.0, 0.8)
    z = np.random.default_rng(0).normal(mean, deviation, 1_000_000)
    y = BACK[scale](z)
    found = scale.belief(np.array(mean), np.array(deviation))
    middle = np.median(y) if scale is Scale.LOG else y.mean()
    assert found.mean == pytest.approx(middle, rel=0.002)
    assert found.deviation == pytest.approx(y.std(), rel=0.01)
    ends = np.quantile(y, [0.025, 0.975])
    np.testing.assert_allclose([found.low95, found.high95], ends, rtol=0.005)


def test_an_interval_of_roots_does_not_go_below_0() -> None:
    found = Scale.ROOT.belief(np.array(1.0), np.array(2.0))
    assert found.low95 == 0.0
    assert found.mean == 5.0
    below = Scale.ROOT.belief(np.array([-10.0, 0.0]), np.array([1.0, 1.0]))
    assert below.mean[0] == below.mean[1] == 1.0


def test_only_roots_are_corrected_and_by_little() -> None:
    z, v = np.array([10.0, 10.0, 0.0]), np.array([1.0, 1e9, 1.0])
    np.testing.assert_allclose(Scale.ROOT.unbiased(z, v), [10.05, 10.2, 0.0])
    for other in (Scale.LINEAR, Scale.LOG):
        np.testing.assert_array_equal(other.unbiased(z, v), z)
    np.testing.assert_array_equal(Scale.ROOT.unbiased(z, np.full(3, np.nan)), z)
