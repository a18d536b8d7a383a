"""Commands that play and measure: play, bench, utilization, benchmark-samplers."""

import json
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from agents.agent import Game
from study.cli.options import (
    RESULTS,
    JobsOption,
    NameOption,
    OutputOption,
    ResultsOption,
    StudyArgument,
    folder,
    whole,
)
from study.cli.program import app, console, failed
from study.cli.studies import reading
from study.errors import InputError


@app.command()
def play(
    agent: Annotated[
        str,
        typer.Argument(
            help="Of 2048: mcmdp, pmcts, random, switching, table1 or uct. Of dice: dice or dice_solver. "
            "Of Pacman: pacman_astar, pacman_mdp or pacman_random."
        ),
    ],
    theta: Annotated[
        str | None, typer.Option(help="All components of θ, such as 500,54,18,9,6.25,1.")
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="One parameter, name=value; repeatable.")
    ] = None,
    layout: Annotated[
        str | None,
        typer.Option(help="Pacman: small, medium, or a .lay file's path.", metavar="MAZE"),
    ] = None,
    games: Annotated[int, whole("How many games.")] = 10,
    seed: Annotated[int, whole("The first game's seed; the others count up.")] = 0,
    jobs: JobsOption = None,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Play games of one agent, and sum them up."""
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    from study.experiments.play import (
        agent_of,
        check_one_layout,
        in_maze,
        summary_for_people,
        summary_of,
    )
    from study.run.workers import PlayError, check_jobs, play_all

    n_jobs = min(check_jobs(jobs), max(games, 1))
    if games < 1:
        raise InputError(f"games: {games} given, at least 1 allowed")
    if not 0 <= seed < 2**62:
        raise InputError(f"seed: {seed} given, 0 to 2**62 - 1 allowed")
    check_one_layout(layout, set_ or [])
    player, params = agent_of(agent, theta, set_ or [])
    if layout is not None:
        player, params = in_maze(agent, player, params, layout)
    out = console()
    played: list[Game] = []
    columns = [*Progress.get_default_columns()[:-1], MofNCompleteColumn(), TimeRemainingColumn()]
    with Progress(
        *columns, console=out, transient=True, disable=json_ or not out.is_terminal
    ) as bar:
        task = bar.add_task("games", total=games)
        try:
            for finished in play_all(player, range(seed, seed + games), n_jobs):
                if finished.error:
                    raise failed(f"game {finished.key}: {finished.error}")
                played += finished.games
                bar.advance(task)
        except PlayError as error:
            raise failed(str(error)) from None
    summary = summary_of(agent, params, sorted(played, key=lambda game: game.seed))
    if json_:
        print(json.dumps(summary))
    else:
        out.print(summary_for_people(summary), soft_wrap=True)


@app.command()
def bench(
    c_reference: Annotated[
        bool, typer.Option("--c-reference", help="Compile and run the C programs too (gcc).")
    ] = False,
    output: OutputOption = None,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Measure the engine: rates a CPU second, and their ratios in one run (about three minutes)."""
    from study.bench.figures import bench_tables, measure, throughput_figure
    from study.report.style import save
    from study.store.location import make_folder
    from study.store.manifest import provenance, write_json

    out = console()
    if output is not None:
        make_folder(output, "output")
    if json_:
        figures = measure(c_reference, lambda text: print(text, file=sys.stderr))
    else:
        with out.status("measuring") as shown:
            figures = measure(c_reference, shown.update)
    if output is not None:
        write_json({**provenance(), **figures}, output / "bench.json")
        save(throughput_figure(figures), output / "throughput.png")
    if json_:
        print(json.dumps(figures))
    else:
        out.print(*bench_tables(figures))


@app.command()
def utilization(
    study: StudyArgument,
    output: OutputOption = None,
    name: NameOption = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Simulate a study's search with 2 to 256 workers, and say how busy they would be."""
    from study.bench.utilization import utilization_frame, utilization_table
    from study.report.tables import write_csv
    from study.store.location import make_folder

    with reading(study, name, results) as (_, _, data):
        frame = utilization_frame(data)
    if output is not None:
        make_folder(output, "output")
        write_csv(frame, output / "utilization.csv")
    console().print(utilization_table(frame))


@app.command("benchmark-samplers")
def benchmark_samplers(
    seeds: Annotated[int, whole("How many seeds.")] = 20,
    first_seed: Annotated[
        int, whole("The first; 0 to 19 are published, development uses 1000 and on.")
    ] = 0,
    sampler: Annotated[
        list[str] | None,
        typer.Option(help="One of them; repeatable.", show_default="all that are installed"),
    ] = None,
    surface: Annotated[
        list[str] | None, typer.Option(help="One of them; repeatable.", show_default="all")
    ] = None,
    budget: Annotated[
        list[str] | None,
        typer.Option(help="TRIALSxGAMES; repeatable.", show_default="80x9 and 240x3"),
    ] = None,
    jobs: JobsOption = None,
    output: Annotated[
        Path, typer.Option(help="A folder.", parser=folder, metavar="FOLDER")
    ] = RESULTS / "samplers",
) -> None:
    """Compare samplers on simulated studies whose truth is known, at equal games.

    Stopped, it goes on where it was: each finished run is kept in the folder's runs.jsonl.
    """
    from study.bench.samplers.benchmark import BUDGETS, Progress, run_benchmark
    from study.bench.samplers.surfaces import SURFACES
    from study.run.progress import duration
    from study.samplers import installed_samplers
    from study.text import counted

    budgets = [parse_budget(text) for text in budget] if budget else BUDGETS
    out = console()
    began = time.monotonic()

    def show(now: Progress) -> None:
        if now.run is None:
            out.print(f"{counted(now.n_runs, 'run')}, {now.n_done} of them there already")
        else:
            run = now.run
            out.print(
                f"{now.n_done}/{now.n_runs} {run.surface} {run.sampler} {run.n_trials}x{run.n_games} "
                f"seed {run.seed}, after {duration(time.monotonic() - began)}"
            )

    done = run_benchmark(
        sampler or installed_samplers(),
        surface or list(SURFACES),
        seeds,
        first_seed,
        jobs,
        output,
        budgets,
        show,
    )
    print(done.markdown)
    out.print(f"written: {', '.join(str(path) for path in done.paths)}", soft_wrap=True)


def parse_budget(text: str) -> tuple[int, int]:
    """Read ``TRIALSxGAMES``."""
    n_trials, cross, n_games = text.partition("x")
    if not (cross and n_trials.isdecimal() and n_games.isdecimal()):
        raise InputError(f"budget: {text!r} given, TRIALSxGAMES allowed, such as 80x9")
    return int(n_trials), int(n_games)
