"""What a study would recommend, measured by the truth.

Notation
--------
=========  =========================================================================================
claim      what is said of an evaluated θ, its mean score and its time: as observed, or by the model
budget     a time per move that a user can afford; 25 of them: the middles of as many equal parts of
           the true front's decades of time (its very ends are corners that nobody needs to hit)
pick       of all evaluated θ that claim to keep a budget, the one that claims most
=========  =========================================================================================

*Hypervolume*: that of the true values of all θ whose claims are not dominated, over the true front's.
*Regret*: what the true front has to offer for a budget less what the pick is truly worth, mean over all
budgets. Where no θ claims to keep a budget, the user has nothing, and the regret is all that the true
front offers there; the share of such budgets, the *unserved*, is told beside it. That a pick may truly take a little longer than it claims is let pass: times are known to 2% a game.
*Optimism*: what picks claim less what they are truly worth, mean over the budgets
that have one.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from study.bench.samplers.truth import Truth
from study.pareto import hypervolume, nondominated

Floats = npt.NDArray[np.float64]

N_BUDGETS = 25
ROUNDING = 1.0 + 1e-9


@dataclass(frozen=True)
class Claims:
    """What is said of some evaluated θ, and what is true.

    Attributes
    ----------
    scores, seconds : float64, shape (n,)
        Claimed: points, seconds per move.
    true_scores, true_seconds : float64, shape (n,)
        The truth.
    """

    scores: Floats
    seconds: Floats
    true_scores: Floats
    true_seconds: Floats


def hypervolume_share(claims: Claims, truth: Truth, reference: tuple[float, float]) -> float:
    """Return the true hypervolume of what is recommended, over the true front's."""
    chosen = nondominated(claims.scores, claims.seconds)
    reached = hypervolume(claims.true_scores[chosen], claims.true_seconds[chosen], *reference)
    return reached / truth.hypervolume


class AtBudgets(NamedTuple):
    """Means over the budgets.

    Attributes
    ----------
    regret, optimism : float
        Points; an optimism of NaN where no budget has a pick.
    unserved : float
        Share of the budgets that no θ claims to keep.
    """

    regret: float
    optimism: float
    unserved: float


def at_budgets(claims: Claims, truth: Truth) -> AtBudgets:
    """Let users with 25 different budgets pick a θ, and look at what they get."""
    decades = np.log10(truth.seconds[-1] / truth.seconds[0])
    middles = (np.arange(N_BUDGETS) + 0.5) / N_BUDGETS
    budgets = truth.seconds[0] * 10.0 ** (decades * middles) * ROUNDING
    regrets, optimisms = [], []
    for budget in budgets:
        best = truth.scores[np.searchsorted(truth.seconds, budget, side="right") - 1]
        kept = np.flatnonzero(claims.seconds <= budget)
        if not len(kept):
            regrets.append(best)
            continue
        pick = kept[np.argmax(claims.scores[kept])]
        regrets.append(best - claims.true_scores[pick])
        optimisms.append(claims.scores[pick] - claims.true_scores[pick])
    return AtBudgets(
        regret=float(np.mean(regrets)),
        optimism=float(np.mean(optimisms)) if optimisms else math.nan,
        unserved=1.0 - len(optimisms) / N_BUDGETS,
    )
