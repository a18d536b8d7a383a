"""A game in the terminal: watch or play it, inspect a decision, see a schedule of playouts.

Drawing and pace do not depend on a terminal, so that tests can act as the user. Only
:mod:`study.terminal.session` takes over a terminal. This subpackage may import ``engine``,
``agents``, ``experiments``, and the modules directly in ``study``.
"""
