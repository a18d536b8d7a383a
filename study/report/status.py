"""How far a study is, in lines of text."""

import math
from collections import Counter

from thetafront.study.experiments.failures import rate_text
from thetafront.study.experiments.space import range_text
from thetafront.study.log.location import Location
from thetafront.study.log.lock import holder_of
from thetafront.study.log.study_data import StudyData
from thetafront.study.text import counted


def status_lines(data: StudyData, location: Location) -> list[str]:
    """Return the contents of a study so far, as labelled lines."""
    experiment, record = data.experiment, data.record
    states = Counter(trial.state for trial in data.trials)
    n_complete = states.pop("complete", 0)
    others = "".join(f", {count} {state}" for state, count in states.most_common())
    totals = [run["n_trials"] for run in data.runs if "n_trials" in run]
    asked = f" of {totals[-1]} asked for" if totals else ""
    failed = data.failed_of_played
    n_games = sum(len(trial.games) for trial in data.trials)
    n_validation_games = sum(len(point.games) for point in data.points)
    return [
        f"study        {location.name} ({location.url_without_password})",
        f"experiment   {experiment.name}: {experiment.title}",
        *([f"definition   {record.source}"] if record.defined and record.source else []),
        f"seed         {record.seed}, design {record.design} of {record.design_size}",
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
        f"games        {n_games:,} of trials, {n_validation_games:,} of validation",
        *([f"failed       {rate_text(*failed)} (95% interval)"] if data.has_failures else []),
        f"sweep        {holder_of(location) or 'none running'}",
        f"validated    {validated_line(data)}",
    ]


def validated_line(data: StudyData) -> str:
    """Return how many points are validated, and their hypervolume."""
    nothing = "nothing yet"
    if not data.known_points:
        return nothing
    # Slow to import, as is all that fits models.
    from thetafront.study.report.analysis import Analysis  # noqa: PLC0415
    from thetafront.study.report.validated_rows import (  # noqa: PLC0415
        validated_hypervolume,
        without_baselines,
    )

    if not (validated := Analysis(data).rows):
        return nothing
    goal = data.experiment.goal
    searched = without_baselines(validated, data.experiment)
    volume, low, high = validated_hypervolume(searched, data.experiment, data.reference)
    area = "not known yet"
    if not math.isnan(volume):
        area = f"{goal.format.area(volume)} {goal.format.area_unit}·decades"
        if not goal.is_exact:
            area += f", 95% interval {goal.format.area(low)} to {goal.format.area(high)}"
    n_front = sum(row["on_front"] for row in validated)
    return f"{counted(len(validated), 'point')}, {n_front} on the front, hypervolume {area}"
