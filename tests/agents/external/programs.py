"""Programs for tests: kind and hostile ones, as scripts that are written when they are needed."""

import sys
from pathlib import Path

SERVER = """
import json, os, signal, subprocess, sys, time
def answer(asked): return {{"score": asked["seed"] % 7, "moves": 10, "seed": asked["seed"]}}
{setup}
for line in sys.stdin:
    asked = json.loads(line)
    {body}
"""
ONCE = """
import json, os, signal, subprocess, sys, time
asked = json.loads(sys.stdin.readline())
def answer(asked): return {{"score": asked["seed"] % 7, "moves": 10, "seed": asked["seed"]}}
{body}
"""
SAY = "print(json.dumps(answer(asked)), flush=True)"


def script(folder: Path, text: str) -> tuple[str, ...]:
    """Write a program; return the command that runs it."""
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8")
    return sys.executable, "-S", path.name


def once(folder: Path, body: str = SAY) -> tuple[str, ...]:
    """Write a program that plays a game a process."""
    return script(folder, ONCE.format(body=body))


def server(folder: Path, body: str = SAY, setup: str = "") -> tuple[str, ...]:
    """Write a program that serves."""
    return script(folder, SERVER.format(body=body.replace("\n", "\n    "), setup=setup))
