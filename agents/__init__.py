"""Agents: policies that play the games of `engine`, one room for each game.

`agent` says what an agent and a game's record are, `parameters` declares an agent's parameters,
`catalog` finds agents by name, and `mdp` has solvers that know no game. It may import `engine` and
numpy; the games' rooms do not import each other, and nothing but `catalog` imports all of them.
"""
