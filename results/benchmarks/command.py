"""Shared parts of benchmarks: options of seeds, stored runs, output files."""

import argparse
import importlib.metadata
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
from joblib import Parallel, cpu_count, delayed

import thetafront
from results.papers.paper import whole
from thetafront.study.log.append_only import AppendOnlyFile
from thetafront.study.log.manifest import MANIFEST, write_manifest

Record = dict[str, Any]


def say(text: str) -> None:
    """Print progress on standard error."""
    print(text, file=sys.stderr, flush=True)


def add_seeds(options: argparse.ArgumentParser, n_seeds: int) -> None:
    """Add the options of a benchmark that makes simulated studies with ``n_seeds`` seeds."""
    options.add_argument("--seeds", type=whole(1, 10_000), default=n_seeds, help="how many seeds")
    options.add_argument(
        "--first-seed",
        type=whole(0, 2**31 - 10_001),
        default=0,
        help="published results use seeds from 0 on; development uses seeds from 1000 on",
    )
    options.add_argument("--jobs", type=whole(1, 10_000), help="processes; default: one per core")


def parse_seeds(given: argparse.Namespace) -> range:
    """Return the requested seeds."""
    return range(given.first_seed, given.first_seed + given.seeds)


class Runs:
    """Finished runs, each stored as a line of JSON as soon as it ends, so that commands can resume.

    Every run has the given keys; if a run is a list of records, its first record has them. The file
    need not exist. It is written only while it is :meth:`held`. InputError if a line is not such a
    run.
    """

    def __init__(self, path: Path, *keys: str) -> None:
        self.path, self.keys = path, set(keys)
        self.records: list[Any] = []
        self.file = AppendOnlyFile(path, "a file of finished runs")
        self.read(self.file.content())

    def read(self, content: bytes) -> int:
        """Read the runs from the file's content; return the length of its intact part."""
        self.records = []
        for number, line in enumerate(content.splitlines(keepends=True), 1):
            try:
                record = json.loads(line)
                is_run = self.keys <= (record[0] if isinstance(record, list) else record).keys()
            except (ValueError, AttributeError, IndexError, RecursionError):
                is_ours = bool(self.records) or any(f'"{k}"'.encode() in line for k in self.keys)
                if is_ours and line.startswith((b'{"', b'[{"')) and not line.endswith(b"\n"):
                    return len(content) - len(line)
                is_run = False
            if not is_run:
                raise thetafront.InputError(
                    f"{self.path}: line {number} is not a finished run of this version; use "
                    "another folder, or move the file away"
                )
            self.records.append(record)
        return len(content)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other commands from writing to the file; cut off an incomplete last line."""
        with self.file.held(self.read):
            content = self.file.content()
            if content and not content.endswith(b"\n"):
                self.file.append(b"\n")
            yield

    def add(self, record: Any) -> None:
        """Store a finished run; the file must be :meth:`held`."""
        self.file.append(json.dumps(record).encode() + b"\n")
        self.records.append(record)

    def play(
        self,
        wanted: Iterable[Any],
        name_of: Callable[[Any], Any],
        play: Callable[[Any], Any],
        jobs: int | None,
    ) -> list[Any]:
        """Play the wanted runs that are missing, in parallel processes, and return them.

        ``name_of`` returns the wanted run that a record belongs to.
        """
        with self.held():
            done = {name_of(each): each for each in self.records}
            self.records = [*done.values()]  # earlier versions could store a run twice
            missing = [each for each in dict.fromkeys(wanted) if each not in done]
            say(f"{len(done)} runs are stored, {len(missing)} are missing")
            parallel = Parallel(jobs or cpu_count(), return_as="generator_unordered", batch_size=1)
            for number, record in enumerate(parallel(delayed(play)(each) for each in missing), 1):
                self.add(record)
                say(f"{number}/{len(missing)} {name_of(record)}")
        return missing


def publish(
    folder: Path, name: str, text: str, tables: Mapping[str, pd.DataFrame], **manifest: Any
) -> None:
    """Write NAME.md, the tables and a manifest; print the text.

    The keys of ``tables`` are the names of their CSV files, without the ending. The manifest
    describes this command and its libraries, and also has the items of ``manifest``.
    """
    for stem, frame in tables.items():
        frame.to_csv(folder / f"{stem}.csv", index=False)
    (folder / f"{name}.md").write_text(text, encoding="utf-8")
    made_by, installed = thetafront.provenance(), importlib.metadata.distributions()
    libraries = ("scikit-learn", "torch")
    made_by["versions"] |= {each.name: each.version for each in installed if each.name in libraries}
    write_manifest({**made_by, **manifest}, folder / MANIFEST)
    print(text)
