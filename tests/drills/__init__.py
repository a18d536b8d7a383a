"""Drills: the program as a user runs it, again and again, while things go wrong.

Each module runs by itself, ``python -m tests.drills.interrupts --single 500 --double 100``, prints
its counts, and ends with exit code 0 or 1. They take minutes; `make drills` runs all of them.
"""
