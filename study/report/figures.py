"""Pictures of a study, from plain data frames.

Every caption says how many games stand behind what is drawn; colours and axes are those of
:mod:`study.report.style`.
"""

from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from study.experiments.definition import Experiment
from study.experiments.space import Choice
from study.report.style import (
    BLACK,
    BLUE,
    GREY,
    RED,
    STYLE,
    WORDS,
    caption,
    cost_axis,
    goal_axis,
    new_figure,
    points_axis,
)
from study.report.validated_front import validated_hypervolume, without_baselines

MOST_LABELS = 12
CURVE_STEP = 6  # rows of the model's front from one sign for its word to the next


def games_note(frame: pd.DataFrame, what: str) -> str:
    """Say how many games the points stand for."""
    counts = sorted(set(frame["n_games"].astype(int)))
    each = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    noun = "game" if each == "1" else "games"
    return f"{len(frame)} {what} of {each} {noun} each, {int(frame['n_games'].sum()):,} in all"


def validated_bars(
    axes: Axes, frame: pd.DataFrame, experiment: Experiment, label: str, **style: Any
) -> None:
    """Draw validated points with their 95% intervals."""
    goal = experiment.goal
    mean = frame[goal.column("mean")]
    errors = [mean - frame[goal.column("low95")], frame[goal.column("high95")] - mean]
    axes.errorbar(
        frame[experiment.cost.name],
        mean,
        yerr=[each.fillna(0.0) for each in errors],
        linestyle="none",
        elinewidth=1.1,
        capsize=2,
        label=label,
        **style,
    )


def choice_of(experiment: Experiment) -> Choice | None:
    """Return the categorical parameter whose words are told apart: the first, if there is one."""
    return next(iter(experiment.space.choices), None)


def draw_curve(axes: Axes, curve: pd.DataFrame, experiment: Experiment) -> None:
    """Draw the model's front with its band, and on it the words of a categorical parameter, if there is one."""
    cost, goal, choice = experiment.cost, experiment.goal, choice_of(experiment)
    axes.plot(
        curve[cost.name],
        curve[goal.posterior_column("mean")],
        color=BLUE,
        linewidth=1.7,
        zorder=2,
        label="front that the model believes in",
    )
    axes.fill_between(
        curve[cost.name],
        curve[goal.posterior_column("low95")],
        curve[goal.posterior_column("high95")],
        color=BLUE,
        alpha=0.16,
        linewidth=0,
        zorder=1,
        label="its 95% band",
    )
    if choice is not None:
        for part, colour, marker in by_choice(curve.iloc[::CURVE_STEP], choice):
            x, y = part[cost.name], part[goal.posterior_column("mean")]
            axes.plot(x, y, marker, color=colour, markersize=5, markeredgecolor="white", zorder=3)


def by_choice(
    frame: pd.DataFrame, choice: Choice | None
) -> Iterator[tuple[pd.DataFrame, str, str]]:
    """Part a table by a categorical parameter's words; yield a part, a colour and a marker for each.

    Without such a parameter all is one part, a red dot. Words beyond the sixth use colours and
    markers again.
    """
    if choice is None:
        yield frame, RED, "o"
        return
    for number, word in enumerate(choice.choices):
        part = frame[frame[choice.name] == word]
        if len(part):
            yield part, *WORDS[number % len(WORDS)]


def draw_trials(axes: Axes, complete: pd.DataFrame, experiment: Experiment) -> None:
    """Draw the trials' observed means, faintly."""
    choice = choice_of(experiment)
    label = "trials" if experiment.goal.is_exact else "trials, observed means"
    for part, colour, marker in by_choice(complete, choice):
        axes.plot(
            part[experiment.cost.name],
            part[experiment.goal.column("mean")],
            marker,
            color=GREY if choice is None else colour,
            alpha=0.4,
            markersize=4,
            markeredgewidth=0,
            zorder=0,
            label=label if choice is None else "",
        )


def draw_validated(
    axes: Axes, frame: pd.DataFrame, experiment: Experiment, label: str, hollow: bool
) -> None:
    """Draw validated points with their intervals; by a categorical parameter's words if there is one."""
    choice = choice_of(experiment)
    for part, colour, marker in by_choice(frame, choice):
        style: dict[str, Any] = {"markerfacecolor": "white"} if hollow else {}
        style |= {"color": colour, "ecolor": colour, "marker": marker, "markersize": 6, "zorder": 4}
        validated_bars(axes, part, experiment, label if choice is None else "", **style)


