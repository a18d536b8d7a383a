"""A simulated study, searched and validated; its certificate is compared with the truth.

The surface plays the games, on a simulated machine whose speed drifts like that of the published
sweep. The time of each game is multiplied by a factor. One part of this factor is independent for
each game. The other part drifts, so games that are played one after the other share most of it; its
autocorrelation falls to 1/e over 840 games. In the search, games take 5% longer than in validation.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from results.benchmarks.samplers.contest import DIRECTIONS, N_DESIGN, OBJECTIVES, Contest
from results.benchmarks.samplers.surfaces import Floats, surface
from results.benchmarks.samplers.truth import true_front
from thetafront.study.batch_means import variances_of_log_ratios
from thetafront.study.experiments.objectives.costs import TIMED_TOGETHER
from thetafront.study.pareto import most_hypervolume
from thetafront.study.report.certificate import Draws, budget_grid, cheaper_end
from thetafront.study.report.expected import CONFIDENCE, expected_at
from thetafront.study.samplers import DEFAULT_SAMPLER
from thetafront.study.samplers.candidates import is_among
from thetafront.study.samplers.fitted_model import FittedModel
from thetafront.study.samplers.observations import direction_signs, to_maximize
from thetafront.study.shrinkage import Moments, growing_variances

DRIFT, FAST_SHARE, GAMES_OF_MEMORY = 0.05, 0.3, 840.0
SEARCH_IS_SLOWER = 0.05
GAMES_A_TRIAL, GAMES_A_POINT = 9, 100
N_UNTESTED = 30  # along the predicted front


class Machine:
    """A simulated machine on which games take more or less time, as its load drifts."""

    def __init__(self, *seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.state = self.rng.standard_normal()

    def factors(self, n: int) -> Floats:
        """Return the factors of the times of the next n games."""
        memory = np.exp(-1.0 / GAMES_OF_MEMORY)
        fresh = self.rng.standard_normal((n, 2))
        slow = np.empty(n)
        for k in range(n):
            self.state = memory * self.state + np.sqrt(1.0 - memory**2) * fresh[k, 0]
            slow[k] = self.state
        both = np.sqrt(FAST_SHARE) * fresh[:, 1] + np.sqrt(1.0 - FAST_SHARE) * slow
        return np.asarray(np.exp(DRIFT * both - 0.5 * DRIFT**2))


class Study:
    """A simulated study of a surface, searched as far as requested."""

    def __init__(self, name: str, seed: int) -> None:
        self.on, self.truth, self.seed = surface(name), true_front(name), seed
        self.top = float(self.truth.scores.max())
        machine, slower = Machine(seed, 2), 1.0 + SEARCH_IS_SLOWER
        self.contest = Contest(self.on, seed, N_DESIGN, times=lambda n: machine.factors(n) * slower)
        self.models: dict[int, FittedModel] = {}

    def searched(self, n_trials: int) -> FittedModel:
        """Return the model of the first trials."""
        while len(self.contest.points) < n_trials:
            self.contest.trial(DEFAULT_SAMPLER, GAMES_A_TRIAL)
        if n_trials not in self.models:
            self.models[n_trials] = self.contest.model(n_trials)
        return self.models[n_trials]

    def proposals(self, n_trials: int, n_points: int) -> Floats:
        """Return the model's proposals for validation, in the unit cube."""
        model = self.searched(n_trials)
        front = model.predicted_front
        return self.tidy(model, front.points[most_hypervolume(front.mean, n_points)])

    def tidy(self, model: FittedModel, points: Floats) -> Floats:
        """Round points of the unit cube to θ as a study writes them."""
        return model.cube.encode([self.on.space.tidy(model.cube.decode(p)) for p in points])


