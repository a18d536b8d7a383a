"""An experiment with a program in any language, from a TOML file.

=================  =================================================================================
name, title        as in :class:`~study.experiments.definition.Experiment`
command            the program and its arguments
files              what games depend on, too, such as data: part of the digest
protocol           ``once`` (default) or ``serve``, see :mod:`agents.external.program`
time_limit         seconds of a game; 300 by default
cpu_time_limit     CPU seconds of a game; none by default
memory_limit       such as ``"500 MB"`` or ``"2 GB"``; none by default
max_failures       the share of a θ's games that may fail before θ is left out; 0.1 by default
[environment]      variables of the program
[parameters.X]     ``low``, ``high``, ``integer``, ``log``, ``step``; ``least`` and ``most``, beyond
                   which ``--widen`` moves no bound; or ``choices``, texts, numbers, or true and
                   false; ``symbol``; ``when = {solver = ["sgd"]}``: inactive with other values
constraints        such as ``["lc + lp <= 4"]``, see :mod:`study.experiments.constraints`
[objective]        ``name``, ``direction``, ``unit``, ``kind`` (mean, rate, match, exact),
                   ``label``, ``low``, ``high``, ``standard_error``, ``replicates``; ``penalty``,
                   the value of a failed game, which is replaced otherwise
[cost]             ``field`` that the program reports (CPU seconds by default), ``per`` (move or
                   game), ``unit``, ``label``
[reference]        ``objective`` and ``cost``: the reference point of hypervolumes
[baselines.X]      a value for each parameter
=================  =================================================================================
"""

import math
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from thetafront.agents.external.limits import SECONDS, memory_in
from thetafront.agents.external.program import Program, Protocol
from thetafront.agents.parameters import is_real
from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import UNSAID, Experiment
from thetafront.study.experiments.failures import MAX_FAILURES
from thetafront.study.experiments.objectives import (
    Cost,
    Goal,
    cpu_seconds,
    exact,
    match,
    mean,
    rate,
    reported,
)
from thetafront.study.experiments.space import (
    CategoricalParameter,
    Dimension,
    NumericParameter,
    Space,
)

SUFFIX = ".toml"
KINDS = {"mean": mean, "rate": rate, "match": match, "exact": exact}
OPTIONS_OF_KIND: dict[str, dict[str, type]] = {
    "mean": {"unit": str, "standard_error": float, "replicates": int, "low": float, "high": float},
    "rate": {"standard_error": float, "replicates": int},
    "match": {"standard_error": float, "replicates": int},
    "exact": {"unit": str, "low": float, "high": float},
}
WORDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
WORDS |= {list: "a list", dict: "a table"}


class Table:
    """A table of the file, whose keys are taken one by one; what is left is refused.

    Parameters
    ----------
    values : mapping
        The table.
    name : str
        Its name in messages.
    """

    def __init__(self, values: Mapping[str, Any], name: str = "") -> None:
        self.values = dict(values)
        self.name = name
        self.known: list[str] = []

    def take(self, key: str, kind: type, default: Any = None, *, needed: bool = False) -> Any:
        """Take a value of a kind; InputError if it is of another, or is needed and not there."""
        self.known.append(key)
        if key not in self.values:
            if needed:
                raise InputError(f"{self.path(key)}: nothing given, {WORDS[kind]} needed")
            return default
        value = self.values.pop(key)
        fits = is_real(value) if kind is float else type(value) is kind
        if not fits:
            raise InputError(f"{self.path(key)}: {value!r} given, {WORDS[kind]} allowed")
        return value

    def table(self, key: str) -> "Table":
        """Take a table; an empty one if there is none."""
        return Table(self.take(key, dict, {}), self.path(key))

    def path(self, key: str) -> str:
        """Name a key for a message."""
        return f"{self.name}.{key}" if self.name else key

    def done(self) -> None:
        """Refuse, by InputError, a key that nobody has taken."""
        for key in self.values:
            raise InputError(f"{self.path(key)}: given, which is none of {', '.join(self.known)}")


def read_program_file(path: Path) -> Experiment:
    """Read an experiment.

    Raises
    ------
    InputError
        If there is no such file, or something in it is not allowed: with its path and key.
    """
    try:
        if path.exists() and not path.is_file():  # a pipe would have to be filled
            raise InputError(f"{path}: is no file; a TOML file allowed")
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}; a TOML file allowed") from None
    except RecursionError:
        raise InputError(f"{path}: no TOML: nested too deeply") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path}: no TOML: {error}") from None
    try:
        return experiment_in(Table(content), path)
    except (InputError, ValueError) as error:
        raise InputError(f"{path}: {error}") from None


