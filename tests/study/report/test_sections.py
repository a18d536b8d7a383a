import pytest

from thetafront.study.report.sections import document, markdown_table


def test_a_table_aligns_the_first_column_left_and_the_others_right_unless_given() -> None:
    assert markdown_table(("a", "b"), [("1", "2")]) == "| a | b |\n|---|---:|\n| 1 | 2 |"
    assert markdown_table(("a", "b"), [], "rl") == "| a | b |\n|---:|---|"
    with pytest.raises(ValueError, match="zip"):
        markdown_table(("a", "b"), [], "r")


def test_parts_of_a_document_are_paragraphs_and_empty_ones_are_left_out() -> None:
    assert document("Title", "One.\n", "", "Two.") == "# Title\n\nOne.\n\nTwo.\n"
