"""Games in a file that only grows: killed anywhere, it keeps what was whole."""

from pathlib import Path

import pytest

from agents.mcmdp import MonteCarloMDP
from agents.pmcts import PureMonteCarlo
from agents.random import RandomAgent
from engine.twenty48 import Rule
from study.errors import InputError
from study.reproduce.ledger import GameLedger, digest_of

RANDOM, ONE = RandomAgent(), PureMonteCarlo(1)


def test_games_come_back_as_they_went(tmp_path: Path) -> None:
    ledger = GameLedger(tmp_path / "games.csv")
    games = [RANDOM.play(seed) for seed in (3, 1)]
    for game in games:
        ledger.add(RANDOM, game)
    ledger.add(ONE, ONE.play(1))
    again = GameLedger(tmp_path / "games.csv")
    assert set(again.games(RANDOM)) == {1, 3}
    for game in games:
        found = again.games(RANDOM)[game.seed]
        assert found.seconds == pytest.approx(game.seconds, abs=1e-6)
        assert (found.score, found.n_moves, found.n_playout_moves, found.end_board) == (
            game.score,
            game.n_moves,
            game.n_playout_moves,
            game.end_board,
        )
    assert set(again.games(ONE)) == {1}
    assert again.games(PureMonteCarlo(2)) == {}


def test_a_game_is_kept_once(tmp_path: Path) -> None:
    ledger = GameLedger(tmp_path / "games.csv")
    for _ in range(2):
        ledger.add(RANDOM, RANDOM.play(5))
    assert len((tmp_path / "games.csv").read_text().splitlines()) == 2


def test_every_cut_leaves_whole_games(tmp_path: Path) -> None:
    """The file cut at every byte of its last line: that game is gone, the other there, and adding goes on."""
    path = tmp_path / "games.csv"
    ledger = GameLedger(path)
    for seed in (1, 2):
        ledger.add(RANDOM, RANDOM.play(seed))
    whole = path.read_bytes()
    last = whole[:-1].rfind(b"\n") + 1
    for cut in range(last, len(whole)):
        path.write_bytes(whole[:cut])
        torn = GameLedger(path)
        assert set(torn.games(RANDOM)) == {1}
        torn.add(RANDOM, ledger.games(RANDOM)[2])
        assert path.read_bytes() == whole
    for cut in range(whole.find(b"\n")):  # within the heading, when not a game was there
        path.write_bytes(whole[:cut])
        if cut:
            with pytest.raises(InputError, match="no table of games"):
                GameLedger(path)
        else:
            assert GameLedger(path).games(RANDOM) == {}


@pytest.mark.parametrize("text", ["seed,score\n1,2\n", "hello\n"])
def test_another_file_is_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "games.csv"
    path.write_text(text)
    with pytest.raises(InputError, match="no table of games of this version"):
        GameLedger(path)
    assert path.read_text() == text


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    ledger = GameLedger(path)
    ledger.add(RANDOM, RANDOM.play(1))
    path.write_text(path.read_text() + "x,1,2\n")
    with pytest.raises(InputError, match="line 3 is no finished game"):
        GameLedger(path)


def test_two_runs_do_not_write_at_once(tmp_path: Path) -> None:
    first, second = GameLedger(tmp_path / "games.csv"), GameLedger(tmp_path / "games.csv")
    with first.held(), pytest.raises(InputError, match="another run is writing it"), second.held():
        pass
    with second.held():
        pass


def test_agents_that_differ_anywhere_have_other_digests() -> None:
    agents = [
        MonteCarloMDP.from_theta(),
        MonteCarloMDP.from_theta(theta1=499),
        MonteCarloMDP.from_theta(theta6=0.5),
        MonteCarloMDP.from_theta(gamma=0.9),
        MonteCarloMDP.from_theta(reward_weight=1.9),
        MonteCarloMDP.from_theta(cascade=True),
        MonteCarloMDP.of_table1(),
        PureMonteCarlo(100),
        PureMonteCarlo(100, Rule.CASCADE),
    ]
    assert len({digest_of(agent) for agent in agents}) == len(agents)
    assert digest_of(MonteCarloMDP.from_theta()) == digest_of(agents[0])
