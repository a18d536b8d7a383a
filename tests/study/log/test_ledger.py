"""Games in a file that only grows: killed anywhere, it keeps what was whole."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.processes import python
from thetafront.agents.agent import agent_digest
from thetafront.agents.pacman.agent import PacmanGame
from thetafront.agents.pacman.mdp import PacmanMDP
from thetafront.agents.twenty48.agent import Game2048
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP
from thetafront.agents.twenty48.pmcts import PureMonteCarlo
from thetafront.agents.twenty48.random import RandomAgent
from thetafront.study.errors import InputError, RunError
from thetafront.study.log.ledger import Ledger

RANDOM, ONE = RandomAgent(), PureMonteCarlo(1)


def test_games_come_back_as_they_went(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "games.csv", Game2048)
    games = [RANDOM.play(seed) for seed in (3, 1)]
    with ledger.held():
        for game in games:
            ledger.add(RANDOM, game)
        ledger.add(ONE, ONE.play(1))
    assert ledger.n_games == 3
    again = Ledger(tmp_path / "games.csv", Game2048)
    assert set(again.games(RANDOM)) == {1, 3}
    for game in games:
        found = again.games(RANDOM)[game.seed]
        assert found.seconds == pytest.approx(game.seconds, abs=1e-6)
        assert replace(found, seconds=game.seconds) == game
    assert set(again.games(ONE)) == {1}
    assert again.games(PureMonteCarlo(2)) == {}


def test_a_game_is_kept_once(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "games.csv", Game2048)
    with ledger.held():
        for _ in range(2):
            ledger.add(RANDOM, RANDOM.play(5))
    assert len((tmp_path / "games.csv").read_text().splitlines()) == 2


def test_every_cut_leaves_whole_games(tmp_path: Path) -> None:
    """Cut at any byte of its last line, the file keeps the other game and takes new ones."""
    path = tmp_path / "games.csv"
    ledger = Ledger(path, Game2048)
    with ledger.held():
        for seed in (1, 2):
            ledger.add(RANDOM, RANDOM.play(seed))
    whole = path.read_bytes()
    last = whole[:-1].rfind(b"\n") + 1
    for cut in range(last, len(whole)):
        path.write_bytes(whole[:cut])
        torn = Ledger(path, Game2048)
        assert set(torn.games(RANDOM)) == {1}
        assert path.read_bytes() == whole[:cut], "reading changes nothing"
        with torn.held():
            torn.add(RANDOM, ledger.games(RANDOM)[2])
        assert path.read_bytes() == whole
    for cut in range(whole.find(b"\n") + 1):  # within the heading, when no game was there yet
        path.write_bytes(whole[:cut])
        empty = Ledger(path, Game2048)
        assert empty.n_games == 0
        with empty.held():
            empty.add(RANDOM, ledger.games(RANDOM)[1])
        assert path.read_bytes() == whole[:last]


HEADING = ",".join(("agent", *Game2048.columns().values())).encode()


@pytest.mark.parametrize(
    "content",
    [
        b"seed,score\n1,2\n",
        b"hello\n",
        b"hello",
        b"\xff\xfe",
        HEADING + b"\r\n",
        b"\xef\xbb\xbf" + HEADING + b"\n",
        HEADING + b",comment\n",
        b"\n" + HEADING + b"\n",
    ],
)
def test_another_file_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "games.csv"
    path.write_bytes(content)
    with pytest.raises(
        InputError,
        match="not a 2048 games table in the format of this thetafront version: line 1 is",
    ):
        Ledger(path, Game2048)
    assert path.read_bytes() == content


def test_a_link_is_followed_and_stays_one(tmp_path: Path) -> None:
    target, path = tmp_path / "elsewhere.csv", tmp_path / "games.csv"
    path.symlink_to(target)
    ledger = Ledger(path, Game2048)
    with ledger.held():
        ledger.add(RANDOM, RANDOM.play(1))
    assert path.is_symlink()
    assert Ledger(target, Game2048).n_games == 1


@pytest.mark.parametrize(
    "content",
    ['{"a": "agent"}', '{"a": {"agent": 1}}', "[]", "{", '{"a": 1}', "[" * 100_000],
    ids=range(6),
)
def test_a_damaged_table_of_agents_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "agents.json").write_text(content)
    with pytest.raises(InputError, match=r"agents.json: not an agents table; restore it"):
        Ledger(tmp_path / "games.csv", Game2048)


def test_a_folder_in_its_place_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"must be a games table \(it is not a file\)"):
        Ledger(tmp_path, Game2048)


@pytest.mark.parametrize(
    "damage",
    [
        lambda words: words[:3],
        lambda words: [*words[:2], "-5", *words[3:]],
        lambda words: [*words[:2], "9" * 5000, *words[3:]],
        lambda words: [*words[:2], "9" * 400, *words[3:]],
        lambda words: [*words[:4], "nan", *words[5:]],
        lambda words: [*words[:6], "3", *words[7:]],
        lambda words: [*words[:7], "zz"],
        lambda words: [*words[:1], "x" * 200_000, *words[2:]],
        lambda words: [*words[:1], "\udcff", *words[2:]],
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, damage: Callable[[list[str]], list[str]]) -> None:
    path = tmp_path / "games.csv"
    ledger = Ledger(path, Game2048)
    with ledger.held():
        for seed in (1, 2):
            ledger.add(RANDOM, RANDOM.play(seed))
    heading, first, second = path.read_text().splitlines()
    damaged = ",".join(damage(second.split(",")))
    path.write_text("\n".join([heading, first, damaged, ""]), errors="surrogateescape")
    with pytest.raises(InputError, match="line 3 is not a finished game"):
        Ledger(path, Game2048)


def test_two_runs_do_not_write_at_once(tmp_path: Path) -> None:
    first, second = (Ledger(tmp_path / "games.csv", Game2048) for _ in range(2))
    with first.held():
        with first.held():
            first.add(RANDOM, RANDOM.play(1))
        with pytest.raises(RunError, match="another run is writing to it"), second.held():
            pass
        first.add(RANDOM, RANDOM.play(2))
    with second.held():
        assert set(second.games(RANDOM)) == {1, 2}, "what the other wrote is there"
    with pytest.raises(RuntimeError, match="only while it is held"):
        second.add(RANDOM, RANDOM.play(3))


def test_a_full_disk_leaves_whole_lines(tmp_path: Path) -> None:
    """With the file's size limited, in a process of its own: one error, and the games before it."""
    path = tmp_path / "games.csv"
    code = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from thetafront.agents.twenty48.random import RandomAgent\n"
        "from thetafront.study.log.ledger import Ledger\n"
        "from thetafront.agents.twenty48.agent import Game2048\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))\n"
        "ledger, agent = Ledger(Path(sys.argv[1]), Game2048), RandomAgent()\n"
        "with ledger.held():\n"
        "    for seed in range(50):\n"
        "        try:\n"
        "            ledger.add(agent, agent.play(seed))\n"
        "        except OSError:\n"
        "            print(seed, len(ledger.games(agent))); break\n"
    )
    stopped, n_kept = map(int, python(code, str(path)).split())
    assert stopped == n_kept > 2
    assert path.read_bytes().endswith(b"\n")
    assert set(Ledger(path, Game2048).games(RANDOM)) == set(range(n_kept))


