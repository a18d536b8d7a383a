"""One run: a sampler's whole study on one surface, and the quality of its recommendations.

The run's seed fixes the initial design and the games' random numbers: at the same seed all samplers
start with the same 16 trials and the same games. Recommendations are made from the observed means
and from the model of :mod:`study.samplers.posterior`, the same for all samplers.
"""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import optuna
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial
from threadpoolctl import threadpool_limits

from results.benchmarks.samplers import make_sampler
from results.benchmarks.samplers.measures import Predictions, at_budgets, hypervolume_share
from results.benchmarks.samplers.surface import Floats, Surface
from results.benchmarks.samplers.surfaces import surface
from results.benchmarks.samplers.truth import Truth, true_front
from thetafront.study.pareto import hypervolume
from thetafront.study.samplers.base import ModelSampler
from thetafront.study.samplers.design import draw_design
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.samplers.observations import Objectives, Observations, observe
from thetafront.study.samplers.posterior import Posterior
from thetafront.study.samplers.predicted_front import predicted_front
from thetafront.study.scale import Scale
from thetafront.study.shrinkage import Moments, growing_variances

N_DESIGN = 16
SHARES = (0.2, 0.3, 0.4, 0.6, 0.8, 1.0)  # of a run's trials, after which to measure it
SCORES = "scores"
SCALES = (Scale.ROOT, Scale.LOG)
DIRECTIONS = (StudyDirection.MAXIMIZE, StudyDirection.MINIMIZE)
N_WARM = 4
# Suggestions for which a model is refitted cost more: the mean of nine, up to the 80th trial.
LATE = slice(71, 80)


@dataclass(frozen=True)
class Run:
    """A run by the names of surface and sampler; ``n_trials`` include the design."""

    surface: str
    sampler: str
    n_trials: int
    n_games: int  # a trial
    seed: int  # fixes all random numbers


def noise_of(trials: Sequence[FrozenTrial]) -> Floats:
    """Return the variances of the trials' mean scores; NaN for times, for the model to infer."""
    samples = [Moments.of(np.array(trial.user_attrs[SCORES])) for trial in trials]
    return np.column_stack([growing_variances(samples), np.full(len(samples), np.nan)])


@dataclass
class Contest:
    """A study in progress, in memory."""

    on: Surface  # replaces the agent
    study: optuna.Study
    points: list[Floats]  # the trials' θ in the unit cube, shape (d,) each
    cpu_seconds: list[float]  # of each trial's suggestion

    @property
    def objectives(self) -> Objectives:
        """What the samplers' models know of both objectives."""
        return Objectives(SCALES, self.on.reference, noise_of)

    @classmethod
    def begin(cls, on: Surface, seed: int, n_design: int) -> "Contest":
        """Make a study with its initial design enqueued."""
        study = optuna.create_study(directions=DIRECTIONS)
        for values in draw_design("sobol", on.space, n_design, seed):
            study.enqueue_trial(values)
        return cls(on, study, [], [])

    def trial(self, sampler: str, n_games: int, seed: int, n_design: int) -> None:
        """Run the next trial: ask, play, tell."""
        (trial,) = self.ask(sampler, seed, n_design)
        self.tell(trial, n_games, seed)

    def ask(self, sampler: str, seed: int, n_design: int, q: int = 1) -> list[optuna.Trial]:
        """Ask for the next trials, several of which are proposed together."""
        number = len(self.points)
        asked = make_sampler(sampler, seed, number, n_design, self.objectives)
        self.study.sampler = asked
        begun = time.process_time()
        if q > 1 and isinstance(asked, ModelSampler):
            asked.plan(self.study, number, q)
        trials = [self.study.ask(self.on.space.distributions()) for _ in range(q)]
        self.cpu_seconds += [(time.process_time() - begun) / q] * q
        self.points += [np.array(self.on.space.to_unit(trial.params)) for trial in trials]
        return trials

    def tell(self, trial: optuna.Trial, n_games: int, seed: int) -> None:
        """Play a trial's games, and tell the study their means."""
        rng = np.random.default_rng([seed, trial.number])
        scores, seconds = self.on.games(self.points[trial.number], n_games, rng)
        trial.set_user_attr(SCORES, scores.tolist())
        self.study.tell(trial, (float(scores.mean()), float(seconds.mean())))

    def truth_at(self, points: Floats) -> tuple[Floats, Floats]:
        """Return true scores and seconds per move, shapes (n,)."""
        return self.on.score(points), self.on.seconds(points)

    def by_observed(self) -> Predictions:
        """Return the observed means of all trials as predictions."""
        values = np.array([trial.values for trial in self.study.get_trials(deepcopy=False)])
        true = self.truth_at(np.array(self.points))
        return Predictions(values[:, 0], values[:, 1], *true)

    def fitted(self, n_trials: int) -> tuple[Posterior, Observations, UnitCube]:
        """Fit the model to the first trials."""
        trials = self.study.get_trials(deepcopy=False)[:n_trials]
        cube = UnitCube(self.on.space.distributions())
        observations = observe(trials, cube, self.study.directions, self.objectives)
        return Posterior.fit(observations), observations, cube

    def by_posterior(self, n_trials: int) -> Predictions:
        """Return the posterior means of the first trials."""
        posterior, observations, _ = self.fitted(n_trials)
        scores, costs = (
            posterior.goal(observations.points).mean,
            posterior.cost(observations.points),
        )
        return Predictions(scores, costs, *self.truth_at(np.array(self.points[:n_trials])))

    def by_model(self, seed: int) -> Predictions:
        """Return the model's predicted front over the whole space."""
        posterior, observations, cube = self.fitted(len(self.points))
        rng = np.random.default_rng([seed, 1])
        front = predicted_front(posterior, observations, cube, rng)
        scores, costs = posterior.goal(front.points).mean, posterior.cost(front.points)
        return Predictions(scores, costs, *self.truth_at(front.points))


