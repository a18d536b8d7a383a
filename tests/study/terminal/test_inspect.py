"""What an agent thinks of a board, against playouts of our own, and the command that prints it."""

import json
import math

import numpy as np
import pytest

from tests.agents.twenty48.scheduled import scheduled
from tests.oracles import twenty48 as oracle
from tests.study.program import succeeded
from thetafront.agents.twenty48.agent import Decision2048
from thetafront.agents.twenty48.random import RandomAgent
from thetafront.agents.twenty48.schedule import Schedule
from thetafront.engine.twenty48 import Action, pack, parse, playouts, stream, unpack
from thetafront.study.errors import InputError
from thetafront.study.terminal.inspect import (
    decide,
    inspect,
    inspection_json,
    inspection_text,
    parse_board,
)

CROWDED = "2 4 8 16 / 4 8 16 32 / 8 16 32 64 / 64 128 . ."  # right and down are legal
SINGLE = "2 4 8 16 / 4 8 16 32 / 8 16 32 64 / . . . ."  # down alone is


def variance_by_theory(board: str, action: int, n_two: int, n_four: int) -> float:
    """Σ P²·var/n over the nodes of an action, with the variance of 1,500 playouts of each."""
    after, _ = oracle.slide(oracle.from_packed(parse(board)), action)
    cells = oracle.empty_cells(after)
    total = 0.0
    for cell in cells:
        for tile, p, n in ((2, 0.9, n_two), (4, 0.1, n_four)):
            node = oracle.to_packed(oracle.put(after, cell, tile))
            scores, _ = playouts([node], [1500], seed=1000 * tile + 4 * cell[0] + cell[1])
            total += (p / len(cells)) ** 2 * float(scores.var(ddof=1)) / n
    return total


def test_the_standard_error_is_that_of_theory() -> None:
    """For top share 1 a value is a weighted sum of independent means of playouts.

    A standard deviation of 600 repeats has a relative standard error of about 3% and the theory's,
    from 1,500 playouts a node, one of about 2%: 15% is four of both.
    """
    agent = scheduled(Schedule((10,) * 15, (3,) * 15))
    found = inspect(agent, parse(CROWDED), 5, 600, clock=lambda: 0.0)
    assert found.n_repeats == 600
    for action in (Action.RIGHT, Action.DOWN):
        theory = math.sqrt(variance_by_theory(CROWDED, action, 10, 3))
        assert theory > 10
        assert found.actions[action].standard_error == pytest.approx(theory, rel=0.15)


def test_figures_are_those_of_repeated_decisions() -> None:
    agent = scheduled(Schedule((4,) * 15, (2,) * 15))
    board = parse("2 2 8 16 / . . . 2 / . . . . / 1024 . . 2048")
    found = inspect(agent, board, 7, 30, clock=lambda: 0.0)
    decision = agent.act(board, 7)
    assert found.decision.action == decision.action
    assert np.array_equal(found.decision.values, decision.values)
    assert found.decision.n_playout_moves == decision.n_playout_moves
    repeats = [agent.act(board, stream(7, 3, k)) for k in range(30)]
    faces = oracle.from_packed(board)
    for action, each in zip(Action, found.actions, strict=True):
        after, reward = oracle.slide(faces, action)
        values = [repeat.values[action] for repeat in repeats]
        chosen = sum(repeat.action == action for repeat in repeats)
        assert (each.reward_points, each.n_empty) == (reward, len(oracle.empty_cells(after)))
        assert each.mean_of_repeats == pytest.approx(np.mean(values))
        assert each.standard_error == pytest.approx(np.std(values, ddof=1))
        assert each.share_chosen == chosen / 30


def test_repeats_end_after_two_seconds_but_are_two_at_least() -> None:
    agent = RandomAgent()
    times = iter(range(100))
    assert inspect(agent, parse(CROWDED), 0, 50, clock=lambda: next(times)).n_repeats == 4
    hours = iter(range(0, 10**6, 3600))
    assert inspect(agent, parse(CROWDED), 0, 50, clock=lambda: next(hours)).n_repeats == 2


def test_a_single_action_and_missing_values_are_reported() -> None:
    agent = scheduled(Schedule((1,) * 15, (1,) * 15))
    forced = inspect(agent, parse(SINGLE), 0, 3)
    assert forced.n_legal == 1
    assert forced.decision.action == Action.DOWN
    assert forced.actions[Action.DOWN].share_chosen == 1
    assert all(each.value is None for each in forced.actions)
    assert "nothing to decide" in inspection_text(forced)
    assert forced.decision.n_playout_moves == 0
    without = inspect(RandomAgent(), parse(CROWDED), 0, 3)
    assert "no values" in inspection_text(without)
    answer = json.loads(json.dumps(inspection_json(without, "random", {})))
    down = answer["actions"][Action.DOWN]
    assert (down["legal"], down["n_empty"], down["value"]) == (True, 2, None)
    assert answer["actions"][Action.UP]["reward_points"] is None


def test_a_decision_is_timed() -> None:
    agent = scheduled(Schedule((2,) * 15, (2,) * 15))
    timed = decide(agent, parse(CROWDED), 3)
    assert isinstance(timed.decision, Decision2048)
    assert timed.decision.action == agent.act(parse(CROWDED), 3).action
    assert 0 <= timed.seconds < 30


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (" ".join("2" * 15), r"board must have 16 cells \(got 15\)"),
        ("3 " + ". " * 15, "board tiles must be powers of two"),
        ("65536 " + ". " * 15, "board tiles must be powers of two"),
        (". " * 16, r"board must have at least one tile \(got 16 empty cells\)"),
        ("2 4 2 4 / 4 2 4 2 / 2 4 2 4 / 4 2 4 2", "2 4 2 4 / 4 2 4 2 / .* where the game is over"),
        ("", r"board must have 16 cells \(got 0\)"),
    ],
)
def test_a_bad_board_is_named(text: str, named: str) -> None:
    with pytest.raises(InputError, match=named):
        parse_board(text)


def test_a_good_board_is_read() -> None:
    grid = np.arange(16).reshape(4, 4) % 12
    board = pack(grid)
    text = "/".join(" ".join(str(2**e) if e else "." for e in row) for row in unpack(board))
    assert parse_board(text) == board


def test_the_command_prints_board_table_and_choice() -> None:
    asked = ["act", "--board", CROWDED, "--theta", "9,9,9,9,3,1", "--repeats", "5"]
    shown = succeeded(None, *asked)
    lines = shown.splitlines()
    assert lines[0].split() == ["2", "4", "8", "16"]
    rows = {line.split()[1]: line.split() for line in lines if line[:1] in "↑→↓←" and line}
    assert rows["up"][2:] == ["-"] * 6
    assert rows["right"][2:4] == ["0", "2"]
    assert "median of 5 repeats" in shown
    assert "the value's standard deviation over repeats of" in shown

    answer = json.loads(succeeded(None, *asked, "--json"))
    assert answer["board"][3] == [64, 128, 0, 0]
    assert answer["params"]["theta5"] == 3
    assert answer["n_repeats"] == 5
    best = max(answer["actions"], key=lambda row: row["value"] or 0)
    assert answer["choice"] == best["action"]
    assert f"{best['value']:,.1f}" == rows[best["action"]][4]
