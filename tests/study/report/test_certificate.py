"""Bounds of the regret: against plain loops, closed forms, and the truth of a made study."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tests.study.conftest import SolvedGame, Solver
from tests.study.made_studies import (
    add_point,
    add_trials,
    data_of,
    new_study,
    present,
    spread,
    store_point,
    store_trial,
)
from thetafront.agents.twenty48.agent import Game2048
from thetafront.study.estimate import t_interval
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.dimension import NumericParameter
from thetafront.study.experiments.objectives.costs import SWEEPS
from thetafront.study.experiments.objectives.goals import exact, mean
from thetafront.study.experiments.space import Space
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.certificate import (
    Draws,
    bound_near,
    certificate_headline,
    certificate_rows,
    certificate_text,
    compute_certificate,
    conditioned,
    forecast_bounds,
    half_width_at_all_times,
    promising,
    simultaneous_bounds,
)
from thetafront.study.report.recommend import PickQuery


def test_regrets_by_a_plain_loop() -> None:
    rng = np.random.default_rng(3)
    draws = Draws(
        np.empty((7, 1)),
        rng.normal(100, 10, (20, 7)),
        10 ** rng.normal(0, 1, (20, 7)),
        np.empty((7, 2)),
    )
    limits, chosen = np.geomspace(0.05, 50, 9), rng.integers(0, 7, 9)
    found = draws.regrets(limits, chosen)
    for d in range(20):
        for k, limit in enumerate(limits):
            within = [s for s, c in zip(draws.scores[d], draws.costs[d], strict=True) if c <= limit]
            own = draws.scores[d, chosen[k]]
            assert found[d, k] == pytest.approx(max([*within, own]) - own)


def test_a_prospect_is_untested_and_would_be_recommended_and_lower_the_bound() -> None:
    """Within a budget of 1: a played point, one with a better score, and one that costs just less.

    The last two have no games. A played point that may cost too much is no prospect either.
    """
    limits, chosen, half = np.ones(1), np.zeros(1, np.int64), math.log10(0.5)

    def prospect(gain: float, log_cost: float, n_played: int = 1) -> tuple[int, float, float]:
        scores = np.tile([10.0, 10.0 + gain], (100, 1))
        mean = np.array([[0.0, -half], [gain, -log_cost]])
        draws = Draws(np.empty((2, 1)), scores, np.full((100, 2), 0.5), mean, margin=0.02)
        return tuple(float(each[0]) for each in draws.prospects(limits, chosen, n_played))

    assert prospect(4.0, half) == (1, 4.0, 0.0)
    assert prospect(4.0, -0.01) == (0, 4.0, 4.0), "its cost must be below the budget by the margin"
    assert prospect(4.0, half, n_played=2) == (0, 4.0, 4.0), "it has been played"
    assert prospect(-4.0, half) == (0, 0.0, 0.0)
    scores = np.random.default_rng(0).normal(0.0, [1.0, 1.0, 3.0], (10_000, 3))
    mean = np.column_stack([[0.0, 0.1, -0.1], np.full(3, -half)])
    draws = Draws(np.empty((3, 1)), scores, np.full((10_000, 3), 0.5), mean)
    (best,), (bound,), (if_played,) = draws.prospects(limits, chosen, 1)
    assert best == 0, "the bound is as large with a point that is hardly better"
    assert bound == if_played > 5.0


def test_each_strip_of_costs_has_promising_points(quick: Experiment) -> None:
    """Otherwise a budget whose strip has none, and no point on the front, seems to gain nothing."""
    playouts = NumericParameter("n_playouts", 1, 100_000, integer=True, log=True)
    wide = replace(quick, space=Space((playouts,)), baselines={})
    model = present(Analysis(data_of(add_trials(new_study(), wide), wide)).combined)
    front = model.predicted_front
    ends = replace(front, points=front.points[[0, -1]], mean=front.mean[[0, -1]])
    vars(model).update(predicted_front=ends)
    found = promising(model, np.random.default_rng(0))
    strips = np.linspace(*-ends.mean[:, 1], 65)
    counts, _ = np.histogram(-model.posterior.mean(found)[:, 1], strips)
    assert (counts[32:-1] > 0).all(), "there are many θ in each of these"


def test_a_bound_at_one_budget_is_the_quantile() -> None:
    values = np.random.default_rng(0).permutation(np.arange(1, 1001)).astype(float)[:, None]
    assert simultaneous_bounds(values).tolist() == [950.0]
    assert simultaneous_bounds(np.repeat(values, 5, axis=1)).tolist() == [950.0] * 5
    assert simultaneous_bounds(np.zeros((10, 3))).tolist() == [0.0] * 3


def test_bounds_at_several_budgets_hold_together() -> None:
    """Of eight independent normals, each must hold with a probability of 0.95^(1/8)."""
    values = np.random.default_rng(1).standard_normal((20_000, 8)) * np.arange(1, 9)
    bounds = simultaneous_bounds(values)
    assert np.mean((values <= bounds).all(axis=1)) == pytest.approx(0.95, abs=1e-3)
    assert bounds / np.arange(1, 9) == pytest.approx([2.4906] * 8, abs=0.12)


def test_draws_given_measurements_have_the_posterior_of_the_closed_form() -> None:
    """The measurements of the first two of four points have errors of their own."""
    rng = np.random.default_rng(4)
    root = rng.standard_normal((2, 4, 4))
    truth, measured = rng.standard_normal((4, 2)), rng.standard_normal((4, 2))
    draws = np.stack(
        [truth[:, k] + rng.standard_normal((200_000, 4)) @ root[k] for k in range(2)], axis=-1
    )
    variances = np.array([[0.5, 0.1], [0.2, 2.0]])
    found = conditioned(draws, measured, variances, rng)
    for k in range(2):
        covariance = root[k].T @ root[k]
        gain = covariance[:, :2] @ np.linalg.inv(covariance[:2, :2] + np.diag(variances[:, k]))
        mean = truth[:, k] + gain @ (measured[:2, k] - truth[:2, k])
        assert found[..., k].mean(axis=0) == pytest.approx(mean, abs=0.03)
        left = covariance - gain @ covariance[:2]
        assert np.cov(found[..., k].T) == pytest.approx(left, abs=0.05)


def test_a_forecast_is_lower_for_more_points_and_for_better_measurements(
    quick: Experiment,
) -> None:
    """The truth is 1,000·√n points; of 40 n, trials played every third."""
    study = add_trials(new_study(), quick)
    model = present(Analysis(data_of(study, quick)).combined)
    few, many = ([{"n_playouts": n} for n in every] for every in ((5, 35), (5, 12, 20, 28, 35)))
    largest = {}
    for name, thetas, error in (("few", few, 40.0), ("many", many, 40.0), ("rough", many, 4000.0)):
        bounds, expected = forecast_bounds(model, thetas, error)
        assert bounds.shape == expected.shape == (64,)
        assert (np.diff(expected) >= 0.0).all(), "the best of ever more θ"
        largest[name] = bounds.max()
    assert largest["many"] < min(largest["few"], largest["rough"])
    gap = 1000.0 * (math.sqrt(34.0) - math.sqrt(5.0))
    assert largest["few"] > 0.8 * gap, "below the cost of 35 playouts, 5 are recommended"


def test_equal_games_are_not_certain(quick: Experiment) -> None:
    """All games won: the interval at every moment is at least as wide as Wilson's."""
    wins = replace(quick, goal=mean(low=0, high=1))
    study = new_study()
    for n in (1, 4, 9, 16, 25, 36):
        scores = [int(n > 10)] * 4
        games = [Game2048(r, won, 100, 1e-3 * n, 5000 * n, 256, 0) for r, won in enumerate(scores)]
        store_trial(study, wins, {"n_playouts": n}, games)
    for n in (5, 20):
        add_point(study, n, [int(n > 10)] * 40, 0.01 * n)
    found = present(Analysis(data_of(study, wins)).certificate)
    for row in certificate_rows(found):
        low, high = (row[wins.goal.column(f"always_{end}95")] for end in ("low", "high"))
        assert 0.0 <= low <= high <= 1.0
        assert high - low >= 0.087


