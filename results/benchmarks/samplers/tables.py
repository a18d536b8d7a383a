"""Tables: each sampler's measures on each surface, and differences from `nehvi`.

Every number is a mean over n seeds with its standard error, the sample standard deviation divided
by √n. Differences are paired by seed, so the effects of the common design and games cancel.
"""

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from results.benchmarks.command import Record
from results.papers import paper
from thetafront.study.estimate import t95
from thetafront.study.report.sections import document, markdown_table
from thetafront.study.text import counted

BASELINE = "nehvi"
RECOMMENDED = ("hypervolume", "regret_points", "optimism_points", "unserved")
MEASURES = (
    *(f"{measure}_by_{by}" for by in ("posterior", "model") for measure in RECOMMENDED),
    "hypervolume_of_evaluated",
    *(f"{measure}_by_observed" for measure in RECOMMENDED),
    "suggestion_cpu_seconds",
    "late_suggestion_cpu_seconds",
)
DIFFERENCE = f"_minus_{BASELINE}"
COLUMNS = (
    ("hypervolume by posterior", "hypervolume_by_posterior", ".3f", 1.0),
    ("Δ", "hypervolume_by_posterior_minus_nehvi", "+.3f", 1.0),
    ("of all evaluated", "hypervolume_of_evaluated", ".3f", 1.0),
    ("regret by posterior", "regret_points_by_posterior", ",.0f", 1.0),
    ("Δ", "regret_points_by_posterior_minus_nehvi", "+,.0f", 1.0),
    ("unserved", "unserved_by_posterior", ".2f", 1.0),
    ("optimism by posterior", "optimism_points_by_posterior", "+,.0f", 1.0),
    ("hypervolume by model", "hypervolume_by_model", ".3f", 1.0),
    ("Δ", "hypervolume_by_model_minus_nehvi", "+.3f", 1.0),
    ("regret by model", "regret_points_by_model", ",.0f", 1.0),
    ("Δ", "regret_points_by_model_minus_nehvi", "+,.0f", 1.0),
    ("hypervolume by observed", "hypervolume_by_observed", ".3f", 1.0),
    ("regret by observed", "regret_points_by_observed", ",.0f", 1.0),
    ("optimism by observed", "optimism_points_by_observed", "+,.0f", 1.0),
    ("CPU, ms", "suggestion_cpu_seconds", ",.1f", 1e3),
    ("CPU at 80, ms", "late_suggestion_cpu_seconds", ",.1f", 1e3),
)
"""Columns of the tables in Markdown: heading, measure, format and scale."""

CELL = ["surface", "n_trials", "n_games"]
NOTE = """\
Hypervolume is that of the recommended θ's true values, divided by the true front's. Regret is the
true front's score at a time budget minus the recommended θ's true score, in points, averaged over
25 budgets; where no θ is predicted to keep a budget, it is the front's whole score. *Unserved* is
the share of such budgets. Optimism is a θ's predicted score minus its true score. Under "by
posterior", θ are chosen from the trials by the model's posterior means, with the same model for all
samplers; under "by model", from the whole search space by these means, as in validation; and under
"by observed", from the trials by the observed means. The published rows of `surrogate`, `gp` and
`botorch`, and of `nehvi` at 240 × 3, come from an earlier model. "Of all evaluated" is the
hypervolume of all trials, the most that a choice among them could reach. Values are means over
{seeds}, ± 1 standard error. Δ is the difference from `nehvi`, paired by seed, at the same numbers
of trials and games. CPU is the CPU time per suggestion after the 16-trial design: the mean over all
suggestions and, "at 80", over the nine suggestions up to the 80th trial, or the last nine if there
are only 48."""
DRAWN = {
    "hypervolume_by_posterior": "hypervolume, share of the true front's",
    "regret_points_by_posterior": "regret, points",
}
"""Measures in the figure, with their titles."""
TITLE = "What samplers recommend after their trials"
CAPTION = (
    "Means over seeds, with 95% intervals. thetafront's model recommends θ from each sampler's "
    "trials. Higher hypervolume and lower regret are better."
)
ORDER = (
    *("knowledge-gradient", "nehvi", "surrogate", "tpe", "nsga2", "random", "gp"),
    *("botorch", "qhvkg", "smac"),
)
"""Order of the samplers in tables; `surrogate` and `botorch` occur only in published runs."""


