"""A study whose space becomes wider keeps its trials, games and seeds."""

import io
from collections import Counter
from concurrent.futures import wait
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tests.study.conftest import QUICK
from tests.study.made_studies import store_trial
from thetafront.study.errors import DamageError, InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.dimension import NumericParameter
from thetafront.study.experiments.objectives.costs import PLAYOUT_MOVES
from thetafront.study.experiments.space import Space
from thetafront.study.experiments.widening import WidenRequest, find_edges
from thetafront.study.log.location import Location, locate
from thetafront.study.log.log import RECORD, Log
from thetafront.study.log.seeds import search_seed
from thetafront.study.log.storage import create_or_resume
from thetafront.study.log.study_data import StudyData, store_run
from thetafront.study.log.study_record import ATTRIBUTE, StudyRecord
from thetafront.study.log.tables import SEARCH
from thetafront.study.report.edges import edge_line
from thetafront.study.run.orders import widen
from thetafront.study.run.proposals import Proposals
from thetafront.study.run.search import known_trials
from thetafront.study.run.settings import SearchSettings
from thetafront.study.samplers import make_sampler
from thetafront.study.samplers.design import draw_design
from thetafront.study.samplers.observations import Objectives, study_directions

pytestmark = pytest.mark.usefixtures("quick")

EXPERIMENT = QUICK.with_cost(PLAYOUT_MOVES)
SETTINGS = SearchSettings(n_trials=5, n_replicates=2, seed=3, sampler="nehvi", design_size=4)
WIDE = WidenRequest("n_playouts", (1, 80))


def opened(folder: Path, settings: SearchSettings = SETTINGS) -> tuple[Log, Location]:
    location = locate("s", folder, None)
    location.folder.mkdir(exist_ok=True)
    return create_or_resume(location, settings.record(EXPERIMENT)), location


@pytest.fixture
def searched(tmp_path: Path) -> tuple[Log, Location]:
    """A study of four trials, the best of them at the upper bound."""
    study, location = opened(tmp_path)
    for number, n_playouts in enumerate((3, 10, 20, 40)):
        params = {"n_playouts": n_playouts}
        agent = EXPERIMENT.build(params)
        seeds = [search_seed(3, number, replicate) for replicate in (0, 1)]
        games = [replace(agent.play(seed), score=1000 + 100 * n_playouts) for seed in seeds]
        store_trial(study, EXPERIMENT, params, games)
    return study, location


def said(study: Log, *requests: WidenRequest) -> tuple[str, Experiment]:
    out = Console(file=io.StringIO(), width=200)
    found = widen(StudyData.read(study), requests, out, EXPERIMENT, study)
    return out.file.getvalue(), found  # type: ignore[attr-defined]


def bounds(space: Space) -> list[tuple[float, float]]:
    return [(each.low, each.high) for each in space if isinstance(each, NumericParameter)]