def test_an_interval_at_all_times_holds_whenever_one_looks() -> None:
    """Of 400 series of skewed scores, looked at 40 times in 2,000 games; Student's does not."""
    rng = np.random.default_rng(2)
    looks = np.unique(np.geomspace(20, 2000, 40).astype(int))
    always, once = 0, 0
    for _ in range(400):
        scores = rng.gamma(6.0, 1.0, 2000)
        errors = [abs(scores[:n].mean() - 6.0) for n in looks]
        halves = [half_width_at_all_times(t_interval(scores[:n]).sem, n) for n in looks]
        student = [1.96 * scores[:n].std(ddof=1) / math.sqrt(n) for n in looks]
        always += all(e <= h for e, h in zip(errors, halves, strict=True))
        once += all(e <= h for e, h in zip(errors, student, strict=True))
    assert always / 400 >= 0.93
    assert once / 400 <= 0.8
    assert math.isnan(half_width_at_all_times(t_interval([1.0]).sem, 1))


def test_a_study_s_certificate_holds(quick: Experiment) -> None:
    """The truth is 1,000·√n points at 10 µs and n; three of n were played."""
    study = add_trials(new_study(), quick)
    for n, n_games in ((10, 20), (20, 100), (30, 100)):
        add_point(study, n, spread(round(1000 * math.sqrt(n)), 400, n_games), 0.01 * n)
    candidates = Analysis(data_of(study, quick)).to_pick_from()
    found = present(compute_certificate(candidates))
    assert (np.diff(found.limits) > 0).all()
    assert (
        found.limits[-1]
        > max(candidates.played, key=lambda each: each.expected.score.value).expected.cost.high
    )
    assert (found.bounds_if_played <= found.bounds).all()
    near = bound_near(found, float(found.limits[20]) * 1.0001)
    assert near == f"Near this budget, it is within {max(found.bounds[20:22]):,.0f} points."
    frame = pd.DataFrame(certificate_rows(found))
    assert len(frame) == len(found.limits)
    for limit, each, bound in zip(found.limits, found.answers, found.bounds, strict=True):
        best = present(PickQuery(quick, float(limit)).best(candidates.played))
        assert each.number == best.number
        n_best = min(40, int(limit / 1e-5))
        truth = 1000 * (math.sqrt(n_best) - math.sqrt(each.point.params["n_playouts"]))
        assert bound >= truth - 1e-9
    assert found.bounds.max() < 5000.0
    assert found.bounds_if_played.mean() < found.bounds.mean()
    row = frame.iloc[-1]
    own = next(each.own.value for each in candidates.played if each.point.key == row["point"])
    assert row[quick.goal.column("mean")] == pytest.approx(own)
    low, high = (frame[quick.goal.column(f"always_{end}95")] for end in ("low", "high"))
    assert set(frame["n_games"]) == {20, 100}
    for n, width in zip(frame["n_games"], high - low, strict=True):
        sem = 400 / math.sqrt(n - 1)  # of the own games: no others', though 20 are few
        assert width == pytest.approx(2 * half_width_at_all_times(sem, n))
    text = certificate_text(found)
    assert text.startswith("with 95% probability, at every budget from ")
    assert f"{found.bounds.max():,.0f} points of the best in the space (" in text
    assert " most promising untested θ (about " in text, (
        "what another run would buy, and for how much"
    )
    assert " of CPU time) would lower the average to about " in text
    level, little = np.full(len(found.bounds), 1e4), np.full(len(found.bounds), 1e4)
    little[0] = 7e3  # 10,000 on average as printed, before and after
    text = certificate_text(replace(found, bounds=level, bounds_if_played=little))
    assert text.endswith(" and more trials would lower it"), "playing would change nothing in print"
    said = replace(quick.cost, is_reported=True)
    its = replace(found, experiment=replace(quick, cost=said, costs=(said, *quick.costs[1:])))
    assert " of reported time) would lower the average to about " in certificate_text(its)
    for factor, is_said in ((1.0, found.bounds.max() > np.ptp(found.expected)), (100.0, True)):
        text = certificate_text(replace(found, bounds=factor * found.bounds))
        assert ("show little about what may still be gained" in text) == is_said
    assert any(each.games for each in found.prospects), "a tested θ may be the best prediction"
    untested = frame[frame["prospect_cpu_seconds"] > 0.0].drop_duplicates("prospect")
    assert set(untested["prospect"]) == {each.key for each in found.prospects if not each.games}
    everywhere = np.zeros_like(found.bounds)
    played = {each.point.key for each in candidates.played}
    cheaper, *others = (each.key for each in found.worth_playing(everywhere, played))
    assert found.cheaper is not None
    assert found.cheaper.params == {"n_playouts": 1}, "no answer costs less than 10 playouts"
    assert cheaper == found.cheaper.key
    assert 1 <= len(others) == len(set(others)) <= 6
    assert not {*others} & played
    known = played | {each.key for each in found.prospects} | {cheaper}
    assert found.worth_playing(everywhere, known) == [], "all of them are known"
    assert others[0] in {each.key for each in found.prospects}
    assert found.worth_playing(found.bounds, played) == [found.cheaper], "no bound is too large"
    add_point(study, 1, spread(1000, 400, 100), 0.01)
    wider = present(Analysis(data_of(study, quick)).certificate)
    assert wider.limits[0] < 0.2 * found.limits[0]
    assert wider.cheaper is None


