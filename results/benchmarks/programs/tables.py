"""What a contest found: picks.csv, summary.csv, programs.md, programs.png and manifest.json.

Runs with different seeds are the replicates: means, differences and their 95% intervals (Student's
t) are over runs, n of them. So they hold what search, choice and fresh games vary by.
"""

import json
import math
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import pandas as pd
from cases import CASES, FOLDER, LABELS, METHODS, OURS, PICK, RIVALS, Case
from scipy.stats import t as student

from thetafront import load_experiment

TOLERANCE = 1.10  # how far a true cost may exceed the budget
COLOURS = {OURS: "#0072b2", PICK: "#56b4e9", "tpe": "#d55e00", "nsga2": "#009e73", "gp": "#8a6ea8"}
VERSIONS = ("thetafront", "optuna", "torch", "numpy", "scipy", "scikit-learn")
Rows = list[dict[str, Any]]


def interval(values: "pd.Series[float]") -> tuple[float, float, int]:
    """Return the mean, half of its 95% interval (NaN for one value), and n."""
    n = len(values)
    if n < 2:
        return (float(values.mean()) if n else math.nan), math.nan, n
    error = float(values.std(ddof=1)) / math.sqrt(n)
    return float(values.mean()), float(student.ppf(0.975, n - 1)) * error, n


def picks_of(runs: Rows, fresh: Rows) -> pd.DataFrame:
    """Return a row a run and budget: what was recommended, and what fresh games say of it."""
    played = {(each["program"], json.dumps(each["theta"], sort_keys=True)): each for each in fresh}
    rows = []
    for each in runs:
        program = each["program"]
        answers = {pick[0]: pick[1:] for pick in each["picks"]}
        for budget in CASES[program].budgets:
            row = {name: each[name] for name in ("program", "method", "seed")} | {"budget": budget}
            rows.append(row)
            if budget not in answers:
                continue
            theta, score, cost = answers[budget]
            text = json.dumps(theta, sort_keys=True)
            row |= {"theta": text, "promised_score": score, "promised_cost": cost}
            if found := played.get((program, text)):
                n = found["n"]
                row |= {"true_score": found["score"], "true_cost": found["cost"], "n_games": n}
                row |= {"n_failed": found["n_failed"]}
                if found["deviation"] is not None:
                    row["standard_error"] = found["deviation"] / math.sqrt(n)
                row["is_over"] = found["cost"] is None or found["cost"] > TOLERANCE * budget
    return pd.DataFrame(rows)


def kept_of(picks: pd.DataFrame) -> pd.DataFrame:
    """Return, for each run and budget, the best of the run's answers whose true cost is within it.

    A row without such an answer has neither a score nor games.
    """
    kept = picks.copy()
    found = kept.columns.difference(["program", "method", "seed", "budget"])
    for (program, *_), own in picks.groupby(["program", "method", "seed"]):
        sign = sign_of(str(program))
        for index, budget in own["budget"].items():
            within = own[own["true_cost"].astype(float) <= budget]
            scores = (sign * within["true_score"].astype(float)).dropna()
            kept.loc[index, found] = own.loc[scores.idxmax(), found] if len(scores) else None
            kept.loc[index, "is_over"] = False
    return kept


def sign_of(program: str) -> int:
    """Return 1 if more is better, −1 if less is."""
    return 1 if load_experiment(str(FOLDER / CASES[program].definition)).goal.sign > 0 else -1


def summary_of(picks: pd.DataFrame) -> pd.DataFrame:
    """Return a row a program, budget and method; a budget of NaN is the mean over those answered.

    Differences are ours minus theirs, paired by seed, and positive where ours is better.
    """
    rows = []
    for program, own in picks.groupby("program", sort=False):
        sign = sign_of(str(program))
        scores = own.pivot(index=["budget", "seed"], columns="method", values="true_score")
        scores = scores.reindex(columns=list(METHODS)).astype(float)
        for budget in (*CASES[str(program)].budgets, math.nan):
            if math.isnan(budget):  # over the budgets that all methods have answered
                some, here = scores.dropna().groupby("seed").mean(), own
            else:
                some, here = scores.xs(budget, level="budget"), own[own["budget"] == budget]
            for method in METHODS:
                mean, half, n = interval(some[method].dropna())
                at = here[here["method"] == method]
                row = {"program": program, "budget": budget, "method": method}
                row |= {"score_mean": mean, "score_half95": half, "n_runs": n}
                row["n_games"] = int(at["n_games"].fillna(0).sum())
                row["n_over"] = int((at["is_over"] == True).sum())  # noqa: E712, may be NaN
                row["n_without"] = int(at["true_score"].isna().sum())
                if method in RIVALS:
                    gain = sign * (some[OURS] - some[method]).dropna()
                    row["gain_mean"], row["gain_half95"], row["n_pairs"] = interval(gain)
                rows.append(row)
    return pd.DataFrame(rows)


def cell(mean: float, half: float, digits: int, n: int, marks: str = "", plus: str = "") -> str:
    """Write a mean with half of its interval."""
    if not n:
        return f"–{marks}"
    error = "" if math.isnan(half) else f" ± {half:,.{digits}f}"
    return f"{mean:{plus},.{digits}f}{error} ({n}){marks}".replace("-", "−")


