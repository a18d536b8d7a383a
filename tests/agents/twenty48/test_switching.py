"""The switching agent against the plain agent, and against the rule by which it switches."""

import numpy as np
import pytest

from thetafront.agents.twenty48.mcmdp import MonteCarloMDP
from thetafront.agents.twenty48.playout_expectimax import decide_by_expectimax
from thetafront.agents.twenty48.switching import Switching
from thetafront.engine.twenty48 import afterstate, legal_actions, n_empty

SMALL = (24, 12, 8, 6, 2.5)


@pytest.mark.parametrize("top_share", [1.0, 0.4])
def test_at_depth_one_it_is_the_plain_agent(top_share: float) -> None:
    plain = MonteCarloMDP(*SMALL, top_share)
    one = Switching(*SMALL, top_share, switch_at=15, depth=1, leaf_playouts=5000)
    none = Switching(*SMALL, top_share, switch_at=0, depth=3)
    for seed in range(4):
        games = [agent.play(seed) for agent in (plain, one, none)]
        assert len({(g.score, g.n_moves, g.n_playout_moves, g.end_board) for g in games}) == 1


@pytest.mark.parametrize(("gamma", "whole_score"), [(1.0, False), (0.6, True)])
def test_it_looks_deeper_where_no_action_leaves_more_cells_empty(
    gamma: float, whole_score: bool
) -> None:
    discount = {"gamma": gamma, "whole_score": whole_score}
    agent = Switching(*SMALL[:4], 3.0, switch_at=4, depth=2, leaf_playouts=500, **discount)
    plain = MonteCarloMDP(*SMALL[:4], 3.0)
    n_deep = n_plain = 0
    for move in agent.moves(5):
        legal = legal_actions(move.board)
        if len(legal) == 1:
            continue
        most = max(n_empty(afterstate(move.board, action)[0]) for action in legal)
        if most <= 4:
            _, values, _, _ = decide_by_expectimax(
                np.uint64(move.board),
                2,
                500,
                3.0,
                1.0,
                gamma,
                whole_score,
                np.uint64(move.n_moves),
            )
            decision = agent.act(move.board, move.n_moves)
            n_deep += 1
        else:
            decision = agent.act(move.board, move.n_moves)
            values = plain.act(move.board, move.n_moves).values
            n_plain += 1
        assert np.array_equal(decision.values, values, equal_nan=True)
    assert n_deep > 20
    assert n_plain > 20


def test_too_many_leaves_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"^depth must give .* \(got 4 with switch_at 15: .*\(8 x 15\)\*\*4"
    ):
        Switching(switch_at=15, depth=4)
