"""Picking: what is expected of a θ, what is refused, and what is said of it."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from tests.study.conftest import CoinGame, SolvedGame
from tests.study.made_studies import (
    add_point,
    add_trials,
    data_of,
    new_study,
    present,
    spread,
    store_point,
)
from tests.study.mirrored import GAIN, LOSS
from thetafront.agents.twenty48.agent import Game2048
from thetafront.study.charts.export import pictured_charts
from thetafront.study.charts.hypervolume import hypervolume_trace
from thetafront.study.errors import InputError
from thetafront.study.estimate import Estimate
from thetafront.study.experiments.agent_parser import build_agent
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives.costs import PLAYOUT_MOVES
from thetafront.study.experiments.objectives.goals import SCORE, WIN_RATE, Goal, mean
from thetafront.study.experiments.registry import EXPERIMENTS
from thetafront.study.log.invocation import called
from thetafront.study.log.log import Log
from thetafront.study.log.point import Point
from thetafront.study.log.published_study import PublishedStudy
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.edges import front_thetas
from thetafront.study.report.expected import Expected
from thetafront.study.report.pick_text import pick_json, pick_text, play_command
from thetafront.study.report.played_rows import forbidden_line
from thetafront.study.report.recommend import (
    Candidate,
    PickQuery,
    Recommendation,
    check_wanted,
    to_play_it,
)
from thetafront.study.report.status import validated_line
from thetafront.study.run.certification import Certification
from thetafront.study.run.stopping import Precision, RegretTarget


def study_of(points: Mapping[int, tuple[float, Sequence[int]]]) -> Log:
    """A study with validated points: number of playouts → milliseconds a move, scores."""
    study = new_study()
    for n_playouts, (milliseconds, scores) in points.items():
        add_point(study, n_playouts, scores, milliseconds, max_tile=2048)
    return study


def picked(study: Log, experiment: Experiment, **asked: float) -> Recommendation:
    return Analysis(data_of(study, experiment)).to_pick_from().pick(PickQuery(experiment, **asked))


def expected(score: float, sd: float, cost: float, log_sd: float) -> Expected:
    return Expected(Estimate(score, sem=sd), Estimate(cost), log_sd)


def candidate(of: Expected, is_played: bool = True) -> Candidate:
    return Candidate(Point({}), int(is_played), of, of.score)


def asked(goal: Goal = SCORE, **query: float) -> PickQuery:
    return PickQuery(replace(EXPERIMENTS["mcmdp"], goal=goal), **query)


def test_chances_are_the_normal_closed_forms() -> None:
    """Of a cost in its logarithm: a limit 20% above the median, at a deviation of 0.05 decades."""
    some = expected(5000.0, 400.0, 1e-3, 0.05)
    assert some.p_within(1.2e-3) == pytest.approx(norm.cdf(math.log10(1.2) / 0.05))
    assert some.p_reaches(4600.0) == pytest.approx(norm.cdf(1.0))
    exact = expected(13.0, 0.0, 10.0, 0.0)
    assert (exact.p_within(10.0), exact.p_within(9.9)) == (1.0, 0.0)
    assert exact.p_within(math.nextafter(10.0, 0.0)) == 1.0, "a rounding error"
    assert (exact.p_reaches(13.0), exact.p_reaches(13.1)) == (1.0, 0.0)


def test_a_budget_is_kept_with_a_probability_of_95_percent() -> None:
    """1.645 deviations below the limit: 0.95."""
    edge = 10.0 ** (-1.645 * 0.02)
    some = [
        expected(9000.0, 1.0, edge * 1.01, 0.02),
        expected(8000.0, 1.0, edge * 0.99, 0.02),
        expected(7000.0, 1.0, 0.1, 0.02),
        expected(8000.0, 1.0, edge * 0.98, 0.02),
    ]
    query, played = asked(cost_limit=1.0), [candidate(each) for each in some]
    assert [*map(query.is_met, played)] == [False, True, True, True]
    untested = [candidate(each, is_played=False) for each in some]
    assert [*map(query.is_met, untested)] == [False, False, True, False]
    assert query.best(played) is played[3], "of equals the cheaper"
    assert query.best(played[:1]) is None


def test_for_a_value_the_cheapest_that_is_expected_to_reach_it_is_taken() -> None:
    """One that has not been played must reach it with 75%, 0.6745 deviations above."""
    some = expected(5000.0, 100.0, 1.0, 0.1)
    played, untested = candidate(some), candidate(some, is_played=False)
    assert asked(score_wanted=5000.0).is_met(played)
    assert not asked(score_wanted=5000.1).is_met(played)
    assert asked(score_wanted=4932.0).is_met(untested)
    assert not asked(score_wanted=4933.0).is_met(untested)
    others = [candidate(expected(9000.0, 1.0, 3.0, 0.1)), played]
    assert asked(score_wanted=5000.0).best(others) is played
    assert asked(score_wanted=9001.0).best(others) is None


def test_of_a_goal_that_is_minimized_the_least_is_the_best() -> None:
    some = [expected(score, 100.0, cost, 0.1) for score, cost in ((-3.0, 2.0), (5.0, 1.0))]
    played = [candidate(each) for each in (*some, expected(-3.0, 1.0, 1.5, 0.1))]
    for goal, chosen, of_all in ((LOSS, 0, 2), (GAIN, 1, 1)):
        query = asked(goal, cost_limit=9.0)
        assert query.best(played[:2]) is played[chosen]
        assert query.best(played) is played[of_all]
    assert some[0].p_reaches(97.0, -1.0) == pytest.approx(norm.cdf(1.0))
    assert some[0].p_reaches(97.0) == pytest.approx(norm.cdf(-1.0))
    untested = candidate(some[0], is_played=False)
    assert asked(LOSS, score_wanted=65.0).is_met(untested), "75%: 0.6745 deviations"
    assert not asked(LOSS, score_wanted=64.0).is_met(untested)


def test_a_share_may_be_asked_for_in_percent(coin: Experiment) -> None:
    """Also a mean from 0 to 1, which is written without percent signs; others with their unit."""
    points = EXPERIMENTS["mcmdp"]
    assert PickQuery.read(points, {"min_score": "5e4 points"}).score_wanted == 5e4
    score = replace(coin, goal=mean("score", low=0.0, high=1.0))
    for experiment, given in product((coin, score), ("60%", "0.6", 0.6)):
        query = PickQuery.read(experiment, {experiment.goal.bound: given})
        assert query.score_wanted == pytest.approx(0.6)
    for experiment, wanted in ((coin, "x%"), (points, "60%")):
        with pytest.raises(InputError, match=f"must be a number .got '{wanted}'"):
            PickQuery.read(experiment, {experiment.goal.bound: wanted})


@pytest.mark.parametrize(
    ("goal", "allowed", "refused", "message"),
    [
        (SCORE, [0.5], [0.0, -1.0], "score must be a number above 0"),
        (WIN_RATE, [0.01, 1.0], [0.0, 1.1], "must be a share above 0 and up to 1"),
        (
            replace(WIN_RATE, direction="minimize"),
            [0.0, 0.99],
            [1.0, -0.1],
            "must be a share of at least 0 and below 1",
        ),
        (LOSS, [-7.0, 0.0, 7.0], [math.nan, -math.inf], "must be a finite number"),
        (GAIN, [-7.0, 0.0, 7.0], [math.nan, math.inf], "must be a finite number"),
    ],
)
def test_what_may_be_wanted_depends_on_the_goal(
    goal: Goal, allowed: list[float], refused: list[float], message: str
) -> None:
    for value in allowed:
        check_wanted(goal, value)
    for value in refused:
        with pytest.raises(InputError, match=message):
            check_wanted(goal, value)


THREE = {
    10: (1.0, spread(4000, 400, 40)),
    20: (2.0, spread(6000, 400, 40)),
    30: (3.0, spread(8000, 400, 40)),
}


def test_validated_points_alone_can_be_picked_from(quick: Experiment) -> None:
    """No trial is there: what is expected comes of the points' games."""
    study = study_of(THREE)
    for limit, n_playouts, n_candidates in ((0.0025, 20, 2), (0.01, 30, 3)):
        found = picked(study, quick, cost_limit=limit)
        assert found.chosen.point.params == {"n_playouts": n_playouts}
        assert (found.n_candidates, found.n_games) == (n_candidates, 120)
        own = quick.goal.samples(found.chosen.point.in_order)
        assert found.chosen.expected.score.contains(np.mean(own))
        assert found.chosen.expected.score.sem < np.std(own, ddof=1) / math.sqrt(40) * 1.2
    for wanted, n_playouts in ((5000.0, 20), (7000.0, 30)):
        found = picked(study, quick, score_wanted=wanted)
        assert found.chosen.point.params == {"n_playouts": n_playouts}
    found = picked(study, quick.with_cost(PLAYOUT_MOVES), cost_limit=750)
    assert found.chosen.point.params == {"n_playouts": 10}
    assert found.chosen.expected.cost.value == pytest.approx(500.0, rel=1e-3)


