"""The command that compares two studies at equal time, and what ``reproduce switching`` has of it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from study.cli.options import RESULTS, JobsOption, ResultsOption
from study.cli.program import app, progress_console
from study.cli.rows import (
    GamesOption,
    SeedOption,
    output_option,
    rows_reported,
    seeds_of,
    settings_of,
)
from study.errors import InputError

if TYPE_CHECKING:
    from study.reproduce.equal_time.fronts import Front

OR_A_FOLDER = (
    "or a folder, with a slash in its name, that has a study's front.csv and manifest.json"
)


def is_folder(text: str) -> bool:
    """Tell a folder from a study's name and a storage URL."""
    return "/" in text and "://" not in text


def front_of_study(text: str, results: Path) -> "Front":
    """Read the validated front of a study."""
    from study.cli.studies import reading
    from study.report.validated_front import validated_frame
    from study.reproduce.equal_time.fronts import Front

    with reading(text, None, results) as (_, place, data):
        return Front(place.name, data.record.seed, data.experiment, validated_frame(data))


def compare_at_equal_time(
    first: str,
    second: str,
    games: int,
    seed: int,
    jobs: int | None,
    output: Path,
    results: Path,
    *,
    overlap_only: bool,
) -> None:
    """Play the validated fronts of two studies of 2048 again, on fresh seeds, and compare them at three budgets.

    With ``overlap_only``, points that cost more or fewer playout moves than all of the other front are left out: it
    tells what need not be played where both agents' playout moves take alike long, and only there.
    """
    from agents.twenty48.agent import Game2048
    from study.reproduce.equal_time.fronts import front_in_folder, within
    from study.reproduce.equal_time.run import compare, contender_of
    from study.reproduce.reproduction import Reproduction
    from study.run.workers import check_jobs

    seeds = seeds_of(games, seed)
    n_jobs = check_jobs(jobs)
    if first == second:
        raise InputError(f"studies: {first!r} given twice, two different ones allowed")
    fronts = []
    for given in (first, second):
        front = front_in_folder(Path(given)) if is_folder(given) else front_of_study(given, results)
        if front.seed == seed:
            raise InputError(
                f"seed: {seed} given, which study {front.name!r} has used; any other allowed"
            )
        fronts.append(front)
    if fronts[0].name == fronts[1].name:
        raise InputError(f"studies: {fronts[0].name!r} given twice, two of different names allowed")
    if overlap_only:
        fronts = [within(front, other) for front, other in (fronts, reversed(fronts))]
    contenders = [contender_of(front) for front in fronts]
    with rows_reported(), Reproduction.begun(output, Game2048, n_jobs, progress_console()) as run:
        text = compare(run, contenders, seeds, settings_of(games, seed))
    print(text, end="")


@app.command("equal-time")
def equal_time(
    first: Annotated[str, typer.Argument(help=f"A study; {OR_A_FOLDER}.")],
    second: Annotated[str, typer.Argument(help="Another.")],
    games: GamesOption = 1000,
    seed: SeedOption = 1000,
    jobs: JobsOption = None,
    output: Annotated[Path, output_option("equal_time")] = RESULTS / "equal_time",
    results: ResultsOption = RESULTS,
) -> None:
    """Play two studies' validated fronts again, side by side, and compare them at equal CPU time.

    All points take turns on seeds that neither study has used, so that whatever the machine does falls on all alike.
    Stopped, it goes on where it was.
    """
    compare_at_equal_time(first, second, games, seed, jobs, output, results, overlap_only=False)
