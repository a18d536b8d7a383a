"""Experiments by name, and the objectives that they use.

The module of each game explains its experiments and their bounds.
"""

from study.errors import InputError
from study.experiments.definition import Experiment
from study.experiments.dice import DICE
from study.experiments.objectives import Cost, Goal
from study.experiments.pacman import PACMAN, PACMAN_SMALL
from study.experiments.twenty48 import HEURISTIC, MCMDP, NTUPLE, SWITCHING, UCT

EXPERIMENTS = {
    each.name: each
    for each in (DICE, HEURISTIC, MCMDP, NTUPLE, PACMAN, PACMAN_SMALL, SWITCHING, UCT)
}


def objectives() -> list[Goal | Cost]:
    """Return the goals and costs of all experiments, goals first, each command-line option once."""
    found: list[Goal | Cost] = [each.goal for each in EXPERIMENTS.values()]
    found += [cost for each in EXPERIMENTS.values() for cost in each.costs]
    return list({each.option: each for each in found}.values())


def experiment(name: str) -> Experiment:
    """Return the experiment called ``name``; InputError if there is none."""
    if name not in EXPERIMENTS:
        allowed = ", ".join(sorted(EXPERIMENTS))
        raise InputError(f"experiment: {name!r} given, one of {allowed} allowed")
    return EXPERIMENTS[name]
