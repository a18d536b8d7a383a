"""The processor of this machine."""

import platform
from pathlib import Path


def cpu_model() -> str:
    """Return the processor's name."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
