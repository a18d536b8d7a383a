"""Keys from a terminal, one by one as they are pressed."""

import os
import re
import select
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

UP, RIGHT, DOWN, LEFT = "up", "right", "down", "left"
ESCAPE = "escape"
END = "end of input"

ARROWS = {"A": UP, "B": DOWN, "C": RIGHT, "D": LEFT}
# A key sends ESC [, parameters and a final character, or, in application mode, ESC O and a final
# character. Function keys of the Linux console send ESC [ [ and a letter. The final letter of an
# arrow key stays the same with Shift, Control or Alt.
KEY = re.compile(
    r"\x1b(?:\[\[.|\[[0-?]*[ -/]*(?P<final>[@-Z\\-~])|O(?P<application>[@-~]))|(?P<character>.)",
    re.DOTALL,
)
UNFINISHED = re.compile(r"\x1b(?:\[\[|\[[0-?]*[ -/]*|O)?\Z")

SECONDS_IN_A_SEQUENCE = 0.05  # the rest of a sequence follows at once, even on a slow line
MAX_BYTES = 1024


Keyboard = Callable[[float], list[str]]
"""Returns the keys pressed within the given number of seconds, perhaps none.

A key is the character it types, or one of :data:`UP`, :data:`RIGHT`, :data:`DOWN`, :data:`LEFT`,
:data:`ESCAPE`; :data:`END` means that no more keys will come.
"""


def keys_in(text: str) -> list[str]:
    """Return the keys in a terminal's input, without escape sequences that are not used here."""
    keys = []
    for match in KEY.finditer(text):
        character = match["character"]
        key = ARROWS.get(match["final"] or match["application"] or "", "")
        if character is not None:
            key = ESCAPE if character == "\x1b" else character
        if key:
            keys.append(key)
    return keys


def keys_pressed(descriptor: int, timeout: float) -> list[str]:
    """Return the keys pressed on a terminal in cbreak mode: see :data:`Keyboard`."""
    text = ""
    while select.select([descriptor], [], [], timeout)[0]:
        received = os.read(descriptor, MAX_BYTES)
        if not received:
            return [*keys_in(text), END]
        text += received.decode("utf-8", errors="ignore")
        if not UNFINISHED.search(text):
            break
        timeout = SECONDS_IN_A_SEQUENCE
    return keys_in(text)


@contextmanager
def keyboard(descriptor: int) -> Iterator[Keyboard]:
    """Read a terminal's keys without echo, and always restore its settings.

    Control-C still interrupts. Control-Z is disabled, because a stopped program would leave the
    shell without echo and on the wrong screen.
    """
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        now = termios.tcgetattr(descriptor)
        now[6][termios.VSUSP] = os.fpathconf(descriptor, "PC_VDISABLE").to_bytes(1, "little")
        termios.tcsetattr(descriptor, termios.TCSANOW, now)
        yield partial(keys_pressed, descriptor)
    finally:
        # Input that was typed but not read is dropped: it was not meant for the shell.
        termios.tcsetattr(descriptor, termios.TCSAFLUSH, before)
