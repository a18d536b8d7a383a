"""A dice game as a finite MDP, and a kernel that plays games with a given policy.

Rules: the first roll of all dice is free. After each roll, the player chooses which dice to hold,
pays one point and rolls the others again. To hold all dice is to *stick*: this is free and ends the
game. Dice that show the same face are then flipped to their opposite faces, and the player wins the
sum of all faces.

===========  ===================================================================================
n, m         number of dice (default 3) and of sides (default 6); opposite faces sum to m + 1
hand         faces of 0 to n dice, in ascending order; hands are ordered by their number of dice,
             then lexicographically, and numbered from 0
state        a hand of n dice, numbered from 0. The *end*, the only terminal state, comes last
hold         the positions of the dice that are held. The 2ⁿ holds are ordered like hands: hold 0
             keeps no dice, and hold 2ⁿ − 1 sticks
action       a hold in a state; its number is state·2ⁿ + hold
===========  ===================================================================================

Source: P. Thanki, *Value iteration algorithm* (2021), "Game rules" and "Things to note". The source
has three dice with six sides; other numbers of dice and sides are our extension.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, combinations_with_replacement
from math import comb, factorial, prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from thetafront.engine.jit import kernel
from thetafront.engine.rng import SPAWN, START, below, next_word, stream, substream

REROLL_COST = 1
"""The cost in points of each roll after the first, however many dice are rolled."""

MAX_OUTCOMES = 5_000_000

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Hand = tuple[int, ...]


class DiceMDP(NamedTuple):
    """The game in flat arrays."""

    first_action: Integers  # (n_states + 2,): each state's first action; the end has no actions
    reward: Floats  # (n_actions,): the score for sticking, −1 for other actions
    first_outcome: Integers  # (n_actions + 1,): each action's first outcome
    outcome: Integers  # (n_outcomes,): the next state
    probability: Floats  # (n_outcomes,)
    start: Floats  # (n_states + 1,): probability of each state after the first roll; 0 for the end


class DicePolicy(NamedTuple):
    """A policy in the form that :func:`play_games` takes."""

    joined: Integers  # (n_hands, n_sides): see `Dice.joined`
    held: Integers  # (n_states,): number of the hand that the policy holds
    n_rolled: Integers  # (n_states,): number of dice rolled again; 0 for sticking
    final: Integers  # (n_states,): the score for sticking
    n_dice: int


@kernel
def play_games(
    policy: DicePolicy, seed: np.uint64, scores: Integers, n_moves: Integers, ends: Integers
) -> None:
    """Play one game for each of the seeds ``seed``, ``seed`` + 1, and so on.

    The arrays, shape (n_games,), are filled: ``scores`` with the scores for sticking minus the
    points paid, ``n_moves`` with the numbers of actions, and ``ends`` with the states in which the
    player stuck. From every state, the policy must stick sooner or later. Each die that is rolled
    takes one random word. The first roll comes from the seed's stream START; the roll after move k
    (from 0) comes from substream k of the seed's stream SPAWN.
    """
    joined, held, n_rolled, final, n_dice = policy
    first_state = len(joined) - len(held)
    n_sides = np.uint64(joined.shape[1])
    for game in range(len(scores)):
        name = seed + np.uint64(game)
        rerolls = substream(name, SPAWN)
        random = stream(name, START, np.uint64(0))
        hand, n_missing = np.int64(0), np.int64(n_dice)
        moves = 0
        while True:
            for _ in range(n_missing):
                word, random = next_word(random)
                hand = joined[np.uint64(hand), below(word, n_sides)]
            state = np.uint64(hand - first_state)
            hand, n_missing = held[state], n_rolled[state]
            if n_missing == 0:
                break
            random = substream(rerolls, np.uint64(moves))
            moves += 1
        scores[game] = final[state] - REROLL_COST * moves
        n_moves[game] = moves + 1
        ends[game] = state


@dataclass(frozen=True)
class Dice:
    """The rules, for n ≥ 1 dice of m ≥ 2 sides.

    Raises
    ------
    ValueError
        If there are too few dice or sides, or the MDP would have more than five million outcomes.

    Examples
    --------
    >>> dice = Dice()
    >>> dice.n_states, dice.n_holds, dice.final_score((1, 1, 5))
    (56, 8, 17)
    """

    n_dice: int = 3
    n_sides: int = 6

    def __post_init__(self) -> None:
        for name, value, least in (("n_dice", self.n_dice, 1), ("n_sides", self.n_sides, 2)):
            if value < least:
                raise ValueError(f"{name} must be {least} or more (got {value})")
        # Above these limits there are certainly too many outcomes, and counting them would be slow.
        large = self.n_dice > MAX_OUTCOMES.bit_length() or self.n_sides > MAX_OUTCOMES
        if large or self.n_outcomes > MAX_OUTCOMES:
            raise ValueError(
                f"n_dice must give at most {MAX_OUTCOMES:,} outcomes of actions (got "
                f"{self.n_dice} dice with {self.n_sides} sides)"
            )

    @property
    def n_states(self) -> int:
        """Number of states, without the end."""
        return comb(self.n_dice + self.n_sides - 1, self.n_dice)

    @property
    def n_holds(self) -> int:
        """Number of actions of each state."""
        return 1 << self.n_dice

    @property
    def sticking(self) -> int:
        """The number of the hold that ends the game: the last one."""
        return self.n_holds - 1

    @property
    def n_outcomes(self) -> int:
        """Number of outcomes of all actions together."""
        n, m = self.n_dice, self.n_sides
        return self.n_states * sum(comb(n, k) * comb(k + m - 1, k) for k in range(n + 1))

    @cached_property
    def holds(self) -> tuple[tuple[int, ...], ...]:
        """The positions of the dice that each hold keeps."""
        sizes = range(self.n_dice + 1)
        return tuple(hold for k in sizes for hold in combinations(range(self.n_dice), k))

    @cached_property
    def hands(self) -> tuple[Hand, ...]:
        """All hands, in the order of their numbers; the states come last."""
        faces = range(1, self.n_sides + 1)
        sizes = range(self.n_dice + 1)
        return tuple(hand for k in sizes for hand in combinations_with_replacement(faces, k))

    @cached_property
    def numbers(self) -> dict[Hand, int]:
        """The number of each hand."""
        return {hand: number for number, hand in enumerate(self.hands)}

    @property
    def states(self) -> tuple[Hand, ...]:
        """The faces of each state, in ascending order."""
        return self.hands[len(self.hands) - self.n_states :]

    def state(self, roll: Sequence[int]) -> int:
        """Return the state of a roll (faces in any order); ValueError if the roll is invalid."""
        if len(roll) != self.n_dice:
            raise ValueError(f"roll must have {self.n_dice} dice (got {len(roll)})")
        wrong = [face for face in roll if face not in range(1, self.n_sides + 1)]
        if wrong:
            raise ValueError(f"roll must have faces between 1 and {self.n_sides} (got {wrong[0]})")
        return self.numbers[tuple(sorted(roll))] - (len(self.hands) - self.n_states)

    def final_score(self, roll: Sequence[int]) -> int:
        """Return the score for sticking: the sum of the faces after equal dice are flipped."""
        shown = Counter(roll)
        return sum(self.n_sides + 1 - face if shown[face] > 1 else face for face in roll)

    @cached_property
    def final_scores(self) -> Integers:
        """The score for sticking in each state, shape (n_states,)."""
        return np.array([self.final_score(state) for state in self.states], np.int64)

    @cached_property
    def mdp(self) -> DiceMDP:
        """The game in flat arrays."""
        first_state = len(self.hands) - self.n_states
        end = self.n_states
        faces = range(1, self.n_sides + 1)
        leads: dict[Hand, tuple[Integers, Floats]] = {}
        for held in self.hands[:first_state]:
            k = self.n_dice - len(held)
            rolled = list(combinations_with_replacement(faces, k))
            ways = [factorial(k) // prod(map(factorial, Counter(r).values())) for r in rolled]
            outcomes = [self.numbers[tuple(sorted(held + r))] - first_state for r in rolled]
            leads[held] = np.array(outcomes, np.int64), np.array(ways) / self.n_sides**k
        leads |= {state: (np.array([end]), np.ones(1)) for state in self.states}
        taken = [leads[self.held(state, hold)] for state in self.states for hold in self.holds]
        reward = np.full((self.n_states, self.n_holds), -float(REROLL_COST))
        reward[:, self.sticking] = self.final_scores
        start = np.zeros(self.n_states + 1)
        start[leads[()][0]] = leads[()][1]
        return DiceMDP(
            first_action=self.n_holds * np.minimum(np.arange(self.n_states + 2), self.n_states),
            reward=reward.ravel(),
            first_outcome=np.concatenate([[0], np.cumsum([len(o) for o, _ in taken])]),
            outcome=np.concatenate([o for o, _ in taken]),
            probability=np.concatenate([p for _, p in taken]),
            start=start,
        )

    def held(self, roll: Sequence[int], hold: Sequence[int]) -> Hand:
        """Return the dice of a roll that a hold keeps."""
        return tuple(roll[position] for position in hold)

    @cached_property
    def joined(self) -> Integers:
        """The hand that results when a die is added to a hand, shape (n_hands, n_sides).

        ``joined[h, f - 1]`` is the number of hand h with face f added; -1 if hand h has n dice.
        """
        joined = np.full((len(self.hands), self.n_sides), -1, np.int64)
        for number, hand in enumerate(self.hands[: len(self.hands) - self.n_states]):
            for face in range(1, self.n_sides + 1):
                joined[number, face - 1] = self.numbers[tuple(sorted((*hand, face)))]
        return joined

    def policy(self, holds: npt.ArrayLike) -> DicePolicy:
        """Return the policy that takes hold ``holds[s]`` in state s, for :func:`play_games`.

        ValueError unless ``holds`` has one entry per state, and all entries are in range.
        """
        given = np.asarray(holds)
        if given.shape != (self.n_states,) or given.dtype.kind not in "iu":
            raise ValueError(
                f"holds must be {self.n_states} integers (got shape {given.shape} of type "
                f"{given.dtype})"
            )
        wrong = given[(given < 0) | (given > self.sticking)]
        if len(wrong):
            raise ValueError(f"holds must be between 0 and {self.sticking} (got {wrong[0]})")
        hands = [
            self.held(state, self.holds[hold])
            for state, hold in zip(self.states, given.tolist(), strict=True)
        ]
        return DicePolicy(
            self.joined,
            np.array([self.numbers[hand] for hand in hands], np.int64),
            np.array([self.n_dice - len(hand) for hand in hands], np.int64),
            self.final_scores,
            self.n_dice,
        )


THREE_DICE = Dice()
"""The game of the source."""
