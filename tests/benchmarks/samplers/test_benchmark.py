"""The benchmark as a command: interrupted, repeated, and asked for what it cannot do."""

import json
import sys
from pathlib import Path

import pytest

from results.benchmarks.command import Runs
from results.benchmarks.samplers import __main__ as benchmark
from results.benchmarks.samplers.contest import Run, play
from results.papers.paper import command
from thetafront import InputError, RunError

ASKED = ("--sampler", "random", "--sampler", "tpe", "--surface", "two_regimes")
ASKED += ("--seeds", "2", "--first-seed", "1000", "--jobs", "1")


def one_seed(seed: int) -> dict[str, int]:
    return {"seed": seed}


def called(monkeypatch: pytest.MonkeyPatch, output: Path, *words: str) -> int:
    """Call the command; return its exit code."""
    asked = ["samplers", *ASKED, "--budget", "18x2", "--output", str(output), *words]
    monkeypatch.setattr(sys, "argv", asked)
    try:
        command(benchmark.run, benchmark.options())
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def test_an_interrupted_benchmark_continues_and_repeats_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plays: list[Run] = []

    def stopping(run: Run) -> dict:
        if len(plays) == 2:
            raise KeyboardInterrupt
        plays.append(run)
        return play(run)

    monkeypatch.setattr(benchmark, "play", stopping)
    assert called(monkeypatch, tmp_path) == 130
    ledger = tmp_path / "runs.jsonl"
    kept = ledger.read_bytes()
    assert kept.count(b"\n") == 2
    ledger.write_bytes(kept + b'{"surface": "two_reg')  # torn by a kill

    monkeypatch.setattr(benchmark, "play", lambda run: plays.append(run) or play(run))
    assert called(monkeypatch, tmp_path) == 0
    assert len(set(plays)) == len(plays) == 4
    assert ledger.read_bytes().startswith(kept)
    assert len(ledger.read_text().splitlines()) == 4
    assert "| tpe | 18 × 2 | 2 |" in (tmp_path / "samplers.md").read_text("utf-8")
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert [run["sampler"] for run in manifest["runs"]] == ["random", "tpe"]
    called(monkeypatch, tmp_path)
    assert len(plays) == 4


def test_a_run_that_is_wanted_or_stored_twice_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_bytes(2 * b'{"seed": 1}\n')
    runs = Runs(path, "seed")
    assert runs.play([1, 2, 2], lambda each: each["seed"], one_seed, jobs=1) == [2]
    assert runs.records == [{"seed": 1}, {"seed": 2}]


@pytest.mark.parametrize(
    "content",
    [
        b"no json\n",
        b"3\n",
        b'{"surface": "recorded"}\n',
        b"my notes, whose last line has no end",
        b'{"mine": 1}\n{"mine": 2}\n{"mi',
        bytes(range(256)),
    ],
)
def test_a_file_of_other_things_is_refused_and_left_as_it_is(
    tmp_path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_bytes(content)
    assert called(monkeypatch, tmp_path) == 2
    assert "line 1 is not a finished run of this version" in capsys.readouterr().err
    assert path.read_bytes() == content
    assert [each.name for each in tmp_path.iterdir()] == ["runs.jsonl"]


def test_a_first_line_that_was_cut_is_repeated(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b'{"surface": "recorded", "se')
    runs = Runs(path, "surface", "seed")
    with runs.held():
        runs.add({"surface": "recorded", "seed": 1})
    assert path.read_bytes() == b'{"surface": "recorded", "seed": 1}\n'


def test_a_run_whose_line_lacks_its_end_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b'{"seed": 1000}\r\n{"seed": 1001}')
    ledger = Runs(path, "seed")
    with ledger.held():
        ledger.add({"seed": 1002})
        with pytest.raises(RunError, match="another run is writing to it"), Runs(path).held():
            pass
    assert [each["seed"] for each in Runs(path, "seed").records] == [1000, 1001, 1002]
    with pytest.raises(InputError, match="line 1 is not a finished run"):
        Runs(path, "score")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--sampler", "magic"), "sampler must be one of knowledge-gradient"),
        (("--surface", "moon"), "argument --surface: invalid choice: 'moon'"),
        (("--seeds", "0"), "argument --seeds: must be between 1 and 10000 (got 0)"),
        (("--jobs", "0"), "argument --jobs: must be between 1 and 10000 (got 0)"),
        (("--budget", "16x9"), "argument --budget: invalid budget value: '16x9'"),
    ],
)
def test_bad_input_is_one_line_before_anything_is_written(
    tmp_path: Path,
    words: tuple[str, ...],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture,
) -> None:
    output = tmp_path / "out"
    assert called(monkeypatch, output, *words) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert not output.exists()


def test_a_damaged_manifest_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    (tmp_path / "manifest.json").write_text("{")
    assert called(monkeypatch, tmp_path) == 2
    assert "not a manifest; use another folder, or move it away" in capsys.readouterr().err
