"""Studies side by side."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.study.conftest import QUICK
from tests.study.made_studies import data_of, store_point, store_trial
from thetafront import load_experiment
from thetafront.agents.twenty48.agent import Game2048 as Game
from thetafront.study.compare.studies import (
    check_comparable,
    compare_figure,
    compare_frame,
    compare_markdown,
)
from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.dimension import NumericParameter
from thetafront.study.experiments.objectives.costs import PLAYOUT_MOVES
from thetafront.study.experiments.space import Space
from thetafront.study.log.log import Log
from thetafront.study.log.study_record import StudyRecord

COINS = """
from thetafront import Experiment, NumericParameter, Space, rate

def play(seed, effort):
    return {"won": seed % effort == 0}

SPACE = Space((NumericParameter("effort", 1, 9, integer=True),))
COINS = Experiment("coins", play, SPACE, rate("won"))
"""


def game(seed: int, score: int, seconds: float) -> Game:
    return Game(seed, score, 100, seconds, 1000, 64, 0)


def study_of(name: str, sampler: str, seed: int, scores: list[int]) -> Log:
    record = StudyRecord("quick", QUICK.space.as_records(), seed, "lhs", 1)
    log = Log.in_memory(name, record.as_data())
    store_trial(log, QUICK, {"n_playouts": 4}, [game(0, 900, 0.1)], "design")
    store_trial(log, QUICK, {"n_playouts": 4}, [game(0, 900, 0.1)], sampler)
    for n, origin, seconds in ((3, "trial 0", 0.1), (4, "four playouts", 0.01)):
        games = {r: game(r, score, seconds) for r, score in enumerate(scores)}
        store_point(log, {"n_playouts": n}, games, origin)
    return log


def test_hypervolumes_by_hand(quick: Experiment) -> None:
    """One point a study, a decade below the reference: the mean score; baselines do not count."""
    made = [
        ("x", "nehvi", 0, [1000] * 4),
        ("y", "nehvi", 1, [3000] * 4),
        ("z", "tpe", 0, [500] * 4),
    ]
    frame = compare_frame([data_of(study_of(*each), quick) for each in made])
    assert frame["hypervolume"].tolist() == pytest.approx([1000.0, 3000.0, 500.0])
    low, high = frame["hypervolume_low95"], frame["hypervolume_high95"]
    assert (low < frame["hypervolume"]).all(), "four games say little of a time"
    assert (low + high).tolist() == pytest.approx([2000.0, 6000.0, 1000.0])
    assert frame["n_validated_points"].tolist() == [1, 1, 1]
    assert frame["n_validation_games"].tolist() == [4, 4, 4]
    text = compare_markdown(frame, quick)
    assert "| nehvi | 2 | 2,000 (-10,706 to 14,706) |" in text, "t of one degree of freedom: 12.706"
    assert "| tpe | 1 | 500 (?) |" in text
    assert text.endswith("\nReference point of all hypervolumes: 0 points at 10.0 ms per move.\n")
    own = compare_markdown(frame, replace(quick, reference_score=None, reference_costs={}))
    assert own.endswith("move; it depends on which studies are compared.\n")
    (axes,) = compare_figure(frame, quick).axes
    assert [each.get_text() for each in axes.get_yticklabels()] == [
        "nehvi (2 studies)",
        "tpe (1 study)",
    ]
    means = next(line for line in axes.lines if line.get_marker() == "D")
    assert [*means.get_xdata()] == pytest.approx([2000.0, 500.0])


@pytest.mark.parametrize(
    ("scores", "problem"),
    [([], "no validated points"), ([900, 1000, 950], "too few validation games")],
)
def test_a_study_without_a_hypervolume_is_named(scores: list[int], problem: str) -> None:
    logs = study_of("one", "tpe", 1, [900, 1000, 950] * 5), study_of("two", "tpe", 1, scores)
    with pytest.raises(InputError, match=f"'two' has {problem}"):
        compare_frame([data_of(log, QUICK) for log in logs])


def test_a_widened_study_is_of_the_same_experiment(quick: Experiment) -> None:
    with pytest.raises(InputError, match=r"slow by seconds_per_move; thetafront report compares"):
        check_comparable([quick, replace(quick, name="slow")])
    space = Space((NumericParameter("n_playouts", 1, 80, integer=True),))
    check_comparable([quick, replace(quick, space=space)])
    check_comparable([quick, replace(quick, goal=replace(quick.goal, standard_error=1.0))])
    with pytest.raises(
        InputError, match=r"quick by seconds_per_move; the goal's penalty differs\)"
    ):
        check_comparable([quick, replace(quick, goal=replace(quick.goal, penalty=1.0))])
    with pytest.raises(
        InputError, match=r"\(got quick by seconds_per_move, quick by playout_moves"
    ):
        check_comparable([quick, quick.with_cost(PLAYOUT_MOVES)])


def test_a_definition_that_is_read_twice_is_of_the_same_experiment(tmp_path: Path) -> None:
    """Your own agents are other objects each time; another experiment is refused in one line."""
    file = tmp_path / "coins.py"
    file.write_text(COINS)
    once, again = (load_experiment(str(file)) for _ in range(2))
    check_comparable([once, again])
    with pytest.raises(InputError, match=r"\(got coins by seconds_per_game, quick by seconds_per"):
        check_comparable([once, QUICK])
