"""What a move costs, by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest

from thetafront.agents.external.report import ReportedGame
from thetafront.agents.twenty48.agent import Game2048 as Game
from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives.costs import PLAYOUT_MOVES, SECONDS, Cost, reported
from thetafront.study.experiments.objectives.formats import format_seconds


def game(n_moves: int, seconds: float, n_playout_moves: int) -> Game:
    return Game(0, 1000, n_moves, seconds, n_playout_moves, 128, 0)


GAMES = [game(100, 0.5, 20_000), game(300, 2.5, 100_000)]


def test_costs_are_over_all_moves_and_no_mean_of_ratios() -> None:
    """3 s and 120,000 playout moves over 400 moves; the mean of both games' ratios is less."""
    assert SECONDS.value(GAMES) == pytest.approx(3.0 / 400)
    assert PLAYOUT_MOVES.value(GAMES) == pytest.approx(300.0)
    assert SECONDS.value(GAMES[:1]) == pytest.approx(0.005)
    assert math.isnan(SECONDS.value([]))
    assert [PLAYOUT_MOVES.text(each) for each in (1234567.4, 12.0)] == ["1,234,567", "12"]
    assert PLAYOUT_MOVES.value(GAMES[:1]) == pytest.approx(200.0)


def test_equal_counts_have_the_same_cost_whatever_the_number_of_games() -> None:
    """The mean of eight times 0.1 is 0.09999999999999999."""
    tenths = Cost("energy_per_game", "energy", "seconds", per_move=False)
    games = [game(100, 0.1, 1)] * 30
    assert tenths.value(games[:8]) == tenths.value(games) == 0.1


def test_a_count_of_games_that_are_alike_is_exact_unless_it_varies() -> None:
    """One game cannot show that a count varies, but two games of another θ can."""
    alike, other, single = game(200, 1.0, 40_000), game(100, 1.0, 30_000), game(10, 1.0, 50)
    same, varying = ([[GAMES[0], each], [single]] for each in (alike, other))
    assert PLAYOUT_MOVES.log_variances(same, are_alike=True).total.tolist() == [0.0, 0.0]
    assert (PLAYOUT_MOVES.log_variances(varying, are_alike=True).total > 0.0).all()
    assert PLAYOUT_MOVES.log_variances([[single]], are_alike=True).total.tolist() == [0.0]


@pytest.mark.parametrize(
    ("field", "unit", "is_timed"),
    [
        ("predict", "us", True),
        ("predict", "\u00b5s", True),
        ("predict", "\u03bcs", True),
        ("predict", "seconds", True),
        ("predict_us", "", True),
        ("elapsed", "", True),
        ("predict", "", False),
        ("elapsed", "nodes", False),
        ("latency", "ks", False),
    ],
)
def test_a_reported_time_drifts_with_the_machine(field: str, unit: str, is_timed: bool) -> None:
    """Points that take turns share the error of times, but not that of counts."""
    cost = reported(field, unit=unit)
    random = np.random.default_rng(3)
    costs = np.repeat([10.0, 13.0], 100) * np.exp(random.normal(0.0, 0.01, 200))
    games = [ReportedGame(seed, 0.0, 1, 1.0, {field: each}) for seed, each in enumerate(costs)]
    variances = cost.log_variances([games[:100], games[100:]])
    assert cost.is_timed == is_timed
    assert (variances.shared > 0.0) == is_timed
    assert cost.text(2.0) == f"2 {unit}".strip()


def test_a_unit_at_the_end_of_a_field_is_not_repeated() -> None:
    assert reported("work_ms", unit="ms").label == "work per game"
    assert reported("work_ms").label == "work ms per game"
    assert reported("work_ms", unit="ms").name == "work_ms_per_game"


def test_an_unknown_cost_is_named(quick: Experiment) -> None:
    assert quick.by("playout_moves_per_move").cost is PLAYOUT_MOVES
    assert quick.by(None) is quick
    with pytest.raises(InputError) as refused:
        quick.by("joules")
    assert (
        str(refused.value)
        == "cost must be one of seconds_per_move, playout_moves_per_move (got 'joules')"
    )


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 s"),
        (3.2e-9, "3.20 ns"),
        (4e-8, "40.0 ns"),
        (9.996e-6, "10.0 µs"),
        (183e-6, "183 µs"),
        (1.25e-3, "1.25 ms"),
        (0.0009999, "1.00 ms"),
        (0.01, "10.0 ms"),
        (0.99949, "999 ms"),
        (0.9996, "1.00 s"),
        (12.34, "12.3 s"),
        (123.4, "123 s"),
        (999.0, "999 s"),
        (12_345.0, "12,300 s"),
    ],
)
def test_seconds_are_shown_with_three_digits_and_a_unit(seconds: float, text: str) -> None:
    assert SECONDS.text(seconds) == format_seconds(seconds) == text


@pytest.mark.parametrize(
    ("cost", "given", "value", "written"),
    [
        (SECONDS, "100us", 1e-4, "100us"),
        (SECONDS, "0.0001", 1e-4, "100us"),
        (SECONDS, 2.5, 2.5, "2.5s"),
        (SECONDS, "1.5ms", 1.5e-3, "1.5ms"),
        (SECONDS, "7812345s", 7_812_345.0, "7810000s"),
        (PLAYOUT_MOVES, "2000", 2000.0, "2000"),
        (replace(PLAYOUT_MOVES, unit="h"), "19.5 h", 19.5, "19.5"),
        (replace(PLAYOUT_MOVES, unit="us"), "2000ns", 2.0, "2"),
        (replace(PLAYOUT_MOVES, unit="us"), "2 us", 2.0, "2"),
        (replace(PLAYOUT_MOVES, unit="minutes"), "90s", 1.5, "1.5"),
    ],
)
def test_limits_are_read_and_written(
    cost: Cost, given: str | float, value: float, written: str
) -> None:
    assert cost.read(given) == pytest.approx(value)
    assert cost.argument(value) == written
    assert cost.read(written) == pytest.approx(value, rel=1e-3)
