"""Reads an experiment with a program in any language from a TOML file.

The keys of the file are the arguments of :func:`make_experiment`. The keys of its tables are the
arguments with which parameters, goals and costs are created. ``docs/reference/definition.md`` lists
all keys.
"""

import math
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from thetafront.agents.external.limits import SECONDS, memory_in
from thetafront.agents.external.program import Program, Protocol
from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import UNSPECIFIED, Experiment
from thetafront.study.experiments.dimension import CategoricalParameter, Dimension, NumericParameter
from thetafront.study.experiments.failures import MAX_FAILURES
from thetafront.study.experiments.objectives.costs import Cost, cpu_seconds, reported
from thetafront.study.experiments.objectives.goals import Goal, exact, match, mean, rate
from thetafront.study.experiments.space import Space
from thetafront.study.experiments.table_call import call

SUFFIX = ".toml"
KINDS = {"mean": mean, "rate": rate, "match": match, "exact": exact}
Table = Mapping[str, Any]


def read_program_file(path: Path) -> Experiment:
    """Read an experiment from a file.

    InputError if there is no such file, or if a key or value in it is not allowed; the error names
    the path and the key.
    """
    try:
        if path.exists() and not path.is_file():  # reading from a pipe would block
            raise InputError(f"{path} must be a TOML file (it is not a file)")
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))  # editors may add a mark
    except OSError as error:
        raise InputError(f"{path} must be a TOML file ({error.strerror or error})") from None
    except RecursionError:
        raise InputError(f"{path}: not TOML: nested too deeply") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path}: not TOML: {error}") from None
    try:
        return call(make_experiment, content, more={"path": path})
    except (InputError, ValueError) as error:
        raise InputError(f"{path}: {error}") from None


def make_experiment(
    *,
    path: Path,
    name: str = "",
    title: str = "",
    command: list[str],
    protocol: str = Protocol.ONCE.value,
    files: list[str] = [],  # noqa: B006, defaults are never changed
    time_limit: float = SECONDS,
    cpu_time_limit: float = math.inf,
    memory_limit: Any = None,
    environment: Table = {},  # noqa: B006
    max_failures: float = MAX_FAILURES,
    parameters: Table = {},  # noqa: B006
    constraints: list[str] = [],  # noqa: B006
    objective: Table = {},  # noqa: B006
    cost: Table = {},  # noqa: B006
    reference: Table = {},  # noqa: B006
    baselines: Table = {},  # noqa: B006
) -> Experiment:
    """Create the experiment that a file defines; InputError or ValueError if it is invalid."""
    goal = make_goal(objective)
    minimized = call(make_cost, cost, "cost")
    if not parameters:
        raise InputError("parameters must have at least one table [parameters.NAME] (got none)")
    space = Space(
        tuple(make_parameter(key, subtable(parameters, "parameters", key)) for key in parameters),
        tuple(constraints),
    )
    if protocol not in list(Protocol):
        raise InputError(f"protocol must be one of {', '.join(Protocol)} (got {protocol!r})")
    for each in files:
        if not Path(path.parent, each).is_file():
            raise InputError(
                f"files must name existing files, relative to {path.parent} (got {each!r})"
            )
    program = Program(
        tuple(command),
        str(path.parent),
        Protocol(protocol),
        tuple(files),
        seconds=float(time_limit),
        cpu_seconds=float(cpu_time_limit),
        memory=memory_in(memory_limit),
        environment=environment,
    )
    return Experiment(
        name=name or path.stem,
        title=title,
        agent=program,
        space=space,
        goal=goal,
        cost=minimized,
        baselines={
            key: values_in(subtable(baselines, "baselines", key), space, key) for key in baselines
        },
        source=str(path),
        max_failures=max_failures,
        **call(make_reference, reference, "reference", {"of": minimized}),
    )


def subtable(tables: Table, name: str, key: str) -> Table:
    """Return the table ``key`` of a table of tables; InputError if it is not a table."""
    if not isinstance(tables[key], Mapping):
        raise InputError(f"{name}.{key} must be a table (got {tables[key]!r})")
    return dict(tables[key])


def values_in(given: Table, space: Space, label: str) -> dict[str, Any]:
    """Return the values of a baseline; choices may be given as texts, as in earlier versions."""
    known = {each.name: each for each in space.categorical}
    try:
        return {
            name: known[name].read(value) if name in known and isinstance(value, str) else value
            for name, value in given.items()
        }
    except InputError as error:
        raise InputError(f"baseline {label!r}: {error}") from None


def make_parameter(name: str, table: Table) -> Dimension:
    """Return one parameter."""
    kind: Any = CategoricalParameter if "choices" in table else NumericParameter
    return call(kind, table, f"parameters.{name}", {"name": name})  # type: ignore[no-any-return]


def make_goal(table: Table) -> Goal:
    """Return the first objective."""
    kind = table.get("kind", "mean")
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError(f"objective.kind must be one of {', '.join(KINDS)} (got {kind!r})")
    named = {"name": "score"} if kind == "rate" else {}
    others = {key: value for key, value in table.items() if key != "kind"}
    return call(KINDS[kind], named | others, "objective")  # type: ignore[arg-type]


def make_cost(
    *,
    field: str | None = None,
    per: Literal["move", "game"] | None = None,
    unit: str = "",
    label: str | None = None,
) -> Cost:
    """Return the cost; ``UNSPECIFIED`` if the file does not give one."""
    if field is not None:
        return reported(field, unit=unit, per=per or "game", label=label)
    if unit:
        raise InputError("cost.unit must be left out unless cost.field is given")
    if label and per is None:
        raise InputError("cost.label must be left out unless cost.per is given")
    if per is None:
        return UNSPECIFIED
    return replace(cpu_seconds(per), label=label) if label else cpu_seconds(per)


def make_reference(
    *, of: Cost, objective: float | None = None, cost: float | None = None
) -> dict[str, Any]:
    """Return an experiment's arguments for the reference point; ``of`` is the experiment's cost."""
    if cost is not None and not 0 < cost < math.inf:
        raise InputError(f"reference.cost must be a number above 0 (got {cost:g})")
    if (objective is None) != (cost is None):
        raise InputError("reference must have objective and cost, or neither")
    if cost is None:
        return {}
    return {"costs": (of,), "reference_score": objective, "reference_costs": {of.name: cost}}
