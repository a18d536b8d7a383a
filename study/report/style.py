"""Style of Matplotlib's figures: fonts, captions, files."""

from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from thetafront.study.log.atomic import atomic_write

STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.7,
    "axes.axisbelow": True,
    "axes.titlesize": 12,
    "axes.titlelocation": "left",
    "legend.frameon": False,
}
CHARACTERS_AN_INCH = 15.5  # of a caption


def caption(figure: Figure, text: str) -> None:
    """Write a caption below a figure, in lines that fit."""
    width = int(figure.get_figwidth() * CHARACTERS_AN_INCH)
    text = "\n".join(fill(paragraph, width) for paragraph in text.split("\n"))
    figure.supxlabel(text, fontsize=8, color="#555555", x=0.01, ha="left")


@mpl.rc_context(STYLE)
def save(figure: Figure, path: Path) -> None:
    """Write a PNG atomically."""
    with atomic_write(path) as draft:
        figure.savefig(draft, dpi=160, format="png")
