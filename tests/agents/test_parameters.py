"""Numbers of things: what counts is an integer in its range, and the message says both."""

import math

import numpy as np
import pytest

from agents.parameters import check_count


@pytest.mark.parametrize("value", [1, 5, np.int64(3), np.uint8(5)])
def test_integers_in_range_pass(value: int) -> None:
    check_count("n", value, 1, 5)
    check_count("n", value, 1)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0, "n: 0 given, 1 to 5 allowed"),
        (6, "n: 6 given, 1 to 5 allowed"),
        (1.5, "n: 1.5 given, an integer from 1 to 5 allowed"),
        (2.0, "n: 2.0 given, an integer from 1 to 5 allowed"),
        (True, "n: True given, an integer from 1 to 5 allowed"),
        (math.nan, "n: nan given, an integer from 1 to 5 allowed"),
    ],
)
def test_all_else_is_refused_with_what_is_allowed(value: float, said: str) -> None:
    with pytest.raises(ValueError, match=f"^{said}$"):
        check_count("n", value, 1, 5)


def test_there_may_be_no_upper_end() -> None:
    with pytest.raises(ValueError, match=r"^n: -1 given, 0 or more allowed$"):
        check_count("n", -1, 0)
    with pytest.raises(ValueError, match=r"^n: 0.5 given, an integer of 0 or more allowed$"):
        check_count("n", 0.5, 0)
