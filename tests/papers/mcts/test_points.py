"""Leaders by time, on made-up games whose lines cross where we compute by hand."""

import numpy as np
import pandas as pd
import pytest

from results.papers.mcts.design import TITLES, Case, Design
from results.papers.mcts.points import (
    budgets_of,
    equal_time_frame,
    leads,
    plain_agents,
    points_frame,
)
from results.papers.mcts.report import equal_time_parts, verdict
from tests.papers.made_up import games_of
from thetafront.agents.twenty48.leaf_value import LeafValue
from thetafront.agents.twenty48.uct import UCT

N = 60
SIMULATIONS = (1, 10)
# By leaf value: microseconds a move and mean score at m = 1 and at m = 10.
CURVES = {
    LeafValue.RANDOM: ((1, 1000), (100, 5000)),
    LeafValue.LOOKAHEAD: ((10, 2000), (1000, 9000)),
    LeafValue.WEIGHTS_A: ((1, 2500), (10, 2500)),
    LeafValue.WEIGHTS_B: ((1, 100), (10, 110)),
    LeafValue.SCORE: ((1, 200), (10, 210)),
}


def made_up(independent: bool) -> dict[str, pd.DataFrame]:
    """Games with the curves' means, and noise by seed: shared by all agents, or independent."""
    rng = np.random.default_rng(2)
    shared = rng.normal(0, 900, N)
    games = {}
    for leaf_value, curve in CURVES.items():
        for m, (micros, mean) in zip(SIMULATIONS, curve, strict=True):
            noise = rng.normal(0, 900, N) if independent else shared
            games[Case(leaf_value, m).name] = games_of(
                np.round(mean + noise - noise.mean()), seconds=micros * 1e-3
            )
    return games


def test_points_are_the_examples() -> None:
    agents = plain_agents((1, 3, 1000))
    assert len(agents) == 15
    for agent in agents.values():
        assert isinstance(agent, UCT)
        assert (agent.depth, agent.exploration, agent.k_state) == (10, 100.0, 0.0)
    assert {agent.leaf_value for agent in agents.values() if isinstance(agent, UCT)} == set(TITLES)
    tried = {case.name: case.agent for case in Design().explored}
    shared = [name for name in tried if name in plain_agents(Design().simulations)]
    assert [tried[name] for name in shared] == [plain_agents((100,))[name] for name in shared]
    assert len(shared) == 2, "the example's c is no other agent"


def test_leads_change_where_lines_cross() -> None:
    """Over log10 s, 2500 = 1000 + 2000 (x + 6) at −5.25; 3000 + 2000 z = 2000 + 3500 z at 2/3."""
    points = points_frame(SIMULATIONS, made_up(independent=False))
    assert len(points) == 10
    first, second, third = leads(points)
    assert (first.leaf_value, second.leaf_value, third.leaf_value) == (
        "weights_a",
        "random",
        "lookahead",
    )
    found = [first.low, first.high, second.low, second.high, third.low, third.high]
    turns = [-6, -5.25, -5.25, -5 + 2 / 3, -5 + 2 / 3, -4]
    assert np.log10(found) == pytest.approx(turns, abs=1e-3)
    budgets = budgets_of(points)
    assert {3e-6, 3e-5} <= set(budgets)
    assert max(budgets) <= 1.0001e-4, "beyond, there is only one"


@pytest.mark.parametrize(
    ("independent", "said"),
    [
        (False, "random rollouts: best"),
        (True, "random rollouts, not distinguishable from rollouts with lookahead"),
    ],
)
def test_only_who_is_above_each_other_is_called_best(independent: bool, said: str) -> None:
    games = made_up(independent)
    points = points_frame(SIMULATIONS, games)
    budget = 10**-4.5
    frame = equal_time_frame(SIMULATIONS, points, games, [budget])
    assert set(frame["leaf_value"]) == {"random", "lookahead"}, "the others end below"
    at = frame.set_index("leaf_value")
    assert at.loc["random", "score_points"] == pytest.approx(4000, abs=2)
    assert at.loc["lookahead", "score_points"] == pytest.approx(3750, abs=2)
    assert at.loc["random", "ahead_of_points"] == 0
    assert at.loc["lookahead", "ahead_of_points"] == pytest.approx(250, abs=3)
    assert verdict(frame) == said
    text = "\n".join(equal_time_parts(points, frame))
    assert said in text
    assert "weights A from 1.00 µs to 5.62 µs; random rollouts from 5.62 µs to 46.4 µs" in text


def test_no_common_time_is_said() -> None:
    points = points_frame(SIMULATIONS, made_up(independent=False))
    for k, leaf_value in enumerate(TITLES):
        points.loc[points["leaf_value"] == leaf_value.value, "seconds_per_move"] = [
            10.0 ** (2 * k - 9),
            10.0 ** (2 * k - 8),
        ]
    assert leads(points) == []
    assert budgets_of(points) == []
    frame = equal_time_frame(SIMULATIONS, points, {}, [])
    assert frame.empty
    assert "leader" in frame
    text = "\n".join(equal_time_parts(points, frame))
    assert "none, because no two leaf values have a time in common" in text
