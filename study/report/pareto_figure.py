"""The figure of a front: the goal against cost."""

from collections.abc import Iterator, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives import Goal
from thetafront.study.experiments.space import CategoricalParameter
from thetafront.study.report.labels import number_points
from thetafront.study.report.style import (
    BLACK,
    BLUE,
    CHOICE_MARKS,
    GREEN,
    GREY,
    RED,
    STYLE,
    caption,
    cost_axis,
    goal_axis,
    new_figure,
)
from thetafront.study.report.tables import games_note
from thetafront.study.report.validated_rows import (
    cost_columns,
)

FAINT: dict[str, Any] = {"alpha": 0.6, "markersize": 4.5, "markeredgewidth": 0}
# A legend beside the axes: inside it would hide points.
BESIDE: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5), "fontsize": 8.5}
ROWS_PER_MARK = 6  # of the predicted front, for the marks of a categorical parameter
HEADROOM = 1.25  # of the range of points and bands, within which the y axis ends


def validated_bars(
    axes: Axes, frame: pd.DataFrame, experiment: Experiment, label: str, **style: Any
) -> None:
    """Draw validated points with their 95% intervals, of the cost, too, where it is known.

    A point with too few games to tell its cost's interval has that of the combined model.
    """
    goal, cost = experiment.goal, experiment.cost
    mean, costs = frame[goal.column("mean")], frame[cost.name]
    errors = [mean - frame[goal.column("low95")], frame[goal.column("high95")] - mean]
    has_width = not goal.is_exact
    ends = []
    for name in cost_columns(cost)[1:]:
        if name in frame:  # a table of an earlier version has no intervals of costs
            relative = frame[f"combined_{name}"] / frame[f"combined_{cost.name}"]
            ends.append((frame[name].fillna(costs * relative) - costs).abs().fillna(0.0))
    axes.errorbar(
        costs,
        mean,
        xerr=ends or None,
        yerr=[each.fillna(0.0) for each in errors] if has_width else None,
        linestyle="none",
        elinewidth=1.1,
        capsize=2,
        label=label,
        **style,
    )


def choice_of(experiment: Experiment) -> CategoricalParameter | None:
    """Return the categorical parameter that is marked: the first that is always active, if any."""
    return next((each for each in experiment.space.categorical if not each.when), None)


def draw_predicted(axes: Axes, predicted: pd.DataFrame, experiment: Experiment) -> None:
    """Draw the front that the trials predict with its band, and marks of the choices, if any."""
    cost, goal, choice = experiment.cost, experiment.goal, choice_of(experiment)
    axes.plot(
        predicted[cost.name],
        predicted[goal.posterior_column("mean")],
        color=BLUE,
        linewidth=1.2,
        linestyle="--",
        zorder=2,
        label="front that the trials predict",
    )
    axes.fill_between(
        predicted[cost.name],
        predicted[goal.posterior_column("low95")].clip(*goal.limits),
        predicted[goal.posterior_column("high95")].clip(*goal.limits),
        color=BLUE,
        alpha=0.12,
        linewidth=0,
        zorder=1,
        label="its 95% band",
    )
    if choice is not None:
        for part, colour, marker in by_choice(predicted.iloc[::ROWS_PER_MARK], choice):
            x, y = part[cost.name], part[goal.posterior_column("mean")]
            axes.plot(x, y, marker, color=colour, markersize=5, markeredgecolor="white", zorder=3)


def draw_combined(axes: Axes, combined: pd.DataFrame, experiment: Experiment) -> None:
    """Draw the front given trials and validation games, with its 95% band."""
    goal, costs = experiment.goal, combined[f"combined_{experiment.cost.name}"]
    mean, low, high = (
        combined[goal.combined_column(each)].clip(*goal.limits)
        for each in ("mean", "low95", "high95")
    )
    axes.plot(costs, mean, color=GREEN, linewidth=1.7, zorder=2, label="front, given all games")
    axes.fill_between(
        costs, low, high, color=GREEN, alpha=0.22, linewidth=0, zorder=1, label="its 95% band"
    )


