"""Commands that play again what the sources report: reproduce table1, bellman, switching, mcts."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from study.cli.options import RESULTS, JobsOption, ResultsOption, folder, whole
from study.cli.program import Commands, app, failed, progress_console
from study.errors import InputError, check_range

if TYPE_CHECKING:
    from agents.agent import Game
    from study.reproduce.fronts import Front

__all__ = ["bellman", "mcts", "switching", "table1"]

MOST_GAMES = 100_000

reproduce = typer.Typer(
    cls=Commands,
    help="Play again what the sources report, with intervals.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(reproduce, name="reproduce")

GamesOption = Annotated[int, whole("Games a row.", "--games")]
SeedOption = Annotated[
    int, whole("Games have the seeds 1,000,000 x this and on; the same for all rows.", "--seed")
]


def output_option(name: str) -> Any:
    """Return the option for the folder that a reproduction writes to."""
    return typer.Option(
        "--output",
        help="A folder; games that are there already are not played again.",
        parser=folder,
        metavar="FOLDER",
        show_default=str(RESULTS / name),
    )


def seeds_of(games: int, seed: int) -> range:
    """Return the seeds that all rows play; InputError if a number is out of range."""
    from study.replicate import LARGEST_STUDY_SEED, game_seed

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
    from study.reproduce.rows import RowsError
    from study.workers import WorkersError

    try:
        yield
    except (RowsError, WorkersError) as error:
        raise failed(str(error)) from None


@reproduce.command()
def table1(
    games: GamesOption = 1000,
    seed: SeedOption = 0,
    jobs: JobsOption = None,
    output: Annotated[Path, output_option("table1")] = RESULTS / "table1",
) -> None:
    """Table 1 and Figure 3 of Ripstein (2023), under the common rules and the paper's program's.

    Ten rows of a thousand games, and three of a quarter of that for the program's slips. Stopped, it goes on where
    it was: finished games are in the folder's games.csv.
    """
    from study.reproduce.reproduction import Reproduction
    from study.reproduce.table1 import (
        ROWS,
        seeds_for_slips,
        table1_figure,
        table1_frame,
        table1_markdown,
    )
    from study.workers import check_jobs

    seeds = seeds_of(games, seed)
    n_jobs = check_jobs(jobs)
    played: dict[str, list[Game]] = {}
    with rows_reported(), Reproduction.begun(output, n_jobs, progress_console()) as run:
        for slips, some_seeds in ((False, seeds), (True, seeds_for_slips(seeds))):
            some = {row.name: row.agent for row in ROWS if bool(row.slip) is slips}
            played |= run.play(some, some_seeds)
        frame = table1_frame(played)
        text = table1_markdown(frame, seeds)
        figure = table1_figure(played, frame)
        run.write("table1", text, figure, {"table1": frame}, settings_of(games, seed))
    print(text, end="")


@reproduce.command()
def bellman(
    theta: Annotated[
        str | None,
        typer.Option(help="θ of all policies.", show_default="the schedule of the paper's Table 1"),
    ] = None,
    games: GamesOption = 1000,
    seed: SeedOption = 0,
    jobs: JobsOption = None,
    reuse: ReuseOption = None,
    output: Annotated[Path, output_option("bellman")] = RESULTS / "bellman",
) -> None:
    """Equation 3 of Ripstein (2023), R + γ·V, against equation 2 at the same θ.

    A thousand games where the paper says something (γ = 0.9), fewer for the other γ.
    """
    from agents.mcmdp import MonteCarloMDP
    from study.play import agent_of
    from study.reproduce.bellman import (
        bellman_figure,
        bellman_frame,
        bellman_markdown,
        rows,
        seeds_of_row,
    )
    from study.reproduce.reproduction import Reproduction
    from study.workers import check_jobs

    seeds = seeds_of(games, seed)
    n_jobs = check_jobs(jobs)
    plain = MonteCarloMDP.of_table1()
    what = "The schedule of the paper's Table 1, all playouts kept"
    if theta is not None:
        agent, values = agent_of("mcmdp", theta, ())
        assert isinstance(agent, MonteCarloMDP)
        plain = agent
        what = "θ = (" + ", ".join(f"{values[f'theta{k}']:g}" for k in range(1, 7)) + ")"
    policies = rows(plain)
    played: dict[str, list[Game]] = {}
    with rows_reported(), Reproduction.begun(output, n_jobs, progress_console()) as run:
        run.reuse(reuse or [], [row.agent for row in policies])
        for some_seeds in dict.fromkeys(seeds_of_row(row, seeds) for row in policies):
            some = {
                row.name: row.agent for row in policies if seeds_of_row(row, seeds) == some_seeds
            }
            played |= run.play(some, some_seeds)
        frame = bellman_frame(policies, played)
        text = bellman_markdown(frame, seeds, what)
        figure = bellman_figure(frame, what)
        run.write("bellman", text, figure, {"bellman": frame}, settings_of(games, seed))
    print(text, end="")


def is_folder(text: str) -> bool:
    """Tell a folder from a study's name and a storage URL."""
    return "/" in text and "://" not in text


