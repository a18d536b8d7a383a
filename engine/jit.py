"""How kernels are compiled, and where their machine code is cached.

``@kernel`` marks a function that Python calls: compiled once, cached on disk, run with the GIL
released. ``@inlined`` marks a building block that only kernels call: it is always inlined, because
one call left in a loop over lanes keeps LLVM from vectorizing the loop.

numba's cache looks only at the file of the function itself. A kernel that inlined a function from
another file would go on returning old results after that file was edited. So the cache directory is
named by a hash of every source in ``engine/`` and ``agents/``: any edit begins an empty cache.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
COMPILED_PACKAGES = ("engine", "agents")

Integer = int | np.int64
"""A whole number as Python has it, or as kernels do."""

F = TypeVar("F", bound=Callable[..., Any])


def sources_digest() -> str:
    """Hash names and contents of all Python sources that kernels may inline."""
    digest = hashlib.sha256()
    for package in COMPILED_PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            digest.update(str(path.relative_to(ROOT)).encode() + b"\0")
            digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def cache_directory() -> Path:
    """Return the directory of compiled code for exactly these sources.

    It lies in ``.cache/kernels`` of the checkout, or in ``THETAFRONT_CACHE_DIR`` if that is set. Where
    that cannot be written, it is a new folder for temporary files, of this process alone.
    """
    base = Path(os.environ.get("THETAFRONT_CACHE_DIR") or ROOT / ".cache" / "kernels")
    directory = base / sources_digest()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        writable = os.access(directory, os.W_OK)
    except OSError:
        writable = False
    if writable:
        return directory
    # Machine code is loaded from here: the folder must be nobody else's.
    return Path(tempfile.mkdtemp(prefix="thetafront-kernels-"))


# numba reads this when a function is decorated, so it has to stand before the first kernel.
numba.config.CACHE_DIR = str(cache_directory())


# Without the wrappers that a call from Python would need, helpers compile in two thirds of the time.
INLINED = numba.njit(
    nogil=True,
    forceinline=True,
    error_model="numpy",
    no_cpython_wrapper=True,
    no_cfunc_wrapper=True,
)


def kernel(function: F) -> F:
    """Compile a function for Python to call: cached on disk, GIL released, no zero-division tests."""
    return cast(F, numba.njit(nogil=True, cache=True, error_model="numpy")(function))


def inlined(function: F) -> F:
    """Compile a building block of kernels: inlined wherever it is called, and not for Python to call."""
    return cast(F, INLINED(function))
