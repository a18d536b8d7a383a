"""Plans against cases that are worked out by hand."""

import io
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from tests.study.made_studies import add_point, add_trials, data_of, new_study, spread
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives.goals import EXACT_SCORE, SCORE
from thetafront.study.model.study_model import fit_study
from thetafront.study.report.analysis import Analysis
from thetafront.study.run.allocation import FIRST_GAMES, Played, next_round
from thetafront.study.run.dispatch import Dispatch
from thetafront.study.run.plan import (
    SECONDS_A_PROPOSAL,
    GameTimes,
    Pace,
    Plan,
    Planner,
    drawn_towards,
    games_after,
    guess_typical,
    make_plan,
)
from thetafront.study.run.progress import ProgressDisplay
from thetafront.study.run.settings import SearchSettings
from thetafront.study.run.source import TaskList
from thetafront.study.run.stopping import Precision
from thetafront.study.run.workers import Workers

PACE = Pace(jobs=2, wall_seconds=1.25)  # a CPU second of games takes 0.625 s


def points(
    n: Sequence[float], wanted: Sequence[float], seconds: Sequence[float], deviation: float = 100.0
) -> Played:
    k = len(n)
    mean, columns = np.linspace(1000.0, 1100.0, k), (np.array(each, float) for each in (n, seconds))
    return Played(mean, np.full(k, deviation**2), *columns, np.ones(k), np.array(wanted, float))


NOTHING = points([], [], [])


def two_workers() -> Dispatch[int]:
    """Return a loop whose games are counted by hand."""
    display = ProgressDisplay(Console(file=io.StringIO()))
    return Dispatch(TaskList([], print), Workers(2), display)


def test_trials_are_begun_until_the_limit_and_finished() -> None:
    """8, 16 and 24 CPU seconds of games take 5, 10 and 15 s."""
    trials = np.array([8.0, 16.0, 24.0])
    for limit, n, seconds in [(0.0, 0, 0.0), (4.9, 1, 5.0), (5.1, 2, 15.0), (math.inf, 3, 30.0)]:
        plan = Plan.from_trials(10, trials, 4, NOTHING, PACE, limit, math.inf)
        assert (plan.n_trials, plan.n_search_games) == (10 + n, 4 * n)
        assert plan.search_seconds == pytest.approx(seconds)
        assert (plan.validation_seconds, plan.n_validation_games) == (0.0, 0)


def test_without_a_limit_all_points_get_what_they_want() -> None:
    wanted = points([0, 50], [100, 200], [1.0, 2.0])
    plan = Plan.from_trials(3, np.zeros(0), 4, wanted, PACE, 0.0, math.inf)
    assert (plan.n_trials, plan.n_search_games, plan.search_seconds) == (3, 0, 0.0)
    assert (plan.n_validation_games, plan.n_points_games) == (250, 300)
    assert plan.validation_seconds == pytest.approx(0.625 * (100 * 1.0 + 150 * 2.0))
    assert plan.standard_errors == pytest.approx([100 / math.sqrt(200), 10.0])
    assert "2 points validated with 250 games in" in plan.text(SCORE), "a number that is known"


def test_the_first_games_of_points_are_shared_out_evenly() -> None:
    """Half of the time of the first games gives half of them."""
    wanted = points([0, 0], [1000, 1000], [1.0, 3.0])
    seconds = FIRST_GAMES * (1.0 + 3.0)
    assert games_after(wanted, seconds / 2) == pytest.approx([FIRST_GAMES / 2] * 2)
    assert games_after(wanted, seconds) == pytest.approx([FIRST_GAMES] * 2)


def test_later_games_follow_the_rule_of_validation_and_spend_all_the_time() -> None:
    wanted = points([30, 40, 50], [20000] * 3, [0.1, 0.2, 0.4])
    first = next_round(wanted)
    assert games_after(wanted, wanted.seconds_of(first)) == pytest.approx(wanted.n + first)
    for seconds in (1.0, 100.0, 700.0):
        n = games_after(wanted, seconds) - wanted.n
        assert wanted.seconds_of(n) == pytest.approx(seconds)
        assert np.all(n >= 0.0)


def test_what_the_search_leaves_of_a_budget_is_for_validation() -> None:
    trials = np.full(100, 16.0)  # 10 s per trial
    plan = Plan.from_trials(0, trials, 4, points([20], [20000], [1.0]), PACE, 50.0, 100.0)
    assert (plan.n_trials, plan.search_seconds) == (5, pytest.approx(50.0, abs=10.0))
    assert plan.search_seconds + plan.validation_seconds == pytest.approx(100.0)
    assert plan.n_validation_games == round(plan.validation_seconds / 0.625)
    assert (
        "plan: 5 trials in all, with 20 more games in 50 s; 1 point validated in 50 s: "
        in plan.text(SCORE)
    )
    assert plan.text(EXACT_SCORE).endswith("in 50 s"), "without a standard error"


@pytest.mark.parametrize(
    ("games", "differs"), [(100, False), (149, False), (151, True), (66, True)]
)
def test_a_plan_is_printed_again_if_it_ends_otherwise(games: int, differs: bool) -> None:
    """40 s later it is the same if what is left has become 40 s less."""
    before = Plan(128, 60.0, 512, 100.0, 100, 100, np.array([10.0]))
    after = Plan(128, 20.0, 200, 100.0, games, games, np.array([10.0]))
    assert after.differs_from(before, 40.0) is differs
    assert after.differs_from(before, 400.0)
    open_before, open_after = (replace(each, ends_by_time=True) for each in (before, after))
    assert not open_after.differs_from(open_before, 40.0), "as long, as precise"


