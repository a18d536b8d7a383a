"""Pictures of a study, from plain data frames.

Colours are Okabe and Ito's, which readers with colour-blindness tell apart; every caption says how
many games stand behind what is drawn.
"""

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, FuncFormatter, LogLocator, NullFormatter

from study.experiment import Experiment
from study.pareto import hypervolume
from study.report import engineering

__all__ = ["hypervolume_figure", "pareto_figure", "save", "scores_figure"]

BLUE, BLACK, RED, GREY = "#0072B2", "#000000", "#D55E00", "#8C8C8C"
STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.7,
    "axes.axisbelow": True,
    "axes.titlesize": 12,
    "axes.titlelocation": "left",
    "legend.frameon": False,
}
MOST_LABELS = 12


def new_figure(width: float, height: float) -> tuple[Figure, Axes]:
    """Return an empty figure in the house style."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def caption(figure: Figure, text: str) -> None:
    """Write what a reader must know to judge the picture, below it."""
    figure.supxlabel(text, fontsize=8, color="#555555", x=0.01, ha="left")


@mpl.rc_context(STYLE)
def save(figure: Figure, path: Path) -> None:
    """Write a PNG, so that a kill leaves the old file or the new one, and nothing between."""
    draft = path.with_name(f".{path.name}.part")
    figure.savefig(draft, dpi=160, format="png")
    draft.replace(path)


def time_axis(axes: Axes) -> None:
    """Make the x axis one of times a move: logarithmic, with readable units."""
    axes.set_xscale("log")
    axes.set_xlabel("CPU time a move")
    axes.xaxis.set_major_locator(LogLocator(base=10, subs=(1, 2, 3, 5, 7), numticks=20))
    axes.xaxis.set_major_formatter(EngFormatter(unit="s"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def points_axis(axes: Axes) -> None:
    """Write the y axis' points with thousands separators."""
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def with_bars(
    axes: Axes, frame: pd.DataFrame, color: str, marker: str, label: str, size: float
) -> None:
    """Draw points with standard-error bars."""
    axes.errorbar(
        frame["seconds_per_move"],
        frame["score_mean_points"],
        yerr=frame["score_sem_points"].fillna(0.0),
        fmt=marker,
        markersize=size,
        color=color,
        markeredgecolor="white",
        markeredgewidth=0.6,
        ecolor=color,
        elinewidth=0.8,
        alpha=0.85,
        label=label,
    )


def games_note(trials: pd.DataFrame) -> str:
    """Say how many games the points stand for."""
    counts = sorted(set(trials["n_games"].astype(int)))
    each = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return f"{len(trials)} trials of {each} games each, {int(trials['n_games'].sum()):,} in all"


@mpl.rc_context(STYLE)
def pareto_figure(trials: pd.DataFrame, baselines: pd.DataFrame, experiment: Experiment) -> Figure:
    """Draw score against time a move, the observed front as a staircase.

    Parameters
    ----------
    trials, baselines : DataFrame
        From :mod:`study.report`; ``trials`` has one complete trial at least.
    experiment : Experiment
        For the title and the symbols.
    """
    complete = trials[trials["state"] == "complete"]
    is_design = complete["origin"] == "design"
    design, search = complete[is_design], complete[~is_design]
    front = complete[complete["on_front"]].sort_values("seconds_per_move")

    figure, axes = new_figure(8.6, 5.6)
    slowest = float(complete["seconds_per_move"].max())
    axes.plot(
        [*front["seconds_per_move"], slowest],
        [*front["score_mean_points"], front["score_mean_points"].iloc[-1]],
        drawstyle="steps-post",
        color=RED,
        linewidth=1.6,
        label=f"observed front of the trials ({len(front)} points)",
        zorder=1,
    )
    if len(design):
        with_bars(axes, design, GREY, "s", f"initial design ({len(design)} trials)", 5)
    if len(search):
        names = ", ".join(sorted(set(search["origin"])))
        with_bars(axes, search, BLUE, "o", f"optimization, {names} ({len(search)} trials)", 5.5)
    if len(baselines):
        row = baselines.iloc[0]
        theta = ", ".join(f"{row[name]:g}" for name in experiment.space.names)
        label = f"{row['baseline']} = ({theta}), {int(row['n_games'])} games"
        with_bars(axes, baselines, BLACK, "D", label, 8)
    axes.plot(
        front["seconds_per_move"],
        front["score_mean_points"],
        "o",
        markersize=10,
        markerfacecolor="none",
        markeredgecolor=RED,
        markeredgewidth=1.3,
        zorder=4,
    )
    time_axis(axes)
    points_axis(axes)
    axes.set_ylabel("mean score, points")
    axes.set_ylim(bottom=0)
    axes.set_title(experiment.title + ": score against time")
    axes.legend(loc="lower right", fontsize=8.5)
    caption(
        figure,
        f"{games_note(complete)}; bars: ± 1 standard error of the mean. The front joins the best of "
        "noisy means:\nwhat it promises is more than its points keep when they are played again.",
    )
    return figure