def experiment_in(file: Table, path: Path) -> Experiment:
    """Make the experiment that a file defines; InputError or ValueError if it cannot be one."""
    name = file.take("name", str, path.stem)
    title = file.take("title", str, "")
    goal = goal_in(file.table("objective"))
    cost = cost_in(file.table("cost"))
    constraints = file.take("constraints", list, [])
    if wrong := [each for each in constraints if not isinstance(each, str)]:
        raise InputError(f"constraints: {wrong[0]!r} given, a text such as 'a <= b' allowed")
    space = Space(tuple(parameters_in(file.table("parameters"))), tuple(constraints))
    program = program_in(file, path)
    named = file.table("baselines")
    baselines = {key: values_in(named.take(key, dict), space) for key in list(named.values)}
    reference = file.table("reference")
    score = reference.take("objective", float)
    reference_cost = reference.take("cost", float)
    reference.done()
    max_failures = file.take("max_failures", float, MAX_FAILURES)
    file.done()
    if reference_cost is not None and not 0 < reference_cost < math.inf:
        raise InputError(f"reference.cost: {reference_cost:g} given, a number above 0 allowed")
    if (score is None) != (reference_cost is None):
        raise InputError("reference: one of objective and cost given, both or none allowed")
    costs = (cost,) if score is not None else ()
    return Experiment(
        name=name,
        title=title,
        agent=program,
        space=space,
        goal=goal,
        cost=cost,
        costs=costs,
        reference_score=score,
        reference_costs={} if score is None else {cost.name: reference_cost},
        baselines=baselines,
        source=str(path),
        max_failures=max_failures,
    )


def values_in(given: Mapping[str, Any], space: Space) -> dict[str, Any]:
    """Return the values of a baseline: a choice may be written as a text, as all were once."""
    known = {each.name: each for each in space.categorical}
    return {
        name: known[name].read(value) if name in known and isinstance(value, str) else value
        for name, value in given.items()
    }


def program_in(file: Table, path: Path) -> Program:
    """Return the program."""
    given = file.values.get("command")
    if isinstance(given, str):
        raise InputError(f"command: {given!r} given, a list of words allowed")
    command = file.take("command", list, needed=True)
    if not all(isinstance(word, str) for word in command):
        raise InputError(f"command: {command!r} given, a list of texts allowed")
    protocol = file.take("protocol", str, Protocol.ONCE.value)
    if protocol not in list(Protocol):
        raise InputError(f"protocol: {protocol!r} given, one of {', '.join(Protocol)} allowed")
    files = file.take("files", list, [])
    for each in files:
        if not (isinstance(each, str) and Path(path.parent, each).is_file()):
            raise InputError(f"files: {each!r} given, a file in {path.parent} allowed")
    return Program(
        tuple(command),
        str(path.parent),
        Protocol(protocol),
        tuple(files),
        seconds=float(file.take("time_limit", float, SECONDS)),
        cpu_seconds=float(file.take("cpu_time_limit", float, math.inf)),
        memory=memory_in(file.values.pop("memory_limit", None)),
        environment=file.take("environment", dict, {}),
    )


def goal_in(table: Table) -> Goal:
    """Return the first objective."""
    kind = table.take("kind", str, "mean")
    if kind not in KINDS:
        raise InputError(f"objective.kind: {kind!r} given, one of {', '.join(KINDS)} allowed")
    direction = table.take("direction", str, "maximize")
    if direction not in {"maximize", "minimize"}:
        raise InputError(f"objective.direction: {direction!r} given, maximize or minimize allowed")
    name = table.take("name", str, "result" if kind == "match" else "score")
    options = {
        key: found
        for key, type_ in {"label": str, "penalty": float, **OPTIONS_OF_KIND[kind]}.items()
        if (found := table.take(key, type_)) is not None
    }
    table.done()
    if options.get("standard_error", 1.0) <= 0 or options.get("replicates", 1) < 1:
        raise InputError("objective: standard_error above 0 and replicates from 1 on allowed")
    return KINDS[kind](name, direction=direction, **options)  # type: ignore[operator,no-any-return]


def cost_in(table: Table) -> Cost:
    """Return the cost; :data:`~study.experiments.definition.UNSAID` where the file says nothing."""
    field = table.take("field", str)
    per = table.take("per", str)
    if per not in {None, "move", "game"}:
        raise InputError(f"cost.per: {per!r} given, move or game allowed")
    unit, label = table.take("unit", str, ""), table.take("label", str)
    table.done()
    if field is not None:
        return reported(field, unit=unit, per=per or "game", label=label)
    if unit:
        raise InputError("cost: unit given without the field that the program reports")
    if label and per is None:
        raise InputError("cost: label given without per, move or game")
    if per is None:
        return UNSAID
    return replace(cpu_seconds(per), label=label) if label else cpu_seconds(per)


def parameters_in(table: Table) -> list[Dimension]:
    """Return the parameters, in order."""
    if not table.values:
        raise InputError("parameters: nothing given, one or more needed: [parameters.NAME]")
    return [parameter_in(table.table(name), name) for name in list(table.values)]


def parameter_in(table: Table, name: str) -> Dimension:
    """Return one parameter."""
    symbol = table.take("symbol", str, "")
    when = table.take("when", dict, {})
    choices = table.take("choices", list)
    if choices is not None:
        table.done()
        return CategoricalParameter(name, tuple(choices), symbol, when)
    low, high = (table.take(end, float, needed=True) for end in ("low", "high"))
    integer, log = table.take("integer", bool, False), table.take("log", bool, False)
    step = table.take("step", float, 0.0)
    least, most = table.take("least", float, -math.inf), table.take("most", float, math.inf)
    table.done()
    if integer and all(math.isfinite(x) and x == int(x) for x in (low, high)):
        low, high = int(low), int(high)
    return NumericParameter(name, low, high, integer, log, symbol, step, least, most, when)
