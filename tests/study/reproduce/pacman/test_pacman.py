"""The report on Pacman: intervals against closed forms, verdicts, and the command."""

import json
from math import sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from thetafront.agents.agent import digest_of
from thetafront.agents.pacman.agent import PacmanGame
from thetafront.agents.pacman.mdp import PacmanMDP
from thetafront.engine.pacman import Outcome
from thetafront.study.cli import app
from thetafront.study.estimate import Estimate
from thetafront.study.reproduce.pacman import questions
from thetafront.study.reproduce.pacman.claims import Claim, Part, Says, Verdict
from thetafront.study.reproduce.pacman.design import (
    MEDIUM,
    SMALL,
    Selected,
    all_agents,
    astar_candidates,
    mdp_candidates,
    strategies,
)
from thetafront.study.reproduce.pacman.pictures import (
    FIRST_GHOST,
    RADIUS,
    SECOND_GHOST,
    with_ghosts,
)
from thetafront.study.reproduce.pacman.points import contrast, point_columns
from thetafront.study.reproduce.pacman.report import residual_text, row_name
from thetafront.study.reproduce.pacman.selection import select, selection_seeds

FIGURES = (
    *(f"figure{k}" for k in range(1, 8)),
    *("distance", "values", "motion", "changes"),
)


def a_game(seed: int, won: bool, n_moves: int = 10, n_backups: int = 0) -> PacmanGame:
    return PacmanGame(
        seed=seed,
        score=500 if won else -500,
        n_moves=n_moves,
        seconds=n_moves * 1e-5,
        outcome=Outcome.WON if won else Outcome.LOST,
        n_food_left=0 if won else 2,
        n_sweeps=n_backups,
        n_backups=n_backups,
        residual_mean=0.25,
    )


# Agents


def test_agents_have_names_of_their_own() -> None:
    best = {
        layout: Selected(mdp_candidates(layout)[0], astar_candidates(layout)[-1])
        for layout in (SMALL, MEDIUM)
    }
    bars = {layout: strategies(layout, each) for layout, each in best.items()}
    agents = list(dict.fromkeys([*all_agents(best), *questions.all_agents(bars)]))
    assert {agent for each in best.values() for agent in each} < set(agents)
    for name in (hash, digest_of, row_name):
        assert len({name(agent) for agent in agents}) == len(agents)
    seeds = range(2_000_000, 2_000_200)
    assert not set(seeds) & set(selection_seeds(seeds))


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
    won = [
        k % 10 < (3 if k < 10 else 7) for k in range(25)
    ]  # trials of 3 and of 7, and half of a third
    games = [a_game(k, win, 10 if win else 30) for k, win in enumerate(won)]
    columns = point_columns(games)
    n_won = sum(won)
    p, z = n_won / 25, 1.959964
    centre = (p + z**2 / 50) / (1 + z**2 / 25)
    half = z * sqrt(p * (1 - p) / 25 + z**2 / 2500) / (1 + z**2 / 25)
    assert columns["win_rate"] == p
    assert columns["win_rate_low95"] == pytest.approx(centre - half, abs=1e-6)
    assert columns["win_rate_high95"] == pytest.approx(centre + half, abs=1e-6)
    assert columns["win_rate_sd_of_ten_games"] == pytest.approx(0.4 / sqrt(2))
    assert columns["n_moves_mean"] == (10 * n_won + 30 * (25 - n_won)) / 25
    assert columns["seconds_per_move"] == pytest.approx(1e-5)
    assert columns["residual_mean"] == pytest.approx(0.25)
    assert np.isnan(point_columns(games[:15])["win_rate_sd_of_ten_games"])


def test_of_equals_the_cheapest_is_chosen() -> None:
    first, second, third = mdp_candidates(SMALL)[:3]
    played = {
        first: [a_game(k, k < 5, n_backups=900) for k in range(10)],
        second: [a_game(k, k < 5, n_backups=300) for k in range(10)],
        third: [a_game(k, k < 4, n_backups=100) for k in range(10)],
    }
    assert select(played, list(played)) == second


# Verdicts


@pytest.mark.parametrize(
    ("says", "low", "high", "verdict"),
    [
        (Says.ABOVE, 0.01, 0.3, Verdict.SUPPORTED),
        (Says.ABOVE, -0.01, 0.3, Verdict.UNDECIDED),
        (Says.ABOVE, -0.3, -0.01, Verdict.CONTRADICTED),
        (Says.BELOW, -0.3, -0.01, Verdict.SUPPORTED),
        (Says.BELOW, -0.3, 0.01, Verdict.UNDECIDED),
        (Says.BELOW, 0.01, 0.3, Verdict.CONTRADICTED),
        (Says.HARDLY, -0.1, 0.1, Verdict.SUPPORTED),
        (Says.HARDLY, -0.02, 0.11, Verdict.UNDECIDED),
        (Says.HARDLY, 0.05, 0.3, Verdict.UNDECIDED),
        (Says.HARDLY, 0.11, 0.3, Verdict.CONTRADICTED),
        (Says.HARDLY, -0.3, -0.11, Verdict.CONTRADICTED),
    ],
)
def test_a_verdict_rests_on_the_interval(
    says: Says, low: float, high: float, verdict: Verdict
) -> None:
    assert Part("", says, Estimate((low + high) / 2, low, high)).verdict is verdict


def test_verdicts_of_parts_make_that_of_a_claim() -> None:
    yes, open_, no = (
        Part("", Says.ABOVE, Estimate(value, value - 0.1, value + 0.1)) for value in (0.2, 0, -0.2)
    )
    assert Claim("", "", (yes, yes)).verdict is Verdict.SUPPORTED
    assert Claim("", "", (yes, open_)).verdict is Verdict.UNDECIDED
    assert Claim("", "", (yes, open_, no)).verdict is Verdict.CONTRADICTED


