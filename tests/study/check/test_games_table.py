"""A damaged table of games: lines are named, and played again from their seeds."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from rich.console import Console

from tests.study.program import invoked, succeeded
from thetafront.agents.agent import Game
from thetafront.agents.twenty48.agent import Game2048
from thetafront.agents.twenty48.pmcts import PureMonteCarlo
from thetafront.agents.twenty48.random import RandomAgent
from thetafront.study.check import replay
from thetafront.study.check.replay import Entry, Settings
from thetafront.study.check.report import Check
from thetafront.study.check.verification import verify_folder
from thetafront.study.errors import InputError, RunError
from thetafront.study.log.ledger import Ledger

ALL = Settings(None, 1, Console(stderr=True))


def find_problems(checks: list[Check]) -> list[str]:
    """What is wrong, of all checks."""
    return [problem for check in checks for problem in check.problems]


@pytest.fixture
def folder(tmp_path: Path, no_processes: None) -> Path:
    """Two agents' games of the seeds 0 to 9; games are played here."""
    ledger = Ledger(tmp_path / "games.csv", Game2048)
    with ledger.held():
        for agent in (RandomAgent(), PureMonteCarlo(1)):
            ledger.add(agent, *[agent.play(seed) for seed in range(10)])
    return tmp_path


def cell(place: int, word: str) -> Callable[[list[str]], list[str]]:
    """Change a cell of line 5, whose seed is 3."""

    def change(lines: list[str]) -> list[str]:
        words = lines[4].split(",")
        words[place] = word
        return [*lines[:4], ",".join(words), *lines[5:]]

    return change


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (cell(2, "7"), "line 5, seed 3: score 7, but"),
        (cell(2, "x"), "line 5: row: not a game of 2048"),
        (cell(7, "0"), "line 5: no 2048 game can have these values"),
        (cell(0, "0123"), "line 5: its agent is unknown"),
        (cell(1, ""), "line 5: row: not a game of 2048"),
        (cell(1, str(2**63)), "line 5: "),
        (cell(1, "9" * 5000), "line 5: "),
        (cell(4, "1e99"), "line 5: no 2048 game can have these values"),
        (cell(1, "4"), "line 6: repeats the game in line 5"),
        (lambda lines: [*lines[:4], lines[4][:20], *lines[5:]], "line 5: "),
        (lambda lines: [*lines[:4], "?", *lines[5:]], "line 5: '?' is not a line of this table"),
        (lambda lines: [*lines[:4], lines[4] + ",7", *lines[5:]], "line 5: "),
        (lambda lines: [*lines, lines[4]], "line 22: repeats the game in line 5"),
        (lambda lines: [*lines, lines[4][:20]], "line 22: "),
    ],
)
def test_a_damaged_line_is_named_and_mended(
    folder: Path, damage: Callable[[list[str]], list[str]], problem: str
) -> None:
    path = folder / "games.csv"
    whole = path.read_text()
    assert verify_folder(folder, ALL, repair=False).ok
    damaged = "\n".join(damage(whole.splitlines())) + "\n"
    path.write_text(damaged)
    found = verify_folder(folder, ALL, repair=False)
    assert any(each.startswith(problem) for each in find_problems(found.checks)), found
    assert path.read_text() == damaged
    mended = verify_folder(folder, ALL, repair=True)
    assert mended.ok, mended
    assert mended.repaired
    assert (folder / "games.csv.before-repair-1").read_text() == damaged
    assert without_seconds(path.read_text()) == without_seconds(whole)


def without_seconds(text: str) -> list[list[str]]:
    """The lines' cells but the seconds, in any order."""
    return sorted(line.split(",")[:4] + line.split(",")[5:] for line in text.splitlines())


def test_a_torn_line_is_cut(folder: Path) -> None:
    path = folder / "games.csv"
    whole = path.read_text()
    path.write_text(whole + whole.splitlines()[3][:15])
    found = verify_folder(folder, ALL, repair=False)
    assert find_problems(found.checks) == ["line 22: incomplete"]
    assert verify_folder(folder, ALL, repair=True).ok
    assert path.read_text() == whole


