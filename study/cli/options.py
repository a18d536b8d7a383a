"""Options that several commands share, how their values are read, and how a study is opened."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thetafront.study.cli.program import working
from thetafront.study.errors import InputError

if TYPE_CHECKING:
    import optuna

    from thetafront.study.store.location import Location
    from thetafront.study.store.study_data import StudyData

RESULTS = Path("results")


def whole_number(text: str) -> int:
    """Read a whole number."""
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} given, a whole number allowed") from None


def real_number(text: str) -> float:
    """Read a number."""
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} given, a number allowed") from None


def budget(text: str) -> float:
    """Read a time span in seconds."""
    from thetafront.study.run.budget import seconds_of

    try:
        return seconds_of(str(text))
    except InputError as error:
        raise typer.BadParameter(str(error).removeprefix("budget: ")) from None


def folder(text: str) -> Path:
    """Read the path of a folder."""
    if not str(text):
        raise typer.BadParameter("'' given, a folder's path allowed")
    return Path(text)


def file(text: str) -> Path:
    """Read the path of a file."""
    if not str(text):
        raise typer.BadParameter("'' given, a file's path allowed")
    return Path(text)


def whole(help_: str, *names: str, **settings: Any) -> Any:
    """Return an option for a whole number."""
    return typer.Option(*names, help=help_, parser=whole_number, metavar="N", **settings)


def decimal(help_: str, *names: str, **settings: Any) -> Any:
    """Return an option for a number."""
    return typer.Option(*names, help=help_, parser=real_number, metavar="X", **settings)


def path(help_: str, *names: str, **settings: Any) -> Any:
    """Return an option for a folder."""
    return typer.Option(*names, help=help_, parser=folder, metavar="FOLDER", **settings)


def study_names(incomplete: str) -> list[str]:
    """Complete the name of a study in the default folder of results."""
    databases = RESULTS.glob(f"{incomplete}*/study.db")
    return sorted(database.parent.name for database in databases)


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


ResultsOption = Annotated[Path, path("Folder of all studies.", "--results")]
OutputOption = Annotated[Path | None, path("Folder to write the results to.", "--output")]
JobsOption = Annotated[
    int | None, whole("Number of worker processes.", "--jobs", show_default="all cores")
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        help="Address of a Dask scheduler, such as tcp://10.0.0.1:8786, whose workers play; see "
        "thetafront worker.",
        metavar="ADDRESS",
        show_default="this machine's cores play",
    ),
]
SchedulerArgument = Annotated[
    str,
    typer.Argument(
        help="Address of a Dask scheduler, such as tcp://10.0.0.1:8786.", metavar="ADDRESS"
    ),
]
TlsCaOption = Annotated[
    str | None,
    typer.Option(
        "--tls-ca", help="TLS: certificate of the authority, in PEM format.", metavar="FILE"
    ),
]
TlsCertOption = Annotated[
    str | None,
    typer.Option("--tls-cert", help="TLS: certificate of this side.", metavar="FILE"),
]
TlsKeyOption = Annotated[
    str | None, typer.Option("--tls-key", help="TLS: its private key.", metavar="FILE")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
StandardErrorOption = Annotated[
    float | None,
    decimal(
        "Validation: standard error of the mean at which a point has enough games.",
        "--standard-error",
        show_default="the goal's, if it has one: 500 points; 0.015 of a win rate",
    ),
]
ValidationGamesOption = Annotated[
    int | None,
    whole(
        "Validation: largest number of games per point.",
        "--validation-games",
        show_default="1000",
    ),
]
BudgetOption = Annotated[
    float,
    typer.Option(
        "--budget",
        help="Time to spend, such as 90s, 15m or 1h30m; none for no limit. Validation goes on "
        "until it is spent, unless --standard-error or --validation-games is given.",
        parser=budget,
        metavar="TIME",
    ),
]
ValidationPointsOption = Annotated[
    int,
    whole(
        "Validation: number of cost budgets; each adds a proposal of the model.",
        "--validation-points",
    ),
]
StudyArgument = Annotated[
    str, typer.Argument(help="Name of a study, or a storage URL.", autocompletion=study_names)
]
NameOption = Annotated[
    str | None, typer.Option("--name", help="Which study, if the storage holds several.")
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
        help="Maze of an agent for Pacman: small, medium, or the path of a .lay file.",
        metavar="MAZE",
    ),
]


@contextmanager
def reading(
    study: str, name: str | None, results: Path
) -> "Iterator[tuple[optuna.Study, Location, StudyData]]":
    """Open and read an existing study; InputError if the storage fails."""
    import optuna

    from thetafront.study.store.location import without_password
    from thetafront.study.store.storage import (
        location_given,
        open_for_reading,
        storage_errors_reported,
    )

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with storage_errors_reported(location_given(study, results, name)):
        with working(f"reading {without_password(study)}"):
            opened = open_for_reading(study, results, name)
        yield opened
