"""The game of dice by value iteration: the process solved once, its greedy policy played.

Notation
--------
That of :mod:`engine.dice` and :mod:`agents.mdp.value_iteration`: γ is the discount of a move, δ the tolerance, which
the source calls θ.

The sweeps are Gauss-Seidel's and begin with what sticking would win. So values begin below the optimal ones and only
rise, and the greedy policy sticks sooner or later, whatever γ and δ are. (If by U ≤ BU it rolled for ever in some set
of states, U would be at most −1/(1 − γ) there, without bound for γ = 1; but no final score is negative.)

A score is not discounted. Three dice are worth 13.34827 points by the optimal policy, which γ = 1 finds. With γ < 1
the policy is optimal for a player who values a point after the next roll at γ, and sticks too early.

Source: P. Thanki, *Value iteration algorithm* (2021). Its program sweeps as said; what it does besides is in
:mod:`study.reproduce.dice.run`.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from agents.agent import Agent, Game, check_seed, column, warm
from agents.mdp.finite_mdp import FiniteMDP
from agents.mdp.kernels import action_value
from agents.mdp.policy_evaluation import evaluate
from agents.mdp.value_iteration import ValueIteration, ValueIterationSolution
from agents.parameters import integer, real
from engine.dice import THREE_DICE, Dice, DicePolicy, play_games

# Between two calls of a kernel, well under a second apart, an interrupt is answered.
GAMES_PER_CHUNK = 1_000_000

MOST_DICE, MOST_SIDES = 20, 1000


@dataclass(frozen=True)
class DiceGame(Game, kind="dice"):
    """One finished game of dice.

    Its score, the final score less the points paid, is whole; the action that sticks is a move, too; solving is not
    among its seconds.

    Attributes
    ----------
    end_roll : tuple of int
        The faces on which it stuck, in ascending order.
    """

    score: int = column("score_points")
    end_roll: tuple[int, ...] = column(
        write=list,
        read=lambda faces: tuple(map(int, faces.split() if isinstance(faces, str) else faces)),
    )


@dataclass(frozen=True, eq=False)
class DiceGames:
    """Finished games of successive seeds.

    Attributes
    ----------
    first_seed : int
        The seed of the first.
    scores, n_moves : int64, shape (n_games,)
        As in :class:`DiceGame`.
    ends : int64, shape (n_games,)
        The states in which they stuck, see :class:`engine.dice.Dice`.
    seconds : float
        CPU seconds of the thread that played, all games together.
    """

    first_seed: int
    scores: npt.NDArray[np.int64]
    n_moves: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    seconds: float


@dataclass(frozen=True, eq=False)
class DiceDecision:
    """What the agent thinks of a roll.

    Attributes
    ----------
    held : tuple of int
        The faces to hold, in ascending order.
    sticks : bool
        Whether these are all, and the game is over.
    values : float64, shape (n_holds,)
        The value of each hold of the sorted roll, in the order of :attr:`engine.dice.Dice.holds`; in points from here
        on, discounted.
    """

    held: tuple[int, ...]
    sticks: bool
    values: npt.NDArray[np.float64]


@dataclass(frozen=True)
class DiceAgent(Agent):
    """Plays the greedy policy of values that have nearly converged.

    Parameters
    ----------
    gamma : float
        γ, in (0, 1].
    tolerance : float
        δ, in points: the residual that ends the sweeps; 0 or more and finite.
    n_dice, n_sides : int
        How many dice, of how many sides.

    Raises
    ------
    ValueError
        If a number is out of range.

    Examples
    --------
    >>> agent = DiceAgent()
    >>> round(agent.expected_score, 5), agent.act((6, 3, 1)).held
    (13.34827, (1,))
    """

    name: ClassVar[str] = "dice"

    gamma: float = real(1.0, 0, 1, open_low=True)
    tolerance: float = real(1e-9, 0)
    n_dice: int = integer(THREE_DICE.n_dice, 1, MOST_DICE)
    n_sides: int = integer(THREE_DICE.n_sides, 2, MOST_SIDES)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.rules  # noqa: B018 - refuses too many dice of too many sides

    @cached_property
    def rules(self) -> Dice:
        """The rules of the game with these dice."""
        same = (self.n_dice, self.n_sides) == (THREE_DICE.n_dice, THREE_DICE.n_sides)
        return THREE_DICE if same else Dice(self.n_dice, self.n_sides)

    @property
    def reward(self) -> npt.NDArray[np.float64]:
        """The reward of each action in the process that is solved, shape (n_actions,): that of the rules."""
        return self.rules.mdp.reward

    @cached_property
    def mdp(self) -> FiniteMDP:
        """The process that is solved."""
        rules = self.rules.mdp
        return FiniteMDP(
            rules.first_action,
            self.reward,
            rules.first_outcome,
            rules.outcome,
            rules.probability,
            self.gamma,
        )

    @cached_property
    def solved(self) -> ValueIterationSolution:
        """Values, greedy policy, sweeps and residual."""
        return self.solve()

    def solve(self) -> ValueIterationSolution:
        """Sweep until the residual is within the tolerance."""
        return ValueIteration(self.tolerance).solve(self.mdp, [*self.rules.final_scores, 0])

    def solving_seconds(self, n_times: int = 5) -> float:
        """Return the CPU seconds of :meth:`solve`: the median of so many times, warm; the process is at hand.

        Raises
        ------
        ValueError
            If it is to be solved less than once.
        """
        if n_times < 1:
            raise ValueError(f"n_times: {n_times} given, 1 or more allowed")
        warm(self)
        times = []
        self.solved  # noqa: B018 - builds the process, whose arrays are read here for the first time
        for _ in range(n_times):
            begin = time.thread_time()
            self.solve()
            times.append(time.thread_time() - begin)
        return float(np.median(times))

    @property
    def holds(self) -> npt.NDArray[np.int64]:
        """The hold of each state by the policy, shape (n_states,), see :class:`engine.dice.Dice`."""
        policy = self.solved.policy[: self.rules.n_states]
        return np.asarray(policy % self.rules.n_holds)

    @property
    def n_sticking(self) -> int:
        """In how many states the policy sticks."""
        return int((self.holds == self.rules.sticking).sum())

    @cached_property
    def exact_moments(self) -> tuple[float, float]:
        """Mean and variance of the score by the rules, not discounted: of the policy, by linear equations."""
        rules = self.rules.mdp
        true = FiniteMDP(*rules[:-1], discount=1.0)
        worth = evaluate(true, self.solved.policy)
        mean = float(rules.start @ worth.mean)
        variance = float(rules.start @ (worth.variance + (worth.mean - mean) ** 2))
        return mean, variance

    @property
    def expected_score(self) -> float:
        """The exact mean of the policy's score, in points."""
        return self.exact_moments[0]

    @property
    def score_sd(self) -> float:
        """The exact standard deviation of the score of a game, in points."""
        return math.sqrt(self.exact_moments[1])

    @cached_property
    def policy(self) -> DicePolicy:
        """The policy as kernels take it."""
        return self.rules.policy(self.holds)

    def games(self, first_seed: int, n_games: int) -> DiceGames:
        """Play the games of ``n_games`` successive seeds.

        Raises
        ------
        ValueError
            If a seed is out of range, or no game is asked for.
        """
        if n_games < 1:
            raise ValueError(f"n_games: {n_games} given, 1 or more allowed")
        check_seed(first_seed)
        check_seed(first_seed + n_games - 1)
        policy = self.policy
        scores, n_moves, ends = (np.empty(n_games, np.int64) for _ in range(3))
        seconds = 0.0
        for done in range(0, n_games, GAMES_PER_CHUNK):
            part = slice(done, done + GAMES_PER_CHUNK)
            begin = time.thread_time()
            seed = np.uint64(first_seed + done)
            play_games(policy, seed, scores[part], n_moves[part], ends[part])
            seconds += time.thread_time() - begin
        return DiceGames(first_seed, scores, n_moves, ends, seconds)

    def warm_up(self) -> None:
        """Solve and play a coin."""
        coin = DiceAgent(n_dice=1, n_sides=2)
        coin.solve()
        coin.games(0, 1)

    def play(self, seed: int) -> DiceGame:
        warm(self)
        games = self.games(seed, 1)
        return DiceGame(
            seed=seed,
            score=int(games.scores[0]),
            n_moves=int(games.n_moves[0]),
            seconds=games.seconds,
            end_roll=self.rules.states[int(games.ends[0])],
        )

    def act(self, roll: Sequence[int]) -> DiceDecision:
        """Decide on one roll. Nothing is left to chance, so that no stream is needed.

        Raises
        ------
        ValueError
            If the roll is none.
        """
        state = self.rules.state(roll)
        hold = int(self.holds[state])
        tables, values = self.mdp.tables, self.solved.values
        actions = self.mdp.actions(state)
        return DiceDecision(
            self.rules.held(self.rules.states[state], self.rules.holds[hold]),
            hold == self.rules.sticking,
            np.array([action_value(tables, values, action) for action in actions]),
        )
