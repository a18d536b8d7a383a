"""Random games: each turn takes one of the directions without a wall in the way, equally likely.

Pacman never stops, unless he is walled in.
"""

import numpy as np

from thetafront.engine.jit import Integer, inlined, kernel
from thetafront.engine.pacman.maze import Action, Indices, Maze, count_directions, kth_direction
from thetafront.engine.pacman.state import (
    N_STEPS,
    OUTCOME,
    PACMAN,
    SCORE,
    Outcome,
    Setup,
    State,
    begin,
    new_state,
)
from thetafront.engine.pacman.step import step
from thetafront.engine.rng import POLICY, below, next_word, stream

STOP = int(Action.STOP)
RUNNING = int(Outcome.RUNNING)


@inlined
def random_action(maze: Maze, state: State, word: np.uint64) -> Integer:
    """Choose an open direction with equal probability; stop if there is none."""
    directions = maze.open_directions[state.tally[PACMAN]]
    if directions == 0:
        return STOP
    n = count_directions(directions)
    return kth_direction(directions, np.int64(below(word, np.uint64(n))))


@kernel
def play_random_games(
    maze: Maze, first: Setup, n_games: Integer
) -> tuple[Indices, Indices, Indices]:
    """Play random games; return scores, numbers of actions and outcomes, shape (n_games,) each.

    Game i has the seed of ``first`` + i, and draws its action of turn t from the stream
    (seed, POLICY, t).
    """
    state = new_state(maze)
    scores = np.empty(n_games, np.int64)
    n_steps = np.empty(n_games, np.int64)
    outcomes = np.empty(n_games, np.int64)
    for i in range(n_games):
        seed = first.seed + np.uint64(i)
        setup = Setup(seed, first.directional, first.most_steps, first.chosen)
        begin(maze, state)
        while state.tally[OUTCOME] == RUNNING:
            word, _ = next_word(stream(seed, POLICY, np.uint64(state.tally[N_STEPS])))
            step(maze, state, random_action(maze, state, word), setup)
        scores[i] = state.tally[SCORE]
        n_steps[i] = state.tally[N_STEPS]
        outcomes[i] = state.tally[OUTCOME]
    return scores, n_steps, outcomes
