"""The rules of three games as pure, fast kernels: functions of numbers and arrays.

The engine knows neither agents nor studies, and reads no files except mazes. Its only libraries are
numpy, numba (with llvmlite) and platformdirs.
"""
