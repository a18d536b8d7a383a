"""What proposals in batches cost a search: one proposal a look at the study, or several.

A simulated cluster keeps a number of trials in flight, and the oldest ends first. A batch of q is
asked for when that many others are in flight, so the larger q is, the less each proposal knows, as
on a real one. Runs of one seed have the same design and the same games of the same trial.
"""

import argparse
from collections import deque
from typing import Any

import numpy as np
import optuna
import pandas as pd
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from results.benchmarks.command import command, parser, seeds_of
from results.benchmarks.samplers.contest import N_DESIGN, Contest, measured, warm
from results.benchmarks.samplers.surfaces import SURFACES, surface
from results.benchmarks.samplers.truth import true_front
from results.papers.paper import whole
from thetafront.study.estimate import difference
from thetafront.study.report.tables import write_csv
from thetafront.study.samplers import DEFAULT_SAMPLER

N_GAMES = 4  # a trial
MEASURES = ("hypervolume_by_model", "hypervolume_by_posterior", "regret_points_by_model")


def play_in_batches(name: str, q: int, seed: int, in_flight: int, n_trials: int) -> dict[str, Any]:
    """Play one run; return it with its measures and the CPU seconds of a proposal."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    on, truth = surface(name), true_front(name)
    warm(DEFAULT_SAMPLER)
    with threadpool_limits(1):
        contest = Contest.begin(on, seed, N_DESIGN)
        for _ in range(N_DESIGN):
            contest.trial(DEFAULT_SAMPLER, N_GAMES, seed, N_DESIGN)
        flying: deque[optuna.Trial] = deque()
        while len(contest.points) < n_trials:
            n_asked = min(q, n_trials - len(contest.points))
            flying += contest.ask(DEFAULT_SAMPLER, seed, N_DESIGN, n_asked)
            while len(flying) > in_flight:
                contest.tell(flying.popleft(), N_GAMES, seed)
        for trial in flying:
            contest.tell(trial, N_GAMES, seed)
        by_model = measured(contest.by_model(seed), truth, on, "model")
        by_posterior = measured(contest.by_posterior(n_trials), truth, on, "posterior")
    run = {"in_flight": in_flight, "n_trials": n_trials, "surface": name, "q": q, "seed": seed}
    milliseconds = 1e3 * float(np.mean(contest.cpu_seconds[N_DESIGN:]))
    return {**run, **by_model, **by_posterior, "proposal_cpu_ms": milliseconds}


def differences(runs: pd.DataFrame) -> pd.DataFrame:
    """Compare runs, a row each, with those of the same surface and seed in the smallest batches.

    ``mean`` is a measure's mean; ``difference`` is paired by seed, with its 95% interval from
    ``low`` to ``high``.
    """
    smallest = runs[runs["q"] == runs["q"].min()]
    both = runs.merge(smallest, on=["surface", "seed"], suffixes=("", "_single"))
    rows = []
    for key, some in both.groupby(["in_flight", "n_trials", "surface", "q"], sort=False):
        for measure in MEASURES:
            found = difference(*some[[measure, f"{measure}_single"]].to_numpy().T)
            row = dict(zip(("in_flight", "n_trials", "surface", "q"), key, strict=True))
            row |= {"n_seeds": len(some), "measure": measure, "mean": some[measure].mean()}
            row |= {"difference": found.value, "low": found.low, "high": found.high}
            rows.append({**row, "proposal_cpu_ms": some["proposal_cpu_ms"].mean()})
    return pd.DataFrame(rows)


def run(given: argparse.Namespace) -> None:
    """Play all runs, write and print the table."""
    runs = [
        (on, q, seed, given.in_flight, given.trials)
        for seed in seeds_of(given)
        for on in given.surface or SURFACES
        for q in given.size or (1, 8, 32)
    ]
    records = Parallel(n_jobs=-1, batch_size=1)(delayed(play_in_batches)(*each) for each in runs)
    found = differences(pd.DataFrame(records))
    write_csv(found, given.output / "batches.csv")
    print(found.round(3).to_string())


if __name__ == "__main__":
    options = parser(__doc__ or "", "batches", n_seeds=20)
    options.add_argument("--surface", action="append", choices=SURFACES, help="default: all")
    options.add_argument("--size", action="append", type=whole(1, 1_000), help="default: 1, 8, 32")
    options.add_argument("--in-flight", type=whole(0, 10_000), default=16)
    options.add_argument("--trials", type=whole(N_DESIGN + 1, 100_000), default=112)
    command(run, options)
