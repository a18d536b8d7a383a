"""Experiments with agents for 2048, which say themselves what is tuned, and why in these ranges.

The reference point of all is no point in a millisecond a move, so that fronts compare.
"""

from dataclasses import replace
from typing import Any

from thetafront.agents.twenty48.agent import Game2048
from thetafront.agents.twenty48.heuristic import Expectimax
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP
from thetafront.agents.twenty48.ntuple.learner import NTupleLearner
from thetafront.agents.twenty48.switching import Switching
from thetafront.agents.twenty48.uct import UCT
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.game_summary import TileSummary
from thetafront.study.experiments.objectives import PLAYOUT_MOVES, SCORE, SECONDS

BY_TIME: dict[str, Any] = {
    "goal": SCORE,
    "cost": SECONDS,
    "costs": (SECONDS,),
    "summary": TileSummary(Game2048),
    "reference_score": 0.0,
    "reference_costs": {"seconds_per_move": 0.001},
}
BY_PLAYOUTS = BY_TIME | {
    "costs": (SECONDS, PLAYOUT_MOVES),
    "reference_costs": {"seconds_per_move": 0.001, "playout_moves_per_move": 1_000_000.0},
}

MCMDP = Experiment.from_agent(
    MonteCarloMDP,
    {"author's θ": MonteCarloMDP()},
    name="mcmdp",
    title="2048, Monte Carlo MDP agent",
    **BY_PLAYOUTS,
)

SWITCHING = Experiment.from_agent(
    Switching,
    {"author's θ, k = 3": Switching()},
    name="switching",
    title="2048, expectimax on crowded boards",
    **BY_PLAYOUTS,
)

TREE_SEARCH = Experiment.from_agent(
    UCT,
    {"the book's setting": UCT(k_state=30.0)},  # no widening, exactly
    first="leaf_value",
    name="uct",
    title="2048, Monte Carlo tree search",
    **BY_PLAYOUTS,
)

HEURISTIC = Experiment.from_agent(
    Expectimax,
    {
        "weights of nneonneo/2048-ai": Expectimax(
            empty=135.0, merge=350.0, order=23.5, tiles=5.5, fours=4
        )
    },
    name="heuristic",
    title="2048, expectimax over a heuristic",
    **BY_TIME,
)

# What n-tuple programs begin with: temporal coherence without λ, at one ply and at two. All
# networks learn from games with one seed, so what one is worth includes the luck of its training. A
# θ is tuned with this luck; fresh games measure the network, not the θ.
UNTUNED = NTupleLearner(decay=0.0, restart=4100, fours=4)

NTUPLE = Experiment.from_agent(
    NTupleLearner,
    {"untuned": UNTUNED, "untuned, two plies": replace(UNTUNED, depth=2)},
    name="ntuple",
    title="2048, expectimax over learned values",
    fixed={"training_moves": 20_000_000},
    **BY_TIME,
)
