"""CPU time of a proposal, by the number of trials and how many are in flight.

A simulated study of random trials on the surface `recorded`, in memory as a search keeps it. All
that a proposal costs is measured: reading the trials, the model, the choice, the new trials. The
fit of hyperparameters, which comes once in a tenth more trials and never beyond 256, is apart.
"""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

import numpy as np
from optuna.trial import FrozenTrial, TrialState, create_trial

from results.benchmarks.samplers.contest import DIRECTIONS, N_DESIGN, SCALES, SCORES, noise_of
from results.benchmarks.samplers.surface import Surface
from results.benchmarks.samplers.surfaces import surface
from thetafront.study.run.proposals import Proposals, n_at_a_time
from thetafront.study.samplers import DEFAULT_SAMPLER, make_sampler
from thetafront.study.samplers.observations import GROWTH, MAX_TO_FIT, Objectives
from thetafront.study.samplers.posterior import cached_fit

SITUATIONS = ((128, 16), (2048, 256))  # complete trials, and trials in flight
SIZES = (8, 32)
N_GAMES = 4
N_REPEATS = 3


def random_trials(on: Surface, n_trials: int, in_flight: int) -> list[FrozenTrial]:
    """Return complete trials and, after them, running ones at random points."""
    rng = np.random.default_rng(1)
    distributions = on.space.distributions()
    trials = []
    for number in range(n_trials + in_flight):
        params = on.space.from_unit(rng.random(len(on.space)).tolist())
        ended: dict[str, Any] = {"state": TrialState.RUNNING}
        if number < n_trials:
            scores, seconds = on.games(np.array(on.space.to_unit(params)), N_GAMES, rng)
            values = [float(scores.mean()), float(seconds.mean())]
            ended = {"values": values, "user_attrs": {SCORES: scores.tolist()}}
        trial = create_trial(params=params, distributions=distributions, **ended)
        trial.number = number
        trials.append(trial)
    return trials


def proposal_times(
    situations: Sequence[tuple[int, int]] = SITUATIONS, sizes: Sequence[int] = SIZES
) -> Iterator[dict[str, float]]:
    """Measure proposals: as many at a time as a search asks for, and batches of other sizes.

    Yields
    ------
    dict
        ``n_trials``, ``in_flight`` and ``q`` proposed at a time; CPU ``milliseconds`` of a
        proposal, the median of some batches, and its share of the fits, ``fit_milliseconds``.
    """
    on = surface("recorded")
    objectives = Objectives(SCALES, on.reference, noise_of)

    def seconds_of(trials: list[FrozenTrial], q: int) -> float:
        proposals = Proposals(
            trials,
            list(DIRECTIONS),
            on.space,
            lambda number: make_sampler(DEFAULT_SAMPLER, 1, number, N_DESIGN, objectives),
            deterministic=False,
        )
        proposals.begin(q)
        proposals.take()
        proposals.close()
        return proposals.seconds[-1]

    seconds_of(random_trials(on, N_DESIGN, 1), 2)  # loads libraries and kernels
    for n_trials, in_flight in situations:
        trials = random_trials(on, n_trials, in_flight)
        for q in dict.fromkeys([n_at_a_time(in_flight), *sizes]):
            cached_fit.cache_clear()
            # The same trials each time, so that only the first fits.
            first, *others = (seconds_of(trials, q) for _ in range(1 + N_REPEATS))
            each = median(others)
            # Each fit serves until there are a tenth more trials.
            served = n_trials * (GROWTH - 1.0)
            fit = max(0.0, first - each) * q / served if n_trials <= MAX_TO_FIT else 0.0
            found = {"n_trials": n_trials, "in_flight": in_flight, "q": q}
            yield found | {"milliseconds": 1e3 * each, "fit_milliseconds": 1e3 * fit}
