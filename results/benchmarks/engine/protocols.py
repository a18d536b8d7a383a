"""What it takes to have a program play a game, beside the program's own CPU time."""

import resource
import shutil
import statistics
from collections.abc import Callable

from thetafront.agents.external.program import Program, ProgramAgent, Protocol
from thetafront.agents.external.server import end_programs

PROGRAMS = {
    # A number for each line, and a number: as little as a program can do.
    Protocol.SERVE: (("sed", "-u", "s/.*/1/"), 2000),
    Protocol.ONCE: (("echo", "1"), 200),
}


def overheads(n_rounds: int, say: Callable[[str], None]) -> dict[str, dict[str, float]]:
    """Measure milliseconds of a worker's CPU time a game, by protocol.

    Returns
    -------
    dict
        Median, min and max over the rounds; without a protocol whose program is not there.
    """
    found = {}
    for protocol, (command, n_games) in PROGRAMS.items():
        if shutil.which(command[0]) is None:
            continue
        say(f"games of a program, {protocol}")
        agent = ProgramAgent(Program(command, protocol=protocol), ())
        agent.play(0)
        times = [milliseconds(agent, n_games) for _ in range(n_rounds)]
        found[protocol.value] = {
            "median": statistics.median(times),
            "min": min(times),
            "max": max(times),
        }
    end_programs()
    return found


def milliseconds(agent: ProgramAgent, n_games: int) -> float:
    """Return the CPU milliseconds a game of this process, the program's own left out."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    for seed in range(n_games):
        agent.play(seed)
    after = resource.getrusage(resource.RUSAGE_SELF)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return 1000.0 * seconds / n_games