def test_what_cannot_be_played_is_no_prospect(quick: Experiment) -> None:
    """More playouts would score more, but all games with more than 20 fail."""
    study = new_study()
    for n in (1, 3, 7, 12, 16, 20):
        games = [Game2048(r, 1000 * n + r, 100, 1e-3 * n, 5000 * n, 256, 0) for r in range(3)]
        store_trial(study, quick, {"n_playouts": n}, games)
    for n in (23, 26, 29, 32, 35, 38, 40):
        store_trial(study, quick, {"n_playouts": n}, [], error="it failed", n_games=3)
    for n in (5, 20):
        add_point(study, n, spread(1000 * n, 400), 0.01 * n)
    found = present(Analysis(data_of(study, quick)).certificate)
    assert max(each.params["n_playouts"] for each in found.prospects) < 23


def test_bounds_of_an_exact_goal_have_few_digits(solver: Experiment) -> None:
    """Scores have five decimals; bounds of draws are not that exact, in no text."""
    study = new_study()
    for n in (1, 3, 10, 30, 100):
        store_trial(study, solver, {"sweeps": n}, [Solver(n).play(0)])
    for n in (3, 30):
        store_point(study, {"sweeps": n}, {0: Solver(n).play(0)})
    found = present(Analysis(data_of(study, solver)).certificate)
    found = replace(found, bounds=np.full_like(found.bounds, 1.942518))
    assert "the recommended θ is within 1.943 points of the best in" in certificate_text(found)
    said = " the recommended θ is within 1.943 points of the best at every budget from "
    assert said in certificate_headline(found)
    for row in certificate_rows(found):
        measured = row["score_mean_points"]
        assert row["score_always_low95_points"] == measured == row["score_always_high95_points"]


