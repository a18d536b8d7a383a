"""Commands that list agents and experiments."""

import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from thetafront.study.cli.options import JsonOption, agent_names, experiment_names
from thetafront.study.cli.program import app
from thetafront.study.terminal.console import console, print_table

SPARE = ("from", "fixed", "agent", "baselines", "costs")  # columns left out if a terminal is narrow

if TYPE_CHECKING:
    from rich.table import Table

    from thetafront.agents.agent import Agent
    from thetafront.study.experiments.definition import Experiment


@app.command()
def agents(
    name: Annotated[
        str | None,
        typer.Argument(help="One agent.", show_default="all", autocompletion=agent_names),
    ] = None,
    json_: JsonOption = False,
) -> None:
    """List agents with their parameters, defaults and ranges.

    The θ column gives a parameter's place in --theta, if it has one. --set can set any parameter.
    """
    from thetafront.agents.catalog import AGENTS, agent_class
    from thetafront.study.errors import InputError

    try:
        listed = (
            [agent_class(name)] if name is not None else [AGENTS[key] for key in sorted(AGENTS)]
        )
    except ValueError as error:
        raise InputError(str(error)) from None
    found = [agent_record(each) for each in listed]
    show(
        found,
        ("agent", "game", "description"),
        ("parameter", "default", "allowed", "theta_place", "description"),
        json_,
    )


def agent_record(agent: "type[Agent]") -> dict[str, Any]:
    """Return an agent with its parameters as plain data."""
    from thetafront.agents.catalog import theta_names
    from thetafront.agents.parameters import declared_parameters

    theta = theta_names(agent.name)
    summary = (agent.__doc__ or "").strip().partition("\n")[0].partition(". ")[0].rstrip(".")
    return {
        "agent": agent.name,
        "game": get_type_hints(agent.play)["return"].kind,
        "description": re.sub(r":\w+:`~?(?:\w+\.)*(\w+)`", r"\1", summary).replace("``", ""),
        "parameters": [
            {
                "parameter": each.name,
                "default": each.domain.plain(each.default),
                "allowed": each.domain.allowed,
                "theta_place": theta.index(each.name) + 1 if each.name in theta else None,
                "description": each.description,
            }
            for each in declared_parameters(agent).values()
        ],
    }


@app.command()
def experiments(
    name: Annotated[
        str | None,
        typer.Argument(
            help="One experiment, or a definition: FILE.py, MODULE:NAME or FILE.toml.",
            show_default="all",
            autocompletion=experiment_names,
        ),
    ] = None,
    json_: JsonOption = False,
) -> None:
    """List experiments with their spaces and objectives.

    Includes experiments from installed packages. thetafront sweep minimizes the first cost unless
    --cost names another; given --scheduler, it minimizes the first cost that is not a time, if
    there is one. Baselines are θ played for comparison.
    """
    from thetafront.study.experiments.registry import experiment, listed

    chosen = [(experiment(name), "", "")] if name is not None else list(listed())
    found = [
        {**experiment_record(each), "from": origin or each.source or "thetafront"}
        for each, origin, _ in chosen
        if each is not None
    ]
    for _, origin, error in chosen:
        if error:
            print(f"thetafront: {origin}: {error}", file=sys.stderr)
    of_all = ("experiment", "description", "agent", "goal", "costs", "fixed", "from")
    of_parameters = ("parameter", "symbol", "range", "scale", "baselines")
    show(found, of_all, of_parameters if name is None else (*of_parameters, "description"), json_)


def experiment_record(experiment: "Experiment") -> dict[str, Any]:
    """Return an experiment with its space as plain data."""
    from thetafront.study.experiments.dimension import CategoricalParameter, when_text

    own = experiment.cost.name
    return {
        "experiment": experiment.name,
        "description": experiment.title,
        "agent": experiment.player.name,
        "goal": experiment.goal.name,
        "costs": sorted(experiment.possible_costs, key=lambda each: each != own),
        "fixed": dict(experiment.fixed),
        "parameters": [
            {
                "parameter": each.name,
                "symbol": each.label,
                "range": list(each.choices)
                if isinstance(each, CategoricalParameter)
                else (each.low, each.high),
                "scale": (
                    "choice"
                    if isinstance(each, CategoricalParameter)
                    else ("integer, " if each.integer else "")
                    + ("log" if each.log else "linear")
                    + (f", steps of {each.step:g}" if each.step else "")
                )
                + when_text(each.when),
                "baselines": {
                    name: values[each.name]
                    for name, values in experiment.baselines.items()
                    if each.name in values
                },
                "description": each.description,
            }
            for each in experiment.space
        ],
    }


def show(
    found: Sequence[Mapping[str, Any]],
    of_all: Sequence[str],
    of_parameters: Sequence[str],
    as_json: bool,
) -> None:
    """Print records as JSON, or as two tables: the records, and their parameters."""
    if as_json:
        print(json.dumps(found, ensure_ascii=False))
        return
    first = of_all[0]
    rows = [
        {first: each[first] if not k else "", **parameter}
        for each in found
        for k, parameter in enumerate(each["parameters"])
    ]
    out = console()
    print_table(out, table(found, of_all), SPARE)
    if rows:
        out.print()
        print_table(out, table(rows, (first, *of_parameters)), SPARE)


def table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> "Table":
    """Lay out records, one column per key."""
    from rich.table import Table

    laid_out = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in columns:
        laid_out.add_column("θ" if column == "theta_place" else column)
    for row in rows:
        laid_out.add_row(*(text(row[column]) for column in columns))
    return laid_out


def text(value: Any) -> str:
    """Return a value of a record as text; a tuple is an interval."""
    if value is None:
        return ""
    if isinstance(value, Mapping):
        return ", ".join(f"{text(each)} ({name})" for name, each in value.items())
    if isinstance(value, list | tuple):
        return (" to " if isinstance(value, tuple) else ", ").join(text(each) for each in value)
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.10g}" if isinstance(value, int | float) else str(value)
