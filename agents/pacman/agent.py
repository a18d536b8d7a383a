"""What all agents for Pacman share, and the records of their games and decisions.

A game runs in compiled code without the GIL, in chunks short enough for Ctrl-C to be answered
within a second.
"""

import time
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from thetafront.agents.agent import Agent, Game, check_seed, column, warm
from thetafront.agents.pacman.loop import decide, play_on
from thetafront.agents.parameters import Domain, Value, categorical, integer, parameter, real
from thetafront.agents.policy_dispatch import Settings
from thetafront.engine.pacman import (
    MAX_STEPS,
    Action,
    GhostKind,
    Layout,
    LayoutName,
    Outcome,
    World,
)
from thetafront.engine.pacman.maze import N_DIRECTIONS
from thetafront.engine.pacman.motion import P_CHOSEN
from thetafront.engine.pacman.state import N_STEPS, NO_CAP
from thetafront.engine.rng import POLICY, named_stream

# A chunk ends when it reaches one of these limits, after about 0.1 s in common mazes.
MOVES_PER_CHUNK = 250
BACKUPS_PER_CHUNK = 2_000_000


Explanation = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]
"""``values``, ``utilities`` and ``rewards`` of a :class:`PacmanDecision`."""


@dataclass(frozen=True)
class PacmanGame(Game, kind="pacman"):
    """One finished game of Pacman. The score is an integer.

    Attributes
    ----------
    outcome : Outcome
        Won, lost, or cut after the maximum number of steps.
    n_food_left : int
        Food that was not eaten.
    n_sweeps : int
        Sweeps of value iteration in all moves; 0 for an agent without value iteration.
    n_backups : int
        State backups in these sweeps: an exact count, the same on every machine.
    residual_mean : float
        The residual of the last sweep of a move, averaged over the moves; 0 without sweeps.
    """

    score: int = column("score_points")
    outcome: Outcome = column(
        write=lambda outcome: outcome.name.lower(), read=lambda name: Outcome[name.upper()]
    )
    n_food_left: int = column()
    n_sweeps: int = column()
    n_backups: int = column()
    residual_mean: float = column()

    @property
    def won(self) -> bool:
        """Whether all food was eaten."""
        return self.outcome == Outcome.WON

    @property
    def is_possible(self) -> bool:
        counts = min(self.n_food_left, self.n_sweeps, self.n_backups, self.residual_mean)
        ended = self.outcome is not Outcome.RUNNING and self.won == (self.n_food_left == 0)
        return super().is_possible and counts >= 0 and ended


class Mazes(Domain):
    """A :class:`Layout`; as text it is a name, the path of a file, or the rows of the maze."""

    allowed = f"one of {', '.join(LayoutName)}, or the path to a .lay file"

    def read(self, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return Layout.parse(value) if "\n" in value else Layout.find(value)

    def accepts(self, value: Any) -> bool:
        return isinstance(value, Layout)

    def plain(self, value: Any) -> Value:
        if isinstance(value, str):
            return value
        for name in LayoutName:
            if value.rows == Layout.named(name).rows:
                return str(name)
        return "\n".join(value.rows)


@dataclass(frozen=True, eq=False)
class PacmanDecision:
    """An agent's decision in one state of a game."""

    action: Action
    # For each direction: the reward of Pacman's cell plus the discounted expected utility of the
    # next state; NaN if the agent computes no values.
    values: npt.NDArray[np.float64]  # (4,)
    utilities: npt.NDArray[np.float64]  # (width, height): U of each cell; NaN if it has no U
    rewards: npt.NDArray[np.float64]  # (width, height): R of each cell
    n_sweeps: int  # of value iteration
    n_backups: int  # of states, in these sweeps
    residual: float  # of the last sweep; 0 without sweeps


class PacmanMove(NamedTuple):
    """A decision in a game, with the state in which it was made."""

    world: World  # a copy of the game before the decision
    decision: PacmanDecision


@dataclass(frozen=True, kw_only=True)
class PacmanAgent(Agent):
    """A policy for Pacman, and the settings of its games. Subclasses are frozen dataclasses."""

    layout: Layout = parameter(LayoutName.SMALL, Mazes(), "the maze")
    ghosts: GhostKind = categorical(GhostKind.RANDOM, "how ghosts choose their direction")
    most_steps: int = integer(MAX_STEPS, 1, NO_CAP, "maximum number of steps per game")
    p_chosen: float = real(
        P_CHOSEN, 0, 1, "probability that Pacman moves as chosen, rather than to a side", later=True
    )

    def start(self, seed: int) -> World:
        """Begin the game of a seed, as :meth:`play` does."""
        return World.start(self.layout, seed, self.ghosts, self.most_steps, self.p_chosen)

    @abstractmethod
    def new_settings(self) -> Settings:
        """Return the parameters in the form that kernels take, with new work arrays."""

    def explain(self, settings: Settings) -> Explanation:
        """Read the explanation of the last decision from the work arrays in ``settings``."""
        nothing = np.full((self.layout.width, self.layout.height), np.nan)
        return np.full(N_DIRECTIONS, np.nan), nothing, nothing

    def warm_up(self) -> None:
        """Call the game loop once, without a move."""
        world = self.start(0)
        play_on(self.new_settings(), self.layout.maze, world.state, world.setup, 0, 0)

    def play(self, seed: int) -> PacmanGame:
        check_seed(seed)
        warm(self)
        world = self.start(seed)
        settings, maze = self.new_settings(), self.layout.maze
        n_sweeps, n_backups = 0, 0
        seconds, residuals = 0.0, 0.0
        while not world.is_over:
            begin = time.thread_time()
            sweeps, backups, residual = play_on(
                settings, maze, world.state, world.setup, MOVES_PER_CHUNK, BACKUPS_PER_CHUNK
            )
            seconds += time.thread_time() - begin
            n_sweeps += int(sweeps)
            n_backups += int(backups)
            residuals += float(residual)
        return PacmanGame(
            seed=seed,
            score=world.score,
            n_moves=world.n_steps,
            seconds=seconds,
            outcome=world.outcome,
            n_food_left=world.n_food,
            n_sweeps=n_sweeps,
            n_backups=n_backups,
            residual_mean=residuals / world.n_steps,
        )

    def act(self, world: World) -> PacmanDecision:
        """Decide in one state of a running game without changing it.

        Random choices use the stream for the seed and the turn of ``world``. ValueError if the game
        is over, or if it is in another maze.
        """
        if world.is_over:
            raise ValueError(
                f"world must be a running game (got a game that is {world.outcome.name.lower()})"
            )
        if world.layout.rows != self.layout.rows:
            raise ValueError(
                f"world must be in the agent's maze, {self.layout.name} (got {world.layout.name})"
            )
        settings = self.new_settings()
        turn = np.uint64(world.state.tally[N_STEPS])
        stream = np.uint64(named_stream(world.setup.seed, POLICY, turn))
        action, n_sweeps, n_backups, residual = decide(
            settings, self.layout.maze, world.state, stream
        )
        return PacmanDecision(
            Action(int(action)),
            *self.explain(settings),
            int(n_sweeps),
            int(n_backups),
            float(residual),
        )

    def moves(self, seed: int) -> Iterator[PacmanMove]:
        """Play the same game as :meth:`play`, more slowly; yield each decision before its move."""
        check_seed(seed)
        world = self.start(seed)
        while not world.is_over:
            decision = self.act(world)
            yield PacmanMove(world.copy(), decision)
            world.step(decision.action)
