"""Finite Markov decision processes: the model, its Bellman backups, and solvers.

This package knows no game: a game describes itself as a :class:`~agents.mdp.finite_mdp.FiniteMDP`
and picks a solver. It may import :mod:`engine.jit`, :mod:`engine.rng`, :mod:`agents.agent` and
:mod:`agents.parameters`.
"""
