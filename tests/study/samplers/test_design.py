"""Initial designs: the properties that give them their names."""

from collections import Counter

import numpy as np
import pytest

from thetafront.study.errors import InputError
from thetafront.study.experiments.dimension import CategoricalParameter, NumericParameter
from thetafront.study.experiments.space import Space
from thetafront.study.samplers.design import draw_design

UNIT = Space(tuple(NumericParameter(f"x{k}", 0.0, 1.0) for k in range(6)))


def points(name: str, n: int, seed: int) -> np.ndarray:
    return np.array([list(point.values()) for point in draw_design(name, UNIT, n, seed)])


@pytest.mark.parametrize("name", ["sobol", "lhs"])
def test_every_sixteenth_of_every_axis_has_one_of_sixteen_points(name: str) -> None:
    """A Latin hypercube by construction; scrambled Sobol as a (t, m, 6)-net in base 2."""
    assert (points(name, 16, 1) == points(name, 16, 1)).all()
    assert (points(name, 16, 1) != points(name, 16, 2)).any(), "the seed decides"
    for seed in range(5):
        cells = np.floor(points(name, 16, seed) * 16).astype(int)
        assert (np.sort(cells, axis=0) == np.arange(16)[:, None]).all()


@pytest.mark.parametrize(("name", "n"), [("sobol", 16), ("sobol", 64), ("lhs", 13), ("lhs", 20)])
def test_every_choice_occurs_as_often_as_the_others_or_once_more(name: str, n: int) -> None:
    choice = CategoricalParameter("choice", ("a", "b", "c", "d", "e"))
    space = Space((UNIT.parameters[0], choice, *UNIT.parameters[1:5]))
    for seed in range(20):
        drawn = draw_design(name, space, n, seed)
        assert set(Counter(point["choice"] for point in drawn).values()) <= {n // 5, -(-n // 5)}
        assert {point["choice"] for point in drawn} == set(choice.choices)
        # The numbers are where they would be beside another number.
        numbers = np.array([[point[f"x{k}"] for k in range(5)] for point in drawn])
        np.testing.assert_array_equal(numbers, np.delete(points(name, n, seed), 1, axis=1))


@pytest.mark.parametrize(
    ("name", "said"),
    [("sobol", r"a power of two \(got 12\)"), ("grid", r"one of lhs, sobol \(got 'grid'\)")],
)
def test_what_is_no_design_is_named(name: str, said: str) -> None:
    with pytest.raises(InputError, match=f"must be {said}"):
        draw_design(name, UNIT, 12, 0)
    assert len(draw_design("lhs", UNIT, 12, 0)) == 12
