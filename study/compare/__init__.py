"""Agents and studies side by side: fronts at equal time, all agents of 2048, utilization.

This package may import `check` and the layers below `check`.
"""
