"""How good a study's recommendation is, by the truth.

Notation
--------
===========  =======================================================================================
prediction   the mean score and time said of an evaluated θ: as observed, or by the model
budget       a time per move that a user can afford; 25 of them, the middles of as many equal parts
             of the true front's decades of time
pick         of the θ predicted to keep a budget, the one with the highest predicted score
===========  =======================================================================================

*Hypervolume*: of the true values of all θ whose predictions are not dominated, over the true
front's. *Regret*: the true front's score at a budget less the pick's true score, mean over the
budgets; all of the front's score where no θ is predicted to keep the budget. *Unserved*: the share
of such budgets. *Optimism*: predicted less true score of the picks, mean over the budgets that have
one. A pick may truly take a little longer than predicted: times are known to 2% a game.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from results.benchmarks.samplers.surface import Floats
from results.benchmarks.samplers.truth import Truth
from thetafront.study.pareto import hypervolume, nondominated


@dataclass(frozen=True)
class Predictions:
    """Predicted and true points and seconds per move of some θ, shape (n,) each."""

    scores: Floats
    seconds: Floats
    true_scores: Floats
    true_seconds: Floats


def hypervolume_share(
    predictions: Predictions, truth: Truth, reference: tuple[float, float]
) -> float:
    """Return the true hypervolume of the recommended θ, over the true front's."""
    chosen = nondominated(predictions.scores, predictions.seconds)
    scores, seconds = predictions.true_scores[chosen], predictions.true_seconds[chosen]
    return hypervolume(scores, seconds, *reference) / truth.hypervolume


class AtBudgets(NamedTuple):
    """Means over the budgets."""

    regret: float  # points
    optimism: float  # points; NaN where no budget has a pick
    unserved: float  # share of the budgets without a pick


def at_budgets(predictions: Predictions, truth: Truth) -> AtBudgets:
    """Let users with 25 different budgets pick a θ, and measure the picks by the truth."""
    budgets = truth.budgets
    regrets, optimisms = [], []
    for budget, best in zip(budgets, truth.best_within(budgets), strict=True):
        affordable = np.flatnonzero(predictions.seconds <= budget)
        if not len(affordable):
            regrets.append(best)
            continue
        pick = affordable[np.argmax(predictions.scores[affordable])]
        regrets.append(best - predictions.true_scores[pick])
        optimisms.append(predictions.scores[pick] - predictions.true_scores[pick])
    return AtBudgets(
        regret=float(np.mean(regrets)),
        optimism=float(np.mean(optimisms)) if optimisms else math.nan,
        unserved=1.0 - len(optimisms) / len(budgets),
    )
