"""Random games of Pacman in one kernel: what a turn takes without an agent around it."""

import numpy as np

from thetafront.agents.pacman.random import random_action
from thetafront.engine.jit import Integer, kernel
from thetafront.engine.pacman import Layout, World
from thetafront.engine.pacman.maze import Maze
from thetafront.engine.pacman.state import N_STEPS, OUTCOME, Outcome, Setup, begin, new_state
from thetafront.engine.pacman.step import step
from thetafront.engine.rng import POLICY, next_word, stream

RUNNING = int(Outcome.RUNNING)


@kernel
def play(maze: Maze, first: Setup, n_games: Integer) -> Integer:
    """Play games with the seed of ``first``, that seed + 1, …; return how many turns they take."""
    state = new_state(maze)
    n_steps: Integer = 0
    for i in range(n_games):
        seed = first.seed + np.uint64(i)
        setup = Setup(seed, first.directional, first.most_steps, first.chosen)
        begin(maze, state)
        while state.tally[OUTCOME] == RUNNING:
            word, _ = next_word(stream(seed, POLICY, np.uint64(state.tally[N_STEPS])))
            step(maze, state, random_action(maze, state, word), setup)
        n_steps += state.tally[N_STEPS]
    return n_steps


def random_steps(layout: Layout, n_games: int, seed: int) -> int:
    """Play games of consecutive seeds; return how many turns they take."""
    return int(play(layout.maze, World.start(layout, seed).setup, n_games))
