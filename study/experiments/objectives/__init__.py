"""Objectives: goals, which are maximized or minimized, and costs, which are minimized.

A goal is made of an estimator (statistics) and a format (text). This package imports the modules
directly in `study`, and base classes of `agents`.
"""
