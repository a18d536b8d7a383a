"""Numbers of any magnitude, as people write them."""

import math
from dataclasses import replace

import pytest

from thetafront.study.experiments.objectives.costs import Cost, cpu_seconds, reported
from thetafront.study.experiments.objectives.formats import (
    FittingFormat,
    beside_unit,
    elo,
    score_of_elo,
    significant,
)
from thetafront.study.experiments.objectives.goals import SCORE, WIN_RATE, exact, match, mean, rate


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


def test_an_empty_label_is_that_of_the_name() -> None:
    for make in (mean, rate, match, exact):
        assert make("hit_rate", label="").label == "hit rate"
    assert reported("size", label="").label == "size per game"


def test_one_has_a_unit_in_the_singular() -> None:
    points, size = exact("value", unit="points"), reported("size", unit="bytes")
    assert points.format.interval_with_unit(1.0, 1.0, 1.0) == "1 point"
    assert points.format.interval_with_unit(2.0, 2.0, 2.0) == "2 points"
    assert [size.text(1.0), size.interval(1.0, 1.0, 1.0)] == ["1 byte", "1 byte"]
    assert size.in_words(1.0) == "1 byte per game"
    for unit, one in {
        "bytes/s": "bytes/s",
        "boxes": "boxes",
        "CPU hours": "CPU hour",
        "ms": "ms",
        "degrees Celsius": "degrees Celsius",
        "tokens per bus": "token per bus",
        "series": "series",
        "bits per pass": "bits per pass",
    }.items():
        assert beside_unit("1", unit) == f"1 {one}"
    assert reported("wait", unit="ms").text(1.0) == "1 ms"


@pytest.mark.parametrize(
    ("value", "half", "text"),
    [
        (0.43124, 0.0021, "0.4312 ± 0.0021 bits"),
        (1_234_567.8, 3200.0, "1,234,568 ± 3,200 bits"),
        (12.3, 0.0996, "12.30 ± 0.10 bits"),
        (-0.000123, 0.0000045, "-0.0001230 ± 0.0000045 bits"),
        (0.0, 0.3, "0.00 ± 0.30 bits"),
        (0.5, 0.0, "0.5 ± ? bits"),
        (0.5, math.nan, "0.5 ± ? bits"),
        (2e-9, 1e-11, "2e-09 ± 1e-11 bits"),
    ],
)
def test_an_interval_tells_the_decimals(value: float, half: float, text: str) -> None:
    written = FittingFormat(unit="bits", area_unit="bits")
    assert written.interval_with_unit(value, value - half, value + half) == text


def test_a_unit_is_singular_beside_1_and_ticks_close_together_differ() -> None:
    nodes, milliseconds = FittingFormat(unit="nodes"), FittingFormat(unit="ms")
    assert [nodes.with_unit(each) for each in (1.0, 2.5)] == ["1 node", "2.5 nodes"]
    assert milliseconds.with_unit(1.0) == "1 ms", "an abbreviation"
    assert [nodes.at_axis(each) for each in (1000.002, 0.1 + 0.2)] == ["1,000.002", "0.3"]


def test_values_that_are_compared_look_different() -> None:
    bits = FittingFormat(unit="bits")
    assert bits.texts(1.00002, 1.00001, 1.00002) == ["1.00002", "1.00001", "1.00002"]
    assert bits.texts(12.0, 13.0) == ["12", "13"]
    assert bits.texts(1000005.14, 1000005.12) == ["1,000,005.14", "1,000,005.12"]
    assert bits.texts(0.1 + 0.2, 0.3) == ["0.3", "0.3"]
    assert WIN_RATE.format.texts(0.9951, 0.995) == ["99.51%", "99.50%"]
    assert WIN_RATE.format.ticks([0.99, 0.995, 1.0]) == ["99.0%", "99.5%", "100.0%"]
    assert WIN_RATE.format.ticks([0.98, 0.99]) == ["98%", "99%"]
    assert SCORE.format.texts(61234.4, 61234.1) == ["61,234.4", "61,234.1"]


def test_values_between_bounds_have_ends() -> None:
    """No ± that would leave the bounds, and none of 0."""
    of_both = mean("result", low=0, high=1).format
    assert of_both.interval(0.93124, 0.8912, 0.9612) == "0.931 (0.891 to 0.961)"
    assert of_both.interval(1.0, 0.785, 1.0) == "1.00 (0.79 to 1.00)"
    assert mean("loss", low=0).format.interval(0.5, math.nan, math.nan) == "0.5 ± ?"
    exact_error = exact("error", low=0, high=1).format
    assert exact_error.interval(0.25, 0.25, 0.25) == "0.25"
    assert exact_error.interval(0.02, 0.0, 0.1) == "0.020 (0.000 to 0.100)"
    assert SCORE.format.interval(500.0, 500.0, 500.0) == "500 ± ?"


def test_a_match_is_shown_as_elo_too() -> None:
    """76% are 200 points by the Elo formula, and 64% are 100."""
    assert elo(0.7597) == pytest.approx(200.0, abs=0.1)
    assert score_of_elo(100.0) == pytest.approx(0.64, abs=0.001)
    for difference in (-350.0, 0.0, 20.0):
        assert elo(score_of_elo(difference)) == pytest.approx(difference)
    assert [score_of_elo(each) for each in (-1e6, 1e6)] == [0.0, 1.0]
    written = match().format.interval
    assert written(0.6, 0.5, 0.7) == "60.0% (50.0% to 70.0%), Elo +70 (+0 to +147)"
    assert written(1.0, 0.785, 1.0) == "100.0% (78.5% to 100.0%), Elo > +600 (+225 to > +600)"
    assert written(0.0, 0.0, 0.3).endswith("Elo < −600 (< −600 to −147)")
    assert match().format.interval(0.4, math.nan, math.nan).endswith("Elo −70 (? to ?)")


def test_costs_of_any_size_and_unit() -> None:
    energy, nodes = reported("energy", unit="joules"), reported("nodes", per="move")
    assert energy.text(0.1234) == "0.1234 joules"
    assert energy.interval(0.1234, 0.1234 / 1.02, 0.1234 * 1.02) == "0.1234 joules ± 2%"
    assert energy.in_words(1.5) == "1.5 joules per game"
    assert energy.option_help == "Limit: energy per game, in joules."
    assert energy.axis_label == "energy per game, joules"
    assert (nodes.name, nodes.label) == ("nodes_per_move", "nodes per move")
    assert nodes.in_words(1234.0) == "1,234 nodes per move"
    assert nodes.bound == "max_nodes_per_move"
    a_game = cpu_seconds("game")
    assert (a_game.name, a_game.label) == ("seconds_per_game", "CPU time per game")
    assert a_game.in_words(0.001) == "1.00 ms per game"
    named = replace(a_game, label="CPU time of a block per slice")
    assert named.in_words(0.001) == "1.00 ms per slice"
    assert replace(a_game, label="time to solve a maze").in_words(0.001) == "1.00 ms per game"
    assert a_game.option_help == "Limit: CPU time per game, such as 100us or 0.0001 (seconds)."
    assert cpu_seconds().in_words(0.001) == "1.00 ms per move"
    assert reported("gpu", unit="s").text(0.0123) == "12.3 ms"
    assert Cost("n_sweeps", "sweeps", "n_sweeps").text(37.4) == "37", "counts that ship"
    assert energy.interval(1.0, 0.25, 4.0) == "1 joule ± 300%"
