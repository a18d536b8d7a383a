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


def shown(words: list[str], width: int, folder: Path, seconds: float = 120.0) -> list[str]:
    """Run thetafront on a pseudo-terminal of this width; return what it shows in the end."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, width, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color"}
    for name in ("COLUMNS", "LINES"):
        environment.pop(name, None)
    command = [sys.executable, "-m", "thetafront", *words]
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=environment
    )
    os.close(theirs)
    sent, until = b"", time.monotonic() + seconds
    try:
        while time.monotonic() < until:
            sent += os.read(ours, 65536)
    except OSError:  # it has left
        pass
    finally:
        os.close(ours)
        process.kill()
        process.wait()
    return screen_of(sent, width)
