"""Agents for Pacman in a noisy maze: value iteration at every move, A* search and random play.

`agent` has what the agents share, and `loop` has the game loop; each agent has its own module. The
package may import `engine`, `agents.mdp` and the top level of `agents` except `catalog`, but not
the package of another game.
"""
