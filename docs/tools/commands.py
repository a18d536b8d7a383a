"""A hook of MkDocs: the reference of commands is made from the commands themselves."""

import re
from itertools import groupby
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from typer import Context
from typer.core import TyperCommand
from typer.main import get_command

from thetafront.study.cli import app

MARK = "<!-- commands -->"


def cell(text: str) -> str:
    """Return text as a cell of a table holds it."""
    return re.sub(r"([|<>*_\[\]])", r"\\\1", text.strip())


def table(title: str, rows: list[tuple[str, str]]) -> list[str]:
    """Return a table of arguments or options; nothing where there are none."""
    shown = [f"| `{name}` | {cell(words)} |" for name, words in rows]
    return ["", f"| {title} | |", "|---|---|", *shown, ""] if rows else []


def section(name: str, command: TyperCommand, level: int) -> str:
    """Return what the reference has of a command."""
    context = Context(command, info_name=f"thetafront {name}", max_content_width=1000)
    records: dict[str, list[tuple[str, str]]] = {"argument": [], "option": []}
    for each in command.get_params(context):
        record = each.get_help_record(context)
        if record and "--help" not in record[0]:
            records[each.param_type_name].append(record)
    lines = ["#" * level + f" {name}", "", cell(command.help or ""), ""]
    lines += ["```text", command.get_usage(context).removeprefix("Usage: "), "```"]
    lines += table("argument", records["argument"]) + table("option", records["option"])
    return "\n".join(lines)


def reference() -> str:
    """Return sections of all commands, in the groups and the order of the help."""
    program: Any = get_command(app)
    shown = [(name, each) for name, each in program.commands.items() if not each.hidden]
    parts = []
    for group, members in groupby(shown, lambda each: each[1].rich_help_panel or ""):
        title = str(group) if isinstance(group, str) else ""
        parts += [f"## {title}"] if title else []
        parts += [section(name, each, 3 if title else 2) for name, each in members]
    return "\n\n".join(parts)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Fill in the reference where the page has its mark."""
    return markdown.replace(MARK, reference()) if MARK in markdown else markdown
