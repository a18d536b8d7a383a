"""Building blocks of kernels, compiled so that tests can call them."""

from collections.abc import Callable
from typing import Any

import numba


def compiled(function: Any) -> Callable[..., Any]:
    """Compile an inlined function, which Python cannot call, as one that it can."""
    return numba.njit(function.py_func, error_model="numpy")
