"""The game of dice by value iteration: solved once, then played by the greedy policy.

Notation
--------
The notation is that of :mod:`engine.dice` and :mod:`agents.mdp.value_iteration`. γ is the discount
per move, and δ is the tolerance, which the source below calls θ.

Sweeps are Gauss-Seidel sweeps, and the initial value of a state is the score for sticking in it. So
values begin at or below the optimal values and never fall. The greedy policy therefore sticks
sooner or later for all γ and δ. (Since values never fall, U ≤ BU. If the policy rolled forever in a
set of states, U ≤ BU would give U ≤ −1/(1 − γ) in these states; for γ = 1, U would have no lower
bound. But U is never below the score for sticking, which is never negative.)

Scores of games are not discounted. The optimal policy for three dice, which value iteration finds
with γ = 1, has a mean score of 13.34827 points. With γ < 1, value iteration maximizes the
discounted score, and the policy tends to stick too early.

Source: P. Thanki, *Value iteration algorithm* (2021). Its program also does Gauss-Seidel sweeps
from these initial values; ``results/papers/dice.py`` says how the program differs from this agent.
"""

import math
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from thetafront.agents.agent import Agent, Game, check_seed, column, register, warm
from thetafront.agents.mdp.finite_mdp import FiniteMDP
from thetafront.agents.mdp.kernels import action_value
from thetafront.agents.mdp.policy_evaluation import evaluate
from thetafront.agents.mdp.value_iteration import ValueIteration, ValueIterationSolution
from thetafront.agents.parameters import Tuned, integer, real
from thetafront.engine.dice import THREE_DICE, Dice, DicePolicy, play_games

# A kernel call with so many games takes well under a second, so Ctrl-C is answered in time.
GAMES_PER_CHUNK = 1_000_000

MAX_DICE, MAX_SIDES = 20, 1000


@dataclass(frozen=True)
class DiceGame(Game, kind="dice"):
    """One finished game of dice.

    Its score is an integer: the score for sticking minus the points paid. Sticking counts as a
    move. The seconds do not include solving the game.

    Attributes
    ----------
    end_roll : tuple of int
        The faces with which the player stuck, in ascending order.
    """

    score: int = column("score_points")
    end_roll: tuple[int, ...] = column(
        write=list, read=lambda faces: tuple(map(int, re.findall(r"\d+", str(faces))))
    )


class DiceGames(NamedTuple):
    """Finished games with consecutive seeds."""

    scores: npt.NDArray[np.int64]  # (n_games,), as in `DiceGame`
    n_moves: npt.NDArray[np.int64]  # (n_games,)
    ends: npt.NDArray[np.int64]  # (n_games,): the state in which each game ended, see `engine.dice`
    seconds: float  # CPU time of the thread that played, for all games together


@dataclass(frozen=True, eq=False)
class DiceDecision:
    """The agent's decision for a roll."""

    held: tuple[int, ...]  # the faces to hold, in ascending order
    sticks: bool  # whether it holds all dice, which ends the game
    # Discounted expected points for each hold of the sorted roll, in the order of `Dice.holds`.
    values: npt.NDArray[np.float64]  # (n_holds,)


@dataclass(frozen=True)
class DiceParameters(Agent):
    """The parameters shared by the agent that plays and the agent that only solves the game.

    γ is tuned from 0.5, with which the policy sticks in 53 of 56 states, to 1, with which it is
    optimal (13.34827 points on average). δ is tuned from 10⁻⁶ to 10 points. 10⁻⁶ is far below the
    difference between the best and the second-best value of a hold in any state with γ = 1. With
    δ = 10, the first sweep is also the last. The source uses 10⁻⁴ to 10⁻².

    Raises
    ------
    ValueError
        If the MDP would be too large.
    """

    gamma: float = real(
        1.0, 0, 1, "discount: the weight of later points", "γ", Tuned(0.5, 1.0), open_low=True
    )
    tolerance: float = real(
        1e-9,
        0,
        description="solving stops when no value changes by more than this, in points",
        symbol="δ",
        tuned=Tuned(1e-6, 10.0, log=True),
    )
    n_dice: int = integer(THREE_DICE.n_dice, 1, MAX_DICE, "number of dice")
    n_sides: int = integer(THREE_DICE.n_sides, 2, MAX_SIDES, "sides of a die")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.rules  # noqa: B018 - refuses an MDP that is too large

    @cached_property
    def rules(self) -> Dice:
        """The rules of the game with these dice."""
        same = (self.n_dice, self.n_sides) == (THREE_DICE.n_dice, THREE_DICE.n_sides)
        return THREE_DICE if same else Dice(self.n_dice, self.n_sides)


@register
@dataclass(frozen=True)
class DiceAgent(DiceParameters):
    """Plays the greedy policy of value iteration.

    :class:`DiceParameters` describes the parameters.

    Examples
    --------
    >>> agent = DiceAgent()
    >>> round(agent.expected_score, 5), agent.act((6, 3, 1)).held
    (13.34827, (1,))
    """

    name: ClassVar[str] = "dice"

    @property
    def reward(self) -> npt.NDArray[np.float64]:
        """Reward of each action in :attr:`mdp` (by the rules of the game), shape (n_actions,)."""
        return self.rules.mdp.reward

    @cached_property
    def mdp(self) -> FiniteMDP:
        """The MDP that is solved."""
        return FiniteMDP(*self.rules.mdp._replace(reward=self.reward)[:-1], discount=self.gamma)

    @cached_property
    def solved(self) -> ValueIterationSolution:
        """The solution: values, greedy policy, number of sweeps and residual."""
        return self.solve()

    def solve(self) -> ValueIterationSolution:
        """Sweep until the residual is at most the tolerance."""
        return ValueIteration(self.tolerance).solve(self.mdp, [*self.rules.final_scores, 0])

    def solving_seconds(self, n_times: int = 5) -> float:
        """Return the median CPU seconds of ``n_times`` calls of :meth:`solve`, after a warm-up.

        ValueError if ``n_times`` is below 1.
        """
        if n_times < 1:
            raise ValueError(f"n_times must be 1 or more (got {n_times})")
        warm(self)
        times = []
        self.solved  # noqa: B018 - builds the MDP, and reads its arrays for the first time
        for _ in range(n_times):
            begin = time.thread_time()
            self.solve()
            times.append(time.thread_time() - begin)
        return float(np.median(times))

    @property
    def holds(self) -> npt.NDArray[np.int64]:
        """The number of the policy's hold in each state, shape (n_states,): see `engine.dice`."""
        policy = self.solved.policy[: self.rules.n_states]
        return np.asarray(policy % self.rules.n_holds)

    @property
    def n_sticking(self) -> int:
        """Number of states in which the policy sticks."""
        return int((self.holds == self.rules.sticking).sum())

    @cached_property
    def exact_moments(self) -> tuple[float, float]:
        """Mean and variance of the policy's undiscounted score, from linear equations."""
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
        """The policy in the form that kernels take."""
        return self.rules.policy(self.holds)

    def games(self, first_seed: int, n_games: int) -> DiceGames:
        """Play the games of ``n_games`` consecutive seeds.

        ValueError if a seed is out of range, or ``n_games`` is below 1.
        """
        if n_games < 1:
            raise ValueError(f"n_games must be 1 or more (got {n_games})")
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
        return DiceGames(scores, n_moves, ends, seconds)

    def warm_up(self) -> None:
        """Solve and play the game with one die of two sides."""
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
        """Decide what to hold of a roll; the decision is not random.

        ValueError if ``roll`` is not a roll of these dice.
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
