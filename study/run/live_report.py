"""Tables and pictures that are written again and again while games are played.

A thread writes them, so that the loop goes on handing out games. It draws nothing twice at once:
whoever writes the last ones waits for it (:meth:`LiveReport.finish`).
"""

import threading
import time
from collections.abc import Callable

SECONDS_BETWEEN_REPORTS = 60.0
LARGEST_SHARE = 0.2  # of the time that writing may take, in a large study


class LiveReport:
    """Writes a report in a thread, once a minute and when there is more to show.

    Parameters
    ----------
    write : callable
        Writes it.
    message : callable
        Called with a line of text if that fails, once; games go on.
    stage : callable
        Tells how many steps are reached; at each one a report is written.
    clock : callable
        Returns the time in seconds.
    """

    def __init__(
        self,
        write: Callable[[], object],
        message: Callable[[str], None],
        stage: Callable[[], int],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.write = write
        self.message = message
        self.stage = stage
        self.clock = clock
        self.thread: threading.Thread | None = None
        self.error: Exception | None = None
        self.last_stage = 0
        self.has_failed = False
        self.due = clock() + SECONDS_BETWEEN_REPORTS

    @property
    def is_writing(self) -> bool:
        """Whether the thread is at work."""
        return self.thread is not None and self.thread.is_alive()

    def turn(self) -> None:
        """Begin a report if one is due; to be called often."""
        if self.is_writing:
            return
        self.tell()
        stage = self.stage()
        if stage > self.last_stage or self.clock() >= self.due:
            self.last_stage = stage
            self.thread = threading.Thread(target=self.run, name="live report", daemon=True)
            self.thread.start()

    def run(self) -> None:
        """Write a report; runs in the thread."""
        began = self.clock()
        self.due = began + SECONDS_BETWEEN_REPORTS
        try:
            self.write()
        except Exception as error:  # whatever it is, the last report meets it again, and says so
            self.error = error
        self.due = max(self.due, self.clock() + (self.clock() - began) / LARGEST_SHARE)

    def tell(self) -> None:
        """Say why a report could not be written."""
        error, self.error = self.error, None
        if error is not None and not self.has_failed:
            self.has_failed = True
            reason = " ".join(str(error).split()) or type(error).__name__
            self.message(f"tables and pictures are not written: {reason}; games go on")

    def finish(self) -> bool:
        """Wait for the report that is being written; return whether there was one, now whole."""
        if not self.is_writing or self.thread is None:
            return False
        self.thread.join()
        return self.error is None