def table_of(summary: pd.DataFrame, program: str, case: Case) -> list[str]:
    """Write a program's table."""
    experiment = load_experiment(str(FOLDER / case.definition))
    goal, cost = experiment.goal, experiment.cost
    better = "more" if goal.sign > 0 else "less"
    heads = [f"budget, {case.unit}", *(LABELS[each] for each in METHODS)]
    heads += [f"gain on {LABELS[each].removeprefix('Optuna ')}" for each in RIVALS]
    lines = [f"### {experiment.title}", ""]
    lines += [f"True {goal.label}, of which {better} is better, by budget of {cost.label}.", ""]
    lines += [f"| {' | '.join(heads)} |", f"|{'---:|' * len(heads)}"]
    for budget, rows in summary[summary["program"] == program].groupby("budget", dropna=False):
        by_method = rows.set_index("method")
        cells = ["mean" if math.isnan(budget) else f"{budget / case.per_unit:g}"]
        for method in METHODS:
            at = by_method.loc[method]
            marks = f" †{at['n_over']}" if at["n_over"] and not math.isnan(budget) else ""
            cells.append(
                cell(at["score_mean"], at["score_half95"], case.digits, at["n_runs"], marks)
            )
        for method in RIVALS:
            at = by_method.loc[method]
            n = int(at["n_pairs"])
            cells.append(cell(at["gain_mean"], at["gain_half95"], case.digits, n, plus="+"))
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, ""]


def draw(picks: pd.DataFrame, summary: pd.DataFrame, path: Path) -> None:
    """Draw true score against true cost: points are runs, lines join means over runs."""
    programs = [name for name in CASES if name in set(picks["program"])]
    figure, axes = plt.subplots(2, 3, figsize=(11, 6.5), layout="constrained")
    for axis in axes.flat[len(programs) :]:
        axis.set_axis_off()
    for axis, program in zip(axes.flat, programs, strict=False):
        case = CASES[program]
        experiment = load_experiment(str(FOLDER / case.definition))
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


def manifest_of(runs: Rows) -> dict[str, Any]:
    """Return what made the tables."""
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = next((line for line in text.splitlines() if line.startswith("model name")), ":")
    revision = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=FOLDER, capture_output=True, text=True, check=False
    )
    engine = subprocess.run(["xz", "--version"], capture_output=True, text=True, check=False)
    return {
        "command": " ".join(["python", Path(sys.argv[0]).name, *sys.argv[1:]]),
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "revision": revision.stdout.strip(),
        "machine": {"processor": model.partition(":")[2].strip(), "cores": os.cpu_count()},
        "versions": {"python": platform.python_version(), "matplotlib": matplotlib.__version__}
        | {name: version(name) for name in VERSIONS}
        | {"xz": engine.stdout.split("\n")[0]},
        "seconds": sorted({each["seconds"] for each in runs}),
        "seeds": sorted({each["seed"] for each in runs}),
        "runs": [{k: v for k, v in each.items() if k not in {"picks", "results"}} for each in runs],
    }


def write_tables(folder: Path, runs: Rows, fresh: Rows) -> None:
    """Write tables, figure and manifest."""
    picks = picks_of(runs, fresh)
    summary, kept = summary_of(picks), summary_of(kept_of(picks))
    picks.to_csv(folder / "picks.csv", index=False)
    summary.to_csv(folder / "summary.csv", index=False)
    kept.to_csv(folder / "summary_kept.csv", index=False)
    lines = ["## thetafront and Optuna on five programs", ""]
    lines += [
        "Mean true score of what each method recommends for a budget ± half of its 95% interval "
        "(n runs, one a seed; Student's t). Each recommended θ was played on fresh seeds: 200 "
        "times, where the score is exact 10 times. Gains are ours minus theirs, paired by seed, "
        "positive where ours is better. †k: in k runs the true cost exceeds the budget by more "
        "than 10%. A dash: no answer. The row `mean` is over the budgets that all methods have "
        "answered.",
        "",
    ]
    frame = pd.DataFrame(runs)
    walls = frame[frame["method"] != PICK].groupby("method")["wall"]
    texts = [
        f"{LABELS[method]} {each.mean():.1f} s (at most {each.max():.1f} s)"
        for method, each in walls
    ]
    lines += [f"Wall time of a run, tables and page included: {', '.join(texts)}.", ""]
    for program, case in CASES.items():
        if program in set(picks["program"]):
            lines += table_of(summary, program, case)
    lines += ["![True score against cost](programs.png)", ""]
    lines += ["## At true costs", ""]
    lines += [
        "The same answers, judged by what they truly cost: for each budget, the best true score "
        "among all of a run's answers whose true cost is within it.",
        "",
    ]
    for program, case in CASES.items():
        if program in set(picks["program"]):
            lines += table_of(kept, program, case)
    (folder / "programs.md").write_text("\n".join(lines), encoding="utf-8")
    draw(picks, summary, folder / "programs.png")
    text = json.dumps(manifest_of(runs), indent=2, ensure_ascii=False)
    (folder / "manifest.json").write_text(f"{text}\n", encoding="utf-8")
    print(f"{folder}: picks.csv, summary.csv, programs.md, programs.png, manifest.json")