def test_time_between_tasks_counts_beside_that_of_games(quick: Experiment) -> None:
    """Of 100 tasks of 10 ms, 5 ms of them in the game, a worker of two waits 30 ms after each."""
    dispatch = two_workers()
    for worker in (0.0, 0.01):
        for k in range(50):
            dispatch.utilization.add(worker + 0.04 * k, worker + 0.04 * k + 0.01, 0.01)
            dispatch.game_seconds += 0.005
    pace = Pace.measured(dispatch)
    assert (pace.jobs, pace.wall_seconds) == (2, pytest.approx(2.0))
    assert pace.idle_seconds == pytest.approx(0.03, rel=0.03)
    study = new_study()
    add_trials(study, quick)
    data = data_of(study, quick)
    model = fit_study(data)
    assert model is not None
    theta = [trial.params for trial in data.trials]
    alone = GameTimes(data, model).at(theta)
    assert GameTimes(data, model, pace.overhead).at(theta) == pytest.approx(alone + 0.015, rel=0.05)


def test_the_plan_of_a_study_goes_by_its_games(quick: Experiment) -> None:
    """Eight trials of n playouts, n ms per game: the next eight and the points are in between."""
    study = new_study()
    add_trials(study, quick)
    data = data_of(study, quick)
    settings = SearchSettings(n_trials=16, n_replicates=3)
    precision = Precision(500.0, 100, 2)
    plan = make_plan(Analysis(data), settings, precision, Pace(1, 1.0), math.inf, math.inf)
    assert plan is not None
    assert (plan.n_trials, plan.n_search_games) == (16, 24)
    assert plan.search_seconds == pytest.approx(8 * SECONDS_A_PROPOSAL), "games are shorter"
    n_points = len(plan.standard_errors)
    assert 2 <= n_points <= 5
    assert plan.n_validation_games == plan.n_points_games == 100 * n_points
    assert 100 * n_points * 0.001 < plan.validation_seconds < 100 * n_points * 0.04

    add_point(study, 4, spread(2000, 300), 4 / 100)
    again = make_plan(Analysis(data_of(study, quick)), None, precision, Pace(1, 1.0), 0.0, math.inf)
    assert again is not None
    assert (again.n_trials, again.n_search_games) == (8, 0)
    assert again.n_validation_games == again.n_points_games - 100, "the baseline's are there"


def test_nothing_is_planned_without_a_complete_trial(quick: Experiment) -> None:
    data = data_of(new_study(), quick)
    assert (
        make_plan(Analysis(data), SearchSettings(), Precision(), PACE, math.inf, math.inf) is None
    )


def test_times_of_few_trials_are_drawn_towards_a_guess() -> None:
    """A mean of 2 s per game by the model, 4 s by the guess: √8 s if nothing is known, then 2 s."""
    given = points([0, 0], [100, 100], [1.0, 3.0])
    for trust, seconds in ((0.0, [2**0.5, 3 * 2**0.5]), (1.0, [1.0, 3.0])):
        found = drawn_towards(given, 4.0, trust, math.inf)
        assert found.seconds == pytest.approx(seconds)
    quarter = drawn_towards(given, 4.0, 0.5, math.inf)
    assert quarter.seconds_of(given.limit) == pytest.approx(400.0 * 2**0.25)
    complete = points([100, 100], [100, 100], [1.0, 3.0])
    assert drawn_towards(complete, 4.0, 0.0, math.inf) is complete


def test_a_typical_game_is_dearer_than_those_of_the_design() -> None:
    """Means 2.5 and 2 of 1 and 4 s: 1.8 √5."""
    assert guess_typical(np.array([1.0, 4.0])) == pytest.approx(1.8 * 5.0**0.5)


def test_a_plan_without_time_for_validation_says_so() -> None:
    """Ten seconds of search fill the limit; no standard error is promised."""
    plan = Plan.from_trials(
        0, np.array([20.0]), 4, points([0, 0], [10, 10], [1.0, 1.0]), Pace(2, 1.0), 10.0, 10.0
    )
    assert (
        plan.text(SCORE)
        == "plan: 1 trial in all, with 4 more games in 10 s; no time for validation"
    )


def test_short_games_wait_for_proposals() -> None:
    """A hundred trials of a millisecond take as long as a hundred proposals."""
    plan = Plan.from_trials(0, np.full(100, 1e-3), 4, NOTHING, PACE, math.inf, math.inf)
    assert plan.search_seconds == pytest.approx(100 * SECONDS_A_PROPOSAL)


def test_the_pace_of_a_phase_is_that_before_until_enough_games_are_timed() -> None:
    """Workers that start are idle at first, which would look like a slow machine."""
    planner, starting = Planner(), two_workers()
    starting.utilization.add(10.0, 11.0, 1.0)
    starting.utilization.add(13.0, 14.0, 1.0)
    starting.game_seconds = 1.0
    # Two tasks of a second in four seconds of two workers, and perhaps one more in flight.
    assert planner.measure_pace(starting) == Pace(2, 2.0, idle_seconds=2.5)
    assert planner.pace is None, "not enough for the next phase to go by"
    planner.pace = Pace(1, 1.5)
    assert planner.measure_pace(starting) == Pace(2, 1.5)
    starting.game_seconds = 60.0
    assert planner.measure_pace(starting) == Pace.measured(starting)
    starting.utilization.add(30.0, 31.0, 1.0)  # the next proposal took long
    assert planner.measure_pace(starting).idle_seconds == 2.5, "the least seen"
