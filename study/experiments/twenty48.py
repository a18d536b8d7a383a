"""Experiments with agents for 2048.

The space of ``mcmdp`` extends the author's first bounds (θ₁ 250–750, θ₂ 25–100, θ₃ 8–50, θ₄ 5–20,
θ₅ 2–9, θ₆ fixed at 1) by a factor of four or more to either side, and frees θ₆. That of
``switching`` adds the switch point k, from 1 on, since 0 is the plain agent; the depth d; and the
playouts of a deep decision.

The space of ``uct`` contains the book's example, random rollouts with m = 100, d = 10 and c = 100
(Kochenderfer, Wheeler, Wray 2022, §9.6), and all leaf values:

- m from 4, one simulation an action, to 2,000, where the most expensive leaf takes a millisecond a
  move or more. That is the reference point, the same as of ``mcmdp``, so that fronts compare.
- d from 1, where rollouts have no depth left and only the next reward counts, to 30. The scale is
  linear: a logarithmic one would spend a quarter of the trials on d = 1. Deeper seems to gain
  nothing: at 150 µs a move, with random rollouts and c = 10,000, 125 simulations of d = 30 scored
  28,900 ± 1,600 (standard error, 60 games), 100 of d = 60 25,700 ± 1,500.
- c from 10, less than most differences between actions' returns, to 10,000, more than most. From
  100 on scores hardly depend on it (``results/reference/mcts``). In a study with c up to 100,000
  and k′ from 0.1, the model extrapolated from small c to that bound, and what was validated there
  scored less.
- k′ from 0.3 (with α′ = 0 one state an action) to 30, which is no widening at all: a state has at
  most 30 spawns, so with α′ above 0 a search never reaches k′·N^α′ different states, and all
  decisions are exactly those of the plain tree (k′ = 0 in :mod:`agents.twenty48.uct`, which a
  logarithmic scale cannot reach). The baseline has k′ = 30.

The space of ``heuristic`` has weights from a tenth of the baseline's, or less, to ten times as
much, or more, and powers from 1, where rises and tiles count by exponent, to 5. One move ahead
takes a tenth of a microsecond, three take a tenth of a millisecond, so depth and the boards that
are searched one ply deeper decide what a move takes. Limits on 4s in a path save time from two
plies on.

The space of ``ntuple`` has what a network learns with and how far the search over it looks; each
trial learns for 20 million moves, 20 to 40 CPU seconds, and then plays.

- All sets of patterns, and both methods.
- α from 0.1, a usual rate of plain learning, to 1, beyond which a step goes past its target. λ from
  0 to 0.9. Optimism to 20,000 points, what games score early in training; 80,000 points kept a
  network from learning within 80 million moves (31,800 points, 83,400 without).
- R, the fewest moves of a game's last part that is restarted from its middle, from 100 to 4,100,
  more than most games of so short a training have.
- All of these are on grids, so that trials come to differ in the search alone: such a trial plays
  with the network that another has learned.
- d from 1 to 3, with one ply more below k empty cells; f from 0, where no spawned 4 is looked at.

The baselines have what n-tuple programs begin with, temporal coherence without λ, at one ply and at
two. All networks learn from games with one seed, so what a network is worth includes the luck of
its training. A θ is tuned with this luck; fresh games measure the network, not the θ.
"""

from dataclasses import replace

from thetafront.agents.catalog import from_theta
from thetafront.agents.parameters import Value
from thetafront.agents.twenty48.agent import Game2048
from thetafront.agents.twenty48.leaf_value import LeafValue
from thetafront.agents.twenty48.ntuple.patterns import PatternSet
from thetafront.agents.twenty48.ntuple.training_settings import Method
from thetafront.agents.twenty48.schedule import AUTHORS_THETA
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.game_summary import TileSummary
from thetafront.study.experiments.objectives import PLAYOUT_MOVES, SCORE, SECONDS
from thetafront.study.experiments.space import CategoricalParameter, NumericParameter, Space

MCMDP = Experiment(
    name="mcmdp",
    title="2048, Monte Carlo MDP agent",
    agent="mcmdp",
    space=Space(
        (
            NumericParameter("theta1", 16, 2048, integer=True, log=True, symbol="θ₁"),
            NumericParameter("theta2", 8, 512, integer=True, log=True, symbol="θ₂"),
            NumericParameter("theta3", 4, 256, integer=True, log=True, symbol="θ₃"),
            NumericParameter("theta4", 2, 64, integer=True, log=True, symbol="θ₄"),
            NumericParameter("theta5", 1.0, 10.0, log=True, symbol="θ₅"),
            NumericParameter("theta6", 0.05, 1.0, symbol="θ₆"),
        )
    ),
    goal=SCORE,
    cost=SECONDS,
    costs=(SECONDS, PLAYOUT_MOVES),
    summary=TileSummary(Game2048),
    reference_score=0.0,
    reference_costs={"seconds_per_move": 0.001, "playout_moves_per_move": 1_000_000.0},
    baselines={"author's θ": from_theta("mcmdp", AUTHORS_THETA)},
)

