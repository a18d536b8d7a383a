"""Finished runs in a file of JSON lines, from which an interrupted benchmark resumes."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

from results.benchmarks.samplers import ORDER
from results.benchmarks.samplers.contest import Run
from results.benchmarks.samplers.surfaces import SURFACES
from results.benchmarks.samplers.tables import MEASURES
from thetafront.study.errors import InputError
from thetafront.study.log.append_only import AppendOnlyFile

BEGINNING = b'{"surface": "'


class RunLedger:
    """Finished runs, one JSON object a line, each written at once.

    Parameters
    ----------
    path : Path
        The file; it need not exist. It is only read until it is :meth:`held`.

    Raises
    ------
    InputError
        If a line is no finished run, or lacks a measure of this version.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records: dict[Run, dict[str, Any]] = {}
        self.file = AppendOnlyFile(path, "a file of finished runs")
        self.read(self.file.content())

    def read(self, content: bytes) -> int:
        """Take the runs from the file's content, and return how much of it is whole.

        A last line without its end was torn by a kill if it begins as a run does.
        """
        *lines, last = content.split(b"\n")
        self.records = dict(self.run_of(line, number) for number, line in enumerate(lines, 1))
        try:
            run, record = self.run_of(last, len(lines) + 1)
        except InputError:
            if last[: len(BEGINNING)] != BEGINNING[: len(last)]:
                raise
            return len(content) - len(last)
        self.records[run] = record
        return len(content)

    def run_of(self, line: bytes, number: int) -> tuple[Run, dict[str, Any]]:
        """Read one line; InputError if it is no finished run."""
        try:
            record = json.loads(line)
            run = Run(**{each.name: record[each.name] for each in fields(Run)})
            known = run.surface in SURFACES and run.sampler in ORDER
            counts = all(type(each) is int for each in (run.n_trials, run.n_games, run.seed))
            measured = all(isinstance(record[each], int | float) for each in MEASURES)
            is_run = known and counts and measured and isinstance(record["course"], list)
        except (ValueError, TypeError, KeyError, RecursionError):
            is_run = False
        if not is_run:
            raise InputError(
                f"{self.path}: line {number} is no finished run of this version; use another "
                "folder, or move the file away"
            )
        return run, record

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other runs from writing meanwhile; cut a last line that is torn."""
        with self.file.held(self.read):
            content = self.file.content()
            if content and not content.endswith(b"\n"):
                self.file.append(b"\n")
            yield

    def add(self, run: Run, record: dict[str, Any]) -> None:
        """Store a finished run; only while the file is :meth:`held`."""
        self.file.append(json.dumps(record).encode() + b"\n")
        self.records[run] = record
