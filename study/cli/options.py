"""Options that several commands share, and how their words are read."""

from pathlib import Path
from typing import Annotated, Any

import typer


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


def folder(text: str) -> Path:
    """Read a folder's path."""
    if not str(text):
        raise typer.BadParameter("'' given, a folder's path allowed")
    return Path(text)


def whole(help_: str, *names: str, **settings: Any) -> Any:
    """Return an option that takes a whole number."""
    return typer.Option(*names, help=help_, parser=whole_number, metavar="N", **settings)


def decimal(help_: str, *names: str, **settings: Any) -> Any:
    """Return an option that takes a number."""
    return typer.Option(*names, help=help_, parser=real_number, metavar="X", **settings)


ResultsOption = Annotated[
    Path, typer.Option("--results", help="Folder of all studies.", parser=folder, metavar="FOLDER")
]
JobsOption = Annotated[int | None, whole("Worker processes.", "--jobs", show_default="all cores")]
StandardErrorOption = Annotated[
    float | None,
    decimal(
        "Validation: of each mean, in points; of a win rate, a share.",
        "--standard-error",
        show_default="500 points; 0.015 of a win rate",
    ),
]
ValidationGamesOption = Annotated[
    int, whole("Validation: at most these a point.", "--validation-games")
]
ValidationPointsOption = Annotated[
    int,
    whole(
        "Validation: budgets for which a trial and a proposal are chosen.", "--validation-points"
    ),
]
OutputOption = Annotated[
    Path | None,
    typer.Option(help="A folder for what is measured.", parser=folder, metavar="FOLDER"),
]
StudyArgument = Annotated[str, typer.Argument(help="A study's name, or a storage URL.")]
NameOption = Annotated[
    str | None, typer.Option("--name", help="Which study, if a storage URL holds several.")
]
RESULTS = Path("results")
