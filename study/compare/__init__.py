"""Agents and studies side by side: fronts at equal time, all agents of 2048, utilization.

May import `check` and the rooms below it.
"""
