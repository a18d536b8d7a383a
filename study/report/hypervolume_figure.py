"""The figure of the hypervolume: what the search gained with its games."""

import math

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from thetafront.study.experiments.definition import Experiment
from thetafront.study.report.style import BLUE, GREY, RED, STYLE, caption, new_figure
from thetafront.study.report.tables import games_note
from thetafront.study.report.validated_rows import validated_hypervolume, without_baselines


@mpl.rc_context(STYLE)
def hypervolume_figure(
    trace: pd.DataFrame,
    trials: pd.DataFrame,
    validated: pd.DataFrame,
    experiment: Experiment,
    reference: tuple[float, float] | None = None,
) -> Figure:
    """Draw the hypervolume against the games played: observed, predicted and validated.

    Parameters
    ----------
    trace : DataFrame
        From :func:`study.report.hypervolume_trace.hypervolume_trace`.
    trials, validated : DataFrame
        From :mod:`study.report.tables` and :mod:`study.report.validated_front`; the latter may be
        empty.
    experiment : Experiment
        For goal and cost.
    reference : (float, float), optional
        The reference point, the experiment's unless given.
    """
    goal, reference = experiment.goal, reference or experiment.reference_point
    complete = trials[trials["state"] == "complete"]
    figure, axes = new_figure(7.2, 4.4)
    axes.step(
        trace["n_games"],
        trace["observed"],
        where="post",
        color=GREY,
        linewidth=1.2,
        label="of the trials" if goal.is_exact else "of observed means (biased upwards)",
    )
    axes.plot(
        trace["n_games"],
        trace["predicted"],
        "o-",
        color=BLUE,
        linewidth=1.8,
        markersize=3.5,
        label="of 12 points of the front that the trials predict",
    )
    searched = without_baselines(validated.to_dict("records"), experiment)
    volume, low, high = validated_hypervolume(searched, experiment, reference)
    if math.isfinite(volume):
        axes.axhspan(low, high, color=RED, alpha=0.15, linewidth=0, zorder=0)
        label = f"validated points: {goal.format.area(volume)}"
        if not goal.is_exact:
            label += f", 95% interval {goal.format.area(low)} to {goal.format.area(high)}"
        axes.axhline(volume, color=RED, linewidth=1.5, zorder=1, label=label)
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
    if goal.format.suits_areas:
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: goal.format.at_axis(value)))
    axes.set_xlabel("games of the search, in the order of the trials")
    axes.set_ylabel(f"hypervolume, {goal.format.area_unit} · decades")
    axes.set_ylim(bottom=0)
    axes.set_title("Hypervolume: what the search found")
    axes.legend(loc="lower right", fontsize=8.5)
    note = f"{games_note(complete, 'trial')}."
    if reference is not None:
        worth = f"{goal.format.at_axis(reference[0])} {goal.format.unit or goal.label}"
        note += f" Reference point: {worth} at {experiment.cost.in_words(reference[1])}."
    caption(figure, note)
    return figure
