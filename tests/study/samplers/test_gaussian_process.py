"""The Gaussian process: against scikit-learn's, against finite differences, and by hand."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from thetafront.study.samplers.covariance import (
    ROUGH,
    SMOOTH,
    Floats,
    Hyperparameters,
    covariances,
)
from thetafront.study.samplers.gaussian_process import GaussianProcess
from thetafront.study.samplers.hyperparameters import (
    JITTER,
    LENGTH_PRIOR,
    LOG_BOUNDS,
    MISFIT_PRIOR,
    NOISE_PRIOR,
    SIGNAL_PRIOR,
    NegativeLogPosterior,
    draw_hyperparameters,
    fit_hyperparameters,
)

N, D = 30, 3
VARIANCE, LENGTHS = 1.7, np.array([0.3, 0.8, 2.5])
MISFIT = 0.05
HYPER = Hyperparameters(0.0, 1.0, VARIANCE, LENGTHS, 0.02, MISFIT)
EITHER = pytest.mark.parametrize("smoothness", [SMOOTH, ROUGH])


def data(n: int = N) -> tuple[Floats, Floats, Floats]:
    """Points, values, and a noise variance each."""
    rng = np.random.default_rng(5)
    points, noise = rng.random((n, D)), rng.uniform(0.01, 0.3, n)
    values = np.sin(5.0 * points[:, 0]) + points[:, 1] + np.sqrt(noise) * rng.standard_normal(n)
    return points, values, noise


def theirs(
    points: Floats, values: Floats, noise: Floats, smoothness: float
) -> GaussianProcessRegressor:
    """Return scikit-learn's process at the same hyperparameters, jitter included."""
    kernel = ConstantKernel(VARIANCE) * Matern(LENGTHS, nu=smoothness) + WhiteKernel(MISFIT)
    alpha = noise + JITTER * VARIANCE
    return GaussianProcessRegressor(kernel, alpha=alpha, optimizer=None).fit(points, values)


def objective_of(
    points: Floats, values: Floats, noise: Floats, smoothness: float = SMOOTH
) -> NegativeLogPosterior:
    squares = ((points[:, None] - points[None]) ** 2).transpose(2, 0, 1)
    return NegativeLogPosterior(squares.reshape(points.shape[1], -1), values, noise, smoothness)


def neg_log_priors(logs: Floats) -> float:
    lengths = (LENGTH_PRIOR[0] * np.sqrt(D), LENGTH_PRIOR[1])
    medians, widths = np.array([SIGNAL_PRIOR, *[lengths] * D, NOISE_PRIOR, MISFIT_PRIOR]).T
    medians = np.log(medians)
    return float(np.sum(0.5 * ((logs - medians) / widths) ** 2))


@EITHER
def test_predictions_are_those_of_scikit_learn(smoothness: float) -> None:
    points, values, noise = data()
    elsewhere = np.random.default_rng(6).random((50, D))
    mean, covariance = theirs(points, values, noise, smoothness).predict(elsewhere, return_cov=True)
    hyper = replace(HYPER, smoothness=smoothness)
    process = GaussianProcess.condition(hyper, points, values, noise)
    ours, variance = process.predict(elsewhere)
    np.testing.assert_allclose(ours, mean, rtol=0, atol=1e-9)
    np.testing.assert_allclose(variance, np.diag(covariance), rtol=0, atol=1e-9)
    np.testing.assert_allclose(process.covariance(elsewhere), covariance, rtol=0, atol=1e-9)


@EITHER
def test_the_evidence_is_that_of_scikit_learn_up_to_the_priors(smoothness: float) -> None:
    points, values, noise = data()
    regressor = theirs(points, values, noise, smoothness)
    for shift in (0.0, 0.4, -0.7):
        logs = np.log([VARIANCE, *LENGTHS, MISFIT]) + shift
        # Their alpha is fixed, our jitter grows with the variance: so the noise makes up for it.
        ours = noise + JITTER * (VARIANCE - np.exp(logs[0]))
        with_noise = np.insert(logs, -1, np.log(0.01))
        value, _ = objective_of(points, values, ours, smoothness)(with_noise)
        value -= neg_log_priors(with_noise)
        constant = 0.5 * N * np.log(2.0 * np.pi)
        expected = regressor.log_marginal_likelihood(logs)
        assert -value - constant == pytest.approx(expected, rel=1e-10)


