"""Equation 4's policies, and the findings on made-up games."""

import numpy as np

from results.papers.bellman import READINGS
from results.papers.expectimax import (
    GAMMAS,
    PLAIN,
    POLICIES,
    THETAS,
    expectimax_figure,
    expectimax_frame,
    expectimax_markdown,
)
from thetafront.agents.twenty48.agent import Game2048 as Game
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP
from thetafront.agents.twenty48.switching import Switching


def test_each_theta_is_played_without_expectimax_and_with_every_discount() -> None:
    assert len({policy.name for policy in POLICIES}) == len(POLICIES) == 2 * (1 + 2 + 4)
    for agent, some in zip(THETAS, (POLICIES[:7], POLICIES[7:]), strict=True):
        plain = some[0].agent
        assert isinstance(plain, MonteCarloMDP)
        assert plain.settings.schedule.tolist() == agent.settings.plain.schedule.tolist()
        found = [each.agent for each in some[1:]]
        assert agent in found
        for each in found:
            assert isinstance(each, Switching)
            assert (each.theta1, each.depth, each.switch_at) == (agent.theta1, 2, 3)
        assert {(each.gamma, each.whole_score) for each in found} == {
            (gamma, READINGS[reading]) for reading, gammas in GAMMAS.items() for gamma in gammas
        }
        lengths = [len(each.seeds(range(400))) for each in some]
        assert lengths == [400 if "whole" not in each.reading else 200 for each in some]


def test_what_is_said_follows_the_intervals() -> None:
    """Expectimax gains 5,000 points; V as the whole game's score loses 3,000 of them."""
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 3000, 100)
    games = {}
    for policy in POLICIES:
        mean = 40_000 + 5_000 * bool(policy.reading) - 3_000 * ("whole" in policy.reading)
        scores = mean + noise + rng.normal(0, 300, 100)
        games[policy.name] = [
            Game(seed, int(scores[seed]), 1000, 0.1, 10, 2048, 1)
            for seed in policy.seeds(range(100))
        ]
    frame = expectimax_frame(games)
    row = frame[frame["policy"] == "V the whole game's score, γ = 0.9"].iloc[0]
    mine, other, plain = (
        np.array([game.score for game in games[f"{row['theta']}: {what}"]])
        for what in (row["policy"], "V what remains, γ = 1", PLAIN)
    )
    assert row["n_games"] == len(mine) == 50
    assert row["less_undiscounted_points"] == (mine - other[:50]).mean()
    assert row["less_plain_points"] == (mine - plain[:50]).mean()
    text = expectimax_markdown(frame, range(100))
    sentences = [line for line in text.splitlines() if line.startswith("With θ")]
    assert len(sentences) == len(THETAS)
    for line in sentences:
        assert "better than the former, +" in line
        remains = line.split("V as what remains has")[1]
        whole = line.split("V as the whole game's score has")[1].split("Compared")[0]
        assert (whole.count("at γ"), remains.count("at γ")) == (2, 3)
        assert whole.count("-") >= 2
    panels = expectimax_figure(frame).axes
    assert len(panels) == len(THETAS)
    for axes in panels:  # γ = 0.9 and 1 of the whole game's score lie at the ticks of these values
        assert [each.get_text() for each in axes.get_xticklabels()] == ["0.5", "0.9", "0.99", "1"]
        shown = [bars.lines[0].get_xdata() for bars in axes.containers]
        assert [np.round(places).tolist() for places in shown] == [[1, 3], [0, 1, 2, 3]]
        assert axes.get_ylim()[1] > frame["score_high95_points"].max()
