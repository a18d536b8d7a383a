"""Interrupt sweeps at random moments, once or twice, as Ctrl-C in a terminal does.

The moments range from before the first import to after the last figure. The same study goes on
until it is complete. A sweep must end with exit code 130 within 3 s of a quiet machine and 30 s of
any, and no game that was stored before may be lost.
"""

import argparse
import os
import signal
import sys
from collections import Counter

from tests.drills.sweeps import Stopped, Storm, stop, storm

LIMIT_SECONDS = 3.0
LIMIT_ON_ANY_MACHINE = 10 * LIMIT_SECONDS
MAX_PAUSE = 0.3
MESSAGE = "thetafront: interrupted\n"
# A signal before the program's first line ends the interpreter, which a shell sees as 130, too.
BEFORE_THE_FIRST_LINE = -signal.SIGINT


def judge(storm: Storm, stopped: Stopped) -> str:
    """Name the way in which a sweep ended; note what it should not have done."""
    where = f"after {stopped.moment:.3f} s: {stopped.stderr!r}"
    if stopped.code == BEFORE_THE_FIRST_LINE:
        return "before the program began"
    if stopped.code not in {0, 130}:
        storm.note("wrong exit codes", f"{stopped.code} {where}")
    elif stopped.stderr != (MESSAGE if stopped.code else ""):
        storm.note("wrong words on standard error", where)
    if stopped.seconds > LIMIT_SECONDS:
        load, cores = stopped.load, os.cpu_count() or 1
        print(f"slow: {stopped.seconds:.2f} s {where}, load average {load:.1f}", flush=True)
        if load <= cores or stopped.seconds > LIMIT_ON_ANY_MACHINE:
            storm.note("slow", where)
    return {0: "finished before the signal", 130: "exit 130"}.get(stopped.code, "other")


def main() -> int:
    """Run the drill; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--single", type=int, default=40)
    parser.add_argument("--double", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    endings: Counter[str] = Counter()
    seconds = []
    with storm(given.seed) as drill:
        rounds = [1] * given.single + [2] * given.double
        drill.draw.shuffle(rounds)
        for number, n_signals in enumerate(rounds, 1):
            pauses = [0.0, drill.draw.uniform(0.0, MAX_PAUSE)][:n_signals]
            stopped = stop(drill.study, drill.moment(), [(each, signal.SIGINT) for each in pauses])
            endings[judge(drill, stopped)] += 1
            if stopped.code:
                seconds.append(stopped.seconds)
            drill.check(stopped)
            if not number % 10:
                print(f"{number}/{len(rounds)}: {dict(endings)}", flush=True)
        drill.end()
        print(f"interrupts: {given.single} single, {given.double} double: {dict(endings)}")
        slow = sum(each > LIMIT_SECONDS for each in seconds)
        print(f"slowest exit {max(seconds, default=0.0):.2f} s, {slow} above {LIMIT_SECONDS:g} s")
        return drill.report()


if __name__ == "__main__":
    sys.exit(main())
