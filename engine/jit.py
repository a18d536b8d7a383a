"""How kernels are compiled, and where their machine code is cached.

numba invalidates a cached kernel when the kernel's own file changes. It does not do so when another
file changes, even if the kernel has inlined a function from that file. Therefore the cache
directory is named after a digest of all code in ``engine/`` and ``agents/``. When code changes, the
directory changes too, so no cached kernel is ever out of date. The digest leaves out comments and
docstrings, so that editing them recompiles nothing.
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
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.caching import CacheImpl, UserProvidedCacheLocator
from numba.extending import intrinsic

ROOT = Path(__file__).resolve().parent.parent  # of the checkout, or of the installed package
IS_CHECKOUT = (ROOT / "pyproject.toml").is_file()
COMPILED_PACKAGES = ("engine", "agents")

Integer = int | np.int64
"""An integer in Python, or in a kernel."""

F = TypeVar("F", bound=Callable[..., Any])

# Matches string literals and comments, in the order in which they begin. So a quotation mark in a
# comment does not begin a string, and a # in a string does not begin a comment.
LITERAL = re.compile(
    r'"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""'
    r"|'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''"
    r'|"[^"\\\n]*(?:\\.[^"\\\n]*)*"'
    r"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'"
    r"|#[^\n]*",
    re.DOTALL,
)
# A string that follows a line with one of these characters at its end is not a docstring.
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
    """Return a digest of the names and code of all files whose functions kernels may inline."""
    digest = hashlib.sha256()
    for package in COMPILED_PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            digest.update(str(path.relative_to(ROOT)).encode() + b"\0")
            digest.update(strip_source(path.read_text("utf-8")).encode() + b"\0")
    return digest.hexdigest()[:16]


def cache_directory(digest: str) -> Path:
    """Return the directory for cached machine code.

    It is in the directory that the environment variable ``THETAFRONT_CACHE_DIR`` names. Without
    this variable, it is in the checkout or, for an installed package, in the user's cache. If it is
    not writable, this process gets a new temporary directory instead.
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
    # The process runs the code in this directory, so no other user may write to it.
    return Path(tempfile.mkdtemp(prefix="thetafront-kernels-"))


class KernelLocator(UserProvidedCacheLocator):  # type: ignore[misc]
    """Tells numba where a kernel is cached and, by the digest, whether code has changed."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        super().__init__(function, file)
        path = Path(file).resolve()  # in a checkout, the package's folders are symbolic links
        self.covered = any(path.is_relative_to(ROOT / each) for each in COMPILED_PACKAGES)

    def get_source_stamp(self) -> Any:
        """Return a value; numba uses a cached kernel only if this value has not changed."""
        return DIGEST if self.covered else super().get_source_stamp()

    def get_disambiguator(self) -> str:
        """Return a value that distinguishes functions of the same name in a file.

        It is empty for files that the digest covers.
        """
        return "" if self.covered else str(super().get_disambiguator())


DIGEST = code_digest()

# numba reads these settings when it decorates a function, so they precede the first kernel.
numba.config.CACHE_DIR = str(cache_directory(DIGEST))
numba.config.CACHE_LOCATOR_CLASSES = ",".join(
    (
        f"{__name__}.{KernelLocator.__name__}",
        *(each.__name__ for each in CacheImpl._locator_classes),
    )
)


# Wrappers for calls from Python would make compiling a helper take one and a half times as long.
INLINED = numba.njit(
    nogil=True,
    forceinline=True,
    error_model="numpy",
    no_cpython_wrapper=True,
    no_cfunc_wrapper=True,
)


def kernel(function: F) -> F:
    """Compile a function that Python can call, cache it on disk, and let it run without the GIL."""
    return cast(F, numba.njit(nogil=True, cache=True, error_model="numpy")(function))


def inlined(function: F) -> F:
    """Compile a helper that is inlined at every call in kernels; Python cannot call it.

    A single call that is not inlined would keep LLVM from vectorizing a loop over many games.
    """
    return cast(F, INLINED(function))


@intrinsic  # type: ignore[untyped-decorator]
def prefetch(_: Any, array: types.Array, index: types.Integer) -> Any:
    """Load ``array[index]``, which will soon be read and written, into the processor's cache.

    Only kernels can call this function. No value changes. Several prefetches run at the same time,
    whereas each read would wait for the read before it.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        made = context.make_array(array)(context, builder, arguments[0])
        zero = context.get_constant(types.intp, 0)
        place = [arguments[1], *[zero] * (array.ndim - 1)]
        pointer = cgutils.get_item_pointer(context, builder, array, made, place)
        flag = ir.IntType(32)
        types_of = [pointer.type, flag, flag, flag]
        function = ir.FunctionType(ir.VoidType(), types_of)
        asked = cgutils.get_or_insert_function(builder.module, function, "llvm.prefetch.p0")
        # 1: for writing; 3: into all levels of the cache; 1: data, not instructions.
        builder.call(asked, [pointer, flag(1), flag(3), flag(1)])
        return context.get_dummy_value()

    return types.void(array, index), generate