SWITCHING = replace(
    MCMDP,
    name="switching",
    title="2048, expectimax on crowded boards",
    agent="switching",
    space=Space(
        (
            *MCMDP.space,
            NumericParameter("switch_at", 1, 6, integer=True, symbol="k"),
            NumericParameter("depth", 2, 3, integer=True, symbol="d"),
            NumericParameter("leaf_playouts", 100, 50_000, integer=True, log=True, symbol="N"),
        )
    ),
    baselines={
        "author's θ, k = 3": {
            **from_theta("switching", AUTHORS_THETA),
            "switch_at": 3,
            "depth": 2,
            "leaf_playouts": 4000,
        }
    },
)

UCT = replace(
    MCMDP,
    name="uct",
    title="2048, Monte Carlo tree search",
    agent="uct",
    space=Space(
        (
            CategoricalParameter("leaf_value", tuple(each.value for each in LeafValue), symbol="U"),
            NumericParameter("n_simulations", 4, 2000, integer=True, log=True, symbol="m"),
            NumericParameter("depth", 1, 30, integer=True, symbol="d"),
            NumericParameter("exploration", 10.0, 10_000.0, log=True, symbol="c"),
            NumericParameter("k_state", 0.3, 30.0, log=True, symbol="k′"),
            NumericParameter("alpha_state", 0.0, 1.0, symbol="α′"),
        )
    ),
    baselines={
        "the book's setting": {
            "leaf_value": LeafValue.RANDOM.value,
            "n_simulations": 100,
            "depth": 10,
            "exploration": 100.0,
            "k_state": 30.0,  # no widening, exactly
            "alpha_state": 0.5,
        }
    },
)

HEURISTIC = replace(
    MCMDP,
    name="heuristic",
    title="2048, expectimax over a heuristic",
    agent="expectimax",
    space=Space(
        (
            NumericParameter("empty", 10, 10_000.0, log=True, symbol="w_e"),
            NumericParameter("merge", 10, 10_000.0, log=True, symbol="w_m"),
            NumericParameter("order", 1, 1000.0, log=True, symbol="w_o"),
            NumericParameter("order_power", 1.0, 5.0, symbol="p"),
            NumericParameter("tiles", 0.1, 100.0, log=True, symbol="w_t"),
            NumericParameter("tiles_power", 1.0, 5.0, symbol="q"),
            NumericParameter("depth", 1, 3, integer=True, symbol="d"),
            NumericParameter("deeper_below", 0, 8, integer=True, symbol="k"),
            NumericParameter("fours", 0, 4, integer=True, symbol="f"),
        )
    ),
    costs=(SECONDS,),
    reference_costs={"seconds_per_move": 0.001},
    baselines={
        "weights of nneonneo/2048-ai": {  # where the end of the game costs 100,000 a line
            "empty": 135.0,
            "merge": 350.0,
            "order": 23.5,
            "order_power": 4.0,
            "tiles": 5.5,
            "tiles_power": 3.5,
            "depth": 2,
            "deeper_below": 0,
            "fours": 4,
        }
    },
)

UNTUNED: dict[str, Value] = {
    "patterns": PatternSet.FOUR_BY_SIX.value,
    "method": Method.COHERENT.value,
    "rate": 1.0,
    "decay": 0.0,
    "restart": 4100,
    "optimism": 0.0,
    "depth": 1,
    "deeper_below": 0,
    "fours": 4,
}

NTUPLE = replace(
    HEURISTIC,
    name="ntuple",
    title="2048, expectimax over learned values",
    agent="ntuple_learner",
    space=Space(
        (
            CategoricalParameter(
                "patterns", tuple(each.value for each in PatternSet), symbol="set"
            ),
            CategoricalParameter("method", tuple(each.value for each in Method), symbol="by"),
            NumericParameter("rate", 0.1, 1.0, symbol="α", step=0.1),
            NumericParameter("decay", 0.0, 0.9, symbol="λ", step=0.1),
            NumericParameter("restart", 100, 4100, integer=True, symbol="R", step=1000),
            NumericParameter("optimism", 0.0, 20_000.0, symbol="V₀", step=5000.0),
            NumericParameter("depth", 1, 3, integer=True, symbol="d"),
            NumericParameter("deeper_below", 0, 8, integer=True, symbol="k"),
            NumericParameter("fours", 0, 4, integer=True, symbol="f"),
        )
    ),
    baselines={"untuned": UNTUNED, "untuned, two plies": {**UNTUNED, "depth": 2}},
    fixed={"training_moves": 20_000_000},
)