def test_a_full_disk_is_named_by_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write of which nothing is taken: the system's own error names no file."""
    path = tmp_path / "games.csv"
    ledger = Ledger(path, Game2048)
    with ledger.held(), Path("/dev/full").open("ab", buffering=0) as full:
        monkeypatch.setattr(ledger.file, "file", full)
        with pytest.raises(OSError, match=f"No space left on device: '{path}'"):
            ledger.add(RANDOM, RANDOM.play(1))
    assert Ledger(path, Game2048).n_games == 0


def test_numbers_of_an_agent_may_be_stored_with_a_decimal_point_or_without(tmp_path: Path) -> None:
    """Published folders have 500.0, others may have 500: both are the same agent's games."""
    agent = MonteCarloMDP(16, 8, 4, 2, 2, 1)
    ledger = Ledger(tmp_path / "games.csv", Game2048)
    with ledger.held():
        ledger.add(agent, agent.play(1))
    stored = (tmp_path / "agents.json").read_text()
    assert '"theta1": 16.0' in stored
    (tmp_path / "agents.json").write_text(stored.replace('"theta1": 16.0', '"theta1": 16'))
    assert set(Ledger(tmp_path / "games.csv", Game2048).games(agent)) == {1}


def test_digests_of_published_agents_stay() -> None:
    assert agent_digest(MonteCarloMDP()) == "01650920c46b"
    assert agent_digest(MonteCarloMDP(903, 56, 38, 2, 10, 0.56)) == "18cadbc72d6a"


def test_a_later_parameter_orphans_no_game(tmp_path: Path) -> None:
    """Games of the report's agent, stored before Pacman's motion and routes were parameters."""
    agent = PacmanMDP(0.8, 1, 0.1)
    path = tmp_path / "games.csv"
    ledger = Ledger(path, PacmanGame)
    with ledger.held():
        ledger.add(agent, agent.play(1))
    (values,) = json.loads((tmp_path / "agents.json").read_text()).values()
    assert not {"p_chosen", "route_reward"} & set(values)
    assert set(values) >= {"gamma", "radius", "layout", "most_steps"}
    again = Ledger(path, PacmanGame)
    assert set(again.games(agent)) == {1}
    assert not again.games(PacmanMDP(0.8, 1, 0.1, p_chosen=1.0))
    with again.held():
        certain = PacmanMDP(0.8, 1, 0.1, p_chosen=1.0)
        again.add(certain, certain.play(1))
    assert set(Ledger(path, PacmanGame).games(certain)) == {1}
