"""First games tell how many games a trial has."""

from pathlib import Path

import pytest

from thetafront import sweep
from thetafront.study.run.first_games import MAX_SHORT_GAMES, SECONDS_A_TRIAL, short_games

pytestmark = pytest.mark.usefixtures("one_thread", "no_processes")


@pytest.mark.parametrize(
    ("games_in_time", "n_usual", "n"),
    [
        *[(0.01, 4, 4), (4.0, 4, 4), (7.9, 4, 4), (8.0, 4, 8), (15.9, 4, 8), (100.0, 4, 64)],
        *[(19.0, 10, 10), (20.0, 10, 16), (1e6, 10, MAX_SHORT_GAMES), (1e6, 200, 200)],
    ],
)
def test_trials_of_short_games_have_more_of_them(
    games_in_time: float, n_usual: int, n: int
) -> None:
    assert short_games(SECONDS_A_TRIAL / games_in_time, n_usual) == n


def test_a_study_keeps_its_number_of_games_until_another_is_asked_for(tmp_path: Path) -> None:
    def games(trials: int, replicates: int | None = None) -> list[int]:
        study = sweep(
            "pacman_small",
            trials=trials,
            replicates=replicates,
            design_size=2,
            sampler="random",
            validate=False,
            progress=False,
            jobs=1,
            results=tmp_path,
        )
        return study.trials["n_games"].tolist()

    first, again = games(2)
    assert first == again >= 16, "a game takes some milliseconds"
    assert games(3) == [first] * 3
    assert games(4, replicates=5) == [first, first, first, 5]
    assert games(5) == [first, first, first, 5, 5]