def choice_legend(axes: Axes, frames: list[pd.DataFrame], choice: Choice, n_validated: int) -> None:
    """Say which colour and marker is which word, and what faint, full and hollow ones are."""

    def sign(marker: str, label: str, **style: Any) -> Line2D:
        return Line2D([], [], linestyle="none", marker=marker, label=label, **style)

    everything = pd.concat([frame[[choice.name]] for frame in frames])
    words = [
        sign(marker, f"{choice.label} = {part[choice.name].iloc[0]}", color=colour, markersize=6)
        for part, colour, marker in by_choice(everything, choice)
    ]
    kinds = [sign("o", "trials, observed means", color=GREY, alpha=0.4, markersize=4)]
    if n_validated:
        kinds += [
            sign("o", "validated, on the front", color=GREY, markersize=6),
            sign("o", "validated, beaten by another", color=GREY, mfc="white", markersize=6),
        ]
    drawn, _ = axes.get_legend_handles_labels()
    # Beside the picture: so many lines would hide points wherever they stood in it.
    axes.legend(
        handles=[*words, *kinds, *drawn],
        loc="center left",
        bbox_to_anchor=(1.01, 0.5),
        fontsize=8.5,
    )


@mpl.rc_context(STYLE)
def pareto_figure(
    trials: pd.DataFrame, validated: pd.DataFrame, curve: pd.DataFrame, experiment: Experiment
) -> Figure:
    """Draw the goal against cost: trials faintly, the model's front, validated points with intervals.

    Where the space has a categorical parameter, its words are told apart by colour and marker
    (those of the first one, if there are several).

    Parameters
    ----------
    trials, validated, curve : DataFrame
        From :mod:`study.report.tables` and :mod:`study.report.validated_front`; ``trials`` has one
        complete trial at least, and ``validated`` may be empty.
    experiment : Experiment
        For the title, goal, cost and symbols.
    """
    cost, goal = experiment.cost, experiment.goal
    complete = trials[trials["state"] == "complete"]
    choice = choice_of(experiment)
    figure, axes = new_figure(8.6 if choice is None else 10.8, 5.6)
    draw_trials(axes, complete, experiment)
    draw_curve(axes, curve, experiment)
    is_baseline = validated["origin"].isin(list(experiment.baselines))
    on_front = validated["on_front"].astype(bool)
    searched = validated[~is_baseline]
    best, beaten = searched[on_front[~is_baseline]], searched[~on_front[~is_baseline]]
    if len(best):
        draw_validated(axes, best, experiment, "validated, on the front", hollow=False)
    if len(beaten):
        draw_validated(axes, beaten, experiment, "validated, beaten by another", hollow=True)
    for _, row in validated[is_baseline].iterrows():
        theta = ", ".join(each.text(row[each.name]) for each in experiment.space)
        gap = " " if choice is None else "\n"
        label = f"validated, {row['origin']}:{gap}({theta})"
        one = row.to_frame().T.infer_objects()
        style: dict[str, Any] = {"marker": "D", "markersize": 7, "color": BLACK, "zorder": 5}
        validated_bars(axes, one, experiment, label, **style)
    cost_axis(axes, cost)
    goal_axis(axes, goal, goal.axis_label)
    axes.set_title(f"{experiment.title}: {goal.label} against {cost.label}")
    if choice is None:
        axes.legend(loc="lower right", fontsize=8.5)
    else:
        choice_legend(axes, [complete, searched, curve], choice, len(searched))
    lucky = "" if goal.is_exact else ": an observed mean that is high was mostly lucky"
    note = f"{games_note(complete, 'trials')}{lucky}."
    if len(validated):
        anew = "on seeds that the search never used; bars: 95% intervals"
        if goal.is_exact:
            anew = "played anew; values are exact, times are measured"
        note += (
            f"\nValidated: {games_note(validated, 'points')}, {anew}. "
            "The model knows the trials alone."
        )
    else:
        note += "\nNothing is validated yet."
    caption(figure, note)
    return figure


