"""One turn of Pacman: he moves, then each ghost in order.

Notation
--------
===========  =======================================================================================
turn         one action of Pacman's, and what it sets off; it is numbered by the actions before it
reward       the points of a turn
touching     Pacman and a ghost are at a Manhattan distance of 0.7 or less
===========  =======================================================================================

In this order,

1. Pacman moves (:mod:`engine.pacman.motion`): −1.
2. He eats what lies where he is: food +10, and the last food wins: +500 more. A capsule sets the timer of every ghost to
   40. A game that is won is over, whoever stands beside him.
3. All ghosts are tested for touching him, in order.
4. Each ghost in order moves (:mod:`engine.pacman.ghosts`), and then it alone is tested.

A ghost that touches Pacman while it is scared is eaten: +200, and it is back at its start, not scared, with no direction.
One that is not scared ends the game: −500, lost.

In half cells, 0.7 is 1.4: a ghost touches Pacman if it is in his cell, or half a cell away. As coordinates in half cells
are whole numbers, there is nothing to be rounded.

Readings, where the rules leave a choice: a game that is over takes nothing more, so a second ghost neither costs 500 again
nor is eaten after the last food or the loss. A capsule is eaten before touching, so it saves Pacman from a ghost beside
it. A ghost that is eaten after Pacman's move moves on the same turn, from its start. A timer is counted down with the
ghost's move, before it is tested: after the last of its 40 moves it is no longer scared. A capsule eaten while ghosts are
scared sets 40 again, and a ghost between two cells goes on from there.

A game that is still running after the most steps it may take is cut: neither won nor lost.

Turn t draws one word of the stream (seed, SLIP, t) for Pacman and, of the stream (seed, GHOSTS, t), one for each ghost
that comes to move, whether it needs it or not: no choice of one shifts what another draws.

Source: Verghese, *Using a Markov Decision Process and Value Iteration Algorithm to Win Pacman in a Non-Deterministic
World* (2018), for motion; the rules of the environment that the report plays in, written anew from a description.
"""

import numpy as np

from engine.jit import Integer, inlined, kernel
from engine.pacman.ghosts import move_ghost, restart_ghost
from engine.pacman.maze import Maze
from engine.pacman.motion import destination
from engine.pacman.state import (
    N_FOOD,
    N_STEPS,
    OUTCOME,
    PACMAN,
    SCORE,
    TIMER,
    Outcome,
    Setting,
    State,
    X,
    Y,
)
from engine.rng import GHOSTS, SLIP, next_word, stream

STEP_REWARD = -1
FOOD_REWARD = 10
WIN_REWARD = 500
LOSS_REWARD = -500
GHOST_REWARD = 200

SCARED_MOVES = 40
"""For how many of its own moves a capsule scares a ghost."""

TOUCHING = 1  # half cells; the next distance, 2, is a whole cell

RUNNING = int(Outcome.RUNNING)
WON = int(Outcome.WON)
LOST = int(Outcome.LOST)
CUT = int(Outcome.CUT)


@inlined
def eat(state: State, cell: Integer) -> Integer:
    """Eat what lies in Pacman's cell; returns the points."""
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
    """Test ghost ``i`` for touching Pacman, and do what follows; returns the points."""
    pacman = state.tally[PACMAN]
    distance = abs(state.ghosts[i, X] - 2 * (pacman // maze.height)) + abs(
        state.ghosts[i, Y] - 2 * (pacman % maze.height)
    )
    if distance > TOUCHING:
        return 0
    if state.ghosts[i, TIMER] > 0:
        restart_ghost(maze, state, i)
        return GHOST_REWARD
    state.tally[OUTCOME] = LOST
    return LOSS_REWARD


@kernel
def step(maze: Maze, state: State, action: Integer, setting: Setting) -> Integer:
    """Play one turn of a running game.

    Parameters
    ----------
    maze : Maze
        The maze.
    state : State
        Written to.
    action : Action or int
        0 to 4: north, east, south, west, stop. Any of them may be chosen anywhere.
    setting : Setting
        Seed, kind of ghosts and most steps.

    Returns
    -------
    int
        The reward.
    """
    tally = state.tally
    turn = np.uint64(tally[N_STEPS])
    word, _ = next_word(stream(setting.seed, SLIP, turn))
    tally[PACMAN] = destination(maze, tally[PACMAN], action, word)
    tally[N_STEPS] += 1
    reward = STEP_REWARD + eat(state, tally[PACMAN])
    for i in range(len(state.ghosts)):
        if tally[OUTCOME] == RUNNING:
            reward += touch(maze, state, i)
    ghost_words = stream(setting.seed, GHOSTS, turn)
    for i in range(len(state.ghosts)):
        if tally[OUTCOME] == RUNNING:
            word, ghost_words = next_word(ghost_words)
            move_ghost(maze, state, i, word, setting.directional)
            reward += touch(maze, state, i)
    tally[SCORE] += reward
    if tally[OUTCOME] == RUNNING and tally[N_STEPS] >= setting.most_steps:
        tally[OUTCOME] = CUT
    return reward
