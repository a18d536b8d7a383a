"""What a contest found: picks.csv, summary.csv, programs.md, programs.png and manifest.json.

Runs with different seeds are the replicates: means, differences and their 95% intervals (Student's
t) are over runs, n of them. So they hold what search, choice and fresh games vary by.
"""

import json
import math
import subprocess
from collections.abc import Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

import thetafront
from results.benchmarks.command import Record, versions
from results.benchmarks.programs.contest import CASES, METHODS, OURS, PICK, RIVALS, Case
from thetafront.study.estimate import t95
from thetafront.study.log.manifest import MANIFEST, write_manifest
from thetafront.study.report.sections import markdown_table

TOLERANCE = 1.10  # how far a true cost may exceed the budget
LABELS = {
    OURS: "thetafront",
    PICK: "its pick",
    "tpe": "Optuna TPE",
    "nsga2": "Optuna NSGA-II",
    "gp": "Optuna GP",
}
COLOURS = {OURS: "#0072b2", PICK: "#56b4e9", "tpe": "#d55e00", "nsga2": "#009e73", "gp": "#8a6ea8"}
RUN = ["program", "method", "seed"]
INTRODUCTION = """\
## thetafront and Optuna on five programs

Mean true score of what each method recommends for a budget ± half of its 95% interval \
(n runs, one a seed; Student's t). Each recommended θ was played on fresh seeds: 200 \
times, where the score is exact 10 times. Gains are ours minus theirs, paired by seed, \
positive where ours is better. †k: in k runs the true cost exceeds the budget by more \
than 10%. A dash: no answer. The row `mean` is over the budgets that all methods have \
answered.

Wall time of a run, tables and page included: {walls}.
"""
AT_TRUE_COSTS = """\
![True score against cost](programs.png)

## At true costs

The same answers, judged by what they truly cost: for each budget, the best true score \
among all of a run's answers whose true cost is within it.
"""


def picks_of(runs: Sequence[Record], fresh: Sequence[Record]) -> pd.DataFrame:
    """Return a row a run and budget: what was recommended, and what fresh games say of it."""
    rows = []
    for each in runs:
        answers = {pick[0]: pick[1:] for pick in each["picks"]}
        for budget in CASES[each["program"]].budgets:
            row = {name: each[name] for name in RUN} | {"budget": budget}
            if budget in answers:
                theta, score, cost = answers[budget]
                row |= {"theta": json.dumps(theta, sort_keys=True)}
                row |= {"promised_score": score, "promised_cost": cost}
            rows.append(row)
    games = pd.DataFrame(fresh).astype(dict.fromkeys(("score", "cost", "deviation"), float))
    games["theta"] = [json.dumps(theta, sort_keys=True) for theta in games["theta"]]
    games["standard_error"] = games.pop("deviation") / games["n"] ** 0.5
    names = {"score": "true_score", "cost": "true_cost", "n": "n_games"}
    columns = ["program", "theta", *names, "n_failed", "standard_error"]
    picks = pd.DataFrame(rows).merge(games[columns].rename(columns=names), "left")
    over = picks["true_cost"].isna() | (picks["true_cost"] > TOLERANCE * picks["budget"])
    return picks.assign(is_over=over.astype(object).where(picks["n_games"].notna()))


def kept_of(picks: pd.DataFrame) -> pd.DataFrame:
    """Return, for each run and budget, the best of the run's answers whose true cost is within it.

    A row without such an answer has neither a score nor games.
    """
    key = [*RUN, "budget"]
    pairs = picks[key].merge(picks.dropna(subset="true_score").drop(columns="budget"), on=RUN)
    pairs = pairs[pairs["true_cost"] <= pairs["budget"]]
    pairs["better"] = pairs["true_score"] * pairs["program"].map(sign_of)
    best = pairs.loc[pairs.groupby(key)["better"].idxmax()].drop(columns="better")
    return picks[key].merge(best, "left", on=key).assign(is_over=False)


def sign_of(program: str) -> int:
    """Return 1 if more is better, −1 if less is."""
    return 1 if CASES[program].experiment.goal.sign > 0 else -1


def interval(name: str, values: "pd.Series[float]") -> dict[str, float]:
    """Return the mean and half of its 95% interval (NaN for one value), as columns."""
    half = t95(len(values)) * values.sem() if len(values) > 1 else math.nan
    return {f"{name}_mean": values.mean(), f"{name}_half95": half}


def summary_of(picks: pd.DataFrame) -> pd.DataFrame:
    """Return a row a program, budget and method; a budget of NaN is the mean over those answered.

    Differences are ours minus theirs, paired by seed, and positive where ours is better.
    """
    rows = []
    for program, own in picks.groupby("program", sort=False):
        scores = own.pivot(index=["budget", "seed"], columns="method", values="true_score")
        scores = scores.reindex(columns=list(METHODS)).astype(float)
        for budget in (*CASES[str(program)].budgets, math.nan):
            if math.isnan(budget):  # over the budgets that all methods have answered
                some, here = scores.dropna().groupby("seed").mean(), own
            else:
                some, here = scores.xs(budget, level="budget"), own[own["budget"] == budget]
            for method in METHODS:
                at, known = here[here["method"] == method], some[method].dropna()
                row = {"program": program, "budget": budget, "method": method}
                row |= interval("score", known) | {"n_runs": len(known)}
                row |= {"n_games": int(at["n_games"].fillna(0).sum())}
                row |= {"n_over": int(at["is_over"].eq(True).sum())}
                row |= {"n_without": int(at["true_score"].isna().sum())}
                if method in RIVALS:
                    gain = sign_of(str(program)) * (some[OURS] - some[method]).dropna()
                    row |= interval("gain", gain) | {"n_pairs": len(gain)}
                rows.append(row)
    return pd.DataFrame(rows)


