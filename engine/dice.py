"""A game of dice as an explicit finite MDP, and games of a given policy at full speed.

Rules: a first roll of all dice is free. Then, as often as wanted, any of them are held and the others rolled again
for a point. Holding all is *sticking*, which ends the game: dice that show the same face as another are flipped to
the opposite face, and the sum of all is won.

Notation
--------
===========  =======================================================================================
n, m         dice, and sides of a die: 3 and 6 unless told otherwise; opposite faces add up to m + 1
hand         some dice, in ascending order: 0 to n of them. Hands are numbered by size, then in
             lexicographic order
state        a hand of all n dice; states are numbered from 0 in lexicographic order. Three dice of
             six sides have 56. After the last of them comes the *end*, the only terminal state
hold         positions of dice that are held, of 2ⁿ. Holds are ordered by size, then in
             lexicographic order: the first holds nothing, the last sticks. Where dice are equal,
             some holds come to the same; all of them are there
action       a state's hold: its number is state·2ⁿ + hold
===========  =======================================================================================

The most of three dice is 18, by three 1s at once.

Source: P. Thanki, *Value iteration algorithm* (2021), "Game rules" and "Things to note". The numbers of dice and
sides are ours to vary.
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

from engine.jit import kernel
from engine.rng import SPAWN, START, below, next_word, stream, substream

REROLL_COST = 1
"""Points that rolling again costs, however many dice are rolled."""

MOST_OUTCOMES = 5_000_000

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Hand = tuple[int, ...]


class DiceMDP(NamedTuple):
    """The game in flat arrays.

    Attributes
    ----------
    first_action : int64, shape (n_states + 2,)
        Where the actions of each state begin; the end, number ``n_states``, has none.
    reward : float64, shape (n_actions,)
        Of sticking the final score, of all else the cost of rolling again.
    first_outcome : int64, shape (n_actions + 1,)
        Where the outcomes of each action begin.
    outcome : int64, shape (n_outcomes,)
        The state that each outcome leads to.
    probability : float64, shape (n_outcomes,)
        Its probability.
    start : float64, shape (n_states + 1,)
        Probability of each state after the first roll; the end's is 0.
    """

    first_action: Integers
    reward: Floats
    first_outcome: Integers
    outcome: Integers
    probability: Floats
    start: Floats


class DicePolicy(NamedTuple):
    """A policy as :func:`play_games` takes it.

    Attributes
    ----------
    joined : int64, shape (n_hands, n_sides)
        The number of the hand with one die more; of hands of all dice, none.
    held : int64, shape (n_states,)
        The number of the hand that is held in each state.
    n_rolled : int64, shape (n_states,)
        How many dice are rolled again; 0 for sticking.
    final : int64, shape (n_states,)
        The final score of each state.
    n_dice : int
        n.
    """

    joined: Integers
    held: Integers
    n_rolled: Integers
    final: Integers
    n_dice: int


@kernel
def play_games(
    policy: DicePolicy, seed: np.uint64, scores: Integers, n_moves: Integers, ends: Integers
) -> None:
    """Play one game of each of the successive seeds that begin with ``seed``.

    The first roll is drawn from the seed's stream START, what follows move k from its stream SPAWN, number k; a word
    a die.

    Parameters
    ----------
    policy : DicePolicy
        By which, sooner or later, one sticks: else a game never ends.
    seed : uint64
        Of the first game.
    scores : int64, shape (n_games,)
        Set to the final scores less the points paid.
    n_moves : int64, shape (n_games,)
        Set to the actions taken, the one that sticks too.
    ends : int64, shape (n_games,)
        Set to the states in which one stuck.
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
    """The rules, for a number of dice and of sides.

    Parameters
    ----------
    n_dice : int
        n, 1 or more.
    n_sides : int
        m, 2 or more.

    Raises
    ------
    ValueError
        If a number is out of range, or the MDP would have more than five million outcomes.

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
                raise ValueError(f"{name}: {value} given, {least} or more allowed")
        # Of so many dice or sides there are too many outcomes for sure: no need for sums of large numbers.
        large = self.n_dice > MOST_OUTCOMES.bit_length() or self.n_sides > MOST_OUTCOMES
        if large or self.n_outcomes > MOST_OUTCOMES:
            raise ValueError(
                f"n_dice: {self.n_dice} given with {self.n_sides} sides, fewer of either allowed: there may be "
                f"{MOST_OUTCOMES:,} outcomes at most"
            )

    @property
    def n_states(self) -> int:
        """How many states there are, without the end."""
        return comb(self.n_dice + self.n_sides - 1, self.n_dice)

    @property
    def n_holds(self) -> int:
        """How many actions each state has."""
        return 1 << self.n_dice

    @property
    def sticking(self) -> int:
        """The hold that ends the game: the last."""
        return self.n_holds - 1

    @property
    def n_outcomes(self) -> int:
        """How many outcomes all actions have together."""
        n, m = self.n_dice, self.n_sides
        return self.n_states * sum(comb(n, k) * comb(k + m - 1, k) for k in range(n + 1))

    @cached_property
    def holds(self) -> tuple[tuple[int, ...], ...]:
        """The positions that each hold holds."""
        sizes = range(self.n_dice + 1)
        return tuple(hold for k in sizes for hold in combinations(range(self.n_dice), k))

    @cached_property
    def hands(self) -> tuple[Hand, ...]:
        """All hands by number; the states are the last of them."""
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
        """Return the number of a roll, in whatever order its faces are given.

        Raises
        ------
        ValueError
            If there are too few or too many dice, or a face is none.
        """
        if len(roll) != self.n_dice:
            raise ValueError(f"roll: {len(roll)} dice given, {self.n_dice} expected")
        wrong = [face for face in roll if face not in range(1, self.n_sides + 1)]
        if wrong:
            raise ValueError(f"roll: face {wrong[0]} given, 1 to {self.n_sides} allowed")
        return self.numbers[tuple(sorted(roll))] - (len(self.hands) - self.n_states)

    def final_score(self, roll: Sequence[int]) -> int:
        """Return what sticking wins: the sum, after dice that show the same face are flipped."""
        shown = Counter(roll)
        return sum(self.n_sides + 1 - face if shown[face] > 1 else face for face in roll)

    @cached_property
    def final_scores(self) -> Integers:
        """What sticking wins in each state, shape (n_states,)."""
        return np.array([self.final_score(state) for state in self.states], np.int64)

    @cached_property
    def mdp(self) -> DiceMDP:
        """The game as arrays."""
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
        """Return the hand that a hold leaves of a roll."""
        return tuple(roll[position] for position in hold)

    @cached_property
    def joined(self) -> Integers:
        """The hand with one die more, shape (n_hands, n_sides): see :class:`DicePolicy`."""
        joined = np.full((len(self.hands), self.n_sides), -1, np.int64)
        for number, hand in enumerate(self.hands[: len(self.hands) - self.n_states]):
            for face in range(1, self.n_sides + 1):
                joined[number, face - 1] = self.numbers[tuple(sorted((*hand, face)))]
        return joined

    def policy(self, holds: npt.ArrayLike) -> DicePolicy:
        """Turn the holds of a policy into what :func:`play_games` takes.

        Parameters
        ----------
        holds : int, shape (n_states,)
            The hold of each state.

        Raises
        ------
        ValueError
            If there is not one for each state, or a hold is none.
        """
        given = np.asarray(holds)
        if given.shape != (self.n_states,) or given.dtype.kind not in "iu":
            raise ValueError(
                f"holds: shape {given.shape} of type {given.dtype} given, {self.n_states} integers expected"
            )
        wrong = given[(given < 0) | (given > self.sticking)]
        if len(wrong):
            raise ValueError(f"holds: {wrong[0]} given, 0 to {self.sticking} allowed")
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
