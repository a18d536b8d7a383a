"""What a user sees: text sent to a terminal, as an emulator shows it."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pyte

LINES = 60


def screen_of(sent: bytes | str, width: int) -> list[str]:
    """Return the lines of text that are on the screen, and scrolled out above it."""
    screen = pyte.HistoryScreen(width, LINES, history=10_000)
    stream = pyte.ByteStream(screen)
    stream.feed(sent if isinstance(sent, bytes) else sent.replace("\n", "\r\n").encode())
    above = ["".join(line[x].data for x in range(width)) for line in screen.history.top]
    lines = [each.rstrip() for each in (*above, *screen.display)]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def started(
    words: list[str], terminal: int, width: int, lines: int, folder: Path
) -> "subprocess.Popen[bytes]":
    """Start thetafront on a terminal of this size."""
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, width, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color"}
    for name in ("COLUMNS", "LINES", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        environment.pop(name, None)
    command = [sys.executable, "-m", "thetafront", *words]
    return subprocess.Popen(
        command, stdin=terminal, stdout=terminal, stderr=terminal, cwd=folder, env=environment
    )


def shown(words: list[str], width: int, folder: Path, seconds: float = 300.0) -> list[str]:
    """Run thetafront on a pseudo-terminal of this width; return what it shows in the end."""
    ours, theirs = pty.openpty()
    process = started(words, theirs, width, LINES, folder)
    os.close(theirs)
    sent, until = b"", time.monotonic() + seconds
    try:
        while time.monotonic() < until:
            sent += os.read(ours, 65536)
        raise AssertionError(f"not finished within {seconds:g} s: {screen_of(sent, width)}")
    except OSError:  # it has left
        pass
    finally:
        os.close(ours)
        process.kill()
        process.wait()
    return screen_of(sent, width)
