"""Agents: policies that play the games of `engine`, in one subpackage for each game.

`agent` defines agents and records of games, `parameters` declares an agent's parameters, and
`catalog` finds agents by name. `mdp` has solvers that do not depend on any game. This package may
import `engine`, but not `study`. The subpackages of the games do not import each other; only
`catalog` imports all of them.
"""
