"""MissingGames played over workers: all of their seeds, none twice, and on from where a run stopped."""

from concurrent.futures import Future
from pathlib import Path

import pytest
from rich.console import Console

from agents.agent import Agent
from agents.twenty48.agent import Game2048
from agents.twenty48.pmcts import PureMonteCarlo
from agents.twenty48.random import RandomAgent
from study.run.play_missing import MissingGames, play_missing
from study.run.workers import Finished, PlayError
from study.store.ledger import Ledger

AGENTS: dict[str, Agent] = {
    "random": RandomAgent(),
    "one": PureMonteCarlo(1),
    "same": RandomAgent(),
}


def test_rows_are_played_and_gone_on_with(tmp_path: Path) -> None:
    out = Console(quiet=True)
    path = tmp_path / "games.csv"
    first = play_missing(AGENTS, range(4), Ledger(path, Game2048), 2, out)
    assert len(path.read_text().splitlines()) == 1 + 2 * 4, "equal agents share their games"
    lines = path.read_text()
    again = play_missing(AGENTS, range(2, 6), Ledger(path, Game2048), 2, out)
    assert path.read_text().startswith(lines)
    assert len(path.read_text().splitlines()) == 1 + 2 * 6
    for name, agent in AGENTS.items():
        assert [game.seed for game in again[name]] == [2, 3, 4, 5]
        assert [game.score for game in first[name]] == [agent.play(seed).score for seed in range(4)]


def test_seeds_come_in_turn_for_all_rows(tmp_path: Path) -> None:
    """A run stopped anywhere has rows of the same seeds, but for those in flight."""
    agents = {name: AGENTS[name] for name in ("random", "one")}
    ledger = Ledger(tmp_path / "games.csv", Game2048)
    with ledger.held():
        ledger.add(AGENTS["one"], AGENTS["one"].play(0))
    source = MissingGames(agents, range(3), ledger)
    keys = []
    while (game := source.next_game()) is not None:
        keys.append(game[0])
    assert keys == [("random", 0), ("random", 1), ("one", 1), ("random", 2), ("one", 2)]
    assert source.thinking() is None


def test_a_game_that_cannot_be_played_stops_and_is_named(tmp_path: Path) -> None:
    source = MissingGames(
        {"one": AGENTS["one"]}, range(2), Ledger(tmp_path / "games.csv", Game2048)
    )
    broken: Future[object] = Future()
    broken.set_exception(MemoryError("no memory"))
    with pytest.raises(
        PlayError, match="one, seed 1: MemoryError: no memory; what has finished is kept"
    ):
        source.record(Finished(("one", 1), None, "MemoryError: no memory"))
    assert source.n_missing == 2
