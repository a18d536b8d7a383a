"""One run: a sampler's whole study on one surface, and the quality of its recommendations.

The run's seed fixes the initial design and the games' random numbers, so with the same seed, all
samplers start with the same 16 trials and the same games. Recommendations are made in two ways:
from the observed means, and from the model of :mod:`study.samplers.posterior`. This model is the
same for all samplers.
"""

import time
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import optuna
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial
from threadpoolctl import threadpool_limits

from results.benchmarks.samplers.surfaces import REFERENCE, Floats, Surface, surface
from results.benchmarks.samplers.truth import true_front
from thetafront import InputError
from thetafront.study.samplers import SAMPLERS, make_sampler
from thetafront.study.samplers.design import draw_design
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.samplers.fitted_model import FittedModel
from thetafront.study.samplers.observations import Objectives, observe
from thetafront.study.samplers.posterior import Posterior
from thetafront.study.scale import Scale
from thetafront.study.shrinkage import Moments, growing_variances

N_DESIGN = 16
SCORES = "scores"
YARDSTICKS = {
    "smac": "results.benchmarks.samplers.yardsticks.SMAC",
    "qhvkg": "results.benchmarks.samplers.yardsticks.HypervolumeKnowledgeGradient",
}
"""Samplers of this benchmark alone, and their classes."""
DIRECTIONS = (StudyDirection.MAXIMIZE, StudyDirection.MINIMIZE)
N_WARM = 4
# The nine suggestions up to the 80th trial: some fit a model again, and these take longer.
LATE = slice(71, 80)


class Run(NamedTuple):
    """A run, with the names of its surface and sampler; ``n_trials`` includes the design."""

    surface: str
    sampler: str
    n_trials: int
    n_games: int  # a trial
    seed: int  # fixes all random numbers


def score_variances(trials: Sequence[FrozenTrial]) -> Floats:
    """Return the variances of mean scores; those of times are NaN because the model infers them."""
    samples = [Moments.from_sample(np.array(trial.user_attrs[SCORES])) for trial in trials]
    return np.column_stack([growing_variances(samples), np.full(len(samples), np.nan)])


OBJECTIVES = Objectives((Scale.ROOT, Scale.LOG), REFERENCE, score_variances)
"""What the samplers' models know about both objectives."""


def check_sampler(name: str) -> str:
    """Return the name of a sampler; InputError if it does not exist or cannot run."""
    allowed = (*SAMPLERS, *YARDSTICKS)
    if name not in allowed:
        raise InputError(f"sampler must be one of {', '.join(allowed)} (got {name!r})")
    make_sampler(YARDSTICKS.get(name, name), 0, 0, 1, OBJECTIVES)
    return name


class Contest:
    """A study in progress, in memory, with its initial design enqueued.

    The surface replaces the agent; ``times`` returns factors by which the times of the next n games
    are multiplied.
    """

    def __init__(
        self, on: Surface, seed: int, n_design: int, times: Callable[[int], Floats] = np.ones
    ) -> None:
        self.on, self.seed, self.n_design, self.times = on, seed, n_design, times
        self.study = optuna.create_study(directions=DIRECTIONS)
        for values in draw_design("sobol", on.space, n_design, seed):
            self.study.enqueue_trial(values)
        self.points: list[Floats] = []  # the trials' θ in the unit cube, shape (d,) each
        self.cpu_seconds: list[float] = []  # of each trial's suggestion

    def trial(self, sampler: str, n_games: int) -> None:
        """Run the next trial: ask, play, tell."""
        number = len(self.points)
        name = YARDSTICKS.get(sampler, sampler)
        self.study.sampler = make_sampler(name, self.seed, number, self.n_design, OBJECTIVES)
        begun = time.process_time()
        trial = self.study.ask(self.on.space.distributions())
        self.cpu_seconds.append(time.process_time() - begun)
        self.points.append(np.array(self.on.space.to_unit(trial.params)))
        rng = np.random.default_rng([self.seed, number])
        scores, seconds = self.on.games(self.points[-1], n_games, rng)
        trial.set_user_attr(SCORES, scores.tolist())
        values = float(scores.mean()), float((seconds * self.times(n_games)).mean())
        self.study.tell(trial, values)

    def model(self, n_trials: int) -> FittedModel:
        """Fit the model to the first trials."""
        trials = self.study.get_trials(deepcopy=False)[:n_trials]
        cube = UnitCube(self.on.space.distributions())
        observations = observe(trials, cube, self.study.directions, OBJECTIVES)
        return FittedModel(cube, observations, Posterior.fit(observations), self.seed)


def predicted(model: FittedModel, points: Floats) -> tuple[Floats, Floats]:
    """Return posterior means of scores and seconds per move, shapes (n,)."""
    return model.posterior.goal(points).mean, model.posterior.cost(points)


@cache
def warm(sampler: str) -> None:
    """Let a sampler suggest a few times, once per process, so that its imports are loaded."""
    contest = Contest(surface("two_regimes"), 0, N_WARM)
    for _ in range(N_WARM + 3):
        contest.trial(sampler, 2)


def play(run: Run) -> dict[str, Any]:
    """Play one run.

    Returns the run's parameters and these measures:

    - all of :meth:`Truth.measured`, for three ways to choose θ: from the evaluated θ by
      ``observed`` means, from the evaluated θ by ``posterior`` means, and from the whole space by
      the ``model``;
    - ``hypervolume_of_evaluated``, the hypervolume of the true values of all evaluated θ;
    - ``suggestion_cpu_seconds``, the mean of all suggestions after the design, and
      ``late_suggestion_cpu_seconds``, the mean of the nine suggestions up to the 80th trial.
    """
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    on, truth, found = surface(run.surface), true_front(run.surface), dict[str, float]()
    warm(run.sampler)
    with threadpool_limits(1):
        contest = Contest(on, run.seed, N_DESIGN)
        for _ in range(run.n_trials):
            contest.trial(run.sampler, run.n_games)
        model, tried = contest.model(run.n_trials), np.array(contest.points)
        said = predicted(model, model.observations.points)
        ways = {"posterior": truth.measured(said, on.truth(tried))}
        anywhere = model.predicted_front.points
        ways["model"] = truth.measured(predicted(model, anywhere), on.truth(anywhere))
    observed = np.array([trial.values for trial in contest.study.get_trials(deepcopy=False)])
    ways["observed"] = truth.measured((observed[:, 0], observed[:, 1]), on.truth(tried))
    for by, measures in ways.items():
        found |= {f"{measure}_by_{by}": value for measure, value in measures.items()}
    searched = contest.cpu_seconds[N_DESIGN:]
    return {
        **run._asdict(),
        **found,
        "hypervolume_of_evaluated": truth.share(*on.truth(tried)),
        "suggestion_cpu_seconds": float(np.mean(searched)),
        "late_suggestion_cpu_seconds": float(np.mean(contest.cpu_seconds[LATE] or searched[-9:])),
    }
