"""The cluster that a user gives, by the address of its scheduler: on the command line or in a call.

What a sweep on one machine imports ends here.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from thetafront.study.errors import InputError

if TYPE_CHECKING:
    from thetafront.study.cluster.cluster import DaskCluster


def cluster_at(
    scheduler: str | None, tls: Mapping[str, str | Path | None] | None
) -> "DaskCluster | None":
    """Return the cluster of a scheduler, not connected yet; None if no scheduler is given.

    InputError if it cannot be used.
    """
    given = {name: each for name, each in (tls or {}).items() if each is not None}
    if scheduler is None:
        if given:
            raise InputError(f"tls must be left out without a scheduler (got {', '.join(given)})")
        return None
    from thetafront.study.cluster.cluster import DaskCluster
    from thetafront.study.cluster.security import Tls

    return DaskCluster(scheduler, Tls.of(given))
