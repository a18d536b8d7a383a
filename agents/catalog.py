"""The catalog of agents: finds them by name, and builds them from numbers and text.

The numbers and text come from a command line or a study, for example. :data:`AGENTS` has the
classes that are decorated with :func:`~thetafront.agents.agent.register` in the subpackages of the
games.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from pkgutil import walk_packages

from thetafront.agents import dice, pacman, twenty48
from thetafront.agents.agent import AGENTS, Agent
from thetafront.agents.parameters import Parameter, Value, declared_parameters

__all__ = ["AGENTS", "agent_class", "build", "build_identified", "from_theta", "parameters"]
__all__ += ["theta_names"]

for game in (dice, pacman, twenty48):
    for module in walk_packages(game.__path__, f"{game.__name__}."):
        import_module(module.name)


def agent_class(name: str) -> type[Agent]:
    """Return the class of agents with this name; ValueError if there is none."""
    if name not in AGENTS:
        raise ValueError(f"agent must be one of {', '.join(sorted(AGENTS))} (got {name!r})")
    return AGENTS[name]


def parameters(name: str) -> Mapping[str, Parameter]:
    """Return the parameters of an agent in order, as a mapping from their names."""
    return declared_parameters(agent_class(name))


def theta_names(name: str) -> tuple[str, ...]:
    """Return the names of the parameters that make up θ, in order.

    These are ``theta1``, ``theta2``, … if the agent has them, otherwise its numeric parameters.
    Keyword-only parameters and parameters that a later version has added are left out. So a θ
    from an earlier version keeps its meaning.
    """
    names = parameters(name)
    theta = tuple(key for key in names if key.startswith("theta"))
    return theta or tuple(
        key
        for key, each in names.items()
        if each.is_number and not each.keyword_only and not each.later
    )


def from_theta(name: str, theta: Sequence[float]) -> dict[str, float]:
    """Return the components of θ for the agent ``name``, by the names of their parameters.

    ValueError if θ has the wrong length.
    """
    names = theta_names(name)
    if len(theta) != len(names):
        of = f": {', '.join(names)}" if names else ""
        raise ValueError(f"theta must have {len(names)} values for {name}{of} (got {len(theta)})")
    return dict(zip(names, theta, strict=True))


def build_identified(identity: Mapping[str, Value]) -> Agent:
    """Build an agent from its :func:`~agents.agent.identity`.

    ValueError in the same cases as for :func:`build`, and if something on which the agent depends,
    such as a network, has changed.
    """
    values = dict(identity)
    name = str(values.pop("agent"))
    depends_on = {key: values.pop(key) for key in set(values) - set(parameters(name))}
    agent = build(name, values)
    for key, value in depends_on.items():
        if key not in agent.depends_on:
            build(name, {key: value})  # raises ValueError
        if agent.depends_on[key] != value:
            raise ValueError(f"{key} was {value}, and is now {agent.depends_on[key]}")
    return agent


def build(name: str, values: Mapping[str, Value]) -> Agent:
    """Build an agent with the given parameters, and with defaults for all others.

    ValueError if there is no such agent or parameter, or if a value is not allowed.
    """
    known = parameters(name)
    for key in values:
        if key not in known:
            allowed = ", ".join(known) or "none"
            raise ValueError(f"parameter must be one of {name}'s: {allowed} (got {key!r})")
    return AGENTS[name](**{key: known[key].from_number(value) for key, value in values.items()})
