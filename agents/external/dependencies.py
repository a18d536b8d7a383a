"""What a function or class from a script or notebook depends on; used to detect changes.

The dependencies are:

- its code,
- the user's functions and classes to which this code refers,
- the values of its globals, of its variables from enclosing functions, and of its defaults.

Each dependency has a text that is the same in every process: texts contain no addresses and do not
depend on the order of sets. Functions and classes of libraries and of this project are identified
only by their names, so changes in their code are not detected.
"""

import copyreg
import dis
import inspect
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any

import numpy as np

from thetafront.agents.agent import digits
from thetafront.agents.external.source import (
    OURS,
    STANDARD_LIBRARY,
    Source,
    SourceError,
    is_in_library,
)

MAX_TEXTS = 1_000_000  # number of parts that a value may have
MAX_SHOWN = 30  # characters of a text; a longer text is replaced by its digest
PLAIN = {bool, int, float, complex, str, bytes, type(None), type(...)}
OF_EVERY_CLASS = {"__dict__", "__weakref__", "__doc__", "__module__", "__abstractmethods__"}
OF_EVERY_CLASS |= {"_abc_impl", "__dataclass_params__"}
GENERATED = {"__init__", "__repr__", "__eq__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__"}
GENERATED |= {"__setattr__", "__delattr__", "__getstate__", "__setstate__"}
HOLD_FUNCTIONS = ("py_func", "__wrapped__", "__func__", "func", "fget", "fset", "fdel")
"""Attributes that hold the functions of methods, properties, and wrappers of numba or functools."""
RENAMED = ("thetafront.agents.external", "thetafront.agents.outside")
"""The present name of this package, and its earlier name, which stored studies still have."""
READS, WRITES = {"LOAD_GLOBAL", "LOAD_NAME"}, {"STORE_GLOBAL", "DELETE_GLOBAL"}
ATTRIBUTES = {"LOAD_ATTR", "LOAD_METHOD"}


