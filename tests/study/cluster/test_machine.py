"""Classes of machines: whose seconds compare."""

from dataclasses import replace
from typing import Any

import pytest

from thetafront.study.cluster.cluster import one_class
from thetafront.study.cluster.machine import Machine, unequal
from thetafront.study.cluster.remote import WorkerProbe
from thetafront.study.errors import InputError
from thetafront.study.experiments.registry import EXPERIMENTS

HERE = Machine("node-1", "Fast 9000", "znver4", "+avx2,+avx512f", 0.100)
THERE = replace(HERE, host="node-2", benchmark_seconds=0.110)
OLDER = replace(HERE, host="node-3", llvm_cpu="haswell", features="+avx2")


def probes(*machines: Machine) -> list[WorkerProbe]:
    return [WorkerProbe(each, "", "", 0, 1.0) for each in machines]


def records(*machines: Machine) -> dict[str, dict[str, Any]]:
    return {each.key: each.record for each in machines}


def test_a_class_is_of_no_host_and_a_key_is_of_one() -> None:
    assert HERE.machine_class == THERE.machine_class
    assert HERE.key != THERE.key
    assert len({each.machine_class for each in (HERE, OLDER, replace(HERE, cpu="Slow 1"))}) == 3
    assert HERE.key == replace(HERE, benchmark_seconds=0.2).key


def test_seconds_of_one_class_count() -> None:
    timed = EXPERIMENTS["mcmdp"]
    wanted = HERE.machine_class
    assert one_class(timed, probes(HERE, THERE), {}) == wanted
    assert one_class(timed, probes(HERE, OLDER), records(THERE)) == wanted
    with pytest.raises(InputError) as refused:
        one_class(timed, probes(HERE, THERE, OLDER), {})
    said = str(refused.value)
    assert "the cost is seconds_per_move, and times on machines of several classes" in said
    for part in ("node-1, node-2", "node-3", HERE.machine_class, OLDER.machine_class):
        assert part in said
    assert said.endswith("or --cost playout_moves_per_move")
    with pytest.raises(InputError, match="other classes cannot be compared") as refused:
        one_class(timed, probes(HERE), records(OLDER))
    assert "--cost" not in str(refused.value), "a study keeps its cost"


def test_a_class_whose_benchmarks_differ_causes_a_warning() -> None:
    assert unequal(records(HERE, THERE).values()) == []
    slow = replace(HERE, host="node-4", benchmark_seconds=0.2)
    (line,) = unequal(records(HERE, THERE, slow).values())
    assert line.startswith(
        "warning: node-4 takes 0.200 s for the benchmark, and node-1 takes 0.100 s, although both "
        f"are of class {HERE.machine_class}, so "
    )
    assert unequal([]) == []


def test_benchmarks_are_compared_within_each_class() -> None:
    """Machines of several classes play together if the cost is a count."""
    slow_class = replace(OLDER, benchmark_seconds=0.3)
    assert unequal(records(HERE, THERE, slow_class).values()) == []
    slow = replace(HERE, host="node-4", benchmark_seconds=0.2)
    slower = replace(OLDER, host="node-5", benchmark_seconds=0.5)
    lines = unequal(records(slower, slow, HERE, slow_class).values())
    pairs = {("node-4", "node-1", HERE.machine_class), ("node-5", "node-3", OLDER.machine_class)}
    assert len(lines) == 2
    for slowest, fastest, name in pairs:
        (line,) = (each for each in lines if f"class {name}, so" in each)
        assert line.startswith(f"warning: {slowest} takes ")
        assert f"and {fastest} takes " in line
