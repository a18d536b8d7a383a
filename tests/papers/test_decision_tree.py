"""What follows a board, against the rules on lists of face values."""

import pytest

from results.papers.decision_tree import (
    DRAWN,
    EXAMPLE,
    count_successors,
    small_frame,
    successors,
)
from tests.oracles import twenty48 as oracle
from thetafront.engine.twenty48 import parse

BOARDS = [
    EXAMPLE,
    DRAWN,
    "2 2 4 . / 2 2 4 . / . . . . / 8 . . 8",
    ". . . . / . 2 . . / 4 . . . / . . . .",
]


@pytest.mark.parametrize("text", BOARDS)
def test_successors_are_those_of_the_rules(text: str) -> None:
    expected = {
        action: {oracle.to_packed(child): p for child, p in oracle.spawns(after)}
        for action, (after, _) in oracle.slides(oracle.from_packed(parse(text))).items()
    }
    found = {int(action): dict(each) for action, each in successors(parse(text)).items()}
    assert found == expected
    counts = count_successors(parse(text))
    assert counts["n_pairs"] == sum(map(len, expected.values()))
    assert counts["n_states"] == len(set().union(*expected.values()))
    assert counts["n_pairs"] == 2 * (counts["n_actions"] * counts["n_empty"] + counts["n_merges"])


def test_the_papers_example_has_64() -> None:
    assert count_successors(parse(EXAMPLE)) == {
        "n_actions": 4,
        "n_empty": 8,
        "n_merges": 0,
        "formula": 64,
        "n_pairs": 64,
        "n_states": 64,
    }


def test_bounds_hold_on_small_boards() -> None:
    small = small_frame()
    assert small["n_states"].tolist()[1::2] == [662, 85_844]
    assert (small["n_states"] < small["bound"]).all()
    assert small["bound"].tolist() == [4**2, 6**4, 6**4, 8**6]
