"""The rules on packed boards against the rules in plain Python."""

import numpy as np
import pytest
from scipy import stats

from tests.engine.twenty48.groups import random_cells
from tests.oracles import twenty48 as oracle
from thetafront.engine.twenty48 import (
    Action,
    Rule,
    afterstate,
    initial,
    is_terminal,
    largest_exponent,
    legal_actions,
    n_empty,
    parse,
    spawn,
    worth,
)


@pytest.fixture(scope="module")
def boards() -> list[int]:
    cells = random_cells(np.random.default_rng(1), 4000)
    return [sum(e << 4 * k for k, e in enumerate(each)) for each in cells.tolist()]


def row_at(line: int, place: int) -> int:
    """A packed board with a line of four exponents as a row, and nothing else."""
    return line << 16 * place


def column_at(line: int, place: int) -> int:
    """The same as a column."""
    cells = line & 0xF, (line & 0xF0) << 12, (line & 0xF00) << 24, (line & 0xF000) << 36
    return sum(cells) << 4 * place


def test_actions_are_numbered_clockwise_from_up() -> None:
    assert [action.name for action in Action] == ["UP", "RIGHT", "DOWN", "LEFT"]
    assert list(Action) == [0, 1, 2, 3]


@pytest.mark.parametrize("rule", Rule)
def test_every_row_in_every_direction(rule: Rule) -> None:
    """All 65,536 lines, as rows left and right and as columns up and down, in every position."""
    merge_line = oracle.LINE_RULES[rule]
    for line in range(65536):
        exponents = [line >> (4 * cell) & 15 for cell in range(4)]
        faces = tuple(2**e if e else 0 for e in exponents)
        forward, reward = merge_line(faces)
        backward, reward_back = merge_line(faces[::-1])
        place = line % 4
        for actions, result, points in (
            ((Action.LEFT, Action.UP), forward, reward),
            ((Action.RIGHT, Action.DOWN), backward[::-1], reward_back),
        ):
            after = sum(tile.bit_length() - 1 << 4 * k for k, tile in enumerate(result) if tile)
            for action, at in zip(actions, (row_at, column_at), strict=True):
                got = afterstate(at(line, place), action, rule)
                assert got == (at(after, place), points), (line, action)


@pytest.mark.parametrize(
    ("row", "after", "points"),
    [
        ("2 2 4 .", "8 . . .", 12),
        ("2 2 4 8", "16 . . .", 28),
        ("4 2 2 .", "4 4 . .", 4),
        ("2 2 2 2", "4 4 . .", 8),
        (". 2 2 4", "8 . . .", 12),
        ("8 4 2 2", "8 4 4 .", 4),
        ("4 4 8 2", "16 2 . .", 24),
        ("2 4 4 8", "2 16 . .", 24),
    ],
)
def test_cascades_by_hand(row: str, after: str, points: int) -> None:
    below = " 2 4 8 16 / 4 8 16 32 / 8 16 32 64"
    slid, reward = afterstate(parse(row + below), Action.LEFT, Rule.CASCADE)
    assert (slid, reward) == (parse(after + below), points)


@pytest.mark.parametrize("rule", Rule)
def test_random_boards_slide_as_in_plain_python(boards: list[int], rule: Rule) -> None:
    for board in boards:
        faces = oracle.from_packed(board)
        legal = oracle.legal_actions(faces)
        for action in Action:
            after, reward = oracle.slide(faces, action, rule)
            assert afterstate(board, action, rule) == (oracle.to_packed(after), reward)
        assert list(legal_actions(board)) == legal
        assert is_terminal(board) == (not legal)
        assert n_empty(board) == len(oracle.empty_cells(faces))
        assert 2 ** largest_exponent(board) == max(1, *map(max, faces))


def test_terminal_boards_are_recognized() -> None:
    """Random full boards are rarely terminal, so games are played to their end."""
    for seed in range(60):
        faces = oracle.from_packed(initial(seed))
        words = oracle.words(seed)
        while legal := oracle.legal_actions(faces):
            assert not is_terminal(oracle.to_packed(faces))
            faces = oracle.spawn(
                oracle.slide(faces, legal[next(words) % len(legal)])[0], next(words)
            )
        assert is_terminal(oracle.to_packed(faces))
        assert legal_actions(oracle.to_packed(faces)) == ()


@pytest.mark.parametrize("board", [0, 0xFFFFFFFFFFFFFFFF], ids=["empty", "all 32768"])
def test_boards_without_an_action(board: int) -> None:
    """Their rows are among all rows above."""
    assert is_terminal(board)
    assert legal_actions(board) == ()


@pytest.mark.parametrize("board", [-1, 2**64])
def test_a_number_that_is_no_board_is_refused(board: int) -> None:
    with pytest.raises(ValueError, match=r"must be between 0 and 2\*\*64 - 1"):
        is_terminal(board)


def test_an_action_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="4"):
        afterstate(0x11, 4)


def test_worth_is_the_reward_of_building_a_board(boards: list[int]) -> None:
    for board in boards:
        expected = sum(
            (tile.bit_length() - 2) * tile
            for row in oracle.from_packed(board)
            for tile in row
            if tile
        )
        assert worth(board) == expected


def test_score_follows_from_the_end_board() -> None:
    board = initial(5)
    start, score, n_fours = board, 0, 0
    for move in range(200):
        legal = legal_actions(board)
        if not legal:
            break
        after, reward = afterstate(board, legal[move % len(legal)])
        board = spawn(after, move)
        score += reward
        n_fours += board ^ after in [2 << (4 * cell) for cell in range(16)]
    assert score == worth(board) - worth(start) - 4 * n_fours
    assert n_fours > 0


def test_spawn_follows_the_stream_word_by_word(boards: list[int]) -> None:
    full = 0x1212212112122121
    for stream, board in enumerate([full, *boards[:1000]]):
        faces = oracle.spawn(oracle.from_packed(board), next(oracle.words(stream)))
        assert spawn(board, stream) == oracle.to_packed(faces)


def test_a_game_starts_with_two_tiles_anywhere() -> None:
    """Cells by chi-square over 20,000 seeded starts; two tiles, each a 2 or a 4."""
    n = 20_000
    cells = np.zeros(16)
    n_fours = 0
    for stream in range(n):
        board = initial(stream)
        exponents = [board >> (4 * cell) & 15 for cell in range(16)]
        assert sum(e > 0 for e in exponents) == 2
        assert set(exponents) <= {0, 1, 2}
        cells += [e > 0 for e in exponents]
        n_fours += exponents.count(2)
    assert stats.chisquare(cells).pvalue > 1e-3
    assert stats.binomtest(n_fours, 2 * n, 0.1).pvalue > 1e-3
