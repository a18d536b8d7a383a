"""The place of a user's Python definition, and how each process imports it.

A definition is an object in a file or in a module. It is given as a text, such as
``coins.py:COINS`` or ``package.module:NAME``. Workers import it by the same text.
"""

import ast
import dis
import importlib
import importlib.util
import os
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from thetafront.agents.agent import digits

SUFFIX = ".py"
PREFIX = "definition_"  # for a file's module if the file's name is taken
INIT = "__init__.py"
MAX_ERROR_LENGTH = 1000  # characters of an error
OURS = {"thetafront"}
LIBRARIES = {"site-packages", "dist-packages"}
STANDARD_LIBRARY = Path(sysconfig.get_path("stdlib"))
RAISES = dis.opmap["RAISE_VARARGS"]

Stamp = tuple[int, ...]


class SourceError(ValueError):
    """A definition is missing, or cannot be imported."""


@dataclass(frozen=True)
class Source:
    """The place of a definition in a user's code."""

    module: str  # the absolute path of a file, or the name of a module
    name: str = ""  # of the object; may be empty if the module has only one definition

    @classmethod
    def parse(cls, text: str) -> "Source":
        """Read ``coins.py``, ``coins.py:NAME`` or ``package.module:NAME``."""
        module, _, name = text.rpartition(":") if ":" in text else (text, "", "")
        if module.endswith(SUFFIX):
            module = os.path.abspath(os.path.expanduser(module))
        return cls(module, name)

    def __str__(self) -> str:
        return f"{self.module}:{self.name}" if self.name else self.module

    @property
    def is_file(self) -> bool:
        """Whether the definition is in a file that is imported by its path."""
        return self.module.endswith(SUFFIX)

    @property
    def path(self) -> Path:
        """The file of the module; SourceError if there is none."""
        if self.is_file:
            file = Path(self.module)
            if not file.is_file():
                what = "is a folder" if file.is_dir() else "does not exist"
                raise SourceError(f"{file} must be a Python file (it {what})")
            return file
        if not {"", os.getcwd()} & set(sys.path):
            sys.path.append(os.getcwd())  # last, so that no file there hides a library
        with importing(self.module):  # this may import the packages that contain the module
            spec = importlib.util.find_spec(self.module)
        if spec is None:
            module_of_name(self.module)  # this raises an error that gives the reason
        if spec is None or not spec.origin or not spec.origin.endswith(SUFFIX):
            raise SourceError(f"{self.module}: cannot be imported: it is not a file of Python code")
        return Path(spec.origin)

    @property
    def files(self) -> list[Path]:
        """The module's file, and all files of its folder or package that it imports."""
        path = self.path
        has_package = "." in self.module or path.name == INIT
        if self.is_file or not (has_package or is_in_library(path)):
            return list_source_files(
                path, path.parent, lambda name: name if top(name) not in OURS else ""
            )
        package = top(self.module)
        base = path.parents[len(self.module.split(".")) - (path.name != INIT)]
        return list_source_files(path, base, lambda name: name if top(name) == package else "")

    @property
    def digest(self) -> str:
        """A digest of the code of :attr:`files`."""
        known = DIGESTS.get(self)
        if known is not None and known[0] == read_stamps(list(known[0])):
            return known[1]  # no file has changed since the digest was computed
        files = self.files
        DIGESTS[self] = (read_stamps(files), digits(b"".join(path.read_bytes() for path in files)))
        return DIGESTS[self][1]

    def load(self, spare: str = "") -> ModuleType:
        """Import the module, once per process, and again only if its code has changed.

        If a file's name is already the name of another module, the file's module is called
        ``spare`` instead.
        SourceError if there is no such module, or its import fails. The message says where in the
        user's code the error was raised.
        """
        digest = self.digest
        loaded = LOADED.get(self.module)
        if loaded is not None and loaded[0] == digest:
            return loaded[1]
        theirs = {str(path) for path in self.files}
        for name, module in list(sys.modules.items()):
            if name != "__main__" and getattr(module, "__file__", None) in theirs:
                del sys.modules[name]
        is_file = self.is_file
        module = module_of_file(self.path, spare) if is_file else module_of_name(self.module)
        LOADED[self.module] = (digest, module)
        return module


DIGESTS: dict[Source, tuple[dict[Path, Stamp], str]] = {}
"""For each source, the stamps of its files and the digest that belongs to these stamps."""
LOADED: dict[str, tuple[str, ModuleType]] = {}
"""For each module of users that was imported, the digest of its code and the module itself."""


