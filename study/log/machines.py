"""The machines that played a study's games.

If the cost is a time, games on a cluster and games without a cluster must not be mixed. Each class
of machines has a key, which is stored with each game, and an event that describes it. Games that
were played without a cluster have no key.
"""

from collections.abc import Callable, Mapping
from typing import Any

from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.log.invocation import option
from thetafront.study.log.log import MACHINE, RUN, Log, event
from thetafront.study.log.manifest import cpu_model

MAX_NAMED = 3


def store_machines(log: Log, machines: Mapping[str, Mapping[str, Any]]) -> None:
    """Store the descriptions of those classes of machines that are new in a study."""
    known = {each["key"] for each in log.events(MACHINE)}
    new = [key for key in machines if key not in known]
    if new:
        log.write(*(event(MACHINE, key=key, machine=dict(machines[key])) for key in new))


def check_seconds(
    log: Log, experiment: Experiment, is_cluster: bool, say: Callable[[str], None]
) -> None:
    """Raise InputError if seconds on a cluster would be mixed with seconds without a cluster.

    That is, if the experiment's cost is a time, and the next games will be played on a cluster
    although some of the study's games were played without one, or the other way round. Without a
    cluster, ``say`` gets a warning if an earlier run used another processor.
    """
    if not experiment.cost.is_timed:
        return
    keys = log.machines()
    others = keys & {""} if is_cluster else keys - {""}
    if not others:
        here = cpu_model()
        runs = [] if is_cluster else log.events(RUN)
        used = {(each["run"].get("machine") or {}).get("cpu", here) for each in runs}
        if used - {here}:
            say(
                f"warning: earlier games were timed on {', '.join(sorted(used - {here}))}; this "
                f"machine has {here}, and times on different processors cannot be compared"
            )
        return
    if is_cluster:
        played, now, way = "without a cluster", "a cluster's", "without"
    else:
        played, now, way = f"on a cluster ({named(log, others)})", "this machine's", "with"
    ways = [f"continue {way} {option('scheduler')}"] if others == keys else []
    counts = [each.name for each in experiment.costs if not each.is_timed]
    all_play = f"; with {option('cost')} {counts[0]}, all machines can play" if counts else ""
    ways.append(f"give another name{all_play}")
    raise InputError(
        f"study: {log.name!r} contains games played {played}; their {experiment.cost.name} "
        f"cannot be compared with {now}; {', or '.join(ways)}"
    )


def named(log: Log, keys: set[str]) -> str:
    """Return a text with the machines' hosts; a machine of unknown host is named by its key."""
    known = {each["key"]: each["machine"] for each in log.events(MACHINE)}
    names = sorted({str(known.get(key, {}).get("host", key)) for key in keys})
    more = [f"{len(names) - MAX_NAMED} more"] if len(names) > MAX_NAMED else []
    return ", ".join(names[:MAX_NAMED] + more)
