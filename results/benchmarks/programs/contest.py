"""The contest: programs, a run of one method on one program, and fresh games of recommended θ.

All methods have the same objective: the mean over the same number of games. The experiment's own
agent plays these games.
"""

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import optuna

from results.benchmarks.command import Record
from thetafront import Experiment, GameError, InputError, load_experiment, sweep

FOLDER = Path(__file__).resolve().parent
OURS = "thetafront"
PICK = "pick"  # the answer of ``study.pick`` after the same run of thetafront
SAMPLERS = {
    "tpe": optuna.samplers.TPESampler,
    "nsga2": optuna.samplers.NSGAIISampler,
    "gp": optuna.samplers.GPSampler,
}
RIVALS = tuple(SAMPLERS)
METHODS = (OURS, PICK, *RIVALS)
FRESH_SEEDS = 900_000_000  # no search or validation uses such seeds; NumPy's seeds end at 2**32
SEARCH_SEEDS = 1_000_000  # how many seeds each run of an Optuna sampler may use

Theta = dict[str, float | int | str]


@dataclass(frozen=True)
class Case:
    """A program of the contest."""

    definition: str  # the file, in this folder
    budgets: tuple[float, ...]  # in the unit of the cost; a method recommends a θ for each
    unit: str = "ms"  # of budgets in tables
    per_unit: float = 1e-3  # the size of this unit, in the unit of the cost
    digits: int = 3  # decimals of scores in tables
    replicates: int = 4  # games of a trial, for all methods
    n_games: int = 200  # fresh games of a recommended θ

    @cached_property
    def experiment(self) -> Experiment:
        """The experiment to tune."""
        warnings.simplefilter("ignore")
        return load_experiment(str(FOLDER / self.definition))


CASES = {
    "chess": Case(
        "chess/chess.toml", (0.0003, 0.0004, 0.0006, 0.0009, 0.0013, 0.0019, 0.003), replicates=10
    ),
    "xz": Case("xz/xz.toml", (0.05, 0.06, 0.08, 0.11, 0.15, 0.2, 0.3), "ms", 1e-3, 0, 1, 10),
    "tree": Case("tree/tree.py", (3e3, 5e3, 8e3, 13e3, 20e3, 30e3, 50e3), "kB", 1e3),
    "mlp": Case("mlp/mlp.py", (0.006, 0.009, 0.014, 0.022, 0.035, 0.06, 0.1)),
    "flaky": Case("flaky/flaky.toml", (0.0004, 0.0008, 0.0015, 0.003, 0.006, 0.012, 0.022)),
}


def suggested(trial: optuna.Trial, experiment: Experiment, method: str) -> Theta:
    """Let a trial suggest θ.

    TPE suggests only the active parameters. The other samplers model all parameters together; they
    would draw a parameter at random if some trials lacked it, so they suggest all parameters.
    """
    theta: Theta = {}
    for name, of in experiment.space.distributions().items():
        if method == "tpe" and name not in experiment.space.active({**theta, name: 0}):
            continue
        if isinstance(of, optuna.distributions.CategoricalDistribution):
            theta[name] = trial.suggest_categorical(name, of.choices)
        elif isinstance(of, optuna.distributions.IntDistribution):
            theta[name] = trial.suggest_int(name, of.low, of.high, step=of.step, log=of.log)
        else:
            theta[name] = trial.suggest_float(name, of.low, of.high, step=of.step, log=of.log)
    if "lp" in theta:  # xz: lc + lp is at most 4
        theta["lp"] = min(int(theta["lp"]), 4 - int(theta["lc"]))
    return experiment.space.active(theta)


