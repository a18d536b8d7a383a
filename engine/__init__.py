"""The rules of three games as pure, fast kernels: functions of numbers and arrays.

The engine depends on neither agents nor studies, and reads no files except mazes. Besides the
standard library, it imports only numpy, numba (with llvmlite) and platformdirs.
"""
