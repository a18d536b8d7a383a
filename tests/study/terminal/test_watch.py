"""A watched game: pictures of fixed states, whole games by a fake user, one real terminal."""

import os
import select
import signal
import termios
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from rich.console import RenderableType

from tests.agents.twenty48.scheduled import scheduled
from tests.study.terminal.screen import started
from tests.study.terminal.watching import FakeUser, drawn
from thetafront.agents.twenty48.agent import Agent2048 as Agent
from thetafront.agents.twenty48.agent import Decision2048
from thetafront.agents.twenty48.leaf_value import LeafValue
from thetafront.agents.twenty48.random import RandomAgent
from thetafront.agents.twenty48.schedule import Schedule
from thetafront.agents.twenty48.uct import UCT
from thetafront.engine.twenty48 import Action, Rule, initial, legal_actions, pack, parse
from thetafront.study.terminal.inspect import TimedDecision
from thetafront.study.terminal.keys import DOWN, END, ESCAPE, RIGHT
from thetafront.study.terminal.pace import View, faster, slower
from thetafront.study.terminal.panel import action_table
from thetafront.study.terminal.position import Position
from thetafront.study.terminal.twenty48 import (
    NAMES,
    View2048,
    last_line,
    picture,
    play_by_hand,
    watch_agent,
)

WEAK = scheduled(Schedule((1,) * 15, (1,) * 15))
EVERY_TILE = pack(np.arange(16).reshape(4, 4))
KEYS = (("space", "pause"), ("q", "quit"))


# Pictures


def view_of(board: int, decision: Decision2048 | None, note: str = "") -> View2048:
    position = Position(17, Rule.COMMON, board, 123_456, 3_210)
    timed = TimedDecision(decision, 37e-6) if decision else None
    return View("mcmdp", position, timed, "5 moves/s", note, KEYS)


DECISION = Decision2048(Action.RIGHT, np.array([np.nan, 2000.0, 1900.0, 1000.0]), 9)


@pytest.mark.parametrize(
    ("width", "height"), [(200, 60), (120, 40), (80, 24), (60, 24), (40, 18), (20, 5), (3, 2)]
)
def test_a_picture_fills_the_terminal_and_no_more(width: int, height: int) -> None:
    lines = drawn(picture, view_of(EVERY_TILE, DECISION), width, height)
    assert len(lines) == height
    assert {len(line) for line in lines} == {width}
    text = "\n".join(lines)
    if width >= 40:
        assert all(str(2**e) in text for e in range(1, 16))
        assert all(word in text for word in ("123,456", "3,210", "17", "▶", "2,000", "1,000"))
        assert "q quit" in text
    if width >= 60:
        assert "37.0 µs CPU" in text


def bars(decision: Decision2048, width: int) -> list[str]:
    """Return the lines of four actions' values."""

    def values(*_: object) -> RenderableType:
        return action_table(decision.values, int(decision.action), NAMES)

    return drawn(values, view_of(EVERY_TILE, None), width, 4)


def test_bars_compare_the_actions() -> None:
    up, right, down, left = bars(DECISION, 10 + 40 + 18)
    assert up.split() == ["↑", "up", "-"]
    assert right.startswith("▶ → right ")
    assert right.count("█") == 40
    assert right.split()[-1] == "2,000"
    # 100 of 1,000 points behind: a tenth of four fifths is missing; 36.8 columns.
    assert down.count("█") == 36
    assert "▊" in down
    assert down.split()[-2:] == ["1,900", "−100"]
    assert left.count("█") == 8
    assert left.split()[-2:] == ["1,000", "−1,000"]


def test_equal_values_and_none_at_all_have_bars_too() -> None:
    equal = bars(Decision2048(Action.UP, np.array([5.0, 5.0, np.nan, np.nan]), 0), 40)
    assert equal[0].count("█") == equal[1].count("█") == 12
    none = bars(Decision2048(Action.LEFT, np.full(4, np.nan), 0), 40)
    assert [line.split()[-1] for line in none] == ["-"] * 4


# Games


@pytest.mark.parametrize(
    ("agent", "speed"),
    [
        (WEAK, 0.5),
        (WEAK, 1000),
        (RandomAgent(), 5),
        (scheduled(WEAK.schedule, cascade=True), 5),
        (UCT(20, 4, leaf_value=LeafValue.SCORE, reuse=True), 5),
    ],
)
def test_a_watched_game_is_the_agents(agent: Agent, speed: float) -> None:
    user = FakeUser()
    end = watch_agent(agent, "someone", 6, speed, user.stage())
    game = agent.play(6)
    assert (end.score, end.n_moves, end.board) == (game.score, game.n_moves, game.end_board)
    assert end.largest == game.max_tile
    assert user.now == pytest.approx(game.n_moves / speed, rel=0.1, abs=1)
    shown = [view.state for _, view in user.views]
    assert shown[0] == Position.first(6, agent.rule)
    assert shown[-1] == end
    assert user.views[-1][1].note == "game over"
    times = np.array([at for at, _ in user.views])
    assert np.diff(times).min() > 0.9 / 30, "some thirty pictures a second at most"


def test_what_is_shown_is_what_is_done() -> None:
    user = FakeUser()
    watch_agent(WEAK, "someone", 8, 1.0, user.stage())
    moves = {move.n_moves: move.decision for move in WEAK.moves(8)}
    n_compared = 0
    for _, view in user.views:
        if view.decision:
            expected = moves[view.state.n_moves]
            assert view.decision.decision.action == expected.action
            assert np.array_equal(view.decision.decision.values, expected.values, equal_nan=True)
            n_compared += 1
    assert n_compared >= len(moves)