def draw_certificate(axes: Axes, certificate: pd.DataFrame, experiment: Experiment) -> None:
    """Shade what there may be left to win: from the recommended θ to its bound, at each budget."""
    goal = experiment.goal
    reached = certificate[goal.combined_column("mean")]
    axes.fill_between(
        certificate[f"{experiment.cost.name}_limit"],
        reached,
        (reached + goal.sign * certificate["regret_bound95"]).clip(*goal.limits),
        color=GREY,
        alpha=0.18,
        linewidth=0,
        step="post",
        zorder=0,
        label="what may be left to win\n(95%, at all budgets at once)",
    )


def band_note(predicted: pd.DataFrame, goal: Goal) -> str:
    """Say which part of the predicted front's error is common to all of it."""
    common, local = (goal.posterior_column(f"sd_{part}") for part in ("common", "local"))
    if goal.is_exact or common not in predicted:
        return ""
    shared, own = predicted[common].iloc[0], float(np.sqrt((predicted[local] ** 2).mean()))
    return (
        f" Standard deviation of its error: {goal.format.error_with_unit(shared)} in common, by "
        f"which it is off as a whole, and {goal.format.error(own)} at each point."
    )


def by_choice(
    frame: pd.DataFrame, choice: CategoricalParameter | None
) -> Iterator[tuple[pd.DataFrame, str, str]]:
    """Group a table by choice; yield each group with its colour and marker.

    Without a categorical parameter there is one group, orange dots. Beyond six choices, colours and
    markers repeat.
    """
    if choice is None:
        yield frame, RED, "o"
        return
    for number, value in enumerate(choice.choices):
        part = frame[frame[choice.name] == value]
        if len(part):
            yield part, *CHOICE_MARKS[number % len(CHOICE_MARKS)]


def draw_trials(axes: Axes, complete: pd.DataFrame, experiment: Experiment) -> None:
    """Draw the trials' observed means."""
    choice = choice_of(experiment)
    label = "trials" if experiment.goal.is_exact else "trials, observed means"
    for part, colour, marker in by_choice(complete, choice):
        axes.plot(
            part[experiment.cost.name],
            part[experiment.goal.column("mean")],
            marker,
            color=GREY if choice is None else colour,
            **FAINT,
            zorder=0,
            label=label if choice is None else "",
        )


def draw_validated(
    axes: Axes, frame: pd.DataFrame, experiment: Experiment, label: str, hollow: bool
) -> None:
    """Draw validated points with their intervals, marked by choice."""
    choice = choice_of(experiment)
    for part, colour, marker in by_choice(frame, choice):
        style: dict[str, Any] = {"markerfacecolor": "white"} if hollow else {}
        style |= {"color": colour, "ecolor": colour, "marker": marker, "markersize": 6, "zorder": 4}
        validated_bars(axes, part, experiment, label if choice is None else "", **style)


def choice_legend(
    axes: Axes, frames: list[pd.DataFrame], choice: CategoricalParameter, n_validated: int
) -> None:
    """Explain colours and markers of choices, and faint, full and hollow ones."""

    def entry(marker: str, label: str, **style: Any) -> Line2D:
        return Line2D([], [], linestyle="none", marker=marker, label=label, **style)

    everything = pd.concat([frame[[choice.name]] for frame in frames])
    by_mark = [
        entry(marker, f"{choice.label} = {part[choice.name].iloc[0]}", color=colour, markersize=6)
        for part, colour, marker in by_choice(everything, choice)
    ]
    kinds = [entry("o", "trials, observed means", color=GREY, **FAINT)]
    if n_validated:
        kinds += [
            entry("o", "validated, on the front", color=GREY, markersize=6),
            entry("o", "validated, dominated", color=GREY, mfc="white", markersize=6),
        ]
    drawn, _ = axes.get_legend_handles_labels()
    axes.legend(handles=[*by_mark, *kinds, *drawn], **BESIDE)


