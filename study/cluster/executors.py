"""The choice of who plays: processes of this machine, or the workers of a Dask scheduler.

A sweep on one machine imports no other module of this subpackage.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thetafront.study.errors import InputError
from thetafront.study.run.executor import Executor
from thetafront.study.run.workers import Workers, check_jobs


def executor_for(
    jobs: int | None, scheduler: str | None, tls: Mapping[str, str | Path | None] | None
) -> Executor[Any]:
    """Return the executor, before it is started.

    InputError if an option is invalid, or contradicts another.
    """
    if scheduler is None:
        if given := [name for name, each in (tls or {}).items() if each is not None]:
            raise InputError(f"tls must be left out without a scheduler (got {', '.join(given)})")
        return Workers(check_jobs(jobs))
    if jobs is not None:
        raise InputError(
            f"--jobs cannot be combined with --scheduler: all of the cluster's workers play (got "
            f"{jobs})"
        )
    from thetafront.study.cluster.dask_workers import DaskWorkers
    from thetafront.study.cluster.security import Tls

    return DaskWorkers(scheduler, Tls.from_mapping(tls))
