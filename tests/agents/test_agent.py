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
from thetafront.agents.twenty48.agent import Game2048
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