def test_pause_step_speed_and_quit() -> None:
    script = [(1.1, " "), (50.0, "n"), (51.0, RIGHT), (52.0, "x"), (53.0, ESCAPE)]
    user = FakeUser([*script, (60.0, "q")])
    end = watch_agent(WEAK, "someone", 6, 5.0, user.stage())
    assert end.n_moves == 5 + 2, "five in 1.1 s, then two single steps"
    assert user.views[-1][1].pace == "paused"
    assert end.legal

    user = FakeUser([(0.01, "n"), (0.1, " "), (10.0, " "), (12.5, "q")])
    end = watch_agent(WEAK, "someone", 6, 1.0, user.stage())
    assert end.n_moves == 1 + 2, "n does nothing while it runs; what was due goes on at once"

    faster_now = FakeUser([(0.05, "+"), (0.06, "+"), (1.2, "-"), (1.3, "q")])
    end = watch_agent(WEAK, "someone", 6, 0.5, faster_now.stage())
    assert end.n_moves == 2, "at two moves per second"
    assert faster_now.views[-1][1].pace == "1 move/s"


def test_a_terminal_that_is_gone_ends_the_game() -> None:
    assert watch_agent(WEAK, "someone", 6, 1.0, FakeUser(ends_at=3.5).stage()).n_moves == 3


def test_speeds_are_a_ladder_with_ends() -> None:
    assert (faster(0.5), faster(3), faster(1000)) == (1, 5, 1000)
    assert (slower(1000), slower(3), slower(0.5)) == (500, 2, 0.5)


def test_a_user_gets_the_tiles_of_the_agents_game() -> None:
    """Who presses what the hint says plays the agent's game, to its end."""
    names = {Action.UP: "w", Action.RIGHT: "l", Action.DOWN: DOWN, Action.LEFT: "A"}

    def follow(view: View2048) -> str:
        return names[view.decision.decision.action] if view.decision else "?"

    user = FakeUser(answer=follow)
    end = play_by_hand(WEAK, "you", 6, user.stage())
    game = WEAK.play(6)
    assert (end.score, end.n_moves, end.board) == (game.score, game.n_moves, game.end_board)
    hinted = [view for _, view in user.views if view.decision]
    assert all(view.note.startswith("hint: ") for view in hinted)


def test_keys_that_move_nothing_change_nothing() -> None:
    seed, stuck = next(
        (seed, action)
        for seed in range(1000)
        for action in Action
        if action not in legal_actions(initial(seed))
    )
    key = {Action.UP: "k", Action.RIGHT: "d", Action.DOWN: "j", Action.LEFT: "h"}[stuck]
    keys = iter([key, "x", "?", "?", END])
    user = FakeUser(answer=lambda _: next(keys))
    start = Position.first(seed, Rule.COMMON)
    assert play_by_hand(WEAK, "you", seed, user.stage()) == start
    notes = [view.note.split(":")[0] for _, view in user.views]
    said = f"no tile moves {stuck.name.lower()}"
    assert notes == ["", said, said, "hint", ""]


def test_the_last_line_says_how_the_game_ended() -> None:
    over = Position(17, Rule.COMMON, parse("2 4 2 4 / 4 2 4 2 / 2 4 2 4 / 4 2 4 1024"), 12_345, 678)
    expected = "ended with 12,345 points after 678 moves, largest tile 1024, seed 17"
    assert last_line(over) == expected
    assert last_line(Position.first(3, Rule.COMMON)).startswith("left with 0 points after 0")


# The command


def read_until(user: int, done: Callable[[bytes], bool]) -> bytes:
    """Read what a terminal shows until that is enough; ten minutes at most."""
    received = b""
    deadline = time.monotonic() + 600
    while not done(received):
        assert time.monotonic() < deadline, received[-2000:]
        if select.select([user], [], [], 0.1)[0]:
            received += os.read(user, 65536)
    return received


@pytest.mark.parametrize("leave", ["q", "interrupt"])
def test_a_real_terminal_is_left_as_it_was(
    pair: tuple[int, int], leave: str, tmp_path: Path
) -> None:
    user, terminal = pair
    before = termios.tcgetattr(terminal)
    game = started(
        ["watch", "random", "--seed", "11", "--speed", "10"], terminal, 100, 30, tmp_path
    )
    try:
        received = read_until(user, lambda seen: b"score" in seen and b"quit" in seen)
        if leave == "q":
            os.write(user, b"\x1b[Cq")
        else:
            game.send_signal(signal.SIGINT)
        received += read_until(user, lambda _: game.poll() is not None)
        received += read_until(user, lambda _: not select.select([user], [], [], 0.0)[0])
    finally:
        game.kill()
        game.wait()
    assert game.returncode == (0 if leave == "q" else 130)
    assert termios.tcgetattr(terminal) == before
    for on, off in ((b"\x1b[?1049h", b"\x1b[?1049l"), (b"\x1b[?25l", b"\x1b[?25h")):
        assert 0 <= received.rindex(on) < received.rindex(off)
    last = received[received.rindex(b"\x1b[?1049l") :].decode()
    if leave == "q":
        assert "left with" in last
        assert "seed 11\r\nto repeat: thetafront watch random --replay 11" in last
    else:
        assert "thetafront: interrupted" in last
