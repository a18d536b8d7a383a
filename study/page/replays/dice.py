"""Games of dice recorded: the faces of each roll, and those that were held."""

from collections import Counter

import numpy as np
import numpy.typing as npt

from thetafront.agents.agent import warm
from thetafront.agents.dice.agent import DiceAgent
from thetafront.engine.dice import REROLL_COST
from thetafront.engine.jit import kernel
from thetafront.engine.rng import SPAWN, START, below, next_word, stream
from thetafront.study.page.replays.recording import Recording


@kernel
def roll(
    seed: np.uint64, purpose: np.uint64, index: np.uint64, sides: np.uint64, n_dice: np.int64
) -> npt.NDArray[np.int64]:
    """Roll dice by the game's stream of this purpose and number, as the engine does."""
    faces = np.empty(n_dice, np.int64)
    random = stream(seed, purpose, index)
    for die in range(n_dice):
        word, random = next_word(random)
        faces[die] = np.int64(below(word, sides)) + 1
    return faces


def record_dice(agent: DiceAgent, seed: int) -> Recording:
    """Play the game of ``agent.play(seed)`` roll by roll.

    The data are ``sides``. The steps are the rolls, and what becomes of the last one: ``dice``, for
    each its face and whether it is held, or, at the end, flipped; and ``score``.
    """
    warm(agent)

    def rolled(purpose: np.uint64, index: int, n_dice: int) -> list[int]:
        sides = np.uint64(agent.n_sides)
        faces = roll(np.uint64(seed), purpose, np.uint64(index), sides, np.int64(n_dice))
        return [int(face) for face in faces]

    rules = agent.rules
    hand = tuple(sorted(rolled(START, 0, agent.n_dice)))
    dice: list[list[list[int]]] = []
    while True:
        hold = int(agent.holds[rules.state(hand)])
        kept = rules.held(hand, rules.holds[hold])
        left = Counter(kept)
        seen = []
        for face in hand:
            seen.append([face, int(left[face] > 0)])
            left[face] -= 1
        dice.append(seen)
        if hold == rules.sticking:
            break
        rolls = rolled(SPAWN, len(dice) - 1, agent.n_dice - len(kept))
        hand = tuple(sorted((*kept, *rolls)))
    n_moves = len(dice)
    score = rules.final_score(hand) - REROLL_COST * (n_moves - 1)
    faces = [agent.n_sides + 1 - face if hand.count(face) > 1 else face for face in hand]
    dice.append([[face, int(hand.count(was) > 1)] for face, was in zip(faces, hand, strict=True)])
    scores = [*(-REROLL_COST * k for k in range(n_moves)), score]
    data = {"game": "dice", "sides": agent.n_sides, "steps": {"dice": dice, "score": scores}}
    return Recording(data, score, n_moves)
