"""Studies side by side: validated fronts in one figure, hypervolumes with intervals.

Each study was validated on seeds that its search never used, so the means compared are unbiased by
choosing. Baselines, which all studies share, do not count.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from thetafront.study.charts.axes import cost_axis, goal_axis, span_of, values_of
from thetafront.study.charts.chart import Chart, Kind, Layer, Panel
from thetafront.study.charts.comparison import COLOURS
from thetafront.study.charts.front import point_rows
from thetafront.study.charts.picture import picture
from thetafront.study.errors import InputError
from thetafront.study.estimate import t_interval
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives import Goal
from thetafront.study.log.study_data import StudyData
from thetafront.study.pareto import nondominated
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.sections import markdown_table
from thetafront.study.report.tables import games_note
from thetafront.study.report.validated_rows import validated_hypervolume, without_baselines
from thetafront.study.text import counted


@dataclass(frozen=True)
class ComparedStudy:
    """One study of a comparison."""

    # The study's name, and who proposed its trials.
    name: str
    sampler: str
    # Its seed, complete trials, and games of the search.
    seed: int
    n_trials: int
    n_games: int
    validated: pd.DataFrame  # its validated points, without baselines, the cheapest first
    # Its reference point; None if no trial is complete and the experiment has none.
    reference: tuple[float, float] | None


def check_comparable(experiments: Sequence[Experiment]) -> None:
    """Refuse, by InputError, studies of different experiments; one of them may be widened."""
    first = experiments[0]
    if any(replace(each, space=first.space) != first for each in experiments):
        names = ", ".join(f"{each.name} by {each.cost.name}" for each in experiments)
        raise InputError(f"studies must be of one experiment and cost (got {names})")


def compared_study(data: StudyData) -> ComparedStudy:
    """Return a study's part in a comparison; InputError if nothing of it is validated."""
    rows = without_baselines(Analysis(data).rows, data.experiment)
    if not rows:
        raise InputError(
            f"study: {data.name!r} has no validated points (thetafront validate {data.name})"
        )
    complete = [trial for trial in data.trials if trial.state == "complete"]
    samplers = sorted({trial.origin for trial in complete} - {"design"})
    return ComparedStudy(
        name=data.name,
        sampler=" + ".join(samplers) or "design",
        seed=data.record.seed,
        n_trials=len(complete),
        n_games=sum(len(trial.games) for trial in complete),
        validated=pd.DataFrame(rows),
        reference=data.reference,
    )


def common_reference(entries: Sequence[ComparedStudy], goal: Goal) -> tuple[float, float] | None:
    """Return the reference point for all studies: in both objectives the worst of theirs."""
    found = [entry.reference for entry in entries if entry.reference is not None]
    if not found:
        return None
    scores, costs = zip(*found, strict=True)
    return goal.sign * min(goal.sign * each for each in scores), max(costs)


def compare_frame(entries: Sequence[ComparedStudy], experiment: Experiment) -> pd.DataFrame:
    """Return one row a study: its validated hypervolume with its 95% interval."""
    rows, reference = [], common_reference(entries, experiment.goal)
    for entry in entries:
        points = entry.validated.to_dict("records")
        volume, low, high = validated_hypervolume(points, experiment, reference)
        rows.append(
            {
                "study": entry.name,
                "sampler": entry.sampler,
                "seed": entry.seed,
                "n_trials": entry.n_trials,
                "n_games": entry.n_games,
                "n_validated_points": len(entry.validated),
                "n_validation_games": int(entry.validated["n_games"].sum()),
                "hypervolume": volume,
                "hypervolume_low95": low,
                "hypervolume_high95": high,
            }
        )
    return pd.DataFrame(rows)


def compare_markdown(frame: pd.DataFrame, goal: Goal) -> str:
    """Write two tables as Markdown: a row a study, and a row a sampler."""
    area = goal.format.area
    studies = [
        (
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
        error = area(found.sem) if math.isfinite(found.sem) else "?"
        samplers.append((str(sampler), f"{len(rows)}", f"{area(found.value)} ± {error}"))
    columns = ["sampler", "seed", "trials, games", "validated points, games"]
    by_study = markdown_table([*columns, "hypervolume, 95% interval"], studies)
    columns = ["sampler", "studies", "hypervolume, mean ± standard error"]
    return f"{by_study}\n\n{markdown_table(columns, samplers)}\n"


def compare_figure(entries: Sequence[ComparedStudy], experiment: Experiment) -> Figure:
    """Draw all validated fronts, by the points' own games: a colour a sampler, a line a study."""
    cost, goal = experiment.cost, experiment.goal
    counts = Counter(entry.sampler for entry in entries)
    kinds = {
        sampler: Kind(
            f"{sampler} ({n} {'study' if n == 1 else 'studies'})", COLOURS[k % len(COLOURS)]
        )
        for k, (sampler, n) in enumerate(counts.items())
    }
    layers, every = [], []
    for entry in entries:
        points = point_rows(entry.validated, experiment)
        chosen = nondominated(
            goal.sign * np.array(values_of(points, "y")), np.array(values_of(points, "x"))
        )
        front, kind = [points[k] for k in chosen], kinds[entry.sampler]
        every += front
        layers += [
            Layer("step", kind, front, size=1.2, opacity=0.8),
            Layer("rule", kind, front, y="low", y2="high", size=1.2, opacity=0.8),
            Layer("point", kind, front, size=40, opacity=0.8),
        ]
    searches = sorted(
        {f"{counted(each.n_trials, 'trial')}, {counted(each.n_games, 'game')}" for each in entries}
    )
    x = cost_axis(cost, values_of(every, "x"))
    ends = span_of(values_of(every, "y"), values_of(every, "low", "high"))
    y = goal_axis(goal, ends, f"validated {goal.axis_label}")
    played = games_note(pd.concat([each.validated for each in entries]), "point")
    text = (
        f"A line a study ({'; '.join(searches)} of search each): {played} on seeds that no search "
        "used; bars: 95% intervals."
    )
    panels, title = [[Panel(x, y, layers)]], "Validated fronts by sampler"
    return picture(Chart("compare", title, text, panels=panels, subject=experiment.title))
