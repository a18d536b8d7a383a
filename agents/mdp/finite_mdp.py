"""A finite Markov decision process, written out: every state, action and outcome.

For notation see :mod:`agents.mdp.kernels`, whose kernels work on these arrays. A process can be described in plain
Python, by the names of its states and actions:

>>> mdp = FiniteMDP.from_description(
...     {
...         "here": {"wait": (0.0, {"here": 1.0}), "leap": (-1.0, {"there": 0.3, "here": 0.7})},
...         "there": {},
...     },
...     discount=0.9,
... )
>>> mdp.n_states, mdp.n_actions
(2, 2)

or built as arrays by a program that knows its states by number.

Source: Kochenderfer, Wheeler, Wray, *Algorithms for Decision Making* (2022), §7.1. There every state has the same
actions. Here each has its own, and a state without any is terminal: its value is 0.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from agents.mdp import kernels as bellman
from agents.mdp.kernels import Tables

Description = Mapping[Any, Mapping[Any, tuple[float, Mapping[Any, float]]]]
"""By state: by action: the expected reward, and by next state: its probability."""

# How far the probabilities of an action may add up to something else than 1, by rounding.
TOLERANCE = 1e-9


Array = TypeVar("Array", bound=npt.NDArray[Any])


def read_only(array: Array) -> Array:
    """Return a view that nothing can be written to.

    A process sent to another worker arrives with arrays that can be written to, which numba takes for another type and
    compiles for once more: kernels get views made anew.
    """
    view = array.view()
    view.flags.writeable = False
    return view


def check_discount(discount: float) -> None:
    """Refuse, by ValueError, a γ that is out of range."""
    if not 0 < discount <= 1:
        raise ValueError(f"discount: {discount} given, above 0 and up to 1 allowed")


def whole_numbers(name: str, given: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Copy a list of indices; ValueError if it is none."""
    array = np.asarray(given)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(
            f"{name}: shape {array.shape} of type {array.dtype} given, one row of integers expected"
        )
    return array.astype(np.int64)


