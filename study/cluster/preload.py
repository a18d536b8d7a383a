"""Code that Dask loads in each process of ``thetafront worker``.

The processes are the workers, and one process of all nannies, which start and watch workers.
"""

import os
import threading
from typing import Any

from thetafront.study.run.worker import begin_worker, end_with

SUPERVISOR = "THETAFRONT_SUPERVISOR"
"""The environment variable with the id of the process that runs ``thetafront worker``."""


def dask_setup(server: Any) -> None:
    """Prepare a process to end when ``thetafront worker`` ends, and a worker to ignore Ctrl-C."""
    from distributed import Worker

    if not isinstance(server, Worker):  # a nanny; all of them are in one process
        if "watcher" not in {each.name for each in threading.enumerate()}:
            parent = int(os.environ[SUPERVISOR])
            threading.Thread(target=end_with, args=(parent,), name="watcher", daemon=True).start()
        return
    from thetafront.study.cluster.machine import this_machine
    from thetafront.study.cluster.remote import prepare

    begin_worker(os.getppid())
    prepare()
    this_machine()
