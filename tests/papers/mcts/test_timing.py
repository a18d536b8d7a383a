"""Times by a simulated clock: ratios must be exact however the machine's speed changes."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from results.papers.mcts import timing
from results.papers.mcts.design import STATES, Widening
from results.papers.mcts.timing import FORCED, LEAF_VALUES, sample_boards, timings_frame
from thetafront.agents.twenty48.leaf_value import LeafValue
from thetafront.agents.twenty48.uct import UCT
from thetafront.engine.twenty48 import Action, initial, legal_actions

CALL = 10.0
SECONDS = dict(zip(LEAF_VALUES.categories, (4.0, 9.0, 0.5, 0.5, 0.5), strict=True))
DEPTHS = (1, 10)
NARROW = Widening("random", 100, STATES, 1.0, 0.0)


@dataclass
class Machine:
    """Its clock, and a speed that halves after each round of all agents."""

    decisions_a_round: int
    now: float = 0.0
    n_decisions: int = 0
    streams: list[tuple[float, int]] = field(default_factory=list)

    def thread_time(self) -> float:
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
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = Machine(decisions_a_round=len(SECONDS) * len(DEPTHS) * 2 * 3)

    def worker(m: int = 1, depth: int = 1, c: float = 1, each: str = "random") -> Worker:
        return Worker(machine, SECONDS[LeafValue(each).value] * depth)

    for name, value in {"N_STARTS": 3, "N_ROUNDS": 5, "DEPTHS": DEPTHS, "time": machine}.items():
        monkeypatch.setattr(timing, name, value)
    monkeypatch.setattr(timing, "UCT", worker)
    monkeypatch.setattr(timing, "warm", lambda agent: None)
    path = tmp_path / "rounds.csv"
    rounds = timing.timing_rounds(path)
    frame = timings_frame(rounds).set_index(["leaf_value", "depth"])
    assert len(frame) == 10
    assert set(frame["n_decisions"]) == {15}
    for leaf_value, ratio in (("random", 1), ("lookahead", 9 / 4), ("score", 1 / 8)):
        for depth in DEPTHS:
            row = frame.loc[(leaf_value, depth)]
            ends = [row[f"relative_{end}"] for end in ("to_random", "low95", "high95")]
            assert ends[0] == pytest.approx(ratio, rel=1e-3)
    at = frame.loc[("score", 1)]
    assert at["seconds_per_decision"] == pytest.approx(0.5 * 8), "the third of five rounds and one"
    assert at["call_seconds"] == pytest.approx(CALL * 8)
    drawn = {seconds: {s for each, s in machine.streams if each == seconds} for seconds in (4, 9)}
    assert drawn[4] == drawn[9], "the same random streams for all"
    assert len(drawn[4]) == 15
    capsys.readouterr()
    pd.testing.assert_frame_equal(timings_frame(timing.timing_rounds(path)), frame.reset_index())
    assert capsys.readouterr().err == "", "what is there is not timed again"
    path.write_text(path.read_text().rsplit("\n", 2)[0] + "\n")
    assert len(timing.timing_rounds(path)) == len(rounds)
    assert "timing decisions" in capsys.readouterr().err


def test_calibration_finds_the_equal_time_and_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """5 + 1.25·m = 105 at m = 80; the noise of forty rounds leaves about half a percent."""

    def known(agent: UCT, boards: list[int], number: int) -> tuple[float, float]:
        noise = np.random.default_rng([number, agent.k_state > 0]).lognormal(0, 0.02)
        return float(5 + agent.n_simulations * (1.25 if agent.k_state else 1.0)) * noise, 1.0

    monkeypatch.setattr(timing, "time_round", known)
    monkeypatch.setattr(timing, "widenings", lambda: [NARROW])
    path = tmp_path / "calibration.csv"
    found = timing.calibrated(path)
    m, relative = found[NARROW]
    assert m == pytest.approx(80, abs=1)
    assert relative.low <= relative.value <= relative.high
    assert relative.value == pytest.approx(1, abs=0.5 / 80)
    assert relative.high - relative.low < 0.06
    before = path.read_text()
    wide = NARROW._replace(k=4.0, alpha=0.5)
    monkeypatch.setattr(timing, "widenings", lambda: [wide, NARROW])
    both = timing.calibrated(path)
    assert path.read_text().startswith(before)
    assert list(both) == [wide, NARROW]
    monkeypatch.delattr(timing, "time_round")
    again = timing.calibrated(path)
    assert [m for m, _ in again.values()] == [m for m, _ in both.values()]
    assert again[NARROW][1].value == pytest.approx(relative.value)


def test_boards_to_decide_on() -> None:
    assert legal_actions(FORCED) == (Action.RIGHT,)
    assert len({initial(seed) for seed in range(timing.N_STARTS)}) > 15
    boards = sample_boards(UCT(3))
    assert len(set(boards)) == len(boards) == 60
    tiles = [sum(1 << (board >> 4 * cell & 15) for cell in range(16)) for board in boards]
    assert tiles[0] < 40
    assert tiles == sorted(tiles), "the sum of the tiles grows as a game goes on"
