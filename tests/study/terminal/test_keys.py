"""Keys from bytes, and a terminal that is given back as it was."""

import os
import termios

import pytest

from study.terminal.keys import DOWN, ESCAPE, LEFT, RIGHT, UP, KeyParser, keyboard


@pytest.mark.parametrize(
    ("received", "keys"),
    [
        (b"q", ["q"]),
        (b"\x1b[A\x1b[B\x1b[C\x1b[D", [UP, DOWN, RIGHT, LEFT]),
        (b"\x1bOA\x1bOD", [UP, LEFT]),
        (b"\x1b[1;5C n", [RIGHT, " ", "n"]),
        (b"\x1b[3~\x1b[200~x", ["x"]),
        (b"\x1b[[Ax", ["x"]),
        (b"\x1bq", [ESCAPE, "q"]),
        (b"\x1b\x1b[A", [ESCAPE, UP]),
        ("θ↑".encode(), ["θ", "↑"]),
        (b"\xff\xfeq", ["q"]),
        (b"", []),
    ],
)
def test_keys_are_found_in_bytes_however_they_come(received: bytes, keys: list[str]) -> None:
    assert KeyParser().feed(received) == keys
    parser = KeyParser()
    one_by_one = [key for byte in received for key in parser.feed(bytes([byte]))]
    assert one_by_one == keys
    assert not parser.in_sequence


def test_escape_alone_is_a_key_when_nothing_follows() -> None:
    parser = KeyParser()
    assert parser.feed(b"\x1b") == []
    assert parser.in_sequence
    assert parser.flush() == [ESCAPE]
    assert parser.feed(b"[A") == ["[", "A"]
    assert parser.feed(b"\x1b[1;") == []
    assert parser.flush() == [ESCAPE]
    assert parser.flush() == []


def test_a_terminals_keys_are_read_and_the_terminal_is_given_back(pair: tuple[int, int]) -> None:
    person, terminal = pair
    before = termios.tcgetattr(terminal)

    def typed_and_interrupted() -> None:
        with keyboard(terminal) as keys:
            assert not termios.tcgetattr(terminal)[3] & (termios.ECHO | termios.ICANON)
            assert termios.tcgetattr(terminal)[3] & termios.ISIG
            assert keys.read(0.0) == []
            os.write(person, b"a\x1b[A")
            assert keys.read(30.0) == ["a", UP]
            os.write(person, b"\x1b")
            assert keys.read(30.0) == [ESCAPE]
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        typed_and_interrupted()
    assert termios.tcgetattr(terminal) == before
