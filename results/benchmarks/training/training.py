"""2048 with learned values: an experiment for each length of training, 5, 20 and 80 million moves.

Each experiment has the same space as ``ntuple``: the settings of learning, and those of the search.
The fronts of the three studies show how score and CPU time per move depend on the CPU time spent on
training.
"""

from dataclasses import replace

from thetafront import Experiment
from thetafront.study.experiments.builtin import NTUPLE


def trained_for(millions: int) -> Experiment:
    """Return the experiment whose networks learn from this many million moves."""
    return replace(
        NTUPLE,
        name=f"train_{millions}m",
        title=f"2048, learned values after {millions} million moves of training",
        fixed={"training_moves": millions * 1_000_000},
    )


FIVE, TWENTY, EIGHTY = trained_for(5), trained_for(20), trained_for(80)
