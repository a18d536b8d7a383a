"""Building blocks of kernels, compiled so that tests can call them; and what kernels allocate."""

from collections.abc import Callable
from typing import Any

import numba
from numba.core.runtime import _nrt_python, rtsys


def compiled(function: Any) -> Callable[..., Any]:
    """Compile an inlined function, which Python cannot call, as one that it can."""
    return numba.njit(function.py_func, error_model="numpy")


def count_allocations(call: Callable[[], object]) -> int:
    """Count the allocations of kernels during a call."""
    _nrt_python.memsys_enable_stats()
    try:
        before = rtsys.get_allocation_stats().alloc
        call()
        return rtsys.get_allocation_stats().alloc - before
    finally:
        _nrt_python.memsys_disable_stats()
