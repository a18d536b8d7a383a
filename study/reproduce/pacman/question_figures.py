"""Figures of what the report leaves open: motion without noise, routes to food, a smaller map."""

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from thetafront.engine.pacman.motion import P_CHOSEN
from thetafront.study.report.style import BLACK, BLUE, CHOICE_MARKS, GREY, RED, STYLE
from thetafront.study.reproduce.pacman.design import MEDIUM
from thetafront.study.reproduce.pacman.figures import points, rate_axis, titled
from thetafront.study.reproduce.pacman.questions import (
    CERTAIN,
    MOVERS,
    REPORTED_CERTAIN,
    ROUTE_REWARDS,
)

LOOKS = ((GREY, "x"), *CHOICE_MARKS[1:4], (BLUE, "o"), (BLACK, "D"))
SPREAD = 0.006  # between the points of one p
DANGER_LOOKS = {P_CHOSEN: (BLUE, "o"), CERTAIN: (RED, "s")}
CHANGE_SPREAD = 0.22


def rates(axes: Axes, at: pd.Series, rows: pd.DataFrame, label: str, look: tuple[str, str]) -> None:
    """Draw win rates with their intervals."""
    value, low, high = (rows[f"win_rate{end}"] for end in ("", "_low95", "_high95"))
    points(axes, at, value, low, high, label, look)


@mpl.rc_context(STYLE)
def motion_figure(motion: pd.DataFrame) -> Figure:
    """Draw win rates on medium against p, and of A* against its danger."""
    figure = Figure(figsize=(11.4, 4.8), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    on_medium = motion[motion["layout"] == MEDIUM.name]
    for k, (name, look) in enumerate(zip(MOVERS, LOOKS, strict=True)):
        rows = on_medium[on_medium["strategy"] == name].drop_duplicates("p_chosen")
        rows = rows.sort_values("p_chosen")
        at = rows["p_chosen"] + SPREAD * (k - (len(MOVERS) - 1) / 2)
        rates(left, at, rows, name, look)
    left.set_xlabel("probability p that Pacman moves as chosen")
    left.set_xticks(sorted(on_medium["p_chosen"].unique()))
    left.set_title("Strategies of figure 7 on medium", fontsize=10)
    rate_axis(left)
    left.set_ylim(-0.03, 1.02)  # random play never wins
    left.legend(loc="upper left", fontsize=8.5)
    for p, look in DANGER_LOOKS.items():
        rows = on_medium[(on_medium["p_chosen"] == p) & on_medium["danger"].notna()]
        rows = rows.drop_duplicates("danger").sort_values("danger")
        rates(right, rows["danger"], rows, f"p = {p:g}", look)
    right.axhline(REPORTED_CERTAIN, color=BLACK, linewidth=0.9, linestyle=":", zorder=0)
    beside = (
        2.2,
        REPORTED_CERTAIN - 0.05,
    )  # the curve at p = 1 crosses the line before a danger of 2
    right.text(*beside, f"the report without noise, {REPORTED_CERTAIN:.0%}", fontsize=8.5)
    right.set_xlabel("danger of A*, steps")
    right.set_xticks(sorted(on_medium["danger"].dropna().unique()))
    right.set_title("A* on medium by danger", fontsize=10)
    right.legend(loc="lower right", fontsize=9)
    return titled(
        figure,
        "Motion: from noisy to certain",
        f"{int(motion['n_games'].min()):,} games a point, the same seeds for all; bars: Wilson's "
        "95% intervals. The report has p = 0.8. Points of one p stand side by side.",
    )


@mpl.rc_context(STYLE)
def changes_figure(changes: pd.DataFrame) -> Figure:
    """Draw differences of win rates by routes and by the smaller map."""
    figure = Figure(figsize=(11.4, 4.6), layout="constrained")
    panels = figure.subplots(1, 2, sharex=True, sharey=True)
    names = list(dict.fromkeys(changes["strategy"]))
    looks = {
        **{
            f"route + {each:g}": look
            for each, look in zip(ROUTE_REWARDS, CHOICE_MARKS[:2], strict=True)
        },
        "smaller map": (BLUE, "D"),
    }
    for axes, (layout, part) in zip(panels, changes.groupby("layout", sort=False), strict=True):
        for k, (label, (colour, marker)) in enumerate(looks.items()):
            which = (
                part["cut"]
                if label == "smaller map"
                else (part["route_reward"] == ROUTE_REWARDS[k])
            )
            rows = part[which]
            at = np.arange(len(rows)) + CHANGE_SPREAD * (k - 1)
            difference = 100 * rows["difference"]
            axes.errorbar(
                difference,
                at,
                xerr=[
                    difference - 100 * rows["difference_low95"],
                    100 * rows["difference_high95"] - difference,
                ],
                fmt=marker,
                color=colour,
                capsize=3,
                markersize=5,
                label=label,
            )
        axes.axvline(0, color=BLACK, linewidth=0.9, linestyle=":")
        axes.set_yticks(range(len(names)), names)
        axes.grid(visible=False, axis="y")
        axes.set_title(str(layout).capitalize(), fontsize=10)
        axes.set_xlabel("change of the win rate, percentage points")
    panels[0].invert_yaxis()
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=len(labels), fontsize=9)
    return titled(
        figure,
        "A rewarded route to food, and a smaller map",
        f"{int(changes['n_games'].min()):,} games a point, paired by seed; bars: 95% intervals, "
        "those of one question in one maze judged together.",
    )
