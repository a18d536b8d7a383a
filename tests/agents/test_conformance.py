"""Every agent of the catalog, whatever it is: see :mod:`tests.agents.conformance`."""

from typing import Any

import pytest

from tests.agents.conformance import CHECKS, SEEDS, small, untimed
from tests.processes import python
from thetafront.agents.catalog import AGENTS
from thetafront.study.run.workers import Task, Workers

Key = tuple[str, int]


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize("check", CHECKS)
def test_every_agent(name: str, check: Any) -> None:
    check(name)


def test_games_of_workers_are_those_of_this_process() -> None:
    with Workers[Key](1) as workers:
        for name in AGENTS:
            for seed in SEEDS:
                workers.submit(Task((name, seed), small(name), (seed,)))
        while len(workers):
            workers.collect(timeout=600)
    assert not [each.error for each in workers.returned if each.error]
    found = {each.key: untimed(each.games[0]) for each in workers.returned}
    assert found == {(name, seed): untimed(small(name).play(seed)) for name, seed in found}
    assert len(found) == len(AGENTS) * len(SEEDS)


def test_warming_suffices() -> None:
    python("from tests.agents.conformance import check_all_warmings; check_all_warmings()")
