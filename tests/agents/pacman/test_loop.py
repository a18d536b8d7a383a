"""The game loop of Pacman, with every agent of the catalog."""

from dataclasses import replace

import pytest

from tests.agents.conformance import small_variants
from thetafront.agents.catalog import AGENTS
from thetafront.agents.pacman import agent as pacman_agent
from thetafront.agents.pacman.agent import PacmanAgent
from thetafront.engine.pacman import Layout, Outcome

PLAYERS = [name for name, each in AGENTS.items() if issubclass(each, PacmanAgent)]
VARIANTS = [agent for name in PLAYERS for agent in small_variants(name)]


@pytest.mark.parametrize("layout", ["small", "medium"])
@pytest.mark.parametrize("agent", VARIANTS)
def test_a_game_is_that_of_its_moves(
    agent: PacmanAgent, layout: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Decision by decision, and in chunks of one decision."""
    agent = replace(agent, layout=Layout.named(layout), most_steps=200)
    game = agent.play(3)
    moves = list(agent.moves(3))
    last, decision = moves[-1]
    last.step(decision.action)
    assert (game.score, game.outcome) == (last.score, last.outcome)
    assert (game.n_moves, game.n_food_left) == (len(moves), last.n_food)
    assert game.n_sweeps == sum(move.decision.n_sweeps for move in moves)
    assert game.n_backups == sum(move.decision.n_backups for move in moves)
    residuals = [move.decision.residual for move in moves]
    assert game.residual_mean == pytest.approx(sum(residuals) / len(moves), abs=1e-12)
    assert game.won is (game.outcome is Outcome.WON)
    monkeypatch.setattr(pacman_agent, "MOVES_PER_CHUNK", 1)
    again = agent.play(3)
    assert again.residual_mean == pytest.approx(game.residual_mean)
    assert replace(again, seconds=0, residual_mean=0) == replace(game, seconds=0, residual_mean=0)
