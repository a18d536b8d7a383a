"""The command on two small problems: what is kept, what a table says, refusals."""

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from results.papers import paper
from results.papers.heuristic_search import run, traces
from results.papers.heuristic_search.problems import (
    BEST_LUCK,
    BETWEEN,
    OPTIMUM,
    Problem,
    board,
    three_dice,
)
from results.papers.heuristic_search.run import heuristic_search
from results.papers.heuristic_search.traces import (
    BACKWARDS,
    DELTA,
    LABELLED,
    SEARCH,
    SYNCHRONOUS,
    search,
    sweeps,
)

N_RUNS = 2


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> list[Problem]:
    chosen = [three_dice(), board(2, 2)]
    monkeypatch.setattr(run, "problems", lambda: chosen)
    return chosen


def reproduce(folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    words = ["--games", str(N_RUNS), "--output", str(folder)]
    paper.script(heuristic_search, "heuristic_search", 10, given=words)
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """Return the exit code, and what standard error says."""
    with pytest.raises(SystemExit) as ended:
        paper.script(heuristic_search, "heuristic_search", 10, given=words)
    assert isinstance(ended.value.code, int)
    return ended.value.code, capsys.readouterr().err


def test_sweeps_rise_and_searches_fall_to_the_optimum() -> None:
    problem = board(2, 2)
    looks = sweeps(problem, SYNCHRONOUS)
    values = [each.value for each in looks]
    assert values == sorted(values)
    assert looks[-1].n_backups % problem.n_playing == 0
    assert problem.optimum - 1 < values[-1] <= problem.optimum
    two = sweeps(problem, BACKWARDS)
    assert [each.n_backups for each in two] == [problem.n_playing, 2 * problem.n_playing]
    assert two[0].value == pytest.approx(problem.optimum)
    for method in (SEARCH, LABELLED):
        looks = search(problem, method, problem.bounds[BEST_LUCK], 1, 5000)
        falling = [each.value for each in looks]
        assert falling == sorted(falling, reverse=True)
        assert falling[-1] >= problem.optimum
        assert looks[0].n_backups == looks[0].n_touched == 0
        assert all(each.policy_value <= problem.optimum + 1e-9 for each in looks)
        assert [each.done for each in looks] == [*[False] * (len(looks) - 1), True]
        if method == SEARCH:
            assert 5000 <= looks[-1].n_backups < 5000 + traces.DEPTH
        else:
            assert falling[-1] - problem.optimum < 60 * DELTA, "no game has sixty actions"


def test_a_better_bound_saves_backups() -> None:
    problem = board(2, 2)
    ends = {
        bound: search(problem, LABELLED, problem.bounds[bound], 0, 0)[-1]
        for bound in (BEST_LUCK, BETWEEN, OPTIMUM)
    }
    counts = [each.n_backups for each in ends.values()]
    assert counts == sorted(counts, reverse=True)
    assert ends[OPTIMUM].n_touched < ends[BEST_LUCK].n_touched


def test_runs_are_kept_and_gone_on_with(
    tmp_path: Path, small: list[Problem], capsys: pytest.CaptureFixture[str]
) -> None:
    text = reproduce(tmp_path, capsys)
    assert text == (tmp_path / "heuristic_search.md").read_text()
    assert (tmp_path / "heuristic_search.png").stat().st_size > 10_000
    table = pd.read_csv(tmp_path / "heuristic_search.csv", dtype={"initial_values": str})
    assert set(table["n_runs"]) == {N_RUNS}
    assert len(table) == len(small) * (3 + 3 + 4)
    solved = table[table["method"] != SEARCH]
    assert (solved["policy_loss_points"].abs() < 0.1).all()
    swept = table[table["method"].str.startswith("value iteration")]
    assert (swept["n_backups_low95"] == swept["n_backups_high95"]).all()
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert (manifest["n_runs"], manifest["n_runs_before"]) == (N_RUNS * len(table), 0)

    for problem in small:
        part = table[table["problem"] == problem.name].set_index(["method", "initial_values"])
        labelled = part.loc[(LABELLED, BEST_LUCK)]
        assert f"touches {labelled['share_touched']:.1%} of these states" in text
        fewer = labelled["n_backups"] < part.loc[(SYNCHRONOUS, "0"), "n_backups"]
        said = text.split("synchronous value iteration on: ")[1].split(". Less CPU")[0]
        assert (problem.name in said) == bool(fewer)

    before = (tmp_path / "traces.csv").read_bytes()
    assert reproduce(tmp_path, capsys) == text
    assert (tmp_path / "traces.csv").read_bytes() == before, "with the seconds of the first call"


def test_a_torn_run_is_run_again_and_a_foreign_file_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, seeds = tmp_path / "traces.csv", range(2)
    first = run.run_missing([board(2, 2)], seeds, path)
    before = path.read_bytes()
    path.write_bytes(b"".join(before.splitlines(keepends=True)[:-1]))
    again = run.run_missing([board(2, 2)], seeds, path)
    assert list(again) == list(first)
    *same, torn = first
    assert all(again[each] == first[each] for each in same)
    untimed = [[replace(each, seconds=0.0) for each in runs[torn]] for runs in (again, first)]
    assert untimed[0] == untimed[1]
    for broken in (
        b"",
        b"what\n1\n",
        before.replace(b"True", b""),
        before.replace(b"True", b"yes"),
    ):
        path.write_bytes(broken)
        code, said = refused(capsys, "--output", str(tmp_path))
        assert code == 2
        assert said.endswith("no traces of this version; use another folder, or move it away\n")
        assert path.read_bytes() == broken


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--games", "1"], "--games: 1 given, 2 to 100000 allowed"),
        (["--games", "x"], "--games: x given, 2 to 100000 allowed"),
        (["--seed", "-1"], "--seed: -1 given, 0 to 2147483647 allowed"),
        (["--output", "/nowhere/at/all"], "No such file or directory: '/nowhere/at/all'"),
    ],
)
def test_bad_input_is_one_line(
    tmp_path: Path, arguments: list[str], part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = refused(capsys, "--output", str(tmp_path / "out"), *arguments)
    assert code == 2
    assert part in said
    assert said.count("\n") == 1
    assert not (tmp_path / "out").exists()
