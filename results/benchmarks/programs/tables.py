"""The results of a contest: picks.csv, summary.csv, programs.md, programs.png and manifest.json.

The replicates are runs with different seeds. Means, differences and their 95% intervals (Student's
t) are over n runs, so they include the variation of search, choice and fresh games.
"""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from results.benchmarks.command import Record, publish
from results.benchmarks.programs.contest import CASES, METHODS, OURS, PICK, RIVALS
from thetafront.study.estimate import t95
from thetafront.study.report.sections import markdown_table

TOLERANCE = 1.10  # a true cost above this multiple of the budget is marked
LABELS = {
    OURS: "thetafront",
    PICK: "its pick",
    "tpe": "Optuna TPE",
    "nsga2": "Optuna NSGA-II",
    "gp": "Optuna GP",
}
RUN = ["program", "method", "seed"]
INTRODUCTION = """\
## thetafront and Optuna on five programs

At each budget, the tables give the mean true score of the θ that each method recommends, ± half \
of its 95% interval (Student's t over n runs, one per seed; n is in parentheses). Each recommended \
θ was played on 200 fresh seeds, or on 10 where scores are exact. Gains are differences between \
thetafront and the other method, paired by seed, and positive when thetafront is better. †k means \
that the true cost exceeds the budget by more than 10% in k runs; a dash means no answer. *Its \
pick* is the θ that thetafront's `study.pick` names after the same run; it requires the cost to \
be within the budget with a probability of 95%. The `mean` row averages over the budgets for which \
all methods have an answer in all runs.

Wall time per run, including tables and page: {walls}.
"""
PICTURE = "programs.png"  # only published results have it
AT_TRUE_COSTS = """\
## At true costs

The same answers, judged by their true costs: for each budget, the best true score among \
all of a run's answers whose true cost is within the budget.
"""


def pick_rows(runs: Sequence[Record], fresh: Sequence[Record]) -> pd.DataFrame:
    """Return one row per run and budget: the recommendation, and its results in fresh games."""
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


def best_answers(picks: pd.DataFrame) -> pd.DataFrame:
    """Return, for each run and budget, the run's best answer with a true cost within the budget.

    A row without such an answer has neither a score nor games.
    """
    key = [*RUN, "budget"]
    pairs = picks[key].merge(picks.dropna(subset="true_score").drop(columns="budget"), on=RUN)
    pairs = pairs[pairs["true_cost"] <= pairs["budget"]]
    signs = {name: CASES[name].experiment.goal.sign for name in picks["program"].unique()}
    pairs["better"] = pairs["true_score"] * pairs["program"].map(signs)
    best = pairs.loc[pairs.groupby(key)["better"].idxmax()].drop(columns="better")
    return picks[key].merge(best, "left", on=key).assign(is_over=False)


def interval(name: str, values: "pd.Series[float]") -> dict[str, float]:
    """Return the mean and half of its 95% interval (NaN for one value), as columns."""
    half = t95(len(values)) * values.sem() if len(values) > 1 else math.nan
    return {f"{name}_mean": values.mean(), f"{name}_half95": half}


def summarize(picks: pd.DataFrame) -> pd.DataFrame:
    """Return one row per program, budget and method; rows with budget NaN are means over budgets.

    Gains are differences between thetafront and the other method, paired by seed, and positive if
    thetafront is better.
    """
    rows = []
    for program, own in picks.groupby("program", sort=False):
        case = CASES[str(program)]
        scores = own.pivot(index=["budget", "seed"], columns="method", values="true_score")
        scores = scores.reindex(columns=list(METHODS)).astype(float)
        for budget in (*case.budgets, math.nan):
            if math.isnan(budget):  # over the budgets for which all runs have an answer
                some, here = scores.unstack("seed").dropna().mean().unstack("method"), own
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
                    gain = case.experiment.goal.sign * (some[OURS] - some[method]).dropna()
                    row |= interval("gain", gain) | {"n_pairs": len(gain)}
                rows.append(row)
    return pd.DataFrame(rows)


def cell(row: Any, name: str, digits: int, n: int, n_over: int = 0, plus: str = "") -> str:
    """Write a mean with half of its interval."""
    mean, half, mark = row[f"{name}_mean"], row[f"{name}_half95"], f" †{n_over}" if n_over else ""
    if not n:
        return f"–{mark}"
    error = "" if math.isnan(half) else f" ± {half:,.{digits}f}"
    return f"{mean:{plus},.{digits}f}{error} ({n}){mark}".replace("-", "−")


def program_table(summary: pd.DataFrame, program: str) -> str:
    """Write a program's table."""
    case = CASES[program]
    goal, cost = case.experiment.goal, case.experiment.cost
    heads = [f"budget, {case.unit}", *LABELS.values()]
    heads += [f"gain on {LABELS[each].removeprefix('Optuna ')}" for each in RIVALS]
    lines = []
    for budget, rows in summary[summary["program"] == program].groupby("budget", dropna=False):
        at = rows.set_index("method").to_dict("index")
        is_mean = math.isnan(budget)
        known = [(row, 0 if is_mean else row["n_over"]) for row in at.values()]
        scores = [cell(row, "score", case.digits, row["n_runs"], n) for row, n in known]
        rivals = [(at[rival], int(at[rival]["n_pairs"])) for rival in RIVALS]
        gains = [cell(row, "gain", case.digits, n, plus="+") for row, n in rivals]
        lines.append(["mean" if is_mean else f"{budget / case.per_unit:g}", *scores, *gains])
    better = "more" if goal.sign > 0 else "less"
    return (
        f"### {case.experiment.title}\n\n"
        f"True {goal.label} ({better} is better) for each budget of {cost.label}.\n\n"
        f"{markdown_table(heads, lines, 'r' * len(heads))}\n"
    )


def write_tables(folder: Path, runs: Sequence[Record], fresh: Sequence[Record]) -> None:
    """Write tables, figure and manifest."""
    picks = pick_rows(runs, fresh)
    summary, kept = summarize(picks), summarize(best_answers(picks))
    frame = pd.DataFrame(runs)
    by_method = frame[frame["method"] != PICK].groupby("method")["wall"]
    walls = ", ".join(
        f"{LABELS[str(method)]} {each.mean():.1f} s (at most {each.max():.1f} s)"
        for method, each in by_method
    )
    programs = [name for name in CASES if name in set(picks["program"])]
    parts = [INTRODUCTION.format(walls=walls), *(program_table(summary, each) for each in programs)]
    picture = f"![True score against cost]({PICTURE})\n\n" if (folder / PICTURE).exists() else ""
    parts += [picture + AT_TRUE_COSTS, *(program_table(kept, each) for each in programs)]
    tables = {"picks": picks, "summary": summary, "summary_kept": kept}
    left_out = ("picks", "results")
    made = [{k: v for k, v in each.items() if k not in left_out} for each in runs]
    publish(folder, "programs", "\n".join(parts), tables, runs=made)
