"""A game in the terminal: watch or play it, inspect a decision, see a schedule of playouts.

Drawing and pace do not depend on a terminal, so that tests can act as the user; only
:mod:`study.terminal.session` takes one over. It may import ``experiments``, the ground modules of
``study``, ``agents`` and ``engine``.
"""