def run_optuna(method: str, program: str, seed: int, seconds: float) -> list[Record]:
    """Sweep with one of Optuna's samplers; return its answers for all budgets."""
    case = CASES[program]
    experiment, failures = case.experiment, 0

    def objective(trial: optuna.Trial) -> tuple[float, float]:
        nonlocal failures
        theta = suggested(trial, experiment, method)
        first = SEARCH_SEEDS * (seed + 1) + trial.number * case.replicates
        games, errors = played(experiment, theta, range(first, first + case.replicates))
        failures += len(errors)
        if not games:
            raise errors[0]
        trial.set_user_attr("theta", theta)
        return float(np.mean([game.score for game in games])), experiment.cost.value(games)

    direction = experiment.goal.direction
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = SAMPLERS[method](seed=seed)
    study = optuna.create_study(directions=[direction, "minimize"], sampler=sampler)
    played(experiment, {}, [FRESH_SEEDS])  # loading is not timed, as in our sweeps
    begin = time.monotonic()
    study.optimize(objective, timeout=seconds, catch=(GameError,))
    wall = time.monotonic() - begin
    front = [(each.user_attrs["theta"], *each.values) for each in study.best_trials]
    n = len(study.trials)
    counts = {"n_trials": n, "n_games": n * case.replicates, "n_failed": failures}
    return [{"method": method, "wall": wall, **counts, "picks": answers(case, front)}]


def run_ours(results: Path, program: str, seed: int, seconds: float) -> list[Record]:
    """Sweep with thetafront's defaults; return the answers of ``study.pick`` and of the front."""
    case = CASES[program]
    begin = time.monotonic()
    name, definition = f"{program}-{seed}", str(FOLDER / case.definition)
    options = {"replicates": case.replicates, "seed": seed, "jobs": 1, "progress": False}
    study = sweep(definition, budget=seconds, name=name, results=results, **options)
    found = {"wall": time.monotonic() - begin, "n_trials": len(study.trials)}
    found |= {"n_games": len(study.games), "n_failed": None}
    space, goal, cost = study.experiment.space, study.experiment.goal, study.experiment.cost
    score, spent = goal.combined_column("mean"), f"combined_{cost.name}"
    rows = study.front.to_dict("records")
    front = [(space.active(space.clip(row)), row[score], row[spent]) for row in rows]
    of_pick, refused = [], []
    for budget in case.budgets:
        try:
            pick = study.pick(**{cost.name: budget})
        except InputError as error:
            refused.append(str(error))
        else:
            of_pick.append([budget, pick.theta, pick.goal.value, pick.cost.value])
    took = time.monotonic() - begin - found["wall"]
    return [
        {"method": PICK, **found, "picks": of_pick, "refused": refused, "seconds_of_picks": took},
        {"method": OURS, **found, "picks": answers(case, front)},
    ]


def answers(case: Case, front: Sequence[tuple[Theta, float, float]]) -> list[list[Any]]:
    """Return, for each budget, the best θ with a cost within it, and this θ's score and cost."""
    picks, sign = [], case.experiment.goal.sign
    for budget in case.budgets:
        within = [each for each in front if each[2] <= budget]
        if within:
            picks.append([budget, *max(within, key=lambda each: sign * each[1])])
    return picks


def played(experiment: Experiment, theta: Theta, seeds: Any) -> tuple[list[Any], list[GameError]]:
    """Play games of a θ; return the games that ended, and the errors of those that failed."""
    agent, games, errors = experiment.build(theta), [], []
    for seed in seeds:
        try:
            games.append(agent.play(seed))
        except GameError as error:
            errors.append(error)
    return games, errors


def fresh(program: str, theta: Theta, most: int) -> Record:
    """Play fresh games of a θ, after one game that does not count."""
    case = CASES[program]
    played(case.experiment, theta, [FRESH_SEEDS])
    seeds = range(FRESH_SEEDS + 1, FRESH_SEEDS + 1 + min(case.n_games, most))
    games, errors = played(case.experiment, theta, seeds)
    scores = np.array([game.score for game in games])
    return {
        "program": program,
        "theta": theta,
        "n": len(games),
        "n_failed": len(errors),
        "score": float(scores.mean()) if games else None,
        "deviation": float(scores.std(ddof=1)) if len(games) > 1 else None,
        "cost": case.experiment.cost.value(games) if games else None,
    }
