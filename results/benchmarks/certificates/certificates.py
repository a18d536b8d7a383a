"""How often certificates of simulated studies hold, and how many games stopping by them saves.

Each surface is searched by `knowledge-gradient`, nine games a trial, the same trials for all that
follows; validated points have 100 games each. *Fixed*: 24, 36, 54, 80 or 120 trials, then the
proposals for twelve budgets, or for 24. *Until the regret is small*: much as
``sweep --until-regret`` does, from 16 trials and twelve points on, predictions that lower the
certificate's bounds are played in turns with half as many trials again. A certificate is compared
with the truth after each of these steps. All is kept as a line of JSON a study, and the same
command goes on after an interrupt.
"""

import argparse
import json
import math
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
    N_POINTS,
    Machine,
    Points,
    certified,
    chosen,
    combined_model,
    on_machine,
    tidy,
    validated,
)
from results.benchmarks.samplers.surface import Floats
from results.benchmarks.samplers.surfaces import surface
from results.benchmarks.samplers.truth import true_front
from thetafront.study.report.certificate import budgets_worth_playing
from thetafront.study.report.expected import best_of, expected_at, is_met
from thetafront.study.report.sections import Section, document
from thetafront.study.samplers.candidates import is_among
from thetafront.study.samplers.fitted_model import FittedModel

SURFACES = ("recorded", "saturating", "two_regimes", "steps", "cliffs")
STAGES = (24, 36, 54, 80, 120)  # trials of a fixed study
GAMES_A_TRIAL, GAMES_A_POINT = 9, 100
MOST_GAMES, MOST_TRIALS, MORE_TRIALS = 6000, 120, 1.5
N_UNTESTED = 30  # along the predicted front
TARGETS = np.geomspace(0.02, 4.0, 120)  # bounds to stop at, in shares of the highest true score
STUDIES = "studies.jsonl"
GAMES = np.array([2000, 3000, 4500, 6500])  # ends of the classes of the tables
NOTE = """\
Bounds and regrets are shares of the highest true score; regrets are means over 25 budgets but for
the *largest*. *Held*: no bound is exceeded at any budget, with Wilson's 95% interval. *Inside*:
true scores within the 95% intervals of tested and untested θ, with the mean error. *Worse than
design*: budgets at which the answer is truly worse than after the first step, 16 trials and their
validation."""


class Study:
    """A simulated study, searched as far as it is asked for."""

    def __init__(self, name: str, seed: int) -> None:
        self.on, self.truth, self.seed = surface(name), true_front(name), seed
        searching = Machine(np.random.default_rng([seed, 2]))
        self.contest = Contest.begin(on_machine(self.on, searching), seed, N_DESIGN)
        self.models: dict[int, FittedModel] = {}

    @property
    def top(self) -> float:
        """The highest true score."""
        return float(self.truth.scores.max())

    def searched(self, n_trials: int) -> FittedModel:
        """Return the model of the first trials."""
        while len(self.contest.points) < n_trials:
            self.contest.trial("knowledge-gradient", GAMES_A_TRIAL, self.seed, N_DESIGN)
        if n_trials not in self.models:
            posterior, observations, cube = self.contest.fitted(n_trials)
            self.models[n_trials] = FittedModel(cube, observations, posterior, self.seed)
        return self.models[n_trials]

    def played(
        self, codes: Floats, rng: np.random.Generator, machine: Machine, before: Points | None
    ) -> Points | None:
        """Play points that are new, beside those of before."""
        if before is not None:
            codes = codes[~is_among(codes, before.codes)]
        codes = np.unique(codes, axis=0)
        if not len(codes):
            return before
        new = validated(self.on, codes, GAMES_A_POINT, rng, machine)
        return new if before is None else before.and_those_of(new)

    def scores(self, model: FittedModel, points: Points) -> list[float]:
        """Return the true scores of the answers to the truth's budgets; 0 where there is none."""
        expected = expected_at(model, [model.cube.decode(code) for code in points.codes])
        true, found = self.on.score(points.codes), []
        for limit in self.truth.budgets.tolist():
            met = [k for k, each in enumerate(expected) if is_met(each, limit, is_played=True)]
            best = best_of(expected, met)
            found.append(0.0 if best is None else float(true[best]))
        return found

    def row(self, n_trials: int, model: FittedModel, points: Points, **more: Any) -> dict[str, Any]:
        """Return what a user has after these trials and points."""
        n_games = GAMES_A_TRIAL * n_trials + GAMES_A_POINT * len(points.codes)
        scores = self.scores(model, points)
        regret = np.mean(self.truth.best_within(self.truth.budgets) - scores)
        known = {"surface": self.on.name, "seed": self.seed, "n_trials": n_trials}
        known |= {"n_points": len(points.codes), "n_games": n_games, "scores": scores}
        return {**known, "regret": float(regret) / self.top, **more}


