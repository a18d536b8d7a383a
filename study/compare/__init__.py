"""Agents and studies side by side: fronts at equal time, all agents of 2048, utilization.

It may import `check` and the layers below it.
"""
