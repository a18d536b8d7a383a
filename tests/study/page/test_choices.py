"""The slider's answers are those of ``pick``."""

import json
from dataclasses import asdict

import pytest

from tests.study.charts.published import published
from tests.study.conftest import QUICK, Solver
from tests.study.made_studies import (
    add_point,
    add_trials,
    data_of,
    new_study,
    spread,
    store_point,
    store_trial,
)
from thetafront.study.charts.axes import round_numbers
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives.costs import SWEEPS
from thetafront.study.experiments.objectives.goals import SCORE
from thetafront.study.page.choices import Choices, near_round, rounded_up
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.pick_text import laid_out, pick_text
from thetafront.study.report.recommend import PickQuery


def check(page: Analysis, every: int) -> Choices:
    """Compare each budget of so many with what pick prints for its option's value."""
    choices = Choices.from_analysis(page)
    assert choices is not None
    data, experiment = page.data, page.data.experiment
    candidates = Analysis(data).to_pick_from()
    for step in choices.steps[::every]:
        query = PickQuery(experiment, experiment.cost.read(step.option))
        said = pick_text(candidates.pick(query, candidates.propose(query)))
        assert laid_out(step.lines(choices.answers[step.answer], choices.label), experiment) == said
        has_games = choices.answers[step.answer].number > 0
        assert has_games == bool(page.candidates and page.candidates.played)
    return choices


@pytest.mark.parametrize(
    ("name", "every"), [("mcmdp", 20), pytest.param("zstd", 60, marks=pytest.mark.slow)]
)
def test_answers_of_published_studies(name: str, every: int) -> None:
    page = published(name)[1]
    choices = check(page, every)
    limits = [step.limit for step in choices.steps]
    assert limits == sorted(set(limits))
    assert 60 <= len(limits) <= 160
    assert limits[choices.start] in round_numbers(limits[0], limits[-1])
    numbers = {each.number for each in choices.answers}
    assert numbers == set(page.tables["front"]["number"])  # each can be chosen, and no other
    assert len(json.dumps(asdict(choices))) < 150_000


def test_answers_at_all_budgets(quick: Experiment) -> None:
    study = new_study()
    add_trials(study, quick)
    add_point(study, 5, spread(2100, 300), 0.05)
    add_point(study, 20, spread(4100, 300), 0.2)
    page = Analysis(data_of(study, quick))
    choices = check(page, every=8)
    found = [step.answer for step in choices.steps]
    assert [choices.answers[k].number for k in dict.fromkeys(found)] == [1, 2]
    untested = [line for step in choices.steps for line in step.untested if line[0] == "untested"]
    assert untested
    for step in choices.steps:
        assert bool(step.prospect) == bool(step.untested)
        if step.prospect:
            assert step.prospect["command"].startswith("thetafront play ")
            assert f"at {QUICK.cost.text(step.prospect['x'])}" in step.prospect["text"]
    own = [page.tables["front"].iloc[each.number - 1] for each in choices.answers]
    assert [each.measured for each in choices.answers] == [
        SCORE.format.interval_with_unit(
            *(row[SCORE.column(k)] for k in ("mean", "low95", "high95"))
        )
        for row in own
    ], "what its own games say"
    assert all("may reach" in text for _, text in untested)


def test_without_validation_there_are_proposals(quick: Experiment) -> None:
    study = new_study()
    add_trials(study, quick)
    choices = check(Analysis(data_of(study, quick)), every=20)
    assert {each.number for each in choices.answers} == {0}


def test_without_games_there_are_none(quick: Experiment) -> None:
    assert Choices.from_analysis(Analysis(data_of(new_study(), quick))) is None


def test_exact_goals(solver: Experiment) -> None:
    study = new_study()
    for sweeps in (2, 5, 10, 20, 50, 100):
        game = Solver(sweeps).play(sweeps)
        store_trial(study, solver, {"sweeps": sweeps}, [game])
    for sweeps in (10, 50):
        store_point(study, {"sweeps": sweeps}, {0: Solver(sweeps).play(500_000)})
    check(Analysis(data_of(study, solver)), every=8)
    choices = check(Analysis(data_of(study, solver.with_cost(SWEEPS))), every=8)
    limits = {choices.answers[step.answer].number: step.limit for step in choices.steps[::-1]}
    assert [*limits.values()][::-1] == [2, 5, 10, 20, 50, 100], "exact costs are exact budgets"


def test_numbers_are_rounded_up() -> None:
    assert rounded_up(3.0901e-05) == 3.1e-05
    assert rounded_up(3.09e-05) == 3.09e-05
    assert rounded_up(9.991) == 10.0
    assert rounded_up(123456.0, 2) == 130000.0
    assert round_numbers(0.03, 1.0) == [0.05, 0.1, 0.2, 0.5, 1.0]
    assert [near_round(each, 0.03, 1.0) for each in (0.11, 0.7, 3.0)] == [0.1, 0.5, None]
