"""A page as one HTML file: its template, its scripts, and what the scripts may do.

The template escapes every name from a user or a study. Data for scripts are JSON in which ``<`` is
escaped. A Content-Security-Policy allows only the page's own scripts, by their digests, and no
network requests.
"""

import base64
import errno
import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from thetafront.study.charts.chart import Chart
from thetafront.study.charts.vega import specification
from thetafront.study.errors import InputError
from thetafront.study.log.location import why_unusable
from thetafront.study.page.library import BESIDE, library
from thetafront.study.report.tables import write_text

STATIC = Path(__file__).parent / "static"
GENERATOR = "thetafront report"
BEGINNING = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="{GENERATOR}">"""
"""The beginning of every page; a file that begins differently is not overwritten."""
NUMBER = re.compile("[-+−↑↓]? ?[0-9]")  # the beginning of a cell with a number
MAX_MISSING = 1  # longest text of a cell that has no value: empty, ? or -
Data = Mapping[str, Any]
NOTHING: Data = {"choices": None, "replays": [], "reload": None}  # for a page without these
# Unicode's overrides, embeddings and isolates, which would reverse the text after them.
TURNING = dict.fromkeys(
    [*range(0x202A, 0x202F), *range(0x2066, 0x206A)], "\N{REPLACEMENT CHARACTER}"
)


def document(
    template: str,
    made: datetime,
    data: Data,
    texts: Data,
    charts: Iterable[Chart] = (),
    library_at: str = "",
) -> str:
    """Return a page, made from the template of this name; it says when it was ``made``.

    ``data`` are for the scripts, and become JSON, as do the ``charts`` that are not empty.
    ``texts`` are for the template, which escapes them. ``library_at`` is the file with the library
    that draws the charts, relative to the page; empty if the library is in the page.
    """
    specs = {each.key: specification(each) for each in charts if each.panels}
    data = {**NOTHING, "made": made.timestamp(), "charts": specs, **data}
    replays = ["replay"] if data["replays"] else []
    written = [static(f"{name}.js") for name in (*replays, "page")]
    if specs and not library_at:
        written.insert(0, library())
    environment = Environment(
        loader=FileSystemLoader(STATIC),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=shown,
    )
    return environment.get_template(template).render(
        beginning=Markup(BEGINNING),
        policy=policy(written, bool(library_at)),
        style=Markup("".join(static(f"{name}.css") for name in ("page", *replays))),
        scripts=[Markup(checked(each)) for each in written],
        beside=library_at,
        data=Markup(embedded(data)),
        made=made.astimezone(UTC).isoformat(timespec="seconds"),
        made_text=f"{made.astimezone(UTC):%Y-%m-%d %H:%M} UTC",
        make_table=make_table,
        **texts,
    )


def shown(text: Any) -> Any:
    """Return text for a template, without characters that would reverse the text after them."""
    if isinstance(text, str) and not isinstance(text, Markup):
        return text.translate(TURNING)
    return text


def static(name: str) -> str:
    """Read one of the page's own files."""
    return (STATIC / name).read_text(encoding="utf-8")


def sortable(value: Any) -> str:
    """Write a value for a script that sorts: numbers with all digits, text unchanged."""
    if isinstance(value, int | float) and math.isfinite(value):
        return repr(float(value))
    return str(value)


def make_table(frame: pd.DataFrame) -> dict[str, Any]:
    """Return a table's headings and rows as text, and which columns are not numeric."""
    rows = [[str(value) for value in row] for row in frame.itertuples(index=False)]
    return {
        "columns": [str(each) for each in frame.columns],
        "rows": rows,
        "is_text": [
            not all(NUMBER.match(cell) or len(cell) <= MAX_MISSING for cell in cells)
            or not any(map(NUMBER.match, cells))
            for cells in zip(*rows, strict=True)
        ],
    }


def embedded(data: Any) -> str:
    """Write data as JSON that can be put into a script element, whatever text it contains."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = text.translate(TURNING)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def checked(script: str) -> str:
    """Return a script if it can be put into a script element; ValueError otherwise."""
    if "</script" in script.lower() or "<!--" in script:
        raise ValueError(
            "script: contains the end of a script element or the beginning of a comment"
        )
    return script


def digest(script: str) -> str:
    """Return a script's digest as a Content-Security-Policy names it."""
    found = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"'sha256-{found}'"


def policy(scripts: Sequence[str], is_beside: bool) -> str:
    """Return the Content-Security-Policy: only these scripts, inline styles and inline pictures."""
    beside = ["'self'", "file:"] if is_beside else []
    allowed = " ".join([*beside, *map(digest, scripts)])
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "img-src data: blob:; connect-src 'none'; base-uri 'none'; form-action 'none'"
    )


def write_page(html: str, path: Path) -> None:
    """Write a page atomically; InputError if it cannot be written or would replace another file."""
    check_page(path)
    write_text(html, path)


def check_page(path: Path) -> None:
    """Raise InputError if a page cannot be written, or would replace another file."""
    given, folder = f"output {str(path)!r}", path.parent
    if path.exists() and not path.is_file():
        raise InputError(f"output must be a regular file (got {str(path)!r})")
    if problem := why_unusable(folder):
        raise InputError(f"output folder {str(folder)!r} {problem}")
    try:
        start = path.read_bytes()[: len(BEGINNING)] if path.exists() else b""
    except OSError as error:
        raise InputError(f"{given} cannot be read: {error.strerror}") from None
    if not path.exists():
        try:
            with TemporaryFile(dir=folder):
                pass
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise
            raise InputError(f"{given} cannot be written: {error.strerror}") from None
    if start and start != BEGINNING.encode():
        raise InputError(f"{given} is not a study page; give another file, or move this one")


def write_library(folder: Path) -> None:
    """Write the library beside pages, unless it is there already."""
    path, script = folder / BESIDE, library()
    if not path.exists() or path.read_text(encoding="utf-8", errors="replace") != script:
        write_text(script, path)