@EITHER
@pytest.mark.parametrize("unknown", ["none", "some", "all"])
def test_the_gradient_is_that_of_finite_differences(unknown: str, smoothness: float) -> None:
    points, values, noise = data()
    noise[{"none": [], "some": [0, 3, 4], "all": slice(None)}[unknown]] = np.nan
    objective = objective_of(points, values, noise, smoothness)
    rng = np.random.default_rng(7)
    for _ in range(5):
        logs = np.log([VARIANCE, *LENGTHS, 0.05, MISFIT]) + 0.5 * rng.standard_normal(D + 3)
        numeric = approx_fprime(logs, lambda x: objective(x)[0], 1e-6)
        np.testing.assert_allclose(objective(logs)[1], numeric, rtol=1e-4, atol=1e-3)


def test_the_fit_is_where_the_gradient_vanishes() -> None:
    points, values, noise = data()
    noise[::3] = np.nan
    hyper = fit_hyperparameters(points, values, noise)
    scaled = (values - hyper.centre) / hyper.scale
    objective = objective_of(points, scaled, noise / hyper.scale**2, hyper.smoothness)
    found = np.log([hyper.variance, *hyper.lengths, hyper.noise, hyper.misfit])
    least, gradient = objective(found)
    assert np.max(np.abs(gradient)) < 0.1
    rng = np.random.default_rng(8)
    assert all(objective(found + 0.2 * rng.standard_normal(D + 3))[0] > least for _ in range(30))


@pytest.mark.parametrize("prior", [LENGTH_PRIOR, SIGNAL_PRIOR, NOISE_PRIOR, MISFIT_PRIOR])
def test_bounds_do_not_cut_off_what_a_prior_allows(prior: tuple[float, float]) -> None:
    median, deviation = prior
    low, high = LOG_BOUNDS
    assert low < np.log(median) - 3.0 * deviation
    assert np.log(median) + 3.0 * deviation < high


def test_inferred_noise_is_about_the_true_one() -> None:
    rng = np.random.default_rng(9)
    points = rng.random((120, 1))
    values = np.sin(6.0 * points[:, 0]) + 0.3 * rng.standard_normal(120)
    hyper = fit_hyperparameters(points, values, np.full(120, np.nan))
    assert hyper.noise * hyper.scale**2 == pytest.approx(0.09, rel=0.4)


def test_one_point_observed_twice_by_hand() -> None:
    """Precisions add up: 1/σ² of the prior about its centre, 1/v of each observation."""
    point, v, y = np.array([[0.5]]), np.array([0.4, 0.1]), np.array([3.0, 5.0])
    hyper = Hyperparameters(2.0, 1.5, 0.8, np.array([0.3]), 0.0)
    process = GaussianProcess.condition(hyper, np.repeat(point, 2, axis=0), y, v)
    prior = 0.8 * 1.5**2
    precision = 1 / prior + 1 / 0.4 + 1 / 0.1
    mean, variance = process.predict(point)
    assert mean[0] == pytest.approx((2.0 / prior + 3.0 / 0.4 + 5.0 / 0.1) / precision, rel=1e-6)
    assert variance[0] == pytest.approx(1 / precision, rel=1e-6)


def test_draws_have_the_predicted_mean_and_covariance() -> None:
    """20,000 draws: each covariance is within five standard errors, √(2/20000) · 2.6 at most."""
    process = GaussianProcess.condition(HYPER, *data())
    points = np.random.default_rng(10).random((6, D))
    draws = process.draw(points, np.random.default_rng(11).standard_normal((6, 20_000)))
    mean, variance = process.predict(points)
    error = np.sqrt(variance / 20_000)
    assert np.all(np.abs(draws.mean(axis=1) - mean) < 5.0 * error)
    scale = np.sqrt(np.outer(variance, variance))
    np.testing.assert_array_less(np.abs(np.cov(draws) - process.covariance(points)) / scale, 0.05)


def test_given_draws_average_to_the_posterior() -> None:
    """The law of total variance: mean and variance over the draws are those before."""
    points, values, noise = data()
    process = GaussianProcess.condition(HYPER, points, values, noise)
    draws = process.draw(points, np.random.default_rng(16).standard_normal((N, 20_000)))
    elsewhere = np.random.default_rng(17).random((40, D))
    mean, variance = process.predict(elsewhere)
    means, within = process.given(points, draws).predict(elsewhere)
    error = np.sqrt(variance / 20_000)
    assert np.all(np.abs(means.mean(axis=1) - mean) < 5.0 * error)
    np.testing.assert_allclose(means.var(axis=1) + within, variance, rtol=0.05)


