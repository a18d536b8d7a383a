"""The command that checks stored results: verify."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thetafront.study.cli.options import JsonOption, NameOption, study_names
from thetafront.study.cli.program import EXIT_FAILURE, app
from thetafront.study.errors import InputError, check_range
from thetafront.study.run.options import RESULTS, JobsOption, ResultsOption
from thetafront.study.terminal.console import console, print_table

if TYPE_CHECKING:
    from thetafront.study.check.replay import Settings
    from thetafront.study.check.report import CheckReport

ALL = "all"
DATABASE = "study.db"
MAX_GAMES = 10**9


@app.command()
def verify(
    study: Annotated[
        str,
        typer.Argument(
            help="Name of a study, the folder of a study or of published results, or a storage "
            "URL.",
            metavar="NAME_OR_FOLDER",
            autocompletion=study_names,
        ),
    ] = "mcmdp",
    games: Annotated[
        str, typer.Option(help="Number of games to play again and compare, or all.", metavar="N")
    ] = "30",
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Repair: play damaged games again from their seeds."),
    ] = False,
    jobs: JobsOption = None,
    json_: JsonOption = False,
    storage: Annotated[
        str | None,
        typer.Option(help="A storage URL.", show_default="sqlite:///results/NAME/study.db"),
    ] = None,
    name: NameOption = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Check a study, or a folder with a games.csv.

    Reads every stored value, compares counts, seeds and objectives with the games, and plays a
    sample of the games again: they must be the same to the bit, except for times. The exit code is
    0 if all is well, and 1 otherwise.
    """
    from thetafront.study.check.replay import Settings
    from thetafront.study.check.verification import verify_folder
    from thetafront.study.run.workers import check_jobs

    settings = Settings(parse_n_games(games), check_jobs(jobs), console(stderr=True))
    folder = find_folder(study, results) if storage is None else None
    if folder is None:
        report = verify_stored(study, name, storage, results, settings, repair)
    else:
        report = verify_folder(folder, settings, repair)
    if json_:
        print(json.dumps(report.json()))
    else:
        out = console()
        for line in report.lines():
            out.print(line)
        print_table(out, report.table())
    if not report.ok:
        raise typer.Exit(EXIT_FAILURE)


def parse_n_games(text: str) -> int | None:
    """Read how many games to play again; None stands for all."""
    if text == ALL:
        return None
    if not text.isdecimal() or len(text) > len(str(MAX_GAMES)):
        raise InputError(f"games must be all, or between 0 and {MAX_GAMES} (got {text!r})")
    check_range("games", int(text), 0, MAX_GAMES)
    return int(text)


def find_folder(given: str, results: Path) -> Path | None:
    """Return the folder of published results that is meant; None if a study is."""
    for folder in (results / given, Path(given)):
        if "://" in given or (folder / DATABASE).exists():
            return None
        if folder.is_dir() and given:
            return folder
    return None


def verify_stored(
    given: str,
    name: str | None,
    storage: str | None,
    results: Path,
    settings: "Settings",
    repair: bool,
) -> "CheckReport":
    """Verify a study: of a name, a folder or a storage."""
    from thetafront.study.check.verification import verify_study
    from thetafront.study.log.database import storage_errors_reported
    from thetafront.study.log.location import Location
    from thetafront.study.log.storage import find_study

    url, of_name = given, name
    if storage is not None:
        url, of_name = storage, name or given
    elif not (results / given / DATABASE).exists() and (Path(given) / DATABASE).exists():
        url = f"sqlite:///{Path(given) / DATABASE}"
    place = Location(given, url if "://" in url else "sqlite:///", results)
    with storage_errors_reported(place):
        found, location = find_study(url, results, of_name, may_lack=True)
        if "://" in url and storage is None and "://" not in given:
            location = Location(location.name, location.url, Path(given))
        return verify_study(found, location, settings, repair)
