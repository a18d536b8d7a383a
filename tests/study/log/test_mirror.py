"""The mirror: optuna shows a study as it is, and what is deleted comes back."""

from dataclasses import replace
from pathlib import Path

import optuna
import pytest
from optuna.trial import TrialState

from tests.study.conftest import QUICK
from tests.study.made_studies import add_trials, data_of, new_study_in, record_of, store_trial
from thetafront.study.log.log import Log
from thetafront.study.log.mirror import Mirror, drop_tables, mirrored
from thetafront.study.log.point import COMPLETE, FAIL, Point


@pytest.fixture
def log(tmp_path: Path) -> Log:
    """Eight complete trials, one that is running, one that failed."""
    log = new_study_in(tmp_path, record_of(QUICK))
    add_trials(log, QUICK)
    store_trial(log, QUICK, {"n_playouts": 9}, [], "nehvi", n_games=3)
    store_trial(log, QUICK, {"n_playouts": 5}, [], "nehvi", "no luck", n_games=3)
    return log


def trials_of(log: Log) -> list[Point]:
    return data_of(log, QUICK).trials


def shown(log: Log) -> list[tuple[object, ...]]:
    study = optuna.load_study(study_name="s", storage=str(log.engine.url))
    assert study.metric_names == ["score_mean_points", "seconds_per_move"]
    assert [each.name for each in study.directions] == ["MAXIMIZE", "MINIMIZE"]
    return [
        (each.number, each.state.name.lower(), each.params, each.values, each.user_attrs)
        for each in study.trials
    ]


def expected(trials: list[Point]) -> list[tuple[object, ...]]:
    return [
        (
            each.number,
            each.state,
            each.params,
            list(each.values) if each.values else None,
            {"origin": each.origin, **({"error": each.error} if each.error else {})},
        )
        for each in trials
    ]


def test_optuna_shows_the_trials_of_the_log(log: Log) -> None:
    mirrored(log, QUICK, trials_of(log))
    assert shown(log) == expected(trials_of(log))
    mirrored(log, QUICK, trials_of(log))
    assert len(shown(log)) == 10


def test_it_grows_a_trial_at_a_time_and_open_ones_end_later(log: Log) -> None:
    trials = trials_of(log)
    mirror = Mirror(log, QUICK, [])
    mirror.step()
    for number, trial in enumerate(trials, 1):
        mirror.put(trial)
        while mirror.is_behind:
            mirror.step()
        n = number if trial.state in {COMPLETE, FAIL} else number - 1
        assert shown(log) == expected(trials)[:n], "one that is open waits for a later one"
    assert mirror.open == {8}
    ended = replace(trials[8], values=(1.5, 2.5))
    mirror.put(ended)
    mirror.complete()
    assert shown(log)[8][1:4] == ("complete", {"n_playouts": 9}, [1.5, 2.5])


def test_it_continues_where_a_kill_has_left_it(log: Log) -> None:
    trials = trials_of(log)
    mirror = Mirror(log, QUICK, trials)
    for _ in range(4):
        mirror.step()
    assert len(shown(log)) == 3
    mirrored(log, QUICK, trials)
    assert shown(log) == expected(trials)


def change_a_value(log: Log) -> None:
    with log.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE trial_values SET value = 7 WHERE trial_id = 3")


def delete_it(log: Log) -> None:
    optuna.delete_study(study_name="s", storage=str(log.engine.url))


def add_a_trial(log: Log) -> None:
    study = optuna.load_study(study_name="s", storage=str(log.engine.url))
    study.add_trial(optuna.trial.create_trial(state=TrialState.FAIL))


def forget_the_mark(log: Log) -> None:
    with log.engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM study_user_attributes")


@pytest.mark.parametrize(
    "damage",
    [change_a_value, delete_it, add_a_trial, forget_the_mark, lambda log: drop_tables(log.engine)],
)
def test_one_that_does_not_fit_is_made_anew(log: Log, damage: object) -> None:
    mirrored(log, QUICK, trials_of(log))
    damage(log)  # type: ignore[operator]
    mirrored(log, QUICK, trials_of(log))
    assert shown(log) == expected(trials_of(log))
    assert optuna.get_all_study_names(str(log.engine.url)) == ["s"]