def read_stamps(paths: Iterable[Path]) -> dict[Path, Stamp]:
    """Return the stamp of each file, which changes with its content; no file is read."""
    found = {path: path.stat() if path.exists() else None for path in paths}
    return {
        path: (each.st_ino, each.st_size, each.st_mtime_ns) if each else ()
        for path, each in found.items()
    }


def module_of_file(file: Path, spare: str = "") -> ModuleType:
    """Import a file by its path."""
    name = file.stem if file.stem.isidentifier() else ""
    if not name or is_taken(name, file):
        name = spare or f"{PREFIX}{digits(str(file))}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    if str(file.parent) not in sys.path:
        sys.path.append(str(file.parent))  # for modules in the same folder
    sys.modules[name] = module
    # Write no bytecode: it does not belong in a user's folder, and may be older than the code.
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        with importing(str(file), file.parent):
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    finally:
        sys.dont_write_bytecode = writes
    return module


@contextmanager
def importing(where: str, folder: Path | None = None) -> Iterator[None]:
    """Raise SourceError if a user's module raises an exception or exits while it is imported."""
    end, process = os._exit, os.getpid()

    def refuse(status: int) -> NoReturn:
        if os.getpid() != process:  # a child process that the module has started may exit
            end(status)
        raise SystemExit(f"os._exit({status})")

    os._exit = refuse
    try:
        yield
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and not is_raised(error):
            raise  # the user has pressed Ctrl-C
        raise SourceError(f"{where}: cannot be imported: {format_error(error, folder)}") from None
    finally:
        os._exit = end


def is_raised(error: BaseException) -> bool:
    """Return whether an error was raised by a ``raise`` statement, and not by a signal."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    return place is not None and place.tb_frame.f_code.co_code[place.tb_lasti] == RAISES


def is_taken(name: str, file: Path) -> bool:
    """Return whether a module with this name exists that is not in ``file``."""
    try:
        spec = importlib.util.find_spec(name)
        return spec is not None and spec.origin != str(file)
    except ValueError:  # raised for __main__, which has no specification
        return True


def module_of_name(name: str) -> ModuleType:
    """Import a module by its name."""
    with importing(name):
        return importlib.import_module(name)


def format_error(error: BaseException, folder: Path | None = None) -> str:
    """Return an error of a user's code in one line, with its place in this code.

    The place is the last line of the traceback in a file of ``folder``, if there is such a line.
    """
    text = " ".join(f"{type(error).__name__}: {error}".rstrip(": ").split())
    text = text[:MAX_ERROR_LENGTH].encode(errors="replace").decode()
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__}: {error.msg} ({error.filename}, line {error.lineno})"
    places = traceback.extract_tb(error.__traceback__)
    theirs = [each for each in places if folder and Path(each.filename).is_relative_to(folder)]
    ours = {"importlib", Path(__file__).name}
    outside = [each for each in theirs or places if not any(x in each.filename for x in ours)]
    if not outside:
        return text
    return f"{text} ({Path(outside[-1].filename).name}, line {outside[-1].lineno})"


def is_in_library(path: Path) -> bool:
    """Return whether a file belongs to an installed package or to the standard library."""
    return bool(LIBRARIES & set(path.parts)) or path.is_relative_to(STANDARD_LIBRARY)


def top(module: str) -> str:
    """Return the name of the outermost package of a module."""
    return module.partition(".")[0]


def list_source_files(path: Path, base: Path, within: Callable[[str], str]) -> list[Path]:
    """Return a file and all files in the folder ``base`` that it imports, sorted.

    Imports in imported files and in functions count, too. ``within`` returns the name of an
    imported module as seen from ``base``; empty if the module is not to be followed.
    """
    found: set[Path] = set()
    waiting = [path]
    while waiting:
        file = waiting.pop()
        if file in found:
            continue
        found.add(file)
        for name in filter(None, map(within, list_imports(file, base))):
            parts = name.split(".")
            for n in range(1, len(parts) + 1):  # packages that contain the module count, too
                stem = base.joinpath(*parts[:n])
                both = (stem.with_name(f"{stem.name}{SUFFIX}"), stem / INIT)
                waiting += [each for each in both if each.is_file()]
    return sorted(found)


def list_imports(path: Path, base: Path) -> Iterator[str]:
    """Yield the names of all modules to which a file's import statements may refer."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # importing reports the error
        return
    package = path.parent.relative_to(base).parts
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            kept = package[: len(package) - node.level + 1] if node.level else ()
            whole = ".".join((*kept, *((node.module,) if node.module else ())))
            if whole:
                yield whole
            yield from (f"{whole}.{each.name}".lstrip(".") for each in node.names)
