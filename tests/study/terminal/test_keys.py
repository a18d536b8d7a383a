"""Keys from what a terminal sends, and a terminal whose settings are restored."""

import os
import termios

import pytest

from thetafront.study.terminal.keys import DOWN, ESCAPE, LEFT, RIGHT, UP, keyboard, keys_in


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("q", ["q"]),
        ("\x1b[A\x1b[B\x1b[C\x1b[D", [UP, DOWN, RIGHT, LEFT]),
        ("\x1bOA\x1bOD", [UP, LEFT]),
        ("\x1b[1;5C n", [RIGHT, " ", "n"]),
        ("\x1b[3~\x1b[200~x", ["x"]),
        ("\x1b[[Ax", ["x"]),
        ("\x1bq", [ESCAPE, "q"]),
        ("\x1b", [ESCAPE]),
        ("\x1b\x1b[A", [ESCAPE, UP]),
        ("θ↑\n", ["θ", "↑", "\n"]),
        ("", []),
    ],
)
def test_keys_are_found_in_text(text: str, keys: list[str]) -> None:
    assert keys_in(text) == keys


def test_a_terminals_keys_are_read_and_its_settings_restored(pair: tuple[int, int]) -> None:
    user, terminal = pair
    before = termios.tcgetattr(terminal)

    def typed_and_interrupted() -> None:
        with keyboard(terminal) as keys:
            assert not termios.tcgetattr(terminal)[3] & (termios.ECHO | termios.ICANON)
            assert termios.tcgetattr(terminal)[3] & termios.ISIG
            assert keys(0.0) == []
            os.write(user, b"a\xff\x1b[A")
            assert keys(30.0) == ["a", UP]
            os.write(user, b"\x1b")
            assert keys(30.0) == [ESCAPE], "nothing follows it"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        typed_and_interrupted()
    assert termios.tcgetattr(terminal) == before


def test_a_sequence_may_come_in_pieces(
    pair: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    user, terminal = pair
    monkeypatch.setattr("thetafront.study.terminal.keys.MAX_BYTES", 1)
    with keyboard(terminal) as keys:
        os.write(user, b"\x1b[1;5Cn")
        assert keys(30.0) == [RIGHT]
        assert keys(30.0) == ["n"]
