"""Experiments: each builds its agent anywhere in its space, and knows where it may be compared."""

import itertools

import pytest

from agents.catalog import AGENTS, parameters
from agents.switching import Switching
from study.cost import COSTS
from study.errors import InputError
from study.experiment import EXPERIMENTS, Experiment, experiment


@pytest.mark.parametrize("each", EXPERIMENTS.values(), ids=lambda each: each.name)
def test_every_corner_of_the_space_is_an_agent(each: Experiment) -> None:
    assert each.agent in AGENTS
    assert set(each.space.names) <= set(parameters(each.agent))
    bounds = [(parameter.low, parameter.high) for parameter in each.space]
    for corner in itertools.product(*bounds):
        each.build(dict(zip(each.space.names, corner, strict=True)))


@pytest.mark.parametrize("each", EXPERIMENTS.values(), ids=lambda each: each.name)
def test_baselines_are_in_the_space(each: Experiment) -> None:
    assert each.baselines
    for values in each.baselines.values():
        assert list(values) == list(each.space.names)
        for parameter in each.space:
            assert parameter.clip(values[parameter.name]) == values[parameter.name]
        each.build(values)
    for cost in COSTS.values():
        assert each.with_cost(cost).reference_cost > 0


def test_switching_always_switches() -> None:
    """Where k = 0 or d = 1 it would be the plain agent, which has an experiment of its own."""
    low = {parameter.name: parameter.low for parameter in experiment("switching").space}
    agent = experiment("switching").build(low)
    assert isinstance(agent, Switching)
    assert agent.switch_at >= 1
    assert agent.depth >= 2


def test_an_unknown_experiment_is_named() -> None:
    with pytest.raises(InputError, match="'chess' given, one of mcmdp, switching allowed"):
        experiment("chess")
