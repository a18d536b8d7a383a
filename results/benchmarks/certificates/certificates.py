"""How often certificates of simulated studies hold, and how many games stopping by them saves.

Each study is searched for 16, 24, 36, 54, 80 and 120 trials of nine games. After each of these
stages its proposals for twelve budgets are validated by 100 games each, beside those of the stages
before, and its certificate is compared with the truth. All is kept as a line of JSON a study, and
the same command goes on after an interrupt. README.md explains the tables.
"""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pandas as pd
from joblib import Parallel, delayed
from scipy.stats import binomtest
from threadpoolctl import threadpool_limits

from results.benchmarks.samplers.contest import N_DESIGN, Contest
from results.benchmarks.samplers.recommendations import (
    Machine,
    Points,
    certified,
    chosen,
    combined_model,
    on_machine,
    validated,
)
from results.benchmarks.samplers.surfaces import surface
from results.benchmarks.samplers.truth import true_front
from thetafront.study.report.expected import expected_at
from thetafront.study.report.sections import Section, document
from thetafront.study.samplers.candidates import is_among
from thetafront.study.samplers.fitted_model import FittedModel

SURFACES = ("recorded", "saturating", "two_regimes", "steps", "cliffs")
STAGES = (N_DESIGN, 24, 36, 54, 80, 120)  # trials
GAMES_A_TRIAL, GAMES_A_POINT = 9, 100
N_UNTESTED = 30  # along the predicted front
TARGETS = np.geomspace(0.02, 2.0, 200)  # regrets to stop at, in shares of the highest true score
STUDIES = "studies.jsonl"
NOTE = """\
Each study is searched for 16, 24, 36, 54, 80 and 120 trials of nine games. After each of these
stages its proposals for twelve budgets are validated by 100 games each, beside those of the stages
before, and its certificate is compared with the truth. Bounds and regrets are shares of the highest
true score. *Held*: no bound is exceeded at any budget, with Wilson's 95% interval. *Inside*: true
scores within the 95% intervals of tested and untested θ. *Worse than design*: budgets at which the
answer is truly worse than that of 16 trials."""


def study_of(name: str, seed: int) -> list[dict[str, Any]]:
    """Run one study; return a row a stage."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    on, truth = surface(name), true_front(name)
    rng = np.random.default_rng([seed, 3])
    searching, validating = (Machine(np.random.default_rng([seed, k])) for k in (2, 4))
    contest = Contest.begin(on_machine(on, searching), seed, N_DESIGN)
    points: Points | None = None
    rows, n_trials = [], 0
    for stage in STAGES:
        for _ in range(stage - n_trials):
            contest.trial("knowledge-gradient", GAMES_A_TRIAL, seed, N_DESIGN)
        n_trials = stage
        posterior, observations, cube = contest.fitted(stage)
        trials = FittedModel(cube, observations, posterior, seed)
        codes = chosen(trials if points is None else combined_model(trials, points), on)
        if points is not None:
            codes = codes[~is_among(codes, points.codes)]
        if len(codes):
            new = validated(on, codes, GAMES_A_POINT, rng, validating)
            points = new if points is None else points.and_those_of(new)
        assert points is not None
        model = combined_model(trials, points)
        found = certified(on, truth, model, points)
        row = {"surface": name, "seed": seed, "n_trials": stage, "top": truth.scores.max()}
        row["n_games"] = GAMES_A_TRIAL * stage + GAMES_A_POINT * len(points.codes)
        row |= {"holds": found.holds, "share": (found.regrets <= found.bounds).mean()}
        row |= {"bound": found.bounds.max(), "largest_regret": found.regrets.max()}
        at = np.searchsorted(found.limits, truth.budgets, side="right") - 1
        row["scores"] = np.where(at >= 0, found.scores[np.maximum(at, 0)], 0.0).tolist()
        row["best"] = truth.best_within(truth.budgets).tolist()
        front = model.predicted_front.points
        some = front[np.linspace(0, len(front) - 1, N_UNTESTED).round().astype(int)]
        tidy = cube.encode([on.space.tidy(cube.decode(point)) for point in some])
        for kind, codes in (
            ("tested", points.codes),
            ("untested", tidy[~is_among(tidy, points.codes)]),
        ):
            expected = expected_at(model, [cube.decode(code) for code in codes])
            scores = [each.score for each in expected]
            true = on.score(codes) if len(codes) else np.empty(0)
            inside = [e.low <= t <= e.high for e, t in zip(scores, true, strict=True)]
            row[f"{kind}_inside"] = [int(sum(inside)), len(inside)]
            row[f"{kind}_bias"] = float(sum(e.value for e in scores) - true.sum())
        rows.append(row)
    return [{key: plain(value) for key, value in row.items()} for row in rows]


def plain(value: Any) -> Any:
    """Return a number of numpy as one of Python."""
    return value.item() if isinstance(value, np.generic) else value


def worker(study: tuple[str, int]) -> list[dict[str, Any]]:
    """Run a study with one thread."""
    with threadpool_limits(1):
        return study_of(*study)


def read(path: Path) -> pd.DataFrame:
    """Read the rows of all studies that are whole."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return pd.DataFrame([row for line in lines if line.endswith("]") for row in json.loads(line)])


