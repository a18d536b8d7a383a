"""Agents by name, built from named numbers and words: what a command line or a study has at hand."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

from agents.agent import Agent
from agents.dice.agent import DiceAgent
from agents.dice.solver import DiceSolver
from agents.pacman.astar import PacmanAStar
from agents.pacman.mdp import PacmanMDP
from agents.pacman.random import PacmanRandom
from agents.twenty48.mcmdp import MonteCarloMDP
from agents.twenty48.pmcts import PureMonteCarlo
from agents.twenty48.random import RandomAgent
from agents.twenty48.switching import Switching
from agents.twenty48.uct import UCT

LARGEST_INTEGER = 2**53  # from there on, numbers are given that no float tells apart

Value = float | str
"""A parameter's value: a number, or one of a few words."""

AGENTS: dict[str, Callable[..., Agent]] = {
    "dice": DiceAgent.from_numbers,
    "dice_solver": DiceSolver.from_numbers,
    "mcmdp": MonteCarloMDP.from_theta,
    "pacman_astar": PacmanAStar.from_numbers,
    "pacman_mdp": PacmanMDP.from_numbers,
    "pacman_random": PacmanRandom.from_names,
    "pmcts": PureMonteCarlo.from_numbers,
    "random": RandomAgent,
    "switching": Switching.from_theta,
    "table1": MonteCarloMDP.of_table1,
    "uct": UCT.from_numbers,
}
"""What makes each agent. The parameters of these callables are the agents' parameters.

One that takes a word has a member of a :class:`~enum.StrEnum` as its default, whose members are the words.
"""


def maker(name: str) -> Callable[..., Agent]:
    """Return what makes the agent called ``name``; ValueError if there is none."""
    if name not in AGENTS:
        raise ValueError(f"agent: {name!r} given, one of {', '.join(sorted(AGENTS))} allowed")
    return AGENTS[name]


def parameters(name: str) -> dict[str, Value]:
    """Return an agent's parameters and their defaults, in order."""
    signature = inspect.signature(maker(name))
    return {key: parameter.default for key, parameter in signature.parameters.items()}


def theta_names(name: str) -> tuple[str, ...]:
    """Return the parameters that make up θ, in order: ``theta1`` … where an agent has such, else all numbers."""
    defaults = parameters(name)
    numbers = tuple(key for key, value in defaults.items() if not isinstance(value, bool | str))
    return tuple(key for key in numbers if key.startswith("theta")) or numbers


def words_allowed(default: Value) -> tuple[str, ...]:
    """Return the words that a parameter with this default takes; none if it takes numbers."""
    return tuple(type(default)) if isinstance(default, StrEnum) else ()


def from_theta(name: str, theta: Sequence[float]) -> dict[str, float]:
    """Name the components of θ.

    Raises
    ------
    ValueError
        If θ has the wrong length.
    """
    names = theta_names(name)
    if len(theta) != len(names):
        values = "value" if len(theta) == 1 else "values"
        raise ValueError(
            f"theta: {len(theta)} {values} given, {len(names)} expected for {name}"
            + (f" ({', '.join(names)})" if names else "")
        )
    return dict(zip(names, theta, strict=True))


def value_of(key: str, value: Value, default: Value) -> Value:
    """Turn what is given for a parameter into what the agent takes; ValueError if it is not allowed.

    What is not finite, or no number of things whatever they are, is left to the agent, which knows the range.
    """
    if isinstance(default, StrEnum):
        words = words_allowed(default)
        if value not in words:
            raise ValueError(f"{key}: {shown(value)} given, one of {', '.join(words)} allowed")
        return type(default)(value)
    if isinstance(value, str):
        raise ValueError(f"{key}: {value!r} given, a number allowed")
    if isinstance(default, bool):
        if value not in {0, 1}:
            raise ValueError(f"{key}: {value:g} given, 0 or 1 allowed")
        return bool(value)
    if isinstance(default, int) and abs(value) <= LARGEST_INTEGER:
        if value != int(value):
            raise ValueError(f"{key}: {value:g} given, an integer allowed")
        return int(value)
    return float(value)


def shown(value: Value) -> str:
    """Return a value as messages have it."""
    return repr(value) if isinstance(value, str) else f"{value:g}"


def build(name: str, values: Mapping[str, Value]) -> Agent:
    """Make an agent.

    Parameters
    ----------
    name : str
        One of :data:`AGENTS`.
    values : mapping of str to float or str
        Parameters; those missing have their defaults.

    Raises
    ------
    ValueError
        If there is no such agent or parameter, or a value is not allowed.
    """
    make = maker(name)
    defaults = parameters(name)
    given: dict[str, Value] = {}
    for key, value in values.items():
        if key not in defaults:
            allowed = ", ".join(defaults) or "none"
            raise ValueError(f"parameter: {key!r} given for {name}, allowed: {allowed}")
        given[key] = value_of(key, value, defaults[key])
    return make(**given)
