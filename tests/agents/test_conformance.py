"""Every agent of the catalog, whatever it is: see :mod:`tests.agents.conformance`."""

from typing import Any

import pytest

from tests.agents.conformance import CHECKS, SEEDS, small, untimed
from tests.processes import python
from thetafront.agents.agent import Game
from thetafront.agents.catalog import AGENTS
from thetafront.study.run.workers import Task, Workers

Key = tuple[str, int]


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize("check", CHECKS)
def test_every_agent(name: str, check: Any) -> None:
    check(name)


def played(jobs: int) -> dict[Key, Game]:
    """Play the games of all agents over workers."""
    with Workers[Key](jobs) as workers:
        for name in AGENTS:
            for seed in SEEDS:
                workers.submit(Task((name, seed), small(name), (seed,)))
        while len(workers):
            workers.collect(timeout=600)
    assert not [each.error for each in workers.returned if each.error]
    return {each.key: untimed(each.games[0]) for each in workers.returned}


def test_games_are_the_same_for_any_number_of_jobs() -> None:
    one = played(1)
    assert one == played(2)
    assert all(one[name, SEEDS[0]] == untimed(small(name).play(SEEDS[0])) for name in AGENTS)


def test_warming_suffices() -> None:
    python("from tests.agents.conformance import check_all_warmings; check_all_warmings()")
