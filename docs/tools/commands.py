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
    """Return text escaped for a cell of a table."""
    return re.sub(r"([|<>*_\[\]])", r"\\\1", text.strip())


def section(name: str, command: TyperCommand, level: int) -> str:
    """Return a command's section of the reference."""
    context = Context(command, info_name=f"thetafront {name}", max_content_width=1000)
    records = [each.get_help_record(context) for each in command.get_params(context)]
    rows = [f"| `{each[0]}` | {cell(each[1])} |" for each in records if each]
    lines = ["#" * level + f" {name}", "", cell(command.help or ""), ""]
    lines += ["```text", command.get_usage(context).removeprefix("Usage: "), "```", ""]
    return "\n".join([*lines, "| argument or option | |", "|---|---|", *rows])


def reference() -> str:
    """Return the sections of all commands, grouped and ordered as in the help."""
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