def finite_numbers(name: str, given: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return a list of numbers; ValueError if it is none, or one of them is not finite."""
    try:
        array = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: one row of numbers expected, something else given") from None
    if array.ndim != 1:
        raise ValueError(f"{name}: shape {array.shape} given, one row of numbers expected")
    if not np.isfinite(array).all():
        at = int(np.flatnonzero(~np.isfinite(array))[0])
        raise ValueError(f"{name}: {array[at]} given at {at}, a finite number expected")
    return array


def check_first(
    name: str, first: npt.NDArray[np.int64], n_entries: int, of: str, least: int
) -> None:
    """Refuse, by ValueError, an array that does not cut ``n_entries`` of ``of`` into parts of ``least`` or more."""
    if not len(first) or first[0] != 0:
        raise ValueError(f"{name}: {first[:1].tolist()} given at its beginning, 0 expected")
    if first[-1] != n_entries:
        raise ValueError(f"{name}: {first[-1]} given at its end, {n_entries} expected: {of} in all")
    short = np.flatnonzero(np.diff(first) < least)
    if len(short):
        at = int(short[0])
        raise ValueError(
            f"{name}: {first[at + 1]} given at {at + 1} after {first[at]}, {first[at] + least} or more expected"
        )


@dataclass(frozen=True, eq=False)
class FiniteMDP:
    """A finite MDP in flat arrays. It keeps copies of them, and they are read-only.

    Parameters
    ----------
    first_action : int, shape (n_states + 1,)
        The actions of state s have the numbers ``first_action[s]`` to ``first_action[s + 1] - 1``; a terminal
        state has none.
    reward : float, shape (n_actions,)
        Expected reward of each action.
    first_outcome : int, shape (n_actions + 1,)
        The outcomes of action a are ``first_outcome[a]`` to ``first_outcome[a + 1] - 1``, one at least.
    outcome : int, shape (n_outcomes,)
        The state each outcome leads to.
    probability : float, shape (n_outcomes,)
        Its probability, above 0; those of an action add up to 1.
    discount : float
        γ, in (0, 1].
    state_names : tuple, shape (n_states,), optional
        Names of the states, each once; without them a state's number is its name.
    action_names : tuple, shape (n_actions,), optional
        Names of the actions; several states may have an action of one name.

    Raises
    ------
    ValueError
        If an array has the wrong shape or type, an index or a probability is out of range, the probabilities of
        an action do not add up to 1, a reward is not finite, or a name is there twice.
    """

    first_action: npt.NDArray[np.int64]
    reward: npt.NDArray[np.float64]
    first_outcome: npt.NDArray[np.int64]
    outcome: npt.NDArray[np.int64]
    probability: npt.NDArray[np.float64]
    discount: float
    state_names: tuple[Hashable, ...] = ()
    action_names: tuple[Hashable, ...] = ()

    def __post_init__(self) -> None:
        check_discount(self.discount)
        for name in ("first_action", "first_outcome", "outcome"):
            object.__setattr__(self, name, whole_numbers(name, getattr(self, name)))
        for name in ("reward", "probability"):
            object.__setattr__(self, name, finite_numbers(name, getattr(self, name)).copy())
        self.check_shapes()
        self.check_names()
        self.check_outcomes()
        for name in ("first_action", "reward", "first_outcome", "outcome", "probability"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    def check_shapes(self) -> None:
        """Refuse arrays that do not fit together."""
        if len(self.first_action) < 2:
            raise ValueError("first_action: no state given, one or more expected")
        check_first("first_action", self.first_action, len(self.reward), "actions", 0)
        if len(self.first_outcome) != self.n_actions + 1:
            raise ValueError(
                f"first_outcome: {len(self.first_outcome)} entries given for {self.n_actions} actions, "
                f"{self.n_actions + 1} expected"
            )
        check_first("first_outcome", self.first_outcome, len(self.outcome), "outcomes", 1)
        if len(self.probability) != len(self.outcome):
            raise ValueError(
                f"probability: {len(self.probability)} given for {len(self.outcome)} outcomes, one each expected"
            )

    def check_outcomes(self) -> None:
        """Refuse outcomes that are no states, or whose probabilities are none."""
        wrong = np.flatnonzero((self.outcome < 0) | (self.outcome >= self.n_states))
        if len(wrong):
            raise ValueError(
                f"outcome: state {self.outcome[wrong[0]]} given at {wrong[0]}, 0 to {self.n_states - 1} allowed"
            )
        wrong = np.flatnonzero((self.probability <= 0) | (self.probability > 1 + TOLERANCE))
        if len(wrong):
            action = int(np.searchsorted(self.first_outcome, wrong[0], side="right")) - 1
            raise ValueError(
                f"probability: {self.probability[wrong[0]]} given at {wrong[0]}, for {self.whose(action)}, above 0 and "
                "up to 1 allowed; leave out what cannot happen"
            )
        if not self.n_actions:
            return
        sums = np.add.reduceat(self.probability, self.first_outcome[:-1])
        wrong = np.flatnonzero(np.abs(sums - 1) > TOLERANCE)
        if len(wrong):
            action = int(wrong[0])
            raise ValueError(
                f"probability: {sums[action]} given in all for {self.whose(action)}, 1 expected"
            )

    def whose(self, action: int) -> str:
        """Name an action and its state, for messages."""
        state = int(np.searchsorted(self.first_action, action, side="right")) - 1
        return f"action {self.action_name(action)} of state {self.state_name(state)}"

    def check_names(self) -> None:
        """Refuse names that are too few, too many, or the same for two states."""
        for name, names, n in (
            ("state_names", self.state_names, self.n_states),
            ("action_names", self.action_names, self.n_actions),
        ):
            if names and len(names) != n:
                raise ValueError(f"{name}: {len(names)} given, {n} expected")
        if len(set(self.state_names)) != len(self.state_names):
            raise ValueError("state_names: a name given twice, a name of its own for each expected")

    @classmethod
    def from_description(
        cls, description: Description | Sequence[Any], discount: float
    ) -> "FiniteMDP":
        """Make an MDP of a description in plain Python.

        Parameters
        ----------
        description : mapping, or sequence
            For each state a mapping from its actions to pairs: the expected reward, and a mapping from next states
            to probabilities. A terminal state has an empty mapping. In a sequence, states are named by position.
        discount : float
            γ, in (0, 1].

        Raises
        ------
        ValueError
            If an action leads nowhere or to a state that is not described, or as for the class.
        """
        by_state: Description = (
            description if isinstance(description, Mapping) else dict(enumerate(description))
        )
        numbers = {name: number for number, name in enumerate(by_state)}
        first_action, first_outcome = [0], [0]
        rewards: list[float] = []
        outcomes: list[int] = []
        probabilities: list[float] = []
        action_names: list[Hashable] = []
        for state, actions in by_state.items():
            for action, (reward, next_states) in actions.items():
                if not next_states:
                    raise ValueError(
                        f"description: action {action!r} of state {state!r} leads nowhere, one next state or more "
                        "expected; a terminal state has no action"
                    )
                if not math.isfinite(float(reward)):
                    raise ValueError(
                        f"description: reward {reward} given for action {action!r} of state {state!r}, a finite "
                        "number expected"
                    )
                for next_state, probability in next_states.items():
                    if next_state not in numbers:
                        raise ValueError(
                            f"description: action {action!r} of state {state!r} leads to {next_state!r}, which is "
                            "not described; a terminal state has an empty mapping"
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
        """How many states there are."""
        return len(self.first_action) - 1

    @property
    def n_actions(self) -> int:
        """How many actions there are, those of all states together."""
        return len(self.reward)

    @property
    def n_outcomes(self) -> int:
        """How many outcomes there are, those of all actions together."""
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
        """Return a state's name: its number, if states have no names."""
        return self.state_names[state] if self.state_names else state

    def action_name(self, action: int) -> Hashable:
        """Return an action's name: its number, if actions have no names."""
        return self.action_names[action] if self.action_names else action

    def state(self, name: Hashable) -> int:
        """Return the number of the state of that name; ValueError if there is none."""
        names = self.state_names or range(self.n_states)
        if name not in names:
            raise ValueError(f"state: {name!r} given, which is the name of none")
        return names.index(name)  # type: ignore[arg-type]

    def actions(self, state: int) -> range:
        """Return the numbers of a state's actions; of a terminal state, none."""
        self.check_state(state)
        return range(int(self.first_action[state]), int(self.first_action[state + 1]))

    def outcomes(self, action: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Return the states that an action leads to, and their probabilities.

        Raises
        ------
        ValueError
            If there is no action of that number.
        """
        if not 0 <= action < self.n_actions:
            raise ValueError(f"action: {action} given, 0 to {self.n_actions - 1} allowed")
        part = slice(self.first_outcome[action], self.first_outcome[action + 1])
        return self.outcome[part], self.probability[part]

    def successors(self, state: int) -> npt.NDArray[np.int64]:
        """Return the states that the actions of a state may lead to, each once, in ascending order."""
        actions = self.actions(state)
        part = slice(self.first_outcome[actions.start], self.first_outcome[actions.stop])
        return np.unique(self.outcome[part])

    def backup(self, values: npt.ArrayLike, state: int) -> tuple[float, int]:
        """Back up one state: its value and its greedy action, see :func:`agents.mdp.kernels.backup`.

        Raises
        ------
        ValueError
            If there is no such state, or the values are not one finite number for each.
        """
        self.check_state(state)
        value, action = bellman.backup(self.tables, self.values_of(values), state)
        return float(value), int(action)

    def greedy(
        self, values: npt.ArrayLike
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Back up all states from the same values: see :func:`agents.mdp.kernels.greedy`.

        Raises
        ------
        ValueError
            If the values are not one finite number for each state.
        """
        return bellman.greedy(self.tables, self.values_of(values))

    def values_of(self, given: npt.ArrayLike, name: str = "values") -> npt.NDArray[np.float64]:
        """Return values of all states, shape (n_states,); ValueError if they are no such thing."""
        values = finite_numbers(name, given)
        if len(values) != self.n_states:
            raise ValueError(
                f"{name}: {len(values)} given for {self.n_states} states, one each expected"
            )
        return values

    def check_state(self, state: int, name: str = "state") -> None:
        """Refuse, by ValueError, the number of no state."""
        if not 0 <= state < self.n_states:
            raise ValueError(f"{name}: {state} given, 0 to {self.n_states - 1} allowed")
