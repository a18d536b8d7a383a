"""Commands that make studies: sweep and validate."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from study.cli.options import (
    RESULTS,
    JobsOption,
    NameOption,
    ResultsOption,
    StandardErrorOption,
    StudyArgument,
    ValidationGamesOption,
    ValidationPointsOption,
    whole,
)
from study.cli.program import app, console, failed
from study.cli.studies import reading
from study.errors import InputError


@app.command()
def sweep(
    experiment: Annotated[str, typer.Argument(help="What to tune.")] = "mcmdp",
    trials: Annotated[int, whole("The study's total of trials.")] = 128,
    replicates: Annotated[
        int | None, whole("Games a trial.", show_default="4; 10 for a win rate")
    ] = None,
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
        str | None,
        typer.Option(
            help="What to minimize: seconds_per_move, or another that the experiment offers.",
            show_default="the experiment's own",
        ),
    ] = None,
    standard_error: StandardErrorOption = None,
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

    from study.experiments.registry import experiment as find_experiment
    from study.run.settings import SearchSettings
    from study.run.stopping import Precision
    from study.run.sweep import Sweep
    from study.run.workers import check_jobs
    from study.samplers import check_sampler
    from study.samplers.design import draw_design
    from study.store.location import place_of
    from study.store.lock import locked
    from study.store.storage import check_place, create_or_resume, faults_reported

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    found = find_experiment(experiment).by(cost)
    n_replicates = found.goal.replicates if replicates is None else replicates
    settings = SearchSettings(trials, n_replicates, seed, sampler, design, design_size)
    precision = Precision.of(found.goal, standard_error, validation_games, validation_points)
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
    from study.run.sweep import StoppedError

    try:
        yield
    except StoppedError as error:
        raise failed(str(error)) from None


@app.command()
def validate(
    study: StudyArgument,
    name: NameOption = None,
    standard_error: StandardErrorOption = None,
    validation_games: ValidationGamesOption = 1000,
    validation_points: ValidationPointsOption = 6,
    jobs: JobsOption = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Play the front of a study again, on seeds that its search never used.

    What is validated already keeps its games; a smaller standard error adds to them.
    """
    from study.experiments.objectives import SCORE
    from study.run.stopping import Precision
    from study.run.sweep import Sweep
    from study.run.workers import check_jobs
    from study.store.database import check_database
    from study.store.location import make_folder
    from study.store.lock import locked

    # What no goal allows is refused before anything is opened.
    Precision.of(SCORE, standard_error, validation_games, validation_points)
    n_jobs = check_jobs(jobs)
    with reading(study, name, results) as (opened, place, data):
        precision = Precision.of(
            data.experiment.goal, standard_error, validation_games, validation_points
        )
        if place.database is not None:
            check_database(place.database, for_writing=True)
        make_folder(place.folder)
        if changes := data.record.differences(data.record.of_today()):
            raise InputError(
                f"study: {place.name!r} was made with {'; '.join(changes)}; "
                f"{data.experiment.name!r} has changed since"
            )
        with locked(place), stops_reported():
            run = Sweep(data.experiment, place, opened, None, n_jobs, console())
            run.validate(precision)
            run.report()
