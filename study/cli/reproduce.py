"""Commands that repeat what the sources report, and compare two fronts at equal time."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from thetafront.study.cli.options import (
    RESULTS,
    JobsOption,
    ResultsOption,
    ThetaOption,
    path,
    reading,
    whole,
)
from thetafront.study.cli.program import Commands, app, console, working
from thetafront.study.errors import InputError, check_range

if TYPE_CHECKING:
    from thetafront.agents.agent import Game
    from thetafront.study.reproduce.equal_time.fronts import Front
    from thetafront.study.reproduce.reproduction import Reproduction

G = TypeVar("G", bound="Game")

MOST_GAMES = 100_000
MOST_RUNS = 1000
OR_A_FOLDER = "or a folder (a path with a slash) that holds its front.csv and manifest.json"
KEPT = "Folder to write to; games that it holds already are not played again."

GamesOption = Annotated[int, whole("Games per row.", "--games")]
SeedOption = Annotated[
    int, whole("Games have the seeds 1,000,000·SEED and on, the same for all rows.", "--seed")
]
FirstStudy = Annotated[str, typer.Argument(help=f"A study; {OR_A_FOLDER}.")]
SecondStudy = Annotated[str, typer.Argument(help="The other, likewise.")]


def output_option(name: str, help_: str = KEPT) -> Any:
    """Return the option for the folder that a reproduction writes to."""
    return path(help_, "--output", show_default=str(RESULTS / name))


reproduce = typer.Typer(
    cls=Commands,
    help="Repeat what the sources report, with intervals.",
    rich_markup_mode=None,
)


def seeds_of(games: int, seed: int) -> range:
    """Return the seeds that all rows play; InputError if a number is out of range."""
    from thetafront.study.store.seeds import LARGEST_STUDY_SEED, game_seed

    check_range("games", games, 2, MOST_GAMES)
    check_range("seed", seed, 0, LARGEST_STUDY_SEED)
    return range(game_seed(seed, 0), game_seed(seed, games))


def settings_of(games: int, seed: int) -> dict[str, int]:
    """Return what the manifest says of the options."""
    return {"seed": seed, "games_a_row": games}


def folder_of(
    output: Path, game: "type[G]", jobs: int | None, games_a_trial: int = 1
) -> "AbstractContextManager[Reproduction[G]]":
    """Open the folder that a reproduction writes to; its progress goes to standard error."""
    from thetafront.study.reproduce.reproduction import Reproduction
    from thetafront.study.run.workers import check_jobs

    n_jobs = check_jobs(jobs)
    return Reproduction.begun(output, game, n_jobs, console(stderr=True), games_a_trial)


@app.command("equal-time")
def equal_time(
    first: FirstStudy,
    second: SecondStudy,
    games: GamesOption = 1000,
    seed: SeedOption = 1000,
    jobs: JobsOption = None,
    output: Annotated[Path, output_option("equal_time")] = RESULTS / "equal_time",
    results: ResultsOption = RESULTS,
) -> None:
    """Compare the fronts of two studies at equal CPU time.

    Plays both validated fronts again on seeds that neither study has used. All points take turns,
    so that a change in the machine's speed affects all alike. Repeat the command to go on after a
    stop.
    """
    compare_at_equal_time(first, second, games, seed, jobs, output, results, overlap_only=False)


@app.command()
def champions(
    network: Annotated[list[str], typer.Option(help="A trained network; repeatable.")],
    front: Annotated[
        list[Path] | None,
        path("Folder of a study whose front is drawn; repeatable.", show_default="published ones"),
    ] = None,
    games: Annotated[int, whole("Games at one ply; a third at two, a tenth at three.")] = 300,
    seed: SeedOption = 2000,
    jobs: JobsOption = None,
    output: Annotated[Path, output_option("champions")] = RESULTS / "champions",
) -> None:
    """Draw all agents of 2048: score against CPU time.

    Plays each network with several depths of search. Repeat the command to go on after a stop.
    """
    from thetafront.agents.twenty48.agent import Game2048
    from thetafront.agents.twenty48.ntuple.network import trained_network
    from thetafront.study.reproduce.champions import PUBLISHED, show_champions
    from thetafront.study.reproduce.equal_time.fronts import front_in_folder

    seeds = seeds_of(games, seed)
    names = list(dict.fromkeys(network))
    try:
        for name in names:
            trained_network(name)
    except ValueError as error:
        raise InputError(str(error)) from None
    fronts = [front_in_folder(folder) for folder in front or PUBLISHED]
    with folder_of(output, Game2048, jobs) as run:
        text = show_champions(run, names, fronts, seeds, settings_of(games, seed))
    print(text, end="")


app.add_typer(reproduce, name="reproduce")


@reproduce.command()
def table1(
    games: GamesOption = 1000,
    seed: SeedOption = 0,
    jobs: JobsOption = None,
    output: Annotated[Path, output_option("table1")] = RESULTS / "table1",
) -> None:
    """Table 1 and Figure 3 of Ripstein (2023).

    Ten rows by the common rules and three by the rules of the paper's program, with a quarter of
    the games. Repeat the command to go on after a stop: the folder's games.csv keeps finished
    games.
    """
    from thetafront.agents.twenty48.agent import Game2048
    from thetafront.study.reproduce.table1 import reproduce_table1

    seeds = seeds_of(games, seed)
    with folder_of(output, Game2048, jobs) as run:
        text = reproduce_table1(run, seeds, settings_of(games, seed))
    print(text, end="")


@reproduce.command("decision-tree")
def decision_tree(
    games: Annotated[int, whole("Games whose boards are counted.", "--games")] = 20,
    seed: SeedOption = 0,
    output: Annotated[
        Path, output_option("decision_tree", "Folder to write to; what it holds is replaced.")
    ] = RESULTS / "decision_tree",
) -> None:
    """Count the states of 2048: Ripstein (2023), §2.

    And its Figure 2. After one move, on all boards of some games, and of whole games on small
    boards.
    """
    from thetafront.study.reproduce.decision_tree import reproduce_decision_tree

    seeds = seeds_of(games, seed)
    print(reproduce_decision_tree(seeds, output, settings_of(games, seed)), end="")


@reproduce.command()
def bellman(
    theta: ThetaOption = None,
    games: GamesOption = 1000,
    seed: SeedOption = 0,
    jobs: JobsOption = None,
    reuse: Annotated[
        list[Path] | None,
        path("Folder of another reproduction: its games of the same agents count.", "--reuse"),
    ] = None,
    output: Annotated[Path, output_option("bellman")] = RESULTS / "bellman",
) -> None:
    """Equation 3 of Ripstein (2023) against equation 2.

    Equation 3 is R + γ·V. All policies have the same θ: by default the schedule of the paper's
    Table 1. The rows that the paper speaks of (γ = 0.9) have all the games, those of other γ fewer.
    """
    from thetafront.agents.twenty48.agent import Game2048
    from thetafront.agents.twenty48.mcmdp import MonteCarloMDP, Table1
    from thetafront.study.experiments.agent_parser import agent_of
    from thetafront.study.reproduce.bellman import policies_of, reproduce_bellman
    from thetafront.study.reproduce.reproduction import games_in

    seeds = seeds_of(games, seed)
    plain: MonteCarloMDP | Table1 = Table1()
    what = "The schedule of the paper's Table 1, all playouts kept"
    if theta is not None:
        agent, values = agent_of("mcmdp", theta)
        assert isinstance(agent, MonteCarloMDP)
        plain = agent
        what = "θ = (" + ", ".join(f"{values[f'theta{k}']:g}" for k in range(1, 7)) + ")"
    for folder in reuse or []:
        games_in(folder)  # before anything is written
    with folder_of(output, Game2048, jobs) as run:
        run.reuse(reuse or [], [policy.agent for policy in policies_of(plain)])
        text = reproduce_bellman(run, plain, what, seeds, settings_of(games, seed))
    print(text, end="")


@reproduce.command()
def expectimax(
    games: GamesOption = 400,
    seed: SeedOption = 0,
    jobs: JobsOption = None,
    output: Annotated[Path, output_option("expectimax")] = RESULTS / "expectimax",
) -> None:
    """Equation 4 of Ripstein (2023) and its discount.

    Two θ with expectimax on crowded boards by γ and by reading of V, and without it. Repeat the
    command to go on after a stop: the folder's games.csv keeps finished games.
    """
    from thetafront.agents.twenty48.agent import Game2048
    from thetafront.study.reproduce.expectimax import reproduce_expectimax

    seeds = seeds_of(games, seed)
    with folder_of(output, Game2048, jobs) as run:
        text = reproduce_expectimax(run, seeds, settings_of(games, seed))
    print(text, end="")


@reproduce.command()
def switching(
    plain: FirstStudy = "mcmdp",
    deep: SecondStudy = "switching",
    games: GamesOption = 1000,
    seed: SeedOption = 1000,
    jobs: JobsOption = None,
    output: Annotated[Path, output_option("equal_time")] = RESULTS / "equal_time",
    results: ResultsOption = RESULTS,
) -> None:
    """Ripstein (2023), §5.2: switching to expectimax.

    Compares a study of the agent that switches with one of the plain agent at equal CPU time, as
    equal-time does. Points that cost more or fewer playout moves than all of the other front are
    left out.
    """
    compare_at_equal_time(plain, deep, games, seed, jobs, output, results, overlap_only=True)


@reproduce.command()
def mcts(
    games: GamesOption = 100,
    seed: SeedOption = 0,
    jobs: JobsOption = None,
    output: Annotated[Path, output_option("mcts")] = RESULTS / "mcts",
) -> None:
    """Tree search: Kochenderfer, Wheeler, Wray (2022), §9.6.

    Score by leaf value against simulations and against time, runtime against depth, progressive
    widening of states and of actions at equal time, and two readings of the source, with twice the
    games. Repeat the command to go on after a stop: the folder's games.csv keeps finished
    games.
    """
    from thetafront.agents.twenty48.agent import Game2048
    from thetafront.study.reproduce.mcts import design, run

    seeds = seeds_of(games, seed)
    with folder_of(output, Game2048, jobs) as folder:
        text = run.reproduce(folder, seeds, design.DESIGN, settings_of(games, seed))
    print(text, end="")


@reproduce.command("heuristic-search")
def heuristic_search(
    runs: Annotated[int, whole("Runs of each solver.", "--runs")] = 10,
    seed: Annotated[int, whole("Runs have the seeds 1,000,000·SEED and on.", "--seed")] = 0,
    output: Annotated[
        Path, output_option("heuristic_search", "Folder to write to; runs that it holds are kept.")
    ] = RESULTS / "heuristic_search",
) -> None:
    """Heuristic search: the same source, §9.7 and §9.8.

    Kochenderfer, Wheeler, Wray (2022): plain and labelled search beside value iteration, on three
    dice and on 2048 on small boards: backups, CPU time and exact errors, by initial bound. Takes
    some minutes. Repeat the command to go on after a stop: the folder's traces.csv keeps finished
    runs.
    """
    from thetafront.study.reproduce.heuristic_search.run import reproduce
    from thetafront.study.store.seeds import LARGEST_STUDY_SEED, game_seed

    check_range("runs", runs, 2, MOST_RUNS)
    check_range("seed", seed, 0, LARGEST_STUDY_SEED)
    seeds = range(game_seed(seed, 0), game_seed(seed, runs))
    settings = {"seed": seed, "runs": runs}
    print(reproduce(output, seeds, settings, console(stderr=True)), end="")


@reproduce.command()
def dice(
    games: GamesOption = 10_000,
    seed: Annotated[
        int,
        whole("Games have the seeds 1,000,000·SEED and on; each row has its own.", "--seed"),
    ] = 0,
    output: Annotated[
        Path, output_option("dice_report", "Folder to write to; what it holds is replaced.")
    ] = RESULTS / "dice_report",
) -> None:
    """Three dice by value iteration: Thanki (2021).

    Sets it beside exact expectations: five pairs of tolerance and discount, by the post's program
    and by the correct recursion. Takes seconds.
    """
    from thetafront.study.reproduce.dice.run import reproduce_dice

    seeds = seeds_of(games, seed)
    with working("solving and playing"):
        text = reproduce_dice(seeds, output, settings_of(games, seed))
    print(text, end="")


@reproduce.command()
def pacman(
    games: Annotated[int, whole("Games per point, in trials of ten.", "--games")] = 200,
    seed: Annotated[
        int,
        whole(
            "Games have the seeds 1,000,000·SEED and on, the same for all points; games that "
            "choose settings start 500,000 later.",
            "--seed",
        ),
    ] = 0,
    jobs: JobsOption = None,
    output: Annotated[Path, output_option("pacman_report")] = RESULTS / "pacman_report",
) -> None:
    """Pacman by value iteration: Verghese (2018).

    Figures 1 to 7, win rates against ghost radius, discount and sweeps on two mazes beside random
    and A* play, and a verdict on each claim. Also motion without noise, rewarded routes to food and
    the smaller map, with five times the games per point. Repeat the command to go on after a stop:
    the folder's games.csv keeps finished games.
    """
    from thetafront.agents.pacman.agent import PacmanGame
    from thetafront.study.reproduce.pacman.design import GAMES_A_TRIAL
    from thetafront.study.reproduce.pacman.run import reproduce_pacman

    seeds = seeds_of(games, seed)
    with folder_of(output, PacmanGame, jobs, GAMES_A_TRIAL) as run:
        text = reproduce_pacman(run, seeds, settings_of(games, seed))
    print(text, end="")


def front_of(text: str, results: Path) -> "Front":
    """Read the validated front of a study, or of a folder: a path with a slash."""
    from thetafront.study.report.validated_front import validated_frame
    from thetafront.study.reproduce.equal_time.fronts import Front, front_in_folder

    if "/" in text and "://" not in text:
        return front_in_folder(Path(text))
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
    """Play the fronts of two studies of 2048 on fresh seeds; compare them at three budgets.

    With ``overlap_only``, points that cost more or fewer playout moves than all of the other front
    are left out. That is valid only where playout moves of both agents take the same time.
    """
    from thetafront.agents.twenty48.agent import Game2048
    from thetafront.study.reproduce.equal_time.fronts import within
    from thetafront.study.reproduce.equal_time.run import compare, contender_of

    seeds = seeds_of(games, seed)
    if first == second:
        raise InputError(f"studies: {first!r} given twice, two different ones allowed")
    fronts = []
    for given in (first, second):
        front = front_of(given, results)
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
    with folder_of(output, Game2048, jobs) as run:
        text = compare(run, contenders, seeds, settings_of(games, seed))
    print(text, end="")
