"""A finite Markov decision process, with every state, action and outcome listed.

:mod:`agents.mdp.kernels` has the notation, and the kernels that work on these arrays. An MDP can be
described in plain Python, with names for states and actions:

>>> mdp = FiniteMDP.from_description(
...     {
...         "here": {"wait": (0.0, {"here": 1.0}), "leap": (-1.0, {"there": 0.3, "here": 0.7})},
...         "there": {},
...     },
...     discount=0.9,
... )
>>> mdp.n_states, mdp.n_actions
(2, 2)

or built from arrays by a program that numbers its states.

Source: Kochenderfer, Wheeler, Wray, *Algorithms for Decision Making* (2022), §7.1. There all states
have the same actions. Here each state has its own; a state without any is terminal, with value 0.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from thetafront.agents.mdp import kernels
from thetafront.agents.mdp.kernels import Floats, Indices, Tables
from thetafront.agents.parameters import RealRange

Description = Mapping[Any, Mapping[Any, tuple[float, Mapping[Any, float]]]]
"""State → action → (expected reward, next state → probability)."""

TOLERANCE = 1e-9  # by how much the probabilities of an action may miss a sum of 1

Array = TypeVar("Array", bound=npt.NDArray[Any])


def read_only(array: Array) -> Array:
    """Return a read-only view for kernels.

    Pickling makes arrays writable, which numba takes for another type and compiles again.
    """
    view = array.view()
    view.flags.writeable = False
    return view


def check_discount(discount: float) -> None:
    """Raise ValueError for a γ outside (0, 1]."""
    RealRange(0, 1, open_low=True).check("discount", discount)


def whole_numbers(name: str, given: npt.ArrayLike) -> Indices:
    """Copy a one-dimensional array of integers; ValueError if it is anything else."""
    array = np.asarray(given)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(
            f"{name} must be a one-dimensional array of integers (got shape {array.shape} of "
            f"type {array.dtype})"
        )
    return array.astype(np.int64)


def finite_numbers(name: str, given: npt.ArrayLike) -> Floats:
    """Copy a one-dimensional array of finite numbers; ValueError if it is anything else."""
    try:
        array = np.array(given, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a one-dimensional array of numbers") from None
    if array.ndim != 1:
        raise ValueError(
            f"{name} must be a one-dimensional array of numbers (got shape {array.shape})"
        )
    if not np.isfinite(array).all():
        at = int(np.flatnonzero(~np.isfinite(array))[0])
        raise ValueError(f"{name} must be finite numbers (got {array[at]} at index {at})")
    return array


def check_offsets(name: str, offsets: Indices, n_entries: int, of: str, least: int) -> None:
    """Raise ValueError unless offsets cut ``n_entries`` into parts of ``least`` or more."""
    if not len(offsets) or offsets[0] != 0:
        raise ValueError(f"{name} must begin with 0 (got {offsets[:1].tolist()})")
    if offsets[-1] != n_entries:
        raise ValueError(f"{name} must end with {n_entries}, one per {of} (got {offsets[-1]})")
    short = np.flatnonzero(np.diff(offsets) < least)
    if len(short):
        at = int(short[0])
        raise ValueError(
            f"{name} must be {offsets[at] + least} or more at index {at + 1}, after "
            f"{offsets[at]} (got {offsets[at + 1]})"
        )


@dataclass(frozen=True, eq=False)
class FiniteMDP:
    """A finite MDP in flat arrays, of which it keeps read-only copies.

    Parameters
    ----------
    first_action : int, shape (n_states + 1,)
        State s has the actions ``first_action[s]`` to ``first_action[s + 1] - 1``; a terminal state
        has none.
    reward : float, shape (n_actions,)
        Expected reward of each action.
    first_outcome : int, shape (n_actions + 1,)
        Action a has the outcomes ``first_outcome[a]`` to ``first_outcome[a + 1] - 1``, at least
        one.
    outcome : int, shape (n_outcomes,)
        The next state of each outcome.
    probability : float, shape (n_outcomes,)
        The probability of each outcome, above 0; those of an action sum to 1.
    discount : float
        γ, in (0, 1].
    state_names : tuple, shape (n_states,), optional
        Unique names of the states; by default their numbers.
    action_names : tuple, shape (n_actions,), optional
        Names of the actions. Actions of different states may share a name.

    Raises
    ------
    ValueError
        If an array has the wrong shape or type, an index or a probability is out of range, the
        probabilities of an action do not sum to 1, a reward is not finite, or a name occurs twice.
    """

    first_action: Indices
    reward: Floats
    first_outcome: Indices
    outcome: Indices
    probability: Floats
    discount: float
    state_names: tuple[Hashable, ...] = ()
    action_names: tuple[Hashable, ...] = ()

    def __post_init__(self) -> None:
        check_discount(self.discount)
        for name in ("first_action", "first_outcome", "outcome"):
            object.__setattr__(self, name, read_only(whole_numbers(name, getattr(self, name))))
        for name in ("reward", "probability"):
            object.__setattr__(self, name, read_only(finite_numbers(name, getattr(self, name))))
        self.check_shapes()
        self.check_outcomes()

    def check_shapes(self) -> None:
        """Raise ValueError if the arrays or names do not fit together."""
        if len(self.first_action) < 2:
            raise ValueError("first_action must have one state or more (got none)")
        check_offsets("first_action", self.first_action, len(self.reward), "action", 0)
        for name, n, expected in (
            ("first_outcome", len(self.first_outcome), self.n_actions + 1),
            ("probability", len(self.probability), self.n_outcomes),
            ("state_names", len(self.state_names) or self.n_states, self.n_states),
            ("action_names", len(self.action_names) or self.n_actions, self.n_actions),
        ):
            if n != expected:
                raise ValueError(f"{name} must have {expected} entries (got {n})")
        check_offsets("first_outcome", self.first_outcome, self.n_outcomes, "outcome", 1)
        if len(set(self.state_names)) != len(self.state_names):
            raise ValueError("state_names must be unique")

    def check_outcomes(self) -> None:
        """Raise ValueError for outcomes that are no states, or probabilities out of range."""
        wrong = np.flatnonzero((self.outcome < 0) | (self.outcome >= self.n_states))
        if len(wrong):
            raise ValueError(
                f"outcome must be between 0 and {self.n_states - 1} (got "
                f"{self.outcome[wrong[0]]} at index {wrong[0]})"
            )
        wrong = np.flatnonzero((self.probability <= 0) | (self.probability > 1 + TOLERANCE))
        if len(wrong):
            action = int(np.searchsorted(self.first_outcome, wrong[0], side="right")) - 1
            raise ValueError(
                f"probability must be above 0 and up to 1 (got {self.probability[wrong[0]]} "
                f"for {self.described(action)}); leave out impossible outcomes"
            )
        if not self.n_actions:
            return
        sums = np.add.reduceat(self.probability, self.first_outcome[:-1])
        wrong = np.flatnonzero(np.abs(sums - 1) > TOLERANCE)
        if len(wrong):
            action = int(wrong[0])
            raise ValueError(
                f"probability must add up to 1 (got {sums[action]} for {self.described(action)})"
            )

    def described(self, action: int) -> str:
        """Name an action and its state in a message."""
        state = int(np.searchsorted(self.first_action, action, side="right")) - 1
        return f"action {self.action_name(action)} of state {self.state_name(state)}"

    @classmethod
    def from_description(
        cls, description: Description | Sequence[Any], discount: float
    ) -> "FiniteMDP":
        """Build an MDP from a :data:`Description`.

        A terminal state has an empty mapping. States of a sequence are named by position.

        Raises
        ------
        ValueError
            If an action has no next state or one that is not described, or as for the class.
        """
        states: Description = (
            description if isinstance(description, Mapping) else dict(enumerate(description))
        )
        numbers = {name: number for number, name in enumerate(states)}
        first_action, first_outcome = [0], [0]
        rewards: list[float] = []
        outcomes: list[int] = []
        probabilities: list[float] = []
        action_names: list[Hashable] = []
        for state, actions in states.items():
            for action, (reward, next_states) in actions.items():
                where = f"action {action!r} of state {state!r}"
                if not next_states:
                    raise ValueError(f"description must have a next state (got none for {where})")
                if not math.isfinite(float(reward)):
                    raise ValueError(
                        f"description must have finite rewards (got {reward} for {where})"
                    )
                for next_state, probability in next_states.items():
                    if next_state not in numbers:
                        raise ValueError(
                            f"description: {where} leads to {next_state!r}, which is not "
                            "described; a terminal state has an empty mapping"
                        )
                    outcomes.append(numbers[next_state])
                    probabilities.append(float(probability))
                first_outcome.append(len(outcomes))
                rewards.append(float(reward))
                action_names.append(action)
            first_action.append(len(rewards))
        return cls(
            np.array(first_action),
            np.array(rewards, np.float64),
            np.array(first_outcome),
            np.array(outcomes, np.int64),
            np.array(probabilities, np.float64),
            discount,
            tuple(numbers),
            tuple(action_names),
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
        """The MDP as kernels take it."""
        return Tables(
            read_only(self.first_action),
            read_only(self.reward),
            read_only(self.first_outcome),
            read_only(self.outcome),
            read_only(self.probability),
            float(self.discount),
        )

    def state_name(self, state: int) -> Hashable:
        """Return a state's name, by default its number."""
        return self.state_names[state] if self.state_names else state

    def action_name(self, action: int) -> Hashable:
        """Return an action's name, by default its number."""
        return self.action_names[action] if self.action_names else action

    def state(self, name: Hashable) -> int:
        """Return the number of the state with this name; ValueError if there is none."""
        names = self.state_names or range(self.n_states)
        if name not in names:
            raise ValueError(f"state must be the name of a state (got {name!r})")
        return names.index(name)  # type: ignore[arg-type]

    def actions(self, state: int) -> range:
        """Return the action numbers of a state; ValueError if there is no such state."""
        self.check_state(state)
        return range(int(self.first_action[state]), int(self.first_action[state + 1]))

    def outcomes(self, action: int) -> tuple[Indices, Floats]:
        """Return next states and probabilities; ValueError if there is no such action."""
        if not 0 <= action < self.n_actions:
            raise ValueError(f"action must be between 0 and {self.n_actions - 1} (got {action})")
        part = slice(self.first_outcome[action], self.first_outcome[action + 1])
        return self.outcome[part], self.probability[part]

    def successors(self, state: int) -> Indices:
        """Return all possible next states of a state, each once, in ascending order."""
        actions = self.actions(state)
        part = slice(self.first_outcome[actions.start], self.first_outcome[actions.stop])
        return np.unique(self.outcome[part])

    def backup(self, values: npt.ArrayLike, state: int) -> tuple[float, int]:
        """Return BU(s) and its action, see :func:`agents.mdp.kernels.backup`.

        Raises
        ------
        ValueError
            If there is no such state, or ``values`` is not one finite number for each state.
        """
        self.check_state(state)
        value, action = kernels.backup(self.tables, self.checked_values(values), state)
        return float(value), int(action)

    def greedy(self, values: npt.ArrayLike) -> tuple[Floats, Indices]:
        """Return BU and the greedy policy; ValueError unless each state has a finite value."""
        return kernels.greedy(self.tables, self.checked_values(values))

    def checked_values(self, given: npt.ArrayLike, name: str = "values") -> Floats:
        """Copy values, shape (n_states,); ValueError unless each state has a finite one."""
        values = finite_numbers(name, given)
        if len(values) != self.n_states:
            raise ValueError(
                f"{name} must have {self.n_states} values, one per state (got {len(values)})"
            )
        return values

    def check_state(self, state: int, name: str = "state") -> None:
        """Raise ValueError if there is no state of this number."""
        if not 0 <= state < self.n_states:
            raise ValueError(f"{name} must be between 0 and {self.n_states - 1} (got {state})")