def test_without_validation_the_answer_is_the_models(quick: Experiment) -> None:
    """Trials score 1000·√n at n·10 µs: within 240 µs, 24 playouts or less, to be sure.

    Trials had 12 and 20; the cost of 20 is certain enough with some seeds of the search.
    """
    study = add_trials(new_study(), quick)
    data, query = data_of(study, quick), PickQuery(quick, cost_limit=2.4e-4)
    candidates = Analysis(data).to_pick_from()
    proposal = candidates.propose(query)
    assert proposal is not None
    assert (proposal.number, proposal.point.games) == (0, {})
    assert 12 <= proposal.point.params["n_playouts"] <= 24
    found = candidates.pick(query, proposal)
    assert found.chosen is proposal
    assert found.chosen.expected.p_within(2.4e-4) >= 0.95
    text = pick_text(found)
    assert "(untested)" in text
    assert "(95% interval, given 24 games, none of them to validate this θ)" in text
    answer = json.loads(json.dumps(pick_json(found)))
    assert (answer["number"], answer["validated_score"]) == (None, None)
    with pytest.raises(InputError, match=r"no validated points; run thetafront validate s$"):
        candidates.pick(query)


def test_a_proposal_that_has_games_is_the_point(quick: Experiment) -> None:
    study = add_trials(new_study(), quick)
    for n in range(1, 41):  # all of the space
        add_point(study, n, spread(1000 * n, 90, 8), 0.01 * n)
    candidates = Analysis(data_of(study, quick)).to_pick_from()
    proposal = candidates.propose(PickQuery(quick, cost_limit=2.45e-4))
    assert proposal is not None
    assert proposal.number == proposal.point.params["n_playouts"] <= 24
    assert len(proposal.point.games) == 8


