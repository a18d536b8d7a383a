"""The posterior of both objectives: fits that are cached, draws, and conditioning on draws."""

import numpy as np

from tests.study.samplers.toy import observations_of
from thetafront.study.samplers.observations import GROWTH, MAX_TO_FIT, Observations, n_to_fit
from thetafront.study.samplers.posterior import Posterior, cached_fit

NOISE_SCALE = 30.0


def truth(points: np.ndarray) -> np.ndarray:
    """Score and −log₁₀ cost, smooth and unlike each other."""
    x, y = points.T
    return np.stack([1000.0 * np.sin(2.0 * x) + 300.0 * y, -1.0 - x - 0.3 * y * y], axis=-1)


def observations(n: int, seed: int = 0) -> Observations:
    rng = np.random.default_rng(seed)
    points = rng.random((n, 2))
    values = truth(points) + rng.standard_normal((n, 2)) * [NOISE_SCALE, 0.001]
    noise = np.stack([np.full(n, NOISE_SCALE**2), np.full(n, np.nan)], axis=-1)
    return observations_of(points, values, noise)


def test_hyperparameters_are_fitted_again_with_a_tenth_more_observations() -> None:
    sizes = np.array([n_to_fit(n) for n in range(1, 1000)])
    n = np.arange(1, 1000)
    assert (sizes <= n).all()
    assert (sizes >= 1).all()
    assert (np.diff(sizes) >= 0).all()
    assert sizes.max() <= MAX_TO_FIT
    grid = np.unique(sizes)
    assert [n_to_fit(each) for each in grid.tolist()] == grid.tolist()
    assert (grid[1:] <= np.maximum(grid[:-1] + 1, GROWTH * grid[:-1])).all()
    below = n <= grid[-1]
    assert (n[below] < np.maximum(sizes[below] + 1, GROWTH * sizes[below] + 1)).all()


def test_the_same_data_are_fitted_once() -> None:
    cached_fit.cache_clear()
    first, again = Posterior.fit(observations(23)), Posterior.fit(observations(23))
    for one, other in zip(first.processes, again.processes, strict=True):
        assert one.hyper is other.hyper
    assert cached_fit.cache_info().misses == 2, "one fit an objective"
    seen = observations(23)
    louder = Posterior.fit(observations_of(seen.points, seen.values, 100.0 * seen.noise))
    assert louder.processes[0].hyper is not first.processes[0].hyper


def test_hyperparameters_stay_between_two_fits_but_all_observations_count() -> None:
    many = observations(24)
    assert n_to_fit(23) == n_to_fit(22) == 22

    def first(n: int) -> Posterior:
        return Posterior.fit(observations_of(many.points[:n], many.values[:n], many.noise[:n]))

    fewer, more, refit = first(22), first(23), first(24)
    for k in range(2):
        assert fewer.processes[k].hyper is more.processes[k].hyper
        assert more.processes[k].hyper is not refit.processes[k].hyper
    here = many.points[22:23]
    assert (more.predict(here)[1] < fewer.predict(here)[1]).all()


def test_each_objective_is_learned_from_its_own_values() -> None:
    """60 points of smooth functions: between them, each is known to 2% of its range."""
    posterior = Posterior.fit(observations(60))
    elsewhere = 0.05 + 0.9 * np.random.default_rng(9).random((200, 2))
    (mean, deviation), exact = posterior.predict(elsewhere), truth(elsewhere)
    assert mean.shape == deviation.shape == (200, 2)
    errors = np.abs(mean - exact)
    assert (errors.mean(axis=0) < 0.02 * np.ptp(exact, axis=0)).all()
    # Length scales are a little wrong, so errors a few deviations large.
    assert (errors < 5.0 * deviation + 1e-3 * np.ptp(exact, axis=0)).all()


def stepped(points: np.ndarray) -> np.ndarray:
    """Score and −log₁₀ cost of a program whose work, 1 to 6, is the least of two limits."""
    work = np.floor(1.0 + 6.0 * points.min(axis=1))
    return np.stack([1000.0 * np.sqrt(work), -np.log10(work)], axis=-1)


def of_steps(n: int, seed: int) -> Observations:
    points = np.random.default_rng(seed).random((n, 2))
    noise = np.tile([30.0**2, 0.01**2], (n, 1))
    values = stepped(points) + np.random.default_rng(seed + 1).standard_normal((n, 2)) * noise**0.5
    return observations_of(points, values, noise)


