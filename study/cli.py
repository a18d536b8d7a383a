"""The command line: ``thetafront``, also ``python -m study``.

Libraries that are slow to import are imported inside the commands, so that ``--help`` is quick.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from study.errors import InputError

if TYPE_CHECKING:
    import optuna
    from rich.console import Console

    from study.experiment import Experiment
    from study.storage import Place

__all__ = ["app", "main"]

PROGRAM = "thetafront"
EXIT_FAILURE = 1
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130
LEAST_WIDTH = 112  # what the front's table needs; a narrower terminal wraps it


class Commands(TyperGroup):
    """Commands whose errors are one line and an exit code."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command; say what is wrong in one line on standard error."""
        if not (sys.argv[1:] if args is None else args):
            args = ["--help"]
        message, code = "", 0
        try:
            code = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
            sys.stdout.flush()
        except InputError as error:
            message, code = str(error), EXIT_BAD_INPUT
        except typer.TyperException as error:
            message, code = error.format_message(), EXIT_BAD_INPUT
        except typer.Abort:
            code = EXIT_INTERRUPTED
        except (BrokenPipeError, SystemExit):
            # Whoever read along has seen enough; typer answers that by SystemExit, and by it alone.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        except OSError as error:  # a full disk, say
            message, code = str(error), EXIT_FAILURE
        code = code if isinstance(code, int) else 0
        if code == EXIT_INTERRUPTED:
            message = "interrupted"
        if message:
            print(f"{PROGRAM}: {' '.join(message.split())}", file=sys.stderr)
        if standalone_mode:
            sys.exit(code)
        return code

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command, or say which there are."""
        if args and args[0] not in self.commands:
            allowed = ", ".join(self.commands)
            raise InputError(f"command: {args[0]!r} given, one of {allowed} allowed")
        return super().resolve_command(ctx, args)


app = typer.Typer(
    name=PROGRAM,
    cls=Commands,
    help="Tunes game-playing agents for score against seconds per move: the Pareto front.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


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
    float, decimal("Validation: of each mean score, in points.", "--standard-error")
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


def console() -> "Console":
    """Return where people read."""
    from rich.console import Console

    out = Console(highlight=False)
    return out if out.width >= LEAST_WIDTH else Console(highlight=False, width=LEAST_WIDTH)


def failed(message: str) -> typer.Exit:
    """Say in one line what went wrong that is no bad input; return the exit."""
    print(f"{PROGRAM}: {message}", file=sys.stderr)
    return typer.Exit(EXIT_FAILURE)


@app.command()
def sweep(
    experiment: Annotated[str, typer.Argument(help="What to tune.")] = "mcmdp",
    trials: Annotated[int, whole("The study's total of trials.")] = 128,
    replicates: Annotated[int, whole("Games a trial.")] = 4,
    jobs: JobsOption = None,
    name: Annotated[
        str | None, typer.Option(help="The study's name.", show_default="the experiment's")
    ] = None,
    seed: Annotated[int, whole("Names every random number of the study.")] = 0,
    sampler: Annotated[
        str,
        typer.Option(help="nehvi, surrogate, tpe, nsga2, random; gp, botorch (if installed)."),
    ] = "nehvi",
    design: Annotated[str, typer.Option(help="Initial design: sobol or lhs.")] = "sobol",
    design_size: Annotated[int, whole("Trials of the initial design.")] = 16,
    cost: Annotated[
        str, typer.Option(help="What to minimize: seconds_per_move or playout_moves_per_move.")
    ] = "seconds_per_move",
    standard_error: StandardErrorOption = 500.0,
    validation_games: ValidationGamesOption = 1000,
    validation_points: ValidationPointsOption = 6,
    no_validation: Annotated[
        bool, typer.Option("--no-validation", help="Stop after the search.")
    ] = False,
    storage: Annotated[
        str | None,
        typer.Option(help="A storage URL.", show_default="sqlite:///results/NAME/study.db"),
    ] = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Tune an experiment: design, search, and validation of the front on fresh seeds.

    Repeating a command is harmless: it goes on where the study stands, and does nothing when the
    study is complete. Ctrl-C stops; what has finished is stored.
    """
    import optuna

    from study.cost import cost_by_name
    from study.design import draw_design
    from study.experiment import experiment as find_experiment
    from study.samplers import check_sampler
    from study.search import Settings
    from study.storage import check_place, create_or_resume, faults_reported, locked, place_of
    from study.sweep import Sweep
    from study.validation import Precision
    from study.workers import check_jobs

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    found = find_experiment(experiment).with_cost(cost_by_name(cost))
    settings = Settings(trials, replicates, seed, sampler, design, design_size)
    precision = Precision(standard_error, validation_games, validation_points)
    n_jobs = check_jobs(jobs)
    check_sampler(sampler)
    draw_design(design, found.space, design_size, seed)
    place = place_of(found.name if name is None else name, results, storage)
    check_place(place)
    with locked(place):
        with faults_reported(place):
            study, backend = create_or_resume(place, settings.record(found))
        run = Sweep(found, place, study, backend, n_jobs, console())
        with stops_reported():
            run.search(settings)
            if not no_validation:
                run.validate(precision)
            run.report()


