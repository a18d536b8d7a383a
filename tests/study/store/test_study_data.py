import json
from dataclasses import replace
from datetime import datetime

import pytest
from optuna.trial import TrialState, create_trial

from tests.study.made_studies import (
    add_point,
    add_trials,
    data_of,
    new_study,
    spread,
    store_trial,
    stored_games,
    writable_study,
)
from thetafront.agents.twenty48.agent import Game2048
from thetafront.study.errors import DamageError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.model.study_model import objectives_of
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.export import write_tables
from thetafront.study.run.open_trials import OpenTrials
from thetafront.study.run.proposer import Proposal
from thetafront.study.run.settings import SearchSettings
from thetafront.study.run.workers import Finished
from thetafront.study.shrinkage import Moments
from thetafront.study.store import seeds, trial_games, validated_points
from thetafront.study.store.location import locate
from thetafront.study.store.study_data import read_trial
from thetafront.study.store.trial_games import MOMENTS_PREFIX, moments_of

pytestmark = pytest.mark.usefixtures("one_thread")  # more are slower on small matrices


def test_an_export_parses_each_game_once(
    quick: Experiment, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = new_study()
    add_trials(study, quick)
    add_point(study, 5, spread(10_000, 1000), 1.0)
    n_parsed = 0

    def parse(record, kind):
        nonlocal n_parsed
        n_parsed += 1
        return seeds.record_to_game(record, kind)

    for module in (trial_games, validated_points):
        monkeypatch.setattr(module, "record_to_game", parse)
    location = locate("s", tmp_path, None)
    write_tables(Analysis(data_of(study, quick)), location, location.folder)
    assert n_parsed == 8 * 3 + 100


def test_a_complete_trial_keeps_the_moments_of_its_samples(quick: Experiment) -> None:
    study = writable_study()
    games = [Game2048(r, 1000 + 400 * r * r, 100, 0.1, 5000, 64, 0) for r in range(3)]
    trials = OpenTrials(quick, study, SearchSettings(n_replicates=3, sampler="random"))
    assert trials.begin([Proposal(0, {"n_playouts": 7}, {})]) == []
    ended = [trials.record(Finished((0, (r,)), (game,))) for r, game in enumerate(games)]
    assert [trial is None for trial in ended] == [True, True, False]
    trials.writer.close()
    (stored,) = study.trials
    name = MOMENTS_PREFIX + "score"
    scores = quick.goal.samples(games)
    assert stored.user_attrs[name] == [3, scores.mean(), scores.var() * 3]
    assert moments_of(stored, quick.goal) == Moments.of(scores)
    noise = objectives_of(quick).noise([stored])
    del stored.user_attrs[name]  # as an earlier revision stored it
    again = OpenTrials(quick, study, SearchSettings(n_replicates=3, sampler="random"))
    assert again.resume(stored) is None
    assert again.moments == {0: Moments.of(scores)}
    assert objectives_of(quick, again.moments).noise([stored])[0, 0] == noise[0, 0] > 0
    assert stored_games(study, stored) == dict(enumerate(games))
    assert set(stored.user_attrs) == {"origin"}, "no game is among the attributes"


def test_a_reference_point_is_given_or_a_little_worse_than_all_complete_trials(
    quick: Experiment,
) -> None:
    """1,000 and 2,000 points at 0.1 ms and 10 ms: 900 points at 10^−1.8 s."""
    without = replace(quick, reference_score=None, reference_costs={})
    study = new_study()
    assert data_of(study, without).reference is None
    for n, score, cost in ((1, 1000, 1e-4), (2, 2000, 1e-2), (3, 500, 0.0)):
        games = [Game2048(n, score, 100, 100 * cost, 5000, 64, 0)]
        store_trial(study, quick, {"n_playouts": n}, games, cost)
    study.enqueue_trial({"n_playouts": 7})
    study.ask(quick.space.distributions())
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


def test_a_trial_that_ends_between_two_queries_is_still_running(quick: Experiment) -> None:
    """Its values are read, its state was read before."""
    now = datetime(2026, 1, 1)
    trial = create_trial(values=[1.0, 2.0])
    trial.state, trial.datetime_complete = TrialState.RUNNING, None
    found = read_trial(trial, quick, {}, {})
    assert (found.state, found.values) == ("running", None)
    trial.datetime_complete = now
    with pytest.raises(DamageError, match="an end given, none expected of a trial that is RUNNING"):
        read_trial(trial, quick, {}, {})
