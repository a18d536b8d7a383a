"""Equation 4's policies, and the findings on made-up games."""

import numpy as np

from results.papers import paper
from results.papers.bellman import READINGS
from results.papers.expectimax import (
    GAMMAS,
    PLAIN,
    THETAS,
    WHOLE,
    answer,
    expectimax_figure,
    expectimax_frame,
    name_of,
    policies,
    table,
    theta_of,
)
from tests.papers.made_up import games_of
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP
from thetafront.agents.twenty48.switching import Switching


def test_each_theta_is_played_without_expectimax_and_with_every_discount() -> None:
    for agent in THETAS:
        plain, *found = policies(agent).values()
        assert len(found) == 2 + 4
        assert isinstance(plain, MonteCarloMDP)
        assert plain.settings.schedule.tolist() == agent.settings.plain.schedule.tolist()
        assert agent in found
        for each in found:
            assert isinstance(each, Switching)
            assert (each.theta1, each.depth, each.switch_at) == (agent.theta1, 2, 3)
        assert {
            (each.gamma, each.whole_score) for each in found if isinstance(each, Switching)
        } == {(gamma, READINGS[reading]) for reading, gammas in GAMMAS.items() for gamma in gammas}


def test_numbers_are_those_of_the_games() -> None:
    """Expectimax gains 5,000 points; V as the whole game's score loses 3,000 of them."""
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 3000, 100)
    games = {}
    for agent in THETAS:
        played = games[theta_of(agent)] = {}
        for reading, gamma in policies(agent):
            mean = 40_000 + 5_000 * bool(reading) - 3_000 * (reading == WHOLE)
            scores = mean + noise + rng.normal(0, 300, 100)
            played[name_of(reading, gamma)] = games_of(scores[: 50 if reading == WHOLE else 100])
    frame = expectimax_frame(games)
    row = frame[frame["policy"] == "V the whole game's score, γ = 0.9"].iloc[0]
    mine, other, plain = (
        paper.scores_of(games[row["theta"]][what])
        for what in (row["policy"], "V what remains, γ = 1", PLAIN)
    )
    assert row["n_games"] == len(mine) == 50
    assert row["less_undiscounted_points"] == (mine - other[:50]).mean()
    assert row["less_plain_points"] == (mine - plain[:50]).mean()
    for _, part in frame.groupby("theta", sort=False):
        said = answer(part)
        assert "{" not in said
        assert "n = 50 pairs" in said
        assert table(part).count("\n| ") == 8
    panels = expectimax_figure(frame).axes
    assert len(panels) == len(THETAS)
    for axes in panels:  # γ = 0.9 and 1 of the whole game's score lie at the ticks of these values
        assert [each.get_text() for each in axes.get_xticklabels()] == ["0.5", "0.9", "0.99", "1"]
        shown = [bars.lines[0].get_xdata() for bars in axes.containers]
        assert [np.round(places).tolist() for places in shown] == [[1, 3], [0, 1, 2, 3]]
        assert axes.get_ylim()[1] > frame["score_high95_points"].max()
