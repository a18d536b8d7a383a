"""PostgreSQL killed or restarted while a study is written: waited for, with nothing lost."""

import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import optuna
import pytest
from optuna.distributions import FloatDistribution, distribution_to_json
from rich.console import Console
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from tests.cluster.postgres import Server
from tests.study.conftest import QUICK, CoinGame
from tests.study.verify.test_stored_study import DATA
from thetafront.study import interrupt
from thetafront.study.errors import RunError
from thetafront.study.experiments.registry import EXPERIMENTS
from thetafront.study.run.settings import SearchSettings
from thetafront.study.run.sweep import Sweep
from thetafront.study.store import connection as module
from thetafront.study.store.connection import StorageConnection, is_lost
from thetafront.study.store.games_table import SEARCH, StoredGames, engine_of
from thetafront.study.store.location import Location
from thetafront.study.store.machines import machines_in
from thetafront.study.store.storage import create_or_resume, open_for_games
from thetafront.study.store.study_data import StudyData
from thetafront.study.store.writer import StudyWriter
from thetafront.study.store.writes import BegunTrial, EndedTrial, PlayedGame

pytestmark = pytest.mark.cluster

GAME = CoinGame(3, 500.5, 7, 0.25, True, 70)
PARAMS = {"x": (0.5, distribution_to_json(FloatDistribution(0.0, 1.0)))}
N_TRIALS = 400
N_GAMES = 4


