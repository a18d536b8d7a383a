"""What agents of all games have in common: compiled once, and their games known by name."""

import json
import math
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from thetafront.agents.agent import Agent, Game, agent_digest, warm
from thetafront.agents.catalog import build_identified
from thetafront.agents.pacman.agent import PacmanGame
from thetafront.agents.pacman.astar import PacmanAStar
from thetafront.agents.twenty48 import agent as twenty48
from thetafront.agents.twenty48.agent import Agent2048, Game2048, Progress
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP
from thetafront.agents.twenty48.pmcts import PureMonteCarlo
from thetafront.engine.twenty48 import Rule

PUBLISHED = sorted((Path(__file__).parents[2] / "results/reference").glob("*/agents.json"))


@dataclass(frozen=True)
class Counted(Agent):
    """Counts how often it is warmed up."""

    kernel: str = "a"
    calls: list[str] = field(default_factory=list, compare=False)

    @property
    def built_for(self) -> str:
        return self.kernel

    def warm_up(self) -> None:
        self.calls.append(self.kernel)

    def play(self, seed: int) -> Game:
        return Game(seed, 1.5, 1, 0.0)


def test_kernels_are_compiled_once_for_each_thing_they_are_built_for() -> None:
    calls: list[str] = []
    for kernel in ("a", "a", "b", "a", "b"):
        warm(Counted(kernel, calls))
    assert calls == ["a", "b"]


def test_agents_for_2048_are_built_for_their_rule() -> None:
    for rule in Rule:
        assert PureMonteCarlo(1, cascade=rule is Rule.CASCADE).built_for == rule


def test_slow_moves_are_played_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """So a game can be interrupted; of fast moves, each call plays twice as many."""
    ends: dict[bool, list[int]] = {True: [], False: []}
    warm(MonteCarloMDP())
    games = []
    for is_slow, made in ends.items():
        monkeypatch.setattr(twenty48, "CHUNK_SECONDS", 0.0 if is_slow else 10.0)

        def advance(self: MonteCarloMDP, progress: Progress, seed: int, max_moves: int) -> Progress:
            made.append(max_moves)  # noqa: B023
            return Agent2048.advance(self, progress, seed, max_moves)

        monkeypatch.setattr(MonteCarloMDP, "advance", advance)
        games.append(MonteCarloMDP(theta1=20, theta2=2).play(3))
    assert games[0].end_board == games[1].end_board
    assert ends[False] == [2**k - 1 for k in range(1, len(ends[False]) + 1)]
    assert ends[True] == list(range(1, games[0].n_moves + 2))


def test_games_of_2048_are_known_by_name() -> None:
    assert Game.kinds["2048"] is Game2048
    game = Game2048(3, 1000, 100, 0.5, 40_000, 32768, 0xFEDCBA9876543210)
    assert game.to_row() == {
        "seed": 3,
        "score": 1000,
        "n_moves": 100,
        "seconds": 0.5,
        "n_playout_moves": 40_000,
        "max_tile": 32768,
        "end_board": "fedcba9876543210",
    }
    assert Game2048.from_row(game.to_row()) == game


@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.parent.name)
def test_published_agents_keep_their_digests(path: Path) -> None:
    """Parameters that came later are part of an agent only where they are not at their default."""
    for digest, values in json.loads(path.read_text("utf-8")).items():
        assert agent_digest(build_identified(values)) == digest, values


LOST = PacmanAStar().play(3).to_row() | {"outcome": "lost", "n_food_left": 2}


@pytest.mark.parametrize(
    "damage",
    [
        {"outcome": "drawn"},
        {"n_moves": "many"},
        {"seconds": None},
        {"outcome": "running"},
        {"outcome": "won"},
        {"n_moves": 0},
        {"n_sweeps": -1},
        {"seconds": math.nan},
        {"seed": -1},
    ],
)
def test_rows_that_no_game_has_are_noticed(damage: dict[str, object]) -> None:
    try:
        game = PacmanGame.from_row(LOST | damage)
    except ValueError as error:
        assert "row: not a game of pacman: " in str(error)  # noqa: PT017
    else:
        assert not game.is_possible


def test_a_missing_cell_is_named() -> None:
    with pytest.raises(ValueError, match="row: not a game of pacman: 'score'"):
        PacmanGame.from_row({"seed": 1})
