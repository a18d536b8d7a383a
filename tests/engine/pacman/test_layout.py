"""Mazes: how drawings are read, and which are refused."""

import os
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.oracles.pacman import Game
from thetafront.engine.pacman import LAYOUTS, Layout

TEXT = """\
%%%%%%
%.%oG%
%P   %
%G%%.%
%%%%%%
"""


def cells(marks: np.ndarray) -> set[tuple[int, int]]:
    return {(int(x), int(y)) for x, y in np.argwhere(marks)}


def test_a_drawing_is_read_from_the_bottom_left() -> None:
    layout = Layout.parse(TEXT, "odd")
    assert (layout.name, layout.width, layout.height) == ("odd", 6, 5)
    assert layout.pacman == (1, 2)
    assert layout.ghosts == ((1, 1), (4, 3))  # by x, then y
    assert cells(layout.food) == {(1, 3), (4, 1)}
    assert cells(layout.capsules) == {(3, 3)}
    border = {(x, y) for x in range(6) for y in range(5) if x in (0, 5) or y in (0, 4)}
    assert cells(layout.walls) == border | {(2, 3), (2, 1), (3, 1)}
    assert layout.text == TEXT.strip()


@pytest.mark.parametrize("name", LAYOUTS)
def test_kernels_see_the_maze_that_the_oracle_sees(name: str) -> None:
    layout = Layout.named(name)
    game = Game(layout.text, seed=0)
    assert cells(layout.walls) == game.walls
    assert cells(layout.food) == game.food
    assert cells(layout.capsules) == game.capsules
    assert layout.pacman == game.pacman
    assert list(layout.ghosts) == [ghost.home for ghost in game.ghosts]
    for x in range(layout.width):
        for y in range(layout.height):
            if (x, y) in game.walls:
                continue
            there = [(x, y + 1), (x + 1, y), (x, y - 1), (x - 1, y), (x, y)]
            expected = [cell if cell not in game.walls else (x, y) for cell in there]
            after = layout.maze.after[x * layout.height + y]
            assert [divmod(int(cell), layout.height) for cell in after] == expected
            mask = sum(1 << d for d in range(4) if there[d] not in game.walls)
            assert layout.maze.open_directions[x * layout.height + y] == mask


def test_the_small_maze() -> None:
    layout = Layout.named("small")
    assert (layout.width, layout.height) == (7, 7)
    assert (len(layout.ghosts), layout.food.sum(), layout.capsules.sum()) == (1, 2, 0)


def test_the_medium_maze() -> None:
    layout = Layout.named("medium")
    assert (layout.width, layout.height) == (20, 11)
    assert (len(layout.ghosts), layout.capsules.sum()) == (2, 2)
    assert 95 <= layout.food.sum() <= 105
    assert (layout.walls == layout.walls[::-1]).all()  # west and east
    assert (layout.capsules == layout.capsules[::-1]).all()
    dead_ends = [
        divmod(cell, layout.height)
        for cell, directions in enumerate(layout.maze.open_directions.tolist())
        if directions.bit_count() == 1
    ]
    assert sorted(dead_ends) == sorted(layout.ghosts)  # nowhere but in the pen


def test_layouts_are_values() -> None:
    layout = Layout.parse(TEXT, "odd")
    assert layout.maze.food.sum() == 2
    again = pickle.loads(pickle.dumps(layout))
    assert again == layout == Layout.parse(TEXT.replace("\n", "\r\n") + "\n\n", "odd")
    assert hash(again) == hash(layout)
    assert again.maze.after.flags.writeable == layout.maze.after.flags.writeable


def test_ghosts_move_by_digit_then_by_x_and_y() -> None:
    layout = Layout.parse("%%%%%%%%\n%4G2.PG%\n%31 1 G%\n%%%%%%%%", "jail")
    ones = [(2, 1), (2, 2), (4, 1), (6, 1), (6, 2)]
    assert layout.ghosts == (*ones, (3, 2), (1, 1), (1, 2))
    game = Game(layout.text, seed=0)
    assert list(layout.ghosts) == [ghost.home for ghost in game.ghosts]
    assert (layout.maze.ghosts == 2 * np.array(layout.ghosts)).all()


def test_blanks_around_lines_do_not_count() -> None:
    lines = TEXT.splitlines()
    given = "\r\n".join([lines[0] + "  ", "\t" + lines[1] + " \t", *lines[2:], "   ", ""])
    layout = Layout.parse(given, "odd")
    assert layout == Layout.parse(TEXT, "odd")
    assert layout.notes == ()


def test_walls_beyond_the_first_line_are_cut_with_a_note() -> None:
    lines = TEXT.splitlines()
    given = "\n".join([lines[0], lines[1] + "%", *lines[2:4], lines[4] + "%%%"])
    layout = Layout.parse(given, "odd")
    assert layout == Layout.parse(TEXT, "odd")
    assert layout.notes == (
        "layout odd: line 1 ends at column 6; walls further right are cut off in lines 2, 5",
    )
    one = Layout.parse(TEXT.rstrip() + "%", "odd")
    assert one.notes[0].endswith("are cut off in line 5")
    assert hash(one) == hash(layout)
    assert pickle.loads(pickle.dumps(one)) == one


