"""The command line: ``thetafront``, also ``python -m study``.

Libraries that are slow to import are imported inside the commands, so that ``--help`` is quick.
"""

import json
import os
import signal
import sys
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


def folder(text: str) -> Path:
    """Read a folder's path."""
    if not str(text):
        raise typer.BadParameter("'' given, a folder's path allowed")
    return Path(text)


def whole(help_: str, *names: str, **settings: Any) -> Any:
    """Return an option that takes a whole number."""
    return typer.Option(*names, help=help_, parser=whole_number, metavar="N", **settings)


ResultsOption = Annotated[
    Path, typer.Option("--results", help="Folder of all studies.", parser=folder, metavar="FOLDER")
]
JobsOption = Annotated[int | None, whole("Worker processes.", "--jobs", show_default="all cores")]
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
    trials: Annotated[int, whole("The study's total of trials.")] = 64,
    replicates: Annotated[int, whole("Games a trial.")] = 12,
    jobs: JobsOption = None,
    name: Annotated[
        str | None, typer.Option(help="The study's name.", show_default="the experiment's")
    ] = None,
    seed: Annotated[int, whole("Names every random number of the study.")] = 0,
    sampler: Annotated[str, typer.Option(help="tpe, nsga2, random or gp.")] = "tpe",
    design: Annotated[str, typer.Option(help="Initial design: sobol or lhs.")] = "sobol",
    design_size: Annotated[int, whole("Trials of the initial design.")] = 16,
    storage: Annotated[
        str | None,
        typer.Option(help="A storage URL.", show_default="sqlite:///results/NAME/study.db"),
    ] = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Tune an experiment: run its study to a total of trials, or go on with it.

    Repeating a command is harmless: it goes on where the study stands, and does nothing when the
    study is complete. Ctrl-C stops; what has finished is stored.
    """
    import optuna
    from optuna.exceptions import StorageInternalError
    from sqlalchemy.exc import SQLAlchemyError

    from study.design import draw_design
    from study.experiment import experiment as find_experiment
    from study.manifest import provenance
    from study.outputs import export
    from study.progress import SweepDisplay, duration
    from study.report import front_frame, front_table, trials_frame
    from study.samplers import check_sampler
    from study.storage import (
        check_place,
        create_or_resume,
        faults_reported,
        locked,
        place_of,
        remember_run,
    )
    from study.sweep import Settings, Sweep, SweepError
    from study.workers import WorkersError, check_jobs

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    found = find_experiment(experiment)
    settings = Settings(trials, replicates, seed, sampler, design, design_size)
    n_jobs = check_jobs(jobs)
    check_sampler(sampler)
    draw_design(design, found.space, design_size, seed)
    place = place_of(found.name if name is None else name, results, storage)
    check_place(place)

    out = console()
    with locked(place):
        with faults_reported(place):
            study, backend = create_or_resume(place, settings.record(found))
        display = SweepDisplay(out)
        run = Sweep(found, study, backend, settings, display.show, display.message)
        out.print(
            f"{found.title}: study {place.name!r} to a total of {trials} trials, {replicates} games "
            f"each, {n_jobs} jobs, sampler {sampler}",
        )
        out.print("preparing (the first time, kernels are compiled: some twenty seconds)")
        try:
            run.prepare()
            before = run.snapshot()
            if run.done:
                out.print(
                    f"complete already: {before.n_trials_done} trials, {before.n_games_done} games; "
                    "nothing to play (ask for more with --trials)"
                )
            else:
                asked = {"n_trials": trials, "n_replicates": replicates, "sampler": sampler}
                remember_run(study, {**provenance(), **asked, "jobs": n_jobs})
                if before.n_games_done:
                    out.print(
                        f"going on: {before.n_trials_done} trials and "
                        f"{before.n_games_done} games are there already"
                    )
                with display:
                    run.run(n_jobs)
        except KeyboardInterrupt:
            now = run.snapshot()
            stored = (
                f"{now.n_trials_done} of {now.n_trials} trials and {now.n_games_done} games are "
                f"stored in {place.shown_url}"
                if run.prepared
                else f"before the first game; {place.shown_url} is as it was"
            )
            out.print(f"stopped: {stored}; the same command goes on from here", soft_wrap=True)
            raise
        except (WorkersError, SweepError) as error:
            raise failed(
                f"{error}; what has finished is stored, the same command goes on"
            ) from None
        except (StorageInternalError, SQLAlchemyError) as error:
            # A full disk or a lost server: every game stored before is there.
            reason = str(error.__cause__ or error).splitlines()[0]
            raise failed(f"storage: {place.shown_url} fails: {reason}") from None
        after = run.snapshot()
        if after.n_games_done > before.n_games_done:
            played = after.n_games_done - before.n_games_done
            rate = played / run.seconds
            out.print(f"played {played} games in {duration(run.seconds)}, {rate:.2f} a second")
        out.print(front_table(front_frame(trials_frame(study, found)), found))
        paths = export(study, place, found, place.folder)
        out.print(f"written: {', '.join(str(path) for path in paths)}", soft_wrap=True)
        if after.n_failed:
            raise failed(f"{after.n_failed} trials failed; trials.csv says why")


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
    from study.report import baselines_frame, trials_frame
    from study.storage import holder_of, record_of, runs_of
    from study.sweep import observed_hypervolume

    with reading(study, name, results) as (opened, place, experiment):
        record, runs = record_of(opened), runs_of(opened)
        trials = trials_frame(opened, experiment)
        baselines = baselines_frame(opened, experiment)
    complete = trials[trials["state"] == "complete"]
    asked = f" of {runs[-1]['n_trials']} asked for" if runs else ""
    others = trials["state"].value_counts().drop("complete", errors="ignore")
    states = "".join(f", {count} {state}" for state, count in others.items())
    n_baseline = int(baselines["n_games"].sum()) if len(baselines) else 0
    out = console()
    out.print(f"study        {place.name} ({place.shown_url})", soft_wrap=True)
    out.print(f"experiment   {experiment.name}: {experiment.title}")
    out.print(f"seed         {record.seed}, design {record.design} of {record.design_size}")
    out.print(f"trials       {len(complete)} complete{asked}{states}")
    out.print(
        f"games        {int(trials['n_games'].sum()):,} of trials, {n_baseline:,} of baselines"
    )
    out.print(f"sweep        {holder_of(place) or 'none is running'}", soft_wrap=True)
    if len(complete):
        pairs = complete[["score_mean_points", "seconds_per_move"]].to_numpy(float)
        volume = observed_hypervolume(experiment, [(pair[0], pair[1]) for pair in pairs])
        out.print(
            f"front        {int(trials['on_front'].sum())} points, "
            f"hypervolume {volume:,.0f} points·decades (observed means)"
        )


@app.command()
def front(study: StudyArgument, name: NameOption = None, results: ResultsOption = RESULTS) -> None:
    """Print a study's observed front as a table."""
    from study.report import front_frame, front_table, trials_frame

    with reading(study, name, results) as (opened, _, experiment):
        trials = trials_frame(opened, experiment)
    console().print(front_table(front_frame(trials), experiment))


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
    output: Annotated[
        Path | None,
        typer.Option(
            help="A folder for bench.json and throughput.png.", parser=folder, metavar="FOLDER"
        ),
    ] = None,
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


def main() -> None:
    """Run the command line; a request to end is an interrupt, unless nohup or the like ignores it."""
    for each in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(each) is not signal.SIG_IGN:
            signal.signal(each, signal.default_int_handler)
    app()


if __name__ == "__main__":
    main()