@pytest.mark.parametrize("unknown", [False, True])
@pytest.mark.parametrize(
    ("points", "values"),
    [
        (np.full((1, 2), 0.3), np.array([4.0])),
        (np.full((5, 2), 0.3), np.array([4.0, 4.1, 3.9, 4.0, 4.2])),
        (np.full((5, 2), 0.3), np.full(5, 4.0)),
        (np.random.default_rng(0).random((9, 2)), np.full(9, 1e6)),
        (np.random.default_rng(0).random((9, 2)), 1e-9 * np.arange(9.0)),
        (np.repeat(np.random.default_rng(0).random((40, 2)), 3, axis=0), np.arange(120.0)),
    ],
    ids=["one point", "one point five times", "and constant", "constant", "tiny", "duplicates"],
)
def test_degenerate_observations(points: Floats, values: Floats, unknown: bool) -> None:
    noise = np.full(len(values), np.nan if unknown else 0.0)
    hyper = fit_hyperparameters(points, values, noise)
    process = GaussianProcess.condition(hyper, points, values, noise)
    elsewhere = np.random.default_rng(1).random((20, 2))
    mean, variance = process.predict(elsewhere)
    slack = 2.0 * (np.ptp(values) + 1e-6 * abs(values[0]))
    assert np.all((mean >= values.min() - slack) & (mean <= values.max() + slack))
    assert np.all(np.isfinite(variance))
    assert np.all(variance >= 0.0)
    given = process.given(points, process.draw(points, np.ones((len(points), 3))))
    assert np.all(np.isfinite(given.predict(elsewhere)[0]))


def test_only_equal_points_share_a_misfit() -> None:
    """If near points did, A would share it with B, and B with C, but not A with C."""
    hyper = Hyperparameters(0.0, 1.0, 1.0, np.array([0.5]), 0.0, misfit=0.25)
    points = np.array([[0.5], [0.5 + 4e-7], [0.5 + 8e-7], [0.5]])
    found = covariances(hyper, points, points)
    expected = 1.0 + 0.25 * (points == points.T)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9)
    assert np.linalg.eigvalsh(found).min() > -1e-9


def test_steps_are_misfit_and_smooth_values_have_hardly_any() -> None:
    """With known noise: a value that jumps between neighbours, and one that does not."""
    rng = np.random.default_rng(4)
    points, noise = rng.random((90, 2)), np.full(90, 1e-4)
    smooth = np.sin(4.0 * points[:, 0]) + points[:, 1] + 0.01 * rng.standard_normal(90)
    steps = smooth + 0.3 * rng.choice([-1.0, 1.0], 90)
    found = [fit_hyperparameters(points, values, noise) for values in (smooth, steps)]
    deviations = [np.sqrt(each.misfit) * each.scale for each in found]
    assert deviations[0] < 0.02
    assert deviations[1] == pytest.approx(0.3, rel=0.2)


def test_a_point_with_many_games_is_believed_against_its_neighbours() -> None:
    """By hand: without covariance to others, it is weighed by its noise and the whole variance."""
    points = np.array([[0.2], [0.2 + 1e-4]])
    hyper = Hyperparameters(0.0, 1.0, 1.0, np.array([0.5]), 0.0, misfit=0.25)
    process = GaussianProcess.condition(hyper, points, np.array([2.0, 0.0]), np.array([1e-6, 1e-6]))
    mean, variance = process.predict(points)
    np.testing.assert_allclose(mean, [2.0, 0.0], atol=1e-4)
    assert np.all(variance < 1e-5)
    between, apart = process.predict(np.array([[0.2 + 0.5e-4]]))
    assert between[0] == pytest.approx(2.0 / 2.25, rel=1e-3)
    assert apart[0] == pytest.approx(1.25 - 2.0 / 2.25, rel=1e-3)