def test_points_that_a_constraint_now_forbids_are_left_out(quick: Experiment) -> None:
    study = study_of(THREE)
    add_trials(study, quick)
    few, none = (
        Analysis(data_of(study, quick.as_made(replace(quick.space, constraints=(rule,)), {})))
        for rule in (
            lambda theta: theta["n_playouts"] <= 20,
            lambda theta: theta["n_playouts"] <= 5,
        )
    )
    assert none.data.experiment.baselines == {"four playouts": {"n_playouts": 4}}
    assert [(row["n_playouts"], row["on_front"]) for row in few.rows] == [(10, True), (20, True)]
    query = PickQuery(few.data.experiment, cost_limit=1.0)
    found = few.to_pick_from().pick(query)
    assert (found.chosen.number, found.n_candidates, found.passed_over) == (2, 2, [])
    assert forbidden_line(few.data) == "left out: 1 θ that <lambda>() now forbids"
    assert validated_line(few.data).startswith("2 points; by their own games alone, 2 on the front")
    assert (none.rows, none.data.played_points) == ([], [])
    with pytest.raises(InputError, match="has no validated points that its constraints allow"):
        none.to_pick_from().pick(query)
    assert {theta["n_playouts"] for theta in front_thetas(none)} == {1, 2, 3, 4, 5}
    trials = none.tables["trials"].set_index("n_playouts")
    assert trials.index[trials["on_observed_front"]].tolist() == [1, 3]
    assert trials.index[trials["p_on_front"].notna()].tolist() == [1, 3]
    proposals = Certification(RegretTarget(1e9), Precision(), print).choose(none, is_late=True)
    assert {point.params["n_playouts"] for point in proposals} <= {1, 2, 3, 4, 5} != set()
    gained = [hypervolume_trace(each.data).iloc[-1] for each in (none, few)]
    assert 0.0 < gained[0]["observed"] < 0.8 * gained[1]["observed"]
    assert 0.0 < gained[0]["predicted"] < 0.8 * gained[1]["predicted"]
    captions = [chart.caption for chart in pictured_charts(none).values()]
    assert "Nothing is validated yet." in captions
    assert none.combined is not None
    assert none.combined.n_validated == 3, "the model has all games"


