"""Widening a study's search space: its trials and games stay, later trials have more room."""

from collections.abc import Sequence

from rich.console import Console

from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.space import range_of
from thetafront.study.experiments.widening import Wish, edges_of, widened
from thetafront.study.log.log import RECORD, Log, event
from thetafront.study.log.study_data import StudyData
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.edges import front_thetas
from thetafront.study.text import counted


def widen(
    log: Log,
    wishes: Sequence[Wish],
    out: Console,
    asked: Experiment | None = None,
) -> Experiment:
    """Grant wishes for a wider space, say what is done, and return the study's experiment.

    What plays is that of the experiment ``asked`` for, if given: it says how far bounds may be
    moved.

    Raises
    ------
    InputError
        If a wish has no bounds and no trial is complete, so that nothing says which to move.
    """
    data = StudyData.read(log)
    experiment = data.experiment if asked is None else asked.widened_to(data.experiment)
    if not wishes:
        return experiment
    thetas = front_thetas(Analysis(data))
    unsaid = [wish.name for wish in wishes if wish.bounds is None]
    if unsaid and not thetas:
        raise InputError(
            f"widen must be {unsaid[0]}=LOW:HIGH: no complete trial shows which bound to move "
            f"(got {unsaid[0]!r})"
        )
    space = widened(experiment, wishes, edges_of(experiment, thetas))
    record = data.record.with_space(space, len(data.trials))
    wider = experiment.widened_to(record.experiment_as_made())
    changed = record.widened[len(data.record.widened) :]
    if changed:
        log.write(event(RECORD, **record.as_data()))
    ranges = {each["name"]: range_of(each) for each in space.as_records()}
    n_trials = counted(len(data.trials), "trial")
    for each in changed:
        out.print(f"widened: {range_of(each)} is now {ranges[each['name']]}; {n_trials} stay")
    for name in dict.fromkeys(wish.name for wish in wishes):
        if name not in {each["name"] for each in changed}:
            out.print(f"not widened: {ranges[name]} is wide enough for the front and what is asked")
    return wider
