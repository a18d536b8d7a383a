"""Plays each program's defaults beside what thetafront recommends: defaults.py FOLDER [GAMES].

The folder has the picks.csv of a contest. A default leaves all parameters as the program has them,
but for the one by which a user would keep a budget: nodes, preset, depth or epochs. Defaults and
recommended θ (of seed 1) play the same fresh seeds in turns, so their times compare; recommended θ
have their scores already. Writes defaults.csv and a picture of each program into the folder; what
is stored there is not played again. The annealing has no defaults.
"""

import sys
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("agg")

import json

import pandas as pd
from matplotlib import pyplot as plt

from results.benchmarks.programs.contest import CASES, FRESH_SEEDS, OURS, Theta, played

TIMED = 20  # games of a recommended θ, for its time
BLUE, PINK = "#0072b2", "#cc79a7"
KNOBS = {"chess": "nodes", "xz": "preset", "tree": "max_depth", "mlp": "epochs", "flaky": ""}
STOCKFISH = {"depth": 20, "hash": 16, "multipv": 1, "nnue": "true"}
PRESET = {"dict": 1 << 20, "lc": 3, "lp": 0, "pb": 2}  # of xz, for a file of a megabyte
FAST = [("hc3", 128, 4), ("hc4", 128, 8), ("hc4", 273, 24), ("hc4", 273, 48)]
NORMAL = [("bt4", 16, 24), ("bt4", 32, 32), ("bt4", 64, 48)]
PRESETS = [
    PRESET | {"mode": mode, "mf": finder, "nice": nice, "depth": depth}
    for mode, finders in (("fast", FAST), ("normal", NORMAL))
    for finder, nice, depth in finders
]
PRESETS[0]["dict"] = 1 << 18
TREE = {"max_leaf_nodes": 512, "min_samples_leaf": 1, "max_features": 1.0, "ccp_alpha": 1e-5}
TREE |= {"criterion": "gini", "splitter": "best"}
MLP = {"solver": "adam", "hidden": 100, "alpha": 1e-4, "rate": 0.001, "batch": 200}
DEFAULTS: dict[str, dict[int, Theta]] = {
    "chess": {nodes: STOCKFISH | {"nodes": nodes} for nodes in (60, 160, 500, 850, 1700)},
    "xz": dict(enumerate(PRESETS)),
    "tree": {depth: TREE | {"max_depth": depth} for depth in (2, 3, 4, 5, 6, 7, 8, 10, 16)},
    "mlp": {epochs: MLP | {"epochs": epochs} for epochs in (1, 2, 4, 7, 12, 20, 35, 60)},
    "flaky": {},
}


def play(program: str, picks: pd.DataFrame, n_games: int) -> pd.DataFrame:
    """Play a program's defaults and its recommended θ in turns; return a row of each."""
    case = CASES[program]
    rows: list[dict[str, Any]] = [
        {"program": program, "default": knob, "theta": theta, "games": [], "most": n_games}
        for knob, theta in DEFAULTS[program].items()
    ]
    own = picks[picks["program"] == program].drop_duplicates("theta")
    rows += [
        {"program": program, "budget": each.budget, "theta": json.loads(each.theta)}
        | {"games": [], "most": min(TIMED, n_games), "score": each.true_score}
        | {"standard_error": each.standard_error}
        for each in own.itertuples()
    ]
    for seed in range(FRESH_SEEDS, FRESH_SEEDS + 1 + min(n_games, case.n_games)):
        for row in rows:
            if len(row["games"]) <= row["most"]:
                row["games"] += played(case.experiment, row["theta"], [seed])[0]
    for row in rows:
        games = row.pop("games")[1:]  # the first has loaded the program
        del row["most"]
        scores = pd.Series([game.score for game in games])
        if "default" in row:
            row |= {"score": scores.mean(), "standard_error": scores.sem()}
        row |= {"cost": case.experiment.cost.value(games), "n_games": len(games)}
        row["theta"] = json.dumps(row["theta"])
    return pd.DataFrame(rows)


def draw(program: str, table: pd.DataFrame, folder: Path) -> None:
    """Draw score against cost: the default's line beside the recommended θ."""
    case = CASES[program]
    goal, cost = case.experiment.goal, case.experiment.cost
    figure, axes = plt.subplots(figsize=(7.2, 4.2), layout="constrained")
    looks = {"recommended": (BLUE, "o", "none"), "default": (PINK, "D", "dotted")}
    for name, (colour, marker, line) in looks.items():
        rows = table[table["default"].notna() == (name == "default")].sort_values("cost")
        if len(rows):
            label = f"default, by {KNOBS[program]}" if name == "default" else "tuned"
            error = 1.96 * rows["standard_error"]
            style = {"color": colour, "fmt": marker, "linestyle": line, "label": label}
            axes.errorbar(rows["cost"] / case.per_unit, rows["score"], error, **style)
        for row in rows.itertuples() if name == "default" else ():
            at = (row.cost / case.per_unit, row.score)
            below = (4, -12 if goal.sign > 0 else 6)
            axes.annotate(f"{row.default:g}", at, below, textcoords="offset points", size="small")
    axes.set(xscale="log", xlabel=f"{cost.label}, {case.unit}")
    axes.set_ylabel(f"{goal.label} ({'higher' if goal.sign > 0 else 'lower'} is better)")
    axes.set_title(case.experiment.title, loc="left")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter("{x:g}")
    axes.tick_params(axis="x", which="both", labelsize="small")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="0.9")
    axes.legend(frameon=False)
    figure.savefig(folder / f"{program}.png", dpi=120)
    plt.close(figure)


def main(folder: Path, n_games: int) -> None:
    """Play what defaults.csv lacks, and draw."""
    picks = pd.read_csv(folder / "picks.csv").dropna(subset="theta")
    picks = picks[(picks["method"] == OURS) & (picks["seed"] == 1)]
    file = folder / "defaults.csv"
    table = pd.read_csv(file) if file.exists() else pd.DataFrame({"program": []})
    for program in CASES:
        if program not in set(table["program"]):
            table = pd.concat([table, play(program, picks, n_games)], ignore_index=True)
            table.to_csv(file, index=False)
            print(program, flush=True)
        draw(program, table[table["program"] == program], folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 100)
