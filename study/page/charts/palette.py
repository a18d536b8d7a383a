"""Colours and marks of charts: Okabe and Ito's colours that are legible on white and on dark.

Each has a contrast of 3 or more to white and to ``#12161b``. A colour never says something alone:
kinds of marks differ in shape, dash or place, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import altair as alt

BLUE, GREEN, ORANGE, PINK, GREY = "#0072B2", "#009E73", "#D55E00", "#CC79A7", "#8C8C8C"
HOLLOW = "transparent"
LINE, SQUARE = "stroke", "square"  # symbols of lines and bars in a legend
LEGEND_COLUMNS = 2  # fit into 400 px
SOLID: tuple[int, int] = (1, 0)
DASHED: tuple[int, int] = (5, 3)


@dataclass(frozen=True)
class Kind:
    """A kind of marks, as a legend explains it.

    Attributes
    ----------
    label : str
        What the legend says.
    colour : str
        Of its stroke, and of its fill unless it is hollow.
    shape : str
        Of its points; a line's is :data:`LINE`.
    is_hollow : bool
        Whether its points are drawn as outlines.
    dash : (int, int)
        Lengths of a line's dashes and gaps.
    """

    label: str
    colour: str
    shape: str = "circle"
    is_hollow: bool = False
    dash: tuple[int, int] = SOLID


def encodings(
    kinds: Sequence[Kind], *channels: str, legend_at: Literal["bottom", "top"] = "bottom"
) -> dict[str, Any]:
    """Return encodings of the field ``kind`` by some channels, with one legend for all kinds.

    Parameters
    ----------
    kinds : sequence of Kind
        All kinds of the chart, whatever the layer: layers share their scales.
    *channels : {"stroke", "fill", "shape", "strokeDash"}
        Those that the layer's mark has.
    legend_at : {"bottom", "top"}
        Where the legend is.
    """
    ranges: dict[str, list[Any]] = {
        "stroke": [each.colour for each in kinds],
        "fill": [HOLLOW if each.is_hollow else each.colour for each in kinds],
        "shape": [each.shape for each in kinds],
        "strokeDash": [list(each.dash) for each in kinds],
    }
    channel_types: dict[str, Any] = {
        "stroke": alt.Stroke,
        "fill": alt.Fill,
        "shape": alt.Shape,
        "strokeDash": alt.StrokeDash,
    }
    legend = alt.Legend(
        orient=legend_at,
        columns=LEGEND_COLUMNS,
        labelLimit=0,
        symbolOpacity=1,
        symbolStrokeWidth=2,
        symbolSize=70,
    )
    domain = [each.label for each in kinds]
    return {
        channel: channel_types[channel](
            "kind:N",
            title=None,
            legend=legend,
            scale=alt.Scale(domain=domain, range=ranges[channel]),
        )
        for channel in channels
    }