def front_of_study(text: str, results: Path) -> "Front":
    """Read the validated front of a study."""
    from study.cli.studies import reading
    from study.front import validated_frame
    from study.reproduce.fronts import Front
    from study.storage import record_of

    with reading(text, None, results) as (opened, place, experiment):
        validated = validated_frame(opened, experiment, None)
        return Front(place.name, record_of(opened).seed, experiment, validated)


@reproduce.command()
def switching(
    plain: Annotated[
        str,
        typer.Argument(
            help="A study of the plain agent; or a folder, with a slash in its name, that has a study's front.csv "
            "and manifest.json."
        ),
    ] = "mcmdp",
    deep: Annotated[str, typer.Argument(help="The same of the agent that switches.")] = "switching",
    games: GamesOption = 1000,
    seed: SeedOption = 1000,
    jobs: JobsOption = None,
    output: Annotated[Path, output_option("equal_time")] = RESULTS / "equal_time",
    results: ResultsOption = RESULTS,
) -> None:
    """Compare the agent that switches to expectimax with the plain one at equal CPU time (§5.2).

    Plays the validated fronts of two studies again, on seeds that neither has used, and compares them at three
    budgets.
    """
    from study.report import write_csv
    from study.reproduce.equal_time import (
        contender_of,
        difference_frame,
        equal_time_figure,
        equal_time_markdown,
        points_frame,
    )
    from study.reproduce.fronts import front_in_folder, within
    from study.reproduce.reproduction import Reproduction
    from study.workers import check_jobs

    seeds = seeds_of(games, seed)
    n_jobs = check_jobs(jobs)
    if plain == deep:
        raise InputError(f"studies: {plain!r} given twice, two different ones allowed")
    fronts = []
    for given in (plain, deep):
        front = front_in_folder(Path(given)) if is_folder(given) else front_of_study(given, results)
        if front.seed == seed:
            raise InputError(
                f"seed: {seed} given, which study {front.name!r} has used; any other allowed"
            )
        fronts.append(front)
    if fronts[0].name == fronts[1].name:
        raise InputError(f"studies: {fronts[0].name!r} given twice, two of different names allowed")
    contenders = [contender_of(within(front, other)) for front, other in (fronts, reversed(fronts))]
    agents = {key: agent for each in contenders for key, agent in each.agents.items()}
    with rows_reported(), Reproduction.begun(output, n_jobs, progress_console()) as run:
        played = run.play(agents, seeds)
        frame = points_frame(contenders, played)
        write_csv(frame, output / "points.csv")  # should the fronts have no time in common
        differences = difference_frame(contenders, frame, played)
        text = equal_time_markdown(contenders, frame, differences, seeds)
        figure = equal_time_figure(contenders, frame, differences)
        tables = {"equal_time": differences}
        run.write("equal_time", text, figure, tables, settings_of(games, seed))
    print(text, end="")


@reproduce.command()
def mcts(
    games: GamesOption = 200,
    seed: SeedOption = 0,
    jobs: JobsOption = None,
    output: Annotated[Path, output_option("mcts")] = RESULTS / "mcts",
) -> None:
    """Monte Carlo tree search on 2048, the example of Kochenderfer, Wheeler, Wray (2022), §9.6.

    Score by leaf value against simulations and against time, execution time against depth, and double progressive
    widening at equal time. Stopped, it goes on where it was: finished games are in the folder's games.csv.
    """
    from study.reproduce.mcts import design, run
    from study.reproduce.reproduction import Reproduction
    from study.workers import check_jobs

    seeds = seeds_of(games, seed)
    n_jobs = check_jobs(jobs)
    with rows_reported(), Reproduction.begun(output, n_jobs, progress_console()) as folder_:
        text = run.reproduce(folder_, seeds, design.DESIGN, settings_of(games, seed))
    print(text, end="")
