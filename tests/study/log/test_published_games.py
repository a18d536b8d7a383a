"""Games of every published table are played again: the same scores, moves and ends."""

import contextlib
from importlib import metadata
from pathlib import Path

import pytest

from thetafront.agents.agent import GameError
from thetafront.agents.external.program import ProgramAgent
from thetafront.agents.external.report import ReportedGame
from thetafront.study.check.games_table import table_in
from thetafront.study.check.replay import Entry, sample
from thetafront.study.log.same_game import difference

REFERENCE = Path(__file__).parents[3] / "results" / "reference"
TABLES = sorted(path.parent.name for path in REFERENCE.glob("*/games.csv"))
LEARNED = ["ntuple", *(f"training/train_{n}m" for n in (5, 20, 80))]
N_GAMES = 5
MAX_SECONDS = 0.25
"""Of games that this test plays again; the longest published ones take minutes."""

TOLD_OF_PROGRAMS = ("corpus", "zstd")
"""Fields that tell on what a program has worked, and which version of it."""

NEEDED = {"highs": ("highspy", "1.16.0")}
"""Packages that tables need to be played again, and their versions."""

INSTALLED = {(each.name, each.version) for each in metadata.distributions()}
KNOWN = ("agent,", "phase,")
"""The first columns of the tables of papers, and of studies."""
OTHERS = [
    name for name in TABLES if not (REFERENCE / name / "games.csv").read_text().startswith(KNOWN)
]


LEARNING = [pytest.param(name, marks=pytest.mark.slow) for name in LEARNED]  # minutes of training


@pytest.mark.parametrize("name", [*sorted({*TABLES} - {*OTHERS, *LEARNED}), *LEARNING])
def test_games_of_a_table(name: str) -> None:
    if name in NEEDED and NEEDED[name] not in INSTALLED:
        pytest.skip(f"needs {' '.join(NEEDED[name])}")
    table = table_in(REFERENCE / name)
    assert not [problem for check in table.checks for problem in check.problems]
    assert len(table.entries) == len(table.lines) == table.games.n > 100
    if why := unlike_here(table.entries[0]):
        pytest.skip(why)
    short = [each for each in table.entries if each.game and each.game.seconds < MAX_SECONDS]
    if learners := {each.agent for each in short if each.agent.learns}:
        agents = [each.agent for each in short]
        one = max(learners, key=lambda each: (agents.count(each), repr(each)))
        short = [each for each in short if each.agent == one]
    for entry in (drawn := sample(short, N_GAMES)):
        assert entry.game is not None
        seeds = entry.game.played_with  # several, if it was played side by side
        again = (
            entry.agent.play_side_by_side(seeds)
            if len(seeds) > 1
            else [entry.agent.play(entry.seed)]
        )
        assert not difference(entry.game, again[seeds.index(entry.seed)])
    assert len(drawn) == N_GAMES


def test_only_dice_has_a_table_of_its_own() -> None:
    assert OTHERS == ["dice"], "whose paper's test plays all of its games again"


def unlike_here(entry: Entry) -> str:
    """Say why games of a program cannot be played again on this machine; empty if they can."""
    if not isinstance(entry.agent, ProgramAgent):
        return ""
    assert isinstance(entry.game, ReportedGame)
    try:
        with contextlib.suppress(GameError):  # the first game of zstd makes its corpus, and fails
            entry.agent.play(entry.seed)
        here = entry.agent.play(entry.seed)
    except GameError as error:
        return str(error)
    told = {name: here.reported.get(name) for name in TOLD_OF_PROGRAMS}
    published = {name: entry.game.reported.get(name) for name in TOLD_OF_PROGRAMS}
    return "" if told == published else f"{told} here, {published} published"