def test_luck_is_passed_over_and_said(quick: Experiment) -> None:
    """Four games of 6,200 stand against trials that say 3,200, whose games differ by 2,000."""
    study = add_trials(new_study(), quick, deviation=2000.0)
    lucky = [2500, 9500, 3200, 9600]
    for n, scores in ((10, lucky), (30, spread(5500, 300, 100))):
        add_point(study, n, scores, 0.01 * n)
    found = picked(study, quick, cost_limit=1.0)
    assert found.chosen.point.params == {"n_playouts": 30}
    ((passed, reason),) = found.passed_over
    assert passed.number == 1
    assert reason.startswith("6,200 in its own games, ")
    assert reason.endswith(f"(number 2: {found.chosen.expected.score.value:,.0f})")
    found = picked(study, quick, score_wanted=5450.0)
    ((_, reason),) = found.passed_over
    assert reason.startswith("6,200 in its own games, ")
    assert reason.endswith("expected (wanted: 5,450)")
    assert f"passed over        number 1, 100 µs:  {reason}" in pick_text(found)


def test_what_was_played_for_a_pick_and_is_worse_is_named(quick: Experiment) -> None:
    data, query = data_of(study_of(THREE), quick), PickQuery(quick, cost_limit=0.0025)
    cheaper, _, dearer = data.points
    found = Analysis(data).to_pick_from().pick(query, None, [dearer.key])
    ((_, reason),) = found.passed_over
    assert re.fullmatch(
        r"[\d,]+ expected, played for this query, within the limit with a probability of only "
        r"0.0\d",
        reason,
    )
    found = Analysis(data).to_pick_from().pick(query, None, [cheaper.key])
    assert "played for this query (number 2: " in found.passed_over[0][1]