@mpl.rc_context(STYLE)
def scores_figure(validated: pd.DataFrame, games: pd.DataFrame, experiment: Experiment) -> Figure:
    """Draw how single games' scores spread along the validated front.

    Parameters
    ----------
    validated, games : DataFrame
        ``validated`` has one row at least.
    experiment : Experiment
        For the title and the cost.
    """
    front = validated[validated["on_front"]]
    if len(front) > MOST_LABELS:
        chosen = np.linspace(0, len(front) - 1, MOST_LABELS).round().astype(int)
        front = front.iloc[np.unique(chosen)]
    figure, axes = new_figure(8.6, 0.55 * len(front) + 2.2)
    rng = np.random.default_rng(0)
    for position, (_, row) in enumerate(front.iterrows()):
        scores = games.loc[games["point"] == row["point"], "score_points"].to_numpy(float)
        heights = position + rng.uniform(-0.3, 0.3, len(scores))
        axes.plot(scores, heights, "o", color=BLUE, alpha=0.25, markersize=2.5, markeredgewidth=0)
        mean = row[experiment.goal.column("mean")]
        axes.plot(mean, position, "|", color=RED, markersize=26, markeredgewidth=2)
    cost = experiment.cost
    axes.set_yticks(range(len(front)))
    axes.set_yticklabels(
        [
            ", ".join(
                [
                    row["origin"],
                    *(row[each.name] for each in experiment.space.choices),
                    cost.text(row[cost.name]),
                ]
            )
            for _, row in front.iterrows()
        ]
    )
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.set_xlabel("score of one game, points")
    axes.set_xlim(left=0)
    axes.set_ylim(-0.6, len(front) - 0.4)
    axes.set_title("Games along the validated front")
    caption(
        figure,
        f"{experiment.title}. A dot is a game (its height is for reading only), the red stroke their "
        f"mean; {games_note(front, 'points')}.",
    )
    return figure


@mpl.rc_context(STYLE)
def hypervolume_figure(
    history: pd.DataFrame, trials: pd.DataFrame, validated: pd.DataFrame, experiment: Experiment
) -> Figure:
    """Draw how the front grows with the games played, as observed and as the model sees it.

    Parameters
    ----------
    history : DataFrame
        From :func:`study.report.hypervolume_trace.hypervolume_trace`.
    trials, validated : DataFrame
        From :mod:`study.report.tables` and :mod:`study.report.validated_front`; the latter may be
        empty.
    experiment : Experiment
        For the reference point.
    """
    goal = experiment.goal
    complete = trials[trials["state"] == "complete"]
    figure, axes = new_figure(7.2, 4.4)
    axes.step(
        history["n_games"],
        history["observed"],
        where="post",
        color=GREY,
        linewidth=1.2,
        label="of the trials" if goal.is_exact else "of observed means (too good)",
    )
    axes.plot(
        history["n_games"],
        history["posterior"],
        "o-",
        color=BLUE,
        linewidth=1.8,
        markersize=3.5,
        label="of posterior means at the trials",
    )
    searched = without_baselines(validated, experiment) if len(validated) else validated
    if len(searched):
        volume, low, high = validated_hypervolume(searched, experiment)
        axes.axhspan(low, high, color=RED, alpha=0.15, linewidth=0)
        label = f"validated points: {goal.format.area(volume)}"
        if not goal.is_exact:
            label += f", 95% interval {goal.format.area(low)} to {goal.format.area(high)}"
        axes.axhline(volume, color=RED, linewidth=1.5, label=label)
    n_design = int((complete["origin"] == "design").sum())
    if 0 < n_design < len(complete):
        end = float(complete.sort_values("trial")["n_games"].cumsum().iloc[n_design - 1])
        axes.axvline(end, color=GREY, linestyle=":", linewidth=1.2)
        axes.annotate(
            " end of the initial design",
            (end, 1),
            xycoords=("data", "axes fraction"),
            fontsize=8,
            va="top",
            color="#555555",
        )
    if goal.format.is_whole:
        points_axis(axes)
    axes.set_xlabel("games of the search, in the order of the trials")
    axes.set_ylabel(f"hypervolume, {goal.format.area_unit} · decades")
    axes.set_ylim(bottom=0)
    axes.set_title("Hypervolume: what the search found")
    axes.legend(loc="lower right", fontsize=8.5)
    reference = experiment.cost.in_words(experiment.reference_cost)
    caption(
        figure,
        f"{games_note(complete, 'trials')}. Reference point: {goal.format.with_unit(experiment.reference_score)} at "
        f"{reference}.",
    )
    return figure
