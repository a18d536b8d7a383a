"""Agents of users: Python functions and classes, and programs in any language.

They answer each game with a report, which becomes a :class:`~agents.external.report.ReportedGame`.
"""
