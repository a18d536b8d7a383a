"""Studies side by side: hypervolumes of their validated fronts, with intervals.

Each study was validated on seeds that its search never used, so the choice of points does not bias
the means that are compared. Baselines are left out, because all studies share them.
"""

import math
from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from thetafront.study.charts.axes import area_axis, axis_span, field_values
from thetafront.study.charts.chart import BLUE, ORANGE, Axis, Chart, Kind, Layer, Panel, Row
from thetafront.study.charts.comparison import first_difference
from thetafront.study.charts.picture import picture
from thetafront.study.errors import InputError
from thetafront.study.estimate import t_interval
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives.goals import Goal
from thetafront.study.log.study_data import StudyData
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.played_rows import validated_hypervolume
from thetafront.study.report.sections import markdown_table
from thetafront.study.report.validated_rows import without_baselines
from thetafront.study.text import counted

INTERVAL = ["hypervolume", "hypervolume_low95", "hypervolume_high95"]
STUDY = Kind("a study, 95% interval", BLUE)
MEAN = Kind("their mean, 95% interval", ORANGE, "diamond")
HEIGHT_PER_SAMPLER, SPREAD = 70, 0.8  # in pixels; as a share of the distance between two samplers


def check_comparable(experiments: Sequence[Experiment]) -> None:
    """Raise InputError for studies of different experiments, or with different goals or costs."""
    first, *others = experiments
    differs = next(filter(None, (first_difference(each, first) for each in others)), "")
    if differs or any(each.name != first.name for each in others):
        names = ", ".join(f"{each.name} by {each.cost.name}" for each in experiments)
        what = f"; {differs} differs" if differs else "; thetafront report compares them"
        raise InputError(f"studies must have the same experiment and cost (got {names}{what})")


def common_reference(studies: Sequence[StudyData], goal: Goal) -> tuple[float, float] | None:
    """Return the common reference point: for each objective, the worst value of all studies."""
    found = [each.reference for each in studies if each.reference is not None]
    if not found:
        return None
    scores, costs = zip(*found, strict=True)
    return goal.sign * min(goal.sign * each for each in scores), max(costs)


def compare_frame(studies: Sequence[StudyData]) -> pd.DataFrame:
    """Return one row per study: its samplers, its games, and its validated hypervolume.

    The last two columns have the reference point, which is the same in all rows. InputError if a
    study has no validated points.
    """
    experiment, rows = studies[0].experiment, []
    reference = common_reference(studies, experiment.goal)
    worst, max_cost = reference or (math.nan, math.nan)
    for data in studies:
        points = without_baselines(Analysis(data).rows, data.experiment)
        if not points:
            raise InputError(
                f"study: {data.name!r} has no validated points; run thetafront validate {data.name}"
            )
        complete = data.complete_trials
        samplers = sorted({trial.origin for trial in complete} - {"design"})
        volume, low, high = validated_hypervolume(points, experiment, reference)
        if math.isnan(volume):
            raise InputError(
                f"study: {data.name!r} has too few validation games for a hypervolume; run "
                f"thetafront validate {data.name}"
            )
        rows.append(
            {
                "study": data.name,
                "sampler": " + ".join(samplers) or "design",
                "seed": data.record.seed,
                "n_trials": len(complete),
                "n_games": sum(len(trial.games) for trial in complete),
                "n_validated_points": len(points),
                "n_validation_games": sum(int(row["n_games"]) for row in points),
                "hypervolume": volume,
                "hypervolume_low95": low,
                "hypervolume_high95": high,
                f"reference_{experiment.goal.name}": worst,
                f"reference_{experiment.cost.name}": max_cost,
            }
        )
    return pd.DataFrame(rows)


def compare_markdown(frame: pd.DataFrame, experiment: Experiment) -> str:
    """Write two tables as Markdown: one row per study, and one per sampler.

    The reference point follows, unless it is unknown.
    """
    goal, cost = experiment.goal, experiment.cost
    area = goal.format.area
    studies = [
        (
            row["study"],
            row["sampler"],
            f"{row['seed']}",
            f"{row['n_trials']}, {row['n_games']:,}",
            f"{row['n_validated_points']}, {row['n_validation_games']:,}",
            f"{area(row['hypervolume'])} ({area(row['hypervolume_low95'])} to "
            f"{area(row['hypervolume_high95'])})",
        )
        for _, row in frame.iterrows()
    ]
    samplers = []
    for sampler, rows in frame.groupby("sampler", sort=False):
        found = t_interval(rows["hypervolume"].to_numpy(float))
        ends = f"{area(found.low)} to {area(found.high)}" if math.isfinite(found.low) else "?"
        samplers.append((str(sampler), f"{len(rows)}", f"{area(found.value)} ({ends})"))
    columns = ["study", "sampler", "seed", "trials, games", "validated points, games"]
    by_study = markdown_table([*columns, "hypervolume, 95% interval"], studies, "llrrrr")
    columns = ["sampler", "studies", "mean hypervolume, 95% interval"]
    tables = f"{by_study}\n\n{markdown_table(columns, samplers)}\n"
    worst, max_cost = frame.iloc[0][[f"reference_{each.name}" for each in (goal, cost)]]
    if math.isnan(worst):
        return tables
    point = f"{goal.format.with_unit(worst)} at {cost.in_words(max_cost)}"
    depends = "" if experiment.reference_point else "; it depends on which studies are compared"
    return f"{tables}\nReference point of all hypervolumes: {point}{depends}.\n"


def compare_figure(frame: pd.DataFrame, experiment: Experiment) -> Figure:
    """Draw the hypervolumes of :func:`compare_frame` with their intervals, one row per sampler."""
    studies: list[Row] = []
    means: list[Row] = []
    names = {}
    for k, (sampler, part) in enumerate(frame.groupby("sampler", sort=False)):
        names[float(k)] = f"{sampler} ({len(part)} {'study' if len(part) == 1 else 'studies'})"
        for j, (x, low, high) in enumerate(part[INTERVAL].to_numpy(float).tolist(), 1):
            y = k + SPREAD * (j / (len(part) + 2) - 0.5)
            studies.append({"x": x, "low": low, "high": high, "y": y})
        found = t_interval(part["hypervolume"].to_numpy(float))
        y = k + SPREAD * ((len(part) + 1) / (len(part) + 2) - 0.5)
        means.append({"x": found.value, "low": found.low, "high": found.high, "y": y})
    known = [each for each in means if math.isfinite(each["low"])]  # means of two or more studies
    layers = [
        Layer("rule", STUDY, studies, x="low", x2="high"),
        Layer("point", STUDY, studies, size=50),
        Layer("rule", MEAN, known, x="low", x2="high"),
        Layer("point", MEAN, means, size=90),
    ]
    ends = axis_span([*frame[INTERVAL].to_numpy(float).flat, *field_values(known, "low", "high")])
    y_axis = Axis("", len(names) - 0.5, -0.5, names, has_grid=False)
    panel = Panel(area_axis(experiment.goal, ends), y_axis, layers, HEIGHT_PER_SAMPLER * len(names))
    searches = {
        f"{counted(n_trials, 'trial')}, {counted(n_games, 'game')}"
        for n_trials, n_games in frame[["n_trials", "n_games"]].to_numpy(int).tolist()
    }
    text = (
        "The hypervolume of each study's validated front, from games on seeds that no search used; "
        f"larger is better. Each study's search: {'; '.join(sorted(searches))}. Intervals for "
        "means: Student's t over the studies."
    )
    title = "Validated hypervolume by sampler"
    return picture(Chart("compare", title, text, panels=[[panel]], subject=experiment.title))
