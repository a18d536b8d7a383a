"""The lists of agents and experiments: whatever the catalog and the registry hold."""

import json
from pathlib import Path

import pytest

from tests.study.program import refused, succeeded
from thetafront.agents.catalog import AGENTS, build, from_theta, parameters
from thetafront.study.experiments.registry import EXPERIMENTS, objectives


def records(*words: str) -> list[dict]:
    return json.loads(succeeded(None, *words, "--json"))


def test_every_agent_is_listed_with_its_parameters() -> None:
    found = {each["agent"]: each["parameters"] for each in records("agents")}
    assert set(found) == set(AGENTS)
    for name, listed in found.items():
        assert [each["parameter"] for each in listed] == list(parameters(name))
        defaults = {each["parameter"]: each["default"] for each in listed}
        assert build(name, defaults) == AGENTS[name]()
        theta = sorted(
            (each for each in listed if each["theta_place"]), key=lambda each: each["theta_place"]
        )
        values = from_theta(name, [each["default"] for each in theta])
        assert list(values) == [each["parameter"] for each in theta]


def test_every_experiment_is_listed_with_its_space_and_objectives() -> None:
    found = {each["experiment"]: each for each in records("experiments")}
    assert set(found) == set(EXPERIMENTS)
    for name, experiment in EXPERIMENTS.items():
        listed = found[name]
        assert (listed["agent"], listed["goal"]) == (experiment.agent, experiment.goal.name)
        assert listed["costs"][0] == experiment.cost.name
        assert set(listed["costs"]) == {each.name for each in experiment.costs}
        assert [each["parameter"] for each in listed["parameters"]] == list(experiment.space.names)
        for each in listed["parameters"]:
            values = {
                key: vector[each["parameter"]] for key, vector in experiment.baselines.items()
            }
            assert each["baselines"] == values


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["agents"], ["an integer from 1 to", "Searches a tree by simulations", "theta6", "θ"]),
        (["agents", "random"], ["2048", "Takes each legal action"]),
        (["experiments"], ["16 to 2048", "integer, log", "500 (author's θ)", "medium (layout)"]),
        (["experiments", "dice"], ["solving_seconds, n_sweeps", "γ", "0.5 to 1"]),
    ],
)
def test_they_are_readable(words: list[str], parts: list[str]) -> None:
    shown = succeeded(None, *words)
    assert all(part in shown for part in parts), shown


def test_choices_and_conditions_are_shown_as_a_file_gives_them(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(
        """
name = "own"
command = ["true", "{fast}", "{depth}"]
[parameters.fast]
choices = [true, false]
[parameters.depth]
choices = [1, 10, 100]
when = { fast = false }
[objective]
name = "score"
"""
    )
    shown = succeeded(None, "experiments", str(tmp_path / "own.toml"))
    for part in ["true, false", "1, 10, 100", "choice when fast is false"]:
        assert part in shown


def test_pick_has_an_option_for_every_objective() -> None:
    shown = succeeded(None, "pick", "--help")
    for each in objectives():
        assert f"  --{each.bound.replace('_', '-')} " in shown
        assert each.option_help.split()[1] in shown


def test_an_unknown_name_is_refused() -> None:
    assert "agent must be one of " in refused("agents", "chess")
    assert "experiment must be one of " in refused("experiments", "chess")
