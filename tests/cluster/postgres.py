"""A PostgreSQL server on a free port of 127.0.0.1, to be killed and started again."""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.ports import free_port

PROGRAMS = ("initdb", "postgres")
SECONDS_TO_START = 60.0
PASSWORD = "not-to-be-shown"


def program(name: str) -> str:
    """Return where a program of the server is; empty if it is not installed."""
    found = shutil.which(name)
    versions = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))  # where Debian has them
    return found or (str(versions[-1]) if versions else "")


def why_not() -> str:
    """Say why no server can be started; empty if one can."""
    lacking = [name for name in PROGRAMS if not program(name)]
    if lacking:
        return f"PostgreSQL's {' and '.join(lacking)} not installed"
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return "psycopg is not installed"
    if os.getuid() == 0 and user() is None:
        return "PostgreSQL does not run as root, and there is no user postgres"
    return ""


def user() -> str | None:
    """Return whom the server runs as: root may not."""
    if os.getuid() != 0:
        return pwd.getpwuid(os.getuid()).pw_name
    with contextlib.suppress(KeyError):
        return pwd.getpwnam("postgres").pw_name
    return None


@dataclass
class Server:
    """A server and its data folder, which a user postgres must be able to enter."""

    folder: Path
    port: int = field(default_factory=free_port)
    process: "subprocess.Popen[bytes] | None" = None

    def make(self) -> None:
        """Make the data folder, with one superuser who needs the password."""
        self.folder.mkdir(parents=True)
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        data = self.folder / "data"
        data.mkdir()
        if os.getuid() == 0:
            for path in (self.folder, secret, data):
                shutil.chown(path, user())
        self.run(program("initdb"), "-D", str(data), "-U", "theta", "--pwfile", str(secret),
                 "--auth", "scram-sha-256", "-E", "UTF8", "--no-locale")  # fmt: skip

    def run(self, *command: str) -> None:
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=self.folder, timeout=120, check=False,
            **self.identity,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr

    @property
    def identity(self) -> dict[str, str]:
        return {"user": user() or ""} if os.getuid() == 0 else {}

    def start(self) -> None:
        """Start it, and wait until it answers."""
        log = (self.folder / "log").open("ab")
        self.process = subprocess.Popen(
            [program("postgres"), "-D", str(self.folder / "data"), "-p", str(self.port),
             "-h", "127.0.0.1", "-k", str(self.folder)],
            stdout=log, stderr=log, cwd=self.folder, start_new_session=True, **self.identity,
        )  # fmt: skip
        log.close()
        end = time.monotonic() + SECONDS_TO_START
        while not self.answers():
            assert self.process.poll() is None, (self.folder / "log").read_text()
            assert time.monotonic() < end, (self.folder / "log").read_text()
            time.sleep(0.1)

    def answers(self) -> bool:
        import psycopg

        try:
            self.execute("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def execute(self, sql: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """Run a statement; return its rows."""
        import psycopg

        with psycopg.connect(
            host="127.0.0.1", port=self.port, user="theta", password=PASSWORD, dbname=database,
            autocommit=True, connect_timeout=5,
        ) as connection:  # fmt: skip
            cursor = connection.execute(sql)  # type: ignore[call-overload]
            return cursor.fetchall() if cursor.description else []

    def new_database(self, name: str) -> str:
        """Make a database; return its URL, password included."""
        self.execute(f'CREATE DATABASE "{name}"')
        return self.url(name)

    def url(self, database: str) -> str:
        return f"postgresql+psycopg://theta:{PASSWORD}@127.0.0.1:{self.port}/{database}"

    def kill(self) -> None:
        """Kill all of its processes at once, as a crash of the machine would."""
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(timeout=30)
        # Children notice that the postmaster is gone and end; a new one waits for them.
        (self.folder / "data" / "postmaster.pid").unlink(missing_ok=True)

    def stop(self) -> None:
        """Shut it down in an orderly way; clients are disconnected."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(timeout=60)
