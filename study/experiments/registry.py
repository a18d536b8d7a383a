"""Finds experiments: built-in ones by name, users' experiments by file, module or entry point.

Built-in experiments are in :mod:`study.experiments.builtin`. Installed packages offer experiments
through the entry-point group ``thetafront.experiments``.
"""

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType

from thetafront.agents.external.source import SUFFIX as PYTHON
from thetafront.agents.external.source import Source, SourceError
from thetafront.study.errors import InputError
from thetafront.study.experiments import builtin
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives.costs import Cost
from thetafront.study.experiments.objectives.goals import Goal
from thetafront.study.experiments.players import PythonPlayer
from thetafront.study.experiments.program_file import SUFFIX as TOML
from thetafront.study.experiments.program_file import read_program_file

GROUP = "thetafront.experiments"


def experiments_in(module: ModuleType) -> dict[str, Experiment]:
    """Return a module's experiments by name; an object with two names is listed under the first."""
    found: dict[str, Experiment] = {}
    for name, each in vars(module).items():
        if isinstance(each, Experiment) and not any(each is other for other in found.values()):
            found[name] = each
    return found


EXPERIMENTS = {each.name: each for each in experiments_in(builtin).values()}
"""The built-in experiments, by name."""


def objectives() -> list[Goal | Cost]:
    """Return the goals and costs of built-in experiments, goals first, each name once."""
    found: list[Goal | Cost] = [each.goal for each in EXPERIMENTS.values()]
    found += [cost for each in EXPERIMENTS.values() for cost in each.costs]
    return list({each.bound: each for each in found}.values())


def experiment(text: str) -> Experiment:
    """Return the experiment of a name or definition; InputError if there is none, or it is invalid.

    A name is that of a built-in experiment, or of one in an installed package. A definition is a
    Python file (``coins.py`` or ``coins.py:NAME``), a module (``package.module:NAME``) or a TOML
    file.
    """
    if text in EXPERIMENTS:
        return EXPERIMENTS[text]
    if text.endswith(TOML):
        return read_program_file(Path(os.path.expanduser(text)).absolute())
    if text in (installed := installed_experiments()):
        return python_experiment(Source.parse(installed[text].value))
    if ":" in text or text.endswith(PYTHON):
        return python_experiment(Source.parse(text))
    allowed = ", ".join(sorted({*EXPERIMENTS, *installed}))
    raise InputError(
        f"experiment must be one of {allowed}, or a definition: FILE.py, FILE.py:NAME, "
        f"MODULE:NAME or FILE.toml (got {text!r})"
    )


def is_definition(text: str) -> bool:
    """Return whether a text can only name a user's experiment, not a built-in one."""
    return text.endswith((PYTHON, TOML)) or ":" in text or text in installed_experiments()


def is_here(source: str) -> bool:
    """Return whether an experiment's source is a module, or a file that exists."""
    file = source if source.endswith(TOML) else source.rpartition(":")[0] or source
    return Path(file).is_file() if file.endswith((PYTHON, TOML)) else bool(file)


def listed() -> Iterator[tuple[Experiment | None, str, str]]:
    """Yield each experiment with its origin and an error text.

    An experiment that cannot be read is None; for all others, the error text is empty.
    """
    for each in EXPERIMENTS.values():
        yield each, "thetafront", ""
    for name, point in installed_experiments().items():
        origin = point.dist.name if point.dist is not None else point.value
        try:
            yield experiment(name), origin, ""
        except InputError as error:
            yield None, f"{origin}: {name}", str(error)


@cache
def installed_experiments() -> dict[str, EntryPoint]:
    """Return the experiments of installed packages, by name; built-in ones take precedence."""
    points = sorted(entry_points(group=GROUP), key=lambda each: each.name)
    return {each.name: each for each in points if each.name not in EXPERIMENTS}


def python_experiment(source: Source) -> Experiment:
    """Import an experiment; InputError if the import fails, or it is unclear which is meant."""
    try:
        module = source.load()
    except SourceError as error:
        raise InputError(str(error)) from None
    found = experiments_in(module)
    if source.name:
        if source.name not in found:
            known = ", ".join(found) or "none"
            raise InputError(
                f"experiment: {source} is not an Experiment; its module defines {known}"
            )
        name = source.name
    elif len(found) == 1:
        (name,) = found
    else:
        what = f"{len(found)} experiments" if found else "no Experiment"
        allowed = " or ".join(f"{source}:{name}" for name in found)
        raise InputError(
            f"experiment: {source} has {what}" + (f"; give {allowed}" if found else "")
        )
    source = Source(source.module, name)
    player = found[name].player
    if not isinstance(player, PythonPlayer):
        return replace(found[name], source=str(source))
    return replace(found[name], agent=replace(player, source=source), source=str(source))