@pytest.mark.parametrize(
    ("points", "asked", "message"),
    [
        (THREE, {}, "pick must have exactly one of --max-seconds-per-move and --min-score"),
        (
            THREE,
            {"cost_limit": 1.0, "score_wanted": 1.0},
            "pick must have exactly one of --max-seconds-per-move and --min-score",
        ),
        (THREE, {"cost_limit": 0.0}, r"^CPU time per move must be above 0 \(got 0\)$"),
        (THREE, {"cost_limit": -1.5}, r"^CPU time per move must be above 0 \(got -1.5\)$"),
        (THREE, {"score_wanted": float("nan")}, r"^score must be a number above 0 \(got nan\)$"),
        (THREE, {"score_wanted": float("inf")}, r"^score must be a number above 0 \(got inf\)$"),
        (
            THREE,
            {"cost_limit": 0.0002},
            r"pick: no θ is certain enough to stay within 200 µs \(CPU time per move\); the "
            r"cheapest takes [\d.]+ (ms|µs) ± [\d.]+%, and stays within the limit with",
        ),
        (
            THREE,
            {"score_wanted": 12_345.6},
            r"pick: no θ is expected to reach 12,346 \(score\); the best reaches [78],\d+",
        ),
        ({}, {"cost_limit": 1.0}, "study: 's' has no complete trial yet: nothing to pick from"),
    ],
)
def test_what_cannot_be_picked_is_refused_in_one_line(
    quick: Experiment, points: Any, asked: dict[str, float], message: str
) -> None:
    with pytest.raises(InputError) as refused:
        picked(study_of(points), quick, **asked)
    assert re.search(message, str(refused.value)), refused.value


def test_what_nobody_has_played_is_named_and_never_the_answer(quick: Experiment) -> None:
    """Within 310 µs trials promise 1,000·√31; the points with games take 100 and 400 µs."""
    study = add_trials(new_study(), quick)
    for n, seconds in ((10, 0.1), (40, 0.4)):
        add_point(study, n, spread(round(1000 * math.sqrt(n)), 300), seconds)
    data = data_of(study, quick)
    query = PickQuery(quick, cost_limit=3.1e-4)
    candidates = Analysis(data).to_pick_from()
    prospect = candidates.propose(query)
    assert prospect is not None
    found = candidates.pick(query, prospect)
    assert found.chosen.point.params == {"n_playouts": 10}
    assert found.prospect is prospect
    (line,) = [each for each in pick_text(found).splitlines() if each.startswith("untested")]
    assert f"n {prospect.point.params['n_playouts']} may reach" in line
    assert line.endswith("; `pick` can play it")
    assert pick_text(found, "Model refuted.").splitlines()[-1] == "Model refuted."
    assert pick_json(found, "Model refuted.")["distrust"] == "Model refuted."
    told = pick_json(found)["untested"]
    assert told["params"] == prospect.point.params
    assert told["predicted_score"]["mean"] == prospect.expected.score.value
    too_little = PickQuery(quick, cost_limit=5e-5)
    with (
        called("study.pick()"),
        pytest.raises(InputError, match="an untested θ may meet the query; `pick` can play it"),
    ):
        candidates.pick(too_little, candidates.propose(too_little))
    folder = PublishedStudy(**{each.name: getattr(data, each.name) for each in fields(data)})
    assert to_play_it(folder) == "", "it cannot store games"


@pytest.mark.parametrize(
    ("query", "better"),
    [({"cost_limit": 0.01}, "score"), ({"score_wanted": 7000.0}, "cost")],
)
def test_a_proposal_is_visibly_better(
    quick: Experiment, query: dict[str, float], better: str
) -> None:
    """Otherwise, its games would be played for nothing."""
    candidates, wanted = Analysis(data_of(study_of(THREE), quick)).to_pick_from(), asked(**query)
    best = present(wanted.best(candidates.played))
    for gain, is_visible in ((1e-6, False), (0.01, True)):
        factor = 1.0 + (gain if better == "score" else -gain)
        old = getattr(best.expected, better)
        much = replace(best.expected, **{better: replace(old, value=factor * old.value)})
        untested = Candidate(Point({"n_playouts": 31}), 0, much, Estimate(math.nan))
        vars(candidates).update(anywhere=[untested], ranked=[untested, *candidates.played])
        assert candidates.propose(wanted) is (untested if is_visible else best)


