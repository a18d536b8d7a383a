"""How kernels are compiled, and where their machine code is cached.

numba invalidates a cached kernel when its own file changes, but not when a function changes that it
inlined from another file. So the cache directory is named by a digest of all code in ``engine/``
and ``agents/``, and nothing in it is ever out of date. The digest leaves out comments and
docstrings: editing prose recompiles nothing.
"""

import hashlib
import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
import platformdirs
from numba.core.caching import CacheImpl, UserProvidedCacheLocator

ROOT = Path(__file__).resolve().parent.parent  # of the checkout, or of the installed package
IS_CHECKOUT = (ROOT / "pyproject.toml").is_file()
COMPILED_PACKAGES = ("engine", "agents")

Integer = int | np.int64
"""An integer in Python, or in a kernel."""

F = TypeVar("F", bound=Callable[..., Any])

# String literals and comments, in the order in which they begin: a quote in a comment, or a # in a
# string, is not taken for anything else.
LITERAL = re.compile(
    r'"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""'
    r"|'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''"
    r'|"[^"\\\n]*(?:\\.[^"\\\n]*)*"'
    r"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'"
    r"|#[^\n]*",
    re.DOTALL,
)
# After a line that ends in one of these, a string is part of an expression and no docstring.
CONTINUED = ("(", "[", "{", ",", "=", "+", "%", "\\")


def strip_source(source: str) -> str:
    """Strip comments, docstrings and blank lines from Python source."""

    def keep(match: re.Match[str]) -> str:
        literal = match.group()
        if not literal.startswith(("#", '"""')):
            return literal
        before, _, indent = source[: match.start()].rpartition("\n")
        is_docstring = not indent.strip(" r") and not before.rstrip().endswith(CONTINUED)
        return "" if literal.startswith("#") or is_docstring else literal

    lines = LITERAL.sub(keep, source).split("\n")
    return "\n".join(filter(None, map(str.rstrip, lines)))


def code_digest() -> str:
    """Hash the names and code of all sources that kernels may inline."""
    digest = hashlib.sha256()
    for package in COMPILED_PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            digest.update(str(path.relative_to(ROOT)).encode() + b"\0")
            digest.update(strip_source(path.read_text("utf-8")).encode() + b"\0")
    return digest.hexdigest()[:16]


def cache_directory(digest: str) -> Path:
    """Return the directory of machine code.

    It is in ``THETAFRONT_CACHE_DIR``, in the checkout or, for an installed package, in the user's
    cache. If it cannot be written, it is a new temporary directory for this process.
    """
    of_user = platformdirs.user_cache_path("thetafront") / "kernels"
    usual = ROOT / ".cache" / "kernels" if IS_CHECKOUT else of_user
    directory = Path(os.environ.get("THETAFRONT_CACHE_DIR") or usual) / digest
    try:
        directory.mkdir(parents=True, exist_ok=True)
        writable = os.access(directory, os.W_OK)
    except OSError:
        writable = False
    if writable:
        return directory
    # Machine code is loaded from here, so nobody else may write to it.
    return Path(tempfile.mkdtemp(prefix="thetafront-kernels-"))


class KernelLocator(UserProvidedCacheLocator):  # type: ignore[misc]
    """Tells numba where a kernel is cached, and by the digest whether its code has changed."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        super().__init__(function, file)
        path = Path(file).resolve()  # in a checkout, the package's folders are links
        self.covered = any(path.is_relative_to(ROOT / each) for each in COMPILED_PACKAGES)

    def get_source_stamp(self) -> Any:
        """Return the value that must be unchanged for a cached kernel to be used."""
        return DIGEST if self.covered else super().get_source_stamp()

    def get_disambiguator(self) -> str:
        """Return a value that distinguishes functions of one name in a file.

        None for covered files.
        """
        return "" if self.covered else str(super().get_disambiguator())


DIGEST = code_digest()

# numba reads these when a function is decorated, so they are set before the first kernel.
numba.config.CACHE_DIR = str(cache_directory(DIGEST))
numba.config.CACHE_LOCATOR_CLASSES = ",".join(
    (
        f"{__name__}.{KernelLocator.__name__}",
        *(each.__name__ for each in CacheImpl._locator_classes),
    )
)


# Helpers without wrappers for calls from Python compile in two thirds of the time.
INLINED = numba.njit(
    nogil=True,
    forceinline=True,
    error_model="numpy",
    no_cpython_wrapper=True,
    no_cfunc_wrapper=True,
)


def kernel(function: F) -> F:
    """Compile a function for Python to call: once, cached on disk, run without the GIL."""
    return cast(F, numba.njit(nogil=True, cache=True, error_model="numpy")(function))


def inlined(function: F) -> F:
    """Compile a building block of kernels, which Python cannot call: inlined at every call.

    One call left in a loop over lanes would keep LLVM from vectorizing the loop.
    """
    return cast(F, INLINED(function))