@mpl.rc_context(STYLE)
def scores_figure(trials: pd.DataFrame, games: pd.DataFrame, experiment: Experiment) -> Figure:
    """Draw how single games' scores spread along the front."""
    front = trials[trials["on_front"]].sort_values("seconds_per_move")
    if len(front) > MOST_LABELS:
        chosen = np.linspace(0, len(front) - 1, MOST_LABELS).round().astype(int)
        front = front.iloc[chosen]
    figure, axes = new_figure(8.6, 0.42 * len(front) + 2.2)
    for position, (_, row) in enumerate(front.iterrows()):
        scores = games.loc[games["trial"] == row["trial"], "score_points"]
        spread = np.linspace(-0.18, 0.18, len(scores)) if len(scores) > 1 else [0.0]
        axes.plot(scores, position + np.asarray(spread), "o", color=BLUE, alpha=0.6, markersize=4)
        axes.plot(
            row["score_mean_points"], position, "|", color=RED, markersize=18, markeredgewidth=2
        )
    axes.set_yticks(range(len(front)))
    axes.set_yticklabels(
        [
            f"trial {int(r['trial'])}, {engineering(r['seconds_per_move'])}"
            for _, r in front.iterrows()
        ]
    )
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.set_xlabel("score of one game, points")
    axes.set_xlim(left=0)
    axes.set_ylim(-0.6, len(front) - 0.4)
    axes.set_title("Games along the observed front")
    counts = sorted(set(front["n_games"].astype(int)))
    each = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    caption(
        figure,
        f"{experiment.title}. A dot is a game, {each} a trial (their height is for reading "
        "only); the red stroke is their mean.",
    )
    return figure


@mpl.rc_context(STYLE)
def hypervolume_figure(trials: pd.DataFrame, experiment: Experiment) -> Figure:
    """Draw how the hypervolume of the observed means grows with the games played."""
    complete = trials[trials["state"] == "complete"].sort_values("trial")
    scores = complete["score_mean_points"].to_numpy(float)
    seconds = complete["seconds_per_move"].to_numpy(float)
    reference = (experiment.reference_score, experiment.reference_seconds_per_move)
    volumes = [
        hypervolume(scores[:n], seconds[:n], *reference) for n in range(1, len(complete) + 1)
    ]
    figure, axes = new_figure(7.2, 4.2)
    axes.step(complete["n_games"].cumsum(), volumes, where="post", color=BLUE, linewidth=1.8)
    n_design = int((complete["origin"] == "design").sum())
    if 0 < n_design < len(complete):
        end = float(complete["n_games"].cumsum().iloc[n_design - 1])
        axes.axvline(end, color=GREY, linestyle=":", linewidth=1.2)
        axes.annotate(
            " end of the initial design",
            (end, 0),
            xycoords=("data", "axes fraction"),
            fontsize=8,
            va="bottom",
            color="#555555",
        )
    points_axis(axes)
    axes.set_xlabel("games played, in the order of the trials (baselines apart)")
    axes.set_ylabel("hypervolume, points · decades of time")
    axes.set_ylim(bottom=0)
    axes.set_title("Hypervolume of the observed means")
    caption(
        figure,
        f"{games_note(complete)}. Reference point: {reference[0]:,.0f} points at "
        f"{engineering(reference[1])} a move.",
    )
    return figure
