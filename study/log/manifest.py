"""Manifests: how a result was made and on which machine, in enough detail to repeat the run."""

import importlib.metadata
import json
import platform
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from thetafront.engine.jit import IS_CHECKOUT, ROOT
from thetafront.study.errors import InputError
from thetafront.study.log.atomic import atomic_write
from thetafront.study.log.invocation import command_line

LIBRARIES = ("numpy", "numba", "llvmlite", "optuna", "scipy", "pandas", "joblib", "matplotlib")
MANIFEST = "manifest.json"


def git_revision() -> str:
    """Return the checkout's commit, with ``+changes`` if files differ; empty without a checkout."""
    if not IS_CHECKOUT:
        return ""
    words = "describe --always --exclude=* --abbrev=40 --dirty=+changes"
    try:
        git = ["git", "-C", str(ROOT), *words.split()]
        return subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def machine() -> dict[str, Any]:
    """Describe the machine."""
    import joblib  # noqa: PLC0415, slow, and only needed here

    return {
        "cpu": cpu_model(),
        "cores": int(joblib.cpu_count()),
        "architecture": platform.machine(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
    }


def provenance() -> dict[str, Any]:
    """Return a result's provenance: command, time (UTC), revision, machine, library versions."""
    return {
        "command_line": command_line(),
        "began": datetime.now(UTC).isoformat(timespec="seconds"),
        "git_revision": git_revision(),
        "machine": machine(),
        "versions": {name: importlib.metadata.version(name) for name in LIBRARIES},
    }


def write_json(contents: Mapping[str, Any], path: Path) -> None:
    """Write a JSON file atomically."""
    with atomic_write(path) as temporary:
        temporary.write_text(
            json.dumps(contents, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )


def earlier_manifest(path: Path) -> dict[str, Any]:
    """Return the manifest of an earlier run, empty if none; InputError if it is not a manifest."""
    if not path.exists():
        return {}
    try:
        if not path.is_file():  # reading a pipe would wait
            raise ValueError("must be a file")
        earlier = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(earlier.get("earlier_runs", []), list):
            raise ValueError("earlier_runs must be a list")
    except (OSError, ValueError, RecursionError, AttributeError):
        raise InputError(f"{path}: not a manifest; use another folder, or move it away") from None
    assert isinstance(earlier, dict)  # only a JSON object has get
    return earlier


def check_output(folder: Path) -> None:
    """Check, before anything is written, that a folder may be used for results without a study.

    InputError if the folder has a study, or an invalid manifest.
    """
    is_study = (folder / "study.db").exists() or "study" in earlier_manifest(folder / MANIFEST)
    if is_study:
        raise InputError(f"output folder {str(folder)!r} is a study's folder; use another")


def write_manifest(contents: Mapping[str, Any], path: Path) -> None:
    """Write a manifest; a manifest that is there already is kept among its ``earlier_runs``.

    InputError if the earlier file is not a manifest.
    """
    earlier = earlier_manifest(path)
    before = [*earlier.pop("earlier_runs", []), earlier] if earlier else []
    write_json({**contents, "earlier_runs": before}, path)


def cpu_model() -> str:
    """Return the processor's name."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
