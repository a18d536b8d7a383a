"""Keys from a terminal, one by one as they are pressed, and the terminal left as it was found."""

import codecs
import os
import re
import select
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

UP, RIGHT, DOWN, LEFT = "up", "right", "down", "left"
ESCAPE = "escape"
END = "end of input"

ARROWS = {"A": UP, "B": DOWN, "C": RIGHT, "D": LEFT}
# ESC [ parameters final, or ESC O final where a terminal is in application mode. The Linux console's
# function keys are ESC [ [ and one more.
SEQUENCE = re.compile(r"\x1b(?:\[\[.|\[[0-?]*[ -/]*[@-Z\\-~]|O[@-~])")
BEGUN = re.compile(r"\x1b(?:\[\[|\[[0-?]*[ -/]*|O)?\Z")

SECONDS_IN_A_SEQUENCE = 0.05  # what follows ESC in a sequence comes at once, even over a slow line
MOST_BYTES = 1024


class Keyboard(Protocol):
    """Where keys come from."""

    def read(self, timeout: float) -> list[str]:
        """Return the keys pressed, after ``timeout`` seconds at most: none, perhaps.

        A key is the character it types, or one of :data:`UP`, :data:`RIGHT`, :data:`DOWN`,
        :data:`LEFT`, :data:`ESCAPE`; :data:`END` says that there will be no more.
        """


class KeyParser:
    """Finds keys in the bytes of a terminal, which may come in any pieces."""

    def __init__(self) -> None:
        self.decoder = codecs.getincrementaldecoder("utf-8")(errors="ignore")
        self.rest = ""

    @property
    def in_sequence(self) -> bool:
        """Whether what came last may be the beginning of a sequence, or the key Escape alone."""
        return bool(self.rest)

    def feed(self, received: bytes) -> list[str]:
        """Return the keys that are complete with ``received``."""
        self.rest += self.decoder.decode(received)
        keys = []
        while self.rest and not BEGUN.match(self.rest):
            sequence = SEQUENCE.match(self.rest)
            length = sequence.end() if sequence else 1
            pressed, self.rest = self.rest[:length], self.rest[length:]
            if not sequence:
                keys.append(ESCAPE if pressed == "\x1b" else pressed)
            elif pressed[-1] in ARROWS and not pressed.startswith("\x1b[["):
                keys.append(ARROWS[pressed[-1]])  # with Shift, Control or Alt perhaps
        return keys

    def flush(self) -> list[str]:
        """Return what is left when nothing follows: Escape alone, if anything."""
        keys = [ESCAPE] if self.rest else []
        self.rest = ""
        return keys


class TerminalKeyboard:
    """The keyboard of a terminal in cbreak mode."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.parser = KeyParser()

    def ready(self, timeout: float) -> bool:
        """Wait until there is something to read, or ``timeout`` seconds."""
        return bool(select.select([self.descriptor], [], [], timeout)[0])

    def read(self, timeout: float) -> list[str]:
        """Return the keys pressed: see :class:`Keyboard`."""
        keys: list[str] = []
        while not keys and self.ready(timeout):
            received = os.read(self.descriptor, MOST_BYTES)
            if not received:
                return [END]
            keys += self.parser.feed(received)
            timeout = 0.0
            if self.parser.in_sequence and not self.ready(SECONDS_IN_A_SEQUENCE):
                keys += self.parser.flush()
        return keys


@contextmanager
def keyboard(descriptor: int) -> Iterator[Keyboard]:
    """Read a terminal's keys as they are pressed, without echo; leave it as it was in any case.

    Control-C still interrupts. Control-Z does nothing meanwhile: a stopped program would leave the
    shell a terminal without echo, on the wrong screen.
    """
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        now = termios.tcgetattr(descriptor)
        now[6][termios.VSUSP] = os.fpathconf(descriptor, "PC_VDISABLE").to_bytes(1, "little")
        termios.tcsetattr(descriptor, termios.TCSANOW, now)
        yield TerminalKeyboard(descriptor)
    finally:
        # With what was typed and not read: it was not meant for the shell.
        termios.tcsetattr(descriptor, termios.TCSAFLUSH, before)
