"""Kill sweeps at random moments with kill -9, the program alone or its workers with it.

No stored game may be lost, ``status`` must work, and the same command must go on.
"""

import argparse
import signal
import sys
from collections import Counter

from tests.drills.sweeps import stop, storm


def main() -> int:
    """Run the drill; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    endings: Counter[str] = Counter()
    with storm(given.seed) as drill:
        for number in range(1, given.n + 1):
            alone = drill.draw.random() < 0.5
            study, kill = drill.study, [(0.0, signal.SIGKILL)]
            stopped = stop(study, drill.moment(), kill, to_group=not alone)
            endings["killed" if stopped.code else "finished before the kill"] += 1
            # Before the storage is made there is no study whose status could be shown.
            if stopped.before and (wrong := study.status()):
                drill.note("status fails", wrong)
            drill.check(stopped)
            if not number % 10:
                print(f"{number}/{given.n}: {dict(endings)}", flush=True)
        drill.end()
        print(f"kills: {given.n}: {dict(endings)}")
        return drill.report()


if __name__ == "__main__":
    sys.exit(main())
