"""Experiments: each builds its agent anywhere in its space, and knows where it may be compared."""

import itertools

import pytest

from agents.catalog import AGENTS, parameters
from agents.leaf_value import LeafValue
from agents.switching import Switching
from study.cost import COSTS
from study.errors import InputError
from study.experiment import EXPERIMENTS, Experiment, experiment
from study.space import Choice


@pytest.mark.parametrize("each", EXPERIMENTS.values(), ids=lambda each: each.name)
def test_every_corner_of_the_space_is_an_agent(each: Experiment) -> None:
    assert each.agent in AGENTS
    assert set(each.space.names) <= set(parameters(each.agent))
    ends = [
        parameter.choices
        if isinstance(parameter, Choice)
        else (parameter.from_unit(0.0), parameter.from_unit(1.0))
        for parameter in each.space
    ]
    for corner in itertools.product(*ends):
        each.build(dict(zip(each.space.names, corner, strict=True)))


@pytest.mark.parametrize("each", EXPERIMENTS.values(), ids=lambda each: each.name)
def test_baselines_are_in_the_space(each: Experiment) -> None:
    assert each.baselines
    for values in each.baselines.values():
        assert list(values) == list(each.space.names)
        for parameter in each.space:
            assert parameter.clip(values[parameter.name]) == values[parameter.name]
        each.build(values)
    for cost in each.costs:
        assert each.with_cost(cost).reference_cost > 0


def test_switching_always_switches() -> None:
    """Where k = 0 or d = 1 it would be the plain agent, which has an experiment of its own."""
    low = {parameter.name: parameter.low for parameter in experiment("switching").space}
    agent = experiment("switching").build(low)
    assert isinstance(agent, Switching)
    assert agent.switch_at >= 1
    assert agent.depth >= 2


def test_uct_has_all_leaf_values() -> None:
    (leaf_value,) = experiment("uct").space.choices
    assert leaf_value.choices == tuple(LeafValue)
    assert {type(word) for word in leaf_value.choices} == {str}, "what a storage gives back"


def test_the_baseline_of_uct_is_the_plain_tree() -> None:
    """k′ = 30 holds back no state: game by game what k′ = 0, no widening, plays."""
    uct = experiment("uct")
    (values,) = uct.baselines.values()
    few = {**values, "n_simulations": 60}
    for seed in range(2):
        game = uct.build(few).play(seed)
        plain = uct.build({**few, "k_state": 0.0}).play(seed)
        assert (game.end_board, game.n_playout_moves) == (plain.end_board, plain.n_playout_moves)
    held_back = uct.build({**few, "k_state": 1.0}).play(0)
    assert held_back.end_board != uct.build(few).play(0).end_board


def test_fronts_of_uct_compare_with_those_of_mcmdp() -> None:
    uct, mcmdp = experiment("uct"), experiment("mcmdp")
    for cost in COSTS.values():
        reference = uct.with_cost(cost).objectives.reference_point
        assert reference == mcmdp.with_cost(cost).objectives.reference_point


def test_an_unknown_experiment_is_named() -> None:
    with pytest.raises(InputError, match="'chess' given, one of mcmdp, switching, uct allowed"):
        experiment("chess")