def categorical(n: int = 40, n_choices: int = 4, seed: int = 3) -> tuple[Floats, Floats, Floats]:
    """Points of a numeric and a categorical parameter, one-hot; the choice matters."""
    rng = np.random.default_rng(seed)
    choices = rng.integers(n_choices, size=n)
    x = rng.random(n)
    values = np.array([0.0, 3.0, 1.0, -2.0])[choices] + np.sin(3.0 * x) + 0.1 * rng.normal(size=n)
    return np.column_stack([x, np.eye(n_choices)[choices]]), values, np.full(n, 0.01)


def test_the_coordinates_of_a_categorical_parameter_share_a_length() -> None:
    points, values, noise = categorical()
    hyper = fit_hyperparameters(points, values, noise, np.array([0, 1, 1, 1, 1]))
    assert hyper.lengths.shape == (5,)
    assert set(hyper.lengths[1:]) == {hyper.lengths[1]}
    assert hyper.lengths[0] != hyper.lengths[1]


def test_two_choices_are_the_ends_of_a_number_of_length_root_two() -> None:
    """(1, 0) and (0, 1) are √2 apart: the same problem as 0 and √2 on one axis."""
    points, values, noise = categorical(n_choices=2)
    line = np.column_stack([points[:, 0], np.sqrt(2.0) * points[:, 2]])
    one_hot = fit_hyperparameters(points, values, noise, np.array([0, 1, 1]))
    number = fit_hyperparameters(line, values, noise)
    np.testing.assert_allclose(one_hot.lengths[:2], number.lengths, rtol=1e-4)
    assert one_hot.variance == pytest.approx(number.variance, rel=1e-4)


def test_the_order_of_choices_does_not_matter() -> None:
    points, values, noise = categorical()
    owners = np.array([0, 1, 1, 1, 1])
    order = [0, 3, 1, 4, 2]
    elsewhere = categorical(seed=4)[0]
    predicted = []
    for columns in (range(5), order):
        x, new = points[:, list(columns)], elsewhere[:, list(columns)]
        hyper = fit_hyperparameters(x, values, noise, owners)
        predicted.append(GaussianProcess.condition(hyper, x, values, noise).predict(new)[0])
    np.testing.assert_allclose(predicted[0], predicted[1], rtol=1e-4, atol=1e-4)


def test_a_choice_never_tried_keeps_its_prior_variance() -> None:
    """Of four choices three are tried: the fourth keeps most of its prior variance."""
    points, values, noise = categorical()
    known = points[:, 4] == 0.0
    hyper = fit_hyperparameters(
        points[known], values[known], noise[known], np.array([0, 1, 1, 1, 1])
    )
    process = GaussianProcess.condition(hyper, points[known], values[known], noise[known])
    asked = np.column_stack([np.full(4, 0.5), np.eye(4)])
    variance = process.predict(asked)[1]
    assert variance[3] > 10.0 * variance[:3].max()


def observed(values: Floats) -> tuple[Floats, Floats, Floats, np.ndarray]:
    """Return 24 noisy observations of a function of one parameter."""
    rng = np.random.default_rng(8)
    points = np.sort(rng.random((24, 1)), axis=0)
    noisy = np.interp(points[:, 0], np.linspace(0.0, 1.0, len(values)), values)
    noisy += 0.05 * rng.standard_normal(24)
    return points, noisy, np.full(24, 0.05**2), np.zeros(1, np.int64)


SINE = np.sin(6.0 * np.linspace(0.0, 1.0, 1001))
SAW = np.abs((8.0 * np.linspace(0.0, 1.0, 1001)) % 2.0 - 1.0)


@pytest.mark.parametrize(("values", "expected"), [(SINE, SMOOTH), (SAW, ROUGH)])
def test_the_more_probable_smoothness_is_fitted_and_drawn_more_often(
    values: Floats, expected: float
) -> None:
    known = observed(values)
    mode = fit_hyperparameters(*known)
    assert mode.smoothness == expected
    drawn = draw_hyperparameters(mode, *known, 500, np.random.default_rng(0))
    assert np.mean([each.smoothness == expected for each in drawn]) > 0.5


