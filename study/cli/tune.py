"""Commands that make studies: sweep and validate."""

from typing import Annotated

import typer

from thetafront.study.cli.options import (
    NameOption,
    StudyArgument,
    experiment_names,
    reading,
    taking,
)
from thetafront.study.cli.program import app
from thetafront.study.run.options import SweepOptions
from thetafront.study.terminal.console import console


@app.command()
@taking()
def sweep(
    experiment: Annotated[
        str,
        typer.Argument(
            help="Name of an experiment (see thetafront experiments), or a definition of your own: "
            "FILE.py, FILE.py:NAME, MODULE:NAME or FILE.toml.",
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

    An initial design and a sampler choose the trials; the best of them and the model's proposals
    are played again on fresh seeds. Half of the budget goes to the search, the rest to validation.
    Repeat the command to resume after a stop, or to add another budget or more trials. Ctrl-C stops
    the sweep: finished games are stored, tables and pictures written.
    """
    import optuna

    from thetafront.study.cluster.given import executor_for
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
    """Play a study's front again on fresh seeds.

    Validated points keep their games; a smaller standard error adds games.
    """
    from thetafront.study.cluster.given import executor_for
    from thetafront.study.experiments.objectives import SCORE
    from thetafront.study.run.budget import parse_seconds
    from thetafront.study.run.orders import validate_study
    from thetafront.study.run.stopping import Precision

    # What no experiment allows is refused before anything is opened.
    seconds = parse_seconds(options.budget)
    of_a_point = options.standard_error, options.validation_games
    wanted = *of_a_point, options.validation_points, seconds
    Precision.from_options(SCORE, *wanted)
    executor = executor_for(options.jobs, options.scheduler, options.tls)
    with reading(study, name, options.results) as (_, location, data):
        precision = Precision.from_options(data.experiment.goal, *wanted)
        validate_study(location, data, precision, executor, console(), seconds)