def summary_frame(records: Sequence[Record]) -> pd.DataFrame:
    """Summarize runs, one row per surface, sampler and budget, in the order of their first runs.

    Each measure has columns with the endings ``_mean``, ``_sem`` and ``_n``. Differences from
    `nehvi`, over common seeds, have columns ``_minus_nehvi_mean`` and so on.
    """
    runs = pd.DataFrame(records)
    seed, measures = [*CELL, "seed"], list(MEASURES)
    baseline = runs.loc[runs["sampler"] == BASELINE, [*seed, *measures]]
    theirs = runs[seed].merge(baseline, on=seed, how="left")
    theirs.loc[runs["sampler"] == BASELINE, measures] = math.nan  # it is not compared with itself
    gaps = (runs[measures] - theirs[measures]).add_suffix(DIFFERENCE)
    groups = pd.concat([runs[[*CELL, "sampler", *measures]], gaps], axis=1).groupby(
        [*CELL, "sampler"], sort=False
    )
    found = groups.agg(["mean", "sem", "count"]).rename(columns={"count": "n"}, level=1)
    found = found[[f"{each}{suffix}" for each in measures for suffix in ("", DIFFERENCE)]]
    found.columns = found.columns.map("_".join)
    found.insert(0, "n_seeds", groups.size())
    found = found.reset_index()
    own = found["sampler"] == BASELINE
    return found.mask(own.to_numpy()[:, None] & found.columns.str.contains(DIFFERENCE))


def cell(row: Any, measure: str, form: str, scale: float = 1.0) -> str:
    """Write ``mean ± error``; empty without a mean."""
    mean, error = scale * row[f"{measure}_mean"], scale * row[f"{measure}_sem"]
    if not math.isfinite(mean):
        return ""
    unsigned = form.lstrip("+")
    return f"{mean:{form}} ± {error:{unsigned}}" if math.isfinite(error) else f"{mean:{form}} ± ?"


def markdown(summary: pd.DataFrame) -> str:
    """Write a summary as Markdown: an explanation, and one table per surface."""
    headings = ("sampler", "trials × games", "seeds", *(heading for heading, *_ in COLUMNS))
    sections = []
    for name, part in summary.groupby("surface", sort=False):
        rows = [
            (
                row["sampler"],
                f"{row['n_trials']} × {row['n_games']}",
                str(row["n_seeds"]),
                *(cell(row, measure, form, scale) for _, measure, form, scale in COLUMNS),
            )
            for row in part.to_dict("records")
        ]
        table = markdown_table(headings, rows, "ll".ljust(len(headings), "r"))
        sections.append(f"## {name}\n\n{table}")
    counts = sorted(set(summary["n_seeds"]))
    seeds = counted(counts[0], "seed") if len(counts) == 1 else f"{counts[0]} to {counts[-1]} seeds"
    note = NOTE.format(seeds=seeds)
    return document("Samplers on simulated studies", note, *sections)


@mpl.rc_context(paper.STYLE)
def figure(summary: pd.DataFrame) -> Figure:
    """Draw hypervolume and regret of each sampler's trials, one column per surface."""
    surfaces = list(summary.groupby("surface", sort=False))
    names = [each for each in ORDER if each in set(summary["sampler"])]
    shape: dict[str, Any] = {"nrows": len(DRAWN), "ncols": len(surfaces), "squeeze": False}
    drawn, panels = paper.new_figure(3.0 + 2.9 * len(surfaces), 7.2, sharey=True, **shape)
    sizes: list[Any] = sorted({*zip(summary["n_trials"], summary["n_games"], strict=True)})
    handles: dict[Any, Any] = {}
    step = 0.6 / len(sizes)
    parts = product(DRAWN.items(), surfaces)
    for axes, ((measure, title), (surface, part)) in zip(panels.flat, parts, strict=True):
        for size, mine in part.groupby(["n_trials", "n_games"]):
            k = sizes.index(size)
            below = step * (k - (len(sizes) - 1) / 2)
            at = [names.index(each) + below for each in mine["sampler"]]
            t, (colour, marker) = mine[f"{measure}_n"].map(t95), paper.MARKS[k % len(paper.MARKS)]
            error = t * mine[f"{measure}_sem"]
            style: dict[str, Any] = {"fmt": marker, "color": colour, "markersize": 5}
            style["label"] = "{} × {}".format(*size)
            handles[size] = axes.errorbar(mine[f"{measure}_mean"], at, xerr=error, **style)
        axes.set(title=str(surface).replace("_", " "), xlabel=title)
        axes.set_yticks(range(len(names)), names)
        axes.xaxis.set_major_formatter("{x:,g}")
        axes.xaxis.set_major_locator(MaxNLocator(4))
    panels[0, 0].invert_yaxis()
    by_size = [handles[each] for each in sizes]
    drawn.legend(handles=by_size, title="trials × games", loc="outside right upper")
    paper.entitle(drawn, TITLE, CAPTION)
    return drawn