@pytest.mark.parametrize(
    ("name", "theta", "words"),
    [
        (
            "mcmdp",
            {"theta6": 0.5, "theta1": 500, "theta2": 54, "theta3": 18, "theta4": 9, "theta5": 6.25},
            "--theta 500,54,18,9,6.25,0.5",
        ),
        ("mcmdp", {"theta5": 6.25, "min_playouts": 3}, "--set theta5=6.25 --set min_playouts=3"),
        ("dice", {"gamma": 1, "tolerance": 0.5}, "--set gamma=1 --set tolerance=0.5"),
    ],
)
def test_the_command_has_theta_in_order_or_names_a_part_of_it(
    name: str, theta: dict[str, float], words: str
) -> None:
    experiment = EXPERIMENTS[name]
    command = play_command(experiment, theta)
    assert command == f"thetafront play {experiment.player.name} {words}"


def test_the_answer_for_programs(quick: Experiment) -> None:
    found = picked(study_of(THREE), quick, cost_limit=0.0025)
    answer = json.loads(json.dumps(pick_json(found)))
    assert list(answer) == [
        *("number", "params", "origin", "expected_score", "validated_score"),
        *("seconds_per_move", "seconds_per_move_low95", "seconds_per_move_high95"),
        *("p_within_limit", "n_candidates", "passed_over", "untested", "distrust", "command"),
    ]
    score, own = found.chosen.expected.score, THREE[20][1]
    assert answer["expected_score"] == {
        "mean": score.value,
        "low95": score.low,
        "high95": score.high,
        "n_games": 120,
    }
    assert score.high - score.low == pytest.approx(2 * 1.959964 * score.sem, rel=1e-3)
    error = np.std(own, ddof=1) / math.sqrt(40)
    assert answer["validated_score"]["sem"] == pytest.approx(error)
    assert answer["validated_score"]["high95"] == pytest.approx(6000 + 2.022691 * error)
    assert (answer["number"], answer["params"]) == (2, {"n_playouts": 20})
    assert answer["seconds_per_move_low95"] < 0.002 < answer["seconds_per_move_high95"]
    assert answer["p_within_limit"] >= 0.95
    assert answer["command"] == "thetafront play pmcts --theta 20"
    wanted = pick_json(picked(study_of(THREE), quick, score_wanted=5000.0))
    assert wanted["p_reaches_wanted"] > 0.99


def test_the_answer_for_people(quick: Experiment) -> None:
    found = picked(study_of(THREE), quick, cost_limit=0.0025)
    lines = dict(re.split(r"  +", line)[:2] for line in pick_text(found).splitlines())
    score = found.chosen.expected.score
    half = 2.022691 * np.std(THREE[20][1], ddof=1) / math.sqrt(40)
    assert lines["θ"] == "n 20 (number 2, proposal)"
    assert lines["expect"] == (
        f"{score.value:,.0f} ± {(score.high - score.low) / 2:,.0f} points (95% interval, given "
        "120 games, 40 of them to validate this θ)"
    )
    assert lines["validated"] == f"6,000 ± {half:.0f} points (95% interval, from its own 40 games)"
    assert re.fullmatch(
        r"(2.0\d|1.9\d) ms ± [\d.]+%, within 2.50 ms with a probability of \d.\d\d",
        lines["CPU time per move"],
    )
    assert lines["reached"] == "1024 100.0%, 2048 100.0%, 4096 0.0%, 8192 0.0%"
    assert lines["play it"] == "thetafront play pmcts --theta 20"
    few = picked(study_of({**THREE, 20: (2.0, spread(6000, 400, 8))}), quick, cost_limit=0.0025)
    assert "(95% interval, from its own 8 games and the other points' variance)" in pick_text(few)
    alone = picked(study_of({**THREE, 20: (2.0, [6000.0])}), quick, cost_limit=0.0025)
    assert "6,000 ± ? points (1 game, too few for an interval)" in pick_text(alone)
    same = picked(study_of({**THREE, 20: (2.0, [6000] * 30)}), quick, cost_limit=0.0025)
    assert "6,000 ± ? points (30 games, all the same: no interval)" in pick_text(same)
    assert json.loads(json.dumps(pick_json(alone), allow_nan=False))["validated_score"] == {
        "mean": 6000.0,
        "sem": None,
        "low95": None,
        "high95": None,
        "n_games": 1,
    }
    text = pick_text(picked(study_of(THREE), quick, score_wanted=5000.0))
    assert "; reaches 5,000 with a probability of 1.00)" in text


