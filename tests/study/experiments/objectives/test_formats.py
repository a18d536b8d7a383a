"""Numbers of any magnitude, as people write them."""

import math

import pytest

from study.experiments.objectives import (
    SCORE,
    WIN_RATE,
    Cost,
    cpu_seconds,
    format_seconds,
    reported,
)
from study.experiments.objectives.formats import FittingFormat, significant


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (0.5, "0.5"),
        (43.219, "43.22"),
        (-3.14159, "-3.142"),
        (0.000123, "0.000123"),
        (0.0000012345, "0.000001234"),
        (1e-7, "1e-07"),
        (9999.6, "10,000"),
        (1_234_567.8, "1,234,568"),
        (1e9, "1,000,000,000"),
        (1e12, "1e+12"),
        (math.nan, "nan"),
    ],
)
def test_a_number_alone_has_four_digits(value: float, text: str) -> None:
    assert significant(value) == text


@pytest.mark.parametrize(
    ("value", "half", "text"),
    [
        (0.43124, 0.0021, "0.4312 ± 0.0021 bits"),
        (1_234_567.8, 3200.0, "1,234,568 ± 3,200 bits"),
        (12.3, 0.0996, "12.30 ± 0.10 bits"),
        (-0.000123, 0.0000045, "-0.0001230 ± 0.0000045 bits"),
        (0.0, 0.3, "0.00 ± 0.30 bits"),
        (0.5, 0.0, "0.5 ± 0 bits"),
        (0.5, math.nan, "0.5 ± ? bits"),
        (2e-9, 1e-11, "2e-09 ± 1e-11 bits"),
    ],
)
def test_an_interval_tells_the_decimals(value: float, half: float, text: str) -> None:
    written = FittingFormat(unit="bits", area_unit="bits")
    assert written.interval_with_unit(value, value - half, value + half) == text


def test_one_of_a_word_is_singular_and_one_of_an_abbreviation_is_not() -> None:
    assert FittingFormat(unit="nodes").with_unit(1.0) == "1 node"
    assert FittingFormat(unit="ms").with_unit(1.0) == "1 ms"
    assert FittingFormat(unit="nodes").with_unit(2.5) == "2.5 nodes"


def test_ticks_that_are_close_together_differ() -> None:
    assert FittingFormat().at_axis(1000.002) == "1,000.002"
    assert FittingFormat().at_axis(0.1 + 0.2) == "0.3"


def test_what_ships_is_written_as_before() -> None:
    assert SCORE.format.interval_with_unit(31_523.2, 30_662.2, 32_384.2) == "31,523 ± 861 points"
    assert WIN_RATE.format.interval(0.3, 0.25, 0.36) == "30.0% (25.0% to 36.0%)"
    assert SCORE.format.with_unit(1.0) == "1 point"


def test_costs_of_any_size_and_unit() -> None:
    energy, nodes = reported("energy", unit="joules"), reported("nodes", per="move")
    assert energy.text(0.1234) == "0.1234 joules"
    assert energy.interval(0.1234, 0.1234 / 1.02, 0.1234 * 1.02) == "0.1234 joules ± 2%"
    assert energy.in_words(1.5) == "1.5 joules a game"
    assert energy.option_help == "The most energy a game, in joules."
    assert energy.axis_label == "energy a game, joules"
    assert (nodes.name, nodes.label) == ("nodes_per_move", "nodes a move")
    assert nodes.in_words(1234.0) == "1,234 nodes a move"
    assert nodes.option == "--nodes-per-move"
    a_game = cpu_seconds("game")
    assert (a_game.name, a_game.label) == ("seconds_per_game", "CPU time a game")
    assert a_game.in_words(0.001) == "1.00 ms a game"
    assert a_game.option_help == "The most CPU time a game, in seconds."
    assert cpu_seconds().in_words(0.001) == "1.00 ms a move"
    assert reported("gpu", unit="s").text(0.0123) == "12.3 ms"
    assert Cost("n_sweeps", "sweeps", "n_sweeps").text(37.4) == "37", "counts that ship"
    assert energy.interval(1.0, 0.25, 4.0) == "1 joules ± 300%"


def test_long_times_have_no_exponent() -> None:
    assert format_seconds(12_345.0) == "12,300 s"
    assert format_seconds(999.0) == "999 s"
    assert format_seconds(0.0) == "0 s"
