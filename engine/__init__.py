"""Games as pure, fast kernels: functions on numbers and arrays, nothing else.

The engine knows no agents, no studies and no files. It imports numpy and numba only.
"""
