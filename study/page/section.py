"""A chart with what is said of it and its numbers as a table: a part of a page."""

from dataclasses import dataclass

import altair as alt
import pandas as pd


@dataclass(frozen=True)
class Figure:
    """A chart with its alternative.

    Attributes
    ----------
    key : str
        Its HTML id, of ``[a-z_]+``, unique on the page.
    title : str
        Its heading.
    text : str
        One to three sentences: what is seen, what bands and marks mean, n.
    chart : altair chart, optional
        None where there is nothing to draw: ``text`` says why.
    table : DataFrame
        The chart's numbers with readable headings, rounded.
    """

    key: str
    title: str
    text: str
    chart: alt.TopLevelMixin | None
    table: pd.DataFrame
