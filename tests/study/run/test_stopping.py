"""How well validated points are to be known: what may be asked for, and the games it takes."""

import json
import math
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from thetafront.study.cluster.executors import executor_for
from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives.goals import EXACT_SCORE, SCORE, WIN_RATE, Goal, mean
from thetafront.study.log.seeds import SEEDS_A_POINT
from thetafront.study.run.options import SweepOptions
from thetafront.study.run.orders import SweepOrder
from thetafront.study.run.stopping import (
    DEFAULT_GAMES,
    GAMES_OF_EXACT,
    MIN_GAMES,
    Precision,
    RegretTarget,
)


def test_numbers_of_numpy_can_be_stored() -> None:
    made = Precision(np.float32(0.5), np.int64(20), np.int64(3))
    assert json.dumps(asdict(made)).startswith(
        '{"standard_error": 0.5, "most_games": 20, "n_points": 3'
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"standard_error": 0.0}, "standard error must be a finite number above 0 (got 0)"),
        ({"standard_error": -3.5}, "standard error must be a finite number above 0 (got -3.5)"),
        (
            {"standard_error": math.inf},
            "standard error must be a finite number above 0 (got inf)",
        ),
        (
            {"standard_error": math.nan},
            "standard error must be a finite number above 0 (got nan)",
        ),
        ({"most_games": 1}, "validation games must be between 2 and 400000 (got 1)"),
        ({"most_games": 400_001}, "validation games must be between 2 and 400000 (got 400001)"),
        ({"n_points": 0}, "validation points must be between 2 and 1000 (got 0)"),
        ({"n_points": 1001}, "validation points must be between 2 and 1000 (got 1001)"),
    ],
)
def test_a_precision_out_of_range_is_refused_in_one_line(
    given: dict[str, float], message: str
) -> None:
    with pytest.raises(InputError) as refused:
        Precision(**given)  # type: ignore[arg-type]
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("given", "goal", "text"),
    [
        ("2000", SCORE, "2,000 points"),
        ("0.5", SCORE, "0.5 points"),
        ("2%", SCORE, "2%"),
        ("0.08", WIN_RATE, "8 percentage points"),
        ("0.01", WIN_RATE, "1 percentage point"),
        ("8%", WIN_RATE, "8%"),
        ("1.5", mean("gain", unit="%"), "1.5 percentage points"),
    ],
)
def test_a_target_has_the_unit_of_the_goal(given: str, goal: Goal, text: str) -> None:
    assert RegretTarget.from_text(given).text_in(goal) == text


def of_deviation(deviation: int, n: int) -> tuple[int, float]:
    """Number and sample variance of scores, half of them above 5000 and half below."""
    return n, deviation**2 * n / max(n - 1, 1)


def test_few_games_do_not_say_how_many_are_needed() -> None:
    precision = Precision(standard_error=1.0, most_games=5000)
    for n in (0, 2, 98):
        assert precision.n_wanted(*of_deviation(900, n)) == MIN_GAMES == 100
    assert Precision(standard_error=1.0, most_games=30).n_wanted(*of_deviation(50_000, 2)) == 30


def test_games_wanted_are_the_variance_over_the_squared_error() -> None:
    """Deviation 1000 in 100 games: variance 10⁶·100/99 = 1,010,101; an error of 40 takes 632."""
    scores = of_deviation(1000, 100)
    assert Precision(standard_error=40.0, most_games=5000).n_wanted(*scores) == 632
    assert Precision(standard_error=40.0, most_games=600).n_wanted(*scores) == 600, "the cap"
    assert Precision(standard_error=200.0, most_games=600).n_wanted(*scores) == 100, "the fewest"
    more = of_deviation(1000, 700)
    assert Precision(standard_error=40.0, most_games=5000).n_wanted(*more) == 700, "they are there"
    assert Precision(standard_error=40.0, most_games=30).n_wanted(*of_deviation(1000, 30)) == 30


def test_an_open_end_continues_beyond_what_is_wanted() -> None:
    """Up to as many games as a point has seeds of its own."""
    precision = Precision(standard_error=200.0, most_games=600, open_end=True)
    assert precision.n_wanted(*of_deviation(1000, 100)) == 100, "the aim is as before"
    assert precision.n_allowed(100) == SEEDS_A_POINT == 20_000
    assert precision.n_allowed(30_000) == 30_000
    assert Precision().n_allowed(700) == 700


def test_exact_scores_are_timed_as_often_as_asked() -> None:
    precision = Precision.from_options(EXACT_SCORE, None, 500, 12)
    assert precision.n_wanted(100, 0.0) == 500
    assert Precision.from_options(EXACT_SCORE, None, None, 12).n_wanted(0, 0.0) == GAMES_OF_EXACT


@pytest.mark.parametrize(
    ("goal", "target", "expected"),
    [
        (mean("score"), "5%", (None, DEFAULT_GAMES)),
        (SCORE, "5%", (500.0, SEEDS_A_POINT)),
        (mean("score"), "8", (2.0, SEEDS_A_POINT)),
    ],
)
def test_a_share_of_a_goal_without_a_standard_error_asks_for_few_games(
    coin: Experiment, tmp_path: Path, goal: Goal, target: str, expected: tuple[float | None, int]
) -> None:
    experiment = replace(coin, goal=replace(goal, sample="score"))
    asked = SweepOptions(until_regret=target, results=tmp_path)
    order = SweepOrder.from_options(experiment, asked, executor_for(1, None, None))
    assert order.precision is not None
    assert (order.precision.standard_error, order.precision.most_games) == expected


def test_a_regret_is_given_in_the_goal_s_unit_or_as_a_share() -> None:
    expected = np.array([1000.0, -4000.0])
    assert RegretTarget.from_text("250").allowed(expected).tolist() == [250.0, 250.0]
    assert RegretTarget.from_text(" 2.5%").allowed(expected).tolist() == [25.0, 100.0]


@pytest.mark.parametrize("given", ["0", "-3", "nan", "inf", "0%", "many", "%", ""])
def test_a_regret_that_cannot_be_is_refused(given: str) -> None:
    with pytest.raises(InputError, match="must be a number above 0 or a percentage such as 2%"):
        RegretTarget.from_text(given)