def test_trials_stay_and_the_record_says_what_was_widened(
    searched: tuple[Log, Location], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All in one write, so that a kill leaves the space of before or the wider one."""
    study, location = searched
    before = StudyData.read(study)
    written = []
    write = Log.write

    def counted(self: Log, *rows: Any) -> None:
        written.append([row.kind for row in rows])
        write(self, *rows)

    monkeypatch.setattr(Log, "write", counted)
    text, found = said(study, WIDE)
    assert text == "widened: n_playouts 1 to 40 is now n_playouts 1 to 80; 4 trials kept\n"
    assert written == [[RECORD]]
    assert bounds(found.space) == [(1, 80)]

    study, _ = opened(location.folder.parent)  # asked for without --widen
    after = StudyData.read(study)
    assert bounds(after.experiment.space) == [(1, 80)]
    assert after.trials == before.trials
    (entry,) = after.record.widened
    assert entry.items() > {"name": "n_playouts", "low": 1, "high": 40, "n_trials": 4}.items()
    assert not after.record.differences(SETTINGS.record(EXPERIMENT))
    assert said(study)[1] == after.experiment
    text, found = said(study, WIDE)
    assert text.startswith("not widened: n_playouts 1 to 80: the range already covers the given")
    assert StudyData.read(study).record == after.record


def test_the_design_stays_in_the_space_that_it_began_in(searched: tuple[Log, Location]) -> None:
    study, _ = searched
    said(study, WIDE)
    said(study, WidenRequest("n_playouts", (1, 200)))
    record = StudyData.read(study).record
    assert bounds(record.space_of(record.space)) == [(1, 200)]
    assert bounds(record.design_space) == [(1, 40)]


def test_samplers_search_the_wider_space(searched: tuple[Log, Location]) -> None:
    """Optuna leaves out a parameter whose distribution differs between trials."""
    study, _ = searched
    _, found = said(study, WIDE)
    data = StudyData.read(study, found)
    proposals = Proposals(
        known_trials(data),
        list(study_directions(found.goal)),
        found.space,
        lambda number: make_sampler("nehvi", 3, number, 4, Objectives.from_experiment(found)),
        deterministic=True,
    )
    copies = proposals.proposer.copy.get_trials(deepcopy=False)
    assert {each.distributions["n_playouts"].high for each in copies} == {80}  # type: ignore[attr-defined]
    assert [each.params for each in copies] == [each.params for each in data.trials]
    proposals.begin()
    assert proposals.future is not None
    assert wait([proposals.future], timeout=60.0).done
    (proposal,) = proposals.take()
    proposals.close()
    assert proposal.number == 4
    assert 1 <= proposal.params["n_playouts"] <= 80


@pytest.mark.parametrize("n_before", [0, 2])
def test_the_design_is_of_the_space_in_which_it_began(tmp_path: Path, n_before: int) -> None:
    """A study without trials draws it from the wider space; one killed midway as it began."""
    study, _ = opened(tmp_path)
    narrow = draw_design("sobol", EXPERIMENT.space, 4, 3)
    for values in narrow[:n_before]:
        store_trial(study, EXPERIMENT, values, [], "design", n_games=2)
    _, found = said(study, WIDE)
    design = StudyData.read(study, found).design
    wide = draw_design("sobol", found.space, 4, 3)
    assert design == (narrow if n_before else wide)
    assert narrow != wide


def test_a_front_at_the_edge_is_reported_with_the_command_that_widens(
    searched: tuple[Log, Location],
) -> None:
    study, location = searched
    data = StudyData.read(study)
    line = edge_line(
        data,
        location,
        find_edges(EXPERIMENT, [{"n_playouts": 40}, {"n_playouts": 3}, {"n_playouts": 40}]),
    )
    assert line == (
        "front at the edge of the space: 2 of 3 points with n at its highest, 40; to widen it: "
        f"thetafront sweep quick --name s --seed 3 --design-size 4 --cost playout_moves_per_move "
        f"--results {location.folder.parent} --widen n_playouts"
    )
    timed = replace(
        data,
        experiment=data.experiment.by("seconds_per_move"),
        n_games_by_machine=Counter({(SEARCH, "ab12"): 1}),
    )
    assert "--scheduler ADDRESS" in edge_line(
        timed, location, find_edges(EXPERIMENT, [{"n_playouts": 40}])
    )
    assert not edge_line(data, location, find_edges(EXPERIMENT, [{"n_playouts": 1}])), (
        "pmcts plays one playout at least"
    )
    text, found = said(study, WidenRequest("n_playouts"))
    assert "widened: n_playouts 1 to 40 is now n_playouts 1 to 60" in text
    assert bounds(found.space) == [(1, 60)]


def test_without_trials_nothing_says_which_bound(tmp_path: Path) -> None:
    study, _ = opened(tmp_path)
    with pytest.raises(InputError, match="n_playouts=LOW:HIGH: no complete trial shows which"):
        said(study, WidenRequest("n_playouts"))


@pytest.mark.parametrize("entry", [7, {"name": "n_playouts"}, {"name": "n", "low": 1, "high": 2}])
def test_a_damaged_entry_is_named(entry: Any) -> None:
    stored = {**SETTINGS.record(EXPERIMENT).as_data(), "widened": [entry]}
    with pytest.raises(DamageError, match=f"{ATTRIBUTE}: .* must"):
        StudyRecord.read(stored, "s")


@pytest.mark.parametrize(("asked", "told"), [(4, "--trials 20"), (9, "--trials 9"), (128, "")])
def test_the_command_that_widens_keeps_the_trials_that_were_asked_for(
    asked: int, told: str, searched: tuple[Log, Location]
) -> None:
    """Four are complete; a search that is complete gets sixteen more."""
    study, location = searched
    store_run(study, {"n_trials": asked})
    line = edge_line(StudyData.read(study), location, find_edges(EXPERIMENT, [{"n_playouts": 40}]))
    assert line.partition("--widen n_playouts")[2].strip() == told
