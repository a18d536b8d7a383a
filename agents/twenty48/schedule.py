"""Schedules: numbers of playouts of a node, by number of empty cells and by spawned tile.

Notation
--------
========  ========================================================================================
e         number of empty cells after an action, 1 to 15; a *node* is a board after the spawn of a
          tile in one of these cells
n₂(e)     number of playouts of a node after the spawn of a 2
n₄(e)     number of playouts of a node after the spawn of a 4
========  ========================================================================================

Source: Ripstein (2023), §3.2. We read θ₁, θ₂ and θ₃ as *equal totals*: within a range of e, the e
nodes after a 2 together get the same number of playouts for each e. So n₂(e) is

- ⌊θ₁/e⌋ for e = 1 to 3,
- ⌊4θ₂/e⌋ for e = 4 to 6,
- ⌊7θ₃/e⌋ for e = 7 to 9,
- θ₄ for e = 10 to 15.

n₄(e) is ⌈n₂(e)/θ₅⌉.

The paper's example for e = 1, 2 and 3 is 500, 250 and 125 playouts. For e = 3, we divide by 3 like
the author's published code, which gives 166 playouts. The text demands at least 3 playouts for
every node, but the author's code does not enforce this minimum. Here it is the parameter
``min_playouts``, 3 by default.
"""

import math
from dataclasses import astuple, dataclass

import numpy as np
import numpy.typing as npt

from thetafront.agents.parameters import Tuned, integer, real

MAX_COUNT = 1_000_000
BEST_SHARE = "share of playouts to keep: the best ones"


@dataclass(frozen=True)
class Schedule:
    """Numbers of playouts of a node, by number of empty cells after the action.

    ``n_twos`` and ``n_fours``, of shape (15,), are n₂(1), …, n₂(15) and n₄(1), …, n₄(15). They are
    not checked: :class:`Theta` checks the parameters from which it computes them.
    """

    n_twos: tuple[int, ...]
    n_fours: tuple[int, ...]

    def table(self) -> npt.NDArray[np.int64]:
        """Return the schedule for kernels: int64, shape (2, 16).

        Row 0 is for 2s and row 1 for 4s; column e is for e empty cells.
        """
        return np.array([(0, *self.n_twos), (0, *self.n_fours)], np.int64)


AUTHORS_SCHEDULE = Schedule(
    n_twos=(500, 250, 125, 54, 36, 18, 18, 18, 9, 9, 9, 9, 9, 9, 9),
    n_fours=(80, 40, 20, 7, 5, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3),
)
"""The schedule of the paper's Table 1, from its author's code; no θ gives it exactly."""


@dataclass(frozen=True)
class Theta:
    """The author's θ, and the schedule of playouts that it defines.

    The author first tuned θ₁ in 250–750, θ₂ in 25–100, θ₃ in 8–50, θ₄ in 5–20 and θ₅ in 2–9, with
    θ₆ = 1. The tuned ranges here extend these ranges on both sides, and θ₆ is tuned, too.
    """

    theta1: float = real(
        500.0,
        0,
        MAX_COUNT,
        "playouts per spawned 2 with 1 empty cell (fewer if there are 2 or 3)",
        "θ₁",
        Tuned(16, 2048, log=True),
        whole=True,
    )
    theta2: float = real(
        54.0,
        0,
        MAX_COUNT,
        "playouts per spawned 2 with 4 empty cells (fewer if there are 5 or 6)",
        "θ₂",
        Tuned(8, 512, log=True),
        whole=True,
    )
    theta3: float = real(
        18.0,
        0,
        MAX_COUNT,
        "playouts per spawned 2 with 7 empty cells (fewer if there are 8 or 9)",
        "θ₃",
        Tuned(4, 256, log=True),
        whole=True,
    )
    theta4: float = real(
        9.0,
        0,
        MAX_COUNT,
        "playouts per spawned 2 with 10 or more empty cells",
        "θ₄",
        Tuned(2, 64, log=True),
        whole=True,
    )
    theta5: float = real(
        6.25,
        1,
        MAX_COUNT,
        "ratio of the playouts after a spawned 2 to those after a 4",
        "θ₅",
        Tuned(1.0, 10.0, log=True),
    )
    theta6: float = real(1.0, 0, 1, BEST_SHARE, "θ₆", Tuned(0.05, 1.0), open_low=True)
    min_playouts: int = integer(3, 1, MAX_COUNT, "minimum playouts per spawn")

    @property
    def schedule(self) -> Schedule:
        """The schedule that θ₁ to θ₅ and ``min_playouts`` define."""
        totals = (
            *(self.theta1 / e for e in (1, 2, 3)),
            *(4 * self.theta2 / e for e in (4, 5, 6)),
            *(7 * self.theta3 / e for e in (7, 8, 9)),
            *[self.theta4] * 6,
        )
        least = self.min_playouts
        n_twos = [max(least, math.floor(count)) for count in totals]
        # Without 1e-9, ceil would round up integers with a rounding error: 7.000000000000001 to 8.
        n_fours = [max(least, math.ceil(count / self.theta5 - 1e-9)) for count in n_twos]
        return Schedule(tuple(n_twos), tuple(n_fours))


AUTHORS_THETA = astuple(Theta())[:6]
"""The author's untuned θ, from his published code."""
