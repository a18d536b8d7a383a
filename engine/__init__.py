"""Games as pure, fast kernels: functions on numbers and arrays, nothing else.

The engine knows no agents, no studies, and no files but the mazes that come with Pacman or are given to it. It imports numpy and numba only.
"""
