from io import StringIO

import pytest
from rich.console import Console

from thetafront.study.report.sections import Section, markdown_table


def test_a_table_aligns_the_first_column_left_and_the_others_right_unless_given() -> None:
    assert markdown_table(("a", "b"), [("1", "2")]) == "| a | b |\n|---|---:|\n| 1 | 2 |"
    assert markdown_table(("a", "b"), [], "rl") == "| a | b |\n|---:|---|"
    with pytest.raises(ValueError, match="zip"):
        markdown_table(("a", "b"), [], "r")


def test_a_section_says_the_same_in_markdown_and_in_a_terminal() -> None:
    section = Section("Title", ("n", "mean"), [("1", "20")], "One game.")
    text = "## Title\n\n| n | mean |\n|---|---:|\n| 1 | 20 |\n\nOne game.\n"
    assert section.markdown() == text
    console = Console(width=60, record=True, file=StringIO())
    console.print(section.table())
    shown = console.export_text()
    assert all(word in shown for word in ("Title", "mean", "20", "One"))
