"""Where a study is: its name, the URL of its storage, and the folder of its tables and figures.

The URL is ``sqlite:///results/<name>/study.db`` by default. This module opens no storage; see
:mod:`study.log.storage`.
"""

import os
import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from thetafront.study.errors import DamageError, InputError
from thetafront.study.text import without_password

RESULTS = Path("results")
"""The default folder of studies, created in the current folder."""
RESERVED_NAMES = ("reference",)
BACKENDS = ("sqlite", "postgresql")
SQLITE_EXAMPLE = "sqlite:///folder/study.db"


@dataclass(frozen=True)
class Location:
    """Where a study is stored, and where its tables and figures go."""

    name: str  # the study's name in its storage, and the name of its folder
    url: str  # the storage's URL
    folder: Path  # for tables and figures

    def of_study(self, name: str) -> "Location":
        """Return the location of a study in this storage.

        If it has no folder where this one is, it may have the folder of its database file.
        """
        folder, of_file = self.folder.parent / name, Path(self.parsed_url.database or "").parent
        if not folder.exists() and of_file.name == name and self.url == usual_url(of_file):
            folder = of_file
        return replace(self, name=name, folder=folder)

    @property
    def database(self) -> Path | None:
        """The storage's SQLite file; None if the storage is a server."""
        url = make_url(self.url)
        if url.get_backend_name() != "sqlite" or not url.database:
            return None
        return real_path(Path(url.database))  # the same path for all links to a file

    @property
    def words(self) -> list[str]:
        """The arguments by which a command names this study."""
        results = self.folder.parent
        in_folder = [] if results == RESULTS else ["--results", str(results)]
        if self.url == usual_url(results / self.name):
            return [self.name, *in_folder]
        return [self.url_without_password, "--name", self.name, *in_folder]

    @property
    def parsed_url(self) -> URL:
        """The storage's URL, parsed."""
        return make_url(self.url)

    @property
    def is_on_postgresql(self) -> bool:
        """Whether the storage is a PostgreSQL server."""
        return self.parsed_url.get_backend_name() == "postgresql"

    @property
    def url_without_password(self) -> str:
        """The storage's URL with the password masked."""
        return without_password(make_url(self.url).render_as_string(hide_password=True))


def how_to_repair(location: Location) -> str:
    """Write the command that repairs a study."""
    command = shlex.join(["thetafront", "verify", *location.words, "--repair"])
    return f"`{command}` repairs what it can"


@contextmanager
def study_context(location: Location) -> Iterator[None]:
    """Say which study is damaged, and how to repair it."""
    try:
        yield
    except DamageError as error:
        text = f"study {location.name!r}: {error}; {how_to_repair(location)}"
        raise DamageError(text) from None


def real_path(path: Path) -> Path:
    """Return a path with all links followed; a link that leads to itself remains a link."""
    return Path(os.path.realpath(path))  # Path.resolve would raise RuntimeError


def check_name(name: str) -> str:
    """Return a study's name if a folder can have this name; InputError otherwise."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", name):
        raise InputError(
            "name must have 1 to 64 characters (a to z, A to Z, 0 to 9, dots, dashes, "
            f"underscores) and begin with a letter or digit (got {name!r})"
            + ("; give a study's name, not its definition" if ":" in name else "")
        )
    if name in RESERVED_NAMES:
        raise InputError(f"name {name!r} is reserved for published results; use another")
    return name


def check_url(text: str) -> URL:
    """Parse a storage URL; InputError if it is invalid, or cannot store a study."""
    given = f"(got {without_password(text)!r})"
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):  # not a URL, or its port is not a number
        raise InputError(
            f"storage must be a database URL such as {SQLITE_EXAMPLE} {given}"
        ) from None
    if url.get_backend_name() not in BACKENDS:
        raise InputError(
            f"storage must be {' or '.join(BACKENDS)}, such as {SQLITE_EXAMPLE} {given}"
        )
    if "@" in (url.host or ""):
        raise InputError(f"storage must have %40 for each @ in a user name or password {given}")
    if url.get_backend_name() == "sqlite":
        path = url.database or ""
        if path in {"", ":memory:"}:
            raise InputError(f"storage must name a file, as {SQLITE_EXAMPLE} does {given}")
        if url.query or path.startswith("file:"):
            raise InputError(f"SQLite storage must be a plain path without parameters {given}")
        if url.drivername not in {"sqlite", "sqlite+pysqlite"}:
            raise InputError(f"SQLite storage must be a URL such as {SQLITE_EXAMPLE} {given}")
    return url


def locate(name: str, results: Path, storage: str | None) -> Location:
    """Return the location of a study; InputError if the name or the storage is not allowed."""
    check_name(name)
    folder = results / name
    url = usual_url(folder) if storage is None else storage
    check_url(url)
    return Location(name, url, folder)


def usual_url(folder: Path) -> str:
    """Return the default URL of a study's storage, a file in the study's folder."""
    return sqlite_url(folder / "study.db")


def sqlite_url(path: Path) -> str:
    """Return the URL of a SQLite database; characters such as ``?`` are quoted."""
    return URL.create("sqlite", database=str(path)).render_as_string()


def why_unusable(folder: Path) -> str:
    """Say why a folder cannot be written to; empty if it can."""
    if not folder.is_dir():
        return "is not a folder" if folder.exists() else "does not exist"
    return "" if os.access(folder, os.W_OK | os.X_OK) else "cannot be written"


def make_folder(folder: Path, option: str = "results") -> None:
    """Create a folder, unless it exists; its parent must exist.

    InputError if it cannot be created or written to; the message names the ``option`` that gave it.
    """
    cannot = f"{option}: folder {str(folder)!r} cannot be"
    try:
        if not folder.exists() and (problem := why_unusable(folder.parent)):
            raise InputError(f"{cannot} created: {str(folder.parent)!r} {problem}")
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{option}: {str(folder)!r} is a file, not a folder")
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"{cannot} created: {error.strerror}") from None
    if why_unusable(folder):
        raise InputError(f"{cannot} written")
