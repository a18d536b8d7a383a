"""What the writer writes is what optuna itself would have written."""

import math
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
    distribution_to_json,
)
from optuna.storages import RDBStorage
from optuna.trial import FrozenTrial, TrialState, create_trial
from sqlalchemy import text

from tests.study.conftest import CoinGame
from thetafront.study.store.games_table import GAMES, SEARCH, StoredGames
from thetafront.study.store.storage import in_memory
from thetafront.study.store.upsert import write_rows
from thetafront.study.store.writer import StudyWriter
from thetafront.study.store.writes import (
    OF_STUDY,
    BegunTrial,
    EndedTrial,
    PlayedGame,
    StudyAttribute,
    Write,
)

DISTRIBUTIONS: dict[str, BaseDistribution] = {
    "width": FloatDistribution(0.5, 8.0, log=True),
    "depth": IntDistribution(1, 9),
    "leaf": CategoricalDistribution(("score", "random")),
}
PARAMS = [
    {"width": 0.5 + number, "depth": 1 + number, "leaf": ("score", "random")[number % 2]}
    for number in range(5)
]
NOTES = {"nsga2:generation": 3, "nsga2:parents": [1, 2]}
MOMENTS = {"moments:score": [2, 1.5, 0.25]}
VALUES = [(1.5, 0.25), (math.inf, 2.0), (-math.inf, 1e-300)]


def new(storage: RDBStorage) -> optuna.Study:
    """A study with two trials that wait, as a design leaves them."""
    study = optuna.create_study(storage=storage, directions=["maximize", "minimize"])
    for params in PARAMS[:2]:
        study.enqueue_trial(params, user_attrs={"origin": "design"})
    return study


def by_optuna(study: optuna.Study, storage: RDBStorage) -> None:
    """Begin five trials, complete three of them, fail one, as the search did by optuna."""
    for number, params in enumerate(PARAMS):
        if number < 2:
            row = storage.get_trial_id_from_study_id_trial_number(study._study_id, number)
            storage.set_trial_state_values(row, TrialState.RUNNING)
            for name, each in DISTRIBUTIONS.items():
                storage.set_trial_param(row, name, each.to_internal_repr(params[name]), each)
            for key, note in NOTES.items():
                storage.set_trial_system_attr(row, key, note)
        else:
            template = create_trial(
                state=TrialState.RUNNING,
                params=params,
                distributions=DISTRIBUTIONS,
                user_attrs={"origin": "nehvi"},
                system_attrs=NOTES,
            )
            row = storage.create_new_trial(study._study_id, template)
        if number < 3:
            for key, value in MOMENTS.items():
                storage.set_trial_user_attr(row, key, value)
            storage.set_trial_state_values(row, TrialState.COMPLETE, VALUES[number])
        elif number == 3:
            storage.set_trial_user_attr(row, "error", "no luck")
            storage.set_trial_state_values(row, TrialState.FAIL)
    study.set_user_attr("point:a", {"origin": "proposal"})


def writes() -> list[Write]:
    """The same, as writes."""
    begun: list[Write] = []
    for number, params in enumerate(PARAMS):
        written_as = {
            name: (each.to_internal_repr(params[name]), distribution_to_json(each))
            for name, each in DISTRIBUTIONS.items()
        }
        begun.append(BegunTrial(number, written_as, "nehvi", NOTES))
    ended = [EndedTrial(number, VALUES[number], MOMENTS) for number in range(3)]
    return [
        *begun,
        *ended,
        EndedTrial(3, None, {"error": "no luck"}),
        StudyAttribute("point:a", {"origin": "no one"}),
        StudyAttribute("point:a", {"origin": "proposal"}),
    ]


def known(trial: FrozenTrial) -> dict[str, Any]:
    """All that optuna reads of a trial but its identifier and times."""
    found = dict(vars(trial))
    for name in ("_trial_id", "_datetime_start", "datetime_complete"):
        found.pop(name)
    return found


def rows_of(storage: RDBStorage) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of optuna's tables without identifiers of rows, and without times."""
    queries = {
        "trials": "SELECT number, state, datetime_start IS NULL, datetime_complete IS NULL",
        "trial_params": "SELECT trial_id, param_name, param_value, distribution_json",
        "trial_values": "SELECT trial_id, objective, value, value_type",
        "trial_user_attributes": "SELECT trial_id, key, value_json",
        "trial_system_attributes": "SELECT trial_id, key, value_json",
        "study_user_attributes": "SELECT study_id, key, value_json",
    }
    with storage.engine.connect() as connection:
        return {
            table: sorted(map(tuple, connection.execute(text(f"{query} FROM {table}"))), key=repr)
            for table, query in queries.items()
        }


