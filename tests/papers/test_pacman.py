"""Pacman by value iteration: intervals against closed forms, verdicts, and the script."""

import json
from math import sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from results.papers import paper
from results.papers.pacman import design, tables
from results.papers.pacman.__main__ import pacman
from results.papers.pacman.claims import combine_verdicts, verdict
from results.papers.pacman.figures import GHOSTS, with_ghosts
from results.papers.pacman.tables import contrast, point_columns, select
from thetafront.agents.agent import agent_digest
from thetafront.agents.pacman.mdp import PacmanMDP

TABLES = (
    *("changes", "claims", "distance", "motion", "points", "selection", "strategies", "sweeps"),
)
FIGURES = (*(f"figure{k}" for k in range(1, 8)), "distance", "values", "motion", "changes")


def games_of(won: list[bool], n_moves: list[int], n_backups: int = 0) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "outcome": ["won" if each else "lost" for each in won],
            "score_points": [500 if each else -500 for each in won],
            "n_moves": n_moves,
            "cpu_seconds": [1e-5 * each for each in n_moves],
            "n_sweeps": n_backups,
            "n_backups": n_backups,
            "residual_mean": 0.25,
        }
    )


def run(output: Path, *words: str) -> None:
    given = ["--jobs", "1", "--output", str(output), *words]
    paper.script(pacman, "pacman", 200, given=given)


# Numbers


def test_a_difference_of_pairs_against_agresti_and_mins_formula() -> None:
    """By the cells of the paired table: 30 both, 25 only one, 10 only the other, 35 neither."""
    both, one, other, neither = 30, 25, 10, 35
    values = np.repeat([1.0, 1.0, 0.0, 0.0], [both, one, other, neither])
    others = np.repeat([1.0, 0.0, 1.0, 0.0], [both, one, other, neither])
    found = contrast(values, others)
    n, b, c = 102, one + 0.5, other + 0.5
    middle, error = (b - c) / n, sqrt((b + c) - (b - c) ** 2 / n) / n
    assert found.value == pytest.approx(0.15)
    assert found.low == pytest.approx(middle - 1.959964 * error, abs=1e-6)
    assert found.high == pytest.approx(middle + 1.959964 * error, abs=1e-6)
    together = contrast(values, others, 20)
    assert together.high - middle == pytest.approx(3.023341 * error, abs=1e-6)
    equal = contrast(values, values)
    assert equal.value == 0
    assert equal.low == pytest.approx(-equal.high)
    assert 0 < equal.high < 0.03


def test_intervals_of_differences_cover_the_truth() -> None:
    """95% of 2,000 simulated comparisons of correlated wins, rates 0.6 and 0.45, hold 0.15."""
    rng = np.random.default_rng(4)
    n_covered = 0
    for _ in range(2000):
        luck = rng.random(200)
        own = np.where(rng.random(200) < 0.5, luck, rng.random(200))
        found = contrast((luck < 0.6).astype(float), (own < 0.45).astype(float))
        n_covered += found.contains(0.15)
    assert n_covered / 2000 == pytest.approx(0.95, abs=0.015)


def test_a_points_columns() -> None:
    # trials of 3 and of 7, and half of a third
    won = [k % 10 < (3 if k < 10 else 7) for k in range(25)]
    columns = point_columns(games_of(won, [10 if each else 30 for each in won]))
    n_won = sum(won)
    assert columns["win_rate"] == n_won / 25
    assert columns["win_rate_sd_of_ten_games"] == pytest.approx(0.4 / sqrt(2))
    assert columns["n_moves_mean"] == (10 * n_won + 30 * (25 - n_won)) / 25
    assert columns["seconds_per_move"] == pytest.approx(1e-5)
    assert columns["residual_mean"] == pytest.approx(0.25)


def test_of_equals_the_cheapest_is_chosen() -> None:
    candidates = design.candidates(design.SMALL)[:3]
    tried = {
        agent: games_of([k < n_won for k in range(20)], [10] * 20, n_backups)
        for agent, n_won, n_backups in zip(candidates, (5, 5, 4), (900, 300, 100), strict=True)
    }
    assert select(tried)["chosen"].tolist() == [False, True, False]


# Verdicts


