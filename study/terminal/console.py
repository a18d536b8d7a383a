"""Consoles, and tables that fit them."""

import re
from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

# A path may contain [/] or :x:, which must not be read as markup.
PLAIN: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False}
MAX_WIDTH = 400  # of a table in a file or a pipe


def console(*, stderr: bool = False, quiet: bool = False) -> "Console":
    """Return a console for text and tables, or for progress (``stderr``); ``quiet`` prints nothing.

    On a terminal, text is wrapped between words. In a file or a pipe, a message is one line.
    """
    from rich.console import Console  # noqa: PLC0415, not needed for help

    if quiet:
        return Console(quiet=True, force_terminal=False, force_jupyter=False)
    out = Console(**PLAIN, stderr=stderr)
    out.soft_wrap = not (out.is_terminal or out.is_jupyter)
    return out


def print_text(out: "Console", text: str) -> None:
    """Print lines, each of which may begin with a label.

    Wrapped text is indented to the column after the label. A command stays on one line, so that it
    can be copied.
    """
    for line in text.splitlines():
        label = re.match(r"(?:\S.*?)?(?: {2,}|: (?=thetafront ))", line)
        indent = len(label.group()) if label else 0
        wrapped = [line]
        if out.is_terminal and not line.startswith("thetafront ", indent):
            whole: Any = {"break_long_words": False, "break_on_hyphens": False}
            wrapped = wrap(line, out.width, subsequent_indent=" " * indent, **whole)
        out.print("\n".join(wrapped), soft_wrap=True)


def print_table(out: "Console", table: "Table", optional: Sequence[str] = ()) -> None:
    """Print a table; on a terminal that is too narrow, leave out dispensable columns.

    In a file or a pipe, every column is printed, however wide the table becomes. A caption has the
    form ``column: note; …``; notes on columns that are left out are removed. ``optional`` has the
    headings of columns that can be removed from ``table``, in the order of removal; each removes
    one column, the last with this heading.
    """
    from rich.console import Console  # noqa: PLC0415
    from rich.measure import Measurement  # noqa: PLC0415

    options = out.options.update(max_width=MAX_WIDTH)
    if not out.is_terminal:
        width = max(out.width, Measurement.get(out, options, table).maximum)
        out = Console(file=out.file, width=width, quiet=out.quiet, force_jupyter=False, **PLAIN)
    for column in table.columns:  # words stay whole
        texts = [Measurement.get(out, options, each) for each in (column.header, *column.cells)]
        column.min_width = max(each.maximum if column.no_wrap else each.minimum for each in texts)
    left_out = []
    for heading in optional:
        if Measurement.get(out, options, table).minimum <= out.width:
            break
        headings = [" ".join(str(each.header).split()) for each in table.columns]
        if heading in headings:
            left_out.append(heading)
            del table.columns[max(k for k, each in enumerate(headings) if each == heading)]
    if left_out and table.caption:
        notes = [
            note
            for note in str(table.caption).split("; ")
            if not any(heading.startswith(note.partition(":")[0]) for heading in left_out)
        ]
        table.caption = "; ".join(notes) or None
    out.print(table, soft_wrap=False)
    if left_out:
        out.print(f"terminal too narrow for: {', '.join(left_out)}", style="dim")
