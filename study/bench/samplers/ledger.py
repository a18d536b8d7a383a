"""Finished runs in a file of JSON lines, from which an interrupted benchmark resumes."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from study.bench.samplers.contest import Run
from study.bench.samplers.tables import MEASURES
from study.errors import InputError


class RunLedger:
    """Finished runs, one JSON object a line, each written at once.

    An incomplete last line, left by a kill, is cut off. InputError if a line is no finished run, or
    lacks a measure of this version.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records: dict[Run, dict[str, Any]] = {}
        if not path.exists():
            return
        content = path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if whole != content:
            with path.open("r+b") as file:
                file.truncate(len(whole))
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                record = json.loads(line)
                run = Run(**{each.name: record[each.name] for each in fields(Run)})
                complete = set(MEASURES) <= set(record)
            except (ValueError, TypeError, KeyError):
                complete = False
            if not complete:
                raise InputError(
                    f"{path}: line {number} is no finished run of this version; use another "
                    "folder, or move the file away"
                )
            self.records[run] = record

    def add(self, run: Run, record: dict[str, Any]) -> None:
        """Store a finished run."""
        with self.path.open("ab", buffering=0) as file:
            file.write(json.dumps(record).encode() + b"\n")
        self.records[run] = record