class Validation:
    """Points of a study that have been played in turns on one machine.

    ``codes`` are their θ in the unit cube, shape (n, d); ``scores`` and ``seconds`` are those of
    their games.
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        self.rng, self.machine = np.random.default_rng([study.seed, 3]), Machine(study.seed, 4)
        self.codes = np.empty((0, len(study.on.space)))
        self.n_games = GAMES_A_POINT  # that a point has after the next call of :meth:`play`
        self.scores: list[Floats] = []
        self.seconds: list[Floats] = []

    def play(self, codes: Floats) -> None:
        """Add the points that are new, and play all points until they have ``n_games`` games."""
        new = np.unique(codes[~is_among(codes, self.codes)], axis=0)
        self.codes = np.concatenate([self.codes, new])
        self.scores += [np.empty(0)] * len(new)
        self.seconds += [np.empty(0)] * len(new)
        missing = np.array([self.n_games - len(each) for each in self.scores])
        turns = np.arange(self.n_games)[:, None] < missing  # points take turns
        factors = np.ones(turns.shape)
        factors[turns] = self.machine.factors(int(turns.sum()))
        for k, n in enumerate(missing.tolist()):
            scores, seconds = self.study.on.games(self.codes[k], n, self.rng)
            self.scores[k] = np.append(self.scores[k], scores)
            self.seconds[k] = np.append(self.seconds[k], seconds * factors[turns[:, k], k])

    def model(self, n_trials: int) -> FittedModel:
        """Return the model of the first trials and of all points."""
        moments = [Moments.from_sample(each) for each in self.scores]
        means = np.array([each.mean for each in moments])
        timed = [(each, np.ones(len(each))) for each in self.seconds]
        times = variances_of_log_ratios(timed, TIMED_TOGETHER)
        scales = OBJECTIVES.scales
        noise = [scales[0].variances(means, growing_variances(moments)), times.own]
        raw = [(s.mean(), t.mean()) for s, t in zip(self.scores, self.seconds, strict=True)]
        variances = np.column_stack(noise)
        values = to_maximize(np.array(raw), direction_signs(DIRECTIONS), scales, variances)
        trials = self.study.searched(n_trials)
        return trials.given(self.codes, values, variances, times.shared, timed=True)

    def answers(self, model: FittedModel, budgets: Floats) -> npt.NDArray[np.int64]:
        """Return the index of the point recommended for each budget, −1 if there is none."""
        expected = expected_at(model, [model.cube.decode(code) for code in self.codes])
        found = []
        for limit in budgets.tolist():
            met = [k for k, each in enumerate(expected) if each.p_within(limit) >= CONFIDENCE]
            found.append(max(met, key=lambda k: expected[k].rank(1.0), default=-1))
        return np.array(found)

    def row(self, n_trials: int, model: FittedModel, **more: Any) -> dict[str, Any]:
        """Return a row about the answers that a user gets after these trials and points."""
        truth, n = self.study.truth, len(self.codes)
        scores = np.append(self.study.on.truth(self.codes)[0], 0.0)
        scores = scores[self.answers(model, truth.budgets)]
        regret = np.mean(truth.best_within(truth.budgets) - scores) / self.study.top
        known = {"surface": self.study.on.name, "seed": self.study.seed, "n_trials": n_trials}
        known |= {"n_points": n, "n_games": GAMES_A_TRIAL * n_trials + sum(map(len, self.scores))}
        return {**known, "scores": scores.tolist(), "regret": float(regret), **more}

    def certified(
        self, model: FittedModel
    ) -> tuple[dict[str, Any], Floats, Floats, Floats, Floats]:
        """Bound the regret of the answers at n budgets, and compare it with the truth.

        Returns columns of a row; the bounds, shape (n,); the prospects in the unit cube,
        shape (n, d); the bounds that would hold if these θ were played; and a θ that would extend
        the budgets, shape (0, d) or (1, d).
        """
        study = self.study
        expected = expected_at(model, [model.cube.decode(code) for code in self.codes])
        limits = np.array(budget_grid(model, expected))
        picked = self.answers(model, limits)
        limits, picked = limits[picked >= 0], picked[picked >= 0]
        draws = Draws.from_model(model, self.codes)
        promising, bounds, if_played = draws.prospects(limits, picked, len(self.codes))
        scores = study.on.truth(self.codes)[0][picked]
        regrets = np.maximum(study.truth.best_within(limits) - scores, 0.0)
        row = {"holds": bool((regrets <= bounds).all()), "bound": bounds.max() / study.top}
        row |= {"share": (regrets <= bounds).mean(), "largest": regrets.max() / study.top}
        cheaper = study.tidy(model, cheaper_end(model, limits))
        return row, bounds, study.tidy(model, draws.points[promising]), if_played, cheaper

    def claims(self, model: FittedModel) -> dict[str, Any]:
        """Compare intervals of tested and untested θ with the truth."""
        study, front = self.study, model.predicted_front.points
        some = front[np.linspace(0, len(front) - 1, N_UNTESTED).round().astype(int)]
        untested = study.tidy(model, some)
        found: dict[str, Any] = {}
        kinds = {"tested": self.codes, "untested": untested[~is_among(untested, self.codes)]}
        for kind, codes in kinds.items():
            expected = expected_at(model, [model.cube.decode(code) for code in codes])
            true = study.on.truth(codes)[0] if len(codes) else np.empty(0)
            scores = [each.score for each in expected]
            inside = [e.low <= t <= e.high for e, t in zip(scores, true, strict=True)]
            found[f"{kind}_inside"] = [int(sum(inside)), len(inside)]
            found[f"{kind}_bias"] = (sum(e.value for e in scores) - float(true.sum())) / study.top
        return found
