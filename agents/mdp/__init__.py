"""Finite Markov decision processes: the model, its Bellman backups, and solvers.

This package depends on no game: an agent describes its game as a finite MDP
(:mod:`agents.mdp.finite_mdp`) and chooses a solver. The package may import :mod:`engine.jit`,
:mod:`engine.rng`, :mod:`agents.agent` and :mod:`agents.parameters`.
"""