def fixed(study: Study) -> list[dict[str, Any]]:
    """Return a row for each number of trials and of points that might have been chosen before."""
    rows = []
    for stage in STAGES:
        trials, points = study.searched(stage), None
        rng = np.random.default_rng([study.seed, 3, stage])
        machine = Machine(np.random.default_rng([study.seed, 4, stage]))
        for n_points in (N_POINTS, 2 * N_POINTS):
            codes = chosen(trials, study.on, n_points)
            points = study.played(codes, rng, machine, points)
            assert points is not None
            model = combined_model(trials, points)
            rows.append(study.row(stage, model, points, arm=f"fixed, {n_points} points"))
    return rows


def until_small(study: Study) -> list[dict[str, Any]]:
    """Return a row for each step of a study that lowers its certificate's bounds."""
    rng = np.random.default_rng([study.seed, 3])
    machine = Machine(np.random.default_rng([study.seed, 4]))
    n_trials, has_played, rows = N_DESIGN, False, list[dict[str, Any]]()
    points = study.played(chosen(study.searched(n_trials), study.on), rng, machine, None)
    while True:
        assert points is not None
        model = combined_model(study.searched(n_trials), points)
        found = certified(study.on, study.truth, model, points)
        more = {"arm": "until small", "holds": found.holds, "bound": found.bounds.max() / study.top}
        more |= {"share": (found.regrets <= found.bounds).mean()}
        more |= {"largest": found.regrets.max() / study.top}
        more |= claims(study, model, points)
        rows.append(study.row(n_trials, model, points, **more))
        if rows[-1]["n_games"] >= MOST_GAMES:
            return rows
        is_new = ~is_among(found.prospects, points.codes)
        nothing = np.zeros(len(found.bounds))
        worth = budgets_worth_playing(found.bounds, found.if_played, nothing, is_new.tolist())
        has_played = bool(worth) and not has_played
        if has_played:
            points = study.played(found.prospects[worth], rng, machine, points)
        elif n_trials < MOST_TRIALS:
            n_trials = min(math.ceil(MORE_TRIALS * n_trials), MOST_TRIALS)
        else:
            return rows


def claims(study: Study, model: FittedModel, points: Points) -> dict[str, Any]:
    """Compare intervals of tested and untested θ with the truth."""
    front = model.predicted_front.points
    some = front[np.linspace(0, len(front) - 1, N_UNTESTED).round().astype(int)]
    untested = tidy(model, study.on, some)
    untested = untested[~is_among(untested, points.codes)]
    found: dict[str, Any] = {}
    for kind, codes in (("tested", points.codes), ("untested", untested)):
        expected = expected_at(model, [model.cube.decode(code) for code in codes])
        true = study.on.score(codes) if len(codes) else np.empty(0)
        scores = [each.score for each in expected]
        inside = [e.low <= t <= e.high for e, t in zip(scores, true, strict=True)]
        found[f"{kind}_inside"] = [int(sum(inside)), len(inside)]
        found[f"{kind}_bias"] = (sum(e.value for e in scores) - float(true.sum())) / study.top
    return found


def worker(name: str, seed: int) -> list[dict[str, Any]]:
    """Run a study with one thread."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with threadpool_limits(1):
        study = Study(name, seed)
        rows = until_small(study) + fixed(study)
    return [{key: plain(value) for key, value in row.items()} for row in rows]


def plain(value: Any) -> Any:
    """Return a number of numpy as one of Python."""
    return value.item() if isinstance(value, np.generic) else value


def read(path: Path) -> pd.DataFrame:
    """Read the rows of all studies that are whole."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return pd.DataFrame([row for line in lines if line.endswith("]") for row in json.loads(line)])


def inside(rows: pd.DataFrame, kind: str) -> str:
    """Write the coverage of claims, with their mean error."""
    counts = np.array(rows[f"{kind}_inside"].tolist()).sum(axis=0)
    return f"{counts[0] / counts[1]:.3f}, {rows[f'{kind}_bias'].sum() / counts[1]:+.1%}"


def held(rows: pd.DataFrame) -> str:
    """Write how many certificates held, with Wilson's interval."""
    n, k = len(rows), int(rows["holds"].sum())
    interval = binomtest(k, n).proportion_ci(method="wilson")
    return f"{k} of {n} ({interval.low:.2f} to {interval.high:.2f})"