def test_nothing_can_be_gained_where_all_is_known(solver: Experiment) -> None:
    """Every θ of the space has an exact score and an exact cost; the third is dominated."""
    space = Space((NumericParameter("sweeps", 1, 4, integer=True),))
    small = replace(solver, space=space, baselines={}, goal=exact(low=0.0)).with_cost(SWEEPS)
    study = new_study()
    for n, worth, cost in ((1, 1.0, 10), (2, 3.0, 20), (3, 3.0, 30), (4, 4.0, 80)):
        store_trial(study, small, {"sweeps": n}, [SolvedGame(0, worth, 1, 1e-4, cost)])
    found = present(Analysis(data_of(study, small)).certificate)
    assert found.bounds.tolist() == [0.0] * len(found.limits)
    assert certificate_text(found).endswith(" of the best in the space (0 on average)")
    text = certificate_text(replace(found, bounds=found.bounds + 2.0))
    assert text.endswith("; the bound is the same at every budget, and more trials would lower it")
    store_trial(study, small, {"sweeps": 2}, [SolvedGame(1, 3.0, 1, 1e-4, 40)])
    found = present(Analysis(data_of(study, small)).certificate)
    assert found.bounds.max() > 0.0, "the two games show that costs vary"


def test_without_validated_points_there_is_none(quick: Experiment) -> None:
    study = add_trials(new_study(), quick)
    data = data_of(study, quick)
    assert Analysis(data).certificate is None
    assert compute_certificate(Analysis(data).to_pick_from()) is None
