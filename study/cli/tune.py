"""Commands that make studies: sweep and validate."""

from typing import Annotated

import typer

from thetafront.study.cli.options import (
    RESULTS,
    BudgetOption,
    JobsOption,
    NameOption,
    ResultsOption,
    SchedulerOption,
    StandardErrorOption,
    StudyArgument,
    TlsCaOption,
    TlsCertOption,
    TlsKeyOption,
    ValidationGamesOption,
    ValidationPointsOption,
    experiment_names,
    reading,
    whole,
)
from thetafront.study.cli.program import app, console


@app.command()
def sweep(
    experiment: Annotated[
        str,
        typer.Argument(
            help="Name of an experiment (see thetafront experiments), or a definition of your own: "
            "FILE.py, FILE.py:NAME, MODULE:NAME or FILE.toml.",
            autocompletion=experiment_names,
        ),
    ] = "mcmdp",
    trials: Annotated[
        int | None,
        whole(
            "Number of trials of the study.",
            show_default="128; if scores are exact, as many as the budget allows",
        ),
    ] = None,
    replicates: Annotated[
        int | None, whole("Games per trial.", show_default="4; 10 for a win rate; 1 if exact")
    ] = None,
    jobs: JobsOption = None,
    name: Annotated[
        str | None, typer.Option(help="Name of the study.", show_default="the experiment's")
    ] = None,
    seed: Annotated[int, whole("Seed of all random numbers of the study.")] = 0,
    sampler: Annotated[
        str | None,
        typer.Option(
            help="knowledge-gradient, nehvi, tpe, nsga2, random, gp (needs torch), or a sampler's "
            "class, such as optuna.samplers.TPESampler.",
            show_default="knowledge-gradient; nehvi if scores are exact",
        ),
    ] = None,
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
    until_regret: Annotated[
        str | None,
        typer.Option(
            help="Go on until, with 95% probability, no θ beats the recommended one by more, at "
            "any budget: points such as 3000, or a share such as 5%. A --budget ends it earlier.",
            metavar="X",
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
            help="Time a few games and print the plan without changing the study; learning agents "
            "are trained first.",
        ),
    ] = False,
    no_validation: Annotated[
        bool, typer.Option("--no-validation", help="Stop after the search.")
    ] = False,
    accept_change: Annotated[
        bool,
        typer.Option(
            "--accept-change",
            help="Go on with a study whose definition has changed; the study remembers it.",
        ),
    ] = False,
    storage: Annotated[
        str | None,
        typer.Option(help="A storage URL.", show_default="sqlite:///results/NAME/study.db"),
    ] = None,
    scheduler: SchedulerOption = None,
    tls_ca: TlsCaOption = None,
    tls_cert: TlsCertOption = None,
    tls_key: TlsKeyOption = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Tune an experiment: search, then validate the front.

    An initial design and a sampler choose the trials; the best of them and the model's proposals
    are played again on fresh seeds. Half of the budget is for the search, and what that leaves for
    validation. Repeat the command to go on after a stop or for another budget, or with more trials.
    Ctrl-C stops: finished games are stored, tables and pictures written.
    """
    import optuna

    from thetafront.study.cluster.given import cluster_at
    from thetafront.study.experiments.registry import experiment as find_experiment
    from thetafront.study.run.orders import SweepOrder

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    order = SweepOrder.of(
        find_experiment(experiment),
        results,
        name=name,
        storage=storage,
        trials=trials,
        replicates=replicates,
        seed=seed,
        sampler=sampler,
        design=design,
        design_size=design_size,
        cost=cost,
        widen=widen or (),
        standard_error=standard_error,
        validation_games=validation_games,
        validation_points=validation_points,
        validate=not no_validation,
        jobs=jobs,
        budget_seconds=budget,
        accept_change=accept_change,
        cluster=cluster_at(scheduler, {"ca": tls_ca, "cert": tls_cert, "key": tls_key}),
        until_regret=until_regret,
    )
    if dry_run:
        order.rehearse(console())
    else:
        order.carry_out(console())


@app.command()
def validate(
    study: StudyArgument,
    name: NameOption = None,
    standard_error: StandardErrorOption = None,
    validation_games: ValidationGamesOption = None,
    validation_points: ValidationPointsOption = 12,
    budget: BudgetOption = "none",  # type: ignore[assignment]  # the parser reads it
    jobs: JobsOption = None,
    scheduler: SchedulerOption = None,
    tls_ca: TlsCaOption = None,
    tls_cert: TlsCertOption = None,
    tls_key: TlsKeyOption = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Play a study's front again on fresh seeds.

    Validated points keep their games; a smaller standard error adds to them.
    """
    from thetafront.study.cluster.given import cluster_at
    from thetafront.study.experiments.objectives import SCORE
    from thetafront.study.run.orders import check_alone, validate_study
    from thetafront.study.run.stopping import Precision
    from thetafront.study.run.workers import check_jobs

    # What no experiment allows is refused before anything is opened.
    wanted = standard_error, validation_games, validation_points, budget
    Precision.of(SCORE, *wanted)
    n_jobs = check_jobs(jobs)
    cluster = cluster_at(scheduler, {"ca": tls_ca, "cert": tls_cert, "key": tls_key})
    check_alone(jobs, cluster)
    with reading(study, name, results) as (_, location, data):
        precision = Precision.of(data.experiment.goal, *wanted)
        validate_study(location, data, precision, n_jobs, console(), budget, cluster)
