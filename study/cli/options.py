"""Options and arguments that several commands share, and how a study is opened."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thetafront.study.cli.program import working
from thetafront.study.run.options import RESULTS, SweepOptions, path
from thetafront.study.text import without_password

if TYPE_CHECKING:
    from thetafront.study.log.location import Location
    from thetafront.study.log.study_data import StudyData, StudySource


def taking(*names: str, **usual: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command all options of a sweep, or only ``names``, as its argument ``options``.

    ``usual`` has the defaults that differ from those of a sweep.
    """
    added = [
        Parameter(
            each.name,
            Parameter.KEYWORD_ONLY,
            default=usual.get(each.name, each.default),
            annotation=each.type,
        )
        for each in fields(SweepOptions)
        if not names or each.name in names
    ]

    def given_to(command: Callable[..., None]) -> Callable[..., None]:
        own = [each for each in signature(command).parameters.values() if each.name != "options"]

        def called(**given: Any) -> None:
            asked = {each.name: given.pop(each.name) for each in added}
            command(**given, options=SweepOptions(**asked))

        called.__name__, called.__doc__ = command.__name__, command.__doc__
        shown = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in own]
        called.__signature__ = Signature([*added, *shown])  # type: ignore[attr-defined]
        return called

    return given_to


def study_names(incomplete: str) -> list[str]:
    """Complete the name of a study in the default folder of results."""
    names = (database.parent.name for database in RESULTS.glob("*/study.db"))
    return sorted(name for name in names if name.startswith(incomplete))


def agent_names(incomplete: str) -> list[str]:
    """Complete the name of an agent."""
    from thetafront.agents.catalog import AGENTS

    return sorted(name for name in AGENTS if name.startswith(incomplete))


def experiment_names(incomplete: str) -> list[str]:
    """Complete the name of an experiment."""
    from thetafront.study.experiments.registry import EXPERIMENTS, installed_experiments

    files = [str(path) for kind in ("*.py", "*.toml") for path in Path().glob(kind)]
    names = (*EXPERIMENTS, *installed_experiments(), *files)
    return sorted({name for name in names if name.startswith(incomplete)})


OutputOption = Annotated[Path | None, path("Folder to write the results to.", "--output")]
SchedulerArgument = Annotated[
    str,
    typer.Argument(help="Dask scheduler address, such as tcp://10.0.0.1:8786.", metavar="ADDRESS"),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
StudyArgument = Annotated[
    str, typer.Argument(help="Study name or storage URL.", autocompletion=study_names)
]
OR_A_FOLDER = "or a folder (a path with a slash) that holds a study's tables"
StudyOrFolder = Annotated[
    str,
    typer.Argument(help=f"A study name, a storage URL, {OR_A_FOLDER}.", autocompletion=study_names),
]
NameOption = Annotated[
    str | None, typer.Option("--name", help="Study name, if the storage holds several.")
]
ThetaOption = Annotated[
    str | None,
    typer.Option("--theta", help="All components of θ, such as 500,54,18,9,6.25,1."),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", help="Set one parameter, name=value; repeatable."),
]
LayoutOption = Annotated[
    str | None,
    typer.Option(
        "--layout",
        help="Maze for a Pacman agent: small, medium, or the path to a .lay file.",
        metavar="MAZE",
    ),
]


@contextmanager
def reading(
    study: str, name: str | None, results: Path
) -> "Iterator[tuple[StudySource, Location, StudyData]]":
    """Open and read an existing study; InputError if the storage fails."""
    from thetafront.study.log.database import storage_errors_reported
    from thetafront.study.log.storage import location_given, open_for_reading

    with storage_errors_reported(location_given(study, results, name)):
        with working(f"reading {without_password(study)}"):
            opened = open_for_reading(study, results, name)
        yield opened


def is_folder(study: str) -> bool:
    """Return whether ``study`` is a folder, rather than a name or a URL."""
    return "/" in study and "://" not in study


@contextmanager
def reading_tables(
    study: str, name: str | None, results: Path
) -> "Iterator[tuple[Location, StudyData]]":
    """Read an existing study, or the tables in a folder; InputError if neither can be read."""
    if is_folder(study):
        from thetafront.study.log.published_study import read_published

        yield read_published(Path(study))
    else:
        with reading(study, name, results) as (_, location, data):
            yield location, data
