"""Search spaces: bounds kept through every transformation, and the way back."""

import json
import math

import numpy as np
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

from thetafront.study.errors import InputError
from thetafront.study.experiments.dimension import (
    CategoricalParameter,
    NumericParameter,
    range_text,
)
from thetafront.study.experiments.registry import EXPERIMENTS
from thetafront.study.experiments.space import Space
from thetafront.study.log.manifest import ROOT
from thetafront.study.samplers.encoding import UnitCube

CHOICE = CategoricalParameter("leaf", ("random", "score", "weights_a"), symbol="U")
PARAMETERS = [
    NumericParameter("linear", 0.05, 1.0),
    NumericParameter("log", 1.0, 10.0, log=True),
    NumericParameter("whole", -2, 3, integer=True),
    NumericParameter("whole_log", 16, 2048, integer=True, log=True),
    NumericParameter("steps", 0.1, 1.0, step=0.1),
    NumericParameter("whole_steps", 100, 4100, integer=True, step=1000),
]


@pytest.mark.parametrize("parameter", PARAMETERS, ids=lambda p: p.name)
def test_values_stay_in_bounds_and_come_back(parameter: NumericParameter) -> None:
    """exp(log 10) is above 10; optuna would draw another point at random, and say nothing."""
    assert math.exp(math.log(10.0)) > 10.0
    for u in [0.0, 1.0, *np.linspace(0, 1, 997)]:
        value = parameter.from_unit(u)
        assert parameter.low <= value <= parameter.high
        assert parameter.check(value) == value
        again = parameter.from_unit(parameter.to_unit(value))
        assert again == pytest.approx(value, rel=1e-12)
        assert parameter.distribution()._contains(parameter.distribution().to_internal_repr(value))
    assert parameter.from_unit(0.0) == parameter.low
    assert parameter.from_unit(1.0) == parameter.high


def test_steps_are_met_equally_often_and_are_round() -> None:
    """0.1 + 2·0.1 is not 0.3."""
    parameter = NumericParameter("steps", 0.1, 0.7, step=0.2)
    values = [parameter.from_unit(u) for u in (np.arange(4000) + 0.5) / 4000]
    assert {value: values.count(value) for value in values} == dict.fromkeys(
        (0.1, 0.3, 0.5, 0.7), 1000
    )
    whole = NumericParameter("whole", 0, 3, integer=True)
    values = [whole.from_unit(u) for u in (np.arange(4000) + 0.5) / 4000]
    assert [values.count(k) for k in range(4)] == [1000] * 4
    assert all(isinstance(value, int) for value in values)
    assert parameter.tidy(0.52) == parameter.clip(0.41) == 0.5
    record = json.loads(json.dumps(parameter.as_record()))
    assert Space.from_records([record]).parameters == (parameter,)
    assert "step" not in PARAMETERS[0].as_record(), "studies of before have none"


def test_values_between_steps_are_refused() -> None:
    parameter = NumericParameter("steps", 0.1, 0.7, step=0.2)
    with pytest.raises(
        InputError, match=r"^steps must be between 0.1 and 0.7 in steps of 0.2 \(got 0.4\)$"
    ):
        parameter.check(0.4)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"step": 0.4}, "not a whole number of steps of 0.4"),
        ({"step": 0.7}, "steps of 0.7 do not fit"),
        ({"step": -0.1}, "steps of -0.1 do not fit"),
        ({"step": math.inf}, "steps of inf do not fit"),
        ({"step": 0.1, "log": True}, "steps need a linear scale"),
    ],
)
def test_steps_that_do_not_fit_are_refused(options: dict[str, float], said: str) -> None:
    with pytest.raises(ValueError, match=f"^steps: .*{said}"):
        NumericParameter("steps", **{"low": 0.1, "high": 0.7, **options})  # type: ignore[arg-type]


def test_optuna_is_told_the_same() -> None:
    space = Space((*PARAMETERS, CHOICE))
    assert space.distributions() == {
        "linear": FloatDistribution(0.05, 1.0),
        "log": FloatDistribution(1.0, 10.0, log=True),
        "whole": IntDistribution(-2, 3),
        "whole_log": IntDistribution(16, 2048, log=True),
        "steps": FloatDistribution(0.1, 1.0, step=0.1),
        "whole_steps": IntDistribution(100, 4100, step=1000),
        "leaf": CategoricalDistribution(("random", "score", "weights_a")),
    }


