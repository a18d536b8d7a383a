"""Which points of a study are chosen."""

import pytest

from thetafront.agents.twenty48.agent import Game2048 as Game
from thetafront.study.errors import InputError
from thetafront.study.reproduce.sample_size.games import choose_points
from thetafront.study.store.validated_points import ValidatedPoint

SCORES = {"cheap": [400, 800, 600, 500], "middle": [900, 1100, 1000, 950], "dear": [2000, 2400]}


def points(scores: dict[str, list[int]]) -> list[ValidatedPoint]:
    return [
        ValidatedPoint(
            key,
            {"n_playouts": 4},
            "trial 0",
            {r: Game(r, s, 100, 0.1, 1000, 64, 0) for r, s in enumerate(values)},
        )
        for key, values in scores.items()
    ]


def test_a_studys_points_are_chosen_by_games_and_neighbourhood() -> None:
    def chosen(scores: dict[str, list[int]], *keys: str) -> list[str]:
        return [point.key for point in choose_points(points(scores), keys)]

    assert chosen(SCORES) == ["cheap", "middle"], "most games"
    assert chosen(SCORES, "dear", "cheap") == ["dear", "cheap"]
    assert chosen(SCORES, "dear") == ["dear"]
    even = {"a": [1, 1], "c": [50, 50], "b": [45, 45]}
    assert chosen(even) == ["b", "c"], "as many games each: the closest"
    assert chosen({"a": [1, 1], "b": [3]}) == ["a"], "one game has no deviation"
    with pytest.raises(InputError, match="no validated point with 2 games or more"):
        chosen({"a": [1]})
    with pytest.raises(InputError, match="'x' given, one of cheap, dear, middle allowed"):
        chosen(SCORES, "x")
    for keys in (("cheap", "cheap"), tuple(SCORES)):
        with pytest.raises(InputError, match="one or two different ones allowed"):
            chosen(SCORES, *keys)
