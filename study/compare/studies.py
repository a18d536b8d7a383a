"""Studies side by side: validated fronts in one figure, hypervolumes with intervals.

Each study was validated on seeds that its search never used, so the means compared are unbiased by
choosing. Baselines, which all studies share, do not count.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from thetafront.study.errors import InputError
from thetafront.study.estimate import t_interval
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives import Goal
from thetafront.study.log.study_data import StudyData
from thetafront.study.pareto import nondominated
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.sections import markdown_table
from thetafront.study.report.style import STYLE, caption, cost_axis, goal_axis, new_figure
from thetafront.study.report.validated_rows import (
    validated_hypervolume,
    without_baselines,
)
from thetafront.study.text import counted

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#8C8C8C", "#E69F00", "#56B4E9")


@dataclass(frozen=True)
class ComparedStudy:
    """One study of a comparison.

    Attributes
    ----------
    name, sampler : str
        The study's name, and who proposed its trials.
    seed, n_trials, n_games : int
        Its seed, complete trials, and games of the search.
    validated : DataFrame
        Its validated points, without baselines, the cheapest first.
    reference : (float, float), optional
        Its reference point; None if no trial is complete and the experiment has none.
    """

    name: str
    sampler: str
    seed: int
    n_trials: int
    n_games: int
    validated: pd.DataFrame
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


@mpl.rc_context(STYLE)
def compare_figure(entries: Sequence[ComparedStudy], experiment: Experiment) -> Figure:
    """Draw all validated fronts, by the points' own games: a colour a sampler, a line a study."""
    cost, goal = experiment.cost, experiment.goal
    figure, axes = new_figure(8.6, 5.6)
    samplers = list(dict.fromkeys(entry.sampler for entry in entries))
    dearest = max(float(entry.validated[cost.name].max()) for entry in entries)
    for entry in entries:
        colour = COLOURS[samplers.index(entry.sampler) % len(COLOURS)]
        first = next(each for each in entries if each.sampler == entry.sampler) is entry
        n_studies = sum(each.sampler == entry.sampler for each in entries)
        noun = "study" if n_studies == 1 else "studies"
        means, costs = (entry.validated[each] for each in (goal.column("mean"), cost.name))
        front = entry.validated.iloc[nondominated(goal.sign * means.to_numpy(), costs.to_numpy())]
        means = front[goal.column("mean")]
        axes.plot(
            [*front[cost.name], dearest],
            [*means, means.iloc[-1]],
            drawstyle="steps-post",
            color=colour,
            linewidth=1.1,
            alpha=0.8,
        )
        axes.errorbar(
            front[cost.name],
            means,
            yerr=[
                np.nan_to_num(means - front[goal.column("low95")]),
                np.nan_to_num(front[goal.column("high95")] - means),
            ],
            fmt="o",
            color=colour,
            markersize=4,
            elinewidth=0.8,
            alpha=0.8,
            label=f"{entry.sampler} ({n_studies} {noun})" if first else None,
        )
    cost_axis(axes, cost)
    goal_axis(axes, goal, f"validated {goal.axis_label}")
    axes.set_title(f"{experiment.title}: validated fronts by sampler")
    axes.legend(loc="lower right" if goal.sign > 0 else "upper right", fontsize=8.5)
    searches = sorted(
        {
            f"{counted(entry.n_trials, 'trial')}, {counted(entry.n_games, 'game')}"
            for entry in entries
        }
    )
    counts = pd.concat([entry.validated["n_games"] for entry in entries])
    least, most = int(counts.min()), int(counts.max())
    each = counted(least, "game") if least == most else f"{least:,} to {most:,} games"
    caption(
        figure,
        f"A line a study ({'; '.join(searches)} of search each). Points: {each} on seeds that no "
        "search used; bars: 95% intervals.",
    )
    return figure
