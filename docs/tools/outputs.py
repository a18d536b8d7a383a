"""Runs the commands of a page and writes what they print: ``python docs/tools/outputs.py PAGE …``.

A block of code with a title is a file of the folder in which the commands run. In a block
``console``, a line that begins with ``$`` is run; the lines below it are replaced by its output.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FILE = re.compile(r'^```\w+ title="([\w.]+)"\n(.*?)^```$', re.M | re.S)
CONSOLE = re.compile(r"(?<=^```console\n)\$.*?(?=^```$)", re.M | re.S)


def run(command: str, folder: str) -> str:
    """Run a command; return it and its output as a console shows them."""
    places = [str(Path(sys.executable).parent), os.environ["PATH"]]
    environment = os.environ | {"PATH": os.pathsep.join(places), "COLUMNS": "112"}
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    lines = [line.rstrip() for line in done.stdout.replace(folder, "/home/you/coins").splitlines()]
    return "\n".join([f"$ {command}", *lines]).rstrip() + "\n"


def main(page: Path) -> None:
    """Run a page's commands, in their order and in one folder."""
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for name, content in FILE.findall(text):
            (Path(folder) / name).write_text(content, encoding="utf-8")

        def shown(match: re.Match[str]) -> str:
            commands = [line[2:] for line in match.group().splitlines() if line.startswith("$ ")]
            return "".join(run(command, folder) for command in commands)

        page.write_text(CONSOLE.sub(shown, text), encoding="utf-8")


if __name__ == "__main__":
    for each in sys.argv[1:]:
        main(Path(each))
