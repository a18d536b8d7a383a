"""The processes of this worker that answer one game after the other."""

import atexit
import os
from collections.abc import Callable, Hashable

from thetafront.agents.external.child import Child, end_children

MAX_SERVERS = 2  # each may have much in memory
SERVERS: dict[Hashable, Child] = {}
"""The processes of this worker, by what plays; the last one used comes last."""
os.register_at_fork(after_in_child=SERVERS.clear)  # they are the parent's


def server_of(player: Hashable, start: Callable[[], Child]) -> Child:
    """Return the process that plays a player's games; start one if there is none."""
    server = SERVERS.pop(player, None)
    if server is None or server.has_ended():
        while len(SERVERS) >= MAX_SERVERS:
            SERVERS.pop(next(iter(SERVERS))).end()
        server = start()
    SERVERS[player] = server
    return server


@atexit.register
def end_programs() -> None:
    """End all processes of games of this worker."""
    for server in SERVERS.values():
        server.end()
    SERVERS.clear()
    end_children()
