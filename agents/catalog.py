"""Agents by name, built from named numbers: what a command line or a study has at hand."""

import inspect
import math
from collections.abc import Callable, Mapping, Sequence

from agents.agent import Agent
from agents.mcmdp import MonteCarloMDP
from agents.pmcts import PureMonteCarlo
from agents.random import RandomAgent
from agents.switching import Switching

__all__ = ["AGENTS", "build", "parameters", "theta_names"]

AGENTS: dict[str, Callable[..., Agent]] = {
    "mcmdp": MonteCarloMDP.from_theta,
    "pmcts": PureMonteCarlo.from_numbers,
    "random": RandomAgent,
    "switching": Switching.from_theta,
    "table1": MonteCarloMDP.of_table1,
}
"""What makes each agent. The parameters of these callables are the agents' parameters."""


def maker(name: str) -> Callable[..., Agent]:
    """Return what makes the agent called ``name``; ValueError if there is none."""
    if name not in AGENTS:
        raise ValueError(f"agent: {name!r} given, one of {', '.join(sorted(AGENTS))} allowed")
    return AGENTS[name]


def parameters(name: str) -> dict[str, float]:
    """Return an agent's parameters and their defaults, in order."""
    signature = inspect.signature(maker(name))
    return {key: parameter.default for key, parameter in signature.parameters.items()}


def theta_names(name: str) -> tuple[str, ...]:
    """Return the parameters that make up θ, in order: ``theta1`` … where an agent has such, else all numbers."""
    defaults = parameters(name)
    numbers = tuple(key for key, value in defaults.items() if not isinstance(value, bool))
    return tuple(key for key in numbers if key.startswith("theta")) or numbers


def from_theta(name: str, theta: Sequence[float]) -> dict[str, float]:
    """Name the components of θ.

    Raises
    ------
    ValueError
        If θ has the wrong length.
    """
    names = theta_names(name)
    if len(theta) != len(names):
        raise ValueError(
            f"theta: {len(theta)} values given, {len(names)} expected for {name}"
            + (f" ({', '.join(names)})" if names else "")
        )
    return dict(zip(names, theta, strict=True))


def build(name: str, values: Mapping[str, float]) -> Agent:
    """Make an agent.

    Parameters
    ----------
    name : str
        One of :data:`AGENTS`.
    values : mapping of str to float
        Parameters; those missing have their defaults.

    Raises
    ------
    ValueError
        If there is no such agent or parameter, or a value is not allowed.
    """
    make = maker(name)
    defaults = parameters(name)
    given: dict[str, float] = {}
    for key, value in values.items():
        if key not in defaults:
            allowed = ", ".join(defaults) or "none"
            raise ValueError(f"parameter: {key!r} given for {name}, allowed: {allowed}")
        if not math.isfinite(value):
            raise ValueError(f"{key}: {value} given, a finite number allowed")
        if isinstance(defaults[key], bool):
            if value not in {0, 1}:
                raise ValueError(f"{key}: {value:g} given, 0 or 1 allowed")
            given[key] = bool(value)
        elif isinstance(defaults[key], int):
            if value != int(value):
                raise ValueError(f"{key}: {value:g} given, an integer allowed")
            given[key] = int(value)
        else:
            given[key] = float(value)
    return make(**given)
