"""Agents for 2048: Monte Carlo search, the Monte Carlo MDP agent, expectimax and tree search.

`agent` has what the agents share, and `loop` has the game loop. The other modules have agents, or
parts of agents. This package may import `engine`, `agents.mdp`, and the top level of `agents`
except `catalog`, but not the packages of other games.
"""
