"""CPU time of a proposal, by the number of trials and how many are in flight.

A simulated study of random trials on the surface `recorded`, in memory as a search keeps it. All
that a proposal costs is measured: reading the trials, the model, the choice, the new trials. The
fit of hyperparameters, which comes once in a tenth more trials and never beyond 256, is apart.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
import optuna
from optuna.samplers import BaseSampler
from optuna.trial import FrozenTrial, TrialState, create_trial

from results.benchmarks.samplers.contest import DIRECTIONS, N_DESIGN, SCALES, SCORES, noise_of
from results.benchmarks.samplers.surface import Surface
from results.benchmarks.samplers.surfaces import surface
from thetafront.study.run.proposals import Proposals, n_at_a_time
from thetafront.study.samplers import DEFAULT_SAMPLER, make_sampler
from thetafront.study.samplers.observations import GROWTH, MOST_TO_FIT, Objectives
from thetafront.study.samplers.posterior import cached_fit

SURFACE = "recorded"
SITUATIONS = ((128, 16), (2048, 256))  # complete trials, and trials in flight
SIZES = (8, 32)
N_GAMES = 4
N_REPEATS = 3


@dataclass(frozen=True)
class ProposalTime:
    """CPU milliseconds a proposal.

    Attributes
    ----------
    n_trials, in_flight, q : int
        Complete trials, those in flight, and how many were proposed at a time.
    milliseconds : float
        A proposal, without the fit: the median of some batches.
    fit_milliseconds : float
        A proposal's share of the fits, at this number of trials.
    """

    n_trials: int
    in_flight: int
    q: int
    milliseconds: float
    fit_milliseconds: float


def random_trials(on: Surface, n_trials: int, in_flight: int) -> list[FrozenTrial]:
    """Return complete trials and, after them, running ones at random points."""
    rng = np.random.default_rng(1)
    distributions = on.space.distributions()
    trials = []
    for number in range(n_trials + in_flight):
        params = on.space.from_unit(rng.random(len(on.space)).tolist())
        if number < n_trials:
            scores, seconds = on.games(np.array(on.space.to_unit(params)), N_GAMES, rng)
            ended: dict[str, Any] = {
                "values": [float(scores.mean()), float(seconds.mean())],
                "user_attrs": {SCORES: scores.tolist()},
            }
        else:
            ended = {"state": TrialState.RUNNING}
        trial = create_trial(params=params, distributions=distributions, **ended)
        trial.number = number
        trials.append(trial)
    return trials


def proposal_times(
    situations: Sequence[tuple[int, int]] = SITUATIONS,
    sizes: Sequence[int] = SIZES,
    sampler: str = DEFAULT_SAMPLER,
    on_measured: Callable[[ProposalTime], None] = lambda _: None,
) -> list[ProposalTime]:
    """Measure proposals: as many at a time as a search asks for, and batches of other sizes."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    on = surface(SURFACE)
    objectives = Objectives(SCALES, on.reference, noise_of)

    def sampler_of(number: int) -> BaseSampler:
        return make_sampler(sampler, 1, number, N_DESIGN, objectives)

    def seconds_of(trials: list[FrozenTrial], q: int) -> float:
        proposals = Proposals(trials, list(DIRECTIONS), on.space, sampler_of, deterministic=False)
        proposals.begin(q)
        proposals.take()
        proposals.close()
        return proposals.seconds[-1]

    seconds_of(random_trials(on, N_DESIGN, 1), 2)  # loads libraries and kernels
    measured = []
    for n_trials, in_flight in situations:
        trials = random_trials(on, n_trials, in_flight)
        for q in dict.fromkeys([n_at_a_time(in_flight), *sizes]):
            cached_fit.cache_clear()
            # The same trials each time, so that only the first fits.
            seconds = [seconds_of(trials, q) for _ in range(1 + N_REPEATS)]
            each = median(seconds[1:])
            # Each fit serves until there are a tenth more trials.
            served = n_trials * (GROWTH - 1.0)
            fit = max(0.0, seconds[0] - each) * q / served if n_trials <= MOST_TO_FIT else 0.0
            measured.append(ProposalTime(n_trials, in_flight, q, 1e3 * each, 1e3 * fit))
            on_measured(measured[-1])
    return measured
