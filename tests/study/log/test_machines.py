"""Seconds of a cluster's machines and those of this one: never in one study."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tests.study.conftest import CoinGame
from tests.study.made_studies import new_study
from tests.study.program import invoked, succeeded
from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.log.log import Log, game_row
from thetafront.study.log.machines import check_seconds, store_machines
from thetafront.study.log.manifest import cpu_model
from thetafront.study.log.storage import open_for_reading
from thetafront.study.log.study_data import store_run
from thetafront.study.log.tables import SEARCH, sealed
from thetafront.study.run.orders import validate_study
from thetafront.study.run.stopping import Precision
from thetafront.study.run.workers import Workers

pytestmark = pytest.mark.usefixtures("no_processes", "no_pictures")

GAME = CoinGame(3, 500.5, 7, 0.25, True, 70)


def study_played_by(*machines: str) -> Log:
    """A study with a game by each machine; without a name, by this one."""
    study = new_study()
    study.write(*(game_row((SEARCH, n), 0, GAME, each) for n, each in enumerate(machines)))
    return study


@pytest.mark.parametrize(
    ("machines", "is_cluster"),
    [((), False), ((), True), (("", ""), False), (("a", "b"), True)],
)
def test_games_of_the_same_place_continue(
    quick: Experiment, machines: Sequence[str], is_cluster: bool
) -> None:
    check_seconds(study_played_by(*machines), quick, is_cluster, pytest.fail)


@pytest.mark.parametrize(
    ("machines", "is_cluster", "said"),
    [
        (("", ""), True, "without a cluster; .* with a cluster's; continue without"),
        (("a",), False, r"on a cluster \(a\); .* with this machine's; continue with --sch"),
        (("a", ""), False, "machine's; give another name; with --cost playout_moves_per_move, all"),
        (("a", ""), True, "cluster's; give another name"),
        (tuple("abcde"), False, r"\(a, b, c, 2 more\)"),
    ],
)
def test_seconds_of_others_are_refused_but_counts_are_not(
    quick: Experiment, machines: Sequence[str], is_cluster: bool, said: str
) -> None:
    study = study_played_by(*machines)
    with pytest.raises(InputError, match=said):
        check_seconds(study, quick, is_cluster, pytest.fail)
    check_seconds(study, quick.by("playout_moves_per_move"), is_cluster, pytest.fail)


def test_machines_are_named_by_their_hosts(quick: Experiment) -> None:
    study = study_played_by("a1", "b2")
    store_machines(study, {"a1": {"host": "node-1"}, "b2": {"host": "node-1"}})
    with pytest.raises(InputError, match=r"on a cluster \(node-1\)"):
        check_seconds(study, quick, False, pytest.fail)


def test_times_of_another_processor_are_named(quick: Experiment) -> None:
    study, said = study_played_by(""), list[str]()
    for cpu in (cpu_model(), "Z80", "Z80"):
        store_run(study, {"machine": {"cpu": cpu}})
    check_seconds(study, quick.by("playout_moves_per_move"), False, pytest.fail)
    check_seconds(study, quick, False, said.append)
    assert said == [
        f"warning: earlier games were timed on Z80; this machine has {cpu_model()}, and times on "
        "different processors cannot be compared"
    ]


class Nobody(Workers[Any]):
    """A cluster that must not be asked to play."""

    is_cluster = True


def test_sweeps_validations_and_picks_are_refused(quick: Experiment, tmp_path: Path) -> None:
    design = ("--trials", "4", "--design-size", "4", "--jobs", "1")
    succeeded(tmp_path, "sweep", "quick", *design, "--no-validation")
    study, location, data = open_for_reading("quick", tmp_path)
    precision = Precision(None, 2)
    with pytest.raises(InputError, match="contains games played without a cluster"):
        validate_study(location, data, precision, Nobody(1), Console(quiet=True), 9.0)
    assert isinstance(study, Log)
    rows = study.rows()
    played = [sealed(row._replace(machine="ab12")) for row in rows.games]
    study.rebuild(replace(rows, games=played))
    newest = study.newest()
    for words in (
        ("sweep", "quick", *design),
        ("validate", "quick", "--jobs", "1"),
        ("pick", "quick", "--max-seconds-per-move", "10ms", "--games", "5"),
    ):
        said = invoked(tmp_path, *words, code=2).output
        assert "contains games played on a cluster (ab12)" in said.replace("\n", " ")
    assert study.newest() == newest
