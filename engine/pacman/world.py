"""Pacman for callers in Python: the rules of :mod:`engine.pacman.step`, with names and checks.

>>> from thetafront.engine.pacman import Action, Layout, World
>>> world = World.start(Layout.named("small"), seed=1)
>>> world.step(Action.STOP)
-1
>>> print(world.text())
%%%%%%%
%P   .%
% %% %%
%   G %
%% %% %
%.    %
%%%%%%%
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from thetafront.engine.pacman import state
from thetafront.engine.pacman.layout import CAPSULE, FOOD, GHOST, OPEN, PACMAN, WALL, Layout
from thetafront.engine.pacman.maze import NO_DIRECTION, Action, Flags
from thetafront.engine.pacman.motion import P_CHOSEN, chosen_below
from thetafront.engine.pacman.state import Outcome, Setup, State, new_state
from thetafront.engine.pacman.step import step

MAX_STEPS = 10_000
"""Default maximum number of steps in a game. A win on ``medium`` takes a few hundred steps."""

MAX_SEED = 2**64 - 1
SCARED_GHOST = "g"


class GhostKind(StrEnum):
    """How ghosts choose their direction: see :mod:`engine.pacman.ghosts`."""

    RANDOM = "random"
    DIRECTIONAL = "directional"


class Ghost(NamedTuple):
    """A ghost: position in cells, direction (None at its start), and timer.

    Between two cells, ``x`` or ``y`` ends in .5. The ghost is scared for ``timer`` more moves.
    """

    x: float
    y: float
    direction: Action | None
    timer: int


@dataclass(frozen=True, eq=False)
class World:
    """A game of Pacman, begun by :meth:`start`; each step changes its ``state``."""

    layout: Layout
    setup: Setup
    state: State

    @classmethod
    def start(
        cls,
        layout: Layout,
        seed: int,
        ghosts: str | GhostKind = GhostKind.RANDOM,
        most_steps: int = MAX_STEPS,
        p_chosen: float = P_CHOSEN,
    ) -> "World":
        """Begin a game, which is cut if it is still running after ``most_steps`` steps.

        Pacman moves as chosen with probability ``p_chosen``. The same arguments and actions give
        the same game. ValueError if a number is out of range or the kind of ghosts is unknown.
        """
        if not 0 <= seed <= MAX_SEED:
            raise ValueError(f"seed must be between 0 and 2**64 - 1 (got {seed})")
        kinds = [kind.value for kind in GhostKind]
        if ghosts not in kinds:
            raise ValueError(f"ghosts must be {' or '.join(kinds)} (got {ghosts!r})")
        if not 1 <= most_steps <= state.NO_CAP:
            raise ValueError(f"most_steps must be between 1 and 2**62 (got {most_steps})")
        if not 0 <= p_chosen <= 1:
            raise ValueError(f"p_chosen must be between 0 and 1 (got {p_chosen})")
        directional = ghosts == GhostKind.DIRECTIONAL
        setup = Setup(np.uint64(seed), directional, int(most_steps), chosen_below(p_chosen))
        return cls(layout, setup, new_state(layout.maze))

    def step(self, action: int) -> int:
        """Play one turn and return its reward.

        ValueError if the action is unknown or the game is over.
        """
        if action not in list(Action):
            names = ", ".join(f"{each.value} {each.name.lower()}" for each in Action)
            raise ValueError(f"action must be one of {names} (got {action})")
        if self.is_over:
            raise ValueError(
                f"action must be given in a running game (got {action} in a game that is "
                f"{self.outcome.name.lower()})"
            )
        return int(step(self.layout.maze, self.state, int(action), self.setup))

    def copy(self) -> "World":
        """Return a copy; its later turns use the same random numbers as those of the original."""
        return World(self.layout, self.setup, State._make(each.copy() for each in self.state))

    @property
    def score(self) -> int:
        """Points so far."""
        return int(self.state.tally[state.SCORE])

    @property
    def n_steps(self) -> int:
        """Actions taken."""
        return int(self.state.tally[state.N_STEPS])

    @property
    def n_food(self) -> int:
        """Food left."""
        return int(self.state.tally[state.N_FOOD])

    @property
    def outcome(self) -> Outcome:
        """The outcome, which is RUNNING until the game is over."""
        return Outcome(int(self.state.tally[state.OUTCOME]))

    @property
    def is_over(self) -> bool:
        """Whether the game is won, lost or cut."""
        return self.outcome is not Outcome.RUNNING

    @property
    def pacman(self) -> tuple[int, int]:
        """Pacman's cell, (x, y)."""
        x, y = divmod(int(self.state.tally[state.PACMAN]), self.layout.height)
        return x, y

    @property
    def ghosts(self) -> tuple[Ghost, ...]:
        """The ghosts, in the order in which they move."""
        return tuple(
            Ghost(x / 2, y / 2, None if direction == NO_DIRECTION else Action(direction), timer)
            for x, y, direction, timer in self.state.ghosts.tolist()
        )

    @property
    def food(self) -> Flags:
        """Where food is, shape (width, height): a copy."""
        return self.state.food.reshape(self.layout.width, self.layout.height).copy()

    @property
    def capsules(self) -> Flags:
        """Where capsules are, shape (width, height): a copy."""
        return self.state.capsules.reshape(self.layout.width, self.layout.height).copy()

    @property
    def open_directions(self) -> tuple[Action, ...]:
        """The directions that no wall blocks for Pacman. The other actions are allowed, too."""
        directions = int(self.layout.maze.open_directions[int(self.state.tally[state.PACMAN])])
        return tuple(action for action in Action if directions >> action & 1)

    def text(self) -> str:
        """Draw the game in the characters of a layout, with ``g`` for a scared ghost.

        A ghost between two cells is drawn in the cell that it would go to if its scare ended. If
        several figures share a cell, the first ghost there hides Pacman and the other ghosts.
        """
        rows = [[WALL if wall else OPEN for wall in row] for row in self.layout.walls.T]
        for character, marks in ((FOOD, self.food), (CAPSULE, self.capsules)):
            for x, y in np.argwhere(marks):
                rows[y][x] = character
        x, y = self.pacman
        rows[y][x] = PACMAN
        for half_x, half_y, _, timer in reversed(self.state.ghosts.tolist()):
            rows[(half_y + 1) // 2][(half_x + 1) // 2] = SCARED_GHOST if timer else GHOST
        return "\n".join("".join(row) for row in reversed(rows))
