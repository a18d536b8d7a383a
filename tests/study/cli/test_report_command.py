"""``thetafront report``: what it writes, what it refuses, and how it follows a sweep."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import wait_until
from tests.study.program import refused, run, succeeded
from thetafront.study.page.document import BEGINNING

DICE = str(Path(__file__).parents[3] / "results" / "reference" / "dice_study")


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of results with a small study of dice."""
    results = tmp_path_factory.mktemp("results")
    words = ("sweep", "dice", "--trials", "8", "--design-size", "8", "--budget", "none")
    done = run(*words, "--validation-points", "2", "--results", str(results))
    assert done.returncode == 0, done.stderr
    assert "tables, pictures and page are in " in done.stdout
    return results


def reports(*words: str) -> Path:
    path = Path(succeeded(None, "report", *words).strip())
    assert path.read_text().startswith(BEGINNING)
    return path


@pytest.mark.sweeps
def test_a_sweep_writes_its_page(swept: Path) -> None:
    text = (swept / "dice" / "report.html").read_text()
    assert text.startswith(BEGINNING)
    assert "No sweep was running when this page was made" in text
    assert '"reload":null' in text


@pytest.mark.sweeps
def test_a_study_by_its_name(swept: Path, tmp_path: Path) -> None:
    assert reports("dice", "--results", str(swept)) == swept / "dice" / "report.html"
    output = tmp_path / "page.html"
    assert reports("dice", "--results", str(swept), "-o", str(output)) == output
    assert reports(f"sqlite:///{swept}/dice/study.db", "--output", str(output)) == output


def test_a_note_stays_until_it_is_removed(tmp_path: Path) -> None:
    folder = shutil.copytree(DICE, tmp_path / "dice")
    page = reports(str(folder), "--note", "for <b>the</b> paper")
    assert "for &lt;b&gt;the&lt;/b&gt; paper" in page.read_text()
    assert "for &lt;b&gt;the" in reports(str(folder)).read_text()
    assert "for &lt;b&gt;the" not in reports(str(folder), "--note", "").read_text()


def test_a_folder_of_tables(tmp_path: Path) -> None:
    output = tmp_path / "page.html"
    assert reports(DICE, "-o", str(output), "--library", "beside") == output
    assert "128 trials with 128 games" in output.read_text()
    assert {each.name for each in tmp_path.iterdir()} == {"page.html", "thetafront-page.js"}


def test_export_writes_it_too(swept: Path) -> None:
    (swept / "dice" / "report.html").unlink()
    succeeded(swept, "export", "dice")
    assert (swept / "dice" / "report.html").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("none",), "study 'none' does not exist: there is no"),
        (("no/folder",), "folder 'no/folder' does not exist"),
        ((DICE, "--library", "far"), "must be inside or beside (got 'far')"),
        ((DICE, "--watch"), "--watch cannot be combined with folder"),
        ((DICE, "-o", "no/folder/x.html"), "folder 'no/folder' does not exist"),
        ((DICE, "-o", DICE), "output must be a regular file"),
        ((DICE, "-o", f"{DICE}/front.csv"), "is not a study page"),
        ((DICE, "-o", ""), "must be the path to a file (got '')"),
        ((), "Missing argument 'studies'"),
        ((DICE, DICE, "--watch"), "--watch cannot be combined with several studies"),
        ((DICE, DICE, "--note", "x"), "--note cannot be combined with several studies"),
        (
            (DICE, DICE, "--library", "beside"),
            "--library cannot be combined with several studies",
        ),
        (("--each", "a", "b"), "--each must be followed by one folder (got a, b)"),
        (("--each", "nowhere"), "folder 'nowhere' does not exist"),
        (("--each", DICE, "-o", "x"), "--output cannot be combined with --each"),
    ],
)
def test_refusals(words: tuple[str, ...], said: str) -> None:
    table = Path(DICE, "front.csv").read_bytes()
    assert said in refused("report", *words)
    assert Path(DICE, "front.csv").read_bytes() == table


@pytest.mark.sweeps
def test_watching_ends_with_a_page_that_stands_still(swept: Path, tmp_path: Path) -> None:
    output = tmp_path / "page.html"
    words = ["report", "dice", "--results", str(swept), "-o", str(output), "--watch"]
    watching = subprocess.Popen(
        [sys.executable, "-m", "thetafront", *words], stdout=subprocess.PIPE, text=True
    )
    try:
        wait_until(lambda: output.exists() and '"reload":15.0' in output.read_text(), 120)
        watching.send_signal(signal.SIGINT)
        out, _ = watching.communicate(timeout=120)
    finally:
        watching.kill()
    assert watching.returncode == 0
    assert "Ctrl-C stops" in out
    assert '"reload":null' in output.read_text()
    assert not list(tmp_path.glob(".*"))


@pytest.mark.sweeps
def test_several_studies_are_compared(swept: Path, tmp_path: Path) -> None:
    output = tmp_path / "both.html"
    assert reports("dice", DICE, "--results", str(swept), "-o", str(output)) == output
    assert "Differences at equal cost" in output.read_text()
    assert reports("dice", DICE, "--results", str(swept)) == swept / "comparison.html"


def test_a_picture_of_a_comparison_replaces_only_its_own_kind(tmp_path: Path) -> None:
    page, drawn = tmp_path / "both.html", tmp_path / "both.png"
    words = ("report", DICE, DICE, "-o", str(page))
    drawn.write_text("mine")
    assert "both.png' is not a thetafront picture; give another file" in refused(*words)
    assert drawn.read_text() == "mine"
    assert not page.exists()
    drawn.unlink()
    for _ in range(2):
        assert reports(*words[1:]) == page
        assert drawn.read_bytes().startswith(b"\x89PNG")
    assert "output must be an HTML file" in refused(*words[:-1], str(tmp_path / "new.png"))
