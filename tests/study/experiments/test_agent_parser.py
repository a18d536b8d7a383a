"""Agents from the words of a command line."""

from pathlib import Path

import pytest

from thetafront.agents.pacman.astar import PacmanAStar
from thetafront.agents.pacman.mdp import PacmanMDP
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP
from thetafront.engine.pacman import Layout
from thetafront.study.errors import InputError
from thetafront.study.experiments.agent_parser import build_agent, build_agent_2048

MEDIUM = Layout.named("medium")


def test_settings_override_theta_and_all_parameters_are_listed() -> None:
    agent, params = build_agent_2048("mcmdp", "16,8,4,2,2,0.5", ["theta6 = 1", "min_playouts=3"])
    assert agent == MonteCarloMDP(16, 8, 4, 2, 2, 1, min_playouts=3)
    assert [params[f"theta{k}"] for k in range(1, 7)] == [16, 8, 4, 2, 2, 1]
    assert params["min_playouts"] == 3


def test_an_agent_for_pacman_has_its_maze_and_categorical_parameters() -> None:
    words = ["gamma=0.8", "radius=3", "distance=maze", "cut=true", "ghosts=directional"]
    agent, params = build_agent("pacman_mdp", None, words, "medium")
    assert agent == PacmanMDP(
        layout=MEDIUM, gamma=0.8, radius=3, distance="maze", cut=True, ghosts="directional"
    )
    assert (params["layout"], params["cut"]) == ("medium", 1)
    assert build_agent("pacman_astar", None, ["layout=medium"])[0] == PacmanAStar(layout=MEDIUM)


def test_a_maze_may_be_a_file(tmp_path: Path) -> None:
    path = tmp_path / "my.lay"
    path.write_text("%%%%%\n%P .%\n%%%%%")
    for words, layout in (([], str(path)), ([f"layout={path}"], None)):
        agent, params = build_agent("pacman_mdp", None, words, layout)
        assert isinstance(agent, PacmanMDP)
        assert (agent.layout.name, params["layout"]) == ("my", str(path))


@pytest.mark.parametrize(
    ("name", "theta", "settings", "layout", "named"),
    [
        ("mcmdp", "1,,3", [], None, r"theta must be numbers \(got ''\)"),
        ("mcmdp", "500.5,1,1,1,1,1", [], None, "theta1 must be a whole number from 0 to 100"),
        ("switching", None, ["theta4=8.9"], None, "theta4 must be a whole number from 0 to"),
        ("mcmdp", None, ["theta9=x"], None, "parameter must be one of mcmdp's"),
        ("mcmdp", None, ["theta1"], None, "--set must be name=value"),
        ("mcmdp", None, ["layout=small"], None, "parameter must be one of mcmdp's"),
        ("pacman_mdp", None, ["cut=yes"], None, r"cut must be 0 or 1 \(got 'yes'\)"),
        ("pacman_mdp", None, ["layout=big"], None, r"layout must be small or medium, or the path"),
        ("pacman_mdp", None, ["layout=small"], "small", "layout must be given once"),
    ],
)
def test_bad_input_is_named(
    name: str, theta: str | None, settings: list[str], layout: str | None, named: str
) -> None:
    with pytest.raises(InputError, match=named):
        build_agent(name, theta, settings, layout)