def test_a_table_is_held_while_it_is_repaired(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "games.csv"
    path.write_text("\n".join(cell(2, "7")(path.read_text().splitlines())) + "\n")
    refused = []

    def play_while_another_run_begins(entries: list[Entry], *_: object) -> list[Game]:
        try:
            with Ledger(path, Game2048).held():
                refused.append(False)
        except RunError:
            refused.append(True)
        return [entry.agent.play(entry.seed) for entry in entries]

    monkeypatch.setattr(replay, "play_again", play_while_another_run_begins)
    assert verify_folder(folder, ALL, repair=True).ok
    # Before it is written: to be compared, and in place of damaged ones. After that: compared.
    assert refused == [True, True, False]


def test_other_parameters_of_an_agent_are_found(folder: Path) -> None:
    path = folder / "agents.json"
    path.write_text(path.read_text().replace('"n_playouts": 1', '"n_playouts": 2'))
    found = verify_folder(folder, ALL, repair=False)
    assert any("agents.json do not match" in each for each in found.checks[0].problems)
    assert found.checks[-1].problems, "and its games are not those of that agent"


@pytest.mark.parametrize("content", ["", "a,b\n1,2\n", "agent,seed\n"])
def test_another_table_is_refused(folder: Path, content: str) -> None:
    (folder / "games.csv").write_text(content)
    with pytest.raises(
        InputError, match=r"games.csv: not a games table in the format of this thetafront version"
    ):
        verify_folder(folder, ALL, repair=True)
    assert (folder / "games.csv").read_text() == content


def test_of_two_lines_for_a_game_the_wrong_one_goes(folder: Path) -> None:
    path = folder / "games.csv"
    whole = path.read_text()
    path.write_text("\n".join(cell(1, "4")(whole.splitlines())) + "\n")
    none_again = Settings(0, 1, Console(stderr=True))
    assert verify_folder(folder, none_again, repair=True).ok
    assert without_seconds(path.read_text()) == without_seconds(whole)


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_text("{}")])
def test_without_the_agents_no_line_is_dropped(
    folder: Path, damage: Callable[[Path], object]
) -> None:
    before = (folder / "games.csv").read_bytes()
    damage(folder / "agents.json")
    with pytest.raises(InputError, match=r"agents.json: missing or empty; restore it"):
        verify_folder(folder, ALL, repair=True)
    assert sorted(each.name for each in folder.iterdir() if each.name != "agents.json") == [
        "games.csv"
    ]
    assert (folder / "games.csv").read_bytes() == before


def test_no_repair_drops_most_lines(folder: Path) -> None:
    path = folder / "games.csv"
    lines = path.read_text().splitlines()
    damaged = "\n".join([lines[0], *("x" + line for line in lines[1:])]) + "\n"
    path.write_text(damaged)
    with pytest.raises(InputError, match="repair would drop 20 of 20 lines"):
        verify_folder(folder, ALL, repair=True)
    assert path.read_text() == damaged


def test_games_appended_meanwhile_cannot_be_lost(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "games.csv"
    path.write_text("\n".join(cell(2, "x")(path.read_text().splitlines())) + "\n")

    def play_while_a_run_begins(entries: list[Entry], *_: object) -> list[Game]:
        if not (folder / "games.csv.before-repair-1").exists():
            with pytest.raises(RunError, match="another run is writing to it"), other.held(len):
                pass
        return [entry.agent.play(entry.seed) for entry in entries]

    other = Ledger(folder / "other.csv", Game2048).file
    other.path = path
    monkeypatch.setattr(replay, "play_again", play_while_a_run_begins)
    assert verify_folder(folder, ALL, repair=True).ok


@pytest.mark.sweeps
def test_an_export_without_moves_is_in_order_unless_a_theta_breaks_a_constraint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Games report moves, but costs are per game; and a text may look like a number."""
    report = '{{\\"score\\": {x}.5, \\"moves\\": 12, \\"hash\\": \\"nan\\"}}'
    (tmp_path / "g.toml").write_text(
        f'command = ["sh", "-c", "echo \'{report}\'"]\nconstraints = ["x <= 8"]\n'
        "[parameters.x]\nlow = 1\nhigh = 9\ninteger = true\n[cost]\nper = 'game'\n"
    )
    words = ["--trials", "4", "--replicates", "2", "--budget", "none", "--validation-games", "3"]
    monkeypatch.chdir(tmp_path)  # an export names its definition without a folder
    succeeded(tmp_path, "sweep", "g.toml", *words, "--jobs", "1")
    (tmp_path / "g" / "study.db").unlink()
    assert "ok (" in succeeded(tmp_path, "verify", str(tmp_path / "g"), "--games", "all")
    trials = pd.read_csv(tmp_path / "g" / "trials.csv")
    trials.assign(x=[9, *trials["x"][1:]]).to_csv(tmp_path / "g" / "trials.csv", index=False)
    said = " ".join(invoked(None, "verify", str(tmp_path / "g"), code=1).output.split())
    assert "trial 0: constraint 'x <= 8' is not satisfied" in said
