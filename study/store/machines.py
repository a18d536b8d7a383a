"""The machines that played a study's games: their classes, and how many games each has played.

A class is named by a key, which is stored with each game; ``machine:<key>``, a user attribute of
the study, describes it. Games that were played without a cluster have no key.
"""

from collections.abc import Mapping
from typing import Any

import optuna
from sqlalchemy import select

from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.store.games_table import GAMES, engine_of
from thetafront.study.store.invocation import option

MACHINE_PREFIX = "machine:"
MOST_NAMED = 3


def store_machines(study: optuna.Study, machines: Mapping[str, Mapping[str, Any]]) -> None:
    """Write descriptions of machines into a study, by key; each is written once."""
    known = study.user_attrs
    for key, description in machines.items():
        if (name := MACHINE_PREFIX + key) not in known:
            study.set_user_attr(name, dict(description))


def machines_in(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the descriptions among a study's user attributes, by key."""
    return {
        name.removeprefix(MACHINE_PREFIX): description
        for name, description in attributes.items()
        if name.startswith(MACHINE_PREFIX)
    }


def check_seconds(study: optuna.Study, experiment: Experiment, is_cluster: bool) -> None:
    """Refuse to mix seconds of a cluster's machines with those of games without a cluster.

    Parameters
    ----------
    study : optuna.Study
        The study, in today's format.
    experiment : Experiment
        What is to be played, by the study's cost.
    is_cluster : bool
        Whether a cluster is to play.

    Raises
    ------
    InputError
        If the cost is a time, and the study has games of others than those that are to play.
    """
    engine = engine_of(study)
    if engine is None or not experiment.cost.is_timed:
        return
    query = select(GAMES.c.machine).where(GAMES.c.study_id == study._study_id).distinct()
    with engine.connect() as connection:
        keys = set(connection.scalars(query))
    others = keys & {None} if is_cluster else keys - {None}
    if not others:
        return
    if is_cluster:
        played, now, way = "without a cluster", "a cluster's", "without"
    else:
        played, now, way = f"on a cluster ({named(study, others)})", "this machine's", "with"
    ways = [f"go on {way} {option('scheduler')}"] if others == keys else []
    counts = [each.name for each in experiment.costs if not each.is_timed]
    all_play = f", where {option('cost')} {counts[0]} lets all machines play" if counts else ""
    ways.append(f"give another name{all_play}")
    raise InputError(
        f"study: {study.study_name!r} has games that were played {played}, the cost is "
        f"{experiment.cost.name}, and {now} seconds do not compare with theirs; "
        f"{', or '.join(ways)}"
    )


def named(study: optuna.Study, keys: set[str | None]) -> str:
    """Name machines by their hosts, or else by their keys."""
    known = machines_in(study.user_attrs)
    names = sorted({str(known.get(str(key), {}).get("host", key)) for key in keys})
    more = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
    return ", ".join(names[:MOST_NAMED] + more)
