"""Games of dice recorded: the faces of each roll, and those that were held."""

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

    The data are ``sides``; ``rolls``, the faces of the dice that were rolled, one list a roll; and
    ``held``, the faces that were held after it. The last ones are all: that is sticking.
    """
    warm(agent)

    def rolled(purpose: np.uint64, index: int, n_dice: int) -> list[int]:
        sides = np.uint64(agent.n_sides)
        faces = roll(np.uint64(seed), purpose, np.uint64(index), sides, np.int64(n_dice))
        return [int(face) for face in faces]

    rules = agent.rules
    rolls, held = [rolled(START, 0, agent.n_dice)], []
    hand = tuple(sorted(rolls[0]))
    while True:
        hold = int(agent.holds[rules.state(hand)])
        kept = rules.held(hand, rules.holds[hold])
        held.append(list(kept))
        if hold == rules.sticking:
            break
        rolls.append(rolled(SPAWN, len(rolls) - 1, agent.n_dice - len(kept)))
        hand = tuple(sorted((*kept, *rolls[-1])))
    data = {"game": "dice", "sides": agent.n_sides, "rolls": rolls, "held": held}
    score = rules.final_score(hand) - REROLL_COST * (len(rolls) - 1)
    return Recording(data, score, len(held))
