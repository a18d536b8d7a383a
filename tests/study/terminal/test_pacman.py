"""A watched game of Pacman: the agent's own game, keys by a fake person, pictures that fit, words of a command line."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.pacman.agent import PacmanAgent
from agents.pacman.astar import PacmanAStar
from agents.pacman.mdp import PacmanMDP
from agents.pacman.random import PacmanRandom
from engine.pacman import Action, GhostKind, Layout, Outcome, World
from study.terminal.pacman import (
    PacmanView,
    last_pacman_line,
    pacman_picture,
    watch_pacman,
)
from tests.study.program import refused
from tests.study.terminal.watching import FakePerson, drawn

MEDIUM = Layout.named("medium")
MDP = PacmanMDP(gamma=0.9, radius=1)
MDP_MEDIUM = PacmanMDP(layout=MEDIUM)


def a_person(*arguments: Any) -> FakePerson[PacmanView]:
    """A person who leaves when nothing is left to decide."""
    return FakePerson(lambda view: view.decision is None, *arguments)


@pytest.mark.parametrize(
    "agent", [MDP, PacmanAStar(danger=2), PacmanRandom(ghosts=GhostKind.DIRECTIONAL)]
)
@pytest.mark.parametrize("speed", [2, 1000])
def test_a_watched_game_is_the_agents(agent: PacmanAgent, speed: float) -> None:
    person = a_person()
    end = watch_pacman(agent, "someone", 6, speed, person.stage())
    game = agent.play(6)
    assert (end.score, end.n_steps, end.outcome, end.n_food) == (
        game.score,
        game.n_moves,
        game.outcome,
        game.n_food_left,
    )
    assert person.now == pytest.approx(game.n_moves / speed, rel=0.1, abs=1)
    assert person.views[0][1].world.n_steps == 0
    assert person.views[-1][1].world.is_over
    assert person.views[-1][1].pace == ""


def test_what_is_shown_is_what_is_done() -> None:
    person = a_person()
    watch_pacman(MDP, "someone", 8, 2.0, person.stage())
    moves = {move.world.n_steps: move.decision for move in MDP.moves(8)}
    shown = [view for _, view in person.views if view.decision]
    assert {view.world.n_steps for view in shown} == set(moves)
    for view in shown:
        assert view.decision is not None
        expected = moves[view.world.n_steps]
        assert view.decision.action == expected.action
        assert np.array_equal(view.decision.values, expected.values)


def test_pause_step_speed_and_quit() -> None:
    person = a_person([(1.1, " "), (50.0, "n"), (51.0, "n"), (60.0, "q")])
    end = watch_pacman(PacmanRandom(layout=MEDIUM), "someone", 1, 5.0, person.stage())
    assert end.n_steps == 5 + 2, "five in 1.1 s, then two single steps"
    assert person.views[-1][1].pace == "paused"
    assert last_pacman_line(end, "x").startswith(f"left with {end.score} points after 7 steps, ")

    faster = a_person([(0.05, "+"), (0.06, "+"), (1.2, "-"), (1.3, "q")])
    end = watch_pacman(PacmanRandom(layout=MEDIUM), "someone", 1, 0.5, faster.stage())
    assert end.n_steps == 2, "at two moves a second"
    assert faster.views[-1][1].pace == "1 move/s"


@pytest.mark.parametrize(
    ("width", "height"), [(120, 40), (80, 24), (60, 24), (44, 20), (30, 14), (12, 4)]
)
@pytest.mark.parametrize("agent", [PacmanMDP(layout=MEDIUM), PacmanAStar(layout=MEDIUM)])
def test_a_picture_fills_the_terminal_and_no_more(
    agent: PacmanAgent, width: int, height: int
) -> None:
    world = World.start(MEDIUM, 17)
    view = PacmanView("someone", world, agent.act(world), "5 moves/s")
    lines = drawn(pacman_picture, view, width, height)
    assert len(lines) == height
    assert {len(line) for line in lines} == {width}
    if height >= 20:
        text = "\n".join(lines)
        for part in ("score", "17", "▶", "q quit", "P", "G", "o"):
            assert part in text


def test_the_maze_is_drawn_as_it_is() -> None:
    """Each cell two columns wide: what is left of the panel is the world's own text."""
    world = World.start(MEDIUM, 17)
    world.step(Action.NORTH)
    lines = drawn(pacman_picture, PacmanView("someone", world, MDP_MEDIUM.act(world), ""), 80, 24)
    rows = world.text().split("\n")
    first = next(k for k, line in enumerate(lines) if "█" in line)
    left = lines[first].index("█")
    for line, row in zip(lines[first:], rows, strict=False):
        cells = line[left : left + 2 * MEDIUM.width : 2]
        assert cells == row.replace("%", "█").replace(".", "·")


