"""Tables as HTML, for notebooks."""

from html import escape

from rich.table import Table

CELL = "text-align: {}; white-space: nowrap"
DIM = ' style="opacity: 0.5"'


def table_html(table: Table) -> str:
    """Write a terminal's table as HTML: its title, headings, rows, dim ones too, and caption."""
    styles = [CELL.format(column.justify) for column in table.columns]

    def row_html(kind: str, cells: list[str], style: str = "") -> str:
        written = (
            f'<{kind} style="{each}">{escape(cell)}</{kind}>'
            for each, cell in zip(styles, cells, strict=True)
        )
        return f"<tr{style}>{''.join(written)}</tr>"

    head = row_html("th", [str(column.header) for column in table.columns])
    rows = [
        row_html("td", [str(cell) for cell in cells], DIM if row.style else "")
        for row, *cells in zip(table.rows, *(column.cells for column in table.columns), strict=True)
    ]
    return (
        f"<p><b>{escape(str(table.title or ''))}</b></p>"
        f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"
        f"<p><small>{escape(str(table.caption or ''))}</small></p>"
    )
