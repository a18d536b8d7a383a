"""Constraints: conditions that every θ of a space must satisfy, given as texts or functions.

A text such as ``"lc + lp <= 4"`` is parsed and checked against a small grammar. Its syntax tree is
then evaluated for many θ at once; the text is never executed as code. The grammar allows:

*   names of parameters, numbers, texts, ``True`` and ``False``, and parentheses
*   the operators ``+ - * / // % **``, and the functions ``abs``, ``min`` and ``max``
*   the comparisons ``== != < <= > >=``, which may be chained, ``in [..]`` and ``not in [..]``
*   ``and``, ``or`` and ``not``

Numbers are computed in double precision, by the rules of Python. If a value cannot be computed, for
example because of a division by zero, the constraint is not satisfied. The right side of ``and`` or
``or`` is used only for those θ for which the left side does not decide the result.
"""

import ast
import operator
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial, reduce
from typing import Any

import cloudpickle
import numpy as np
import numpy.typing as npt

from thetafront.agents.external.source import PREFIX
from thetafront.study.arrays import Booleans

Columns = Mapping[str, npt.NDArray[Any]]
"""Arrays of parameter values, by the parameter's name; each has one element per θ."""
Expression = Callable[[Columns], Any]
"""A function of columns.

It returns texts or numbers: 1 stands for true, 0 for false, NaN for what cannot be computed.
"""

MAX_LENGTH, MAX_DEPTH, MAX_NUMBER = 1000, 60, 1e300
SHOWN = 60
ALLOWED = (
    "only parameters, numbers, texts, + - * / // % **, == != < <= > >=, and, or, not, in "
    "[..], abs, min and max can be used"
)
ARITHMETIC: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.FloorDiv: np.floor_divide,
    ast.Mod: np.mod,
    ast.Pow: np.power,
}
COMPARISONS: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
FUNCTIONS = {"abs": np.abs, "min": np.minimum, "max": np.maximum}
TEXT, NUMBER, CONDITION = "a text", "a number", "a condition"