@pytest.fixture
def study(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> optuna.Study:
    monkeypatch.setitem(EXPERIMENTS, "quick", QUICK)
    location = Location("s", database, tmp_path / "s")
    location.folder.mkdir()
    return create_or_resume(location, SearchSettings().record(QUICK))[0]


class Told:
    """What a connection says and does."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def connection(self, study: optuna.Study) -> StorageConnection:
        return StorageConnection(engine_of(study), self.told.append, self)

    def keep(self) -> None:
        """Hold the study, as far as this is told."""

    def retake(self) -> bool:
        self.told.append("!")
        return True


def write_trials(writer: StudyWriter, disturb: Callable[[int], None]) -> None:
    for number in range(N_TRIALS):
        disturb(number)
        writer.write(BegunTrial(number, PARAMS, "nehvi"))
        for replicate in range(N_GAMES):
            writer.write(PlayedGame(SEARCH, str(number), replicate, GAME))
        writer.write(EndedTrial(number, (1.5, 0.25), {"moments:score": [4, 1.0, 2.0]}))


def check_whole(study: optuna.Study) -> None:
    """Every trial and game is there, once."""
    trials = study.trials
    assert [trial.number for trial in trials] == list(range(N_TRIALS))
    assert {trial.state.name for trial in trials} == {"COMPLETE"}
    assert all(trial.params == {"x": 0.5} and trial.values == [1.5, 0.25] for trial in trials)
    stored = StoredGames.read(study)
    assert len(stored.cells) == N_TRIALS
    assert all(len(stored.of_trial(number)) == N_GAMES for number in range(N_TRIALS))


@pytest.mark.parametrize("how", ["kill", "stop"])
def test_a_server_that_ends_is_waited_for(postgres: Server, study: optuna.Study, how: str) -> None:
    """Twice, in the middle of transactions."""
    told = Told()
    writer = StudyWriter(study, told.connection(study))
    threads: list[threading.Thread] = []

    def end_and_start() -> None:
        getattr(postgres, how)()
        time.sleep(1.5)
        postgres.start()

    def disturb(number: int) -> None:
        if number in {100, 300}:
            threads.append(threading.Thread(target=end_and_start))
            threads[-1].start()
        if number in {200, 399}:
            threads[-1].join()

    write_trials(writer, disturb)
    writer.close()
    check_whole(study)
    lost, back = "storage lost: waiting for it", "the storage is back: going on"
    assert told.told[:3] == [lost, "!", back]
    assert told.told == [lost, "!", back] * (len(told.told) // 3)


def test_reading_waits_too(postgres: Server, study: optuna.Study) -> None:
    told = Told()
    connection = told.connection(study)
    postgres.kill()
    starting = threading.Timer(2.0, postgres.start)
    starting.start()
    data = connection.retried(lambda: StudyData.read(study, QUICK))
    starting.join()
    assert data.trials == []
    assert len(told.told) == 3


def test_a_commit_whose_answer_is_lost_is_made_once(
    study: optuna.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server has committed, and the connection breaks before it says so."""
    writer = StudyWriter(study, Told().connection(study))
    commit, n_broken = writer.commit, 0

    def breaking(writes: list[Any]) -> None:
        nonlocal n_broken
        commit(writes)
        if n_broken < 3:
            n_broken += 1
            writer.tables.forget()
            raise OperationalError("COMMIT", None, Exception(), connection_invalidated=True)

    monkeypatch.setattr(writer, "commit", breaking)
    write_trials(writer, lambda number: None)
    writer.close()
    assert n_broken == 3
    check_whole(study)


def test_a_server_that_stays_away_ends_the_run(
    postgres: Server, study: optuna.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LONGEST_SECONDS", 2.0)
    writer = StudyWriter(study, Told().connection(study))
    postgres.kill()
    try:
        writer.write(PlayedGame(SEARCH, "0", 0, GAME))
        with pytest.raises(SQLAlchemyError) as raised:
            writer.close()
        assert is_lost(raised.value)
    finally:
        postgres.start()


def test_a_lock_that_another_run_has_taken_ends_the_run(
    postgres: Server, study: optuna.Study
) -> None:
    class Taken(Told):
        def retake(self) -> bool:
            raise RunError("study: 's' is held by another run")

    connection = Taken().connection(study)
    writer = StudyWriter(study, connection)
    postgres.kill()
    postgres.start()
    writer.write(PlayedGame(SEARCH, "0", 0, GAME))
    with pytest.raises(RunError, match="held by another run"):
        writer.close()
    with pytest.raises(RunError, match="held by another run"):
        connection.retried(lambda: StudyData.read(study, QUICK))
    assert StoredGames.read(study).cells == {}


def test_a_server_that_is_lost_again_before_the_lock_is_taken_is_waited_for(
    postgres: Server, study: optuna.Study
) -> None:
    class Late(Told):
        def retake(self) -> bool:
            super().retake()
            if len(self.told) == 2:  # as from a connection that breaks
                raise OperationalError("SELECT", None, Exception(), connection_invalidated=True)
            return len(self.told) > 3

    late = Late()
    connection = late.connection(study)
    writer = StudyWriter(study, connection)
    postgres.kill()
    postgres.start()
    writer.write(PlayedGame(SEARCH, "0", 0, GAME))
    writer.close()
    lost, back = "storage lost: waiting for it", "the storage is back: going on"
    assert late.told == [lost, "!", "!", "!", back]
    assert len(StoredGames.read(study).of_trial(0)) == 1


def test_a_notebook_does_not_wait_after_an_interrupt(postgres: Server, study: optuna.Study) -> None:
    """There, the writer's thread does not see it."""
    connection = Told().connection(study)
    writer = StudyWriter(study, connection)
    postgres.kill()
    try:
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt), interrupt.as_guest(), interrupt.deferred():  # noqa: PT012
            writer.write(PlayedGame(SEARCH, "0", 0, GAME))
            signal.raise_signal(signal.SIGINT)
            with pytest.raises(SQLAlchemyError):
                connection.retried(lambda: StudyData.read(study, QUICK))
            with pytest.raises(SQLAlchemyError):
                writer.close()
        assert time.monotonic() - began < module.LONGEST_SECONDS / 2
    finally:
        postgres.start()


def test_a_machine_that_joins_while_the_server_is_away_is_stored(
    postgres: Server, study: optuna.Study, tmp_path: Path
) -> None:
    class Joined:
        machines: ClassVar = {"ab12": {"host": "node-1"}}

    location = Location("s", "", tmp_path)
    sweep = Sweep(QUICK, location, study, 1, Console(quiet=True))
    postgres.kill()
    starting = threading.Timer(1.0, postgres.start)
    starting.start()
    try:
        sweep.turn(Joined())
    finally:  # or the next test has no server
        starting.join()
    assert machines_in(study.user_attrs) == Joined.machines


def test_what_is_no_lost_connection_is_raised_at_once(study: optuna.Study) -> None:
    """A game without its trial's study, say."""
    writer = StudyWriter(study, Told().connection(study))
    writer.tables.study_id = 999
    writer.write(PlayedGame(SEARCH, "0", 0, GAME))
    with pytest.raises(SQLAlchemyError, match="violates foreign key"):
        writer.close()


def test_a_study_of_before_is_migrated(database: str, tmp_path: Path) -> None:
    """One of format 1 on a server: the same trials and points afterwards."""
    optuna.copy_study(
        from_study_name="pacman_small",
        from_storage=f"sqlite:///{DATA}/pacman_small/study.db",
        to_storage=database,
    )
    location = Location("pacman_small", database, tmp_path / "s")
    location.folder.mkdir()
    before = StudyData.read(optuna.load_study(study_name="pacman_small", storage=database))
    study = open_for_games(location)
    after = StudyData.read(study)
    assert (after.trials, after.points) == (before.trials, before.points)
    assert sum(map(len, after.stored_games.cells.values())) == 28
    assert study.user_attrs["thetafront"]["format"] == 2