def test_files_are_loaded_by_path_and_found_by_name(tmp_path: Path) -> None:
    path = tmp_path / "odd.lay"
    path.write_text(TEXT)
    assert Layout.load(path) == Layout.find(str(path)) == Layout.parse(TEXT, "odd")
    assert Layout.find("small") == Layout.named("small")


def grid(width: int, height: int, inside: str = " ") -> str:
    row = "%" + inside * (width - 2) + "%"
    rows = [row] * (height - 2)
    rows[0] = "%P." + rows[0][3:]
    return "\n".join(["%" * width, *rows, "%" * width])


REFUSED = {
    "": "must have a drawing (got none)",
    "%%%%\n%P.%\n%%%": "must have 4 characters in line 3, as in line 1 (got 3)",
    "%%%%\n%P.%\n%%%% %": "must have 4 characters in line 3, as in line 1 (got 6)",
    "%%%%\n%P.%.\n%%%%": "must have 4 characters in line 2, as in line 1 (got 5)",
    "%%%%%\n%P.5%\n%%%%%": "(got '5' in line 2, column 4)",
    "%%%%\n\n%P.%\n%%%%": "must have 4 characters in line 2, as in line 1 (got 0)",
    "%%%%\n%%%%": "must have a height between 3 and 64 (got 2)",
    "%%\n%%\n%%": "must have a width between 3 and 64 (got 2)",
    grid(65, 5): "must have a width between 3 and 64 (got 65)",
    grid(5, 65): "must have a height between 3 and 64 (got 65)",
    "%%%%%\n%P.x%\n%%%%%": "must be drawn with % (wall), . (food), o (capsule), G or "
    "1 to 4 (ghost), P (Pacman) and space (got 'x' in line 2, column 4)",
    "%%%%%\n%. .%\n%%%%%": "must have 1 Pacman (P) (got 0)",
    "%%%%%\n%P.P%\n%%%%%": "must have 1 Pacman (P) (got 2)",
    grid(9, 5, "4"): "must have 0 to 16 ghosts (G) (got 19)",
    "%% %%\n%P..%\n%%%%%": "must have walls (%) on its border (got ' ' in line 1, column 3)",
    "%%%%%\n%P...\n%%%%%": "walls (%) on its border (got '.' in line 2, column 5)",
    "%%%%%\n.P..%\n%%%%%": "walls (%) on its border (got '.' in line 2, column 1)",
    "%%%%%\n%P..%\n%%%G%": "walls (%) on its border (got 'G' in line 3, column 4)",
    "\n%%%%\n%P.%\n%%%%": "must begin with the top of the maze (line 1 is empty)",
    "%%%%%\n%P o%\n%%%%%": "must have food (.) (got none)",
    "%%%%%\n%P.%%\n%%%.%\n%%%%%": "(got food out of reach in line 3, column 4)",
}


@pytest.mark.parametrize("text", REFUSED, ids=range(len(REFUSED)))
def test_bad_drawings_are_refused_in_one_line(text: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        Layout.parse(text, "bad")
    assert str(refused.value).startswith("layout bad must ")
    assert REFUSED[text] in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_largest_maze_is_read() -> None:
    assert Layout.parse(grid(64, 64), "large").food.sum() == 1


def test_walled_in_ghosts_and_capsules_do_no_harm() -> None:
    layout = Layout.parse("%%%%%%%\n%P.%oG%\n%%%%%%%", "walled")
    assert layout.ghosts == ((5, 1),)


def test_a_maze_without_a_name_is_called_unnamed() -> None:
    with pytest.raises(ValueError, match=r"^layout unnamed must have a width between 3 and 64 "):
        Layout.parse("%%\n%%\n%%")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.lay", r"^layout file .*/none\.lay cannot be read: No such file"),
        (".", "cannot be read: Is a directory"),
        ("pipe.lay", r"^layout: .*/pipe\.lay is not a file$"),  # without waiting for a writer
        ("huge.lay", r"file .*/huge\.lay .*got more than 100,000 bytes"),
        ("binary.lay", "must be plain text of % "),
    ],
)
def test_bad_files_are_refused_in_one_line(name: str, message: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.lay")
    (tmp_path / "huge.lay").write_text("%" * 100_001)
    (tmp_path / "binary.lay").write_bytes(b"%%%\xff")
    with pytest.raises(ValueError, match=message):
        Layout.load(tmp_path / name)


@pytest.mark.parametrize(
    ("read", "allowed"),
    [
        (Layout.named, r"small or medium \(got 'big'\)$"),
        (Layout.find, "small or medium, or the path"),
    ],
)
def test_unknown_names_are_refused(read: Callable[[str], Layout], allowed: str) -> None:
    with pytest.raises(ValueError, match=f"^layout must be {allowed}"):
        read("big")
