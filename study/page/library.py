"""The script that draws charts: vega, vega-lite and vega-embed in one file; it works offline."""

from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import numba
import vl_convert

import thetafront.engine.jit  # noqa: F401, sets the folder of caches
from thetafront.study.errors import InputError
from thetafront.study.report.tables import write_text

BESIDE = "thetafront-page.js"
"""The library's file, if several pages share it."""
PACKAGE = "vl-convert-python"
SNIPPET = "window.vegaEmbed=vegaEmbed;"


@cache
def library() -> str:
    """Return the library's script; it defines ``vegaEmbed``.

    Bundling takes a second, so the script is kept in the folder of cached kernels.
    """
    folder = Path(numba.config.CACHE_DIR)
    kept = folder / f"vega-{version(PACKAGE)}.js"
    script = script_in(kept)
    if not script:
        script = str(vl_convert.javascript_bundle(SNIPPET))
        try:
            write_text(f"{digest(script)}\n{script}", kept)
        except (OSError, InputError):
            return script  # the next call bundles it again
    return script


def script_in(path: Path) -> str:
    """Return the script that follows its digest in a file; empty if the two do not match."""
    try:
        first, _, script = path.read_bytes().decode().partition("\n")
    except (OSError, UnicodeDecodeError):
        return ""
    return script if first == digest(script) else ""


def digest(script: str) -> str:
    """Return the digest of a script and of the snippet with which it is bundled."""
    return sha256(f"{SNIPPET}{script}".encode()).hexdigest()
