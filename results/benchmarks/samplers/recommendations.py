"""What users get of a simulated study: claims, picks at budgets and at targets, chances.

A study is searched, its proposals at twelve budgets are validated, and users with several budgets
and targets pick a θ: of the validated points by the split of their games in half, as earlier
versions did; of the same by the combined model; from the whole space, without a game; and after the
proposal for their budget has been played.

Games are those of the surface, on a machine whose speed drifts as that of the published sweep did:
times of games that are played together have a common factor, of which a part changes from game to
game and the rest forgets itself over 840 games; a search times its games 5% higher.
"""

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from results.benchmarks.samplers.contest import DIRECTIONS, N_DESIGN, SCALES, Contest
from results.benchmarks.samplers.surface import Floats, Surface
from results.benchmarks.samplers.surfaces import surface
from results.benchmarks.samplers.truth import Truth, true_front
from thetafront.study.batch_means import LogVariances, variances_of_log_ratios
from thetafront.study.estimate import t_interval
from thetafront.study.experiments.objectives import SCORE
from thetafront.study.experiments.objectives.costs import TIMED_TOGETHER
from thetafront.study.pareto import nondominated, p_on_front
from thetafront.study.report.certificate import Draws, budgets_of, simultaneous_bounds
from thetafront.study.report.expected import (
    Expected,
    best_of,
    cheapest_of,
    expected_at,
    is_met,
    is_reached,
    proposals,
)
from thetafront.study.samplers.candidates import is_among
from thetafront.study.samplers.fitted_model import FittedModel
from thetafront.study.samplers.observations import to_maximize
from thetafront.study.samplers.predicted_front import best_within_budgets
from thetafront.study.shrinkage import Moments, growing_variances

DRIFT, FAST_SHARE, GAMES_OF_MEMORY = 0.05, 0.3, 840.0
SEARCH_IS_SLOWER = 0.05
N_POINTS = 12
VALIDATION_GAMES = (100, 1000)  # a point
N_TARGETS = 15
TARGETS = (0.35, 0.9)  # of the true front's highest score
GAMES_OF_A_PICK = 100
N_DRAWS = 2000


class Machine:
    """Times games, faster or slower as its load drifts."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.state = rng.standard_normal()

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


@dataclass
class Points:
    """Validated points: θ in the unit cube, and the scores and times of their games."""

    codes: Floats
    scores: list[Floats]
    seconds: list[Floats]

    @property
    def values(self) -> Floats:
        """Return mean scores and times on the model's scale, shape (n, 2)."""
        raw = [(s.mean(), t.mean()) for s, t in zip(self.scores, self.seconds, strict=True)]
        return to_maximize(np.array(raw, np.float64), DIRECTIONS, SCALES, self.noise)

    @property
    def of_times(self) -> LogVariances:
        """Return the variances of the times."""
        timed = [(each, np.ones(len(each))) for each in self.seconds]
        return variances_of_log_ratios(timed, TIMED_TOGETHER)

    @property
    def noise(self) -> Floats:
        """Return the variances of their own errors, on that scale."""
        moments = [Moments.of(each) for each in self.scores]
        means = np.array([each.mean for each in moments])
        scores = SCALES[0].variances(means, growing_variances(moments))
        return np.column_stack([scores, self.of_times.own])

    def and_those_of(self, others: "Points") -> "Points":
        """Return these points and others."""
        codes = np.concatenate([self.codes, others.codes])
        return Points(codes, self.scores + others.scores, self.seconds + others.seconds)


def validated(
    on: Surface,
    codes: Floats,
    n_games: int,
    rng: np.random.Generator,
    machine: Machine | None = None,
) -> Points:
    """Play points in turn on one machine, by default another one than before."""
    machine = Machine(rng) if machine is None else machine
    factors = machine.factors(n_games * len(codes)).reshape(n_games, len(codes)).T
    games = [on.games(code, n_games, rng) for code in codes]
    seconds = [each * factor for (_, each), factor in zip(games, factors, strict=True)]
    return Points(codes, [scores for scores, _ in games], seconds)


