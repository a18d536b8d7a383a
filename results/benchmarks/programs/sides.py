"""What one process of the contest does, on one core: sweep by one method, or play fresh games.

Reads its task, one JSON object, from standard input, and prints JSON lines. The objective is the
same for all methods: a mean over the same number of games that the experiment's own agent plays.
"""

import json
import os
import sys
import time
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import optuna
from cases import CASES, FOLDER, OURS, PICK, Case, Theta

from thetafront import Experiment, GameError, InputError, load_experiment, sweep

FRESH_SEEDS = 900_000_000  # no search or validation has such seeds; NumPy's end at 2**32
SEARCH_SEEDS = 1_000_000  # of Optuna's trials, for each seed of a run


def is_active(parameter: Any, theta: Theta) -> bool:
    """Return whether a parameter has a meaning, given those before it."""
    return all(theta.get(name) in values for name, values in parameter.when.items())


def suggested(trial: optuna.Trial, experiment: Experiment, flat: bool) -> Theta:
    """Let a trial suggest θ; parameters without a meaning only if all are asked for (``flat``)."""
    theta: Theta = {}
    for each in experiment.space:
        if not flat and not is_active(each, theta):
            continue
        if choices := getattr(each, "choices", ()):
            theta[each.name] = trial.suggest_categorical(each.name, choices)
        elif each.integer:
            step = int(each.step or 1)
            theta[each.name] = trial.suggest_int(
                each.name, int(each.low), int(each.high), step=step, log=each.log
            )
        else:
            step = each.step or None
            theta[each.name] = trial.suggest_float(
                each.name, each.low, each.high, step=step, log=each.log
            )
    return {each.name: theta[each.name] for each in experiment.space if is_active(each, theta)}


def run_optuna(experiment: Experiment, case: Case, method: str, seed: int, seconds: float) -> Any:
    """Sweep by one of Optuna's samplers; return its answers for all budgets."""
    goal, cost = experiment.goal, experiment.cost
    # Samplers that model all parameters together draw those of an `if` at random: ask for all.
    flat = method != "tpe"
    failed = played = 0

    def objective(trial: optuna.Trial) -> tuple[float, float]:
        nonlocal failed, played
        theta = case.repair(suggested(trial, experiment, flat))
        agent = experiment.build(theta)
        first = SEARCH_SEEDS * (seed + 1) + trial.number * case.replicates
        games, errors = [], []
        for k in range(case.replicates):
            try:
                games.append(agent.play(first + k))
            except GameError as error:
                errors.append(error)
        played, failed = played + case.replicates, failed + len(errors)
        if not games:
            raise errors[0]
        trial.set_user_attr("theta", theta)
        return float(np.mean([game.score for game in games])), cost.of(games)

    make = {
        "tpe": optuna.samplers.TPESampler,
        "nsga2": optuna.samplers.NSGAIISampler,
        "gp": optuna.samplers.GPSampler,
    }[method]
    direction = "maximize" if goal.sign > 0 else "minimize"
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(directions=[direction, "minimize"], sampler=make(seed=seed))
    with suppress(GameError):  # what is loaded at first costs nothing, as in our sweeps
        experiment.build({}).play(FRESH_SEEDS)
    begin = time.monotonic()
    study.optimize(objective, timeout=seconds, catch=(GameError,))
    wall = time.monotonic() - begin
    picks = []
    for budget in case.budgets:
        within = [each for each in study.best_trials if each.values[1] <= budget]
        best = max(within, key=lambda each: goal.sign * each.values[0], default=None)
        picks.append(best and [budget, best.user_attrs["theta"], *best.values])
    return {
        "wall": wall,
        "n_trials": len(study.trials),
        "n_games": played,
        "n_failed": failed,
        "picks": [each for each in picks if each],
    }


def run_ours(definition: str, case: Case, seed: int, seconds: float, results: str) -> Any:
    """Sweep by thetafront's defaults; return answers of its pick, and of its front."""
    begin = time.monotonic()
    study = sweep(
        definition,
        budget=seconds,
        name=f"{Path(definition).stem}-{seed}",
        results=results,
        replicates=case.replicates,
        seed=seed,
        jobs=1,
        progress=False,
    )
    found = {
        "wall": time.monotonic() - begin,
        "n_trials": len(study.trials),
        "n_games": len(study.games),
        "n_failed": None,
    }
    goal, cost = study.experiment.goal, study.experiment.cost
    score, spent = goal.combined_column("mean"), f"combined_{cost.name}"
    of_front, of_pick, refused = [], [], []
    for budget in case.budgets:
        within = study.front[study.front[spent] <= budget] if len(study.front) else study.front
        if len(within):
            best = within.loc[(goal.sign * within[score]).idxmax()]
            theta = {}
            for each in study.experiment.space:
                if is_active(each, theta):
                    theta[each.name] = plain(best[each.name], getattr(each, "integer", False))
            of_front.append([budget, theta, float(best[score]), float(best[spent])])
        try:
            pick = study.pick(**{cost.name: budget})
        except InputError as error:
            refused.append(str(error))
        else:
            of_pick.append([budget, pick.theta, pick.goal.value, pick.cost.value])
    took = time.monotonic() - begin - found["wall"]
    return [
        {**found, "method": PICK, "picks": of_pick, "refused": refused, "seconds_of_picks": took},
        {**found, "method": OURS, "picks": of_front},
    ]


def plain(value: Any, is_integer: bool) -> Any:
    """Return a cell of a table as JSON has it; a column with gaps has no integers."""
    number = getattr(value, "item", lambda: value)()
    return int(number) if is_integer else number


def play(experiment: Experiment, theta: Theta, n: int) -> Any:
    """Play fresh games of a θ, after one that does not count."""
    agent = experiment.build(theta)
    games, failed = [], 0
    with suppress(GameError):
        agent.play(FRESH_SEEDS)
    for seed in range(FRESH_SEEDS + 1, FRESH_SEEDS + 1 + n):
        try:
            games.append(agent.play(seed))
        except GameError:
            failed += 1
    scores = np.array([game.score for game in games])
    return {
        "theta": theta,
        "n": len(games),
        "n_failed": failed,
        "score": float(scores.mean()) if games else None,
        "deviation": float(scores.std(ddof=1)) if len(games) > 1 else None,
        "cost": experiment.cost.of(games) if games else None,
    }


def main() -> None:
    """Do what standard input asks for."""
    task = json.loads(sys.stdin.read())
    os.sched_setaffinity(0, {task["core"]})
    warnings.simplefilter("ignore")
    case = CASES[task["program"]]
    definition = str(FOLDER / case.definition)
    experiment = load_experiment(definition)
    if "thetas" in task:
        for theta in task["thetas"]:
            print(json.dumps(play(experiment, theta, task["n_games"])), flush=True)
    elif task["method"] == OURS:
        for result in run_ours(definition, case, task["seed"], task["seconds"], task["results"]):
            print(json.dumps(result), flush=True)
    else:
        result = run_optuna(experiment, case, task["method"], task["seed"], task["seconds"])
        print(json.dumps(result))


if __name__ == "__main__":
    main()