@mpl.rc_context(STYLE)
def pareto_figure(
    trials: pd.DataFrame,
    validated: pd.DataFrame,
    predicted: pd.DataFrame,
    experiment: Experiment,
    combined: pd.DataFrame | None = None,
    certificate: pd.DataFrame | None = None,
) -> Figure:
    """Draw the goal against cost: trials, fronts, validated points with intervals.

    Colours and markers tell the choices of the first categorical parameter, if there is one.

    Parameters
    ----------
    trials, validated, predicted : DataFrame
        From :mod:`study.report.tables` and :mod:`study.report.validated_front`. One trial at least
        is complete; ``validated`` may be empty.
    experiment : Experiment
        For the title, goal, cost and symbols.
    combined : DataFrame, optional
        The front given validation games, too; tables of an earlier version have none.
    certificate : DataFrame, optional
        Bounds of what recommended θ may miss (:mod:`study.report.certificate`).
    """
    cost, goal = experiment.cost, experiment.goal
    complete = trials[trials["state"] == "complete"]
    choice = choice_of(experiment)
    figure, axes = new_figure(10.8, 5.6)
    draw_trials(axes, complete, experiment)
    draw_predicted(axes, predicted, experiment)
    if combined is not None and len(validated):
        draw_combined(axes, combined, experiment)
    if certificate is not None and len(validated):
        draw_certificate(axes, certificate, experiment)
    is_baseline = validated["origin"].isin(list(experiment.baselines))
    on_front = validated["on_front"].astype(bool)
    searched = validated[~is_baseline]
    best, dominated = searched[on_front[~is_baseline]], searched[~on_front[~is_baseline]]
    if len(best):
        draw_validated(axes, best, experiment, "validated, on the front", hollow=False)
    if len(dominated):
        draw_validated(axes, dominated, experiment, "validated, dominated", hollow=True)
    for _, row in validated[is_baseline].iterrows():
        theta = ", ".join(each.text(row[each.name]) for each in experiment.space)
        label = f"validated, {row['origin']} ({row['number']}):\n({theta})"
        one = row.to_frame().T.infer_objects()
        style: dict[str, Any] = {"marker": "D", "markersize": 7, "color": BLACK, "zorder": 5}
        validated_bars(axes, one, experiment, label, **style)
    cost_axis(axes, cost)
    goal_axis(axes, goal, goal.axis_label)
    is_cut = cut_above(axes, [complete, validated, predicted, combined], goal)
    axes.set_title(f"{experiment.title}: {goal.label} against {cost.label}")
    if choice is None:
        axes.legend(**BESIDE)
    else:
        choice_legend(axes, [complete, searched, predicted], choice, len(searched))
    luck = "" if goal.is_exact else "; the best observed means are mostly luck"
    note = f"{games_note(complete, 'trial')}{luck}."
    if choice is not None:
        note += f" Marks on the line: {choice.label} of the θ predicted there."
    if len(validated):
        how = "on seeds that the search never used; bars: 95% intervals"
        if goal.is_exact:
            how = "played again; values are exact, times are measured"
        elif is_cut:
            how += ", some of them cut"
        note += (
            f"\nNumbers: rows of front.csv. Validated: {games_note(validated, 'point')}, {how}. "
            f"The dashed front is of the trials alone.{band_note(predicted, goal)}"
        )
    else:
        note += f"\nNothing is validated yet.{band_note(predicted, goal)}"
    caption(figure, note)
    columns = [cost.name, *(goal.column(each) for each in ("mean", "low95", "high95"))]
    ends = validated[columns].astype(float).ffill(axis=1)  # a single game has no interval
    texts = [f"{number}" for number in validated["number"]]
    number_points(figure, axes, ends.itertuples(index=False, name=None), texts)
    return figure


def cut_above(axes: Axes, tables: Sequence[pd.DataFrame | None], goal: Goal) -> bool:
    """Cut the y axis above all points and bands; return whether that cuts intervals.

    Where the goal has no lower limit, also below them. The interval of two or three games may be
    ten times as long as all else.
    """
    if goal.is_share:
        return False

    def of_all(end: str) -> Iterator[pd.Series]:
        names = {goal.column("mean"), goal.posterior_column(end), goal.combined_column(end)}
        return (frame[name] for frame in tables if frame is not None for name in names & {*frame})

    highest, least = max(each.max() for each in of_all("high95")), goal.limits[0]
    lowest = min(each.min() for each in of_all("low95")) if least is None else least
    room = HEADROOM * (highest - lowest)
    if room <= 0.0:
        return False
    (bottom, top), is_cut = axes.get_ylim(), False
    if top > lowest + room:
        axes.set_ylim(top=lowest + room)
        is_cut = True
    if least is None and bottom < highest - room:
        axes.set_ylim(bottom=highest - room)
        is_cut = True
    return is_cut
