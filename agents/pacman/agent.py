"""What every agent for Pacman is: frozen parameters, the maze it plays in, and ``play(seed)``.

A game runs in compiled code, in chunks short enough that an interrupt is answered within a second, with the GIL
released. Seconds are those of :mod:`agents.agent`: CPU time of the thread that decides, warm.
"""

import time
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.agent import Agent, Game, check_seed, column, warm
from agents.pacman.loop import decide, play_on
from agents.parameters import Domain, Value, choice, integer, parameter
from agents.policy_dispatch import Settings
from engine.pacman import MOST_STEPS, Action, GhostKind, Layout, LayoutName, Outcome, World
from engine.pacman.maze import N_DIRECTIONS
from engine.pacman.state import N_STEPS, NO_CAP
from engine.rng import POLICY, named_stream

# A chunk ends with one or the other: a tenth of a second in common mazes.
MOVES_PER_CHUNK = 250
BACKUPS_PER_CHUNK = 2_000_000

SMALL = Layout.named("small")
"""The maze that agents play in unless told otherwise."""


@dataclass(frozen=True)
class PacmanGame(Game, kind="pacman"):
    """One finished game of Pacman; its score is whole.

    Attributes
    ----------
    outcome : Outcome
        Won, lost, or cut after the most steps it may take.
    n_food_left : int
        Food that is not eaten.
    n_sweeps : int
        Sweeps of value iteration, all moves together; 0 for an agent that makes none.
    n_backups : int
        States backed up in them: exact, and the same on every machine.
    residual_mean : float
        The mean over moves of the residual of the last sweep; 0 for an agent that makes none.
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
        """Whether all food is eaten."""
        return self.outcome == Outcome.WON

    @property
    def is_possible(self) -> bool:
        counts = min(self.n_food_left, self.n_sweeps, self.n_backups, self.residual_mean)
        ended = self.outcome is not Outcome.RUNNING and self.won == (self.n_food_left == 0)
        return super().is_possible and counts >= 0 and ended


class Mazes(Domain):
    """A :class:`Layout`; as text, a name, the path of a file, or the rows themselves."""

    allowed = f"one of {', '.join(LayoutName)}, or the path of a file"

    def read(self, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return Layout.parse(value, "given") if "\n" in value else Layout.find(value)

    def accepts(self, value: Any) -> bool:
        return isinstance(value, Layout)

    def plain(self, value: Any) -> Value:
        for name in LayoutName:
            if value.rows == Layout.named(name).rows:
                return str(name)
        return "\n".join(value.rows)


class Explanation(NamedTuple):
    """What an agent has in mind, NaN where it has nothing.

    Attributes
    ----------
    values : float64, shape (4,)
        Of each direction: reward of Pacman's cell and discounted expected utility of what comes.
    utilities : float64, shape (width, height)
        U of each cell.
    rewards : float64, shape (width, height)
        R of each cell.
    """

    values: npt.NDArray[np.float64]
    utilities: npt.NDArray[np.float64]
    rewards: npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PacmanDecision:
    """What an agent thinks of one state of a game.

    Attributes
    ----------
    action : Action
        Its choice.
    values, utilities, rewards
        As in :class:`Explanation`.
    n_sweeps, n_backups : int
        Sweeps of value iteration, and states backed up in them.
    residual : float
        Of the last sweep; 0 where there is none.
    """

    action: Action
    values: npt.NDArray[np.float64]
    utilities: npt.NDArray[np.float64]
    rewards: npt.NDArray[np.float64]
    n_sweeps: int
    n_backups: int
    residual: float


class PacmanMove(NamedTuple):
    """A decision in a game.

    Attributes
    ----------
    world : World
        The game before it: a copy, for the caller to keep.
    decision : PacmanDecision
        What the agent thinks and does.
    """

    world: World
    decision: PacmanDecision


@dataclass(frozen=True, kw_only=True)
class PacmanAgent(Agent):
    """A policy for Pacman with its parameters, and what it plays. Subclasses are frozen dataclasses.

    Parameters
    ----------
    layout : Layout
        The maze.
    ghosts : GhostKind
        How ghosts choose where to go; a name will do.
    most_steps : int
        A game that is still running after so many is cut.

    Raises
    ------
    ValueError
        If the kind of ghosts or the steps are none.
    """

    layout: Layout = parameter(SMALL, Mazes())
    ghosts: GhostKind = choice(GhostKind.RANDOM)
    most_steps: int = integer(MOST_STEPS, 1, NO_CAP)

    @abstractmethod
    def new_settings(self) -> Settings:
        """Return the parameters as kernels take them, with room of their own: see :mod:`agents.pacman.loop`."""

    def explain(self, settings: Settings) -> Explanation:
        """Read from the room of settings what was in mind at the last decision: here, nothing."""
        nothing = np.full((self.layout.width, self.layout.height), np.nan)
        return Explanation(np.full(N_DIRECTIONS, np.nan), nothing, nothing)

    def warm_up(self) -> None:
        """Call the game loop once, for no move."""
        world = World.start(self.layout, 0, self.ghosts, self.most_steps)
        play_on(self.new_settings(), self.layout.maze, world.state, world.setting, 0, 0)

    def play(self, seed: int) -> PacmanGame:
        check_seed(seed)
        warm(self)
        world = World.start(self.layout, seed, self.ghosts, self.most_steps)
        settings, maze = self.new_settings(), self.layout.maze
        n_sweeps, n_backups = 0, 0
        seconds, residuals = 0.0, 0.0
        while not world.is_over:
            begin = time.thread_time()
            sweeps, backups, residual = play_on(
                settings, maze, world.state, world.setting, MOVES_PER_CHUNK, BACKUPS_PER_CHUNK
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
        """Decide in one state of a game. What is drawn has the name that it has in the game of the world's seed.

        Parameters
        ----------
        world : World
            A game in the agent's maze, however it came about; left as it is.

        Raises
        ------
        ValueError
            If the game is over, or of another maze.
        """
        if world.is_over:
            raise ValueError(
                f"world: a game that is {world.outcome.name.lower()} given, a running one expected"
            )
        if world.layout.rows != self.layout.rows:
            raise ValueError(
                f"world: a game in the maze {world.layout.name} given, one in {self.layout.name} expected, "
                "where the agent plays"
            )
        settings = self.new_settings()
        turn = np.uint64(world.state.tally[N_STEPS])
        stream = np.uint64(named_stream(world.setting.seed, POLICY, turn))
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
        """Play the game of a seed, decision by decision: slower than :meth:`play`, and the same game.

        Parameters
        ----------
        seed : int
            Names every random number of the game; 0 to 2⁶³ − 1.

        Yields
        ------
        PacmanMove
            Each decision, before it is carried out.

        Raises
        ------
        ValueError
            If the seed is out of range.
        """
        check_seed(seed)
        world = World.start(self.layout, seed, self.ghosts, self.most_steps)
        while not world.is_over:
            decision = self.act(world)
            yield PacmanMove(world.copy(), decision)
            world.step(decision.action)
