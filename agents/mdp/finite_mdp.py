"""A finite Markov decision process, with every state, action and outcome listed.

:mod:`agents.mdp.kernels` has the notation and the kernels that work on these arrays. In this
example, state 0 has two actions: staying, and trying to leave for state 1, which is terminal:

>>> mdp = FiniteMDP(
...     first_action=[0, 2, 2],
...     reward=[0.0, -1.0],
...     first_outcome=[0, 1, 3],
...     outcome=[0, 0, 1],
...     probability=[1.0, 0.7, 0.3],
...     discount=0.9,
... )
>>> mdp.n_states, mdp.n_actions, mdp.terminal.tolist()
(2, 2, [False, True])

Source: Kochenderfer, Wheeler, Wray, *Algorithms for Decision Making* (2022), §7.1. In the book, all
states have the same actions. Here each state has its own actions; a state without actions is
terminal and has value 0.
"""

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from thetafront.agents.mdp.kernels import Floats, Indices, Tables, greedy
from thetafront.agents.parameters import RealRange

TOLERANCE = 1e-9  # by how much the sum of an action's probabilities may differ from 1

Array = TypeVar("Array", bound=npt.NDArray[Any])


def read_only(array: Array) -> Array:
    """Return a read-only view for kernels.

    Unpickled arrays are writable. numba treats writable arrays as another type, for which it
    compiles kernels again.
    """
    view = array.view()
    view.flags.writeable = False
    return view


def whole_numbers(name: str, given: npt.ArrayLike) -> Indices:
    """Copy a one-dimensional array of integers; ValueError if anything else is given."""
    array = np.asarray(given)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(
            f"{name} must be a one-dimensional array of integers "
            f"(got shape {array.shape} of type {array.dtype})"
        )
    return array.astype(np.int64)


def finite_numbers(name: str, given: npt.ArrayLike) -> Floats:
    """Copy a one-dimensional array of finite numbers; ValueError if anything else is given."""
    try:
        array = np.array(given, np.float64)
    except (TypeError, ValueError):
        array = np.array(None, np.float64)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise ValueError(
            f"{name} must be a one-dimensional array of finite numbers (got {given!r})"
        )
    return array


def check_offsets(name: str, offsets: Indices, n_entries: int, least: int) -> None:
    """Raise ValueError unless offsets split all entries into parts of ``least`` entries or more."""
    begins, ends = offsets[:1].tolist() == [0], offsets[-1:].tolist() == [n_entries]
    if not (begins and ends and (np.diff(offsets) >= least).all()):
        raise ValueError(
            f"{name} must rise from 0 to {n_entries} in steps of {least} or more (got {offsets})"
        )


@dataclass(frozen=True, eq=False)
class FiniteMDP:
    """A finite MDP, which keeps read-only copies of the given flat arrays.

    Parameters
    ----------
    first_action : int, shape (n_states + 1,)
        State s has the actions ``first_action[s]`` to ``first_action[s + 1] - 1``; a terminal state
        has none.
    reward : float, shape (n_actions,)
        Expected reward of each action.
    first_outcome : int, shape (n_actions + 1,)
        Action a has the outcomes ``first_outcome[a]`` to ``first_outcome[a + 1] - 1``; an action
        has at least one outcome.
    outcome : int, shape (n_outcomes,)
        The next state of each outcome.
    probability : float, shape (n_outcomes,)
        The probability of each outcome, above 0; the probabilities of an action sum to 1.
    discount : float
        γ, in (0, 1].

    Raises
    ------
    ValueError
        If an array has the wrong shape or type, an index or a probability is out of range, the
        probabilities of an action do not sum to 1, or a reward is not finite.
    """

    first_action: Indices
    reward: Floats
    first_outcome: Indices
    outcome: Indices
    probability: Floats
    discount: float

    def __post_init__(self) -> None:
        RealRange(0, 1, open_low=True).check("discount", self.discount)
        for name in ("first_action", "first_outcome", "outcome"):
            object.__setattr__(self, name, read_only(whole_numbers(name, getattr(self, name))))
        for name in ("reward", "probability"):
            object.__setattr__(self, name, read_only(finite_numbers(name, getattr(self, name))))
        if not self.n_states > 0:
            raise ValueError(
                f"first_action must have two or more entries (got {len(self.first_action)})"
            )
        check_offsets("first_action", self.first_action, self.n_actions, 0)
        for name, found, n in (
            ("first_outcome", self.first_outcome, self.n_actions + 1),
            ("probability", self.probability, self.n_outcomes),
        ):
            if len(found) != n:
                raise ValueError(f"{name} must have {n} entries (got {len(found)})")
        check_offsets("first_outcome", self.first_outcome, self.n_outcomes, 1)
        wrong = self.outcome[(self.outcome < 0) | (self.outcome >= self.n_states)]
        if len(wrong):
            raise ValueError(f"outcome must be a state, 0 to {self.n_states - 1} (got {wrong[0]})")
        if not (self.probability > 0).all():  # impossible outcomes must be left out
            raise ValueError(f"probability must be above 0 (got {self.probability.min()})")
        starts = self.first_outcome[:-1]
        sums = np.add.reduceat(self.probability, starts) if len(starts) else self.probability
        for action in np.flatnonzero(np.abs(sums - 1) > TOLERANCE):
            state = int(np.searchsorted(self.first_action, action, side="right")) - 1
            raise ValueError(
                f"probability must sum to 1 for action {action} of state {state} "
                f"(got {sums[action]})"
            )

    @property
    def n_states(self) -> int:
        """Number of states."""
        return len(self.first_action) - 1

    @property
    def n_actions(self) -> int:
        """Number of actions of all states together."""
        return len(self.reward)

    @property
    def n_outcomes(self) -> int:
        """Number of outcomes of all actions together."""
        return len(self.outcome)

    @property
    def terminal(self) -> npt.NDArray[np.bool_]:
        """Which states are terminal, shape (n_states,)."""
        return np.asarray(np.diff(self.first_action) == 0)

    @property
    def tables(self) -> Tables:
        """The MDP in the form that kernels take."""
        arrays = {name: read_only(getattr(self, name)) for name in Tables._fields[:-1]}
        return Tables(**arrays, discount=float(self.discount))

    def actions(self, state: int) -> range:
        """Return the action numbers of a state; ValueError if there is no such state."""
        self.check_state(state)
        return range(int(self.first_action[state]), int(self.first_action[state + 1]))

    def outcomes(self, action: int) -> tuple[Indices, Floats]:
        """Return an action's next states and their probabilities.

        ValueError if there is no such action.
        """
        if not 0 <= action < self.n_actions:
            raise ValueError(f"action must be between 0 and {self.n_actions - 1} (got {action})")
        part = slice(self.first_outcome[action], self.first_outcome[action + 1])
        return self.outcome[part], self.probability[part]

    def greedy(self, values: npt.ArrayLike) -> tuple[Floats, Indices]:
        """Return BU and the greedy policy; ValueError unless each state has a finite value."""
        return greedy(self.tables, self.checked_values(values))

    def checked_values(self, given: npt.ArrayLike, name: str = "values") -> Floats:
        """Copy values, shape (n_states,); ValueError unless each state has a finite value."""
        values = finite_numbers(name, given)
        if len(values) != self.n_states:
            raise ValueError(
                f"{name} must have {self.n_states} values, one per state (got {len(values)})"
            )
        return values

    def check_state(self, state: int, name: str = "state") -> None:
        """Raise ValueError if there is no state with this number."""
        if not 0 <= state < self.n_states:
            raise ValueError(f"{name} must be between 0 and {self.n_states - 1} (got {state})")
