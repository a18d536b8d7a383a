"""The command that asks how many games make a trial: replicates."""

from typing import Annotated

import typer

from study.cli.options import (
    RESULTS,
    JobsOption,
    NameOption,
    OutputOption,
    ResultsOption,
    decimal,
    whole,
)
from study.cli.program import app, console
from study.cli.rows import rows_reported
from study.cli.studies import reading
from study.errors import InputError, check_range

AGENT = "mcmdp"
VERSUS = "903,56,38,2,10,0.56"
"""What the author's θ is held against by default: rounded, a validated trial of the published sweep."""

N_GAMES = 1_000


@app.command()
def replicates(
    agent: Annotated[
        str | None,
        typer.Argument(help="Whose games to play: mcmdp, pmcts, …", show_default=AGENT),
    ] = None,
    theta: Annotated[
        str | None, typer.Option(help="θ of A.", show_default="the agent's own: the author's")
    ] = None,
    versus: Annotated[
        str | None, typer.Option(help="θ of B.", show_default=f"for mcmdp alone: {VERSUS}")
    ] = None,
    games: Annotated[int | None, whole("Games of each.", show_default=f"{N_GAMES}")] = None,
    seed: Annotated[
        int | None, whole("The first game's seed, the same for both.", show_default="0")
    ] = None,
    jobs: JobsOption = None,
    study: Annotated[
        str | None, typer.Option(help="In place of playing: a study, by name or storage URL.")
    ] = None,
    point: Annotated[
        list[str] | None,
        typer.Option(
            help="Its validated point, by key; at most two.",
            show_default="two neighbours with the most games",
        ),
    ] = None,
    standard_error: Annotated[
        list[float] | None,
        decimal("A wanted standard error, in points; repeatable.", "--standard-error"),
    ] = None,
    output: OutputOption = None,
    name: NameOption = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Say how many games make a trial: standard errors, and how often n games rank two θ wrongly.

    Stopped, a run with --output goes on where it was: each finished game is kept in its folder.
    """
    from study.experiments.game_summary import check_2048
    from study.reproduce.sample_size.games import (
        MOST_GAMES,
        choose_points,
        samples_of_points,
        samples_played,
    )
    from study.reproduce.sample_size.means import check_errors
    from study.reproduce.sample_size.measured import measure
    from study.reproduce.sample_size.report import write
    from study.reproduce.sample_size.tables import sections_of
    from study.store.manifest import provenance

    check_errors(standard_error or [])
    options = {"--theta": theta, "--versus": versus, "--games": games, "--seed": seed}
    options = {"AGENT": agent, **options, "--jobs": jobs}
    if study is not None:
        for option, value in options.items():
            if value is not None:
                raise InputError(f"study: --study and {option} given, one of the two allowed")
    elif point or name is not None:
        raise InputError(f"study: {'--point' if point else '--name'} given without --study")
    out = console()
    made_by = provenance()
    if study is None:
        agent = AGENT if agent is None else agent
        if agent == AGENT and theta is None and versus is None:
            versus = VERSUS
        first, n_games = 0 if seed is None else seed, N_GAMES if games is None else games
        check_range("games", n_games, 2, MOST_GAMES)
        seeds = range(first, first + n_games)
        with rows_reported():
            samples = samples_played(agent, (theta, versus), seeds, jobs, output, out)
    else:
        with reading(study, name, results) as (_, _, data):
            check_2048(f"study: {study!r}", data.experiment.summary.game)
            points = choose_points(data.points, point or [])
        samples = samples_of_points(points, data.experiment, output)
    measured = measure(samples, standard_error or [])
    for section in sections_of(measured):
        out.print(section.table())
        out.print()
    if output is not None:
        paths = write(measured, output, made_by)
        out.print(f"written: {', '.join(str(path) for path in paths)}", soft_wrap=True)