@pytest.mark.parametrize("n_together", [1, 3, 100])
def test_trials_are_written_as_optuna_writes_them(n_together: int) -> None:
    theirs, ours = in_memory(), in_memory()
    one, other = new(theirs), new(ours)
    by_optuna(one, theirs)
    before = datetime.now()
    writer, all_of_them = StudyWriter(other), writes()
    for first in range(0, len(all_of_them), n_together):
        writer.write(*all_of_them[first : first + n_together])
        writer.flush()
    writer.close()
    assert rows_of(ours) == rows_of(theirs)
    assert list(map(known, other.trials)) == list(map(known, one.trials))
    assert other.user_attrs == one.user_attrs
    for trial in other.trials:
        assert trial.datetime_start is not None
        moments = [trial.datetime_start]
        if trial.datetime_complete is not None:
            moments.append(trial.datetime_complete)
        assert all(before <= each <= before + timedelta(minutes=5) for each in moments)


def test_what_is_written_twice_is_there_once() -> None:
    """As after a commit whose answer was lost; by a writer that knows nothing of the first."""
    storage = in_memory()
    study = new(storage)
    game = CoinGame(3, 500.5, 7, 0.25, True, 70)
    whole = [*writes(), PlayedGame(SEARCH, "4", 1, game, "znver4")]
    for _ in range(2):
        writer = StudyWriter(study)
        writer.write(*whole)
        writer.close()
        rows = rows_of(storage)
        assert len(rows["trials"]) == 5
        stored = StoredGames.read(study)
        ((unit, cells),) = stored.cells.items()
        assert (unit, list(cells), cells["1"].machine) == (("search", "4"), ["1"], "znver4")
    states = [trial.state.name for trial in study.trials]
    assert states == ["COMPLETE"] * 3 + ["FAIL", "RUNNING"]


def test_a_trial_that_goes_on_keeps_its_times_and_its_origin() -> None:
    storage = in_memory()
    study = new(storage)
    writer = StudyWriter(study)
    long_ago = datetime(2020, 1, 2, tzinfo=UTC).replace(tzinfo=None)
    writer.write(BegunTrial(0, {}, "nehvi", at=long_ago))
    writer.flush()
    writer.write(BegunTrial(0, {}, "random"))
    writer.close()
    trial = study.trials[0]
    assert trial.user_attrs["origin"] == "design"
    assert trial.datetime_start is not None
    assert trial.datetime_start.astimezone(UTC).replace(tzinfo=None) == long_ago


def test_trials_begun_beside_optunas_cache_are_read(tmp_path: Path) -> None:
    """Optuna keeps finished trials that it has read, and reads the others again."""
    storage = RDBStorage(f"sqlite:///{tmp_path}/study.db")
    GAMES.create(storage.engine)
    study = new(storage)
    writer = StudyWriter(study)
    for number, write in enumerate(writes()):
        writer.write(write)
        writer.flush()
        trials = study.get_trials(deepcopy=False)
        again = optuna.load_study(study_name=study.study_name, storage=storage)
        assert list(map(known, trials)) == list(map(known, again.trials)), number
    study.enqueue_trial(PARAMS[4])
    assert study.trials[-1].number == 5, "optuna goes on counting"
    writer.write(BegunTrial(5, {}, "nehvi"))
    writer.close()
    assert study.trials[5].state == TrialState.RUNNING


def test_other_databases_get_the_same_rows() -> None:
    """Of those there is none here: SQLite is told that it is one."""
    storage = in_memory()
    study = new(storage)
    key, row = ("study_id", "key"), {"study_id": study._study_id, "key": "a", "value_json": "1"}
    with storage.engine.begin() as connection:
        name, connection.dialect.name = connection.dialect.name, "other"
        try:
            write_rows(connection, OF_STUDY, key, [row])
            write_rows(connection, OF_STUDY, key, [{**row, "value_json": "2"}])
            assert study.user_attrs["a"] == 1
            write_rows(connection, OF_STUDY, key, [{**row, "value_json": "3"}], ("value_json",))
        finally:
            connection.dialect.name = name
    assert study.user_attrs == {"a": 3}