def test_scared_ghosts_and_the_end_are_told() -> None:
    world = World.start(Layout.parse("%%%%%%%%\n%Po.  G%\n%%%%%%%%", "corridor"), 3)
    while not world.state.ghosts[0, 3]:
        world.step(Action.EAST)
    agent = PacmanAStar(layout=world.layout)
    assert "ghosts scared for" in "\n".join(
        drawn(pacman_picture, PacmanView("x", world, agent.act(world), ""), 80, 24)
    )
    while not world.is_over:
        world.step(Action.EAST)
    assert world.outcome is Outcome.WON
    text = "\n".join(drawn(pacman_picture, PacmanView("x", world, None, ""), 80, 24))
    assert "won" in text
    assert "▶" not in text
    assert last_pacman_line(world, "x").startswith("won with ")


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        (["pacman"], "standard output must be a terminal"),
        (["pacman_random", "--layout", "medium"], "standard output must be a terminal"),
        (["pacman_x"], "agent: 'pacman_x' given; one of mcmdp, pacman_astar, pacman_mdp, pacman_"),
        (["dice"], "agent: 'dice' given, which plays another game; one of mcmdp, pacman_astar, "),
        (["pacman", "--layout", "large"], "layout: 'large' given, small or medium allowed"),
        (["pacman", "--layout", "nowhere/my.lay"], "nowhere/my.lay given, which cannot be read"),
        (["pacman", "--layout", ""], "layout: '' given, small or medium allowed"),
        (["pacman", "--set", "gama=big"], "parameter: 'gama' given for pacman_mdp, allowed: gamma"),
        (["pacman", "--set", "gamma=nan"], "gamma: nan given, above 0 and up to 1 allowed"),
        (["pacman", "--set", "gamma=2"], "gamma: 2 given, above 0 and up to 1 allowed"),
        (["pacman", "--set", "radius=1.5"], "radius: 1.5 given, an integer from 0 to 4 allowed"),
        (["pacman", "--set", "distance=far"], "distance: 'far' given, one of manhattan, maze"),
        (["pacman", "--set", "ghosts=blue"], "ghosts: 'blue' given, one of random, directional"),
        (["pacman", "--theta", "1"], "theta: 1 value given, "),
        (["pacman", "--human"], "watch: --human given for pacman_mdp, allowed for 2048 only"),
        (["pacman", "--seed", "-1"], "seed: -1 given, 0 to"),
        (["random", "--layout", "small"], "'small' given for random, which has no maze"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_and_exit_code_2(asked: list[str], named: str) -> None:
    assert named in refused("watch", *asked)


def test_a_bad_maze_is_one_line(tmp_path: Path) -> None:
    for text, named in zip(
        ("%%%%\n%P.%\n%%%", "%%%%\n%..%\n%%%%"),
        ("line 3 has 3 characters", "0 Pacmen"),
        strict=True,
    ):
        path = tmp_path / "my.lay"
        path.write_text(text)
        assert named in refused("watch", "pacman", "--layout", str(path))
