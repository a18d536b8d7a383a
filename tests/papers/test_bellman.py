"""Equation 3's policies, and the findings on made-up games."""

import math

import numpy as np

from results.papers.bellman import (
    EQUATION_2,
    PURE,
    bellman_figure,
    bellman_frame,
    bellman_markdown,
    policies_of,
)
from thetafront.agents.twenty48.agent import Game2048 as Game
from thetafront.agents.twenty48.mcmdp import Table1

PLAIN = Table1()
POLICIES = policies_of(PLAIN)


def games_of(scores: np.ndarray) -> list[Game]:
    return [Game(seed, int(score), 1000, 0.1, 10, 2048, 1) for seed, score in enumerate(scores)]


def test_rows_have_the_weights_of_their_reading() -> None:
    assert len(POLICIES) == 12
    for row in POLICIES[2:]:
        assert isinstance(row.agent, Table1)
        assert row.agent.gamma == row.gamma
        whole = row.reading == "the whole game's score"
        assert row.agent.reward_weight == (1 + row.gamma if whole else 1.0)
        assert row.agent.schedule == PLAIN.schedule
    assert POLICIES[-1].agent == PLAIN, "what remains, undiscounted, is equation 2"
    assert math.isnan(POLICIES[0].gamma)


def test_all_seeds_where_the_paper_speaks() -> None:
    lengths = {row.name: len(row.seeds(range(1000))) for row in POLICIES}
    assert lengths[EQUATION_2] == lengths[PURE] == 1000
    assert sorted(lengths.values()) == [400] * 6 + [1000] * 6
    assert sum("γ = 0.9" in name and n == 1000 for name, n in lengths.items()) >= 2


def test_what_is_said_follows_the_intervals() -> None:
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 3000, 200)
    level = {EQUATION_2: 46_000, PURE: 35_000}
    games = {}
    for row in POLICIES:
        mean = 35_100 if "whole" in row.reading else level.get(row.name, 46_000)
        games[row.name] = games_of(mean + noise + rng.normal(0, 500, 200))
    frame = bellman_frame(POLICIES, games)
    text = bellman_markdown(frame, range(200), "A schedule")
    sentences = next(line for line in text.splitlines() if line.startswith("By equation 2"))
    whole = sentences.split("With V as the whole game's score")[1].split("With V as")[0]
    remains = sentences.split("With V as what remains")[1]
    assert "worse than equation 2" in whole
    assert "not distinguishable from equation 2" in remains
    assert "stays above pure Monte Carlo" in remains
    assert sentences.count("n = 200") == 4
    row = frame[frame["policy"] == POLICIES[2].name].iloc[0]
    mine, other = (
        np.array([game.score for game in games[name]]) for name in (POLICIES[2].name, EQUATION_2)
    )
    assert row["less_equation_2_points"] == (mine - other).mean()
    assert len(bellman_figure(frame, "A schedule").axes) == 1
