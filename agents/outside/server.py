"""The processes of this worker that answer one game after the other."""

import atexit
import os
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from thetafront.agents.agent import GameError
from thetafront.agents.outside.child import Child, end_children
from thetafront.agents.outside.processes import Orphans

T = TypeVar("T")
MAX_SERVERS = 2  # each may have much in memory
SHOWN = 60  # characters of an answer in a message


class Server:
    """A process that answers games, one after the other.

    Parameters
    ----------
    child : Child
        The process.
    first : bytes
        A line to begin with.
    read : callable
        Takes the answer to that.
    """

    def __init__(self, child: Child, first: bytes, read: Callable[[bytes], object]) -> None:
        self.child = child
        self.is_ended = False
        self.is_warm = False
        self.answer(first, read)

    @contextmanager
    def ended_by_errors(self) -> Iterator[None]:
        """End the process when the block fails."""
        try:
            yield
        except BaseException as error:
            self.end()
            if isinstance(error, OSError):  # it ended between an answer and a look at its clock
                raise GameError(f"ended by itself{self.child.said}") from None
            raise

    def answer(self, line: bytes, read: Callable[[bytes], T]) -> T:
        """Return what is read in the answer to a line; after an error the process has ended.

        Raises
        ------
        GameError
            If the process fails, or exceeds a limit.
        """
        with self.ended_by_errors():
            self.child.look(0)
            if self.child.pending:
                raise GameError(f"wrote more than a line: {shown(self.child.pending)}")
            return read(self.child.answer(line, last=False))

    def timed_answer(self, line: bytes, read: Callable[[bytes], T]) -> tuple[T, float]:
        """Return what is read in an answer, and the CPU seconds that it took."""
        with self.ended_by_errors():
            before = self.child.cpu_seconds()
            found = self.answer(line, read)
            # Children that were ended meanwhile count in ticks: the difference may be below 0.
            return found, max(0.0, self.child.cpu_seconds() - before)

    def has_ended(self) -> bool:
        """Tell whether the process has ended, perhaps by itself since its last answer."""
        if not self.is_ended:
            with self.ended_by_errors():
                self.child.look(0)
            Orphans.now()  # forgets those that have ended
            if self.child.exited:
                self.end()
        return self.is_ended

    def end(self) -> None:
        """End the process."""
        if not self.is_ended:
            self.is_ended = True
            self.child.end()


SERVERS: dict[Hashable, Server] = {}
"""The processes of this worker, by what plays; the last one used comes last."""
os.register_at_fork(after_in_child=SERVERS.clear)  # they are the parent's


def server_of(player: Hashable, start: Callable[[], Server]) -> Server:
    """Return the process that plays a player's games; start one if there is none."""
    server = SERVERS.pop(player, None)
    if server is None or server.has_ended():
        while len(SERVERS) >= MAX_SERVERS:
            SERVERS.pop(next(iter(SERVERS))).end()
        server = start()
    SERVERS[player] = server
    return server


def end_programs() -> None:
    """End all processes of games of this worker."""
    for server in SERVERS.values():
        server.end()
    SERVERS.clear()
    end_children()


atexit.register(end_programs)


def shown(said: bytes) -> str:
    """Write an answer for a message."""
    text = repr(said.decode(errors="replace"))
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
