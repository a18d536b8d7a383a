"""Expected hypervolume improvement: by hand, against counted rectangles, and problems to solve."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.samplers import RandomSampler

from tests.study.samplers.toy import TOY_OBJECTIVES, UNIT, searched, true_hypervolume, truth
from thetafront.study.pareto import hypervolume
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.samplers.nehvi import (
    Floats,
    NoisyEHVISampler,
    Strips,
    cut_strips,
    expected_excess,
    expected_improvement,
)
from thetafront.study.samplers.observations import Objectives
from thetafront.study.scale import Scale

REFERENCE = np.array([0.0, 0.0])
FRONT = np.array([[1.0, 5.0], [3.0, 4.0], [6.0, 1.0]])


def phi(z: float) -> float:
    return math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)


def cdf(z: float) -> float:
    return 0.5 * (1.0 + math.erf(z / math.sqrt(2.0)))


def area(points: list[tuple[float, float]], r: tuple[float, float]) -> float:
    """Add up the rectangles of a grid through all points that some point dominates."""
    inside = [(a, b) for a, b in points if a > r[0] and b > r[1]]
    xs = sorted({r[0], *(a for a, _ in inside)})
    ys = sorted({r[1], *(b for _, b in inside)})
    total = 0.0
    for left, right in pairwise(xs):
        for low, high in pairwise(ys):
            if any(a >= right and b >= high for a, b in inside):
                total += (right - left) * (high - low)
    return total


def improvement(front: Floats, mean: list[float], deviation: list[float]) -> float:
    strips = cut_strips(np.reshape(front, (1, -1, 2)), REFERENCE)
    return float(expected_improvement(strips, np.array([[mean]]), np.array([deviation]))[0])


@pytest.mark.parametrize(
    ("point", "gain"),
    [
        ((4.0, 3.0), (4 - 3) * (3 - 1)),  # a corner between two
        ((2.0, 4.5), (2 - 1) * (4.5 - 4)),
        ((7.0, 0.5), (7 - 6) * 0.5),  # beyond an end
        ((0.5, 6.0), 0.5 * (6 - 5)),
        ((7.0, 6.0), 42 - (5 + 8 + 3)),  # dominates all
        ((3.5, 4.5), 0.5 * (4.5 - 1) + 2 * 0.5),  # dominates the middle one
        ((3.0, 4.0), 0.0),  # on the front
        ((2.0, 3.0), 0.0),  # dominated
        ((3.0, 5.0), 2 * 1),  # level with two
        ((-1.0, 9.0), 0.0),  # below the reference
        ((9.0, -1.0), 0.0),
        ((0.0, 9.0), 0.0),
    ],
)
def test_a_certain_point_adds_its_area(point: tuple[float, float], gain: float) -> None:
    assert improvement(FRONT, list(point), [0.0, 0.0]) == pytest.approx(gain, abs=1e-12)


def test_an_empty_front_by_hand() -> None:
    """All that counts is the rectangle over the reference, (1.5, 0.5) expected at σ = (0.5, 1)."""
    first = 0.5 * phi(3.0) + 1.5 * cdf(3.0)
    second = phi(0.5) + 0.5 * cdf(0.5)
    for front in (np.empty((0, 2)), np.array([[-1.0, 9.0], [9.0, -1.0], [0.0, 0.0]])):
        assert improvement(front, [1.5, 0.5], [0.5, 1.0]) == pytest.approx(
            first * second, rel=1e-12
        )


@pytest.mark.parametrize("mean", [(4.0, 3.0), (2.0, 2.0), (7.0, -1.0), (-1.0, 3.0)])
def test_against_monte_carlo(mean: tuple[float, float]) -> None:
    deviation = (1.5, 0.8)
    rng = np.random.default_rng(3)
    base = [(float(a), float(b)) for a, b in FRONT]
    draws = rng.normal(mean, deviation, (4000, 2)).tolist()
    gains = [area([*base, (a, b)], (0.0, 0.0)) - area(base, (0.0, 0.0)) for a, b in draws]
    error = np.std(gains) / np.sqrt(len(gains))
    assert improvement(FRONT, list(mean), list(deviation)) == pytest.approx(
        np.mean(gains), abs=4.0 * error + 1e-9
    )


def hypervolume_of(strips: Strips, draw: int) -> float:
    """Return what lies below the strips: each closed one is as high as its floor."""
    edges, floors = strips[0][draw], strips[1][draw]
    widths = np.diff(edges)
    real = floors > REFERENCE[1]
    return float(np.sum(widths[real] * (floors[real] - REFERENCE[1])))


def test_below_the_strips_lies_the_hypervolume() -> None:
    """Fronts of many sizes, some empty, with points outside and duplicates, all in one array."""
    draws = np.random.default_rng(4).normal(0.3, 1.0, (60, 9, 2))
    draws[:10, 4:] = draws[:10, :5]
    draws[10:13] = -1.0
    strips = cut_strips(draws, REFERENCE)
    for draw in range(len(draws)):
        points = [(float(a), float(b)) for a, b in draws[draw]]
        plain = area(points, (0.0, 0.0))
        assert hypervolume_of(strips, draw) == pytest.approx(plain, abs=1e-12)
        closed = hypervolume(draws[draw, :, 0], 10.0 ** -draws[draw, :, 1], 0.0, 1.0)
        assert closed == pytest.approx(plain, abs=1e-9)


def test_draws_are_averaged() -> None:
    draws = np.random.default_rng(5).normal(0.5, 1.0, (7, 6, 2))
    rng = np.random.default_rng(6)
    mean, deviation = rng.normal(0.5, 1.0, (5, 7, 2)), rng.uniform(0.1, 1.0, (5, 2))
    together = expected_improvement(cut_strips(draws, REFERENCE), mean, deviation)
    alone = [
        expected_improvement(cut_strips(draws[[k]], REFERENCE), mean[:, [k]], deviation)
        for k in range(7)
    ]
    np.testing.assert_allclose(together, np.mean(alone, axis=0), rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e15, 1e40])
def test_units_do_not_matter(scale: float) -> None:
    draws, mean, deviation = FRONT[None] * scale, np.array([[[4.0, 3.0]]]) * scale, np.ones((1, 2))
    gain = expected_improvement(cut_strips(draws, REFERENCE), mean, deviation * scale)[0]
    assert gain == pytest.approx(improvement(FRONT, [4.0, 3.0], [1.0, 1.0]) * scale**2, rel=1e-9)


@pytest.mark.filterwarnings("error")
def test_the_excess_of_what_is_certain_or_nearly_so() -> None:
    mean, deviation = np.array([-3.0, 0.0, 3.0]), np.array([0.0, 1e-300, 1e-20, 1e-3])
    excess = expected_excess(np.zeros(1), mean[:, None], deviation)
    np.testing.assert_allclose(excess, np.maximum(mean, 0.0)[:, None] + np.zeros(4), atol=1e-3)
    assert np.all(expected_excess(np.array([1e100]), mean, np.ones(3)) == 0.0)


pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning", "error::UserWarning")


def test_trials_in_flight_keep_others_away() -> None:
    """Little is left of an expected gain that a trial in flight may bring."""
    study = searched(
        RandomSampler(),
        0,
        lambda params, _: truth(params),
        n_random=16,
        n_trials=16,
        directions=("minimize", "minimize"),
    )
    study.sampler = NoisyEHVISampler(0, TOY_OBJECTIVES)
    points = UnitCube(UNIT).encode([study.ask(UNIT).params for _ in range(4)])
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)[np.triu_indices(4, 1)]
    assert distances.min() > 0.05


def test_a_space_that_is_exhausted_is_tried_again_where_it_matters() -> None:
    space = {"n": IntDistribution(0, 3), "c": CategoricalDistribution("ab")}

    def values(params: dict[str, Any], _: object) -> tuple[float, float]:
        return params["n"] - 2 * (params["c"] == "a"), params["n"] ** 2

    sampler = NoisyEHVISampler(1, n_startup_trials=3)
    study = searched(sampler, 1, values, n_random=0, n_trials=16, space=space)
    asked = [(trial.params["n"], trial.params["c"]) for trial in study.trials]
    again = [c for _, c in asked[10:]]
    assert {("b", n) for n in range(4)} == {(c, n) for n, c in asked if c == "b"}
    assert set(again) == {"b"}, "what is certainly dominated is not tried once more"
    assert len(set(asked[10:])) > 1


def test_it_finds_a_noisy_front() -> None:
    """Of 1.1 · 1.1 − 1/3 at most, thirty random trials get a quarter."""
    seeds = range(2)
    ours = [
        true_hypervolume(NoisyEHVISampler(seed, TOY_OBJECTIVES), seed, 16, 32) for seed in seeds
    ]
    by_chance = [true_hypervolume(RandomSampler(), seed, 32, 32) for seed in seeds]
    assert np.mean(ours) > np.mean(by_chance) + 0.4


CATEGORICAL: dict[str, BaseDistribution] = {
    "choice": CategoricalDistribution(("a", "b", "c", "d", "e")),
    "effort": FloatDistribution(1.0, 1000.0, log=True),
    "other": FloatDistribution(0.0, 1.0),
}
WORTH = {"a": 0.0, "b": 4.0, "c": 1.0, "d": 2.0, "e": 0.5}


def worth(params: dict[str, Any], rng: np.random.Generator) -> tuple[float, float]:
    """A noisy score that depends most on the choice, and grows with effort, which is the cost."""
    score = WORTH[params["choice"]] + np.log10(params["effort"]) - (params["other"] - 0.3) ** 2
    return score + 0.5 * rng.standard_normal(), params["effort"]


def test_the_better_choice_is_found_and_kept() -> None:
    """Of five choices chance would take each for a fifth; here b is best at any cost."""
    proposed = []
    for seed in range(2):
        objectives = Objectives(
            scales=(Scale.LINEAR, Scale.LOG),
            reference_point=(0.0, 1000.0),
            noise=lambda trials: np.tile([0.5**2, np.nan], (len(trials), 1)),
        )
        sampler = NoisyEHVISampler(seed, objectives)
        study = searched(sampler, seed, worth, n_random=10, n_trials=24, space=CATEGORICAL)
        proposed += [trial.params["choice"] for trial in study.trials[10:]]
    assert proposed.count("b") > 0.6 * len(proposed)
