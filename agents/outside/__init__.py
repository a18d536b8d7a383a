"""Agents that are not ours: Python functions and classes, and programs in any language.

They answer a game with a report, from which a :class:`~agents.outside.report.ReportedGame` is made.
"""
