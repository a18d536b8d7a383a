"""The script: fresh runs against the published ones, what is kept, refusals."""

from pathlib import Path

import pandas as pd
import pytest

from results.papers import paper
from results.papers.heuristic_search.__main__ import (
    BACKWARDS,
    DELTA,
    DEPTH,
    LABELLED,
    RUN,
    SEARCH,
    SYNCHRONOUS,
    heuristic_search,
    run_missing,
    runs_frame,
    solve,
)
from results.papers.heuristic_search.problems import BEST_LUCK, BETWEEN, OPTIMUM, board, three_dice

PUBLISHED = Path(__file__).parents[3] / "results" / "reference" / "heuristic_search"


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Return what standard error says."""
    with pytest.raises(SystemExit) as ended:
        paper.script(heuristic_search, "heuristic_search", 10, given=words)
    assert ended.value.code == 2
    return capsys.readouterr().err


def test_fresh_runs_are_the_published_ones(tmp_path: Path) -> None:
    """Times differ, nothing else; a second call takes all from the file."""
    small, path = [three_dice(), board(2, 2)], tmp_path / "traces.csv"
    looks = run_missing(path, small, range(2))
    theirs = pd.read_csv(PUBLISHED / "traces.csv", dtype={"bound": str})
    names = [problem.name for problem in small]
    theirs = theirs[theirs["problem"].isin(names) & (theirs["seed"] < 2)].reset_index(drop=True)
    pd.testing.assert_frame_equal(looks.drop(columns="seconds"), theirs.drop(columns="seconds"))
    before = path.read_bytes()
    pd.testing.assert_frame_equal(run_missing(path, small, range(2)), looks)
    assert path.read_bytes() == before
    runs = runs_frame(looks, small)
    assert len(runs) == len(small) * (3 + 3 + 4)
    assert (runs.loc[runs["method"] != SEARCH, "policy_loss_points"].abs() < 0.1).all()


def test_sweeps_rise_and_searches_fall_to_the_optimum() -> None:
    problem = board(2, 2)
    looks = solve(problem, SYNCHRONOUS, BEST_LUCK, 0, 0)
    values = [each.value for each in looks]
    assert values == sorted(values)
    assert problem.optimum - 1 < values[-1] <= problem.optimum
    two = solve(problem, BACKWARDS, BEST_LUCK, 0, 0)
    assert [each.n_backups for each in two] == [problem.n_playing, 2 * problem.n_playing]
    assert two[0].value == pytest.approx(problem.optimum)
    for method in (SEARCH, LABELLED):
        looks = solve(problem, method, BEST_LUCK, 1, 5000)
        falling = [each.value for each in looks]
        assert falling == sorted(falling, reverse=True)
        assert falling[-1] >= problem.optimum
        assert all(each.policy_value <= problem.optimum + 1e-9 for each in looks)
        assert [each.done for each in looks] == [*[False] * (len(looks) - 1), True]
        if method == SEARCH:
            assert 5000 <= looks[-1].n_backups < 5000 + DEPTH
        else:
            assert falling[-1] - problem.optimum < 60 * DELTA, "no game has sixty actions"


def test_a_better_bound_saves_backups() -> None:
    problem = board(2, 2)
    ends = [solve(problem, LABELLED, each, 0, 0)[-1] for each in (BEST_LUCK, BETWEEN, OPTIMUM)]
    counts = [each.n_backups for each in ends]
    assert counts == sorted(counts, reverse=True)
    assert ends[-1].n_touched < ends[0].n_touched


def test_a_torn_run_is_run_again_and_a_foreign_file_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, small = tmp_path / "traces.csv", [board(2, 2)]
    first = run_missing(path, small, range(2))
    before = path.read_bytes()
    path.write_bytes(b"".join(before.splitlines(keepends=True)[:-1]))
    again = run_missing(path, small, range(2))
    untimed = [each.drop(columns="seconds") for each in (first, again)]
    pd.testing.assert_frame_equal(*untimed)
    capsys.readouterr()
    whole = (first[RUN] != first[RUN].iloc[-1]).any(axis=1)
    assert again.loc[whole, "seconds"].tolist() == first.loc[whole, "seconds"].tolist()
    for broken in (b"", b"what\n1\n", before.replace(b"True", b""), before.replace(b"True", b"y")):
        path.write_bytes(broken)
        said = refused(capsys, "--output", str(tmp_path))
        assert said.endswith("not a table of this version; use another folder, or move it away\n")
        assert said.count("\n") == 1
        assert path.read_bytes() == broken
