"""The progress of a study, in lines of text."""

import math
from collections import Counter

from thetafront.study.experiments.dimension import range_text
from thetafront.study.experiments.failures import rate_text
from thetafront.study.log.location import Location
from thetafront.study.log.lock import lock_holder
from thetafront.study.log.study_data import StudyData
from thetafront.study.pareto import nondominated
from thetafront.study.report.played_rows import (
    column,
    forbidden_line,
    played_rows,
    validated_hypervolume,
)
from thetafront.study.text import counted


def status_lines(data: StudyData, location: Location) -> list[str]:
    """Return the contents of a study so far, as labelled lines."""
    experiment, record = data.experiment, data.record
    states = Counter(trial.state for trial in data.trials)
    n_complete = states.pop("complete", 0)
    holder = lock_holder(location)
    if not holder and states["running"]:  # unfinished trials of runs that have ended
        states["interrupted"] = states.pop("running")
    if "fail" in states:
        states["failed"] = states.pop("fail")
    others = "".join(f", {count} {state}" for state, count in states.most_common())
    totals = [run.get("n_trials") for run in data.runs if run.get("phase") == "search"]
    asked = f" of at most {totals[-1]}" if totals and totals[-1] is not None else ""
    failed = data.failed_of_played
    n_games = sum(len(trial.games) for trial in data.trials)
    n_validation_games = sum(len(point.games) for point in data.points)
    return [
        f"study        {location.name} ({location.url_without_password})",
        f"experiment   {experiment.name}: {experiment.title}",
        *([f"definition   {record.source}"] if record.defined and record.source else []),
        f"seed         {record.seed}, design {record.design}, "
        f"{counted(record.design_size, 'trial')}",
        f"cost         {experiment.cost.name}",
        *(
            f"widened      after {counted(each['n_trials'], 'trial')}, from {range_text(each)}"
            for each in record.widened
        ),
        *(
            f"accepted     after {counted(each['n_trials'], 'trial')}: {'; '.join(each['changes'])}"
            for each in record.accepted
        ),
        f"trials       {n_complete} complete{asked}{others}",
        f"games        {n_games:,} in trials, {n_validation_games:,} in validation",
        *([f"failed       {rate_text(*failed)} (95% interval)"] if data.has_failures else []),
        f"sweep        {holder or 'none running'}",
        f"validated    {validated_line(data)}",
        *([f"             {forbidden}"] if (forbidden := forbidden_line(data)) else []),
    ]


def validated_line(data: StudyData) -> str:
    """Return how many points are validated, and the hypervolume from their own games.

    No model is fitted, because this would take as long as everything else together. The command
    ``front`` fits one.
    """
    if not data.known_points:
        return "nothing yet"
    experiment, goal = data.experiment, data.experiment.goal
    rows = played_rows(data, data.known_points)
    means, costs = column(rows, goal.column("mean")), column(rows, experiment.cost.name)
    n_front = len(nondominated(goal.sign * means, costs))
    volume, low, high = validated_hypervolume(rows, experiment, data.reference)
    area = "not known yet"
    if not math.isnan(volume):
        area = f"{goal.format.area(volume)} {goal.format.area_unit}·decades"
        if not goal.is_exact and not math.isnan(low):
            area += f", 95% interval {goal.format.area(low)} to {goal.format.area(high)}"
    return (
        f"{counted(len(rows), 'point')}; by their own games alone, {n_front} on the front, "
        f"hypervolume {area}"
    )