def steps_section(name: str, rows: pd.DataFrame) -> Section:
    """Tell of certificates by the number of games played, the last step of each study in each."""
    rows = rows[rows["arm"] == "until small"]
    first = rows.groupby("seed")["scores"].first()
    before = first[rows["seed"]].to_numpy()
    pairs = zip(rows["scores"], before, strict=True)
    worse = [float(np.mean(np.subtract(now, then) < 0.0)) for now, then in pairs]
    rows = rows.assign(worse=worse, size=np.searchsorted(GAMES, rows["n_games"]))
    found = []
    for size, part in rows.groupby("size"):
        last = part.groupby("seed").last()
        found.append(
            (
                f"{last['n_games'].mean():,.0f}",
                f"{last['n_trials'].mean():.0f}, {last['n_points'].mean():.0f}",
                held(last),
                f"{last['bound'].mean():.1%}",
                f"{last['largest'].mean():.1%}",
                f"{last['regret'].mean():.1%}",
                inside(last, "tested"),
                inside(last, "untested"),
                f"{last['worse'].mean():.1%}" if size else "",
            )
        )
    headings = (
        *("games", "trials, points", "held", "bound", "largest regret", "mean regret"),
        *("tested: inside, bias", "untested: inside, bias", "worse than design"),
    )
    return Section(f"{name}: {rows['seed'].nunique()} studies", headings, found)


def stopping(rows: pd.DataFrame) -> pd.DataFrame:
    """Compare going on until a bound is small with studies whose length was fixed before.

    For each bound to stop at: the mean regret and games of all studies of a surface, and how many
    games the best of the fixed designs take, interpolated, for the same mean regret. A study whose
    bound does not come so low stops at the most games.
    """
    goes_on = rows["arm"] == "until small"
    designs = rows[~goes_on].groupby(["arm", "n_trials"])[["n_games", "regret"]].mean()
    curve = designs.sort_values("n_games")
    best = curve[curve["regret"] < curve["regret"].cummin().shift(fill_value=math.inf)]
    best = best.sort_values("regret")
    found = []
    for target in TARGETS:
        stops = []
        for _, part in rows[goes_on].groupby("seed"):
            small = part[part["bound"] <= target]
            stops.append(small.iloc[0] if len(small) else part.iloc[-1])
        stopped = pd.DataFrame(stops)
        games, regret = stopped["n_games"].mean(), stopped["regret"].mean()
        if best["regret"].iloc[0] <= regret <= best["regret"].iloc[-1]:
            needed = float(np.interp(regret, best["regret"], best["n_games"]))
            found.append(
                (target, regret, games, needed, 1.0 - games / needed, stopped["holds"].mean())
            )
    columns = ["target", "regret", "games", "needed", "saved", "held"]
    return pd.DataFrame(found, columns=columns).drop_duplicates(["regret", "games"])


def stopping_section(rows: pd.DataFrame) -> Section:
    """Tell how many games stopping by the certificate saves."""
    found = []
    for name in SURFACES:
        stops = stopping(rows[rows["surface"] == name])
        if stops.empty:
            continue
        few = stops.iloc[np.unique(np.linspace(0, len(stops) - 1, 4).round().astype(int))]
        for each in few.to_dict("records"):
            numbers = f"{each['target']:.1%}", f"{each['regret']:.2%}", f"{each['games']:,.0f}"
            ends = f"{each['needed']:,.0f}", f"{each['saved']:+.0%}", f"{each['held']:.2f}"
            found.append((name, *numbers, *ends))
        last = f"{stops['saved'].mean():+.0%}", f"{stops['held'].mean():.2f}"
        found.append((name, "all", "", "", "", *last))
    headings = (
        *("surface", "stop at a bound of", "mean regret", "games", "games of a fixed design"),
        *("saved", "held at the stop"),
    )
    return Section("Stopping by the certificate", headings, found)


def tables(rows: pd.DataFrame) -> str:
    """Return all tables as Markdown."""
    names = [name for name in SURFACES if (rows["surface"] == name).any()]
    sections = [steps_section(name, rows[rows["surface"] == name]) for name in names]
    return document("Certificates", NOTE, *sections, stopping_section(rows))


def main() -> None:
    """Run the studies that are not there yet, then write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=500)
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
        for n, found in enumerate(parallel(delayed(worker)(*each) for each in missing), 1):
            print(json.dumps(found), file=file, flush=True)
            print(f"\r{n} of {len(missing)} studies", end="", file=sys.stderr, flush=True)
    text = tables(read(path))
    (args.output / "certificates.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
