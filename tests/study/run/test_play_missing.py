"""Rows played over workers: all of their seeds, none twice, and on from where a run stopped."""

from pathlib import Path

import pytest
from rich.console import Console

from thetafront.agents.agent import Agent
from thetafront.agents.twenty48.agent import Game2048
from thetafront.agents.twenty48.pmcts import PureMonteCarlo
from thetafront.agents.twenty48.random import RandomAgent
from thetafront.study.log.ledger import Ledger
from thetafront.study.run.play_missing import MissingGames, play_missing
from thetafront.study.run.workers import Finished, PlayError

pytestmark = pytest.mark.usefixtures("one_thread", "no_processes")

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
    source = MissingGames(TWO, range(3), ledger, batch_size, "a note")
    tasks = []
    while (task := source.next_task()) is not None:
        assert task.agent is TWO[task.key[0]]
        tasks.append(task)
    assert [" ".join(map(str, [task.key[0], *task.seeds])) for task in tasks] == expected
    assert source.pending_proposal() is None
    with ledger.held():
        name, agent = tasks[1].key[0], tasks[1].agent
        games = tuple(agent.play(seed) for seed in tasks[1].seeds)
        source.record(Finished(tasks[1].key, games))
    assert set(ledger.games(TWO[name])) >= set(tasks[1].seeds)
    now = source.snapshot()
    assert (now.n_units, now.n_games, now.note) == (2, 6, "a note")
    assert now.n_games_done == 1 + batch_size
    assert now.n_units_done == (batch_size == 2)


def test_a_game_that_cannot_be_played_stops_and_is_named(tmp_path: Path) -> None:
    source = MissingGames(
        {"one": AGENTS["one"]}, range(2), Ledger(tmp_path / "games.csv", Game2048)
    )
    with pytest.raises(
        PlayError, match="one, seed 1: MemoryError: no memory; finished games are kept"
    ):
        source.record(Finished(("one", 1), (), "MemoryError: no memory"))
    assert source.n_missing == 2