def inside(rows: pd.DataFrame, kind: str) -> str:
    """Write the coverage of claims, with their mean error in shares of the highest score."""
    counts = np.array(rows[f"{kind}_inside"].tolist())
    bias = (rows[f"{kind}_bias"] / rows["top"]).sum() / counts[:, 1].sum()
    return f"{counts[:, 0].sum() / counts[:, 1].sum():.3f}, {bias:+.1%}"


def regret_of(row: pd.Series) -> float:
    """Return the mean regret over all budgets, in shares of the highest true score."""
    return float(np.mean(np.subtract(row["best"], row["scores"]))) / float(row["top"])


def stages_section(name: str, rows: pd.DataFrame) -> Section:
    """Tell of certificates, stage by stage."""
    found = []
    for stage, part in rows.groupby("n_trials"):
        n, held = len(part), int(part["holds"].sum())
        interval = binomtest(held, n).proportion_ci(method="wilson")
        worse = overtuned(rows, part)
        found.append(
            (
                f"{stage}",
                f"{part['n_games'].mean():,.0f}",
                f"{held} of {n} ({interval.low:.2f} to {interval.high:.2f})",
                f"{part['share'].mean():.3f}",
                f"{(part['bound'] / part['top']).mean():.1%}",
                f"{(part['largest_regret'] / part['top']).mean():.1%}",
                f"{part['regret'].mean():.1%}",
                inside(part, "tested"),
                inside(part, "untested"),
                worse,
            )
        )
    headings = (
        *("trials", "games", "held", "held, by budgets", "bound", "largest regret"),
        *("mean regret", "tested: inside, bias", "untested: inside, bias", "worse than design"),
    )
    return Section(f"{name}: {rows['seed'].nunique()} studies", headings, found)


def overtuned(rows: pd.DataFrame, part: pd.DataFrame) -> str:
    """Write how often an answer is truly worse than that of the same study's design."""
    first = rows[rows["n_trials"] == N_DESIGN].set_index("seed")["scores"]
    now = part.set_index("seed")["scores"]
    gains = np.array([np.subtract(now[seed], first[seed]) for seed in now.index])
    return f"{(gains < 0.0).mean():.1%}"


def stopping(rows: pd.DataFrame) -> tuple[list[tuple[str, ...]], float]:
    """Compare stopping by the certificate with stopping all studies at the same stage.

    Both take the same trials and points in the same order. Returns rows of a table and the mean
    share of games that is saved at equal mean regret.
    """
    by_study = [each for _, each in rows.groupby(["surface", "seed"])]
    fixed = rows.groupby("n_trials")[["n_games", "regret"]].mean()
    curve = fixed.sort_values("regret")
    found: list[tuple[str, ...]] = []
    saved: list[float] = []
    for target in TARGETS:
        stops = [
            part[(part["bound"] <= target * part["top"]) | (part["n_trials"] == STAGES[-1])].iloc[0]
            for part in by_study
        ]
        games = float(np.mean([stop["n_games"] for stop in stops]))
        regret = float(np.mean([stop["regret"] for stop in stops]))
        if curve["regret"].iloc[0] < regret < curve["regret"].iloc[-1]:
            needed = float(np.interp(regret, curve["regret"], curve["n_games"]))
            numbers = f"{target:.1%}", f"{regret:.2%}", f"{games:,.0f}", f"{needed:,.0f}"
            row = (*numbers, f"{1.0 - games / needed:+.0%}")
            if not found or found[-1][1:] != row[1:]:
                found.append(row)
                saved.append(1.0 - games / needed)
    return found, float(np.mean(saved)) if saved else float("nan")


def tables(rows: pd.DataFrame) -> str:
    """Return all tables as Markdown."""
    rows = rows.assign(regret=rows.apply(regret_of, axis=1))
    sections = [
        stages_section(name, rows[rows["surface"] == name])
        for name in SURFACES
        if (rows["surface"] == name).any()
    ]
    stops, saved = stopping(rows)
    every = max(1, len(stops) // 10)
    headings = ("stop at a bound of", "mean regret", "games", "games of a fixed stage", "saved")
    title = f"Stopping by the certificate: {saved:+.0%} of the games on average"
    return document("Certificates", NOTE, *sections, Section(title, headings, stops[::every]))


def main() -> None:
    """Run the studies that are not there yet, then write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--output", type=Path, default=Path("results/certificates"))
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    path = args.output / STUDIES
    rows = read(path)
    done = set() if rows.empty else set(zip(rows["surface"], rows["seed"], strict=True))
    missing = [
        (name, seed) for seed in range(args.seeds) for name in SURFACES if (name, seed) not in done
    ]
    parallel = Parallel(n_jobs=args.jobs, batch_size=1, return_as="generator_unordered")
    with path.open("a", encoding="utf-8") as file:
        for n, found in enumerate(parallel(delayed(worker)(each) for each in missing), 1):
            print(json.dumps(found), file=file, flush=True)
            print(f"\r{n} of {len(missing)} studies", end="", file=sys.stderr, flush=True)
    text = tables(read(path))
    (args.output / "certificates.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
