"""Counts, times and lists in sentences: ``1 game``, ``2 games``; ``7 min 05 s``; ``a, b and c``."""

import math
import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

NUMBER = r"([0-9]+(?:\.[0-9]+)?)"
UNITS = {"h": 3600.0, "m(?!s)": 60.0, "s": 1.0, "ms": 1e-3, "[uµμ]s": 1e-6, "ns": 1e-9}
TIME = re.compile("".join(f"(?:{NUMBER}{unit})?" for unit in UNITS))


def seconds_in(text: str) -> float:
    """Read a time such as ``1h30m``, ``90s`` or ``100us``; ValueError if it is invalid."""
    found = TIME.fullmatch(text)
    if found is None or not text:
        raise ValueError(f"must be a time such as 15m or 100us (got {text!r})")
    return sum(float(n) * unit for n, unit in zip(found.groups(), UNITS.values(), strict=True) if n)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Write ``; did you mean sweep?``; empty if no known word is similar."""
    like = get_close_matches(word, list(known), n=1)
    return f"; did you mean {like[0]}?" if like else ""


def duration(seconds: float) -> str:
    """Write a time span: ``-``, ``42 s``, ``7 min 05 s``, ``3 h 20 min``."""
    if not math.isfinite(seconds):
        return "-"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60:02d} min"


def counted(n: int, noun: str) -> str:
    """Write a number with its noun, given in the singular; the plural takes an s."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def listed(names: Sequence[str]) -> str:
    """Write ``a``, ``a and b``, ``a, b and c``."""
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def without_password(text: str) -> str:
    """Mask the password of a URL, both before the host and among the parameters.

    The text is the URL, or an argument that contains it. A password may have any characters.
    """
    text = re.sub(r"(://[^:/]*):.*@", r"\1:***@", text, flags=re.S)
    return re.sub(r"([?&][^=&]*(?:password|passwd|pwd)=)[^&]+", r"\1***", text, flags=re.I)