def cell(mean: float, half: float, digits: int, n: int, marks: str = "", plus: str = "") -> str:
    """Write a mean with half of its interval."""
    if not n:
        return f"–{marks}"
    error = "" if math.isnan(half) else f" ± {half:,.{digits}f}"
    return f"{mean:{plus},.{digits}f}{error} ({n}){marks}".replace("-", "−")


def table_of(summary: pd.DataFrame, program: str, case: Case) -> str:
    """Write a program's table."""
    experiment = case.experiment
    goal, cost = experiment.goal, experiment.cost
    heads = [f"budget, {case.unit}", *(LABELS[each] for each in METHODS)]
    heads += [f"gain on {LABELS[each].removeprefix('Optuna ')}" for each in RIVALS]
    lines = []
    for budget, rows in summary[summary["program"] == program].groupby("budget", dropna=False):
        is_mean, by_method = math.isnan(budget), rows.set_index("method")
        cells = ["mean" if is_mean else f"{budget / case.per_unit:g}"]
        for method in METHODS:
            at = by_method.loc[method]
            marks = f" †{at['n_over']}" if at["n_over"] and not is_mean else ""
            score = at["score_mean"], at["score_half95"]
            cells.append(cell(*score, case.digits, at["n_runs"], marks))
        for method in RIVALS:
            at = by_method.loc[method]
            gain = at["gain_mean"], at["gain_half95"]
            cells.append(cell(*gain, case.digits, int(at["n_pairs"]), plus="+"))
        lines.append(cells)
    better = "more" if goal.sign > 0 else "less"
    return (
        f"### {experiment.title}\n\n"
        f"True {goal.label}, of which {better} is better, by budget of {cost.label}.\n\n"
        f"{markdown_table(heads, lines, 'r' * len(heads))}\n"
    )


def draw(picks: pd.DataFrame, summary: pd.DataFrame, path: Path) -> None:
    """Draw true score against true cost: points are runs, lines join means over runs."""
    programs = [name for name in CASES if name in set(picks["program"])]
    figure, axes = plt.subplots(2, 3, figsize=(11, 6.5), layout="constrained")
    for axis in axes.flat[len(programs) :]:
        axis.set_axis_off()
    for axis, program in zip(axes.flat, programs, strict=False):
        case = CASES[program]
        experiment = case.experiment
        for method in METHODS:
            mine = picks[(picks["program"] == program) & (picks["method"] == method)]
            mine = mine.dropna(subset="true_score")
            x = mine["true_cost"].astype(float) / case.per_unit
            axis.plot(x, mine["true_score"], ".", color=COLOURS[method], alpha=0.45, markersize=6)
            of_all = summary[(summary["program"] == program) & (summary["method"] == method)]
            line = of_all.dropna(subset=["budget", "score_mean"])
            x = line["budget"] / case.per_unit
            axis.plot(x, line["score_mean"], color=COLOURS[method], label=LABELS[method])
        axis.set_xscale("log")
        budgets = [each / case.per_unit for each in case.budgets]
        axis.set_xticks(budgets, [f"{each:g}" for each in budgets], fontsize=8)
        axis.minorticks_off()
        axis.set_title(program, loc="left", fontsize=10)
        axis.set_xlabel(f"{experiment.cost.label}, {case.unit}")
        axis.set_ylabel(experiment.goal.label)
        axis.spines[["top", "right"]].set_visible(False)
        if experiment.goal.sign < 0:
            axis.invert_yaxis()
    handles, labels = axes.flat[0].get_legend_handles_labels()
    axes.flat[-1].legend(handles, labels, loc="center", frameon=False)
    figure.suptitle(
        "What is recommended for a budget, on fresh games: up is better.\n"
        "Points: single runs at their true cost. Lines: means over runs at the budget.",
        fontsize=10,
    )
    figure.savefig(path, dpi=150, metadata={"Software": None})
    plt.close(figure)


def write_tables(folder: Path, runs: Sequence[Record], fresh: Sequence[Record]) -> None:
    """Write tables, figure and manifest."""
    picks = picks_of(runs, fresh)
    summary, kept = summary_of(picks), summary_of(kept_of(picks))
    picks.to_csv(folder / "picks.csv", index=False)
    summary.to_csv(folder / "summary.csv", index=False)
    kept.to_csv(folder / "summary_kept.csv", index=False)
    frame = pd.DataFrame(runs)
    by_method = frame[frame["method"] != PICK].groupby("method")["wall"]
    walls = ", ".join(
        f"{LABELS[method]} {each.mean():.1f} s (at most {each.max():.1f} s)"
        for method, each in by_method
    )
    programs = {name: case for name, case in CASES.items() if name in set(picks["program"])}
    parts = [INTRODUCTION.format(walls=walls)]
    parts += [table_of(summary, *each) for each in programs.items()]
    parts += [AT_TRUE_COSTS, *(table_of(kept, *each) for each in programs.items())]
    (folder / "programs.md").write_text("\n".join(parts), encoding="utf-8")
    draw(picks, summary, folder / "programs.png")
    manifest = thetafront.provenance()
    xz = subprocess.run(["xz", "--version"], capture_output=True, text=True, check=False)
    manifest["versions"] |= versions("thetafront", "torch", "scikit-learn")
    manifest["versions"] |= {"xz": xz.stdout.split("\n")[0]}
    left_out = ("picks", "results")
    manifest["runs"] = [{k: v for k, v in each.items() if k not in left_out} for each in runs]
    write_manifest(manifest, folder / MANIFEST)
    print(f"{folder}: picks.csv, summary.csv, programs.md, programs.png, manifest.json")
