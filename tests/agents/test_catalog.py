"""Agents by name."""

import pytest

from agents.catalog import AGENTS, Value, build, from_theta, parameters, theta_names, words_allowed
from agents.dice.agent import DiceAgent
from agents.dice.solver import DiceSolver
from agents.pacman.astar import PacmanAStar
from agents.pacman.mdp import PacmanMDP
from agents.pacman.random import PacmanRandom
from agents.pacman.rewards import Distance
from agents.twenty48.leaf_value import LeafValue
from agents.twenty48.mcmdp import MonteCarloMDP
from agents.twenty48.pmcts import PureMonteCarlo
from agents.twenty48.uct import UCT
from engine.pacman import GhostKind, Layout


def test_agents_are_built_from_named_numbers() -> None:
    theta = from_theta("mcmdp", (500, 54, 18, 9, 6.25, 1))
    assert build("mcmdp", theta) == MonteCarloMDP.from_theta() == build("mcmdp", {})
    assert build("pmcts", {"n_playouts": 7.0}) == PureMonteCarlo(7)


def test_mazes_and_ghosts_are_words() -> None:
    medium = Layout.named("medium")
    for name, kind in (
        ("pacman_astar", PacmanAStar),
        ("pacman_mdp", PacmanMDP),
        ("pacman_random", PacmanRandom),
    ):
        assert build(name, {}) == kind(), "the same defaults"
        values: dict[str, Value] = {"layout": "medium", "ghosts": "directional"}
        assert build(name, values) == kind(layout=medium, ghosts=GhostKind.DIRECTIONAL)
    assert build("pacman_mdp", {"radius": 1.0, "distance": "maze", "cut": 1.0}) == PacmanMDP(
        radius=1, distance=Distance.MAZE, cut=True
    )
    assert build("dice", {"gamma": 0.9}) == DiceAgent(0.9)
    assert build("dice_solver", {"tolerance": 1.0}) == DiceSolver(tolerance=1.0)


def test_theta_is_what_is_called_so() -> None:
    assert theta_names("mcmdp") == tuple(f"theta{k}" for k in range(1, 7))
    assert theta_names("pmcts") == ("n_playouts",)
    assert parameters("random") == {}
    assert "leaf_value" not in theta_names("uct"), "a word is no component of a vector"


def test_a_parameter_may_take_a_word() -> None:
    default = parameters("uct")["leaf_value"]
    assert default == "random"
    assert words_allowed(default) == ("random", "lookahead", "weights_a", "weights_b", "score")
    assert words_allowed(parameters("uct")["depth"]) == ()
    for word in words_allowed(default):
        assert build("uct", {"leaf_value": word}) == UCT(leaf_value=LeafValue(word))


@pytest.mark.parametrize(
    ("name", "values", "part"),
    [
        (
            "chess",
            {},
            "'chess' given, one of dice, dice_solver, mcmdp, pacman_astar, pacman_mdp, pacman_ran",
        ),
        ("mcmdp", {"theta7": 1.0}, "'theta7' given for mcmdp"),
        ("mcmdp", {"theta6": 2.0}, "theta6"),
        ("mcmdp", {"theta1": float("inf")}, "theta1: inf"),
        ("pmcts", {"n_playouts": 1.5}, "an integer allowed"),
        ("pmcts", {"cascade": 2.0}, "cascade: 2 given, 0 or 1 allowed"),
        ("uct", {"leaf_value": "best"}, "leaf_value: 'best' given, one of random, lookahead, wei"),
        ("uct", {"leaf_value": 1.0}, "leaf_value: 1 given, one of random, lookahead, weights_a"),
        ("uct", {"depth": "deep"}, "depth: 'deep' given, a number allowed"),
        ("mcmdp", {"gamma": 0.0}, "gamma: 0 given"),
        ("dice", {"gamma": 1.5}, "gamma: 1.5 given, above 0 and up to 1 allowed"),
        ("dice_solver", {"tolerance": -1.0}, "tolerance: -1.0 given"),
        ("pacman_mdp", {"radius": 5.0}, "radius: 5 given, 0 to 4 allowed"),
        ("pacman_mdp", {"radius": 1.5}, "radius: 1.5 given, an integer allowed"),
        ("pacman_mdp", {"radius": 1e300}, r"radius: 1e\+300 given, an integer from 0 to 4 allowed"),
        (
            "pacman_mdp",
            {"distance": "bird"},
            "distance: 'bird' given, one of manhattan, maze allow",
        ),
        ("pacman_astar", {"layout": "big"}, "layout: 'big' given, one of small, medium allowed"),
        ("pacman_random", {"ghosts": "shy"}, "ghosts: 'shy' given, one of random, directional all"),
        ("mcmdp", {"reward_weight": -1.0}, "reward_weight: -1 given"),
    ],
)
def test_what_is_not_allowed_is_named(name: str, values: dict[str, Value], part: str) -> None:
    with pytest.raises(ValueError, match=part):
        build(name, values)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_is_not_finite_is_named_with_what_is_allowed(value: float) -> None:
    """For every number of every agent: its range, or the end that it has."""
    allowed = r"(an integer |a share |a number |a finite number )?(from )?(\S+ to \S+|above 0 and up to 1|of 0 or more) allowed$"
    n_refused = 0
    for name in AGENTS:
        for key, default in parameters(name).items():
            if isinstance(default, bool | str):
                continue
            with pytest.raises(ValueError, match=rf"^{key}: {value} given, {allowed}"):
                build(name, {key: value})
            n_refused += 1
    assert n_refused > 30


def test_theta_of_the_wrong_length_is_named() -> None:
    with pytest.raises(ValueError, match="5 values given, 6 expected for mcmdp"):
        from_theta("mcmdp", (1, 2, 3, 4, 5))
    with pytest.raises(ValueError, match="1 value given, 6 expected for mcmdp"):
        from_theta("mcmdp", (1,))
