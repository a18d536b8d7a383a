"""Makes the slices that games compress, once: corpus.py FOLDER.

The corpus is the modules of Python's standard library in the order of their paths, without tests,
without packages that Debian packs separately, and without modules that a script has written: those
compress twice as well as the others and would make most of the difference between slices. Slice k
of 32 begins at k/32 of it, and goes on at its begin where it ends. Whoever is second finds the
folder there and leaves it as it is.
"""

import hashlib
import os
import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path

N_SLICES = 32
SLICE_BYTES = 2_000_000
N_DIGITS = 12
LEFT_OUT = {"test", "tests", "site-packages", "dist-packages", "__phello__"}
LEFT_OUT |= {"distutils", "ensurepip", "idlelib", "lib2to3", "tkinter", "turtledemo"}
GENERATED = ("encodings", "pydoc_data", "_sysconfigdata", "sitecustomize", "config-")


def modules(library: Path) -> list[Path]:
    """Return the corpus's files, in order."""
    found = (path.relative_to(library) for path in library.rglob("*.py"))
    kept = [
        path
        for path in found
        if not LEFT_OUT & {*path.parts} and not path.parts[0].startswith(GENERATED)
    ]
    return [library / path for path in sorted(kept, key=lambda path: path.as_posix())]


def make(folder: Path) -> str:
    """Write slices and digest into a folder, unless they are there; return the digest."""
    digest = folder / "digest"
    if not digest.exists():
        content = b"".join(map(Path.read_bytes, modules(Path(sysconfig.get_path("stdlib")))))
        around = content + content[:SLICE_BYTES]
        folder.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f"{folder.name}-", dir=folder.parent))
        try:
            for k in range(N_SLICES):
                begin = len(content) * k // N_SLICES
                (draft / str(k)).write_bytes(around[begin : begin + SLICE_BYTES])
            name = hashlib.sha256(content).hexdigest()[:N_DIGITS]
            (draft / "about").write_text(f"{len(content)} bytes, Python {sys.version.split()[0]}\n")
            (draft / "digest").write_text(f"{name}\n")
            os.rename(draft, folder)  # as a whole, and never onto a folder with files
        except OSError:
            if not digest.exists():
                raise
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    return digest.read_text().strip()


if __name__ == "__main__":
    print(make(Path(sys.argv[1])))
