"""A watched game of Pacman: the agent's own game, a fake user, pictures that fit."""

import numpy as np
import pytest

from tests.study.terminal.watching import FakeUser, drawn
from thetafront.agents.pacman.agent import PacmanAgent
from thetafront.agents.pacman.astar import PacmanAStar
from thetafront.agents.pacman.mdp import PacmanMDP
from thetafront.agents.pacman.random import PacmanRandom
from thetafront.engine.pacman import Action, GhostKind, Layout, Outcome, World
from thetafront.study.terminal.pace import View
from thetafront.study.terminal.pacman import last_pacman_line, pacman_picture, remark, watch_pacman

MEDIUM = Layout.named("medium")
MDP = PacmanMDP(gamma=0.9, radius=1)
MDP_MEDIUM = PacmanMDP(layout=MEDIUM)


@pytest.mark.parametrize(
    "agent", [MDP, PacmanAStar(danger=2), PacmanRandom(ghosts=GhostKind.DIRECTIONAL)]
)
def test_a_watched_game_is_the_agents(agent: PacmanAgent) -> None:
    user = FakeUser()
    end = watch_pacman(agent, "someone", 6, 2.0, user.stage())
    game = agent.play(6)
    assert (end.score, end.n_steps, end.outcome, end.n_food) == (
        game.score,
        game.n_moves,
        game.outcome,
        game.n_food_left,
    )
    assert user.now == pytest.approx(game.n_moves / 2.0, rel=0.1, abs=1)
    assert user.views[0][1].state.n_steps == 0
    assert user.views[-1][1].state.is_over
    assert user.views[-1][1].pace == ""


def test_what_is_shown_is_what_is_done() -> None:
    user = FakeUser()
    watch_pacman(MDP, "someone", 8, 2.0, user.stage())
    moves = {move.world.n_steps: move.decision for move in MDP.moves(8)}
    shown = [view for _, view in user.views if view.decision]
    assert {view.state.n_steps for view in shown} == set(moves)
    for view in shown:
        assert view.decision is not None
        expected = moves[view.state.n_steps]
        assert view.decision.action == expected.action
        assert np.array_equal(view.decision.values, expected.values)


def test_the_game_that_was_left_can_be_repeated() -> None:
    user = FakeUser([(1.1, "q")])
    end = watch_pacman(PacmanRandom(layout=MEDIUM), "someone", 1, 5.0, user.stage())
    assert end.n_steps == 5
    assert last_pacman_line(end).startswith(f"left with {end.score} points after 5 steps, ")


@pytest.mark.parametrize(
    ("width", "height"), [(120, 40), (80, 24), (60, 24), (44, 22), (30, 14), (12, 4)]
)
@pytest.mark.parametrize("agent", [PacmanMDP(layout=MEDIUM), PacmanAStar(layout=MEDIUM)])
def test_a_picture_fills_the_terminal_and_no_more(
    agent: PacmanAgent, width: int, height: int
) -> None:
    world = World.start(MEDIUM, 17)
    view = View("someone", world, agent.act(world), "5 moves/s")
    lines = drawn(pacman_picture, view, width, height)
    assert len(lines) == height
    assert {len(line) for line in lines} == {width}
    if height >= 22:
        text = "\n".join(lines)
        for part in ("score", "17", "▶", "q quit", "P", "G", "o"):
            assert part in text


def test_the_maze_is_drawn_as_it_is() -> None:
    """Each cell two columns wide: what is left of the panel is the world's own text."""
    world = World.start(MEDIUM, 17)
    world.step(Action.NORTH)
    lines = drawn(pacman_picture, View("someone", world, MDP_MEDIUM.act(world), ""), 80, 24)
    rows = world.text().split("\n")
    first = next(k for k, line in enumerate(lines) if "█" in line)
    left = lines[first].index("█")
    for line, row in zip(lines[first:], rows, strict=False):
        cells = line[left : left + 2 * MEDIUM.width : 2]
        assert cells == row.replace("%", "█").replace(".", "·")


def test_scared_ghosts_and_the_end_are_reported() -> None:
    world = World.start(Layout.parse("%%%%%%%%\n%Po.  G%\n%%%%%%%%", "corridor"), 3)
    while not world.state.ghosts[0, 3]:
        world.step(Action.EAST)
    agent = PacmanAStar(layout=world.layout)
    assert "ghosts scared for" in "\n".join(
        drawn(pacman_picture, View("x", world, agent.act(world), note=remark(world)), 80, 24)
    )
    while not world.is_over:
        world.step(Action.EAST)
    assert world.outcome is Outcome.WON
    text = "\n".join(drawn(pacman_picture, View("x", world, None, note=remark(world)), 80, 24))
    assert "won" in text
    assert "▶" not in text
    assert last_pacman_line(world).startswith("won with ")
