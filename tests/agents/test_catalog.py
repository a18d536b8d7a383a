"""Agents by name: made from numbers and text, and refused by name with what is allowed."""

import ast
from pathlib import Path

import pytest

from thetafront import agents
from thetafront.agents.agent import register
from thetafront.agents.catalog import AGENTS, build, from_theta, parameters, theta_names
from thetafront.agents.pacman.mdp import PacmanMDP
from thetafront.agents.pacman.rewards import Distance
from thetafront.agents.parameters import Value, declared_parameters
from thetafront.agents.twenty48.leaf_value import LeafValue
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP
from thetafront.agents.twenty48.random import RandomAgent
from thetafront.agents.twenty48.uct import UCT
from thetafront.engine.pacman import GhostKind, Layout


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("mcmdp", from_theta("mcmdp", (500, 54, 18, 9, 6.25, 1)), MonteCarloMDP()),
        (
            "uct",
            {"n_simulations": 7.0, "leaf_value": "score", "k_state": 2, "reuse": 1.0},
            UCT(7, leaf_value=LeafValue.SCORE, k_state=2.0, reuse=True),
        ),
        ("uct", {"weights": "none"}, UCT()),
        (
            "pacman_mdp",
            {"radius": 1.0, "distance": "maze", "ghosts": "directional", "layout": "medium"},
            PacmanMDP(
                radius=1,
                distance=Distance.MAZE,
                ghosts=GhostKind.DIRECTIONAL,
                layout=Layout.named("medium"),
            ),
        ),
    ],
)
def test_agents_are_built_from_numbers_and_text(
    name: str, values: dict[str, Value], expected: object
) -> None:
    assert build(name, values) == expected


def test_theta_is_what_is_called_so_or_all_numbers() -> None:
    assert theta_names("mcmdp") == tuple(f"theta{k}" for k in range(1, 7))
    assert theta_names("pmcts") == ("n_playouts",)
    assert not parameters("random")
    assert "leaf_value" not in theta_names("uct")


@pytest.mark.parametrize(
    ("name", "values", "part"),
    [
        (
            "chess",
            {},
            rf"^agent must be one of {', '.join(sorted(AGENTS))} \(got 'chess'\)$",
        ),
        ("mcmdp", {"theta7": 1.0}, "parameter must be one of mcmdp's"),
        ("dice", {"n_dice": 20.0, "n_sides": 1000.0}, r"\(got 20 dice with 1000 sides\)"),
        ("pacman_astar", {"layout": "big"}, r"layout must be small or medium, or the path"),
    ],
)
def test_what_is_not_allowed_is_named(name: str, values: dict[str, Value], part: str) -> None:
    with pytest.raises(ValueError, match=part):
        build(name, values)


@pytest.mark.parametrize("n", [1, 5, 7])
def test_theta_of_the_wrong_length_is_named(n: int) -> None:
    with pytest.raises(ValueError, match=rf"theta must have 6 values for mcmdp: .* \(got {n}\)"):
        from_theta("mcmdp", (1.0,) * n)


def test_agents_of_one_game_do_not_know_each_other() -> None:
    """Nor does what they share: a module with an agent is imported by the catalog alone."""
    with_agents = {agent.__module__ for agent in AGENTS.values()}
    importers = {
        (module, node.module)
        for path in Path(agents.__path__[0]).rglob("*.py")
        for module in [".".join(path.relative_to(agents.__path__[0]).with_suffix("").parts)]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module in with_agents
    }
    assert importers == {("dice.solver", "thetafront.agents.dice.agent")}


def test_every_parameter_says_what_it_is_in_a_line_and_so_does_help() -> None:
    for agent in AGENTS.values():
        for each in declared_parameters(agent).values():
            assert each.description.strip(), f"{agent.name}: {each.name}"
            assert f"\n{each.name} : {each.domain.allowed}\n    {each.description}" in (
                agent.__doc__ or ""
            )


def test_a_name_is_taken_once() -> None:
    class Twin(RandomAgent):
        """Another agent called random."""

    with pytest.raises(ValueError, match="agent 'random' is already the name of RandomAgent"):
        register(Twin)
    assert register(RandomAgent) is AGENTS["random"] is RandomAgent
