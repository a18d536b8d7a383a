"""A hook of MkDocs: each notebook of ``docs/notebooks`` is a page, with the outputs that it stores.

``python docs/tools/notebooks.py FILE …`` runs notebooks again and stores what they print and draw.
"""

import sys
import tempfile
from base64 import b64encode
from pathlib import Path
from typing import Any

import nbformat
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from nbclient import NotebookClient

# Charts are stored as SVG, for pages and viewers without JavaScript or network.
AT_START = "import altair; altair.renderers.enable('svg')"


def executed(path: Path, timeout: int = 300) -> Any:
    """Return a notebook, run in an empty folder; CellExecutionError if a cell fails."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook,
            timeout=timeout,
            resources={"metadata": {"path": folder}},
            extra_arguments=[f"--IPKernelApp.exec_lines={AT_START}"],
            record_timing=False,
        )
        return client.execute()


def shown(output: Any) -> str:
    """Return an output of a cell as Markdown."""
    if output.output_type == "stream":
        return f"```text\n{output.text.rstrip()}\n```"
    data = output.data
    if "image/svg+xml" in data:
        picture = b64encode(data["image/svg+xml"].encode()).decode()
        return f'<img alt="chart" src="data:image/svg+xml;base64,{picture}">'
    html = data.get("text/html", "<pre>").replace(' border="1" class="dataframe"', "")
    if not html.startswith("<pre>"):
        lines = [line for line in html.splitlines() if line.strip()]
        return "\n".join(["<div>", *lines, "</div>"])
    return f"```text\n{data['text/plain'].rstrip()}\n```"


def markdown(path: Path) -> str:
    """Return the page of a notebook."""
    parts = []
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
        else:
            parts += [f"```python\n{cell.source}\n```", *map(shown, cell.outputs)]
    name = path.name
    parts.append(f'Download this notebook: <a href="{name}" download>{name}</a>')
    return "\n\n".join(parts)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for each notebook."""
    docs = Path(config.docs_dir)
    for path in sorted((docs / "notebooks").glob("*.ipynb")):
        uri = path.relative_to(docs).with_suffix(".md").as_posix()
        files.append(File.generated(config, uri, content=markdown(path)))
    return files


if __name__ == "__main__":
    for each in map(Path, sys.argv[1:]):
        nbformat.write(executed(each), each)
