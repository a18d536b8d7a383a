"""The script that draws charts: vega, vega-lite and vega-embed in one, with nothing to fetch."""

from functools import cache

import vl_convert

BESIDE = "thetafront-page.js"
"""Its file where pages share it."""
SNIPPET = "window.vegaEmbed=vegaEmbed;"


@cache
def library() -> str:
    """Return the library's script; it defines ``vegaEmbed``."""
    return str(vl_convert.javascript_bundle(SNIPPET))
