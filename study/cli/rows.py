"""What commands share that play rows of games: their options, their seeds, their folder, their errors."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from study.cli.options import RESULTS, folder, whole
from study.cli.program import failed
from study.errors import check_range

MOST_GAMES = 100_000

GamesOption = Annotated[int, whole("Games a row.", "--games")]
SeedOption = Annotated[
    int, whole("Games have the seeds 1,000,000 x this and on; the same for all rows.", "--seed")
]


def output_option(
    name: str, what: str = "A folder; games that are there already are not played again."
) -> Any:
    """Return the option for the folder that a reproduction writes to."""
    return typer.Option(
        "--output",
        help=what,
        parser=folder,
        metavar="FOLDER",
        show_default=str(RESULTS / name),
    )


def seeds_of(games: int, seed: int) -> range:
    """Return the seeds that all rows play; InputError if a number is out of range."""
    from study.store.seeds import LARGEST_STUDY_SEED, game_seed

    check_range("games", games, 2, MOST_GAMES)
    check_range("seed", seed, 0, LARGEST_STUDY_SEED)
    return range(game_seed(seed, 0), game_seed(seed, games))


def settings_of(games: int, seed: int) -> dict[str, int]:
    """Return what a manifest says of a command's options."""
    return {"seed": seed, "games_a_row": games}


ReuseOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--reuse",
        help="A folder of another reproduction whose games of the same agents count; repeatable.",
        parser=folder,
        metavar="FOLDER",
    ),
]


@contextmanager
def rows_reported() -> Iterator[None]:
    """Turn what stops a reproduction into one line."""
    from study.run.workers import PlayError

    try:
        yield
    except PlayError as error:
        raise failed(str(error)) from None
