"""A page that follows its study: by a clock that a test turns."""

from thetafront.study import interrupt
from thetafront.study.page.results import MAX_SHARE, SECONDS_BETWEEN_PAGES, follow


class Turned:
    """A clock, a study that grows at some times, and a reader who leaves at another."""

    def __init__(self, grows_at: list[float], leaves_at: float, writing: float) -> None:
        self.now = 0.0
        self.grows_at, self.leaves_at, self.writing = grows_at, leaves_at, writing
        self.written: list[tuple[float, float | None]] = []

    def newest(self) -> int:
        return sum(each <= self.now for each in self.grows_at)

    def write(self, reload_seconds: float | None) -> None:
        self.written.append((self.now, reload_seconds))
        self.now += self.writing

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        if self.now >= self.leaves_at:
            interrupt._State.requested = True

    def run(self) -> list[float]:
        try:
            follow(self.newest, self.write, lambda: self.now, self.sleep)
        finally:
            interrupt._State.requested = False
        *pages, last = self.written
        assert last[1] is None  # nobody rewrites it: it reads itself no more
        assert {reload for _, reload in pages} == {SECONDS_BETWEEN_PAGES}
        return [at for at, _ in pages]


def test_it_is_written_when_the_study_has_grown() -> None:
    assert Turned(grows_at=[40.5], leaves_at=100.0, writing=0.5).run() == [0.0, 40.5]


def test_it_is_not_written_without_need() -> None:
    assert Turned(grows_at=[], leaves_at=1000.0, writing=1.0).run() == [0.0]


def test_writing_takes_a_small_share_of_the_time() -> None:
    always = [float(k) for k in range(2000)]
    times = Turned(grows_at=always, leaves_at=1000.0, writing=4.0).run()
    assert len(times) * 4.0 / 1000.0 <= MAX_SHARE * 1.1
    assert len(Turned(grows_at=always, leaves_at=1000.0, writing=0.1).run()) <= 1000.0 / 15.0 + 1
