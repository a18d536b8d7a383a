"""Agents for Pacman in a noisy maze: value iteration at every move, A* search and random play.

`agent` has what they share, `loop` the game loop; each agent has a module of its own. The room may
import `engine`, `agents.mdp` and the top level of `agents` except `catalog`, but no other game.
"""
