"""What benchmarks share: options, progress, errors in one line, runs that are kept."""

import argparse
import importlib.metadata
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import thetafront
from results.papers.paper import whole
from thetafront.study.log.append_only import AppendOnlyFile
from thetafront.study.log.location import make_folder
from thetafront.study.log.manifest import check_output

Record = dict[str, Any]


def say(text: str) -> None:
    """Tell on standard error what goes on."""
    print(text, file=sys.stderr, flush=True)


def versions(*libraries: str) -> dict[str, str]:
    """Return the versions of those libraries that are installed, for a manifest."""
    installed = {each.name: each.version for each in importlib.metadata.distributions()}
    return {name: installed[name] for name in libraries if name in installed}


class Parser(argparse.ArgumentParser):
    """Tells of a wrong option in one line."""

    def error(self, message: str) -> NoReturn:
        """End the program."""
        self.exit(2, f"{self.prog}: {message}\n")


def parser(description: str, output: str | None, n_seeds: int = 0) -> argparse.ArgumentParser:
    """Return the options of a benchmark: its folder and, if it has several, its seeds."""
    made = Parser(description=description.splitlines()[0])
    default = None if output is None else Path("results", output)
    made.add_argument("--output", type=Path, default=default, help="folder to write to")
    if n_seeds:
        made.add_argument("--seeds", type=whole(1, 10_000), default=n_seeds, help="how many")
        made.add_argument(
            "--first-seed",
            type=whole(0, 2**31 - 10_001),
            default=0,
            help="seeds from 0 on are published; development uses 1000 and on",
        )
    return made


def seeds_of(given: argparse.Namespace) -> range:
    """Return the seeds that were asked for."""
    return range(given.first_seed, given.first_seed + given.seeds)


def command(run: Callable[[argparse.Namespace], None], options: argparse.ArgumentParser) -> None:
    """Run a benchmark by the words of the command line; an error is one line and an exit code."""
    try:
        given = options.parse_args()
        if given.output is not None:
            make_folder(given.output, "output")
            check_output(given.output)
        run(given)
    except thetafront.InputError as error:
        say(str(error))
        sys.exit(2)
    except (thetafront.RunError, OSError) as error:
        say(str(error))
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


class Runs:
    """Finished runs, each a line of JSON as soon as it ends: a command that is repeated goes on.

    Parameters
    ----------
    path : Path
        The file; it need not exist. It is only read until it is :meth:`held`.
    keys : sequence of str
        What every run has.

    Raises
    ------
    InputError
        If a line is no such run.
    """

    def __init__(self, path: Path, *keys: str) -> None:
        self.path, self.keys = path, set(keys)
        self.records: list[Record] = []
        self.file = AppendOnlyFile(path, "a file of finished runs")
        self.read(self.file.content())

    def read(self, content: bytes) -> int:
        """Take the runs from the file's content; return how much of it no kill has torn."""
        self.records = []
        for number, line in enumerate(content.splitlines(keepends=True), 1):
            try:
                record = json.loads(line)
                is_run = self.keys <= record.keys()
            except (ValueError, AttributeError, RecursionError):
                if self.records and line.startswith(b'{"') and not line.endswith(b"\n"):
                    return len(content) - len(line)
                is_run = False
            if not is_run:
                raise thetafront.InputError(
                    f"{self.path}: line {number} is no finished run of this version; use another "
                    "folder, or move the file away"
                )
            self.records.append(record)
        return len(content)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other commands from writing meanwhile; cut a last line that is torn."""
        with self.file.held(self.read):
            content = self.file.content()
            if content and not content.endswith(b"\n"):
                self.file.append(b"\n")
            yield

    def add(self, record: Record) -> None:
        """Store a finished run; only while the file is :meth:`held`."""
        self.file.append(json.dumps(record).encode() + b"\n")
        self.records.append(record)
