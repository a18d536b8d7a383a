"""The published experiment with a program that is not ours: the compressor zstd."""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from thetafront.study.experiments.registry import experiment
from thetafront.study.log.seeds import search_seed, validation_seed

FOLDER = Path(__file__).parents[3] / "results" / "reference" / "zstd"
SLICE_BYTES = 2_000_000
N_SLICES = 32
BASELINES = experiment(str(FOLDER / "zstd.toml")).baselines

needs_zstd = pytest.mark.skipif(shutil.which("zstd") is None, reason="there is no zstd")


def make_corpus(slices: Path) -> "subprocess.Popen[str]":
    """Begin to make the corpus, of the Python that runs the tests."""
    return subprocess.Popen(
        [sys.executable, str(FOLDER / "corpus.py"), str(slices)], stdout=subprocess.PIPE, text=True
    )


@pytest.fixture(scope="module")
def slices(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The corpus, which several workers make at the same time."""
    folder = tmp_path_factory.mktemp("zstd") / "slices"
    makers = [make_corpus(folder) for _ in range(3)]
    said = {each.communicate(timeout=60)[0] for each in makers}
    assert [each.returncode for each in makers] == [0, 0, 0]
    assert said == {(folder / "digest").read_text()}
    assert [each.name for each in folder.parent.iterdir()] == ["slices"]
    return folder


def play(seed: int, slices: Path, **theta: Any) -> "subprocess.CompletedProcess[str]":
    made = experiment(str(FOLDER / "zstd.toml"))
    program = made.build(theta).program  # type: ignore[attr-defined]
    return subprocess.run(
        program.words(theta, seed),
        cwd=FOLDER,
        env={**os.environ, "CORPUS": str(slices)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def chosen(seed: int) -> int:
    """The slice of a seed."""
    mixed = seed % 2**32
    for _ in range(2):
        mixed = (mixed ^ mixed >> 16) * 73244475 % 2**32
    return (mixed ^ mixed >> 16) % N_SLICES


def test_slices_have_one_size_and_none_is_another(slices: Path) -> None:
    contents = [(slices / str(k)).read_bytes() for k in range(N_SLICES)]
    assert {len(each) for each in contents} == {SLICE_BYTES}
    assert len(set(contents)) == N_SLICES


@needs_zstd
@pytest.mark.parametrize("name", BASELINES)
def test_baselines_are_the_levels(name: str, slices: Path) -> None:
    level = name.removeprefix("level ")
    for seed in range(2):
        report = json.loads(play(seed, slices, **BASELINES[name]).stdout)
        assert report["slice"] == chosen(seed)
        assert report["corpus"] == (slices / "digest").read_text().strip()
        command = ["zstd", f"-{level}", "-q", "-T1", "-c", str(slices / str(report["slice"]))]
        compressed = subprocess.run(command, capture_output=True, check=True, timeout=60).stdout
        assert report["bits_per_byte"] == 8 * len(compressed) / SLICE_BYTES


@pytest.mark.parametrize("is_search", [True, False])
def test_seeds_of_a_study_take_all_slices_alike(is_search: bool) -> None:
    seeds = (
        [search_seed(1, trial, r) for trial in range(256) for r in range(4)]
        if is_search
        else [validation_seed(1, point, r) for point in range(16) for r in range(64)]
    )
    counts = Counter(map(chosen, seeds))
    expected = len(seeds) / N_SLICES
    chi_squared = sum((counts[k] - expected) ** 2 / expected for k in range(N_SLICES))
    assert 9.0 < chi_squared < 62.0  # 31 degrees of freedom, p of 0.001 at the upper end


@needs_zstd
def test_the_corpus_is_not_made_in_a_game(tmp_path: Path) -> None:
    """The game that finds none makes it and fails, so that it is played again."""
    level = BASELINES["level 1"]
    folder = tmp_path / "slices"
    failed = play(0, folder, **level)
    assert (failed.returncode, failed.stdout) == (1, "")
    assert "play again" in failed.stderr
    assert play(0, folder, **level).stdout == play(0, folder, **level).stdout != ""


@needs_zstd
def test_what_zstd_refuses_is_reported(slices: Path) -> None:
    done = play(0, slices, **{**BASELINES["level 1"], "mml": 9})
    assert (done.returncode, done.stdout) == (1, "")
    assert "Parameter is out of bound" in done.stderr
