"""Tables and pictures that are rewritten regularly while games are played.

A thread writes them, so that the loop can keep handing out games. Only one report is written at a
time; before its last report, a run waits for the thread (:meth:`LiveReport.finish`). Writing takes
at most a tenth of the time. A report is not begun if it would take more than half of the time left.
"""

import math
import threading
import time
from collections.abc import Callable

SECONDS_BETWEEN_REPORTS = 60.0
MAX_SHARE = 0.1  # share of the time that writing may take
MAX_SHARE_OF_REST = 0.5  # share of the rest of the budget that a report may take
EXPECTED_SECONDS = 3.0  # CPU seconds of the first report, which imports the drawing libraries
SECONDS_A_ROW = 1.5e-4  # additional CPU seconds for each trial and game
MIN_CPU_SECONDS = 0.05  # shorter reports do not show how loaded the machine is


class LiveReport:
    """Writes a report in a thread, once a minute and at each milestone of a phase.

    ``write`` is called with True to write a report, or with False to only print the plan, which is
    quick. ``left`` returns how many seconds of the run's budget are left.
    """

    def __init__(
        self,
        write: Callable[[bool], object],
        left: Callable[[], float] = lambda: math.inf,
        clock: Callable[[], float] = time.monotonic,
        cpu_clock: Callable[[], float] = time.thread_time,
    ) -> None:
        self.write, self.left = write, left
        self.clock, self.cpu_clock = clock, cpu_clock
        self.cpu_seconds = EXPECTED_SECONDS  # of the last report
        self.load = 1.0  # wall-clock seconds per CPU second of the last report or plan
        self.n_rows = 0  # how many trials and games the study had when it was last read
        self.ended = clock()
        self.thread: threading.Thread | None = None
        self.error: Exception | None = None
        self.last_stage = 0
        self.has_failed = False
        self.due = clock() + SECONDS_BETWEEN_REPORTS

    def begin_phase(self) -> None:
        """Begin to report on another phase; its milestones are counted from 0."""
        self.last_stage = 0

    @property
    def seconds(self) -> float:
        """Expected duration of a report, from the last report and the number of rows."""
        by_rows = EXPECTED_SECONDS + SECONDS_A_ROW * self.n_rows if self.n_rows else 0.0
        return max(self.cpu_seconds, by_rows) * self.load

    @property
    def is_affordable(self) -> bool:
        """Whether a report is short compared with the time since the last one and the time left."""
        since = self.clock() - self.ended
        return self.seconds <= min(MAX_SHARE * since, MAX_SHARE_OF_REST * self.left())

    @property
    def is_writing(self) -> bool:
        """Whether the thread is writing."""
        return self.thread is not None and self.thread.is_alive()

    def turn(self, stage: int) -> str:
        """Begin a report if one is due; a run calls this several times a second.

        ``stage`` is how many milestones of the phase have been reached; after each, there is more
        to show. Returns a message if a report could not be written, otherwise an empty text. Only
        the first error is returned.
        """
        if self.is_writing:
            return ""
        now, is_new = self.clock(), stage > self.last_stage
        self.last_stage = stage
        if is_new:
            self.due = now
        is_due = now >= self.due and self.is_affordable
        if is_new or is_due:
            self.thread = threading.Thread(
                target=self.run, args=(is_due,), name="live report", daemon=True
            )
            self.thread.start()
        error, self.error = self.error, None
        if error is None or self.has_failed:
            return ""
        self.has_failed = True
        reason = " ".join(str(error).split()) or type(error).__name__
        return f"tables and pictures cannot be written: {reason}; games continue"

    def run(self, is_whole: bool) -> None:
        """Write a report, or only print the plan; runs in the thread."""
        began, cpu_began = self.clock(), self.cpu_clock()
        try:
            self.write(is_whole)
        except Exception as error:  # of any kind: the run's last report will raise it again
            self.error = error
        ended, cpu_seconds = self.clock(), self.cpu_clock() - cpu_began
        if cpu_seconds >= MIN_CPU_SECONDS:
            self.load = max(1.0, (ended - began) / cpu_seconds)
        if is_whole:
            self.due, self.ended = began + SECONDS_BETWEEN_REPORTS, ended
            self.cpu_seconds = cpu_seconds

    def finish(self) -> None:
        """Wait for the report that is being written, if there is one."""
        if self.thread is not None:
            self.thread.join()
