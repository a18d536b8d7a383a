"""Play the θ that a pick proposes, which becomes one more validated point of the study."""

import shlex
from dataclasses import replace
from typing import Any

from rich.console import Console

from thetafront.study.errors import InputError
from thetafront.study.log.location import Location
from thetafront.study.log.lock import lock_holder, locked
from thetafront.study.log.machines import check_seconds
from thetafront.study.log.storage import check_playable, open_for_games
from thetafront.study.log.study_data import StudyData
from thetafront.study.report.recommend import Candidate
from thetafront.study.run.progress import ProgressDisplay
from thetafront.study.run.stopping import GAMES_OF_EXACT, Precision
from thetafront.study.run.sweep import Sweep
from thetafront.study.run.validation import Validation
from thetafront.study.run.workers import PlayError, Workers, check_jobs, n_cores
from thetafront.study.text import counted

SECONDS_OF_A_PICK = 60.0
MIN_GAMES, MAX_GAMES = 20, 400
N_NEIGHBOURS = 3
MAX_GAMES_ASKED = 10_000


def played_for(
    location: Location,
    data: StudyData,
    proposal: Candidate,
    games: int | None,
    jobs: int | None,
    out: Console,
) -> tuple[StudyData, list[str]]:
    """Play a proposal; return the study with its games, and the keys of the points played.

    If ``games`` is None, games are played for about a minute, or three games if scores are exact.
    InputError if the study cannot be written, or has games that were timed on a cluster; or if
    ``games`` is None, and another run holds the study. RunError if games, workers or the storage
    fail.
    """
    workers = Workers[Any](min(check_jobs(jobs), n_cores()))
    check_playable(location, data)
    if games is None and (holder := lock_holder(location)):
        raise InputError(f"study: {location.name!r} is held by another run, {holder}")
    with workers, locked(location) as lock:
        log = open_for_games(location, out.print)
        check_seconds(log, data.experiment, False, out.print)
        data = StudyData.read(log, data.experiment, data)  # no other run has written since
        n_games = games
        if n_games is None:
            n_games = games_in_a_minute(data, proposal.expected.cost.value, workers.jobs)
            n_games = GAMES_OF_EXACT if data.experiment.goal.is_exact else n_games
        point = replace(proposal.point, games={})  # a trial's games do not count in validation
        sweep = Sweep(data.experiment, location, log, workers, out, lock=lock)
        with sweep.stops("pick"):
            precision = Precision(None, max(n_games, 2))
            validation = Validation(log, data, [point], precision, connection=sweep.connection)
            if validation.done:
                validation.close()
                out.print("the most promising θ already has enough games; none are played")
                return data, []
            most = counted(precision.most_games, "game")
            out.print(f"playing a promising θ on fresh seeds, at most {most} (--games 0: none)")
            try:
                sweep.play("pick", validation, ProgressDisplay(out), {"pick_games": n_games})
            except PlayError:  # tested θ remain if the promising one fails
                if not validation.left_out:
                    raise
        out.print(f"to update tables and page: thetafront export {shlex.join(location.words)}")
        return StudyData.read(log, data.experiment, data), [proposal.point.key]


def games_in_a_minute(data: StudyData, cost: float, jobs: int) -> int:
    """Return how many games of a θ with this cost take about a minute: at least 20, at most 400.

    The estimate uses the games of the trials with the nearest costs.
    """
    of_trials = [list(each.games.values()) for each in data.trials if each.games]
    known = of_trials + [point.in_order for point in data.points if point.games]
    nearest = sorted(known, key=lambda games: abs(data.experiment.cost.value(games) - cost))
    games = [game for some in nearest[:N_NEIGHBOURS] for game in some]
    seconds = sum(game.seconds for game in games) / max(len(games), 1)
    if seconds <= 0.0:
        return MAX_GAMES
    return max(MIN_GAMES, min(MAX_GAMES, int(SECONDS_OF_A_PICK * jobs / seconds)))
