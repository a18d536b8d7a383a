"""The rules of three games as pure, fast kernels: functions of numbers and arrays.

The engine knows no agents and no studies, and reads no files but mazes. It may import numpy,
numba and platformdirs only.
"""
