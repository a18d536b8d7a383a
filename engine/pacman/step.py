"""One turn: Pacman moves, then each ghost in order. The points of the turn are the reward.

1. Pacman moves (:mod:`engine.pacman.motion`), which costs 1 point.
2. He eats what is in his cell. Food gives 10 points, and the last food wins the game for 500 more.
   A capsule sets the timer of every ghost to 40. A won game is over, even next to a ghost.
3. All ghosts are tested for touching him, in order, even if he has just won.
4. While the game is running, each ghost moves in order (:mod:`engine.pacman.ghosts`). After each
   move, only the ghost that has moved is tested.

A ghost touches Pacman at a Manhattan distance of 0.7 cells or less: in his cell or half a cell
away. Positions are whole numbers of half cells, so nothing is rounded. A scared ghost that touches
him is eaten: this gives 200 points, and the ghost returns to its start, not scared and without a
direction. If any other ghost touches him, the game is lost, which costs 500 points; but a won game
stays won.

Where the rules leave a choice, we follow the engine that Verghese's report (see the source below)
used:

- If Pacman's own move makes him touch two ghosts that are not scared, he loses 500 points for each.
- A scared ghost is eaten even after the last food or another ghost has ended the game.
- A capsule is eaten before ghosts are tested, so it saves Pacman from a ghost next to him.
- A ghost that is eaten after Pacman's move still moves in the same turn, from its start.
- A ghost's timer is counted down when the ghost moves, before the ghost is tested. So the ghost is
  no longer scared when it is tested after the last of its 40 moves.
- If a capsule is eaten while ghosts are scared, their timers are set to 40 again, and a ghost
  between two cells continues from its place.

A game that is still running after its maximum number of steps is cut: neither won nor lost.

In turn t, Pacman draws one word from the stream (seed, SLIP, t), and each ghost that moves draws
one from the stream (seed, GHOSTS, t), whether or not the word is needed. So no choice shifts the
random numbers of another choice.

Source: Verghese, *Using a Markov Decision Process and Value Iteration Algorithm to Win Pacman in a
Non-Deterministic World* (2018), for motion. The other rules are those of the engine that the report
used; our implementation follows a description of them.
"""

import numpy as np

from thetafront.engine.jit import Integer, inlined, kernel
from thetafront.engine.pacman.ghosts import move_ghost, restart_ghost
from thetafront.engine.pacman.maze import Maze
from thetafront.engine.pacman.motion import destination
from thetafront.engine.pacman.state import (
    N_FOOD,
    N_STEPS,
    OUTCOME,
    PACMAN,
    SCORE,
    TIMER,
    Outcome,
    Setup,
    State,
    X,
    Y,
)
from thetafront.engine.rng import GHOSTS, SLIP, next_word, stream

STEP_REWARD = -1
FOOD_REWARD = 10
WIN_REWARD = 500
LOSS_REWARD = -500
GHOST_REWARD = 200

SCARED_MOVES = 40
"""How many moves a ghost makes before its scare ends."""

TOUCHING = 1  # in half cells; the next larger distance, 2, is a whole cell

RUNNING = int(Outcome.RUNNING)
WON = int(Outcome.WON)
LOST = int(Outcome.LOST)
CUT = int(Outcome.CUT)


@inlined
def eat(state: State, cell: Integer) -> Integer:
    """Eat what is in Pacman's cell; return the points."""
    reward = 0
    if state.food[cell]:
        state.food[cell] = False
        state.tally[N_FOOD] -= 1
        reward += FOOD_REWARD
        if state.tally[N_FOOD] == 0:
            reward += WIN_REWARD
            state.tally[OUTCOME] = WON
    elif state.capsules[cell]:
        state.capsules[cell] = False
        for i in range(len(state.ghosts)):
            state.ghosts[i, TIMER] = SCARED_MOVES
    return reward


@inlined
def touch(maze: Maze, state: State, i: Integer) -> Integer:
    """Test whether ghost ``i`` touches Pacman, apply the effects, and return the points."""
    pacman = state.tally[PACMAN]
    distance = abs(state.ghosts[i, X] - 2 * (pacman // maze.height)) + abs(
        state.ghosts[i, Y] - 2 * (pacman % maze.height)
    )
    if distance > TOUCHING:
        return 0
    if state.ghosts[i, TIMER] > 0:
        restart_ghost(maze, state, i)
        return GHOST_REWARD
    if state.tally[OUTCOME] == WON:
        return 0
    state.tally[OUTCOME] = LOST
    return LOSS_REWARD


@kernel
def step(maze: Maze, state: State, action: Integer, setup: Setup) -> Integer:
    """Play one turn of a running game: change ``state``, and return the reward.

    All actions, 0 to 4, are allowed everywhere.
    """
    tally = state.tally
    turn = np.uint64(tally[N_STEPS])
    word, _ = next_word(stream(setup.seed, SLIP, turn))
    tally[PACMAN] = destination(maze, tally[PACMAN], action, word, setup.chosen)
    tally[N_STEPS] += 1
    reward = STEP_REWARD + eat(state, tally[PACMAN])
    for i in range(len(state.ghosts)):
        reward += touch(maze, state, i)
    ghost_words = stream(setup.seed, GHOSTS, turn)
    for i in range(len(state.ghosts)):
        if tally[OUTCOME] == RUNNING:
            word, ghost_words = next_word(ghost_words)
            move_ghost(maze, state, i, word, setup.directional)
            reward += touch(maze, state, i)
    tally[SCORE] += reward
    if tally[OUTCOME] == RUNNING and tally[N_STEPS] >= setup.most_steps:
        tally[OUTCOME] = CUT
    return reward
