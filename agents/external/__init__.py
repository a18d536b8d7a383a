"""Agents of users: Python functions and classes, and programs in any language.

Such an agent reports the result of each game, and the report becomes a
:class:`~agents.external.report.ReportedGame`.
"""
