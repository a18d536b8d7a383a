"""Agents for the game of dice: ``agent`` plays by value iteration, ``solver`` only solves the game.

The whole policy is computed before the first roll, so solving the game is also a task by itself.
The package may import `engine`, `agents.mdp` and the top level of `agents` except `catalog`, but
not the package of another game.
"""
