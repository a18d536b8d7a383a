"""The grammar of constraints against Python's own, and spaces with constraints and conditions."""

import pickle
import random
from typing import Any

import numpy as np
import pytest

from thetafront.study.errors import InputError
from thetafront.study.experiments.constraints import CONDITION, NUMBER, TEXT, Constraint
from thetafront.study.experiments.dimension import CategoricalParameter, NumericParameter
from thetafront.study.experiments.space import Space

KINDS = (("a", NUMBER), ("b", NUMBER), ("c", NUMBER), ("flag", CONDITION), ("solver", TEXT))
CHOICES = ("sgd", "adam", "lbfgs")


def holds(text: str, **theta: float | str) -> bool:
    columns = {name: np.array([value], object) for name, value in theta.items()}
    return bool(Constraint(text, KINDS).holds(columns)[0])


def number(rng: random.Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(["a", "b", "c", "0", "1", "2.5", "-3", "flag"])
    one, two = number(rng, depth - 1), number(rng, depth - 1)
    kind = rng.randrange(4)
    if kind == 0:
        return f"{rng.choice(['abs', '-', '+'])}({one})"
    if kind == 1:
        return f"{rng.choice(['min', 'max'])}({one}, {two})"
    if kind == 2 and rng.random() < 0.3:
        return f"({one}) ** {rng.choice([-1, 0, 2, 3])}"
    return f"({one} {rng.choice(['+', '-', '*', '/', '//', '%'])} {two})"


def condition(rng: random.Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.4:
        if rng.random() < 0.2:
            return rng.choice(
                ["solver == 'sgd'", "solver in ['sgd', 'adam']", "solver not in ('adam', 'x')"]
            )
        if rng.random() < 0.2:
            return f"{number(rng, 1)} {rng.choice(['in', 'not in'])} [1, 2, {number(rng, 1)}]"
        signs = rng.choices(["<", "<=", ">", ">=", "==", "!="], k=rng.randint(1, 2))
        return number(rng, 2) + "".join(f" {sign} {number(rng, 2)}" for sign in signs)
    if rng.random() < 0.25:
        return f"not ({condition(rng, depth - 1)})"
    sign = rng.choice(["and", "or"])
    return f"({condition(rng, depth - 1)} {sign} {condition(rng, depth - 1)})"


def test_constraints_hold_where_python_says_so() -> None:
    rng = random.Random(0)
    n_failed = n_true = 0
    for _ in range(1500):
        text = condition(rng, 3)
        theta: dict[str, Any] = {
            **{name: rng.choice([0.0, 1.0, 2.0, -1.5, 3.0]) for name in "abc"},
            "flag": rng.random() < 0.5,
            "solver": rng.choice(CHOICES),
        }
        try:
            expected = bool(eval(text, {}, dict(theta)))
        except (ZeroDivisionError, OverflowError):
            expected, n_failed = False, n_failed + 1
        assert holds(text, **theta) is expected, (text, theta)
        n_true += expected
    assert n_failed > 50
    assert 300 < n_true < 1200


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a + b", "is a number, not a condition"),
        ("a < d", "d is not one of a, b, c, flag, solver"),
        ("a <", "cannot be read"),
        ("", "cannot be read"),
        ("a\0 < b", "cannot be read"),
        ("__import__('os').system('true') == 0", "is not allowed"),
        ("open('x') == 1", "is not allowed"),
        ("a.real < 1", "is not allowed"),
        ("a[0] < 1", "is not allowed"),
        ("(lambda: 1)() < a", "is not allowed"),
        ("[a for a in (1,)] == 1", "is not allowed"),
        ("a if b else c", "is not allowed"),
        ("(a := 1) < b", "is not allowed"),
        ("a is b", "is not allowed"),
        ("a < 1e400", "is not allowed"),
        ("a < 1j", "is not allowed"),
        ("f'{a}' == solver", "is not allowed"),
        ("a & 1 == 1", "is not allowed"),
        ("abs(a, b) < 1", "is not allowed"),
        ("min(a) < 1", "is not allowed"),
        ("min(a, key=b) < 1", "is not allowed"),
        ("a in b", "is not allowed"),
        ("a in []", "is not allowed"),
        ("solver < 'sgd'", "is not allowed"),
        ("solver == 1", "1 is a number, not a text"),
        ("solver + 'x' == 'sgd'", "solver is a text, not a number"),
        ("a and b", "a is a number, not a condition"),
        ("(" * 300 + "a" + ")" * 300 + " < 1", "cannot be read"),
        ("not " * 200 + "flag", "nested deeper than"),
        ("a < 1 and " * 200 + "a < 2", "characters"),
    ],
)
def test_anything_else_is_refused_in_one_line(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=r"^constraint ") as refused:
        Constraint(text, KINDS)
    assert why in str(refused.value)
    assert "\n" not in str(refused.value)


LC, LP = (NumericParameter(name, 0, 4, integer=True) for name in ("lc", "lp"))
SOLVERS = Space(
    (
        NumericParameter("momentum", 0.0, 1.0, when={"solver": "sgd"}),
        CategoricalParameter("solver", CHOICES),
        NumericParameter("batch", 8, 256, integer=True, log=True, when={"solver": ("sgd", "adam")}),
        CategoricalParameter("nesterov", (True, False), when={"solver": ["sgd"]}),
        NumericParameter("restart", 1, 9, when={"nesterov": [True]}),
    ),
    ("batch * momentum <= 128", "restart < 8"),
)


