"""Agents for 2048: Monte Carlo search, the Monte Carlo MDP agent, expectimax and tree search.

`agent` has what they share, `loop` the game loop; each agent has a module of its own. The room may
import `engine`, `agents.mdp` and the top level of `agents` except `catalog`, but no other game.
"""