@dataclass(frozen=True)
class Loaded(Surface):
    """A surface whose games a search times, on a machine."""

    machine: Machine = field(default_factory=lambda: Machine(np.random.default_rng(0)))

    def games(self, point: Floats, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Play games at a point, shape (d,): noisy scores and seconds per move, shape (n,)."""
        scores, seconds = super().games(point, n, rng)
        return scores, seconds * self.machine.factors(n) * (1.0 + SEARCH_IS_SLOWER)


def on_machine(on: Surface, machine: Machine) -> Loaded:
    """Return a surface whose games are timed on this machine."""
    return Loaded(**{each.name: getattr(on, each.name) for each in fields(on)}, machine=machine)


def searched(on: Surface, sampler: str, n_trials: int, n_games: int, seed: int) -> FittedModel:
    """Run a search and fit the model to its trials."""
    machine = Machine(np.random.default_rng([seed, 2]))
    contest = Contest.begin(on_machine(on, machine), seed, N_DESIGN)
    for _ in range(n_trials):
        contest.trial(sampler, n_games, seed, N_DESIGN)
    posterior, observations, cube = contest.fitted(n_trials)
    return FittedModel(cube, observations, posterior, seed)


def chosen(model: FittedModel, on: Surface, n_points: int = N_POINTS) -> Floats:
    """Return the proposals at twelve budgets, or more, rounded, in the unit cube."""
    front = model.predicted_front
    budgets = np.linspace(front.mean[0, 1], front.mean[-1, 1], n_points) - 1e-9
    at = front.points[best_within_budgets(front, budgets)]
    return tidy(model, on, at)


def tidy(model: FittedModel, on: Surface, points: Floats) -> Floats:
    """Round points of the unit cube to θ as a study writes them."""
    return model.cube.encode([on.space.tidy(model.cube.decode(point)) for point in points])


def picked_by_halves(points: Points, limit: float) -> tuple[int, float, float, float] | None:
    """Return a pick as earlier versions made it: its index, and what to expect with its ends."""
    costs = 10.0 ** -points.values[:, 1]
    allowed = np.flatnonzero(costs <= limit)
    if not len(allowed):
        return None
    best = int(allowed[np.argmax([points.scores[k][::2].mean() for k in allowed])])
    found = t_interval(points.scores[best][1::2])
    return best, found.value, found.low, found.high


def combined_model(trials: FittedModel, points: Points) -> FittedModel:
    """Return the model of a study's trials and validated points."""
    shared = points.of_times.shared
    return trials.given(points.codes, points.values, points.noise, shared, timed=True)


@dataclass(frozen=True)
class Certified:
    """Bounds of the regret of a study's answers, and the truth, at n budgets.

    ``chosen`` are indices of validated points; scores are true ones. ``prospects``, shape (n, d),
    are the best predictions, in the unit cube, and ``if_played`` the bounds if these were played.
    """

    limits: Floats
    chosen: npt.NDArray[np.int64]
    bounds: Floats
    scores: Floats
    regrets: Floats
    prospects: Floats
    if_played: Floats

    @property
    def holds(self) -> bool:
        """Whether no regret exceeds its bound."""
        return bool((self.regrets <= self.bounds).all())


def certified(on: Surface, truth: Truth, model: FittedModel, points: Points) -> Certified:
    """Bound the regret of validated points, given all games, and compare it with the truth."""
    expected = expected_at(model, [model.cube.decode(code) for code in points.codes])
    limits, chosen = [], []
    for limit in budgets_of(model, expected).tolist():
        met = [k for k, each in enumerate(expected) if is_met(each, limit, is_played=True)]
        if (best := best_of(expected, met)) is not None:
            limits.append(limit)
            chosen.append(best)
    draws = Draws.of(model, points.codes)
    at, picked = np.array(limits), np.array(chosen)
    bounds = simultaneous_bounds(draws.regrets(at, picked))
    promising = draws.best_predicted(at)
    if_played = simultaneous_bounds(draws.regrets(at, promising))
    prospects = tidy(model, on, draws.points[promising])
    scores = on.score(points.codes)[picked]
    regrets = np.maximum(truth.best_within(at) - scores, 0.0)
    return Certified(at, picked, bounds, scores, regrets, prospects, if_played)


@dataclass
class Answers:
    """Answers to the users of one study, compared with the truth."""

    on: Surface
    truth: Truth
    run: dict[str, Any]
    trials: FittedModel
    points: Points
    rng: np.random.Generator
    rows: list[dict[str, Any]]

    def given(self, points: Points) -> FittedModel:
        """Return the combined model."""
        return combined_model(self.trials, points)

    def add(
        self,
        way: str,
        asked: str,
        amount: float,
        code: Floats | None,
        claim: tuple[float, float, float] | None,
    ) -> dict[str, Any]:
        """Compare an answer, a θ and a value with the ends of its interval, with the truth."""
        row = {
            **self.run,
            "way": way,
            "asked": asked,
            "amount": amount,
            "served": claim is not None,
        }
        score = 0.0
        if code is not None and claim is not None:
            score, seconds = (
                float(each(code[None])[0]) for each in (self.on.score, self.on.seconds)
            )
            value, low, high = claim
            row |= {"true_score": score, "true_seconds": seconds, "error": value - score}
            row |= {"covered": low <= score <= high, "half_width": (high - low) / 2.0}
            if asked == "budget":
                row["exceeded"] = seconds > amount
            elif asked == "target":
                least = self.truth.seconds[np.argmax(self.truth.scores >= amount)]
                row |= {"exceeded": score < amount, "decades": float(np.log10(seconds / least))}
        if asked == "budget":
            row["regret"] = float(self.truth.best_within(np.array([amount]))[0]) - score
        self.rows.append(row)
        return row

    def claims(self) -> None:
        """Compare what is said of each validated point, and its chance to be on the front."""
        points, combined = self.points, self.given(self.points)
        codes = points.codes
        for code, scores in zip(codes, points.scores, strict=True):
            found = t_interval(scores)
            self.add("own games", "point", 0.0, code, (found.value, found.low, found.high))
        models = {"trials": self.trials, "combined": combined}
        for way, model in models.items():
            thetas = [model.cube.decode(code) for code in codes]
            for code, each in zip(codes, expected_at(model, thetas), strict=True):
                row = self.add(way, "point", 0.0, code, claim_of(each))
                row["cost_error"] = float(np.log10(each.cost.value / row["true_seconds"]))
                row["cost_covered"] = each.cost.low <= row["true_seconds"] <= each.cost.high

    def chances(self) -> None:
        """Compare the chances to be on the front, of proposals and of trials, with the truth."""
        trials = self.trials.trial_front
        few = trials[np.linspace(0, len(trials) - 1, N_POINTS).round().astype(int)]
        codes = np.unique(np.concatenate([self.points.codes, few]), axis=0)
        points = validated(self.on, codes, self.run["n_validation"], self.rng)
        rng = np.random.default_rng(0)
        shape = (N_DRAWS, len(codes))
        scores = points.values[:, 0] + np.sqrt(points.noise[:, 0]) * rng.standard_normal(shape)
        exact_costs = np.broadcast_to(points.values[:, 1], shape)
        combined = self.given(points).posterior
        chances = {
            "exact costs": p_on_front(np.stack([scores, exact_costs], axis=-1)),
            "combined": p_on_front(combined.draw(codes, N_DRAWS, rng)),
        }
        front = nondominated(self.on.score(codes), self.on.seconds(codes))
        on_front = np.isin(np.arange(len(codes)), front)
        for way, chance in chances.items():
            for p, is_on in zip(chance, on_front, strict=True):
                self.rows.append(
                    {**self.run, "way": way, "asked": "front", "p": float(p), "on": bool(is_on)}
                )

    def certify(self) -> None:
        """Compare bounds of the regret with the regret itself, at all budgets at once."""
        found = certified(self.on, self.truth, self.given(self.points), self.points)
        row = {**self.run, "way": "certificate", "asked": "certificate"}
        row |= {"covered": found.holds, "share": (found.regrets <= found.bounds).mean()}
        row |= {"half_width": found.bounds.mean(), "regret": found.regrets.mean()}
        self.rows.append(row)

    def picks(self) -> None:
        """Let users with budgets and targets pick."""
        combined, points = self.given(self.points), self.points
        thetas = [combined.cube.decode(code) for code in points.codes]
        anywhere = thetas + proposals(combined, self.on.space)[0]
        budgets = self.truth.budgets
        targets = np.linspace(*TARGETS, N_TARGETS) * self.truth.scores.max()
        for limit in budgets.tolist():
            halves = picked_by_halves(points, limit)
            code = None if halves is None else points.codes[halves[0]]
            self.add("halves", "budget", limit, code, None if halves is None else halves[1:])
        for asked, amounts in (("budget", budgets), ("target", targets)):
            for amount in amounts.tolist():
                code, claim = answer(combined, thetas, asked, amount)
                self.add("validated", asked, amount, code, claim)
                code, claim = answer(combined, anywhere, asked, amount, len(thetas))
                self.add("anywhere", asked, amount, code, claim)
                if code is not None:
                    code, claim = self.after_games(code, thetas, asked, amount)
                self.add("played", asked, amount, code, claim)

    def after_games(
        self, code: Floats, thetas: list[dict[str, Any]], asked: str, amount: float
    ) -> tuple[Floats | None, tuple[float, float, float] | None]:
        """Play a proposal, unless it has games; return the best of the θ that have been played."""
        if not is_among(code[None], self.points.codes)[0]:
            scores, seconds = self.on.games(code, GAMES_OF_A_PICK, self.rng)
            seconds = seconds * Machine(self.rng).factors(GAMES_OF_A_PICK)
            after = self.given(self.points.and_those_of(Points(code[None], [scores], [seconds])))
            return answer(after, [*thetas, after.cube.decode(code)], asked, amount)
        return answer(self.given(self.points), thetas, asked, amount)


def claim_of(expected: Expected) -> tuple[float, float, float]:
    """Return what to expect with the ends of its interval."""
    return expected.score.value, expected.score.low, expected.score.high


def answer(
    model: FittedModel,
    thetas: list[dict[str, Any]],
    asked: str,
    amount: float,
    n_played: int | None = None,
) -> tuple[Floats | None, tuple[float, float, float] | None]:
    """Return the best θ for a user, in the unit cube, and what to expect of it.

    The first ``n_played`` of the ``thetas``, or all, have been played.
    """
    expected = expected_at(model, thetas)
    n_played = len(thetas) if n_played is None else n_played
    if asked == "budget":
        met = [k for k, each in enumerate(expected) if is_met(each, amount, k < n_played)]
        index = best_of(expected, met)
    else:
        met = [
            k for k, each in enumerate(expected) if is_reached(each, amount, SCORE, k < n_played)
        ]
        index = cheapest_of(expected, met)
    if index is None:
        return None, None
    return model.cube.encode([thetas[index]])[0], claim_of(expected[index])


def measured(
    name: str, sampler: str, n_trials: int, n_games: int, seed: int
) -> list[dict[str, Any]]:
    """Run one study, validate it twice, and return what users get, a row an answer."""
    on, truth = surface(name), true_front(name)
    rows: list[dict[str, Any]] = []
    with threadpool_limits(1):
        trials = searched(on, sampler, n_trials, n_games, seed)
        codes = chosen(trials, on)
        for n_validation in VALIDATION_GAMES:
            rng = np.random.default_rng([seed, 3])
            points = validated(on, codes, n_validation, rng)
            run = {"surface": name, "sampler": sampler, "n_trials": n_trials, "n_games": n_games}
            run |= {"seed": seed, "n_validation": n_validation}
            answers = Answers(on, truth, run, trials, points, rng, [])
            answers.claims()
            answers.picks()
            answers.chances()
            answers.certify()
            rows += answers.rows
    return rows
