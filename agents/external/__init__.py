"""Agents of users: Python functions and classes, and programs in any language.

They answer a game with a report, of which a :class:`~agents.external.report.ReportedGame` is made.
"""