@lru_cache(maxsize=32)
def warm(sampler: str) -> None:
    """Have a sampler suggest a few times, once a process, so that its imports are loaded."""
    contest = Contest.begin(surface("two_regimes"), 0, N_WARM)
    for _ in range(N_WARM + 3):
        contest.trial(sampler, 2, 0, N_WARM)


def measured(predictions: Predictions, truth: Truth, on: Surface, by: str) -> dict[str, float]:
    """Return all measures of one recommendation."""
    users = at_budgets(predictions, truth)
    return {
        f"hypervolume_by_{by}": hypervolume_share(predictions, truth, on.reference),
        f"regret_points_by_{by}": users.regret,
        f"optimism_points_by_{by}": users.optimism,
        f"unserved_by_{by}": users.unserved,
    }


def play(run: Run) -> dict[str, Any]:
    """Play one run.

    Returns the run's parameters and :func:`measured` by ``observed`` means and ``posterior`` means
    of the evaluated θ, and by ``model``, from the whole space; ``hypervolume_of_evaluated``, of all
    evaluated θ by their true values; ``suggestion_cpu_seconds``, the mean after the design, and
    ``late_suggestion_cpu_seconds``; ``course``, pairs of games played and hypervolume by posterior.
    """
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    on, truth = surface(run.surface), true_front(run.surface)
    warm(run.sampler)
    moments = sorted({max(N_DESIGN, round(share * run.n_trials)) for share in SHARES})
    course = []
    with threadpool_limits(1):
        contest = Contest.begin(on, run.seed, N_DESIGN)
        for n_trials in range(1, run.n_trials + 1):
            contest.trial(run.sampler, run.n_games, run.seed, N_DESIGN)
            if n_trials in moments:
                share = hypervolume_share(contest.by_posterior(n_trials), truth, on.reference)
                course.append([n_trials * run.n_games, share])
        posterior = measured(contest.by_posterior(run.n_trials), truth, on, "posterior")
        anywhere = measured(contest.by_model(run.seed), truth, on, "model")
    evaluated = hypervolume(*contest.truth_at(np.array(contest.points)), *on.reference)
    searched = contest.cpu_seconds[N_DESIGN:]
    return {
        **asdict(run),
        **posterior,
        **anywhere,
        "hypervolume_of_evaluated": evaluated / truth.hypervolume,
        **measured(contest.by_observed(), truth, on, "observed"),
        "suggestion_cpu_seconds": float(np.mean(searched)),
        "late_suggestion_cpu_seconds": float(np.mean(contest.cpu_seconds[LATE] or searched[-9:])),
        "course": course,
    }