@pytest.mark.parametrize(
    ("says", "low", "high", "expected"),
    [
        ("above", 0.01, 0.3, "supported"),
        ("above", -0.01, 0.3, "undecided"),
        ("above", -0.3, -0.01, "contradicted"),
        ("below", -0.3, -0.01, "supported"),
        ("below", -0.3, 0.01, "undecided"),
        ("below", 0.01, 0.3, "contradicted"),
        ("hardly", -0.1, 0.1, "supported"),
        ("hardly", -0.02, 0.11, "undecided"),
        ("hardly", 0.05, 0.3, "undecided"),
        ("hardly", 0.11, 0.3, "contradicted"),
        ("hardly", -0.3, -0.11, "contradicted"),
    ],
)
def test_a_verdict_rests_on_the_interval(says: str, low: float, high: float, expected: str) -> None:
    assert verdict(says, low, high) == expected


def test_verdicts_of_parts_make_that_of_a_claim() -> None:
    assert combine_verdicts(["supported", "supported"]) == "supported"
    assert combine_verdicts(["supported", "undecided"]) == "undecided"
    assert combine_verdicts(["supported", "undecided", "contradicted"]) == "contradicted"


# Pictures


def test_the_picture_of_rewards_adds_up_two_zones() -> None:
    """Two ghosts two cells apart, as in the report's figure 1b."""
    layout = with_ghosts(design.MEDIUM, *GHOSTS)
    agent = PacmanMDP(layout=layout, radius=3, max_sweeps=1)
    rewards = agent.act(agent.start(0)).rewards
    x, y = layout.ghosts[0]
    assert layout.ghosts == ((x, y), (x + 2, y))
    around = rewards[x - 3 : x + 5, y].tolist()
    assert around == [-100, -200, -300 - 100, -500 - 200, -600, -500 - 200, -300 - 100, -200]


# The script


@pytest.mark.slow
def test_the_script_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tables, "TIMED_ROUNDS", 2)
    monkeypatch.setattr(tables, "TIMED_SEEDS", 1)
    monkeypatch.setattr(design, "MORE", 1)
    gammas = {design.SMALL: (0.8,), design.MEDIUM: (0.7,)}
    monkeypatch.setattr(design, "CANDIDATE_GAMMAS", gammas)
    run(tmp_path, "--games", "20", "--seed", "3")
    text = capsys.readouterr().out
    assert text == (tmp_path / "pacman.md").read_text()
    assert "nan" not in text
    games = pd.read_csv(tmp_path / "games.csv")
    assert not games.duplicated(["agent", "seed"]).any()
    assert (games.groupby(["agent", games["seed"] >= 3_500_000]).size() == 20).all()
    assert set(games["seed"]) == {*range(3_000_000, 3_000_020), *range(3_500_000, 3_500_020)}
    found = {name: pd.read_csv(tmp_path / f"{name}.csv") for name in TABLES}
    won = (
        games[games["seed"] < 3_500_000]
        .groupby("agent")["outcome"]
        .agg(lambda each: (each == "won").mean())
    )
    for name in ("points", "motion"):
        assert found[name]["win_rate"].to_numpy() == pytest.approx(won[found[name]["agent"]])
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    chosen = {digest for each in manifest["chosen"].values() for digest in each.values()}
    assert chosen == set(found["selection"].query("chosen")["agent"])
    assert set(manifest["rows"]) == set(games["agent"])
    fixed = found["points"].query("tolerance == 0")
    assert (fixed["sweeps_per_move"] == fixed["max_sweeps"]).all()
    assert (found["changes"].query("cut")["seconds_ratio"] > 0).all()
    assert len(found["strategies"]) == 14
    for figure in FIGURES:
        assert (tmp_path / f"{figure}.png").stat().st_size > 10_000


def test_too_few_games_are_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run(tmp_path, "--games", "10")
    assert capsys.readouterr().err.endswith("--games must be 20 or more (got 10)\n")


def test_agents_have_digests_of_their_own() -> None:
    bars = {
        layout: design.strategies(layout, *design.candidates(layout)[::41])
        for layout in (design.SMALL, design.MEDIUM)
    }
    agents = {*design.figure_agents(bars), *design.question_agents(bars)}
    assert len({agent_digest(agent) for agent in agents}) == len(agents)
