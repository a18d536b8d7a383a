"""Times by a simulated clock: ratios must be exact however the machine's speed changes."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from results.papers.mcts import timing
from results.papers.mcts.design import Design
from results.papers.mcts.timing import (
    FORCED,
    DecisionTimer,
    kept_timings,
    median,
    rounds_frame,
    starting_boards,
    timings_frame,
    timings_of,
)
from thetafront.agents.twenty48.leaf_value import LeafValue
from thetafront.engine.twenty48 import Action, legal_actions, unpack
from thetafront.study.errors import InputError

CALL = 10.0
SECONDS = {LeafValue.RANDOM: 4.0, LeafValue.LOOKAHEAD: 9.0, LeafValue.SCORE: 0.5}
DEPTHS = (1, 10)


@dataclass
class Machine:
    """Its clock, and a speed that halves after each round of all agents."""

    decisions_a_round: int
    now: float = 0.0
    n_decisions: int = 0
    streams: list[tuple[float, int]] = field(default_factory=list)

    def clock(self) -> float:
        return self.now

    def work(self, seconds: float) -> None:
        self.now += seconds * 2.0 ** (self.n_decisions // self.decisions_a_round)
        self.n_decisions += 1


@dataclass
class Worker:
    """Takes the given seconds, and those of a call."""

    machine: Machine
    seconds: float

    def in_game(self) -> "Worker":
        return self

    def decide(self, board: int, stream: int) -> None:
        if board != FORCED:
            self.machine.streams.append((self.seconds, stream))
        self.machine.work(CALL + (0.0 if board == FORCED else self.seconds))


def test_ratios_are_of_the_same_round_without_the_call_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    boards = starting_boards(3)
    machine = Machine(decisions_a_round=len(SECONDS) * len(DEPTHS) * 2 * len(boards))
    agents = {
        (leaf_value, depth): Worker(machine, seconds * depth)
        for leaf_value, seconds in SECONDS.items()
        for depth in DEPTHS
    }
    timings = timings_of(DEPTHS, agents, DecisionTimer(boards, machine.clock), 5)
    relative = timings.relative(LeafValue.LOOKAHEAD, LeafValue.RANDOM, 10)
    assert (relative.value, relative.low, relative.high) == pytest.approx((9 / 4,) * 3)
    assert timings.relative(LeafValue.LOOKAHEAD, LeafValue.SCORE, 10).value == pytest.approx(18)
    assert timings.of(LeafValue.RANDOM, 10) == pytest.approx(40 * 2.0 ** np.arange(5))
    frame = timings_frame(timings)
    assert len(frame) == 6
    assert set(frame["n_decisions"]) == {15}
    at = frame.set_index(["leaf_value", "depth"]).loc[("score", 1)]
    assert at["seconds_per_decision"] == pytest.approx(0.5 * 4)
    assert at["call_seconds"] == pytest.approx(CALL * 4)
    assert at["relative_to_random"] == pytest.approx(1 / 8)
    path = tmp_path / "rounds.csv"
    rounds_frame(timings).to_csv(path, index=False)
    design = Design(depths=DEPTHS, n_rounds=5)
    assert kept_timings(path, design) is None, "of other leaf values and boards"
    monkeypatch.setattr(timing, "TITLES", SECONDS)
    monkeypatch.setattr(timing, "N_STARTS", 3)
    kept = kept_timings(path, design)
    assert kept is not None
    pd.testing.assert_frame_equal(timings_frame(kept), frame, rtol=1e-3)
    assert kept_timings(path, Design(depths=DEPTHS, n_rounds=6)) is None
    assert kept_timings(tmp_path / "none.csv", design) is None
    text = path.read_text()
    for broken in ("", "what\n1\n", text.replace("score", "guess"), text[: len(text) // 2]):
        path.write_text(broken)
        with pytest.raises(InputError, match="no timings of this version"):
            kept_timings(path, design)
    drawn = {seconds: [s for each, s in machine.streams if each == seconds] for seconds in (4, 9)}
    assert drawn[4] == drawn[9], "the same random streams for all"
    assert len(set(drawn[4])) == 15


def test_the_interval_of_a_median_has_the_ranks_of_the_tables() -> None:
    """For ten values the second and the ninth, 97.9%; for five, no two are enough."""
    ten = median(np.array([7.0, 1, 10, 3, 9, 4, 2, 8, 6, 5]))
    assert (ten.low, ten.value, ten.high) == (2, 5.5, 9)
    five = median(np.arange(5.0))
    assert (five.low, five.value, five.high) == (0, 2, 4)
    sixty = median(np.arange(1.0, 61.0))
    assert (sixty.low, sixty.high) == (22, 39)


def test_boards_of_the_timer() -> None:
    assert legal_actions(FORCED) == (Action.RIGHT,)
    for board in starting_boards():
        assert np.count_nonzero(unpack(board)) == 2
    assert len(set(starting_boards())) > 15
