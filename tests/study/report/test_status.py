"""A study's status: what the games themselves tell, before any slow library is imported."""

from pathlib import Path

from tests.processes import python
from tests.study.made_studies import new_study_in, record_of, store_point, store_trial
from thetafront.agents.twenty48.agent import Game2048
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.registry import EXPERIMENTS
from thetafront.study.log.location import locate
from thetafront.study.log.study_data import StudyData, store_run
from thetafront.study.report.status import status_lines

SLOW = {"optuna", "pandas", "matplotlib", "altair", "joblib", "scipy.optimize", "scipy.stats"}
PROGRAM = """
import sys
from thetafront.study.cli import app
try:
    app(["status", "mcmdp", "--results", sys.argv[1]])
finally:
    print(*sys.modules)
"""


def games(score: int, milliseconds: float) -> dict[int, Game2048]:
    return {
        n: Game2048(500_000 + n, score + 40 * (n % 4), 100, 0.1 * milliseconds, 0, 512, 0)
        for n in range(8)
    }


def test_status_counts_points_by_their_own_games_and_fits_no_model(tmp_path: Path) -> None:
    experiment = EXPERIMENTS["mcmdp"]
    log = new_study_in(tmp_path, record_of(experiment), "mcmdp")
    (theta,) = experiment.baselines.values()
    store_trial(log, experiment, theta, [*games(1000, 0.1).values()])
    for theta1, score, milliseconds in ((300, 1000, 0.1), (400, 2000, 0.2), (500, 1900, 0.3)):
        store_point(log, {**theta, "theta1": theta1}, games(score, milliseconds))
    *lines, modules = python(PROGRAM, str(tmp_path)).splitlines()
    said = next(line for line in lines if line.startswith("validated"))
    assert "3 points; by their own games alone, 2 on the front, hypervolume " in said, lines
    assert "points·decades, 95% interval " in said
    assert not SLOW & {*modules.split()}


def test_status_names_the_number_of_trials_that_the_latest_search_has(
    quick: Experiment, tmp_path: Path
) -> None:
    """If only its budget limits their number, no earlier search's number is named."""
    log, location = new_study_in(tmp_path, record_of(quick)), locate("s", tmp_path, None)
    search = {"phase": "search", "n_trials": 8}
    for run, asked in ((search, " of at most 8"), ({"phase": "validation"}, " of at most 8")):
        store_run(log, run)
        assert f"trials       0 complete{asked}" in status_lines(StudyData.read(log), location)
    store_run(log, {"phase": "search"})
    assert "trials       0 complete" in status_lines(StudyData.read(log), location)
