"""Games that are played again and recorded: what is visible at each step.

A recording is plain data for JSON: the game's name as ``game``, everything that does not change
during the game, and ``steps``. The steps have a column for each thing that is seen, such as
``score``, with a value per position: the first one, and one after each move.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thetafront.agents.agent import warm
from thetafront.agents.dice.agent import DiceAgent
from thetafront.agents.pacman.agent import PacmanAgent
from thetafront.agents.twenty48.agent import Agent2048
from thetafront.engine.dice import REROLL_COST
from thetafront.engine.jit import kernel
from thetafront.engine.pacman import World
from thetafront.engine.pacman.maze import NO_DIRECTION
from thetafront.engine.pacman.state import PACMAN, TIMER, X, Y
from thetafront.engine.rng import SPAWN, START, below, next_word, stream
from thetafront.engine.twenty48 import Action, afterstate, unpack
from thetafront.engine.twenty48 import stream as stream_2048
from thetafront.study.terminal.position import Position

NO_ACTION = -1
Recording = dict[str, Any]


def columns(steps: Sequence[Recording]) -> dict[str, list[Any]]:
    """Return the columns of some steps."""
    return {name: [step[name] for step in steps] for name in steps[0]}


def record_2048(agent: Agent2048, seed: int) -> Recording:
    """Play the game of ``agent.play(seed)`` move by move.

    The columns of the steps are ``cells``, a hexadecimal exponent for each cell in reading order;
    ``score``; ``action``, the action that led to this position (up, right, down, left); and
    ``spawned``, the cell of the new tile.
    """
    warm(agent)
    player = agent.in_game()
    position = Position.first(seed, agent.rule)

    def seen(action: int, spawned: int) -> Recording:
        cells = "".join(f"{exponent:x}" for exponent in unpack(position.board).ravel())
        return {"cells": cells, "score": position.score, "action": action, "spawned": spawned}

    steps = [seen(NO_ACTION, NO_ACTION)]
    while position.legal:
        decided = stream_2048(seed, agent.purpose, position.n_moves)
        action, _, _ = player.decide(position.board, decided)
        slid, _ = afterstate(position.board, action, agent.rule)
        position = position.after(Action(action))
        steps.append(seen(int(action), ((position.board ^ slid).bit_length() - 1) // 4))
    return {"game": "2048", "steps": columns(steps)}


def record_pacman(agent: PacmanAgent, seed: int) -> Recording:
    """Play the game of ``agent.play(seed)`` turn by turn.

    The data have ``rows``, the maze's lines, and ``morsels``: for each morsel, x, y, whether it is
    a capsule, and the turn in which it is eaten, or None. The columns of the steps are ``x``,
    ``y``, ``score``, ``outcome``, ``n_food``; ``action``, which Pacman chose; ``moved``, the
    direction in which he went or, if he met a wall, tried to go (north, east, south, west, none);
    and ``ghosts``: for each ghost, x and y in half cells, and whether the ghost is scared.
    """
    warm(agent)
    world = agent.start(seed)
    capsules = world.capsules
    places = zip(*(world.food | capsules).nonzero(), strict=True)
    turns: dict[tuple[int, int], int | None] = {(int(x), int(y)): None for x, y in places}

    def seen(action: int, moved: int) -> Recording:
        ghosts = [[row[X], row[Y], int(row[TIMER] > 0)] for row in world.state.ghosts.tolist()]
        return {
            **dict(zip("xy", world.pacman, strict=True)),
            "score": world.score,
            "outcome": world.outcome.name.lower(),
            "n_food": world.n_food,
            "action": action,
            "moved": moved,
            "ghosts": ghosts,
        }

    steps = [seen(NO_DIRECTION, NO_DIRECTION)]
    while not world.is_over:
        before = world.copy()
        action = int(agent.act(world).action)
        world.step(action)
        if turns.get(world.pacman, 0) is None:
            turns[world.pacman] = world.n_steps
        steps.append(seen(action, direction_of_pacman(before, world, action)))
    morsels = [[*at, int(capsules[at]), turn] for at, turn in turns.items()]
    rows = list(agent.layout.rows)
    return {"game": "pacman", "rows": rows, "morsels": morsels, "steps": columns(steps)}


def direction_of_pacman(before: World, after: World, action: int) -> int:
    """Return the direction that Pacman took; if he did not move, one that a wall blocks."""
    here, there = int(before.state.tally[PACMAN]), int(after.state.tally[PACMAN])
    possible = (action,) if action == NO_DIRECTION else (action, (action + 1) & 3, (action + 3) & 3)
    leads = before.layout.maze.after[here]
    return next(direction for direction in possible if leads[direction] == there)


@kernel
def roll(
    seed: np.uint64, purpose: np.uint64, index: np.uint64, sides: np.uint64, n_dice: np.int64
) -> npt.NDArray[np.int64]:
    """Roll dice with the random stream of a seed, a purpose and an index, as the engine does."""
    faces = np.empty(n_dice, np.int64)
    random = stream(seed, purpose, index)
    for die in range(n_dice):
        word, random = next_word(random)
        faces[die] = np.int64(below(word, sides)) + 1
    return faces


def record_dice(agent: DiceAgent, seed: int) -> Recording:
    """Play the game of ``agent.play(seed)`` roll by roll.

    The data have ``sides``, the number of sides of a die. There is a step for each roll, and one
    for the final result. The columns of the steps are ``score`` and ``dice``: for each die, its
    face, and whether it is held (in the final result, whether it is flipped).
    """
    warm(agent)

    def rolled(purpose: np.uint64, index: int, n_dice: int) -> list[int]:
        sides = np.uint64(agent.n_sides)
        faces = roll(np.uint64(seed), purpose, np.uint64(index), sides, np.int64(n_dice))
        return [int(face) for face in faces]

    hand = tuple(sorted(rolled(START, 0, agent.n_dice)))
    dice: list[list[list[int]]] = []
    while True:
        decision = agent.act(hand)
        left = Counter(decision.held)
        seen = []
        for face in hand:
            seen.append([face, int(left[face] > 0)])
            left[face] -= 1
        dice.append(seen)
        if decision.sticks:
            break
        rolls = rolled(SPAWN, len(dice) - 1, agent.n_dice - len(decision.held))
        hand = tuple(sorted((*decision.held, *rolls)))
    n_moves = len(dice)
    score = agent.rules.final_score(hand) - REROLL_COST * (n_moves - 1)
    faces = [agent.n_sides + 1 - face if hand.count(face) > 1 else face for face in hand]
    dice.append([[face, int(hand.count(was) > 1)] for face, was in zip(faces, hand, strict=True)])
    scores = [*(-REROLL_COST * k for k in range(n_moves)), score]
    return {"game": "dice", "sides": agent.n_sides, "steps": {"dice": dice, "score": scores}}
