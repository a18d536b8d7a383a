"""Tables of a benchmark: each sampler's figures on each surface, and how far it is from `nehvi`.

Every figure is a mean over seeds with its standard error, the sample standard deviation over √n. A
difference is taken seed by seed, so that what design and games have in common cancels.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from study.text import counted

BASELINE = "nehvi"
MEASURES = (
    "hypervolume_by_posterior",
    "regret_points_by_posterior",
    "optimism_points_by_posterior",
    "unserved_by_posterior",
    "hypervolume_by_model",
    "regret_points_by_model",
    "optimism_points_by_model",
    "unserved_by_model",
    "hypervolume_of_evaluated",
    "hypervolume_by_observed",
    "regret_points_by_observed",
    "optimism_points_by_observed",
    "unserved_by_observed",
    "suggestion_cpu_seconds",
    "late_suggestion_cpu_seconds",
)
GROUP = ["surface", "n_trials", "n_games"]
NOTE = """\
Hypervolume is that of what a study would recommend, at its true values, over the true front's; regret is
what the true front offers for a time budget less what the recommended θ is truly worth, in points, mean
over 25 budgets, and all that the front offers where a budget is *unserved*, with no θ that keeps it;
optimism is what is claimed of a θ less what it is truly worth. "By posterior": what is recommended is
chosen from the trials by the model's means, the same judge for all; "by model": from the whole search space
by these means, as validation does it; "by observed": from the trials by the observed means; "of all
evaluated": the most that any choice among the trials could reach.
Means over {seeds}, ± 1 standard error; Δ: less `nehvi`'s, seed by seed, at the same trials and games.
CPU time is that of one suggestion, after the design of 16 trials: mean, and mean of the nine up to the
80th trial."""


def runs_frame(records: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Return one row a run, without its course."""
    rows = [{key: each[key] for key in (*GROUP, "sampler", "seed", *MEASURES)} for each in records]
    return pd.DataFrame(rows, columns=[*GROUP, "sampler", "seed", *MEASURES])


def mean_and_error(values: pd.Series) -> tuple[float, float, int]:
    """Return mean, standard error (NaN for fewer than two) and number of what is not NaN."""
    known = values.dropna().to_numpy(np.float64)
    if not len(known):
        return math.nan, math.nan, 0
    error = float(known.std(ddof=1)) / math.sqrt(len(known)) if len(known) > 1 else math.nan
    return float(known.mean()), error, len(known)


def summary_frame(runs: pd.DataFrame) -> pd.DataFrame:
    """Sum up runs.

    Parameters
    ----------
    runs : DataFrame
        From :func:`runs_frame`.

    Returns
    -------
    DataFrame
        One row a surface, sampler and budget, in the order of their first runs; ``n_seeds``; for each
        measure ``_mean``, ``_sem`` and ``_n``, and ``_minus_nehvi_mean``, ``_minus_nehvi_sem`` and
        ``_minus_nehvi_n`` over the seeds that both have.
    """
    rows = []
    for _, on in runs.groupby(GROUP, sort=False):
        baseline = on[on["sampler"] == BASELINE].set_index("seed")
        for name, of in on.groupby("sampler", sort=False):
            by_seed = of.set_index("seed")
            row: dict[str, Any] = {key: of[key].iloc[0] for key in GROUP}
            row |= {"sampler": name, "n_seeds": len(by_seed)}
            for measure in MEASURES:
                parts = {"": by_seed[measure]}
                if name != BASELINE:
                    parts["_minus_nehvi"] = by_seed[measure] - baseline[measure]
                for suffix, values in parts.items():
                    mean, error, n = mean_and_error(values)
                    row |= {
                        f"{measure}{suffix}_mean": mean,
                        f"{measure}{suffix}_sem": error,
                        f"{measure}{suffix}_n": n,
                    }
            rows.append(row)
    return pd.DataFrame(rows)


def cell(row: Any, measure: str, form: str, scale: float = 1.0) -> str:
    """Write ``mean ± error``; empty where there is nothing."""
    mean, error = row.get(f"{measure}_mean", math.nan), row.get(f"{measure}_sem", math.nan)
    if not math.isfinite(mean):
        return ""
    unsigned = form.lstrip("+")
    spread = f"{error * scale:{unsigned}}" if math.isfinite(error) else "?"
    return f"{mean * scale:{form}} ± {spread}"


def markdown(summary: pd.DataFrame) -> str:
    """Write a summary as Markdown: what the figures are, and a table a surface."""
    counts = sorted(set(summary["n_seeds"]))
    seeds = counted(counts[0], "seed") if len(counts) == 1 else f"{counts[0]} to {counts[-1]} seeds"
    lines = ["# Samplers on simulated studies", "", NOTE.format(seeds=seeds)]
    heads = (
        "sampler",
        "trials × games",
        "seeds",
        "hypervolume by posterior",
        "Δ",
        "of all evaluated",
        "regret by posterior",
        "Δ",
        "unserved",
        "optimism by posterior",
        "hypervolume by model",
        "regret by model",
        "Δ",
        "hypervolume by observed",
        "regret by observed",
        "optimism by observed",
        "CPU, ms",
        "CPU at 80, ms",
    )
    for surface, rows in summary.groupby("surface", sort=False):
        lines += ["", f"## {surface}", "", f"| {' | '.join(heads)} |"]
        lines.append("|---|---|" + "---:|" * (len(heads) - 2))
        for _, row in rows.iterrows():
            cells = [
                str(row["sampler"]),
                f"{row['n_trials']} × {row['n_games']}",
                str(row["n_seeds"]),
                cell(row, "hypervolume_by_posterior", ".3f"),
                cell(row, "hypervolume_by_posterior_minus_nehvi", "+.3f"),
                cell(row, "hypervolume_of_evaluated", ".3f"),
                cell(row, "regret_points_by_posterior", ",.0f"),
                cell(row, "regret_points_by_posterior_minus_nehvi", "+,.0f"),
                cell(row, "unserved_by_posterior", ".2f"),
                cell(row, "optimism_points_by_posterior", "+,.0f"),
                cell(row, "hypervolume_by_model", ".3f"),
                cell(row, "regret_points_by_model", ",.0f"),
                cell(row, "regret_points_by_model_minus_nehvi", "+,.0f"),
                cell(row, "hypervolume_by_observed", ".3f"),
                cell(row, "regret_points_by_observed", ",.0f"),
                cell(row, "optimism_points_by_observed", "+,.0f"),
                cell(row, "suggestion_cpu_seconds", ",.1f", 1e3),
                cell(row, "late_suggestion_cpu_seconds", ",.1f", 1e3),
            ]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
