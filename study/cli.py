"""The command line: ``thetafront``, also ``python -m study``.

Libraries that are slow to import are imported inside the commands, so that ``--help`` is quick.
"""

import json
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from study.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from agents.agent import Agent, Game

__all__ = ["app", "main"]

PROGRAM = "thetafront"
EXIT_FAILURE = 1
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130


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
        except InputError as error:
            message, code = str(error), EXIT_BAD_INPUT
        except typer.TyperException as error:
            message, code = error.format_message(), EXIT_BAD_INPUT
        except typer.Abort:
            code = EXIT_INTERRUPTED
        except OSError as error:  # a full disk, say: what was stored before is there
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


def whole(help_: str, *names: str, **settings: Any) -> Any:
    """Return an option that takes a whole number."""
    return typer.Option(*names, help=help_, parser=whole_number, metavar="N", **settings)


ResultsOption = Annotated[Path, typer.Option("--results", help="Folder of all studies.")]
JobsOption = Annotated[int | None, whole("Worker processes.", "--jobs", show_default="all cores")]
StudyArgument = Annotated[str, typer.Argument(help="A study's name, or a storage URL.")]
NameOption = Annotated[
    str | None, typer.Option("--name", help="Which study, if a storage URL holds several.")
]
RESULTS = Path("results")


