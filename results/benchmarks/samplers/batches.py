"""What proposals in batches cost a search: one proposal a look at the study, or several.

A simulated cluster keeps a number of trials in flight, and the oldest ends first. A batch of q is
asked for when that many others are in flight, so the larger q is, the less each proposal knows, as
on a real one. Runs of one seed have the same design and the same games of the same trial.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import optuna
import pandas as pd
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from results.benchmarks.samplers.contest import N_DESIGN, Contest, measured, warm
from results.benchmarks.samplers.surfaces import SURFACES, surface
from results.benchmarks.samplers.truth import true_front
from thetafront.study.errors import InputError, check_range
from thetafront.study.estimate import difference
from thetafront.study.samplers import DEFAULT_SAMPLER

N_TRIALS, N_GAMES = 112, 4
IN_FLIGHT = 16
SIZES = (1, 8, 32)
MEASURES = ("hypervolume_by_model", "hypervolume_by_posterior", "regret_points_by_model")


@dataclass(frozen=True)
class BatchRun:
    """A run: its surface and sampler by name, how many proposals at a time, and its seed."""

    surface: str
    sampler: str
    q: int
    seed: int
    in_flight: int = IN_FLIGHT
    n_trials: int = N_TRIALS  # the design included
    n_games: int = N_GAMES  # a trial


def play_in_batches(run: BatchRun) -> dict[str, Any]:
    """Play one run; return it with its measures and the CPU seconds of a proposal."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    on, truth = surface(run.surface), true_front(run.surface)
    warm(run.sampler)
    with threadpool_limits(1):
        contest = Contest.begin(on, run.seed, N_DESIGN)
        for _ in range(N_DESIGN):
            contest.trial(run.sampler, run.n_games, run.seed, N_DESIGN)
        flying: deque[optuna.Trial] = deque()
        while len(contest.points) < run.n_trials:
            q = min(run.q, run.n_trials - len(contest.points))
            flying += contest.ask(run.sampler, run.seed, N_DESIGN, q)
            while len(flying) > run.in_flight:
                contest.tell(flying.popleft(), run.n_games, run.seed)
        for trial in flying:
            contest.tell(trial, run.n_games, run.seed)
        by_model = measured(contest.by_model(run.seed), truth, on, "model")
        by_posterior = measured(contest.by_posterior(run.n_trials), truth, on, "posterior")
    seconds = float(np.mean(contest.cpu_seconds[N_DESIGN:]))
    return {**asdict(run), **by_model, **by_posterior, "proposal_cpu_seconds": seconds}


def compare_batches(
    surfaces: Sequence[str] = tuple(SURFACES),
    seeds: Sequence[int] = range(20),
    sizes: Sequence[int] = SIZES,
    sampler: str = DEFAULT_SAMPLER,
    in_flight: int = IN_FLIGHT,
    n_trials: int = N_TRIALS,
    jobs: int = 1,
    on_run: Callable[[dict[str, Any]], None] = lambda _: None,
) -> pd.DataFrame:
    """Return what batches of each size make of a search, a row a surface, size and measure.

    ``mean`` is the measure's mean; ``difference`` is that from the smallest batches, paired by
    seed, with its 95% interval from ``low`` to ``high``.

    Raises
    ------
    InputError
        If a surface is unknown or a number out of range.
    """
    check_range("seeds", len(seeds), 2, 10_000)
    check_range("trials", n_trials, N_DESIGN + 1, 1_000_000)
    check_range("trials in flight", in_flight, 0, n_trials)
    for size in sizes:
        check_range("batch", size, 1, n_trials - N_DESIGN)
    for each in surfaces:
        surface(each)
    if len(set(sizes)) < 2:
        raise InputError(f"batches: {', '.join(map(str, sizes))} given, several sizes allowed")
    runs = [
        BatchRun(on, sampler, q, seed, in_flight, n_trials)
        for seed in seeds
        for on in surfaces
        for q in sizes
    ]
    parallel = Parallel(n_jobs=jobs, batch_size=1, return_as="generator")
    records = []
    for record in parallel(delayed(play_in_batches)(run) for run in runs):
        records.append(record)
        on_run(record)
    return differences(pd.DataFrame(records))


def differences(runs: pd.DataFrame) -> pd.DataFrame:
    """Compare runs, a row each, with those of the same surface and seed in the smallest batches."""
    rows, smallest = [], runs["q"].min()
    for (name, q), group in runs.groupby(["surface", "q"], sort=False):
        single = runs[(runs["surface"] == name) & (runs["q"] == smallest)].set_index("seed")
        some = group.set_index("seed")
        both = single.index.intersection(some.index)
        for measure in MEASURES:
            found = difference(some.loc[both, measure], single.loc[both, measure])
            rows.append(
                {
                    "surface": name,
                    "q": q,
                    "n_seeds": len(both),
                    "measure": measure,
                    "mean": float(some.loc[both, measure].mean()),
                    "difference": found.value,
                    "low": found.low,
                    "high": found.high,
                    "proposal_cpu_ms": 1e3 * float(some["proposal_cpu_seconds"].mean()),
                }
            )
    return pd.DataFrame(rows)
