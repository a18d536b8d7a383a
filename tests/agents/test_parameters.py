"""Parameters: what is allowed passes, and all else is refused by name with what is allowed."""

import math
import re
import sys
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import pytest

from thetafront.agents.parameters import (
    MAX_INTEGER,
    Domain,
    IntegerRange,
    RealRange,
    categorical,
    check_parameters,
    declared_parameters,
    flag,
    inherited,
    integer,
    plain_values,
    real,
)


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Settings:
    n: int = integer(2, 1, 5)
    share: float = real(0.5, 0, 1, open_low=True)
    large: float = real(1.0, 0)
    colour: Colour = categorical(Colour.RED)
    quick: bool = flag()
    other: str = "not a parameter"

    def __post_init__(self) -> None:
        check_parameters(self)


@pytest.mark.parametrize(
    ("domain", "value"),
    [
        (IntegerRange(1, 5), 1),
        (IntegerRange(1, 5), 5),
        (IntegerRange(1, 5), np.int64(3)),
        (IntegerRange(1, 5), np.uint8(5)),
        (IntegerRange(1), 10**30),
        (RealRange(0, 1), 0),
        (RealRange(0, 1, open_low=True), np.float64(1e-300)),
        (RealRange(0), 1e300),
        (RealRange(0, 5, whole=True), 5.0),
        (RealRange(0, 5, whole=True), np.int64(2)),
    ],
)
def test_values_in_range_pass(domain: Domain, value: float) -> None:
    assert domain.check("x", value) == value


def test_there_is_one_zero() -> None:
    assert math.copysign(1.0, RealRange(0, 1).check("x", -0.0)) == 1.0


@pytest.mark.parametrize(
    ("domain", "value", "said"),
    [
        (IntegerRange(1, 5), 0, "x must be an integer from 1 to 5 (got 0)"),
        (IntegerRange(-MAX_INTEGER, 5), 6, "x must be an integer of at most 5 (got 6)"),
        (RealRange(-sys.float_info.max, 5.0), 6.0, "x must be a number of at most 5 (got 6)"),
        (IntegerRange(1, 5), 1.5, "x must be an integer from 1 to 5 (got 1.5)"),
        (IntegerRange(1, 5), 2.0, "x must be an integer from 1 to 5 (got 2.0)"),
        (IntegerRange(1, 5), True, "x must be an integer from 1 to 5 (got True)"),
        (IntegerRange(1, 5), math.nan, "x must be an integer from 1 to 5 (got nan)"),
        (IntegerRange(0), -1, "x must be an integer of 0 or more (got -1)"),
        (RealRange(0, 1), 1.5, "x must be between 0 and 1 (got 1.5)"),
        (RealRange(0, 1), 1 + 2**-52, "x must be between 0 and 1 (got 1.0000000000000002)"),
        (RealRange(0, 1), math.nan, "x must be between 0 and 1 (got nan)"),
        (RealRange(0, 1), "much", "x must be between 0 and 1 (got 'much')"),
        (RealRange(0, 1, open_low=True), 0.0, "x must be above 0 and up to 1 (got 0)"),
        (RealRange(0, 5, whole=True), 1.5, "x must be a whole number from 0 to 5 (got 1.5)"),
        (RealRange(0, 5, whole=True), 6.0, "x must be a whole number from 0 to 5 (got 6)"),
        (RealRange(0), math.inf, "x must be a finite number of 0 or more (got inf)"),
    ],
)
def test_all_else_is_refused(domain: Domain, value: float, said: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        domain.check("x", value)


def test_fields_are_checked_and_converted() -> None:
    assert plain_values(Settings()) == {
        "n": 2,
        "share": 0.5,
        "large": 1.0,
        "colour": "red",
        "quick": 0,
    }
    made = Settings(colour="blue", quick=1)  # type: ignore[arg-type]
    assert made.colour is Colour.BLUE
    assert made.quick is True
    with pytest.raises(ValueError, match=r"^colour must be one of red, blue \(got 'green'\)$"):
        Settings(colour="green")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^quick must be 0 or 1 \(got 2\)$"):
        Settings(quick=2)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [("n", 3.0, 3), ("share", 1, 1.0), ("colour", "blue", Colour.BLUE), ("quick", 1.0, True)],
)
def test_numbers_and_text_become_values(name: str, given: float, expected: object) -> None:
    found = declared_parameters(Settings)[name].from_number(given)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("n", 1.5, "n must be an integer from 1 to 5 (got 1.5)"),
        ("n", 1e300, "n must be an integer from 1 to 5 (got 1e+300)"),
        ("n", math.inf, "n must be an integer from 1 to 5 (got inf)"),
        ("n", "two", "n must be an integer from 1 to 5 (got 'two')"),
        ("colour", 1.0, "colour must be one of red, blue (got 1)"),
        ("quick", "yes", "quick must be 0 or 1 (got 'yes')"),
    ],
)
def test_numbers_and_text_are_refused(name: str, given: float, said: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        declared_parameters(Settings)[name].from_number(given)


@dataclass(frozen=True)
class Larger(Settings):
    n: int = inherited(Settings, "n", 4)


def test_a_default_may_be_another_ones() -> None:
    assert (Settings().n, Larger().n) == (2, 4)
    assert list(declared_parameters(Larger)) == list(declared_parameters(Settings))
    with pytest.raises(ValueError, match=r"n must be an integer from 1 to 5 \(got 6\)"):
        Larger(6)