def test_the_space_of_mcmdp_is_the_one_agreed() -> None:
    bounds = {p.name: (p.low, p.high, p.integer, p.log) for p in EXPERIMENTS["mcmdp"].space}
    assert bounds == {
        "theta1": (16, 2048, True, True),
        "theta2": (8, 512, True, True),
        "theta3": (4, 256, True, True),
        "theta4": (2, 64, True, True),
        "theta5": (1.0, 10.0, False, True),
        "theta6": (0.05, 1.0, False, False),
    }


@pytest.mark.parametrize("value", [-3, 4, 0.5, float("nan")])
def test_values_that_are_not_allowed_are_named(value: float) -> None:
    with pytest.raises(InputError, match=r"whole must be an integer from -2 to 3 \(got .*\)"):
        PARAMETERS[2].check(value)


@pytest.mark.parametrize(
    "bounds",
    [
        {"low": 1, "high": 1},
        {"low": 0, "high": float("inf")},
        {"low": 0, "high": 1, "log": True},
        {"low": 0.5, "high": 2, "integer": True},
    ],
)
def test_bounds_that_are_none_are_refused(bounds: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="p: "):
        NumericParameter("p", **bounds)


def test_words_share_the_unit_interval_equally_and_come_back() -> None:
    words = [CHOICE.from_unit(u) for u in (np.arange(3000) + 0.5) / 3000]
    assert words == ["random"] * 1000 + ["score"] * 1000 + ["weights_a"] * 1000
    assert (CHOICE.from_unit(0.0), CHOICE.from_unit(1.0)) == ("random", "weights_a")
    for word in CHOICE.choices:
        assert CHOICE.from_unit(CHOICE.to_unit(word)) == word
        assert CHOICE.clip(word) == CHOICE.check(word) == CHOICE.tidy(word) == word
    assert [CHOICE.to_unit(word) for word in CHOICE.choices] == pytest.approx([1 / 6, 1 / 2, 5 / 6])


def test_a_space_of_both_kinds_goes_to_the_cube_and_back() -> None:
    space = Space((*PARAMETERS, CHOICE))
    assert space.categorical == (CHOICE,)
    for point in np.random.default_rng(0).random((200, len(space))):
        values = space.from_unit(point.tolist())
        back = space.from_unit(space.to_unit(values))
        assert back.pop("leaf") == values.pop("leaf")
        assert back == pytest.approx(values, rel=1e-12)


@pytest.mark.parametrize("value", ["Random", "", 0, math.nan])
def test_words_that_are_not_allowed_are_named(value: str | float) -> None:
    for refuse in (CHOICE.check, CHOICE.clip, CHOICE.to_unit):
        with pytest.raises(InputError, match=r"leaf must be one of random, score, weights_a"):
            refuse(value)
    with pytest.raises(InputError, match=r"whole must be an integer from -2 to 3 \(got 'score'\)"):
        PARAMETERS[2].check("score")


def test_values_are_written_for_people() -> None:
    linear, log, whole, *_ = PARAMETERS
    assert [whole.cell(2), log.cell(6.25), linear.cell(1.0), log.cell(1234.5)] == [
        "2",
        "6.25",
        "1.00",
        "1234",
    ]
    assert [whole.text(2), log.text(6.25), log.text(1234.5)] == ["2", "6.25", "1234.5"]
    assert NumericParameter("n", 1, 10**7, integer=True).text(8845179) == "8845179"
    narrow = [NumericParameter("x", *ends) for ends in ((0, 0.004), (300, 300.5), (0, 500))]
    cells = [
        each.cell(value) for each, value in zip(narrow, (0.00123, 300.254, 300.254), strict=True)
    ]
    assert cells == ["0.0012", "300.25", "300"]
    assert [
        log.tidy(1.23456),
        whole.tidy(3),
        NumericParameter("n", 1, 9999, integer=True).tidy(1234),
    ] == [
        1.23,
        3,
        1234,
    ]
    assert [CHOICE.cell("score"), CHOICE.text("score"), CHOICE.label] == ["score", "score", "U"]
    numbers = CategoricalParameter("n", (131072, 0.1234567))
    assert [numbers.text(each, 4) for each in (131072.0, 0.1234567)] == ["131072", "0.1234567"]
    assert NumericParameter("x", 0, 1e6).text(12345.678, 3) == "12300"


