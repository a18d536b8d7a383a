"""The game of dice in plain Python: every roll of every die listed, with exact fractions.

It knows no arrays, kernels or combinatorics. It is slow, and close to the text of the rules.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

from tests.oracles.twenty48 import substream, words

Roll = tuple[int, ...]
START, SPAWN = 1, 2
ONE_AFTER_ANOTHER = [(), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
"""What three dice leave to hold, by number of dice and then by position."""


def final_score(roll: Roll, n_sides: int = 6) -> int:
    total = 0
    for face in roll:
        total += n_sides + 1 - face if roll.count(face) > 1 else face
    return total


@cache
def rolls(held: Roll, n_dice: int = 3, n_sides: int = 6) -> dict[Roll, Fraction]:
    """What comes of rolling the dice that are not held: sorted rolls and their probabilities."""
    n_missing = n_dice - len(held)
    chances: dict[Roll, Fraction] = {}
    for rolled in product(range(1, n_sides + 1), repeat=n_missing):
        roll = tuple(sorted(held + rolled))
        chances[roll] = chances.get(roll, Fraction(0)) + Fraction(1, n_sides**n_missing)
    return chances


def states(n_dice: int = 3, n_sides: int = 6) -> list[Roll]:
    return sorted(rolls((), n_dice, n_sides))


def hands_of(roll: Roll) -> list[Roll]:
    """What can be held of a roll of three dice, in the order of ONE_AFTER_ANOTHER."""
    return [tuple(roll[position] for position in positions) for positions in ONE_AFTER_ANOTHER]


def of_the_post(gamma: float, theta: float, doubled: bool) -> tuple[dict[Roll, Roll], int]:
    """The program of the post: what its policy holds in each state, and its sweeps.

    As published it adds γ times the final score to the final score; ``doubled`` says whether it
    does here.
    """
    chances = {
        (roll, hand): [(after, float(p)) for after, p in rolls(hand).items()]
        for roll in states()
        for hand in hands_of(roll)
    }
    values = {roll: float(final_score(roll)) for roll in states()}
    policy: dict[Roll, Roll] = {}
    n_sweeps = 0
    delta = theta + 1
    while delta > theta:
        delta = 0.0
        n_sweeps += 1
        for roll in states():
            before, best = values[roll], -1000.0
            for hand in hands_of(roll):
                if len(hand) == 3:
                    value = final_score(roll) * (1 + gamma if doubled else 1.0)
                else:
                    value = sum(
                        p * (-1 + gamma * values[after]) for after, p in chances[roll, hand]
                    )
                if value > best:
                    best, policy[roll] = value, hand
            values[roll] = best
            delta = max(delta, abs(before - best))
    return policy, n_sweeps


def distribution(policy: dict[Roll, Roll], n_rerolls: int) -> dict[int, float]:
    """Probabilities of scores, of all games that end after so many rerolls at most."""
    here = {roll: float(p) for roll, p in rolls(()).items()}
    scores: dict[int, float] = {}
    for paid in range(n_rerolls + 1):
        after: dict[Roll, float] = {}
        for roll, p in here.items():
            if len(policy[roll]) == len(roll):
                score = final_score(roll) - paid
                scores[score] = scores.get(score, 0.0) + p
                continue
            for next_roll, chance in rolls(policy[roll]).items():
                after[next_roll] = after.get(next_roll, 0.0) + p * float(chance)
        here = after
    return scores


def play(
    hold: Callable[[Roll], Roll], seed: int, n_dice: int = 3, n_sides: int = 6
) -> tuple[int, int, Roll]:
    """A game of the seed, a word a die: the score, the actions taken, the last roll."""

    def rolled(n: int, random: Iterator[int]) -> Roll:
        return tuple(1 + (next(random) % 2**32 * n_sides >> 32) for _ in range(n))

    roll = tuple(sorted(rolled(n_dice, words(substream(substream(seed, START), 0)))))
    n_rerolls = 0
    while len(hand := hold(roll)) < n_dice:
        random: Any = words(substream(substream(seed, SPAWN), n_rerolls))
        roll = tuple(sorted(hand + rolled(n_dice - len(hand), random)))
        n_rerolls += 1
    return final_score(roll, n_sides) - n_rerolls, n_rerolls + 1, roll
