"""Build agents from command-line options: a name, ``--theta``, ``--set`` and ``--layout``."""

from collections.abc import Iterable, Sequence

from thetafront.agents.agent import Agent
from thetafront.agents.catalog import AGENTS, agent_class, build, from_theta, parameters
from thetafront.agents.pacman.agent import PacmanAgent
from thetafront.agents.parameters import Value, plain_values
from thetafront.agents.twenty48.agent import Agent2048
from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.dimension import NumericParameter
from thetafront.study.text import counted

LAYOUT = "layout"


def build_agent(
    name: str, theta: str | None = None, settings: Sequence[str] = (), layout: str | None = None
) -> tuple[Agent, dict[str, Value]]:
    """Return the agent that a command line asks for, and the values of all its parameters.

    ``theta`` has all components of θ, separated by commas; ``settings`` are single parameters as
    ``name=value``, which override ``theta``. For a Pacman agent, ``layout`` is the name of a maze
    or the path of a ``.lay`` file; the setting ``layout=…`` does the same. InputError if an
    argument is not allowed.
    """
    try:
        known = parameters(name)
        values: dict[str, Value] = {}
        if theta is not None:
            values |= from_theta(name, parse_theta(theta))
        values |= {
            key: known[key].from_text(text) if key in known else text
            for key, text in parse_settings(settings, known).items()
        }
        if layout is not None:
            if LAYOUT not in known:
                raise InputError(
                    f"layout must be left out for {name}, which has no maze (got {layout!r})"
                )
            if LAYOUT in values:
                raise InputError(
                    f"layout must be given once (got --layout {layout} and --set "
                    f"layout={values[LAYOUT]})"
                )
            values[LAYOUT] = layout
        agent = build(name, values)
    except ValueError as error:
        raise InputError(str(error)) from None
    # The maze is listed by its name or path, because its rows would be unreadable on one line.
    given = {LAYOUT: values[LAYOUT]} if LAYOUT in values else {}
    return agent, {**plain_values(agent), **given}


def build_defined_agent(
    experiment: Experiment, theta: str | None = None, settings: Sequence[str] = ()
) -> tuple[Agent, dict[str, Value]]:
    """Return the agent of a user's experiment, and its θ.

    ``theta`` has all numeric components of θ, in order, separated by commas. An inactive parameter
    gets an empty component, as in ``1,,3``. ``settings`` are single parameters as ``name=value``,
    which override ``theta``; values outside the space are allowed if the experiment's player
    accepts them. A parameter that is not given gets the middle of its range. InputError if an
    argument is not allowed.
    """
    known = {each.name: each for each in experiment.space}
    numbers = [each for each in known.values() if isinstance(each, NumericParameter)]
    given: dict[str, str] = {}
    if theta is not None:
        parts = theta.split(",")
        if len(parts) != len(numbers):
            names = ", ".join(each.name for each in numbers)
            raise InputError(
                f"theta must have {counted(len(numbers), 'value')}: {names} (got {len(parts)})"
            )
        parted = {each.name: part.strip() for each, part in zip(numbers, parts, strict=True)}
        given |= {name: part for name, part in parted.items() if part or not known[name].when}
    chosen = parse_settings(settings, known)
    if unknown := [name for name in chosen if name not in known]:
        raise InputError(f"--set must name one of {', '.join(known)} (got {unknown[0]!r})")
    given |= chosen
    values: dict[str, Value] = {}
    for name, text in given.items():
        each = known[name]
        values[name] = each.read(text)
        if isinstance(each, NumericParameter):
            try:
                values[name] = experiment.player.domain(each).check(name, values[name])
            except ValueError as error:
                raise InputError(str(error)) from None
    values = experiment.space.completed(values)
    return experiment.build(values), values


def notes_on(agent: Agent) -> tuple[str, ...]:
    """Return notes on what was cut off when the agent's maze was read; empty without a maze."""
    return agent.layout.notes if isinstance(agent, PacmanAgent) else ()


def build_agent_2048(
    name: str, theta: str | None = None, settings: Sequence[str] = ()
) -> tuple[Agent2048, dict[str, Value]]:
    """Do the same as :func:`build_agent`, and raise InputError if the agent does not play 2048."""
    check_plays(name, Agent2048)
    agent, params = build_agent(name, theta, settings)
    assert isinstance(agent, Agent2048)
    return agent, params


def check_plays(name: str, *kinds: type) -> None:
    """Raise InputError unless the named agent is of one of these classes."""
    allowed = [each for each in sorted(AGENTS) if issubclass(agent_class(each), kinds)]
    if name not in allowed:
        other = ", which plays another game" if name in AGENTS else ""
        raise InputError(f"agent must be one of {', '.join(allowed)} (got {name!r}{other})")


def parse_theta(text: str) -> list[float]:
    """Parse numbers separated by commas."""
    numbers = []
    for part in text.split(","):
        try:
            numbers.append(float(part))
        except ValueError:
            raise InputError(f"theta must be numbers (got {part.strip()!r})") from None
    return numbers


def parse_settings(settings: Sequence[str], names: Iterable[str]) -> dict[str, str]:
    """Parse ``name=value`` pairs; InputError if a pair has no ``=``."""
    given: dict[str, str] = {}
    for setting in settings:
        name, equals, text = (part.strip() for part in setting.partition("="))
        if not equals:
            allowed = ", ".join(names) or "none"
            raise InputError(f"--set must be name=value (got {setting!r}); names: {allowed}")
        given[name] = text
    return given