@pytest.mark.parametrize("ends", [(0.999, 0.9999), (1000.0, 1001.0), (-5e6, -4.999e6), (0.0, 1.0)])
def test_tidy_values_of_narrow_ranges_differ(ends: tuple[float, float]) -> None:
    parameter = NumericParameter("x", *ends)
    tidy = {parameter.tidy(value) for value in np.linspace(*ends, 100)}
    assert len(tidy) > 60
    assert max(len(f"{value:.12g}".strip("-0.")) for value in tidy) < 9


def test_bounds_of_numpy_are_plain_numbers() -> None:
    made = NumericParameter("n", np.int64(1), np.int64(9), integer=True, step=np.float32(2))
    assert json.loads(json.dumps(made.as_record()))["high"] == 9
    tiny = NumericParameter("x", 0, 1e-10, step=1e-11)
    assert len({tiny.clip(value) for value in np.linspace(0, 1e-10, 101)}) == 11


@pytest.mark.parametrize(
    ("low", "high", "n_steps"),
    [(0, math.pi, 8), (-math.e, math.pi, 7), (0, 1, 7), (1e10, 1e10 + 1, 1000)],
)
def test_all_values_of_any_grid_can_be_reached(low: float, high: float, n_steps: int) -> None:
    """Optuna drops the upper bound if the decimals are not a whole number of steps apart."""
    parameter = NumericParameter("x", low, high, step=(high - low) / n_steps)
    cube = UnitCube.from_space(Space((parameter,)))
    values = {parameter.from_unit(u) for u in np.linspace(0, 1, 20_001)}
    assert len(values) == n_steps + 1
    assert {low, high} <= values
    assert len({*cube.encode([{"x": value} for value in values])[:, 0]}) == n_steps + 1
    assert all(parameter.distribution()._contains(value) for value in values)
    assert all(parameter.check(value) == value for value in values)


def test_unknown_parameters_are_refused() -> None:
    with pytest.raises(InputError, match=r"must have only .* \(got dpeth\)"):
        Space(PARAMETERS).completed({"dpeth": 3})
    with pytest.raises(ValueError, match=r"must be a sequence, such as \(NumericParameter"):
        Space(NumericParameter("x", 1, 2))  # type: ignore[arg-type]


def test_rounding_errors_do_not_leave_the_grid() -> None:
    """Earlier versions stored such values of optuna's samplers."""
    steps = NumericParameter("x", 0, 1, step=0.1)
    assert steps.check(0.1 + 2 * 0.1) == pytest.approx(0.3)
    with pytest.raises(InputError, match=r"in steps of 0.1 \(got 0.3001\)"):
        steps.check(0.3001)


def test_records_are_plain_data_that_say_what_is_allowed() -> None:
    space = Space((*PARAMETERS, CHOICE))
    records = space.as_records()
    assert json.loads(json.dumps(records)) == records
    assert [range_text(record) for record in records[2:]] == [
        "whole -2 to 3",
        "whole_log 16 to 2048",
        "steps 0.1 to 1 in steps of 0.1",
        "whole_steps 100 to 4100 in steps of 1000",
        "leaf random, score, weights_a",
    ]


PUBLISHED = ("dice_study", "heuristic", "mcmdp", "ntuple", "pacman", "switching", "uct")


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_studies_have_the_spaces_that_agents_declare(name: str) -> None:
    """A study is resumed by comparing its record: names, order, bounds, scales, choices."""
    manifest = ROOT / "results" / "reference" / name / "manifest.json"
    made = json.loads(manifest.read_text(encoding="utf-8"))
    assert made["space"] == EXPERIMENTS[made["experiment"]].space.as_records()