def test_what_is_expected_is_hardly_luckier_for_having_been_chosen(quick: Experiment) -> None:
    """Eight points that differ little, 12 games each, in 40 studies.

    True means scatter by 600 about 20,000, far less than the standard errors of 1,443, so that the
    best of the means is too good by some 1.4 of these. What is expected of it is so by a third of
    that at most, though no trials say more.
    """
    rng = np.random.default_rng(20)
    errors, naive = [], []
    for _ in range(40):
        truth = rng.normal(20_000.0, 600.0, 8)
        scores = [np.rint(rng.normal(mean, 5000.0, 12)).astype(int) for mean in truth]
        points = {4 * n + 4: (n + 1.0, row.tolist()) for n, row in enumerate(scores)}
        found = picked(study_of(points), quick, cost_limit=1.0).chosen
        true = truth[found.point.params["n_playouts"] // 4 - 1]
        errors.append(found.expected.score.value - true)
        naive.append(max(row.mean() for row in scores) - true)
    assert np.mean(naive) > 1500.0
    assert abs(np.mean(errors)) < 0.35 * np.mean(naive)


def test_exact_values_are_what_they_are(solver: Experiment) -> None:
    study = new_study()
    for sweeps, score in ((5, 12.0), (9, 13.0)):
        store_point(study, {"sweeps": sweeps}, {0: SolvedGame(1, score, 1, 1e-5 * sweeps, sweeps)})
    exact = solver.by("n_sweeps")
    found = picked(study, exact, cost_limit=math.nextafter(5.0, 0.0))
    assert found.chosen.point.params == {"sweeps": 5}
    assert found.chosen.expected.score.value == 12.0
    assert "12.00000 points (exact)" in pick_text(found)
    assert picked(study, exact, score_wanted=12.5).chosen.point.params == {"sweeps": 9}


def test_the_command_for_a_theta_with_words_plays_it(words: Experiment) -> None:
    values = {"n_simulations": 5, "leaf_value": "weights_a", "exploration": 123.456789}
    study = new_study()
    games = {r: Game2048(r, 900 + r, 100, 0.1, 10_000, 256, 0) for r in range(4)}
    store_point(study, values, games, "trial 3")
    found = picked(study, words, cost_limit=0.01)
    command = play_command(words, found.chosen.point.params)
    assert command == (
        "thetafront play uct --set n_simulations=5 --set leaf_value=weights_a "
        "--set exploration=123.456789"
    )
    agent, _ = build_agent("uct", None, command.split()[4::2])
    assert agent == words.build(values)
    assert "m 5, U weights_a, c 123.457 (number 1, trial 3)" in pick_text(found)
    answer = json.loads(json.dumps(pick_json(found)))
    assert (answer["params"], answer["command"]) == (values, command)


def test_a_win_rate_stays_a_share(coin: Experiment) -> None:
    """Ten wins of ten are expected to be at most 100%."""
    study = new_study()
    for effort, digits in {5: "1010001001", 50: "1111111111"}.items():
        games = {
            r: CoinGame(500_000 + r, 0.0, 10, 1e-5 * effort, digit == "1", 10 * effort)
            for r, digit in enumerate(digits)
        }
        store_point(study, {"effort": effort}, games)
    found = picked(study, coin, cost_limit=1.0)
    assert found.chosen.point.params == {"effort": 50}
    score = found.chosen.expected.score
    assert 0.0 <= score.low < score.value <= score.high <= 1.0
    assert "validated          100.0% (72.2% to 100.0%)" in pick_text(found)
