"""Commands that compare: compare, equal-time, champions, utilization."""

from pathlib import Path
from typing import Annotated, Any

import typer

from thetafront.study.cli.options import (
    OR_A_FOLDER,
    NameOption,
    OutputOption,
    StudyArgument,
    reading,
    reading_tables,
    study_names,
)
from thetafront.study.cli.program import app, working
from thetafront.study.errors import InputError, check_range
from thetafront.study.run.options import RESULTS, JobsOption, ResultsOption, path, whole
from thetafront.study.terminal.console import console, print_table

MAX_GAMES = 100_000
KEPT = "Output folder. Games already stored in it are not played again."

GamesOption = Annotated[int, whole("Games per table row.", "--games")]
SeedOption = Annotated[
    int, whole("All rows play the same seeds, beginning with N × 1,000,000.", "--seed")
]
FirstStudy = Annotated[str, typer.Argument(help=f"A study, {OR_A_FOLDER}.")]
SecondStudy = Annotated[str, typer.Argument(help="The other study, in the same form.")]


def output_option(name: str) -> Any:
    """Return the option for the folder that a comparison writes to."""
    return path(KEPT, "--output", show_default=str(RESULTS / name))


def parse_seeds(games: int, seed: int) -> range:
    """Return the seeds that all rows play; InputError if a number is out of range."""
    from thetafront.study.log.seeds import MAX_STUDY_SEED, game_seed

    check_range("games", games, 2, MAX_GAMES)
    check_range("seed", seed, 0, MAX_STUDY_SEED)
    return range(game_seed(seed, 0), game_seed(seed, games))


@app.command("equal-time")
def equal_time(
    first: FirstStudy,
    second: SecondStudy,
    games: GamesOption = 1000,
    seed: SeedOption = 1000,
    jobs: JobsOption = None,
    output: Annotated[Path, output_option("equal_time")] = RESULTS / "equal_time",
    results: ResultsOption = RESULTS,
    overlap_only: Annotated[
        bool,
        typer.Option(
            "--overlap-only",
            help="Leave out points whose number of playout moves is outside the other front's "
            "range. This is valid if a playout move takes both agents the same time.",
        ),
    ] = False,
) -> None:
    """Compare the fronts of two studies at equal CPU time.

    Plays both validated fronts again on seeds that neither study has used. The points take turns
    playing, so a change in the machine's speed affects all of them equally. Repeat the command to
    resume after a stop.
    """
    from thetafront.study.compare.comparison import Comparison
    from thetafront.study.compare.equal_time import compare as compare_fronts
    from thetafront.study.compare.equal_time import make_contender, within
    from thetafront.study.compare.scores import validated_front
    from thetafront.study.experiments.objectives.costs import PLAYOUT_MOVES
    from thetafront.study.report.analysis import Analysis
    from thetafront.study.run.workers import check_jobs

    seeds = parse_seeds(games, seed)
    if first == second:
        raise InputError(f"studies must be different (got {first!r} twice)")
    read, fronts = [], []
    for given in (first, second):
        with reading_tables(given, None, results) as (_, data):
            fronts.append(validated_front(Analysis(data)))
        if data.record.seed == seed:
            raise InputError(
                f"seed must be one that neither study has used (got {seed}, which study "
                f"{data.name!r} has used)"
            )
        if overlap_only and PLAYOUT_MOVES.name not in fronts[-1]:
            raise InputError(f"--overlap-only needs studies with playout moves (got {data.name!r})")
        read.append(data)
    if read[0].name == read[1].name:
        raise InputError(f"studies must have different names (got {read[0].name!r} twice)")
    if overlap_only and all(map(len, fronts)):  # a front without points is refused below
        fronts = [within(*fronts), within(*reversed(fronts))]
    contenders = [
        make_contender(data.name, data.experiment, each)
        for data, each in zip(read, fronts, strict=True)
    ]
    settings = {"seed": seed, "games_a_row": games, "overlap_only": overlap_only}
    with Comparison.begun(output, check_jobs(jobs), console(stderr=True)) as run:
        text = compare_fronts(run, contenders, seeds, settings)
    print(text, end="")


@app.command()
def champions(
    network: Annotated[list[str], typer.Option(help="A trained network; repeatable.")],
    front: Annotated[
        list[Path] | None,
        path("Study folder whose front is drawn; repeatable.", show_default="published ones"),
    ] = None,
    games: Annotated[
        int,
        whole(
            "Games at one ply. Two plies get a third as many games, and three plies get a tenth."
        ),
    ] = 300,
    seed: SeedOption = 2000,
    jobs: JobsOption = None,
    output: Annotated[Path, output_option("champions")] = RESULTS / "champions",
) -> None:
    """Plot agents for 2048: score against CPU time.

    Plays each network at several search depths. Repeat the command to resume after a stop.
    """
    from thetafront.agents.twenty48.ntuple.network import trained_network
    from thetafront.study.compare.champions import PUBLISHED, front_rows, show_champions
    from thetafront.study.compare.comparison import Comparison
    from thetafront.study.log.published_study import read_published
    from thetafront.study.run.workers import check_jobs

    seeds = parse_seeds(games, seed)
    try:
        networks = [trained_network(name) for name in dict.fromkeys(network)]
    except ValueError as error:
        raise InputError(str(error)) from None
    fronts = front_rows([read_published(folder)[1] for folder in front or PUBLISHED])
    settings = {"seed": seed, "games_a_row": games}
    with Comparison.begun(output, check_jobs(jobs), console(stderr=True)) as run:
        text = show_champions(run, networks, fronts, seeds, settings)
    print(text, end="")


@app.command()
def compare(
    studies: Annotated[
        list[str],
        typer.Argument(help="Study names or storage URLs.", autocompletion=study_names),
    ],
    output: OutputOption = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Compare the validated fronts of several studies.

    Prints each front's hypervolume, a measure of its quality, with a 95% interval. --output also
    draws the hypervolumes.
    """
    from thetafront.study.charts.picture import save
    from thetafront.study.compare.studies import (
        check_comparable,
        compare_figure,
        compare_frame,
        compare_markdown,
    )
    from thetafront.study.log.location import make_folder
    from thetafront.study.log.manifest import MANIFEST, check_output, provenance, write_json
    from thetafront.study.report.tables import write_csv, write_text

    if len(set(studies)) < len(studies):
        raise InputError(f"studies must each be given once (got {', '.join(studies)})")
    read = []
    for study in studies:
        with reading(study, None, results) as (_, _, data):
            read.append(data)
    experiment = read[0].experiment
    check_comparable([each.experiment for each in read])
    if output is not None:
        make_folder(output, "output")
        check_output(output)
    with working("comparing"):
        frame = compare_frame(read)
        if output is not None:
            write_csv(frame, output / "compare.csv")
            write_text(compare_markdown(frame, experiment), output / "compare.md")
            save(compare_figure(frame, experiment), output / "compare.png")
            write_json(provenance(), output / MANIFEST)
    print(compare_markdown(frame, experiment), end="")


@app.command()
def utilization(
    study: StudyArgument,
    output: OutputOption = None,
    name: NameOption = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Simulate how busy 2 to 256 workers would be.

    The simulation repeats the study's search, using the measured times of its games.
    """
    from thetafront.study.compare.utilization import utilization_frame, utilization_table
    from thetafront.study.log.location import make_folder
    from thetafront.study.report.tables import write_csv

    with reading(study, name, results) as (_, _, data), working("simulating"):
        frame = utilization_frame(data)
    if output is not None:
        make_folder(output, "output")
        write_csv(frame, output / "utilization.csv")
    print_table(console(), utilization_table(frame))