class Dependencies:
    """The dependencies of a player: a function, a class, or a callable object.

    Attributes
    ----------
    texts : dict of str to str
        The text of each dependency, by name: a short value, or the digest of a long value or code.
    unknown : list of str
        Names of values that cannot be compared, such as an open file, each with the reason. Changes
        of these values are not detected.
    """

    def __init__(self, player: Any) -> None:
        self.module = getattr(player, "__module__", None)
        self.unknown: list[str] = []
        self.waiting: list[tuple[str, Any, bool]] = [("agent", player, False)]
        self.known_code: dict[int, Any] = {}
        self.met: dict[int, tuple[int, Any]] = {}  # keeps values alive, so that ids stay unique
        found: dict[str, set[str]] = {}
        while self.waiting:
            name, value, is_code = self.waiting.pop()
            self.met.clear()
            self.n_texts = 0
            try:
                text = self.code(name, value) if is_code else self.text(name, value)
            except Exception as error:  # a user's class may raise anything when it is inspected
                text = self.note_opaque(name, error)
            found.setdefault(name, set()).add(text if len(text) <= MAX_SHOWN else digits(text))
        self.texts = {
            name: texts.pop() if len(texts) == 1 else digits("\n".join(sorted(texts)))
            for name, texts in sorted(found.items())
        }

    def note_opaque(self, name: str, error: Exception) -> str:
        """Note that a value cannot be compared."""
        line = " ".join(f"{name}: {error or type(error).__name__}".split())
        if line not in self.unknown:
            self.unknown.append(line)
        return "unknown"

    def text(self, name: str, value: Any) -> str:
        """Return a text that identifies a value.

        The text of a user's function or class is its name; its code is queued as a dependency.
        """
        self.n_texts += 1
        if self.n_texts > MAX_TEXTS:
            raise ValueError("it has too many parts")
        if type(value) in PLAIN:
            return repr(value)
        if isinstance(value, FunctionType | type):
            if is_users(value.__module__) and id(value) not in self.known_code:
                self.known_code[id(value)] = value
                self.waiting.append((self.qualified_name(value), value, True))
            return f"<{recorded(value.__module__)}.{value.__qualname__}>"
        if isinstance(value, ModuleType):
            return f"<module {recorded(value.__name__)} {module_digest(value.__name__)}>"
        if id(value) in self.met:
            return f"<{self.met[id(value)][0]}>"
        self.met[id(value)] = len(self.met), value
        return f"{type(value).__name__}({', '.join(self.parts(name, value))})"

    def parts(self, name: str, value: Any) -> Iterator[str]:
        """Yield the texts of the parts of a value."""
        if isinstance(value, set | frozenset):
            yield from sorted(self.apart(name, value))
        elif type(value) is tuple or type(value) is list:
            yield from (self.text(name, each) for each in value)
        elif type(value) is dict or isinstance(value, MappingProxyType):
            for key, each in value.items():
                yield f"{self.text(name, key)}: {self.text(name, each)}"
        elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
            yield f"{value.dtype.descr}, {value.shape}, {digits(value.tobytes())}"
        elif isinstance(value, CodeType):
            yield f"{value.co_code.hex()}, {value.co_names}, {value.co_varnames}"
            yield from (self.text(name, each) for each in value.co_consts)
        elif is_dataclass(value):
            yield self.text(name, type(value))
            yield from (self.text(name, getattr(value, each.name)) for each in fields(value))
        elif not is_more_than_code(value) and (code := functions_in(value)):
            yield from (self.text(name, each) for each in code)
        else:
            depends_on: Any
            try:
                reduced = copyreg.dispatch_table.get(type(value))  # where pickle looks first
                depends_on = reduced(value) if reduced else value.__reduce_ex__(4)
            except Exception as error:  # locks, open files and generators cannot be reduced
                depends_on = self.note_opaque(name, error)
            if isinstance(depends_on, str):
                yield depends_on
            else:
                function, arguments, *state = depends_on
                # The items of subclasses of list and dict are given as iterators.
                listed = [list(x) if isinstance(x, Iterator) else x for x in state]
                yield from (self.text(name, each) for each in (function, arguments, *listed))

    def apart(self, name: str, values: Iterable[Any]) -> Iterator[str]:
        """Yield the text of each value of a set, without references to values met before."""
        met = self.met
        for each in values:
            self.met = {}
            yield self.text(name, each)
        self.met = met

    def qualified_name(self, code: Any) -> str:
        """Return the name of a function or class, with its module unless that is the player's."""
        is_here = code.__module__ == self.module
        return str(code.__qualname__ if is_here else f"{code.__module__}.{code.__qualname__}")

    def code(self, name: str, value: Any) -> str:
        """Return a text that identifies the code of a function or class; queue its dependencies."""
        if isinstance(value, type):
            members = {
                key: each
                for key, each in vars(value).items()
                if key not in OF_EVERY_CLASS and not is_generated(value, each)
            }
            bases = [self.text(name, base) for base in value.__bases__]
            texts = [(key, self.text(f"{name}.{key}", each)) for key, each in members.items()]
            return f"code {digits(f'{bases} {texts}')}"
        place = name.removesuffix(value.__qualname__)
        for key, each in self.referred_to(value):
            self.waiting.append((f"{place}{key}", each, False))
        self.waiting.append(
            (f"defaults of {name}", (value.__defaults__, value.__kwdefaults__), False)
        )
        for key, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
            with suppress(ValueError):  # the variable has no value yet
                self.waiting.append((f"{name}.{key}", cell.cell_contents, False))
        try:
            return f"code {digits(inspect.getsource(value.__code__))}"
        except (OSError, TypeError, IndexError):  # there is no file
            return f"code {digits(self.text(name, value.__code__))}"

    def referred_to(self, function: FunctionType) -> Iterator[tuple[str, Any]]:
        """Yield names and values of the globals that a function reads.

        If such a global is a module of the user, the attributes that the function reads are yielded
        as well. Globals that the function itself writes, such as counters, are left out.
        """
        steps = list(instructions(function.__code__))
        written = {each.argval for each in steps if each.opname in WRITES}
        read = {each.argval for each in steps if each.opname in READS} - written
        attributes = {each.argval for each in steps if each.opname in ATTRIBUTES}
        known = function.__globals__
        waiting = [(name, known[name]) for name in sorted(read & set(known))]
        for name in {each.argval for each in steps if each.opname == "IMPORT_NAME"}:
            yield f"import {name}", module_digest(name)
        seen = set()
        while waiting:
            name, value = waiting.pop()
            yield name, value
            if isinstance(value, ModuleType) and is_users(value.__name__) and id(value) not in seen:
                seen.add(id(value))
                theirs = vars(value)
                waiting += [(f"{name}.{x}", theirs[x]) for x in sorted(attributes & set(theirs))]


def instructions(code: CodeType) -> Iterator[dis.Instruction]:
    """Yield the instructions of a function and of the functions within it."""
    yield from dis.get_instructions(code)
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from instructions(each)


def recorded(module: str | None) -> str:
    """Return a module's name as it is stored: with the earlier name of this package."""
    return str(module).replace(*RENAMED)


def is_users(module: str | None) -> bool:
    """Return whether a module belongs neither to a library nor to this project."""
    if module is None or module == "__main__":
        return True
    if module.partition(".")[0] in OURS or module in sys.builtin_module_names:
        return False
    file = getattr(sys.modules.get(module), "__file__", None)
    return file is None or not is_in_library(Path(file))


def is_more_than_code(value: Any) -> bool:
    """Return whether an object that holds a function may also have a state."""
    return isinstance(value, partial | MethodType) or is_users(type(value).__module__)


def functions_in(value: Any) -> list[FunctionType]:
    """Return the functions that a wrapper, such as a decorator's result, holds."""
    kept = [getattr(value, name, None) for name in HOLD_FUNCTIONS]
    return [each for each in kept if isinstance(each, FunctionType)]


def is_generated(owner: type, member: Any) -> bool:
    """Return whether a member of a class is a method that ``dataclass`` has generated."""
    if not (is_dataclass(owner) and isinstance(member, FunctionType)):
        return False
    file = member.__code__.co_filename
    made = member.__name__ in GENERATED
    return made and (file == "<string>" or Path(file).is_relative_to(STANDARD_LIBRARY))


def module_digest(module: str) -> str:
    """Return a digest of the code of a user's module; empty for all other modules."""
    source = Source(module)
    try:
        is_theirs = module.partition(".")[0] not in OURS and not is_in_library(source.path)
        return source.digest if is_theirs else ""
    except SourceError:  # the module is built in or does not exist
        return ""