@contextmanager
def stops_reported() -> Iterator[None]:
    """Turn what stops a sweep, other than an interrupt, into one line and exit code 1."""
    from study.sweep import StoppedError

    try:
        yield
    except StoppedError as error:
        raise failed(str(error)) from None


@app.command()
def validate(
    study: StudyArgument,
    name: NameOption = None,
    standard_error: StandardErrorOption = 500.0,
    validation_games: ValidationGamesOption = 1000,
    validation_points: ValidationPointsOption = 6,
    jobs: JobsOption = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Play the front of a study again, on seeds that its search never used.

    What is validated already keeps its games; a smaller standard error adds to them.
    """
    from study.storage import check_database, locked
    from study.sweep import Sweep
    from study.validation import Precision
    from study.workers import check_jobs

    precision = Precision(standard_error, validation_games, validation_points)
    n_jobs = check_jobs(jobs)
    with reading(study, name, results) as (opened, place, experiment):
        if place.database is not None:
            check_database(place.database, for_writing=True)
        with locked(place), stops_reported():
            run = Sweep(experiment, place, opened, None, n_jobs, console())
            run.validate(precision)
            run.report()


@app.command()
def pick(
    study: Annotated[str, typer.Argument(help="A study's name, or a storage URL.")] = "mcmdp",
    seconds_per_move: Annotated[
        float | None, decimal("What a move may cost, in seconds.", "--seconds-per-move")
    ] = None,
    playout_moves_per_move: Annotated[
        float | None, decimal("The same, for a study of that cost.", "--playout-moves-per-move")
    ] = None,
    score: Annotated[float | None, decimal("The mean score wanted.", "--score")] = None,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
    name: NameOption = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Choose a validated θ for a budget or a score, and say what to expect of it."""
    from study.pick import answer_for_people, answer_of
    from study.pick import pick as choose

    limits = {
        "seconds_per_move": seconds_per_move,
        "playout_moves_per_move": playout_moves_per_move,
    }
    with reading(study, name, results) as (opened, _, experiment):
        for cost, limit in limits.items():
            if limit is not None and cost != experiment.cost.name:
                raise InputError(
                    f"pick: --{cost.replace('_', '-')} given; the study's cost is "
                    f"{experiment.cost.name}"
                )
        picked = choose(opened, experiment, limits[experiment.cost.name], score)
    if json_:
        print(json.dumps(answer_of(picked, experiment)))
    else:
        console().print(answer_for_people(picked, experiment), soft_wrap=True)


@app.command()
def play(
    agent: Annotated[str, typer.Argument(help="mcmdp, pmcts or random.")],
    theta: Annotated[
        str | None, typer.Option(help="All components of θ, such as 500,54,18,9,6.25,1.")
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="One parameter, name=value; repeatable.")
    ] = None,
    games: Annotated[int, whole("How many games.")] = 10,
    seed: Annotated[int, whole("The first game's seed; the others count up.")] = 0,
    jobs: JobsOption = None,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Play games of one agent, and sum them up."""
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    from study.play import agent_of, summary_for_people, summary_of
    from study.workers import WorkersError, check_jobs, play_all

    n_jobs = min(check_jobs(jobs), max(games, 1))
    if games < 1:
        raise InputError(f"games: {games} given, at least 1 allowed")
    if not 0 <= seed < 2**62:
        raise InputError(f"seed: {seed} given, 0 to 2**62 - 1 allowed")
    player, params = agent_of(agent, theta, set_ or [])
    out = console()
    played = []
    columns = [*Progress.get_default_columns()[:-1], MofNCompleteColumn(), TimeRemainingColumn()]
    with Progress(
        *columns, console=out, transient=True, disable=json_ or not out.is_terminal
    ) as bar:
        task = bar.add_task("games", total=games)
        try:
            for finished in play_all(player, range(seed, seed + games), n_jobs):
                if finished.game is None:
                    raise failed(f"game {finished.key}: {finished.error}")
                played.append(finished.game)
                bar.advance(task)
        except WorkersError as error:
            raise failed(str(error)) from None
    summary = summary_of(agent, params, sorted(played, key=lambda game: game.seed))
    if json_:
        print(json.dumps(summary))
    else:
        out.print(summary_for_people(summary), soft_wrap=True)


@contextmanager
def reading(
    study: str, name: str | None, results: Path
) -> "Iterator[tuple[optuna.Study, Place, Experiment]]":
    """Open a study that exists; what its storage does wrong becomes one line."""
    import optuna

    from study.storage import Place, faults_reported, open_for_reading

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    url = study if "://" in study else "sqlite:///"
    with faults_reported(Place(study, url, results)):
        yield open_for_reading(study, results, name)


@app.command()
def status(study: StudyArgument, name: NameOption = None, results: ResultsOption = RESULTS) -> None:
    """Say how far a study is, also while a sweep is running."""
    from study.front import validated_frame, validated_hypervolume
    from study.report import trials_frame
    from study.storage import holder_of, record_of, runs_of

    with reading(study, name, results) as (opened, place, experiment):
        record, runs = record_of(opened), runs_of(opened)
        trials = trials_frame(opened, experiment)
        validated = validated_frame(opened, experiment, None)
    complete = trials[trials["state"] == "complete"]
    totals = [run["n_trials"] for run in runs if "n_trials" in run]
    asked = f" of {totals[-1]} asked for" if totals else ""
    others = trials["state"].value_counts().drop("complete", errors="ignore")
    states = "".join(f", {count} {state}" for state, count in others.items())
    out = console()
    out.print(f"study        {place.name} ({place.shown_url})", soft_wrap=True)
    out.print(f"experiment   {experiment.name}: {experiment.title}")
    out.print(f"seed         {record.seed}, design {record.design} of {record.design_size}")
    out.print(f"cost         {experiment.cost.name}")
    out.print(f"trials       {len(complete)} complete{asked}{states}")
    out.print(
        f"games        {int(trials['n_games'].sum()):,} of trials, "
        f"{int(validated['n_games'].sum()):,} of validation"
    )
    out.print(f"sweep        {holder_of(place) or 'none is running'}", soft_wrap=True)
    if len(validated):
        volume, low, high = validated_hypervolume(validated, experiment)
        n_front = int(validated["on_front"].sum())
        out.print(
            f"validated    {len(validated)} points, {n_front} on the front, hypervolume "
            f"{volume:,.0f} points·decades, 95% interval {low:,.0f} to {high:,.0f}",
            soft_wrap=True,
        )
    else:
        out.print("validated    nothing yet")


@app.command()
def front(study: StudyArgument, name: NameOption = None, results: ResultsOption = RESULTS) -> None:
    """Print a study's validated front; before there is one, the front the model believes in."""
    from study.sweep import print_front

    with reading(study, name, results) as (opened, _, experiment):
        print_front(console(), opened, experiment)


@app.command()
def plot(study: StudyArgument, name: NameOption = None, results: ResultsOption = RESULTS) -> None:
    """Draw a study's pictures into its folder."""
    from study.outputs import draw

    with reading(study, name, results) as (opened, place, experiment):
        for path in draw(opened, experiment, place.folder):
            print(path)


@app.command()
def export(study: StudyArgument, name: NameOption = None, results: ResultsOption = RESULTS) -> None:
    """Write a study's tables, manifest and pictures into its folder."""
    from study.outputs import export as write

    with reading(study, name, results) as (opened, place, experiment):
        for path in write(opened, place, experiment, place.folder):
            print(path)


@app.command()
def bench(
    c_reference: Annotated[
        bool, typer.Option("--c-reference", help="Compile and run the C programs too (gcc).")
    ] = False,
    output: OutputOption = None,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Measure the engine: rates a CPU second, and their ratios in one run (two to three minutes)."""
    from study.bench.figures import bench_table, measure, throughput_figure
    from study.manifest import provenance, write_json
    from study.plots import save
    from study.storage import make_folder

    out = console()
    if output is not None:
        make_folder(output)
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
        out.print(bench_table(figures))


@app.command()
def utilization(
    study: StudyArgument,
    output: OutputOption = None,
    name: NameOption = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Simulate a study's search with 2 to 256 workers, and say how busy they would be."""
    from study.bench.utilization import utilization_frame, utilization_table
    from study.report import write_csv
    from study.storage import make_folder

    with reading(study, name, results) as (opened, _, _):
        frame = utilization_frame(opened)
    if output is not None:
        make_folder(output)
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
    from study.progress import duration
    from study.sampler_benchmark.benchmark import BUDGETS, Progress, run_benchmark
    from study.sampler_benchmark.surfaces import SURFACES
    from study.samplers import installed_samplers

    budgets = [parse_budget(text) for text in budget] if budget else BUDGETS
    out = console()
    began = time.monotonic()

    def show(now: Progress) -> None:
        if now.run is None:
            out.print(f"{now.n_runs} runs, {now.n_done} of them there already")
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
    if not (cross and n_trials.isdigit() and n_games.isdigit()):
        raise InputError(f"budget: {text!r} given, TRIALSxGAMES allowed, such as 80x9")
    return int(n_trials), int(n_games)


def main() -> None:
    """Run the command line; a request to end is an interrupt, unless nohup or the like ignores it."""
    for each in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(each) is not signal.SIG_IGN:
            signal.signal(each, signal.default_int_handler)
    app()


if __name__ == "__main__":
    main()
