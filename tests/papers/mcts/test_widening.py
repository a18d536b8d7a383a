"""Calibration to equal time, kept between runs; the findings on widening, on made-up games."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from results.papers.mcts.calibration import boards_of_game, calibrate, calibrated
from results.papers.mcts.design import Case, Design, Widened, Widening
from results.papers.mcts.figures import widening_figure
from results.papers.mcts.points import plain_agents
from results.papers.mcts.report import widening_parts
from results.papers.mcts.timing import DecisionTimer, Timed
from results.papers.mcts.widening import (
    case_of,
    points_a_percent,
    widening_agents,
    widening_frame,
)
from tests.papers.made_up import games_of
from thetafront.agents.twenty48.leaf_value import LeafValue
from thetafront.agents.twenty48.uct import UCT
from thetafront.study.errors import InputError
from thetafront.study.estimate import Estimate

CASE = Case(LeafValue.RANDOM, 100)
STATES = Widened.STATES
NARROW, WIDE = Widening(CASE, STATES, 1.0, 0.0), Widening(CASE, STATES, 4.0, 0.5)
FEW = Widening(CASE, Widened.ACTIONS, 0.5, 0.25)


class KnownTimes(DecisionTimer):
    """An agent takes 5 + m, or 5 + 1.25·m if it widens, times the round's noise."""

    def round(self, agent: Timed, number: int) -> tuple[float, float]:
        assert isinstance(agent, UCT)
        noise = np.random.default_rng([number, agent.k_state > 0]).lognormal(0, 0.02)
        return float(5 + agent.n_simulations * (1.25 if agent.k_state else 1.0)) * noise, 1.0


def test_calibration_finds_the_equal_time() -> None:
    """5 + 1.25·m = 105 at m = 80; the noise of forty rounds leaves about half a percent."""
    m, relative = calibrate(NARROW, KnownTimes(()), 20)
    assert m == pytest.approx(80, abs=1)
    assert relative.low <= relative.value <= relative.high
    assert relative.value == pytest.approx(1, abs=0.5 / 80)
    assert relative.high - relative.low < 0.06


def test_calibration_is_taken_up_and_not_done_again(tmp_path: Path) -> None:
    def no_clock() -> float:
        raise AssertionError("what is there is not timed again")

    path = tmp_path / "calibration.csv"
    case = Case(LeafValue.RANDOM, 40)
    narrow, wide = Widening(case, STATES, 1.0, 0.0), Widening(case, Widened.ACTIONS, 1.5, 0.5)
    first = calibrated([narrow], path, 2)
    assert calibrated([narrow], path, 2, no_clock) == first
    with pytest.raises(AssertionError):
        calibrated([narrow, wide], path, 2, no_clock)
    before = path.read_text()
    both = calibrated([narrow, wide], path, 2)
    assert path.read_text().startswith(before)
    assert both[narrow] == first[narrow]
    assert list(both) == [narrow, wide]
    frame = pd.read_csv(path)
    assert frame["n_simulations"].tolist() == [m for m, _ in both.values()]
    earlier = frame[frame["widened"] == "states"].drop(columns="widened")
    earlier.rename(columns={"k": "k_state", "alpha": "alpha_state"}).to_csv(path, index=False)
    assert calibrated([narrow], path, 2, no_clock) == first, "a table of an earlier version"
    for broken in ("what\n1\n", before.replace("random", "guessing"), ""):
        path.write_text(broken)
        with pytest.raises(InputError, match="no calibration of this version"):
            calibrated([narrow], path, 2, no_clock)


def test_boards_are_of_a_whole_game() -> None:
    boards = boards_of_game(UCT(3))
    assert len(boards) == 60
    assert len(set(boards)) == 60
    tiles = [sum(1 << (board >> 4 * cell & 15) for cell in range(16)) for board in boards]
    assert tiles[0] < 40
    assert tiles == sorted(tiles), "the sum of the tiles grows as a game goes on"


def test_plain_agents_of_the_cases_are_points() -> None:
    """So that their games are played once."""
    agents = widening_agents({NARROW: (80, Estimate(1, 1, 1)), WIDE: (97, Estimate(1, 1, 1))})
    assert len(agents) == 3
    assert agents[CASE.name] == plain_agents((100,))[CASE.name]
    narrow = agents[NARROW.name]
    assert isinstance(narrow, UCT)
    assert (narrow.n_simulations, narrow.k_state, narrow.alpha_state) == (80, 1.0, 0.0)
    few = FEW.agent(80)
    assert (few.k_action, few.alpha_action, few.k_state) == (0.5, 0.25, 0)
    assert len(Design().widenings) == len(set(Design().widenings)) == 72


def played(mean: float, micros: float) -> pd.DataFrame:
    noise = np.random.default_rng(3).normal(0, 4000, 50)
    own = np.random.default_rng(int(mean)).normal(0, 300, 50)
    scores = mean + noise - noise.mean() + own - own.mean()
    return games_of(np.round(scores), seconds=micros * 1e-3)


def test_what_is_said_follows_the_paired_intervals() -> None:
    chosen = {
        NARROW: (80, Estimate(0.99, 0.98, 1)),
        WIDE: (97, Estimate(1.01, 1, 1.02)),
        FEW: (95, Estimate(1, 0.99, 1.02)),
    }
    games = {
        CASE.name: played(30_000, 50),
        NARROW.name: played(25_000, 51),
        WIDE.name: played(30_010, 49),
        FEW.name: played(33_000, 50),
    }
    design = Design(cases=(CASE,), ks=(1.0, 4.0), action_ks=(0.5,), alphas=(0.0, 0.5))
    frame = widening_frame(chosen, games)
    plain, settings = case_of(frame, CASE, STATES)
    assert plain["score_mean_points"] == pytest.approx(30_000, abs=1)
    assert settings["relative_time"].tolist() == pytest.approx([1.02, 0.98])
    assert settings["less_plain_points"].tolist() == pytest.approx([-5000, 10], abs=1)
    points = pd.DataFrame(
        {
            "leaf_value": ["random"] * 3,
            "n_simulations": [30, 100, 300],
            "seconds_per_move": [1e-5, 5e-5, 1e-5 * np.e**2],
            "score_mean_points": [20_000.0, 30_000, 40_000],
        }
    )
    assert points_a_percent(points, CASE) == pytest.approx(10_000 * np.log(1.01))
    assert np.isnan(points_a_percent(points, Case(LeafValue.RANDOM, 7)))
    text = "\n".join(widening_parts(frame, points, design, STATES))
    assert "Of 2 settings 0 score more than the plain agent and 1 less" in text
    assert "(n = 50 pairs each); 0.1 such intervals would miss 0 by chance" in text
    assert "In the games the ratio was 0.98 to 1.02;" in text
    assert "One percent more time gains about 100 points" in text
    assert "| 1 | 0 | 80 | 25,000" in text
    assert len(widening_figure(frame, design, STATES).axes) == 1
    _, few = case_of(frame, CASE, Widened.ACTIONS)
    assert few["less_plain_points"].tolist() == pytest.approx([3000], abs=1)
    text = "\n".join(widening_parts(frame, points, design, Widened.ACTIONS))
    assert "Of 1 settings 1 score more than the plain agent and 0 less" in text
    assert "| 0.5 | 0.25 | 95 | 33,000" in text
