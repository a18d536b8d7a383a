"""A hook of MkDocs: pages link to files of the repository, and the site carries these files.

A link in Markdown is relative to its file, as any reader of the repository expects. The site has
the linked files of other folders under ``repository/``: Markdown as pages, all others as they are.
So the links work from disk and on any web host. A link to a folder leads to its README or report.
"""

import os
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
CODE = re.compile(r"(^ *```.*?^ *```$)", re.M | re.S)
LINK = re.compile(r"\[([^\[\]]*(?:\[[^\]]*\][^\[\]]*)?)\]\(([^()\s#]+)(#[^()\s]*)?\)")
OF_PAGES = re.compile(r'(?:src|href)="([\w./-]+)"')  # in pages of studies
EXTERNAL = re.compile(r"[a-z]+:")


def target(link: str, file: Path) -> Path | None:
    """Return the file to which a link in another one leads; None if there is nothing to show."""
    path = (file.parent / link).resolve()
    if path.is_dir():
        found = (path / name for name in ("README.md", "report.html"))
        return next((each for each in found if each.exists()), None)
    return path if path.exists() and path.is_relative_to(ROOT) else None


def links(file: Path) -> list[Path]:
    """Return the files that a page links to."""
    if file.suffix not in {".md", ".html"}:
        return []
    text = file.read_text(encoding="utf-8")
    found = OF_PAGES.findall(text)
    if file.suffix == ".md":
        found = [each[1] for each in LINK.findall(CODE.sub("", text))]
    found = [each for each in found if not EXTERNAL.match(each)]
    return [path for each in found if (path := target(each, file))]


def uri(path: Path, docs: Path) -> str:
    """Return a file's place on the site; a notebook has a page."""
    path = path.with_suffix(".md") if path.suffix == ".ipynb" else path
    if path.is_relative_to(docs):
        return path.relative_to(docs).as_posix()
    return f"repository/{path.relative_to(ROOT).as_posix()}"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the files to which pages link, and the files to which those link."""
    docs = Path(config.docs_dir).resolve()
    waiting = [Path(str(each.abs_src_path)) for each in files.documentation_pages()]
    seen = set(waiting)
    while waiting:
        for path in set(links(waiting.pop())) - seen:
            seen.add(path)
            waiting.append(path)
            if not path.is_relative_to(docs):
                name = uri(path, docs)
                files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links lead to their files' places on the site."""
    docs = Path(config.docs_dir).resolve()
    here = Path(page.file.abs_src_path or docs / page.file.src_uri)

    def rewritten(match: re.Match[str]) -> str:
        words, link, anchor = match.group(1), match.group(2), match.group(3) or ""
        if EXTERNAL.match(link):
            return match.group()
        path = target(link, here)
        if path is None:  # a folder of code: in the repository one may look into it
            return words if (here.parent / link).exists() else match.group()
        place = os.path.relpath(uri(path, docs), os.path.dirname(page.file.src_uri) or ".")
        words = LINK.sub(rewritten, words)  # a picture that is a link
        return f"[{words}]({place}{anchor})"

    parts = CODE.split(markdown)
    return "".join(each if k % 2 else LINK.sub(rewritten, each) for k, each in enumerate(parts))
