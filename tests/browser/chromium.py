"""Where Chromium is. As a command, it says so, and ends with 1 if there is none."""

import os
import shutil
import sys

VARIABLE = "CHROMIUM"
NAMES = ("chromium", "chromium-browser", "google-chrome")


def executable() -> str | None:
    """Return the browser named by the variable CHROMIUM, or found on PATH."""
    if named := os.environ.get(VARIABLE):
        return shutil.which(named)
    return next(filter(None, map(shutil.which, NAMES)), None)


def why_not() -> str:
    """Say why no browser can be used; empty if one can."""
    if executable() is None:
        named = os.environ.get(VARIABLE)
        given = f"{VARIABLE}={named} is no program" if named else "no Chromium is installed"
        return f"{given}: make test-browser"
    return ""


if __name__ == "__main__":
    print(why_not() or executable())
    sys.exit(bool(why_not()))
