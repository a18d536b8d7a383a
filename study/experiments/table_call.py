"""Call functions with tables of a TOML file: a table's keys are the function's arguments.

A function's signature says which keys a table may have, which types their values may have, and
which keys are required. So the keys of a file have the same names as the arguments in Python.
"""

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from numbers import Integral
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from thetafront.agents.parameters import is_real
from thetafront.study.errors import InputError

T = TypeVar("T")

WORDS: dict[Any, str] = {
    list[str]: "a list of texts",
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}
WORDS |= {list: "a list", tuple: "a list", dict: "a table", Mapping: "a table"}


def call(
    function: Callable[..., T],
    table: Mapping[str, Any],
    name: str = "",
    more: Mapping[str, Any] | None = None,
) -> T:
    """Call a function with the values of a table, and with ``more`` arguments.

    The function's annotations are types in :data:`WORDS`, lists of texts, literals, or Any. The
    table must not have keys of ``more``; messages use its ``name``. InputError if a key is not an
    argument, or if an argument is missing or of a wrong type.
    """
    given = more or {}
    known = {key: each for key, each in signature(function).parameters.items() if key not in given}
    hints = get_type_hints(function)
    for key in table:
        if key not in known:
            raise InputError(f"{path(name, key)} is unknown: it must be one of {', '.join(known)}")
    for key, each in known.items():
        if each.default is Parameter.empty and key not in table:
            raise InputError(f"{path(name, key)} must be {allowed(hints[key])} (got nothing)")
    for key, value in table.items():
        if not fits(value, hints[key]):
            raise InputError(f"{path(name, key)} must be {allowed(hints[key])} (got {value!r})")
    return function(**table, **given)


def path(table: str, key: str) -> str:
    """Name a key of a table for a message."""
    return f"{table}.{key}" if table else key


def kinds(hint: Any) -> tuple[Any, ...]:
    """Return what an annotation allows: types without type arguments, or a literal's values."""
    if hint == list[str]:
        return (hint,)
    if get_origin(hint) in {Union, UnionType}:
        return tuple(kind for each in get_args(hint) for kind in kinds(each))
    return get_args(hint) if get_origin(hint) is Literal else (get_origin(hint) or hint,)


def fits(value: Any, hint: Any) -> bool:
    """Return whether an annotation allows a value; an int is also a float; a bool is neither."""
    for kind in kinds(hint):
        if kind == list[str]:
            found = isinstance(value, list) and all(isinstance(each, str) for each in value)
        elif kind is Any or not isinstance(kind, type):
            found = kind is Any or value == kind
        elif kind in {int, float}:
            found = is_real(value) and (kind is float or isinstance(value, Integral))
        else:
            found = isinstance(value, (kind, list) if kind is tuple else kind)
        if found:
            return True
    return False


def allowed(hint: Any) -> str:
    """Say what an annotation allows."""
    words = (WORDS.get(kind, kind) for kind in kinds(hint) if kind is not NoneType)
    return " or ".join(map(str, words))
