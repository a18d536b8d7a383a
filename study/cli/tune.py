"""Commands that tune: try, sweep and validate."""

from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thetafront.study.cli.options import (
    NameOption,
    StudyArgument,
    experiment_names,
    reading,
    taking,
)
from thetafront.study.cli.program import app, working
from thetafront.study.errors import InputError, check_range
from thetafront.study.run.options import JobsOption, SweepOptions, whole
from thetafront.study.terminal.console import console, print_table

if TYPE_CHECKING:
    from rich.table import Table

    from thetafront.study.experiments.definition import Experiment
    from thetafront.study.log.point import Point

MAX_CORNERS = 16


@app.command("try")
def try_experiment(
    experiment: Annotated[
        str,
        typer.Argument(
            help="A definition (FILE.py, FILE.py:NAME, MODULE:NAME or FILE.toml), or an experiment "
            "name.",
            autocompletion=experiment_names,
        ),
    ],
    corners: Annotated[
        int, whole("Maximum number of the space's corners to try; 0 tries only the middle.")
    ] = MAX_CORNERS,
    seed: Annotated[int, whole("Seed of the games.")] = 0,
    jobs: JobsOption = None,
) -> None:
    """Play games at the middle and corners of a search space.

    The game at the middle is played twice and must be the same both times. Nothing is stored.
    """
    from thetafront.study.experiments.registry import experiment as find_experiment
    from thetafront.study.log.location import check_name
    from thetafront.study.log.same_game import difference, timed_fields
    from thetafront.study.log.seeds import MAX_STUDY_SEED
    from thetafront.study.run.first_games import first_games, has_moves
    from thetafront.study.run.workers import PlayError, check_jobs
    from thetafront.study.text import counted

    check_range("corners", corners, 0, 1024)
    check_range("seed", seed, 0, MAX_STUDY_SEED)
    n_jobs = check_jobs(jobs)
    found = find_experiment(experiment)
    check_name(found.name)  # which a study will have
    with working("playing first games"):
        try:
            tried = first_games(found, seed, n_jobs, corners)
        except PlayError as error:
            raise InputError(f"try: {error}") from None
    played = [game for each in tried for game in each.games.values()]
    if found.is_open:
        try:
            found = found.settled(has_moves(*played))
        except ValueError as error:  # a program that no longer exists
            raise InputError(f"try: {error}") from None
    print_tried(found, tried)
    first, again = (each.games.get(0) for each in tried[:2])
    times = timed_fields(found)
    if first is not None and again is not None and (differs := difference(first, again, times)):
        raise InputError(
            f"try: two games with the middle θ and seed {seed} differ ({differs}); the same seed "
            f"must always give the same game"
        )
    if failed := len(tried) - len(played):
        raise InputError(f"try: {failed} of {counted(len(tried), 'game')} failed")


def print_tried(experiment: "Experiment", tried: "list[Point]") -> None:
    """Print a table of the games that were tried, and errors below it."""
    out = console()
    print_table(out, make_table(experiment, tried), [each.label for each in experiment.costs[1:]])
    if experiment.space.constraints:
        out.print("corners that break a constraint are left out")
    for number, each in enumerate(tried, 1):
        for failure in each.failures.values():
            out.print(f"{number}: {failure.error}")


def make_table(experiment: "Experiment", tried: "list[Point]") -> "Table":
    """Lay out games that were tried, one in each row."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from thetafront.study.experiments.objectives.costs import SECONDS
    from thetafront.study.report.front_tables import show_theta

    goal, costs = experiment.goal, experiment.costs
    reports = [getattr(each.games.get(0), "reported", {}) for each in tried]
    own = [each for each in costs if each.is_reported or each.counted != SECONDS.counted]
    shown = {each.counted for each in own if not each.per_move}
    theirs = [name for name in dict.fromkeys(chain(*reports)) if name not in shown]
    table = Table(title=experiment.title, title_justify="left", box=SIMPLE_HEAD)
    for name in ("", "where"):
        table.add_column(name, no_wrap=True)
    labels = [each.label for each in experiment.space]
    moves = ["moves"] if experiment.summary.has_moves else []
    heads = [*labels, goal.label, *moves, *(each.label for each in costs)]
    for name in (*heads, *(name for name in theirs if name not in heads)):
        table.add_column(name, justify="right", no_wrap=True)
    for number, each in enumerate(tried, 1):
        theta, game = show_theta(each.params, experiment), each.games.get(0)
        if game is None:
            table.add_row(str(number), each.origin, *theta, "failed")
            continue
        sample = float(goal.samples([game])[0])
        value = f"{sample:g}" if goal.is_share else goal.format.with_unit(sample)
        row = [*theta, value, *([f"{game.n_moves:,}"] if moves else [])]
        row += [cost.text(cost.value([game])) for cost in costs]
        reported: dict[str, Any] = dict(getattr(game, "reported", {}))
        others = (reported.get(name, "") for name in theirs if name not in heads)
        row += [f"{each:g}" if isinstance(each, float) else str(each) for each in others]
        table.add_row(str(number), each.origin, *row)
    return table


@app.command()
@taking()
def sweep(
    experiment: Annotated[
        str,
        typer.Argument(
            help="Experiment name (see thetafront experiments), or your own definition: FILE.py, "
            "FILE.py:NAME, MODULE:NAME or FILE.toml.",
            autocompletion=experiment_names,
        ),
    ] = "mcmdp",
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Time a few games and print the plan without changing the study; learning agents "
            "are trained first.",
        ),
    ] = False,
    *,
    options: SweepOptions,
) -> None:
    """Tune an experiment: search, then validate the front.

    An initial design and a sampler choose the trials. A model of their results then proposes points
    along its front, which are played on fresh seeds, as are the baselines. Half of the budget goes
    to the search and the rest to validation, but the search gets more when scores are exact, that
    is, when all of a θ's games have the same score. Repeat the command to resume after a stop, or
    to add another budget or more trials. Ctrl-C stops the sweep; finished games are stored, and
    tables and pictures are written.
    """
    import optuna

    from thetafront.study.cluster.executors import executor_for
    from thetafront.study.experiments.registry import experiment as find_experiment
    from thetafront.study.run.orders import SweepOrder

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    executor = executor_for(options.jobs, options.scheduler, options.tls)
    order = SweepOrder.from_options(find_experiment(experiment), options, executor)
    if dry_run:
        order.dry_run(console())
    else:
        order.run(console())


@app.command()
@taking(
    "standard_error",
    "validation_games",
    "validation_points",
    "budget",
    "jobs",
    "scheduler",
    "tls_ca",
    "tls_cert",
    "tls_key",
    "results",
    budget="none",
)
def validate(study: StudyArgument, name: NameOption = None, *, options: SweepOptions) -> None:
    """Play a study's front on fresh seeds.

    Validated points keep their games; a smaller --standard-error gives them more.
    """
    from thetafront.study.cluster.executors import executor_for
    from thetafront.study.experiments.objectives.goals import SCORE
    from thetafront.study.run.budget import parse_seconds
    from thetafront.study.run.orders import validate_study
    from thetafront.study.run.stopping import Precision

    # Options that no experiment allows are refused before the study is opened.
    seconds = parse_seconds(options.budget)
    of_a_point = options.standard_error, options.validation_games
    wanted = *of_a_point, options.validation_points, seconds
    Precision.from_options(SCORE, *wanted)
    executor = executor_for(options.jobs, options.scheduler, options.tls)
    with reading(study, name, options.results) as (_, location, data):
        precision = Precision.from_options(data.experiment.goal, *wanted)
        validate_study(location, data, precision, executor, console(), seconds)
