"""Rows played over workers: all of their seeds, none twice, and on from where a run stopped."""

from pathlib import Path

import pytest
from rich.console import Console

from thetafront.agents.agent import Agent, FailedGame
from thetafront.agents.twenty48.agent import Game2048
from thetafront.agents.twenty48.pmcts import PureMonteCarlo
from thetafront.agents.twenty48.random import RandomAgent
from thetafront.study.log.ledger import Ledger
from thetafront.study.run import play_missing as module
from thetafront.study.run.play_missing import missing_tasks, play_missing
from thetafront.study.run.source import Snapshot, TaskList
from thetafront.study.run.worker import Task, play
from thetafront.study.run.workers import Finished, PlayError

pytestmark = pytest.mark.usefixtures("no_processes")

AGENTS: dict[str, Agent] = {
    "random": RandomAgent(),
    "one": PureMonteCarlo(1),
    "same": RandomAgent(),
}
TWO = {name: AGENTS[name] for name in ("random", "one")}


@pytest.mark.parametrize("batch_size", [1, 3])
def test_rows_are_played_and_resumed(tmp_path: Path, batch_size: int) -> None:
    out = Console(quiet=True)
    path = tmp_path / "games.csv"
    first = play_missing(AGENTS, range(4), Ledger(path, Game2048), 2, out, batch_size)
    assert len(path.read_text().splitlines()) == 1 + 2 * 4, "equal agents share their games"
    lines = path.read_text()
    again = play_missing(AGENTS, range(2, 6), Ledger(path, Game2048), 2, out, batch_size)
    assert path.read_text().startswith(lines)
    assert len(path.read_text().splitlines()) == 1 + 2 * 6
    for name, agent in AGENTS.items():
        assert [game.seed for game in again[name]] == [2, 3, 4, 5]
        assert [game.score for game in first[name]] == [agent.play(seed).score for seed in range(4)]


@pytest.mark.parametrize(
    ("batch_size", "expected"),
    [
        (1, ["random 0", "random 1", "one 1", "random 2", "one 2"]),
        (2, ["random 0 1", "one 1 2", "random 2"]),
    ],
)
def test_seeds_come_in_turn_for_all_rows(
    tmp_path: Path, batch_size: int, expected: list[str]
) -> None:
    """A run stopped anywhere has rows of the same seeds, but for those in flight."""
    ledger = Ledger(tmp_path / "games.csv", Game2048)
    with ledger.held():
        ledger.add(AGENTS["one"], AGENTS["one"].play(0))
    tasks = missing_tasks(TWO, range(3), ledger, batch_size)
    assert all(task.agent is TWO[task.key[0]] for task in tasks)
    assert [" ".join(map(str, [task.key[0], *task.seeds])) for task in tasks] == expected


def test_what_is_played_is_counted_and_stored() -> None:
    stored: list[Finished[str]] = []
    source = TaskList([Task("a", RandomAgent(), (3, 4))], stored.append, 5, "a note")
    assert source.snapshot() == Snapshot("games", 5, 7, 5, 7, "a note")
    task = source.next_task()
    assert task is not None
    assert source.next_task() is None
    assert source.pending_proposal() is None
    source.record(play(task))
    assert [game.seed for each in stored for game in each.games] == [3, 4]
    assert source.snapshot() == Snapshot("games", 7, 7, 7, 7, "a note")


@pytest.mark.parametrize(
    "played",
    [
        Finished(("one", 1), (), "MemoryError: no memory"),
        Finished(("one", 0), (AGENTS["one"].play(0), FailedGame(1, "MemoryError: no memory"))),
    ],
)
def test_a_game_that_cannot_be_played_stops_and_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, played: Finished[tuple[str, int]]
) -> None:
    monkeypatch.setattr(module, "play_here", lambda source, *_: source.record(played))
    ledger = Ledger(tmp_path / "games.csv", Game2048)
    said = "one, seed 1: MemoryError: no memory; finished games are kept"
    with pytest.raises(PlayError, match=said):
        play_missing({"one": AGENTS["one"]}, range(2), ledger, 1, Console(quiet=True))
    assert len(ledger.games(AGENTS["one"])) == len(played.games[:1])