def test_draws_of_hyperparameters_are_those_of_the_prior_weighed_by_the_data() -> None:
    """By 1,000 draws from the prior: the share of either smoothness, means and spreads.

    But for the misfit: its posterior has a long tail of values too small to matter.
    """
    points, values, noise, owners = observed(SINE)
    mode = fit_hyperparameters(points, values, noise)
    rng = np.random.default_rng(1)
    drawn = draw_hyperparameters(mode, points, values, noise, owners, 1000, rng)
    priors = np.array([SIGNAL_PRIOR, LENGTH_PRIOR, NOISE_PRIOR, MISFIT_PRIOR])
    standard = rng.standard_normal((1000, 4))
    logs = np.log(priors[:, 0]) + priors[:, 1] * standard
    smooth = NegativeLogPosterior.from_observations(points, values, noise, owners)
    densities = [
        [-replace(smooth, smoothness=each)(row)[0] for row in logs] for each in (SMOOTH, ROUGH)
    ]
    weights = np.array(densities) + 0.5 * np.sum(standard**2, axis=1)
    weights = np.exp(weights - weights.max())
    share = np.mean([each.smoothness == ROUGH for each in drawn])
    assert share == pytest.approx(weights[1].sum() / weights.sum(), abs=0.1)
    p = weights.sum(axis=0) / weights.sum()
    mean = p @ logs[:, :2]
    deviation = np.sqrt(p @ (logs[:, :2] - mean) ** 2)
    ours = np.log([[each.variance, each.lengths[0]] for each in drawn])
    np.testing.assert_allclose(ours.std(axis=0), deviation, rtol=0.4)
    assert (np.abs(ours.mean(axis=0) - mean) < 0.5 * deviation).all()


def test_draws_of_hyperparameters_do_not_depend_on_the_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Eigenvectors may have either sign, which differs between processors."""
    known = observed(SINE)
    mode = fit_hyperparameters(*known)
    found, eigh = [], np.linalg.eigh
    for signs in (1.0, np.array([1.0, -1.0, 1.0, -1.0])):
        monkeypatch.setattr(np.linalg, "eigh", lambda a, by=signs: (eigh(a)[0], by * eigh(a)[1]))
        drawn = draw_hyperparameters(mode, *known, 20, np.random.default_rng(0))
        found.append([[each.variance, *each.lengths, each.misfit] for each in drawn])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)


@pytest.mark.parametrize("noise", [0.3, 0.0])
def test_downdates_equal_conditioning_anew(noise: float) -> None:
    """And the factor with rows appended is that of the whole covariance."""
    rng = np.random.default_rng(3)
    points, values = rng.random((20, 3)), rng.normal(3.0, 2.0, 20)
    noises = rng.uniform(0.1, 0.5, 20)
    process = GaussianProcess.condition(HYPER, points, values, noises)
    added, candidates, others = rng.random((5, 3)), rng.random((7, 3)), rng.random((9, 3))
    flying, explained, by_others = process, *(process.explain(x)[1] for x in (candidates, others))
    for point in added:
        flying = flying.awaiting(point[None], np.array([noise]))
        explained = flying.extended(candidates, explained)
        by_others = flying.extended(others, by_others)
    anew = GaussianProcess.condition(
        HYPER,
        np.concatenate([points, added]),
        np.concatenate([values, process.mean(added)]),
        np.concatenate([noises, np.full(5, noise)]),
    )
    covariance = flying.covariance_given(candidates, explained, others, by_others)
    np.testing.assert_allclose(covariance, anew.covariance(candidates, others), atol=1e-9)
    np.testing.assert_allclose(flying.variance(explained), anew.predict(candidates)[1], atol=1e-9)
    # Points first looked at after the trials were put in flight.
    mean, later = flying.explain(candidates)
    np.testing.assert_allclose(later, explained, atol=1e-9)
    np.testing.assert_allclose(mean, anew.mean(candidates), atol=1e-8)
    np.testing.assert_allclose(mean, process.mean(candidates), atol=1e-12)
    np.testing.assert_allclose(flying.factor, anew.factor, atol=1e-9)
    together = process.awaiting(added, np.full(5, noise))
    np.testing.assert_allclose(together.factor, anew.factor, atol=1e-9)


def test_a_point_twice_without_noise_tells_nothing_more() -> None:
    rng = np.random.default_rng(5)
    process = GaussianProcess.condition(
        HYPER, rng.random((6, 3)), rng.normal(size=6), np.full(6, 0.1)
    )
    point, nothing = rng.random((1, 3)), np.zeros(1)
    for _ in range(2):
        process = process.awaiting(point, nothing)
        assert process.predict(point)[1] == pytest.approx(0.0, abs=1e-6)