def console() -> "Console":
    """Return where people read."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else 140
    return Console(highlight=False, width=width)


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
    from study.outputs import export
    from study.progress import SweepDisplay, duration
    from study.report import front_frame, front_table, trials_frame
    from study.samplers import check_sampler
    from study.storage import create_or_resume, locked, make_folder, place_of
    from study.sweep import Settings, Sweep
    from study.workers import check_jobs

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    found = find_experiment(experiment)
    settings = Settings(trials, replicates, seed, sampler, design, design_size)
    n_jobs = check_jobs(jobs)
    check_sampler(sampler)
    draw_design(design, found.space, design_size, seed)
    place = place_of(name or found.name, results, storage)
    make_folder(place.folder)

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    out = console()
    with locked(place):
        study, backend = create_or_resume(place, settings.record(found))
        display = SweepDisplay(out)
        run = Sweep(found, study, backend, settings, display.show, display.message)
        out.print(
            f"{found.title}: study {place.name!r}, {trials} trials of {replicates} games, "
            f"{n_jobs} jobs, sampler {sampler}",
        )
        try:
            run.prepare()
            before = run.snapshot()
            if run.done:
                out.print(
                    f"complete already: {before.n_trials_done} trials, {before.n_games_done} games; "
                    "nothing to play (ask for more with --trials)"
                )
            else:
                if before.n_games_done:
                    out.print(
                        f"going on: {before.n_trials_done} trials and "
                        f"{before.n_games_done} games are there already"
                    )
                with display:
                    run.run(n_jobs)
        except KeyboardInterrupt:
            now = run.snapshot()
            out.print(
                f"stopped: {now.n_trials_done} of {now.n_trials} trials and "
                f"{now.n_games_done} games are stored in {place.shown_url}; "
                "the same command goes on from here",
                soft_wrap=True,
            )
            raise
        except (StorageInternalError, SQLAlchemyError) as error:
            # A full disk or a lost server: every game stored before is there, and a later run goes on.
            reason = str(error.__cause__ or error).splitlines()[0]
            raise OSError(f"storage: {place.shown_url} fails: {reason}") from None
        paths = export(study, place, found, place.folder)
        after = run.snapshot()
        if after.n_games_done > before.n_games_done:
            played = after.n_games_done - before.n_games_done
            out.print(
                f"played {played} games in {duration(run.seconds)}, {played / run.seconds:.2f} a second"
            )
        out.print(front_table(front_frame(trials_frame(study, found)), found))
        out.print(f"written: {', '.join(str(path) for path in paths)}", soft_wrap=True)


def parse_numbers(text: str) -> list[float]:
    """Read numbers separated by commas."""
    numbers = []
    for word in text.split(","):
        try:
            numbers.append(float(word))
        except ValueError:
            raise InputError(f"theta: {word.strip()!r} given, a number allowed") from None
    return numbers


def parse_settings(settings: Sequence[str], names: Sequence[str]) -> dict[str, float]:
    """Read ``name=value`` pairs."""
    values = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise InputError(f"set: {setting!r} given, name=value allowed ({', '.join(names)})")
        try:
            values[name.strip()] = float(value)
        except ValueError:
            raise InputError(f"{name.strip()}: {value!r} given, a number allowed") from None
    return values


def agent_of(
    name: str, theta: str | None, settings: Sequence[str]
) -> tuple["Agent", dict[str, float]]:
    """Make the agent that the command line asks for, and name all of its parameters."""
    from agents.catalog import build, from_theta, parameters

    try:
        defaults = parameters(name)
        values = from_theta(name, parse_numbers(theta)) if theta is not None else {}
        values |= parse_settings(settings, list(defaults))
        return build(name, values), defaults | values
    except ValueError as error:
        raise InputError(str(error)) from None


def summary_of(name: str, params: dict[str, float], games: "Sequence[Game]") -> dict[str, Any]:
    """Return what ``play --json`` prints."""
    import math

    from study.replicate import share_reaching, summarize

    summary = summarize(games)
    sem = summary.score_sem if math.isfinite(summary.score_sem) else None
    largest = max(1024, *(game.max_tile for game in games))
    tiles = [2**e for e in range(10, largest.bit_length())]
    return {
        "agent": name,
        "params": params,
        "n_games": summary.n_games,
        "score": {
            "mean": summary.score_mean,
            "sem": sem,
            "min": summary.score_min,
            "max": summary.score_max,
        },
        "reach": {str(tile): share_reaching(games, tile) for tile in tiles},
        "n_moves_mean": summary.n_moves_mean,
        "seconds_per_move": summary.seconds_per_move,
        "playout_moves_per_move": summary.playout_moves_per_move,
        "playout_moves_per_second": summary.playout_moves_per_second,
        "games": [
            {
                "seed": game.seed,
                "score": game.score,
                "n_moves": game.n_moves,
                "max_tile": game.max_tile,
                "seconds": game.seconds,
            }
            for game in games
        ],
    }


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

    from study.report import engineering
    from study.workers import check_jobs, play_all

    n_jobs = min(check_jobs(jobs), max(games, 1))
    if games < 1:
        raise InputError(f"games: {games} given, at least 1 allowed")
    if not 0 <= seed < 2**62:
        raise InputError(f"seed: {seed} given, 0 to 2**62 - 1 allowed")
    player, params = agent_of(agent, theta, set_ or [])
    out = console()
    played: list[Game] = []
    columns = [*Progress.get_default_columns()[:-1], MofNCompleteColumn(), TimeRemainingColumn()]
    with Progress(
        *columns, console=out, transient=True, disable=json_ or not out.is_terminal
    ) as bar:
        task = bar.add_task("games", total=games)
        for finished in play_all(player, range(seed, seed + games), n_jobs):
            if finished.game is None:
                print(f"{PROGRAM}: game {finished.key}: {finished.error}", file=sys.stderr)
                raise typer.Exit(1)
            played.append(finished.game)
            bar.advance(task)
    played.sort(key=lambda game: game.seed)
    summary = summary_of(agent, params, played)
    if json_:
        print(json.dumps(summary))
        return
    score = summary["score"]
    error = "?" if score["sem"] is None else f"{score['sem']:,.0f}"
    shown = ", ".join(f"{key} {value:g}" for key, value in params.items())
    out.print(f"{agent}{' (' + shown + ')' if shown else ''}, {games} games from seed {seed}")
    out.print(
        f"score        {score['mean']:,.0f} ± {error} (standard error), "
        f"{score['min']:,} to {score['max']:,}"
    )
    shares = ", ".join(f"{tile} {share:.1%}" for tile, share in summary["reach"].items())
    out.print(f"reached      {shares}")
    out.print(f"moves        {summary['n_moves_mean']:,.0f} a game")
    out.print(f"time a move  {engineering(summary['seconds_per_move'])} of CPU")
    if summary["playout_moves_per_move"]:
        out.print(
            f"playouts     {summary['playout_moves_per_move']:,.0f} random moves a move, "
            f"{summary['playout_moves_per_second'] / 1e6:,.0f} million a CPU second"
        )


@app.command()
def status(study: StudyArgument, name: NameOption = None, results: ResultsOption = RESULTS) -> None:
    """Say how far a study is, also while a sweep is running."""
    from study.report import baselines_frame, trials_frame
    from study.storage import open_for_reading, record_of
    from study.sweep import observed_hypervolume

    opened, place, experiment = open_for_reading(study, results, name)
    record = record_of(opened)
    trials = trials_frame(opened, experiment)
    complete = trials[trials["state"] == "complete"]
    out = console()
    out.print(f"study        {place.name} ({place.shown_url})", soft_wrap=True)
    out.print(f"experiment   {experiment.name}: {experiment.title}")
    out.print(f"seed         {record.seed}, design {record.design} of {record.design_size}")
    counts = trials["state"].value_counts()
    states = ", ".join(f"{count} {state}" for state, count in counts.items())
    out.print(f"trials       {states or 'none'}")
    baselines = baselines_frame(opened, experiment)
    n_baseline = int(baselines["n_games"].sum()) if len(baselines) else 0
    out.print(
        f"games        {int(trials['n_games'].sum()):,} of trials, {n_baseline:,} of baselines"
    )
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
    from study.storage import open_for_reading

    opened, _, experiment = open_for_reading(study, results, name)
    console().print(front_table(front_frame(trials_frame(opened, experiment)), experiment))


@app.command()
def plot(study: StudyArgument, name: NameOption = None, results: ResultsOption = RESULTS) -> None:
    """Draw a study's pictures into its folder."""
    from study.outputs import draw
    from study.storage import open_for_reading

    opened, place, experiment = open_for_reading(study, results, name)
    for path in draw(opened, experiment, place.folder):
        print(path)


@app.command()
def export(study: StudyArgument, name: NameOption = None, results: ResultsOption = RESULTS) -> None:
    """Write a study's tables, manifest and pictures into its folder."""
    from study.outputs import export as write
    from study.storage import open_for_reading

    opened, place, experiment = open_for_reading(study, results, name)
    for path in write(opened, place, experiment, place.folder):
        print(path)


@app.command()
def bench(
    json_: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Measure the engine: rates a CPU second, and their ratios in one run (about two minutes)."""
    from study.bench import bench_table, measure

    out = console()
    if json_:
        print(json.dumps(measure(lambda text: print(text, file=sys.stderr))))
        return
    with out.status("measuring") as shown:
        figures = measure(shown.update)
    out.print(bench_table(figures))


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