@pytest.mark.parametrize(
    ("at_small", "words"),
    [((0.08, 0.13), "it agrees"), ((0.08, 2.0), "at one γ"), ((0.01, 2.0), "at some γ between"),
     ((1.0, 2.0), "it differs")],
)  # fmt: skip
def test_the_residual_is_held_against_the_reports(
    at_small: tuple[float, float], words: str
) -> None:
    rows = [("small", 14, value) for value in at_small] + [("medium", 20, 0.2)] * 2
    sweeps = pd.DataFrame(rows, columns=["layout", "n_sweeps", "residual"])
    sweeps = sweeps.assign(
        gamma=[0.6, 0.9] * 2, residual_low95=sweeps["residual"], residual_high95=sweeps["residual"]
    )
    small, medium = residual_text(sweeps).split(";")[:2]
    assert small.endswith(words)
    assert medium.split(' ("')[0].endswith("it agrees")


# Pictures


def test_the_picture_of_rewards_adds_up_two_zones() -> None:
    """Two ghosts two cells apart, as in the report's figure 1b."""
    layout = with_ghosts(MEDIUM, FIRST_GHOST, SECOND_GHOST)
    agent = PacmanMDP(layout=layout, radius=RADIUS, max_sweeps=1)
    rewards = agent.act(agent.start(0)).rewards
    x, y = layout.ghosts[0]
    assert layout.ghosts == ((x, y), (x + 2, y))
    around = rewards[x - 3 : x + 5, y].tolist()
    assert around == [-100, -200, -300 - 100, -500 - 200, -600, -500 - 200, -300 - 100, -200]


# The command


def test_the_command_writes_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "TIMED_ROUNDS", 2)
    monkeypatch.setattr(questions, "TIMED_SEEDS", 1)
    monkeypatch.setattr(questions, "MORE", 2)
    asked = ["reproduce", "pacman", "--games", "2", "--jobs", "1", "--seed", "3"]
    done = CliRunner().invoke(app, [*asked, "--output", str(tmp_path)])
    assert done.exit_code == 0, (done.output, done.stderr, done.exception)
    assert done.stdout.endswith((tmp_path / "pacman.md").read_text())
    assert "nan" not in done.stdout
    games = pd.read_csv(tmp_path / "games.csv")
    assert not games.duplicated(["agent", "seed"]).any()
    points, selection = (pd.read_csv(tmp_path / f"{each}.csv") for each in ("points", "selection"))
    motion, changes = (pd.read_csv(tmp_path / f"{each}.csv") for each in ("motion", "changes"))
    selecting = games["seed"] >= 3_500_000
    counts = games[selecting].groupby("agent").size()
    assert set(counts.index) == set(selection["agent"])
    assert (counts == 2).all()
    counts = games[~selecting].groupby("agent").size()
    assert (counts[motion["agent"]] == 4).all()
    assert (motion["n_games"] == 4).all()
    assert counts[points["agent"]].isin([2, 4]).all()
    seeds = {*range(3_000_000, 3_000_004), 3_500_000, 3_500_001}
    assert set(games["seed"]) == seeds
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert (manifest["seed"], manifest["games_a_row"]) == (3, 2)
    assert manifest["n_games_played"] == len(games)
    assert set(manifest["rows"]) == set(games["agent"])
    ours = {digest for each in manifest["chosen"].values() for digest in each.values()}
    assert ours == set(selection.loc[selection["chosen"], "agent"])

    by_agent = games[games["seed"] < 3_000_002].groupby("agent")["outcome"]
    rates = by_agent.apply(lambda each: (each == "won").mean())
    assert points["win_rate"].to_numpy() == pytest.approx(rates[points["agent"]].to_numpy())
    assert (points["win_rate_low95"] <= points["win_rate"]).all()
    fixed = points[points["tolerance"] == 0]
    assert (fixed["sweeps_per_move"] == fixed["max_sweeps"]).all()
    strategies = pd.read_csv(tmp_path / "strategies.csv")
    assert len(strategies) == 14
    assert sorted(strategies["report_win_rate"].dropna().unique()) == [0.0, 0.16, 0.48, 0.65]
    by_agent = games[games["seed"] < 3_500_000].groupby("agent")["outcome"]
    rates = by_agent.apply(lambda each: (each == "won").mean())
    assert motion["win_rate"].to_numpy() == pytest.approx(rates[motion["agent"]].to_numpy())
    assert len(changes) == 18
    cut = changes[changes["cut"]]
    assert (cut["backups_ratio"] <= 1.05).all()
    assert (cut["seconds_ratio"] > 0).all()
    assert changes["difference"].to_numpy() == pytest.approx(
        (changes["win_rate"] - changes["win_rate_plain"]).to_numpy()
    )
    claims = pd.read_csv(tmp_path / "claims.csv")
    assert set(claims["verdict"]) <= set(Verdict)
    assert done.stdout.count(" | **") == claims["claim"].nunique()
    for figure in FIGURES:
        assert (tmp_path / f"{figure}.png").stat().st_size > 10_000


def test_a_table_of_other_games_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "games.csv").write_text("agent,seed,score_points\n")
    done = CliRunner().invoke(app, ["reproduce", "pacman", "--output", str(tmp_path)])
    assert done.exit_code == 2
    assert "no table of games of pacman" in done.stderr
    assert done.stderr.count("\n") == 1
