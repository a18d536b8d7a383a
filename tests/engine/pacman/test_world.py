"""Whole games, and the interface for callers in Python."""

import pytest

from tests.engine.pacman.positions import (
    CHAMBER,
    CORRIDOR,
    PAIR,
    as_meant,
    put,
    put_food,
    put_pacman,
)
from thetafront.engine.pacman import Action, Layout, Outcome, World

N, E, S, W, STOP = Action

# --- games ---


def test_the_same_seed_and_actions_give_the_same_game() -> None:
    layout = Layout.named("medium")
    tracks = []
    for seed in (1, 1, 2):
        world = World.start(layout, seed)
        track = []
        while not world.is_over and world.n_steps < 60:
            world.step([N, E, S, W][world.n_steps % 4])
            track.append((world.pacman, world.ghosts, world.score))
        tracks.append(track)
    assert tracks[0] == tracks[1] != tracks[2]


def test_copies_are_independent_and_equal() -> None:
    world = World.start(Layout.named("medium"), seed=5)
    world.step(E)
    copy = world.copy()
    before = world.text()
    rewards = [copy.step(W) for _ in range(3)]
    assert world.text() == before
    assert (world.n_steps, copy.n_steps) == (1, 4)
    assert [world.step(W) for _ in range(3)] == rewards
    assert world.text() == copy.text()


def test_the_last_step_may_still_win() -> None:
    def prepared(seed: int) -> World:
        world = World.start(CHAMBER, seed, most_steps=1)
        put_food(world, (2, 3))
        return world

    assert as_meant(prepared, E, to=(2, 3)).outcome is Outcome.WON


# --- for callers in Python ---


@pytest.mark.parametrize("name", ["small", "medium"])
def test_a_game_is_drawn_as_its_layout(name: str) -> None:
    layout = Layout.named(name)
    assert World.start(layout, seed=0).text() == layout.text


def test_changes_are_drawn() -> None:
    world = World.start(PAIR, seed=0)
    put_food(world, (1, 1))
    put(world, 0, 2.5, 3, E, timer=3)
    put(world, 1, 4, 1, W)
    assert world.text().splitlines()[1:4] == ["%  g    %", "%%%% %%%%", "%.  G  o%"]
    put(world, 0, 4, 1, W, timer=3)
    assert world.text().splitlines()[3] == "%.  g  o%"  # the first in front


def test_open_directions_are_those_without_a_wall() -> None:
    world = World.start(PAIR, seed=0)
    assert world.open_directions == (N, E, W)
    put_pacman(world, 1, 1)
    assert world.open_directions == (E,)


def test_bad_games_are_refused_in_one_line() -> None:
    for given, message in (
        ({"seed": -1}, "^seed must be between 0 and 2\\*\\*64 - 1 \\(got -1\\)$"),
        ({"seed": 2**64}, "^seed must be between 0"),
        (
            {"seed": 0, "ghosts": "clever"},
            r"^ghosts must be random or directional \(got 'clever'\)$",
        ),
        ({"seed": 0, "most_steps": 0}, "^most_steps must be between 1 and 2\\*\\*62 \\(got 0\\)$"),
        ({"seed": 0, "p_chosen": 1.01}, r"^p_chosen must be between 0 and 1 \(got 1.01\)$"),
        ({"seed": 0, "p_chosen": float("nan")}, r"^p_chosen must be between 0 and 1 \(got nan\)$"),
    ):
        with pytest.raises(ValueError, match=message):
            World.start(CORRIDOR, **given)


def test_bad_actions_are_refused_in_one_line() -> None:
    world = World.start(CORRIDOR, seed=0)
    for action in (-1, 5):
        names = "0 north, 1 east, 2 south, 3 west, 4 stop"
        with pytest.raises(ValueError, match=rf"^action must be one of {names} \(got {action}\)$"):
            world.step(action)
    put(world, 0, 2, 2, W)
    world.step(STOP)
    with pytest.raises(
        ValueError, match=r"^action must be given in a running game \(got 4 in a game that is lost"
    ):
        world.step(4)
