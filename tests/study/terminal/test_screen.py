"""What a user sees on terminals of 40 to 200 columns."""

import io
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from tests.study.terminal.screen import screen_of, shown
from thetafront.study.log.published_study import read_published
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.front_tables import print_front
from thetafront.study.terminal import progress
from thetafront.study.terminal.console import print_table, print_text
from thetafront.study.terminal.progress import ProgressLine, fitted

WIDTHS = (40, 80, 120, 200)
REFERENCE = Path(__file__).parents[3] / "results" / "reference"


def terminal(width: int) -> tuple[Console, io.StringIO]:
    out = io.StringIO()
    return Console(file=out, width=width, force_terminal=True, color_system=None), out


def test_a_terminal_that_cannot_redraw_gets_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.0)
    console, out = terminal(80)
    with ProgressLine(console) as bar:
        bar.update(0.5, "1 s left", ["games 1/2"])
    assert out.getvalue() == "1 s left · games 1/2\n"


@pytest.mark.parametrize("width", WIDTHS)
def test_a_bar_is_drawn_in_place(width: int) -> None:
    console, out = terminal(width)
    figures = ["trials 97/128", "games 390/512", "5.17 games/s", "workers 99% busy", "x" * 90]
    with ProgressLine(console) as bar:
        assert bar.live is not None
        for k in range(30):
            bar.update(k / 30, f"{30 - k} s of 30 s left", figures)
            bar.live.refresh()
            if k == 10:
                bar.message("plan: to 128 trials")
        drawn, above, line = screen_of(out.getvalue(), width)[-2:], "", ""
        above, *_ = screen_of(out.getvalue(), width)
        line = drawn[1]
        assert above == "plan: to 128 trials"
        assert len(screen_of(out.getvalue(), width)) == 3, "the message, the bar, the figures"
        assert drawn[0].startswith("━")
        assert drawn[0].endswith("1 s of 30 s left")
        assert line.startswith("trials 97/128 · games 390/512")
        assert line.endswith({40: "512", 80: "busy", 120: "busy", 200: "x"}[width])
    assert screen_of(out.getvalue(), width) == ["plan: to 128 trials"], "gone at the end"


def test_figures_that_do_not_fit_are_left_out() -> None:
    assert fitted(["a 1", "b 2", "c 3"], 9) == "a 1 · b 2"
    assert fitted(["too long"], 3) == "too long"
    assert fitted([], 3) == ""


@pytest.fixture(scope="module")
def published() -> Analysis:
    return Analysis(read_published(REFERENCE / "mcmdp")[1])


@pytest.mark.parametrize("width", WIDTHS)
def test_a_front_shows_what_one_picks_by(published: Analysis, width: int) -> None:
    console, out = terminal(width)
    print_front(console, published)
    lines = screen_of(out.getvalue(), width)
    assert "…" not in out.getvalue()
    for row in published.rows:
        (line,) = [each for each in lines if each.startswith(f"  {row['number']} ".rjust(4))]
        assert published.data.experiment.goal.format.text(row["combined_mean_points"]) in line
        assert line.endswith("%") or width >= 120, "its cost is last"
        assert line.count("±") >= 2
    assert any("θ₆" in each for each in lines[:6]) == (width >= 80)
    table, _, left_out = out.getvalue().partition("terminal too narrow for: ")
    assert bool(left_out) == (width < 200)
    assert ("validated alone: from" in table) == ("validated alone" not in left_out), "its note"


def test_in_a_pipe_a_table_has_all_columns() -> None:
    table = Table()
    for k in range(20):
        table.add_column(f"column {k}", no_wrap=True)
    table.add_row(*map(str, range(20)))
    out = io.StringIO()
    print_table(Console(file=out, width=40), table, ["column 3"])
    assert all(f"column {k}" in out.getvalue().splitlines()[1] for k in range(20))


def test_of_columns_with_one_heading_the_last_is_left_out() -> None:
    """A parameter `n` stays although the number of games, n, does not fit."""
    table = Table("n", "score", "n")
    table.add_row("parameter", "1,234", "n" * 30)
    console, out = terminal(30)
    print_table(console, table, ["n"])
    assert "parameter" in out.getvalue()
    assert out.getvalue().endswith("terminal too narrow for: n\n")


@pytest.mark.sweeps
def test_a_sweep_on_a_terminal_of_80_columns(tmp_path: Path) -> None:
    lines = shown(["sweep", "dice", "--trials", "10", "--budget", "none"], 80, tmp_path)
    assert not [each for each in lines if "━" in each], "bars are gone"
    assert [each for each in lines if each.startswith("search: played 10 games")]
    assert lines[-2] == "to read it: thetafront report dice --open"
    assert lines[-1].startswith("to choose θ: thetafront pick dice --max-solving-seconds ")
    assert max(map(len, lines)) <= 80


def test_a_text_is_wrapped_beside_its_label_and_a_command_is_not() -> None:
    play = "play it   thetafront play mcmdp --theta 1\nto read it: thetafront report mcmdp --open"
    text = f"expect    55,300 ± 1,068 points (95% interval)\n{play}"
    console, out = terminal(30)
    print_text(console, text)
    assert out.getvalue().splitlines() == [
        "expect    55,300 ± 1,068",
        "          points (95%",
        "          interval)",
        *play.splitlines(),
    ]
    pipe = io.StringIO()
    print_text(Console(file=pipe, width=30), text)
    assert pipe.getvalue() == f"{text}\n"
