"""What every experiment of the registry does, as checks of one experiment by its name."""

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tests.study.run.test_search import outcome, unbroken_and_stopped
from thetafront.agents.parameters import Value
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.dimension import CategoricalParameter
from thetafront.study.experiments.registry import EXPERIMENTS
from thetafront.study.experiments.space import Space
from thetafront.study.run.settings import SearchSettings
from thetafront.study.samplers.observations import Objectives

MAX_CORNERS = 16
MOVES = 3
LITTLE_TRAINING = {"training_moves": 20_000}


def quick(name: str) -> Experiment:
    """The experiment, whose agents learn for a moment only if they learn at all."""
    experiment = EXPERIMENTS[name]
    less = {key: value for key, value in LITTLE_TRAINING.items() if key in experiment.fixed}
    return replace(experiment, fixed={**experiment.fixed, **less})


def corners(experiment: Experiment) -> list[dict[str, Value]]:
    """All combinations of bounds and categories, the one of all first ends first."""
    ends = [each.ends for each in experiment.space]
    names = experiment.space.names
    return [dict(zip(names, corner, strict=True)) for corner in itertools.product(*ends)]


def check_corners(name: str) -> None:
    """All corners build; the first plays a game, and some others a few moves."""
    experiment = quick(name)
    all_corners = corners(experiment)
    agents = [experiment.build(corner) for corner in all_corners]
    game = agents[0].play(0)
    for cost in experiment.costs:
        objectives = [experiment.goal.estimate([game]).value, cost.value([game])]
        assert np.isfinite(objectives).all()
    for k in np.random.default_rng(0).permutation(len(agents))[:MAX_CORNERS]:
        agent: Any = agents[k]
        if hasattr(agent, "moves"):
            assert list(itertools.islice(agent.moves(0), MOVES))
        else:
            assert agent.play(0).is_possible


def check_baselines(name: str) -> None:
    """Baselines lie in the space; every cost has a reference point."""
    experiment = EXPERIMENTS[name]
    assert experiment.baselines
    for label, values in experiment.baselines.items():
        assert list(values) == list(experiment.space.names), label
        nearest = experiment.space.clip(values)
        assert nearest == values, f"baseline {label!r} must lie in the tuned ranges"
        experiment.build(values)
    for cost in experiment.costs:
        assert min(Objectives.from_experiment(experiment.with_cost(cost)).reference_point[1:]) > 0


def near_the_first_corner(experiment: Experiment) -> Experiment:
    """The experiment in the cheapest tenth of its space, which plays fast."""
    space = Space(
        tuple(
            each
            if isinstance(each, CategoricalParameter)
            else replace(each, high=max(each.from_unit(0.1), each.low + each.grid))
            for each in experiment.space
        )
    )
    return experiment.as_made(space, experiment.fixed)


def check_sweep(name: str, folder: Path) -> None:
    """A search of four trials that is stopped and resumed ends as one without a break."""
    experiment = near_the_first_corner(quick(name))
    n_replicates = min(2, experiment.goal.replicates)
    settings = SearchSettings(4, n_replicates, seed=2, sampler="random", design_size=2)
    unbroken, stopped = unbroken_and_stopped(experiment, folder, settings, n_replicates + 1)
    assert outcome(unbroken) == outcome(stopped)
    assert len(outcome(stopped)) == 4