def test_an_inactive_parameter_is_not_part_of_theta() -> None:
    given: dict[str, Any] = {
        "momentum": 0.5,
        "solver": "sgd",
        "batch": 16,
        "nesterov": True,
        "restart": 2.0,
    }
    assert SOLVERS.active(given) == given
    assert SOLVERS.active({**given, "nesterov": False}) == {
        name: value for name, value in (given | {"nesterov": False}).items() if name != "restart"
    }
    assert SOLVERS.active({**given, "solver": "lbfgs"}) == {"solver": "lbfgs"}
    assert SOLVERS.is_whole({"solver": "adam", "batch": 8})
    assert not SOLVERS.is_whole({"solver": "lbfgs", "batch": 8})
    with pytest.raises(InputError, match="must have only momentum, solver"):
        SOLVERS.completed({"alpha": 1})
    assert [each.name for each in SOLVERS.in_order][:3] == ["solver", "momentum", "batch"]
    assert Space.from_records(SOLVERS.as_records(), SOLVERS.constraints) == SOLVERS
    with pytest.raises(InputError, match="batch must be left out unless solver is sgd or adam"):
        SOLVERS.check({"solver": "lbfgs", "batch": 8})


def test_constraints_apply_where_all_that_they_name_is_active() -> None:
    assert SOLVERS.broken_by({"solver": "adam", "batch": 256}) == ""
    broken: dict[str, Any] = {"solver": "sgd", "batch": 256, "momentum": 0.9, "nesterov": False}
    assert SOLVERS.broken_by(broken) == "batch * momentum <= 128"
    with pytest.raises(InputError, match=r"constraint 'batch \* momentum <= 128' is not satisfied"):
        SOLVERS.check(broken)
    assert SOLVERS.tidy({**broken, "momentum": 0.5000001}) == {**broken, "momentum": 0.5}
    kept = {**broken, "batch": 256, "momentum": 0.4999}
    assert Space(SOLVERS.parameters, ("momentum < 0.49999",)).tidy(kept) == kept


def test_what_is_not_given_is_feasible() -> None:
    space = Space((LC, LP), ("lc + lp <= 3", "lc != lp"))
    middle = space.completed({})
    assert sum(map(float, middle.values())) <= 3
    assert space.completed({"lc": 3}) == {"lc": 3, "lp": 0}
    with pytest.raises(InputError, match="constraint"):
        space.completed({"lc": 4})
    assert set(SOLVERS.completed({"nesterov": True})) == set(SOLVERS.names)
    with pytest.raises(InputError, match="left out unless"):
        SOLVERS.completed({"solver": "lbfgs", "batch": 8})


def test_functions_are_constraints_too() -> None:
    space = Space((LC, LP), (lambda theta: theta["lc"] + theta["lp"] <= 2,))
    assert space.constraints_as_records() == ["<lambda>()"]
    assert space.broken_by({"lc": 2, "lp": 1}) == "<lambda>()"
    copy = pickle.loads(pickle.dumps(space))
    assert copy.broken_by({"lc": 2, "lp": 1})
    assert not copy.broken_by({"lc": 1, "lp": 1})
    both = (lambda theta: theta["lc"] > 0, lambda theta: theta["lp"] > 0)
    with pytest.raises(
        ValueError,
        match=r"constraints must have different names \(got two functions <lambda>\(\)\)",
    ):
        Space((LC, LP), both)
    never = Space((LC, LP), (lambda theta: theta["nothing"],))
    with pytest.raises(ValueError, match=r"of 4,096 random points \(got 0\) .*KeyError: 'nothing'"):
        never.check_feasible()


@pytest.mark.parametrize(
    ("when", "why"),
    [
        ({"other": [1]}, "which is not a parameter"),
        ({"lp": [1]}, "depend on one another"),
        ({"width": [1]}, "which is neither integer nor categorical"),
        ({"solver": ["x"]}, "in 'when', solver must be one of sgd, adam, lbfgs"),
        ({"solver": []}, "at least one value"),
        ([1], "when must be"),
    ],
)
def test_conditions_that_cannot_be_are_refused(when: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Space(
            (
                NumericParameter("lc", 0, 4, integer=True, when=when),
                NumericParameter("lp", 0, 4, integer=True, when={"lc": [1]}),
                NumericParameter("width", 0.0, 1.0),
                CategoricalParameter("solver", CHOICES),
            )
        )


def test_choices_are_of_one_kind_and_stay_what_they_are() -> None:
    truth, count = (
        CategoricalParameter("x", (True, False)),
        CategoricalParameter("n", (1, 2, 4.5)),
    )
    assert truth.check(True) is True
    assert truth.read("false") is False
    assert [type(count.check(value)) for value in (1.0, 2, 4.5)] == [int, int, float]
    assert count.read("4.5") == 4.5
    assert truth.text(True) == "true"
    assert type(CategoricalParameter("n", (np.int64(1), 2)).choices[0]) is int  # type: ignore[arg-type]
    assert count.check(np.float64(2.0)) == 2
    with pytest.raises(InputError, match=r"must be one of 1, 2, 4\.5 \(got 'x'\)"):
        count.read("x")
    for parameter, wrong in ((truth, 1), (truth, "true"), (count, True), (count, "1")):
        with pytest.raises(InputError, match="must be one of"):
            parameter.check(wrong)
    for choices in (
        (1, True),
        (1, "a"),
        (True, "true"),
        (None, "a"),
        (1, 1.0),
        (2.0, float("nan")),
        (),
        ("a",),
        ("a", "b", "a"),
        ("a", ""),
    ):
        with pytest.raises(ValueError, match="choices must be"):
            CategoricalParameter("x", choices)  # type: ignore[arg-type]
    for each in (truth, count):
        record = Space((each,)).as_records()
        assert Space.from_records(record).parameters == (each,)
