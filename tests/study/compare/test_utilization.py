"""The simulated search, on cases solved by hand."""

from dataclasses import replace

import numpy as np
import pytest

from tests.study.conftest import QUICK
from tests.study.made_studies import data_of, new_study, record_of, store_trial
from thetafront.agents.twenty48.agent import Game2048
from thetafront.engine.twenty48 import parse
from thetafront.study.compare.utilization import (
    Durations,
    simulate,
    utilization_frame,
    utilization_table,
)
from thetafront.study.errors import InputError
from thetafront.study.log.log import Log
from thetafront.study.log.study_data import store_run

FREE = Durations(think=0.0, begin=0.0, store=0.0, tell=0.0)


@pytest.mark.parametrize(
    ("trials", "jobs", "durations", "expected"),
    [
        *(([[1.0] * 4] * (10 * n), n, FREE, (1.0, 0.0, 0.0)) for n in (1, 2, 8)),
        # Five games of a second for four workers: two seconds, five of eight worker-seconds.
        ([[1.0] * 5], 4, FREE, (5 / 8, 0.0, 0.0)),
        # A trial of two games of a second every two seconds keeps one worker of eight busy.
        ([[1.0] * 2] * 500, 8, replace(FREE, think=2.0), (1 / 8, 1.0, 0.0)),
        # A faster sampler proposes during games: workers wait only for its first proposal.
        ([[1.0] * 2] * 500, 2, replace(FREE, think=0.9), (1.0, 0.9, 0.0)),
        # A quarter of a second to store each game: four games per second, however many workers.
        ([[1.0] * 4] * 500, 16, replace(FREE, store=0.25), (4 / 16, 0.0, 1.0)),
    ],
)
def test_cases_solved_by_hand(
    trials: list[list[float]], jobs: int, durations: Durations, expected: tuple[float, ...]
) -> None:
    """Shares of time in games, thinking and writing."""
    assert simulate(trials, jobs, durations) == pytest.approx(expected, rel=0.03)


def test_games_of_all_lengths_are_played_once() -> None:
    lengths = np.random.default_rng(0).exponential(1.0, (200, 3))
    for jobs in (1, 3, 10):
        in_games, _, _ = simulate(lengths.tolist(), jobs, FREE)
        assert 0.9 < in_games <= 1.0 + 1e-12


def test_a_study_without_a_finished_search_is_named() -> None:
    study = Log.in_memory("bare", record_of(QUICK).as_data())
    with pytest.raises(InputError, match="'bare' has no finished search"):
        utilization_frame(data_of(study, QUICK))


def test_the_frame_is_one_of_a_studys_own_games() -> None:
    study = new_study()
    over = parse("8 2 4 2 / 2 4 2 4 / 4 2 4 2 / 2 4 2 4")
    game = Game2048(
        seed=0, n_moves=50, seconds=0.5, score=100, n_playout_moves=9, max_tile=8, end_board=over
    )
    for _ in range(3):
        store_trial(study, QUICK, {"n_playouts": 3}, [game] * 4)
    each = {"think": 0.01, "begin": 0.001, "store": 0.001, "tell": 0.001}
    store_run(study, {"seconds_each": each})
    frame = utilization_frame(data_of(study, QUICK))
    assert frame["workers"].tolist() == [2, 8, 16, 64, 256]
    # A worker plays two games per second, and a proposal is four games: 50 workers keep up with it.
    assert frame.loc[frame["workers"] <= 16, "share_in_games"].min() > 0.95
    assert frame["share_in_games"].is_monotonic_decreasing
    bound = frame.set_index("workers").loc[256]
    assert bound["games_per_second"] == pytest.approx(4 / 0.01, rel=0.1)
    assert utilization_table(frame).row_count == 5
    # Games that take five times as long as they measure.
    store_run(study, {"seconds_each": each, "wall_seconds_a_game_second": 5.0})
    longer = utilization_frame(data_of(study, QUICK)).set_index("workers")
    assert longer.loc[256, "games_per_second"] == pytest.approx(256 / 2.5, rel=0.1)
