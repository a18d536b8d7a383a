"""What the scripts share: numbers in texts, tables of earlier runs, differences, wrong options."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from results.papers import paper
from results.papers.paper import Interval, Number
from tests.papers.made_up import games_of
from thetafront.study.errors import InputError


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (1234.5, ",.0f", "1,234"),
        (float("nan"), ",.0f", "-"),
        (-3e-12, ".2g", "0"),
        (0.1234, "+.1pp", "+12.3"),
        (0.0000453, "time", "45.3 µs"),
        (1250.0, "time", "1,250 s"),
        (0.9996e-3, "time", "1.00 ms"),
        (-0.5, "time", "0"),
    ],
)
def test_numbers(value: float, form: str, text: str) -> None:
    assert format(Number(value), form) == text


def test_intervals() -> None:
    def written(form: str, *of: float) -> str:
        return format(Interval(*map(Number, of)), form)

    assert written(",.0f", 12_345, 12_000, 12_690) == "12,345 (12,000 to 12,690)"
    assert written("+.1pp", 0.05, -0.02, 0.12) == "+5.0 (-2.0 to +12.0)"
    assert written(",.0f", 7, 7, 7) == written(",.0f", 7, float("nan"), float("nan")) == "7"
    assert written("+,.0f", 0, 0, 0) == "-", "a difference from the row itself"


def test_a_text_is_filled_in() -> None:
    frame = pd.DataFrame(
        {
            "name": ["a", "b"],
            "score_mean_points": [10.0, -20.0],
            "score_low95_points": [9.0, -21.0],
            "score_high95_points": [11.0, -19.0],
            "rate": [0.5, np.nan],
            "rate_low95": [0.4, np.nan],
            "rate_high95": [0.6, np.nan],
        }
    )
    template = "# A title\n\nOf {n:,} games\nb has {at[b][score]:.0f}.\n\n| x |\n|---|\n"
    template += "@rows | {name} | {score:.0f} | {rate:.0%} |\n"
    text = paper.fill(template, {"n": 1000, "rows": frame, "at": paper.by(frame, "{name}")})
    assert text == (
        "# A title\n\nOf 1,000 games b has −20 (−21 to −19).\n\n| x |\n|---|\n"
        "| a | 10 (9 to 11) | 50% (40% to 60%) |\n| b | −20 (−21 to −19) | - |\n"
    )
    wide = paper.wide(frame.assign(m=3), "m", "name", "score")
    assert (
        paper.fill("@wide {m}: {a:.0f}, {b:.0f}", {"wide": wide})
        == "3: 10 (9 to 11), −20 (−21 to −19)"
    )


def test_differences_are_paired_by_seed() -> None:
    rng = np.random.default_rng(1)
    luck, own = rng.normal(40_000, 9000, 60), rng.normal(500, 100, 60)
    games = {"mine": games_of(luck[:40] + own[:40]), "theirs": games_of(luck)}
    found = paper.less(games, "mine", less_theirs="theirs")
    pairs = [paper.read_scores(games[name])[:40] for name in ("mine", "theirs")]
    assert found["less_theirs_points"] == np.mean(pairs[0] - pairs[1])
    assert 440 < found["less_theirs_low95_points"] < found["less_theirs_high95_points"] < 560
    assert paper.mean_costs(games_of([1, 2], n_moves=[10, 30], seconds=[1.0, 3.0])) == {
        "seconds_per_move": 0.1,
        "playout_moves_per_move": 0.5,
    }


def test_a_table_of_an_earlier_run(tmp_path: Path) -> None:
    path = tmp_path / "times.csv"
    columns = {"kind": pd.CategoricalDtype(["a", "b"]), "seconds": float}
    assert paper.kept(path, columns) is None
    path.write_text("kind,seconds,more\na,1.5,\nb,,\n")
    found = paper.kept(path, columns, "kind == 'a'")
    assert found is not None
    assert found["seconds"].tolist() == [1.5]
    for broken in (
        "",
        "what\n1\n",
        "kind,seconds\nb,\n",
        "kind,seconds\nc,1\n",
        "kind,seconds\na,x\n",
    ):
        path.write_text(broken)
        with pytest.raises(InputError, match=r"times\.csv: not a table of this version; use"):
            paper.kept(path, columns)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--games", "1"], "argument --games: must be between 2 and 100000 (got 1)"),
        (["--games", "many"], "argument --games: must be between 2 and 100000 (got many)"),
        (["--seed", "-1"], "argument --seed: must be between"),
        (["--what"], "unrecognized arguments: --what"),
        (
            ["--output", "no/such/folder"],
            "output: folder 'no/such/folder' cannot be created: 'no/such' does not exist",
        ),
        ([], "manifest.json: not a manifest; use another folder, or move it away"),
    ],
)
def test_bad_input_is_one_line(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "manifest.json").write_text("[]")

    def run(of: paper.Paper) -> None:
        raise AssertionError("nothing is played")

    with pytest.raises(SystemExit, match="2"):
        paper.script(run, "name", 10, given=["--output", str(tmp_path), *words])
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_a_full_disk_is_no_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run(of: paper.Paper) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(SystemExit, match="1"):
        paper.script(run, "name", 10, given=["--output", str(tmp_path)])
    assert capsys.readouterr().err.endswith(": [Errno 28] No space left on device\n")