def test_a_score_that_follows_the_cost_is_predicted_with_it() -> None:
    """A predicted score is that of the predicted cost, √cost; and the truth is within intervals."""
    elsewhere = np.random.default_rng(7).random((500, 2))
    off, inside = {False: [], True: []}, []
    for seed in range(3):
        seen = of_steps(60, 10 * seed)
        for each in (Posterior.fit(seen), Posterior.fit_either(seen)):
            mean, deviation = each.predict(elsewhere)
            apart = mean[:, 0] - 1000.0 * 10.0 ** (-mean[:, 1] / 2.0)
            off[each.sees_cost].append(np.sqrt(np.mean(apart**2)))
        errors = np.abs(mean - stepped(elsewhere))[:, 0]
        inside.append(np.mean(errors < 1.96 * deviation[:, 0]))
    assert np.mean(off[True]) < 0.5 * np.mean(off[False])
    assert np.mean(inside) > 0.9


def test_joint_draws_share_the_error_of_the_cost() -> None:
    """40,000 draws: moments as predicted; the covariance is the slope times the cost's variance."""
    posterior = Posterior.fit_either(of_steps(30, 5))
    assert posterior.sees_cost
    assert not Posterior.fit_either(observations(30)).sees_cost, "smooth, and unlike the cost"
    points = np.concatenate([np.random.default_rng(8).random((4, 2)), of_steps(30, 5).points[:2]])
    draws = posterior.draw(points, 40_000, np.random.default_rng(9))
    mean, deviation = posterior.predict(points)
    np.testing.assert_allclose(draws.std(axis=0), deviation, rtol=0.02)
    assert (np.abs(draws.mean(axis=0) - mean) < 5.0 * deviation / 200.0).all()
    scaled = (draws - mean) / deviation
    found = np.mean(scaled[..., 0] * scaled[..., 1], axis=0)
    slopes = posterior.slopes(points, mean[:, 1], deviation[:, 1])
    np.testing.assert_allclose(found, slopes * deviation[:, 1] / deviation[:, 0], atol=0.03)
    assert np.abs(found[:4]).max() > 0.3
    assert (slopes[4:] == 0.0).all(), "where games were played, the score is known"
    covariance = np.cov(draws[..., 0].T)
    scale = np.outer(deviation[:, 0], deviation[:, 0])
    expected = posterior.covariance(points, points)
    np.testing.assert_allclose(covariance / scale, expected / scale, atol=0.03)


def test_a_posterior_given_draws_goes_through_them() -> None:
    posterior = Posterior.fit(observations(15))
    points = np.random.default_rng(4).random((10, 2))
    draws = posterior.draw(points, 6, np.random.default_rng(5))
    given = posterior.given(points, draws)
    mean = np.stack([process.predict(points)[0] for process in given.processes], axis=-1)
    assert mean.shape == (10, 6, 2)
    scales = np.array([process.hyper.scale for process in posterior.processes])
    np.testing.assert_allclose(mean / scales, draws.transpose(1, 0, 2) / scales, rtol=0, atol=2e-3)
    np.testing.assert_allclose(given.mean(points), mean)
    assert (given.predict(points)[1] < 1e-3 * scales).all()


def test_it_may_be_conditioned_on_some_of_many_observations() -> None:
    few = observations(300)
    assert Posterior.from_subset(few, 300)[0] is few
    known, _ = Posterior.from_subset(few, 90)
    assert len(known.points) == len(known.values) == len(known.noise) == 90
    assert len(np.unique(known.points, axis=0)) == 90
    assert np.ptp(known.values[:, 1]) == np.ptp(few.values[:, 1]), "from end to end"
    n_first = len(few.first_values)
    np.testing.assert_array_equal(known.first_values, known.values[:n_first])


def test_what_it_is_conditioned_on_is_not_chosen_for_its_luck() -> None:
    """The front is predicted as it is: not above it, as the best of noisy values would have it."""
    points = np.random.default_rng(3).random((1500, 2))
    best = points[np.argsort(-truth(points)[:, 0])[:50]]
    errors, lucky = [], []
    for seed in range(4):
        many = observations(1500, seed)
        deviation = 8.0 * NOISE_SCALE
        noisy = truth(many.points) + np.random.default_rng(seed).standard_normal((1500, 2)) * [
            deviation,
            0.001,
        ]
        noise = np.stack([np.full(1500, deviation**2), np.full(1500, np.nan)], axis=-1)
        many = observations_of(many.points, noisy, noise)
        errors.append((Posterior.from_subset(many, 120)[1].mean(best) - truth(best))[:, 0].mean())
        chosen = many.some(np.argsort(-noisy[:, 0])[:120])
        lucky.append((Posterior.fit(many, chosen).mean(best) - truth(best))[:, 0].mean())
    assert abs(np.mean(errors)) < 0.25 * deviation
    assert np.mean(lucky) > 3.0 * abs(np.mean(errors))
