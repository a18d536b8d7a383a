"""Commands that measure: bench, utilization, benchmark-samplers, benchmark-rounds, replicates."""

import json
import time
from pathlib import Path
from typing import Annotated

import typer

from thetafront.study.cli.options import (
    RESULTS,
    JobsOption,
    JsonOption,
    NameOption,
    OutputOption,
    ResultsOption,
    StudyArgument,
    decimal,
    path,
    reading,
    whole,
)
from thetafront.study.cli.program import app, console, working
from thetafront.study.errors import InputError, check_range

REPLICATES_AGENT = "mcmdp"
REPLICATES_VERSUS = "903,56,38,2,10,0.56"
"""θ of B by default, for that agent: a validated trial of the published sweep, rounded."""
REPLICATES_GAMES = 1_000


@app.command()
def bench(
    c_reference: Annotated[
        bool, typer.Option("--c-reference", help="Also compile and run the C programs (gcc).")
    ] = False,
    cluster: Annotated[
        bool,
        typer.Option(
            "--cluster", help="Measure instead what limits a study on many machines (needs Dask)."
        ),
    ] = False,
    storage: Annotated[
        str | None,
        typer.Option(help="With --cluster: measure writes in this storage, too, by its URL."),
    ] = None,
    output: OutputOption = None,
    json_: JsonOption = False,
) -> None:
    """Measure the engine's speed (about three minutes).

    Rates are per CPU second; ratios compare rates of the same run.
    """
    if cluster:
        bench_cluster(storage, output, json_)
        return
    if storage is not None:
        raise InputError("storage: given without --cluster, the two together allowed")
    from thetafront.study.bench.figures import bench_tables, measure, throughput_figure
    from thetafront.study.report.style import save
    from thetafront.study.store.location import make_folder
    from thetafront.study.store.manifest import provenance, write_json

    if output is not None:
        make_folder(output, "output")
    with working("measuring") as shown:
        figures = measure(c_reference, shown.update)
    if output is not None:
        write_json({**provenance(), **figures}, output / "bench.json")
        save(throughput_figure(figures), output / "throughput.png")
    if json_:
        print(json.dumps(figures))
    else:
        console().print(*bench_tables(figures))


def bench_cluster(storage: str | None, output: Path | None, as_json: bool) -> None:
    """Measure writes, proposals, Dask and the coordinator of many workers."""
    from thetafront.study.bench.cluster.figures import cluster_figures, cluster_tables
    from thetafront.study.cluster.link import check_library
    from thetafront.study.store.location import check_url, make_folder
    from thetafront.study.store.manifest import provenance, write_json

    check_library()
    if storage is not None:
        check_url(storage)
    if output is not None:
        make_folder(output, "output")
    with working("measuring") as shown:
        figures = cluster_figures(storage, shown.update)
    if output is not None:
        write_json({**provenance(), **figures}, output / "cluster.json")
    if as_json:
        print(json.dumps(figures))
    else:
        console().print(*cluster_tables(figures))


