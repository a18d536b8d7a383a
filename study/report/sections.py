"""Written results: tables for Markdown and for a terminal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table

if TYPE_CHECKING:
    import pandas as pd

RULES = {"l": "---", "r": "---:"}


def markdown_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], align: str | None = None
) -> str:
    """Write a table as Markdown, without a final line break.

    ``align`` has ``l`` or ``r`` for each column; by default, the first is left-aligned, and the
    others are right-aligned.
    """
    align = align or "l".ljust(len(columns), "r")
    rule = "|".join(RULES[each] for each, _ in zip(align, columns, strict=True))
    heading, *lines = (f"| {' | '.join(row)} |" for row in (columns, *rows))
    return "\n".join([heading, f"|{rule}|", *lines])


def new_table(
    title: str, headings: Sequence[str], align: str | None = None, note: str = ""
) -> Table:
    """Return an empty table for a terminal, with its note; ``align`` as in `markdown_table`."""
    table = Table(
        title=title,
        title_justify="left",
        caption=note or None,
        caption_justify="left",
        box=SIMPLE_HEAD,
        collapse_padding=True,
    )
    for heading, side in zip(headings, align or "l".ljust(len(headings), "r"), strict=True):
        broken = heading.replace(" ± ", "\n± ")
        table.add_column(broken, no_wrap=True, justify="left" if side == "l" else "right")
    return table


def document(title: str, *parts: str) -> str:
    """Write a result as Markdown: a title, then paragraphs, tables and sections."""
    return "\n\n".join([f"# {title}", *(part.rstrip("\n") for part in parts if part)]) + "\n"


def frame_table(
    frame: "pd.DataFrame", columns: Sequence[tuple[str, str]], align: str | None = None
) -> str:
    """Write a table as Markdown, one line per row; ``align`` as in `markdown_table`.

    ``columns`` has a heading and a format string for each column of the Markdown table. The format
    string names columns of ``frame``, as in ``"{gamma:g}"``.
    """
    rows = [[cell.format_map(row) for _, cell in columns] for row in frame.to_dict("records")]
    return markdown_table([heading for heading, _ in columns], rows, align)
