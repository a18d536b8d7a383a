"""Commands that play again what the sources report: reproduce table1, bellman, switching, mcts, dice, pacman."""

from pathlib import Path
from typing import Annotated

import typer

from study.cli.equal_time import OR_A_FOLDER, compare_at_equal_time
from study.cli.options import RESULTS, JobsOption, ResultsOption, whole
from study.cli.program import Commands, app, progress_console
from study.cli.rows import (
    GamesOption,
    ReuseOption,
    SeedOption,
    output_option,
    rows_reported,
    seeds_of,
    settings_of,
)

reproduce = typer.Typer(
    cls=Commands,
    help="Play again what the sources report, with intervals.",
    rich_markup_mode=None,
)
app.add_typer(reproduce, name="reproduce")


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
    from agents.twenty48.agent import Game2048
    from study.reproduce.reproduction import Reproduction
    from study.reproduce.table1 import reproduce_table1
    from study.run.workers import check_jobs

    seeds = seeds_of(games, seed)
    n_jobs = check_jobs(jobs)
    with rows_reported(), Reproduction.begun(output, Game2048, n_jobs, progress_console()) as run:
        text = reproduce_table1(run, seeds, settings_of(games, seed))
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
    from agents.twenty48.agent import Game2048
    from agents.twenty48.mcmdp import MonteCarloMDP, Table1
    from study.experiments.play import agent_of
    from study.reproduce.bellman import policies_of, reproduce_bellman
    from study.reproduce.reproduction import Reproduction
    from study.run.workers import check_jobs

    seeds = seeds_of(games, seed)
    n_jobs = check_jobs(jobs)
    plain: MonteCarloMDP | Table1 = Table1()
    what = "The schedule of the paper's Table 1, all playouts kept"
    if theta is not None:
        agent, values = agent_of("mcmdp", theta, ())
        assert isinstance(agent, MonteCarloMDP)
        plain = agent
        what = "θ = (" + ", ".join(f"{values[f'theta{k}']:g}" for k in range(1, 7)) + ")"
    with rows_reported(), Reproduction.begun(output, Game2048, n_jobs, progress_console()) as run:
        run.reuse(reuse or [], [policy.agent for policy in policies_of(plain)])
        text = reproduce_bellman(run, plain, what, seeds, settings_of(games, seed))
    print(text, end="")


@reproduce.command()
def switching(
    plain: Annotated[
        str, typer.Argument(help=f"A study of the plain agent; {OR_A_FOLDER}.")
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
    budgets. Points that cost more playout moves than all of the other front, or fewer, are left out.
    """
    compare_at_equal_time(plain, deep, games, seed, jobs, output, results, overlap_only=True)


@reproduce.command()
def mcts(
    games: GamesOption = 100,
    seed: SeedOption = 0,
    jobs: JobsOption = None,
    output: Annotated[Path, output_option("mcts")] = RESULTS / "mcts",
) -> None:
    """Monte Carlo tree search on 2048, the example of Kochenderfer, Wheeler, Wray (2022), §9.6.

    Score by leaf value against simulations and against time, execution time against depth, and double progressive
    widening at equal time. Stopped, it goes on where it was: finished games are in the folder's games.csv.
    """
    from agents.twenty48.agent import Game2048
    from study.reproduce.mcts import design, run
    from study.reproduce.reproduction import Reproduction
    from study.run.workers import check_jobs

    seeds = seeds_of(games, seed)
    n_jobs = check_jobs(jobs)
    with (
        rows_reported(),
        Reproduction.begun(output, Game2048, n_jobs, progress_console()) as folder_,
    ):
        text = run.reproduce(folder_, seeds, design.DESIGN, settings_of(games, seed))
    print(text, end="")


@reproduce.command()
def dice(
    games: GamesOption = 10_000,
    seed: Annotated[
        int,
        whole(
            "Games have the seeds 1,000,000 x this and on; each row has seeds of its own.", "--seed"
        ),
    ] = 0,
    output: Annotated[
        Path, output_option("dice_report", "A folder; what is there is written anew.")
    ] = RESULTS / "dice_report",
) -> None:
    """Three dice by value iteration: the table of Thanki (2021) beside exact expectations.

    Five pairs of tolerance and discount, by the post's program and by the correct recursion. It takes seconds.
    """
    from study.reproduce.dice.run import reproduce_dice

    seeds = seeds_of(games, seed)
    print(reproduce_dice(seeds, output, settings_of(games, seed)), end="")


@reproduce.command()
def pacman(
    games: Annotated[int, whole("Games a point, in trials of ten.", "--games")] = 200,
    seed: Annotated[
        int,
        whole(
            "Games have the seeds 1,000,000 x this and on, the same for all points; those that settings are chosen on "
            "begin half a million later.",
            "--seed",
        ),
    ] = 0,
    jobs: JobsOption = None,
    output: Annotated[Path, output_option("pacman_report")] = RESULTS / "pacman_report",
) -> None:
    """Pacman by value iteration: figures 2 to 7 of Verghese (2018), and a verdict on each of its claims.

    Win rates against ghost radius, discount and sweeps on two mazes, random and A* play beside them. Stopped, it goes
    on where it was: finished games are in the folder's games.csv.
    """
    from agents.pacman.agent import PacmanGame
    from study.reproduce.pacman.design import GAMES_A_TRIAL
    from study.reproduce.pacman.run import reproduce_pacman
    from study.reproduce.reproduction import Reproduction
    from study.run.workers import check_jobs

    seeds = seeds_of(games, seed)
    n_jobs = check_jobs(jobs)
    out = progress_console()
    begun = Reproduction.begun(output, PacmanGame, n_jobs, out, GAMES_A_TRIAL)
    with rows_reported(), begun as run:
        text = reproduce_pacman(run, seeds, settings_of(games, seed))
    print(text, end="")
