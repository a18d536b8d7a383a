import optuna
import pytest
from optuna.storages import InMemoryStorage

from agents.twenty48.agent import Game2048
from study.experiments.definition import Experiment
from study.report.export import export
from study.shrinkage import Moments
from study.store import seeds, trial_games, validated_points
from study.store.location import locate
from study.store.study_model import objectives_of
from study.store.trial_games import MOMENTS_PREFIX, TrialBatch, games_of, moments_of
from tests.study.made_studies import add_point, add_trials, data_of, new_study, spread

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
    export(data_of(study, quick), location, location.folder)
    assert n_parsed == 8 * 3 + 100


def test_a_complete_trial_keeps_the_moments_of_its_samples(quick: Experiment) -> None:
    storage = InMemoryStorage()
    study = optuna.create_study(directions=["maximize", "minimize"], storage=storage)
    trial = study.ask(quick.space.distributions())
    games = [Game2048(r, 1000 + 400 * r * r, 100, 0.1, 5000, 64, 0) for r in range(3)]
    batch = TrialBatch(quick.build({}), {}, 3, storage, 0, trial._trial_id, quick.cost, quick.goal)
    assert [batch.add(r, game) for r, game in enumerate(games)] == [False, False, True]
    batch.complete()
    (stored,) = study.trials
    name = MOMENTS_PREFIX + "score"
    scores = quick.goal.samples(games)
    assert stored.user_attrs[name] == [3, scores.mean(), scores.var() * 3]
    assert moments_of(stored, quick.goal) == Moments.of(scores)
    noise = objectives_of(quick).noise([stored])
    del stored.user_attrs[name]  # as an earlier revision stored it
    assert moments_of(stored, quick.goal) == Moments.of(scores)
    assert objectives_of(quick).noise([stored])[0, 0] == noise[0, 0] > 0
    assert games_of(stored) == dict(enumerate(games))
