"""Commands that make studies: sweep and validate."""

import math
from typing import TYPE_CHECKING, Annotated

import typer

from study.cli.options import (
    RESULTS,
    BudgetOption,
    JobsOption,
    NameOption,
    ResultsOption,
    StandardErrorOption,
    StudyArgument,
    ValidationGamesOption,
    ValidationPointsOption,
    check_playable,
    experiment_names,
    reading,
    whole,
)
from study.cli.program import app, console
from study.errors import InputError

if TYPE_CHECKING:
    from study.experiments.definition import Experiment
    from study.experiments.objectives import Goal
    from study.run.settings import SearchSettings
    from study.run.stopping import Precision
    from study.store.location import Location


def precision_of(
    goal: "Goal",
    standard_error: float | None,
    most_games: int | None,
    n_points: int,
    budget: float,
) -> "Precision":
    """Return when to stop validating: with a budget and no target given, when that is spent."""
    from study.run.stopping import DEFAULT_GAMES, Precision

    open_end = math.isfinite(budget) and standard_error is None and most_games is None
    most_games = DEFAULT_GAMES if most_games is None else most_games
    return Precision.of(goal, standard_error, most_games, n_points, open_end)


@app.command()
def sweep(
    experiment: Annotated[
        str,
        typer.Argument(
            help="Name of an experiment: see thetafront experiments.",
            autocompletion=experiment_names,
        ),
    ] = "mcmdp",
    trials: Annotated[int, whole("Number of trials of the study.")] = 128,
    replicates: Annotated[
        int | None, whole("Games per trial.", show_default="4; 10 for a win rate; 1 if exact")
    ] = None,
    jobs: JobsOption = None,
    name: Annotated[
        str | None, typer.Option(help="Name of the study.", show_default="the experiment's")
    ] = None,
    seed: Annotated[int, whole("Seed of all random numbers of the study.")] = 0,
    sampler: Annotated[
        str,
        typer.Option(
            help="knowledge-gradient, nehvi, surrogate, tpe, nsga2, random; if installed gp, "
            "botorch."
        ),
    ] = "knowledge-gradient",
    design: Annotated[str, typer.Option(help="Initial design: sobol or lhs.")] = "sobol",
    design_size: Annotated[int, whole("Number of trials of the initial design.")] = 16,
    cost: Annotated[
        str | None,
        typer.Option(
            help="Cost to minimize, one that the experiment offers.",
            show_default="the experiment's own",
        ),
    ] = None,
    widen: Annotated[
        list[str] | None,
        typer.Option(
            help="Widen the range of a parameter, where the front lies at its end or to "
            "NAME=LOW:HIGH; the study's trials stay. Repeatable.",
            metavar="NAME",
        ),
    ] = None,
    standard_error: StandardErrorOption = None,
    validation_games: ValidationGamesOption = None,
    validation_points: ValidationPointsOption = 12,
    budget: BudgetOption = "15m",  # type: ignore[assignment]  # the parser reads it
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Time a few games, print the plan and end; the study stays as it is. Agents that "
            "learn do so.",
        ),
    ] = False,
    no_validation: Annotated[
        bool, typer.Option("--no-validation", help="Stop after the search.")
    ] = False,
    storage: Annotated[
        str | None,
        typer.Option(help="A storage URL.", show_default="sqlite:///results/NAME/study.db"),
    ] = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Tune an experiment: search, then validate the front.

    An initial design and a sampler choose the trials; the best of them and the model's proposals
    are played again on fresh seeds. Half of the budget is for the search, and what that leaves for
    validation. Repeat the command to go on after a stop or for another budget, or with more trials.
    Ctrl-C stops: finished games are stored, tables and pictures written.
    """
    import optuna

    from study.experiments.registry import experiment as find_experiment
    from study.experiments.widening import parse_wish
    from study.run.settings import SearchSettings
    from study.run.sweep import Sweep
    from study.run.widen import widen as grant
    from study.run.workers import check_jobs
    from study.samplers import check_sampler
    from study.samplers.design import draw_design
    from study.store.location import locate
    from study.store.lock import locked
    from study.store.storage import create_or_resume, prepare_location, storage_errors_reported
    from study.train.on_demand import room

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    found = find_experiment(experiment).by(cost)
    wishes = [parse_wish(text, found) for text in widen or ()]
    n_replicates = found.goal.replicates if replicates is None else replicates
    settings = SearchSettings(trials, n_replicates, seed, sampler, design, design_size)
    precision = precision_of(
        found.goal, standard_error, validation_games, validation_points, budget
    )
    n_jobs = check_jobs(jobs)
    check_sampler(sampler)
    if found.build({}).learns:
        room()
    draw_design(design, found.space, design_size, seed)
    location = locate(found.name if name is None else name, results, storage)
    to_reach = None if no_validation else precision
    if dry_run:
        if wishes:
            raise InputError("dry run: given with --widen, which writes to the study; one allowed")
        rehearse(found, location, settings, to_reach, n_jobs, budget)
        return
    prepare_location(location)
    with locked(location):
        with storage_errors_reported(location):
            study, backend = create_or_resume(location, settings.record(found))
        found = grant(study, wishes, console())
        run = Sweep(found, location, study, backend, n_jobs, console(), budget, settings, to_reach)
        run.begin()
        run.search()
        if to_reach is not None:
            run.validate()
        run.report()


def rehearse(
    experiment: "Experiment",
    location: "Location",
    settings: "SearchSettings",
    precision: "Precision | None",
    jobs: int,
    seconds: float,
) -> None:
    """Print the plan of a sweep, from a few games that are not stored."""
    from study.run.progress import PREPARING, ProgressDisplay
    from study.run.rehearsal import rehearsed_plan
    from study.run.sweep import SEARCH_SHARE
    from study.store.location import check_folder
    from study.store.storage import check_same, existing, storage_errors_reported

    out = console()
    check_folder(location.folder.parent)
    with storage_errors_reported(location):
        study = existing(location)
    if study is not None:
        check_same(study.record, settings.record(experiment), location)
        experiment = study.experiment
    out.print(PREPARING)
    limits = (seconds if precision is None else SEARCH_SHARE * seconds, seconds)
    plan = rehearsed_plan(
        experiment, settings, precision, jobs, ProgressDisplay(out), limits, study
    )
    said = "plan: no game ended in time" if plan is None else plan.text(experiment.goal)
    out.print(said, soft_wrap=True)


@app.command()
def validate(
    study: StudyArgument,
    name: NameOption = None,
    standard_error: StandardErrorOption = None,
    validation_games: ValidationGamesOption = None,
    validation_points: ValidationPointsOption = 12,
    budget: BudgetOption = "none",  # type: ignore[assignment]  # the parser reads it
    jobs: JobsOption = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Play a study's front again on fresh seeds.

    Validated points keep their games; a smaller standard error adds to them.
    """
    from study.experiments.objectives import SCORE
    from study.run.sweep import Sweep
    from study.run.workers import check_jobs
    from study.store.lock import locked

    # What no experiment allows is refused before anything is opened.
    precision_of(SCORE, standard_error, validation_games, validation_points, budget)
    n_jobs = check_jobs(jobs)
    with reading(study, name, results) as (opened, location, data):
        goal = data.experiment.goal
        precision = precision_of(goal, standard_error, validation_games, validation_points, budget)
        check_playable(location, data)
        with locked(location):
            run = Sweep(
                data.experiment, location, opened, None, n_jobs, console(), budget, None, precision
            )
            run.begin()
            run.validate()
            run.report()