@app.command()
def utilization(
    study: StudyArgument,
    output: OutputOption = None,
    name: NameOption = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Simulate how busy 2 to 256 workers would be.

    Repeats a study's search with the runtimes of its own games.
    """
    from thetafront.study.bench.utilization import utilization_frame, utilization_table
    from thetafront.study.report.tables import write_csv
    from thetafront.study.store.location import make_folder

    with reading(study, name, results) as (_, _, data), working("simulating"):
        frame = utilization_frame(data)
    if output is not None:
        make_folder(output, "output")
        write_csv(frame, output / "utilization.csv")
    console().print(utilization_table(frame))


@app.command("benchmark-samplers")
def benchmark_samplers(
    seeds: Annotated[int, whole("Number of seeds.")] = 20,
    first_seed: Annotated[
        int, whole("First seed: 0 to 19 are published, development uses 1000 and on.")
    ] = 0,
    sampler: Annotated[
        list[str] | None,
        typer.Option(help="A sampler; repeatable.", show_default="all that are installed"),
    ] = None,
    surface: Annotated[
        list[str] | None, typer.Option(help="A surface; repeatable.", show_default="all")
    ] = None,
    budget: Annotated[
        list[str] | None,
        typer.Option(help="TRIALSxGAMES; repeatable.", show_default="80x9, 48x9 and 240x3"),
    ] = None,
    jobs: JobsOption = None,
    output: Annotated[Path, path("Folder to write to.", "--output")] = RESULTS / "samplers",
) -> None:
    """Compare samplers on simulated studies, at equal games.

    The true front of each simulated study is known. Repeat the command to go on after a stop: the
    folder's runs.jsonl keeps finished runs.
    """
    from thetafront.study.bench.samplers.benchmark import BUDGETS, Progress, run_benchmark
    from thetafront.study.bench.samplers.surfaces import SURFACES
    from thetafront.study.samplers import installed_samplers
    from thetafront.study.text import counted, duration

    budgets = [parse_budget(text) for text in budget] if budget else BUDGETS
    out = console()
    began = time.monotonic()
    status = working("")

    def show(now: Progress) -> None:
        run = now.run
        status.stop()
        if run is None:
            out.print(f"{counted(now.n_runs, 'run')}, {now.n_done} of them done already")
        else:
            out.print(
                f"{now.n_done}/{now.n_runs} {run.surface} {run.sampler} {run.n_trials}x"
                f"{run.n_games} seed {run.seed}, after {duration(time.monotonic() - began)}"
            )
        left = now.n_runs - now.n_done
        status.update(f"{counted(left, 'run')} to go" if left else "tables and figure")
        status.start()

    try:
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
    finally:
        status.stop()
    print(done.markdown)
    out.print(f"written: {', '.join(str(path) for path in done.paths)}", soft_wrap=True)


@app.command("benchmark-rounds")
def benchmark_rounds(
    seeds: Annotated[int, whole("Number of seeds.")] = 100,
    first_seed: Annotated[
        int, whole("First seed: 0 to 99 are published, development uses 1000 and on.")
    ] = 0,
    output: Annotated[Path, path("Folder to write to.", "--output")] = RESULTS / "rounds",
) -> None:
    """Compare rules for sharing out validation games.

    On simulated points whose truth is known, at equal seconds of play.
    """
    from thetafront.study.bench.allocation import run_allocation

    with working("simulating") as shown:
        text, paths = run_allocation(seeds, first_seed, output, shown.update)
    print(text)
    console().print(f"written: {', '.join(str(path) for path in paths)}", soft_wrap=True)


@app.command("benchmark-picks")
def benchmark_picks(
    seeds: Annotated[int, whole("Number of seeds.")] = 20,
    first_seed: Annotated[int, whole("First seed; development uses 1000 and on.")] = 0,
    sampler: Annotated[list[str] | None, typer.Option(help="A sampler; repeatable.")] = None,
    surface: Annotated[
        list[str] | None, typer.Option(help="A surface; repeatable.", show_default="recorded")
    ] = None,
    jobs: JobsOption = None,
    output: OutputOption = None,
) -> None:
    """Compare picks and claims with a known truth.

    On simulated studies: errors, coverage, regret, and how often limits are exceeded.
    """
    from thetafront.study.bench.samplers.picks import NOTE, pick_answers, pick_sections
    from thetafront.study.bench.samplers.surfaces import surface as find_surface
    from thetafront.study.report.sections import document
    from thetafront.study.report.tables import write_csv, write_text
    from thetafront.study.samplers import DEFAULT_SAMPLER, check_sampler
    from thetafront.study.store.location import make_folder
    from thetafront.study.store.manifest import MANIFEST, check_output, provenance, write_json

    samplers, surfaces = sampler or [DEFAULT_SAMPLER], surface or ["recorded"]
    for each in samplers:
        check_sampler(each)
    for each in surfaces:
        find_surface(each)
    if output is not None:
        make_folder(output, "output")
        check_output(output)
    made_by = provenance()
    with working("running studies"):
        answers = pick_answers(samplers, surfaces, seeds, first_seed, jobs)
    text = document("Picks of simulated studies", NOTE, *pick_sections(answers))
    if output is not None:
        write_csv(answers, output / "answers.csv")
        write_text(text, output / "picks.md")
        write_json(made_by, output / MANIFEST)
    print(text, end="")


def parse_budget(text: str) -> tuple[int, int]:
    """Parse ``TRIALSxGAMES``."""
    try:
        n_trials, n_games = map(int, text.split("x"))
    except ValueError:
        raise InputError(f"budget: {text!r} given, TRIALSxGAMES allowed, such as 80x9") from None
    return n_trials, n_games


@app.command()
def replicates(
    agent: Annotated[
        str | None,
        typer.Argument(help="Agent for 2048 that plays.", show_default=REPLICATES_AGENT),
    ] = None,
    theta: Annotated[
        str | None, typer.Option(help="θ of A.", show_default="the agent's default")
    ] = None,
    versus: Annotated[
        str | None,
        typer.Option(
            help="θ of B.", show_default=f"{REPLICATES_VERSUS} for {REPLICATES_AGENT}, else none"
        ),
    ] = None,
    games: Annotated[
        int | None, whole("Games of each.", show_default=f"{REPLICATES_GAMES}")
    ] = None,
    seed: Annotated[
        int | None, whole("Seed of the first game, the same for both.", show_default="0")
    ] = None,
    jobs: JobsOption = None,
    study: Annotated[
        str | None, typer.Option(help="Use the games of this study: its name or storage URL.")
    ] = None,
    point: Annotated[
        list[str] | None,
        typer.Option(
            help="Key of a validated point of the study; give at most two.",
            show_default="two neighbours with the most games",
        ),
    ] = None,
    standard_error: Annotated[
        list[float] | None,
        decimal("A wanted standard error, in the goal's unit; repeatable.", "--standard-error"),
    ] = None,
    output: OutputOption = None,
    name: NameOption = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Show how many games a trial needs.

    Gives standard errors for n games, and how often n games rank two θ wrongly. With --output,
    repeat the command to go on after a stop: the folder keeps finished games.
    """
    from thetafront.study.reproduce.sample_size.games import (
        MOST_GAMES,
        check_noisy,
        choose_points,
        samples_of_points,
        samples_played,
    )
    from thetafront.study.reproduce.sample_size.means import check_errors
    from thetafront.study.reproduce.sample_size.measured import measure
    from thetafront.study.reproduce.sample_size.report import write
    from thetafront.study.reproduce.sample_size.tables import sections_of
    from thetafront.study.store.manifest import provenance

    if study is None:
        check_errors(standard_error or [])
    to_play = {"AGENT": agent, "--theta": theta, "--versus": versus, "--games": games}
    to_play |= {"--seed": seed, "--jobs": jobs}
    if study is not None:
        for option, value in to_play.items():
            if value is not None:
                raise InputError(f"study: --study and {option} given, one of the two allowed")
    elif point or name is not None:
        raise InputError(f"study: {'--point' if point else '--name'} given without --study")
    out = console()
    made_by = provenance()
    if study is None:
        agent = REPLICATES_AGENT if agent is None else agent
        if agent == REPLICATES_AGENT and theta is None and versus is None:
            versus = REPLICATES_VERSUS
        first = 0 if seed is None else seed
        n_games = REPLICATES_GAMES if games is None else games
        check_range("games", n_games, 2, MOST_GAMES)
        seeds = range(first, first + n_games)
        samples = samples_played(agent, (theta, versus), seeds, jobs, output, out)
    else:
        with reading(study, name, results) as (_, _, data):
            check_noisy(data.experiment.goal)
            points = choose_points(data.points, point or [], data.experiment.goal)
        samples = samples_of_points(points, data.experiment, output)
    with working("drawing trials from the games"):
        measured = measure(samples, standard_error or [])
    for section in sections_of(measured):
        out.print(section.table())
        out.print()
    if output is not None:
        with working("writing tables and figure"):
            paths = write(measured, output, made_by)
        out.print(f"written: {', '.join(str(path) for path in paths)}", soft_wrap=True)
