"""The script that draws charts is bundled once, and never taken from a file that is not whole."""

from importlib.metadata import version
from pathlib import Path

import numba
import pytest
import vl_convert

from thetafront.study.page.library import PACKAGE, SNIPPET, library


@pytest.fixture
def bundles(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Which snippets are bundled; files are kept in an empty folder."""
    asked: list[str] = []

    def bundle(snippet: str) -> str:
        asked.append(snippet)
        return f"a;\r\nb;\n/* {len(asked)} θ */"

    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(vl_convert, "javascript_bundle", bundle)
    return asked


def test_it_is_bundled_once(bundles: list[str], tmp_path: Path) -> None:
    first = library.__wrapped__()
    assert library.__wrapped__() == first == "a;\r\nb;\n/* 1 θ */"
    assert bundles == [SNIPPET]
    (kept,) = tmp_path.iterdir()
    assert kept.name == f"vega-{version(PACKAGE)}.js"


@pytest.mark.parametrize("problem", ["torn", "altered", "empty", "no text"])
def test_a_file_that_is_not_whole_is_made_again(
    bundles: list[str], tmp_path: Path, problem: str
) -> None:
    library.__wrapped__()
    (kept,) = tmp_path.iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(
        {
            "torn": whole[:-3],
            "altered": whole + b"alert(1)",
            "empty": b"",
            "no text": b"\xff" + whole,
        }[problem]
    )
    assert library.__wrapped__().startswith("a;\r\nb;\n/* 2")
    assert len(bundles) == 2


def test_it_does_without_a_folder(
    bundles: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "none"))
    assert library.__wrapped__() == "a;\r\nb;\n/* 1 θ */"
    assert [*tmp_path.iterdir()] == []
