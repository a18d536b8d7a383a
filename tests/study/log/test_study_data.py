import json
from dataclasses import replace

import numpy as np
import pytest

from tests.study.external_games import compressor, fill, record_of
from tests.study.made_studies import (
    add_point,
    add_trials,
    data_of,
    new_study,
    spread,
    store_trial,
    stored_games,
)
from thetafront.agents.agent import FailedGame
from thetafront.agents.external.report import ReportedGame
from thetafront.agents.twenty48.agent import Game2048
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.failures import left_out_text
from thetafront.study.experiments.objectives.goals import exact
from thetafront.study.log import log, study_data
from thetafront.study.log.location import locate
from thetafront.study.log.log import RECORD, event
from thetafront.study.log.point import Point
from thetafront.study.log.seeds import search_seed
from thetafront.study.log.study_data import StudyData, frozen, read_point
from thetafront.study.log.tables import SEARCH, VALIDATION
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.export import write_tables
from thetafront.study.report.front_tables import front_table
from thetafront.study.run.search import Search
from thetafront.study.run.settings import SearchSettings
from thetafront.study.run.workers import Finished
from thetafront.study.samplers.observations import Objectives

__all__ = ["compressor"]


def test_an_export_parses_each_game_once(
    quick: Experiment, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = new_study()
    add_trials(study, quick)
    add_point(study, 5, spread(10_000, 1000), 1.0)
    n_parsed = 0

    def parse(row, kind):
        nonlocal n_parsed
        n_parsed += 1
        return log.row_to_outcome(row, kind)

    monkeypatch.setattr(study_data, "row_to_outcome", parse)
    location = locate("s", tmp_path, None)
    write_tables(Analysis(data_of(study, quick)), location, location.folder)
    assert n_parsed == 8 * 3 + 100


def test_samplers_know_the_moments_of_a_trial_s_samples(
    quick: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it ends now, or was read."""
    study = new_study(quick)
    games = [Game2048(r, 1000 + 400 * r * r, 100, 0.1, 5000, 64, 0) for r in range(3)]
    settings = SearchSettings(n_replicates=3, sampler="random")
    search = Search(quick, study, settings, 1, print)
    ended: list[Point] = []
    monkeypatch.setattr(search, "learn", ended.append)
    search.begin(Point({"n_playouts": 7}, number=0))
    for r, game in enumerate(games):
        assert (search.n_complete, ended) == (0, [])
        search.record(Finished((0, (r,)), (game,)))
    search.close()
    (stored,) = data_of(study, quick).frozen_trials
    scores = quick.goal.samples(games)
    told = {"moments:score": [3, scores.mean(), scores.var() * 3]}
    assert stored.user_attrs == {"origin": "design", **told}
    (trial,) = ended
    distributions = quick.space.distributions()
    assert frozen(trial, distributions, quick).user_attrs == stored.user_attrs
    assert trial.values == tuple(stored.values)
    assert Objectives.from_experiment(quick).noise([stored])[0, 0] > 0
    assert stored_games(study) == {"trial 0": dict(enumerate(games))}


@pytest.mark.parametrize("penalty", [None, 0.0])
def test_a_trial_is_complete_by_its_games(compressor: Experiment, penalty: float | None) -> None:
    """Three are asked for; one that fails is replaced, unless it counts with a penalty."""
    game, failed = compressor.build({"level": 7}).play(7), FailedGame(8, "it failed")
    outside = replace(compressor, goal=replace(compressor.goal, penalty=penalty), max_failures=0.9)
    rows = [log.game_row((SEARCH, 0), r, each) for r, each in enumerate([game, failed, game])]
    point = log.point_row(SEARCH, 0, {"level": 7}, "random", 3)
    found = read_point(point, rows[:2], "", outside, {})
    assert (found.state, found.values) == ("running", None)
    found = read_point(point, rows, "", outside, {})
    assert found.state == ("running" if penalty is None else "complete")
    found = read_point(point, [*rows, log.game_row((SEARCH, 0), 3, game)], "", outside, {})
    assert (found.state, sorted(found.failures)) == ("complete", [1])
    found = read_point(point, rows, "a reason", outside, {})
    assert (found.state, found.error, found.values) == ("fail", "a reason", None)


def test_a_point_is_left_out_by_its_games(compressor: Experiment) -> None:
    """Also if the event that says so is lost."""
    failed = FailedGame(8, "it failed")
    rows = [log.game_row((VALIDATION, 0), r, failed) for r in range(5)]
    rows.append(log.game_row((VALIDATION, 0), 5, compressor.build({"level": 7}).play(7)))
    point = log.point_row(VALIDATION, 0, {"level": 7}, "proposal")
    found = read_point(point, rows, "", compressor, {})
    assert found.error == left_out_text(found.failures, 1)
    patient = replace(compressor, max_failures=0.95)
    assert not read_point(point, rows, found.error, patient, {}).error


def test_few_of_many_trials_near_the_front_are_measured(
    compressor: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The best come first."""
    exactly = replace(compressor, goal=exact("ratio"), cost=compressor.costs[1])
    study = new_study()
    fill(study, exactly)
    monkeypatch.setattr(study_data, "near_front", lambda scores, *_: np.ones(len(scores), bool))
    all_of_them = StudyData.read(study, exactly).known_points
    monkeypatch.setattr(study_data, "MAX_NEAR", 3)
    data = StudyData.read(study, exactly)
    validated = {each.key for each in data.points}
    few = [each for each in data.known_points if each.key not in validated]
    assert len(few) <= 3 < len(all_of_them) - len(validated)
    assert min(each.params["level"] for each in data.known_points) == 1, "the fastest"
    slow = replace(exactly.space, constraints=(lambda theta: theta["level"] > 1,))
    allowed = StudyData.read(study, exactly.as_made(slow, {})).known_points
    assert min(each.params["level"] for each in allowed) > 1
    assert len(allowed) > 1, "a trial that a constraint now forbids beats no other"


def test_of_trials_with_the_same_score_and_cost_the_first_is_on_the_front(
    compressor: Experiment,
) -> None:
    counts = replace(compressor, goal=exact("ratio"), cost=compressor.costs[0], baselines={})
    study = new_study()
    study.write(event(RECORD, **record_of(counts).as_data()))
    for number, (level, ratio, energy) in enumerate(
        [(1, 2.0, 7), (2, 1.0, 5), (3, 2.0, 7), (4, 1.0, 5), (5, 1.0, 6), (6, 3.0, 9), (7, 2.0, 7)]
    ):
        game = ReportedGame(search_seed(0, number, 0), ratio, 1, 0.1, {"energy": energy})
        store_trial(study, counts, {"level": level}, [game])
    known = StudyData.read(study, counts).known_points
    assert [each.params["level"] for each in known] == [1, 2, 6]
    rows = Analysis(StudyData.read(study, counts)).rows
    assert [(row["level"], row["on_front"]) for row in rows] == [(2, True), (1, True), (6, True)]
    assert "only the first is listed" in str(front_table(rows, counts).caption)


def test_games_are_read_once(quick: Experiment) -> None:
    study = new_study(quick)
    add_trials(study, quick)
    add_point(study, 7, [1000, 2000], 1.0)
    before = data_of(study, quick)
    add_point(study, 12, [3000, 4000], 2.0)
    after = StudyData.read(study, quick, before)
    assert after == data_of(study, quick)
    assert after.trials[0].games[0] is before.trials[0].games[0]
    assert after.points[0].games[1] is before.points[0].games[1]


def test_a_reference_point_is_given_or_a_little_worse_than_all_complete_trials(
    quick: Experiment,
) -> None:
    """1,000 and 2,000 points at 0.1 ms and 10 ms: 900 points at 10^−1.8 s."""
    without = replace(quick, reference_score=None, reference_costs={})
    study = new_study()
    assert data_of(study, without).reference is None
    for n, score, cost in ((1, 1000, 1e-4), (2, 2000, 1e-2), (3, 500, 0.0)):
        games = [Game2048(n, score, 100, 100 * cost, 5000, 64, 0)]
        store_trial(study, quick, {"n_playouts": n}, games)
    store_trial(study, quick, {"n_playouts": 7}, [], n_games=3)
    assert data_of(study, without).reference == pytest.approx((900.0, 10.0**-1.8))
    assert data_of(study, quick).reference == quick.reference_point == (0.0, 0.01)


def test_what_has_no_trial_yet_is_exported_without_a_reference_point(
    quick: Experiment, tmp_path
) -> None:
    without = replace(quick, reference_score=None, reference_costs={})
    location = locate("s", tmp_path, None)
    write_tables(Analysis(data_of(new_study(), without)), location, location.folder)
    manifest = json.loads((location.folder / "manifest.json").read_text())
    assert manifest["reference_point"] == {"score_points": None, "seconds_per_move": None}
