"""Agents: policies that play the games of `engine`, in one subpackage for each game.

`agent` defines agents and records of games, `parameters` declares an agent's parameters, `catalog`
finds agents by name, and `mdp` has solvers that know no game. This package may import `engine`, but
not `study`. The games' subpackages do not import each other; only `catalog` imports all of them.
"""
