"""Commands that read studies: status, front, pick, plot, export, compare."""

import json
from typing import Annotated

import typer

from study.cli.options import (
    RESULTS,
    JsonOption,
    NameOption,
    OutputOption,
    ResultsOption,
    StudyArgument,
    decimal,
    reading,
    study_names,
)
from study.cli.program import app, console
from study.errors import InputError


@app.command()
def status(study: StudyArgument, name: NameOption = None, results: ResultsOption = RESULTS) -> None:
    """Show how far a study is, even while its sweep runs."""
    from study.report.status import status_lines

    with reading(study, name, results) as (_, location, data):
        lines = status_lines(data, location)
    console().print("\n".join(lines), soft_wrap=True)


@app.command()
def front(study: StudyArgument, name: NameOption = None, results: ResultsOption = RESULTS) -> None:
    """Print a study's front, validated or else predicted."""
    from study.report.front_tables import print_front

    with reading(study, name, results) as (_, _, data):
        print_front(console(), data)


@app.command()
def plot(study: StudyArgument, name: NameOption = None, results: ResultsOption = RESULTS) -> None:
    """Draw a study's figures into its folder."""
    from study.report.export import draw

    with reading(study, name, results) as (_, location, data):
        for path in draw(data, location.folder):
            print(path)


@app.command()
def export(study: StudyArgument, name: NameOption = None, results: ResultsOption = RESULTS) -> None:
    """Write a study's tables, manifest and figures."""
    from study.report.export import export as write

    with reading(study, name, results) as (_, location, data):
        for path in write(data, location, location.folder):
            print(path)


@app.command()
def pick(
    study: StudyArgument = "mcmdp",
    seconds_per_move: Annotated[
        float | None, decimal("What a move may cost, in seconds.", "--seconds-per-move")
    ] = None,
    playout_moves_per_move: Annotated[
        float | None, decimal("The same, for a study of that cost.", "--playout-moves-per-move")
    ] = None,
    backups_per_move: Annotated[
        float | None, decimal("The same, for a study of that cost.", "--backups-per-move")
    ] = None,
    solving_seconds: Annotated[
        float | None,
        decimal("What solving may cost, in seconds; a study of that cost.", "--solving-seconds"),
    ] = None,
    n_sweeps: Annotated[
        float | None, decimal("The same, for a study of that cost.", "--n-sweeps")
    ] = None,
    score: Annotated[float | None, decimal("The mean score wanted.", "--score")] = None,
    win_rate: Annotated[
        float | None, decimal("The win rate wanted, 0 to 1; a study of that goal.", "--win-rate")
    ] = None,
    json_: JsonOption = False,
    name: NameOption = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Choose a validated θ for a budget or a target.

    Estimates what to expect of it from games that did not choose it.
    """
    from study.report.recommend import pick as choose
    from study.report.recommend import pick_json, pick_text

    limits = {
        "seconds_per_move": seconds_per_move,
        "playout_moves_per_move": playout_moves_per_move,
        "backups_per_move": backups_per_move,
        "solving_seconds": solving_seconds,
        "n_sweeps": n_sweeps,
    }
    goals = {"score": score, "win_rate": win_rate}
    with reading(study, name, results) as (_, _, data):
        experiment = data.experiment
        for cost, limit in limits.items():
            if limit is not None and cost != experiment.cost.name:
                raise InputError(
                    f"pick: --{cost.replace('_', '-')} given; the study's cost is "
                    f"{experiment.cost.name}"
                )
        for goal, wanted in goals.items():
            if wanted is not None and goal != experiment.goal.name:
                raise InputError(
                    f"pick: --{goal.replace('_', '-')} given; the study's goal is {experiment.goal.name}"
                )
        limit, wanted = limits[experiment.cost.name], goals[experiment.goal.name]
        picked = choose(data, limit, wanted)
    if json_:
        print(json.dumps(pick_json(picked, experiment)))
    else:
        console().print(pick_text(picked, experiment), soft_wrap=True)


@app.command()
def compare(
    studies: Annotated[
        list[str],
        typer.Argument(help="Names of studies, or storage URLs.", autocompletion=study_names),
    ],
    output: OutputOption = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Compare the validated fronts of several studies.

    Draws one figure, and prints hypervolumes with intervals.
    """
    from study.report.compare import compare_figure, compare_frame, compare_markdown, compared_study
    from study.report.style import save
    from study.report.tables import write_csv, write_text
    from study.store.location import make_folder
    from study.store.manifest import provenance, write_json

    if len(set(studies)) < len(studies):
        raise InputError(f"studies: {', '.join(studies)} given, each once allowed")
    entries, experiments = [], []
    for study in studies:
        with reading(study, None, results) as (_, _, data):
            entries.append(compared_study(data))
            experiments.append(data.experiment)
    if any(each != experiments[0] for each in experiments):
        names = ", ".join(f"{each.name} by {each.cost.name}" for each in experiments)
        raise InputError(f"studies: of {names} given; of one experiment and cost allowed")
    frame = compare_frame(entries, experiments[0])
    if output is not None:
        make_folder(output, "output")
        write_csv(frame, output / "compare.csv")
        write_text(compare_markdown(frame, experiments[0].goal), output / "compare.md")
        save(compare_figure(entries, experiments[0]), output / "compare.png")
        write_json(provenance(), output / "manifest.json")
    print(compare_markdown(frame, experiments[0].goal), end="")
