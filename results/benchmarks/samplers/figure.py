"""The figure of a benchmark: hypervolume against games, and the final regret."""

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from results.benchmarks.samplers import ORDER
from results.benchmarks.samplers.surfaces import surface
from thetafront.study.report.style import STYLE, caption

# Okabe and Ito's colours; a sampler keeps its own in all figures.
COLOURS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#8C8C8C", "#E69F00", "#56B4E9")
COLOUR = dict(zip(ORDER, COLOURS, strict=True))
LINES = ("-", "--", ":", "-.")
MARKERS = {"circle": "o", "square": "s", "triangle": "^", "diamond": "D"}

Budget = tuple[int, int]


def draw_course(axes: Axes, records: Sequence[dict[str, Any]], style: str, label: str) -> None:
    """Draw the mean hypervolume of some seeds' runs, with a band of ± 1 standard error."""
    n_games = np.array([each[0] for each in records[0]["course"]])
    shares = np.array([[each[1] for each in record["course"]] for record in records])
    mean = shares.mean(axis=0)
    tint = COLOUR[records[0]["sampler"]]
    axes.plot(n_games, mean, style, color=tint, linewidth=1.8, label=label)
    if len(shares) > 1:
        error = shares.std(axis=0, ddof=1) / np.sqrt(len(shares))
        axes.fill_between(n_games, mean - error, mean + error, color=tint, alpha=0.18, linewidth=0)


def draw_regret(axes: Axes, summary: pd.DataFrame, budgets: Sequence[Budget]) -> None:
    """Draw each sampler's regret from the whole space (filled) and from its trials (hollow)."""
    names = list(dict.fromkeys(summary["sampler"]))
    for _, row in summary.iterrows():
        nth = budgets.index((int(row["n_trials"]), int(row["n_games"])))
        position = names.index(row["sampler"]) + 0.22 * (nth - (len(budgets) - 1) / 2)
        tint = COLOUR[row["sampler"]]
        style: dict[str, Any] = {"color": tint, "markersize": 6, "elinewidth": 1.0}
        style["fmt"] = list(MARKERS.values())[nth % len(MARKERS)]
        for by, face in (("model", tint), ("posterior", "white")):
            mean, error = (row[f"regret_points_by_{by}_{each}"] for each in ("mean", "sem"))
            axes.errorbar(position, mean, np.nan_to_num(error), markerfacecolor=face, **style)
    axes.set_xticks(range(len(names)), names, fontsize=8, rotation=30, ha="right")
    axes.set_xlim(-0.6, len(names) - 0.4)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


@mpl.rc_context(STYLE)
def samplers_figure(records: Sequence[dict[str, Any]], summary: pd.DataFrame) -> Figure:
    """Draw runs: a column a surface, hypervolume above, regret below."""
    surfaces = list(dict.fromkeys(summary["surface"]))
    pairs = zip(summary["n_trials"], summary["n_games"], strict=True)
    budgets: list[Budget] = list(dict.fromkeys((int(a), int(b)) for a, b in pairs))
    figure = Figure(figsize=(2.8 + 4.0 * len(surfaces), 7.4), layout="constrained")
    panels = figure.subplots(2, len(surfaces), squeeze=False, height_ratios=(3, 2))
    for (upper, lower), name in zip(panels.T, surfaces, strict=True):
        rows = summary[summary["surface"] == name]
        for _, row in rows.iterrows():
            key = {each: row[each] for each in ("surface", "sampler", "n_trials", "n_games")}
            runs = [each for each in records if key.items() <= each.items()]
            n_trials, n_games = int(row["n_trials"]), int(row["n_games"])
            style = LINES[budgets.index((n_trials, n_games)) % len(LINES)]
            draw_course(upper, runs, style, f"{row['sampler']}, {n_trials} × {n_games}")
        upper.set_title(surface(name).title)
        upper.set_xlabel("games played")
        upper.set_xlim(left=0)
        upper.set_ylim(top=1.0)
        draw_regret(lower, rows, budgets)
    panels[0, 0].set_ylabel("hypervolume of the recommended θ,\nover the true front's")
    panels[1, 0].set_ylabel("final regret, points")
    handles = {
        label: handle
        for axes in panels[0]
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    text: dict[str, Any] = {"title": "sampler, trials × games", "fontsize": 8.5}
    figure.legend(handles.values(), handles.keys(), loc="outside right upper", **text)
    counts = sorted(set(summary["n_seeds"]))
    seeds = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    spent = " or ".join(f"{t * g} games ({t} trials of {g})" for t, g in budgets)
    marks = ", ".join(
        f"{list(MARKERS)[k % len(MARKERS)]} {t} × {g}" for k, (t, g) in enumerate(budgets)
    )
    caption(
        figure,
        f"Means over {seeds} seeds, bands and bars ± 1 standard error; {spent} a run, a Sobol "
        "design of 16 trials first.\nRecommended by the posterior means of one model for all "
        f"samplers. Above: from the trials. Below: filled, from the whole space; hollow, from the "
        f"trials ({marks}).",
    )
    return figure
