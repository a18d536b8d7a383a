"""Scores at equal time and widening, on made-up games whose numbers we compute by hand."""

import numpy as np
import pandas as pd
import pytest

from results.papers.mcts import design, tables
from results.papers.mcts.design import STATES, TITLES, Widening, plain, row_name
from tests.papers.made_up import games_of
from thetafront.agents.twenty48.leaf_value import LeafValue
from thetafront.agents.twenty48.uct import UCT
from thetafront.study.estimate import Estimate

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
NARROW = Widening("random", 100, STATES, 1.0, 0.0)
FEW = Widening("random", 100, "actions", 0.5, 0.25)


def test_agents_are_the_examples_and_played_once() -> None:
    agents = [plain(each, m) for each in TITLES for m in design.SIMULATIONS]
    for agent in agents:
        assert (agent.depth, agent.exploration, agent.k_state) == (10, 100.0, 0.0)
    names = {row_name(agent) for agent in agents}
    assert len(names) == 35
    assert {row_name(plain(*case)) for case in design.CASES} <= names
    explored = {row_name(plain(*case, c)) for case in design.EXPLORED for c in design.EXPLORATIONS}
    assert len(explored & names) == 2, "the example's c is no other agent"
    settings = design.widenings()
    assert len({each.name for each in settings}) == len(settings) == 72
    narrow, few = NARROW.agent(80), FEW.agent(80)
    assert (narrow.n_simulations, narrow.k_state, narrow.alpha_state) == (80, 1.0, 0.0)
    assert (few.k_action, few.alpha_action, few.k_state) == (0.5, 0.25, 0)
    changed = design.readings()
    assert len(changed) == 5 + 2
    assert all(isinstance(agent, UCT) and agent != default for _, default, agent in changed)


@pytest.mark.parametrize("independent", [False, True])
def test_a_leader_is_compared_with_each_other(
    independent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At 10^-4.5 s random rollouts are at 4,000 points, lookahead at 3,750; the others end below.

    With noise that all agents share by seed the lead is certain, with independent noise it is not.
    """
    monkeypatch.setattr(design, "SIMULATIONS", SIMULATIONS)
    monkeypatch.setattr(tables, "BUDGETS", (10**-4.5,))
    rng = np.random.default_rng(2)
    shared, games = rng.normal(0, 900, N), {}
    for leaf_value, curve in CURVES.items():
        for m, (micros, mean) in zip(SIMULATIONS, curve, strict=True):
            noise = rng.normal(0, 900, N) if independent else shared
            scores = np.round(mean + noise - noise.mean())
            games[row_name(plain(leaf_value, m))] = games_of(scores, seconds=micros * 1e-3)
    points = tables.points_frame(games)
    assert len(points) == 10
    frame = tables.equal_time_frame(points, games).set_index("leaf_value")
    assert set(frame.index) == {"random", "lookahead"}
    assert set(frame["leader"]) == {"random"}
    assert frame["score_points"].tolist() == pytest.approx([4000, 3750], abs=2)
    assert frame["ahead_of_points"].tolist() == pytest.approx([0, 250], abs=3)
    assert (frame.loc["lookahead", "ahead_of_low95_points"] > 0) == (not independent)


def played(mean: float, micros: float) -> pd.DataFrame:
    noise = np.random.default_rng(3).normal(0, 4000, 50)
    own = np.random.default_rng(int(mean)).normal(0, 300, 50)
    scores = mean + noise - noise.mean() + own - own.mean()
    return games_of(np.round(scores), seconds=micros * 1e-3)


def test_widening_beside_the_plain_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(design, "CASES", design.CASES[:1])
    chosen = {NARROW: (80, Estimate(0.99, 0.98, 1)), FEW: (95, Estimate(1, 0.99, 1.02))}
    games = {
        row_name(NARROW.plain): played(30_000, 50),
        NARROW.name: played(25_000, 51),
        FEW.name: played(33_000, 49),
    }
    frame = tables.widening_frame(chosen, games)
    assert frame["widened"].tolist() == ["", "states", "actions"]
    assert frame["n_simulations"].tolist() == [100, 80, 95]
    assert frame["relative_time"].tolist() == pytest.approx([1, 1.02, 0.98])
    assert frame["relative_time_calibrated"].tolist() == [1, 0.99, 1]
    assert frame["less_plain_points"].tolist() == pytest.approx([0, -5000, 3000], abs=1)


def test_points_of_one_percent_more_time() -> None:
    points = pd.DataFrame(
        {
            "leaf_value": "random",
            "n_simulations": [30, 100, 300],
            "seconds_per_move": [1e-5, 5e-5, 1e-5 * np.e**2],
            "score_mean_points": [20_000.0, 30_000, 40_000],
        }
    )
    gain = tables.points_a_percent(points, LeafValue.RANDOM, 100)
    assert gain == pytest.approx(10_000 * np.log(1.01))
