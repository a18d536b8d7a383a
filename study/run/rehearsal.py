"""A rehearsal: a few games of the initial design, in memory, so that a plan can be made."""

from dataclasses import replace

from thetafront.agents.agent import warm
from thetafront.study.experiments.definition import Experiment
from thetafront.study.log.log import Log
from thetafront.study.log.study_data import StudyData
from thetafront.study.report.analysis import Analysis
from thetafront.study.run.budget import Budget
from thetafront.study.run.dispatch import Dispatch
from thetafront.study.run.plan import FEWEST_TRIALS, Pace, Plan, plan_of
from thetafront.study.run.progress import ProgressDisplay
from thetafront.study.run.search import Search
from thetafront.study.run.settings import SearchSettings
from thetafront.study.run.stopping import Precision

LONGEST_SECONDS = 20.0
MOST_GAMES = 2  # of each θ
MOST_TRIALS = 16


def rehearsed_plan(
    experiment: Experiment,
    settings: SearchSettings,
    precision: Precision | None,
    jobs: int,
    display: ProgressDisplay,
    limits: tuple[float, float],
    study: StudyData | None,
) -> Plan | None:
    """Play the first θ of the design for some seconds, and make the plan of a sweep.

    Parameters
    ----------
    experiment, settings, precision, jobs : Experiment, SearchSettings, Precision, int
        Of the sweep.
    display : ProgressDisplay
        Where progress is shown.
    limits : (float, float)
        Seconds for the search and for all.
    study : StudyData, optional
        The study, if there is one; nothing is written to it.
    """
    scratch = Log.in_memory("rehearsal", settings.record(experiment).as_data())
    few = replace(
        settings,
        n_trials=min(settings.design_size, MOST_TRIALS),
        n_replicates=min(settings.n_replicates, MOST_GAMES),
    )
    warm(experiment.build({}))  # compiled before the clock starts
    budget = Budget(LONGEST_SECONDS)
    search = Search(experiment, scratch, few, jobs, display.message, budget)
    dispatch = Dispatch(search, jobs, display, budget)
    with display:
        dispatch.run()
    pace = Pace.measured(dispatch)
    n_complete = 0
    if study is not None:
        n_complete = sum(trial.state == "complete" for trial in study.trials)
        if n_complete >= FEWEST_TRIALS:
            return plan_of(Analysis(study), settings, precision, pace, *limits)
    played = StudyData.read(scratch, experiment)
    return plan_of(Analysis(played), settings, precision, pace, *limits, n_complete=n_complete)