@dataclass(frozen=True)
class Constraint:
    """A constraint given as text, in the grammar of this module.

    ValueError if the text does not follow the grammar, or is not a condition.
    """

    text: str
    # Each parameter's name and kind: a number, a text or a condition (true or false).
    kinds: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        compiled(self)

    @property
    def names(self) -> frozenset[str]:
        """The parameters that the constraint names."""
        return compiled(self)[0]

    def holds(self, columns: Columns) -> Booleans:
        """Return which θ satisfy the constraint."""
        with np.errstate(all="ignore"):
            found = compiled(self)[1](columns)
        return np.broadcast_to(found == 1.0, len(next(iter(columns.values()))))

    def refusal(self, why: str) -> ValueError:
        """Return the error that says why the text is not allowed."""
        shown = self.text if len(self.text) <= SHOWN else f"{self.text[:SHOWN]}…"
        return ValueError(f"constraint {shown!r} cannot be used: {why}")

    def parsed(self) -> ast.expr:
        """Return the syntax tree; ValueError if it is invalid, too long or nested too deeply."""
        if len(self.text) > MAX_LENGTH:
            raise self.refusal(f"it has {len(self.text)} characters, more than {MAX_LENGTH}")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Python warns of `1 is 1`, which is refused below
                tree = ast.parse(self.text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            why = error.msg if isinstance(error, SyntaxError) else "too deeply nested"
            raise self.refusal(f"it cannot be read ({why}); {ALLOWED}") from None
        level: list[ast.AST] = [tree]
        for _ in range(MAX_DEPTH):
            level = [each for node in level for each in ast.iter_child_nodes(node)]
        if level:
            raise self.refusal(f"it is nested deeper than {MAX_DEPTH} levels")
        return tree

    def read(self, node: ast.expr) -> tuple[str, Expression]:
        """Return an expression's kind, and the function that computes it; ValueError if invalid."""
        match node:
            case ast.Name(id=name):
                kind = dict(self.kinds).get(name)
                if kind is None:
                    raise self.refusal(f"{name} is not one of {', '.join(dict(self.kinds))}")
                return kind, lambda of: of[name] if kind == TEXT else of[name].astype(float)
            case ast.Constant(value=str() as text):
                return TEXT, lambda _: text
            case ast.Constant(value=int() | float() as value) if abs(value) < MAX_NUMBER:
                return CONDITION if isinstance(value, bool) else NUMBER, lambda _: float(value)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                (each,) = self.read_all(CONDITION, operand)
                return CONDITION, negated(each)
            case ast.UnaryOp(op=ast.UAdd() | ast.USub() as sign, operand=operand):
                (each,) = self.read_all(NUMBER, operand)
                return NUMBER, each if isinstance(sign, ast.UAdd) else lambda of: -each(of)
            case ast.BoolOp(op=sign, values=nodes):
                decides = 0.0 if isinstance(sign, ast.And) else 1.0
                return CONDITION, joined(self.read_all(CONDITION, *nodes), decides)
            case ast.BinOp(op=sign) if type(sign) in ARITHMETIC:
                both = self.read_all(NUMBER, node.left, node.right)
                return NUMBER, partial(computed, ARITHMETIC[type(sign)], both)
            case ast.Call(func=ast.Name(id=name), args=nodes, keywords=[]) if name in FUNCTIONS:
                if (len(nodes) == 1) == (name == "abs") and nodes:
                    return NUMBER, partial(computed, FUNCTIONS[name], self.read_all(NUMBER, *nodes))
            case ast.Compare():
                return CONDITION, self.read_comparison(node)
        raise self.refusal(f"{ast.unparse(node)[:SHOWN]} is not allowed; {ALLOWED}")

    def read_all(self, kind: str, *nodes: ast.expr) -> list[Expression]:
        """Return functions that compute expressions; ValueError unless all are of the given kind.

        A condition also counts as a number.
        """
        found = []
        for node in nodes:
            its, expression = self.read(node)
            if its != kind and (its, kind) != (CONDITION, NUMBER):
                raise self.refusal(f"{ast.unparse(node)[:SHOWN]} is {its}, not {kind}")
            found.append(expression)
        return found

    def read_comparison(self, node: ast.Compare) -> Expression:
        """Return the function that computes a chain of comparisons.

        ValueError if the two sides of a comparison are of different kinds.
        """
        kind, left = self.read(node.left)
        kind = NUMBER if kind == CONDITION else kind
        links: list[Expression] = []
        for sign, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(sign, ast.In | ast.NotIn) and isinstance(right, ast.List | ast.Tuple):
                equal = [
                    partial(compared, operator.eq, left, each)
                    for each in self.read_all(kind, *right.elts)
                ]
                if equal and len(node.ops) == 1:
                    found = partial(computed, np.maximum, [equal[0], *equal])
                    return found if isinstance(sign, ast.In) else negated(found)
            if type(sign) not in (COMPARISONS if kind == NUMBER else (ast.Eq, ast.NotEq)):
                raise self.refusal(f"{ast.unparse(node)[:SHOWN]} is not allowed; {ALLOWED}")
            (each,) = self.read_all(kind, right)
            links.append(partial(compared, COMPARISONS[type(sign)], left, each))
            left = each
        return joined(links, 0.0)


@lru_cache(maxsize=256)
def compiled(constraint: Constraint) -> tuple[frozenset[str], Expression]:
    """Return a constraint's parameters and function; ValueError if its text is not allowed."""
    tree = constraint.parsed()
    (expression,) = constraint.read_all(CONDITION, tree)
    named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return frozenset(named & set(dict(constraint.kinds))), expression


def computed(function: Callable[..., Any], parts: Sequence[Expression], of: Columns) -> Any:
    """Apply a function to one number, or to several from left to right; NaN if not finite."""
    values = [np.asarray(each(of)) for each in parts]
    found = reduce(function, values) if len(values) > 1 else function(values[0])
    return np.where(np.isfinite(sum(values[1:], values[0]) + found), found, np.nan)


def compared(
    function: Callable[[Any, Any], Any], left: Expression, right: Expression, of: Columns
) -> Any:
    """Return 1 where a comparison holds, else 0; NaN where a side is NaN."""
    both = np.asarray(left(of)), np.asarray(right(of))
    found = np.asarray(function(*both)).astype(float)
    if not all(each.dtype == float for each in both):  # texts, which are never NaN
        return found
    return np.where(np.isnan(both[0]) | np.isnan(both[1]), np.nan, found)


def negated(part: Expression) -> Expression:
    """Return the function of ``not``."""
    return lambda of: 1.0 - part(of)


def joined(parts: Sequence[Expression], decides: float) -> Expression:
    """Return the function of ``and`` or ``or``; one part equal to ``decides`` settles it."""

    def values(of: Columns) -> Any:
        return reduce(
            lambda found, each: np.where(found == 1.0 - decides, each(of), found),
            parts[1:],
            np.asarray(parts[0](of)),
        )

    return values


@dataclass(frozen=True)
class ConstraintFunction:
    """A constraint given as a Python function, which takes θ as a mapping."""

    # Returns whether θ is allowed. A θ for which it raises an exception is not allowed.
    function: Callable[[Mapping[str, Any]], Any]
    text: str  # the function's name with ``()``, for messages and for a study's record
    # The first exception that the function raised.
    errors: list[str] = field(default_factory=list, compare=False)

    @classmethod
    def from_function(cls, function: Callable[[Mapping[str, Any]], Any]) -> "ConstraintFunction":
        """Return a function as a constraint."""
        name = getattr(function, "__name__", type(function).__name__)
        return function if isinstance(function, cls) else cls(function, f"{name}()")

    def __call__(self, theta: Mapping[str, Any]) -> bool:
        """Return whether the function allows θ."""
        try:
            return bool(self.function(theta))
        except Exception as error:  # a user's function may raise anything
            if not self.errors:
                self.errors.append(f"{self.text} raised {type(error).__name__}: {error}")
            return False

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the function as code: other processes cannot import a definition's module."""
        module = sys.modules.get(getattr(self.function, "__module__", None) or "")
        is_theirs = module is not None and module.__name__.startswith(PREFIX)
        if is_theirs:
            cloudpickle.register_pickle_by_value(module)
        try:
            return unpickled, (cloudpickle.dumps(self.function), self.text)
        finally:
            if is_theirs:
                cloudpickle.unregister_pickle_by_value(module)


def unpickled(code: bytes, text: str) -> ConstraintFunction:
    """Return a constraint whose function was pickled with its code."""
    return ConstraintFunction(cloudpickle.loads(code), text)
