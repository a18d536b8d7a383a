"""What stopping by the certificate costs, against studies of a fixed length.

Each surface is searched by `knowledge-gradient` with nine games per trial. A study that stops at a
bound follows the rule of ``sweep --until-regret``. It starts with 16 trials, and increases their
number by half until a validation of twelve points is predicted to reduce all bounds well below the
target. Then it validates these points with 25 games each, and goes on until no bound is above the
target; when this should help, all points get twice as many games, up to 100. A study of a fixed
length validates twelve points after its last trial, with 100 games each. The same command resumes
after an interrupt.
"""

import math
from typing import Any

import numpy as np
import optuna
import pandas as pd
from threadpoolctl import threadpool_limits

from results.benchmarks.certificates.simulation import main
from results.benchmarks.certificates.study import GAMES_A_POINT, Study, Validation
from results.benchmarks.samplers.contest import N_DESIGN
from results.benchmarks.samplers.surfaces import Floats
from thetafront.study.estimate import share
from thetafront.study.report.certificate import budgets_worth_playing, forecast_bounds
from thetafront.study.report.expected import expected_at
from thetafront.study.report.sections import document, markdown_table
from thetafront.study.run.certification import (
    FEW_GAMES,
    MORE_GAMES,
    NO_GAMES,
    PREDICTED_SHARE,
    WORTH_WAITING,
    is_stuck,
)
from thetafront.study.run.sweep import MORE_TRIALS
from thetafront.study.samplers.candidates import is_among
from thetafront.study.samplers.fitted_model import FittedModel

N_POINTS, MAX_TRIALS = 12, 183
LENGTHS = [math.ceil(N_DESIGN * MORE_TRIALS**k) for k in range(7)]  # 16 to 183 trials
FIXED, STOPS = "fixed", "stops"  # the kinds of study
# Bounds at which studies stop, as shares of the highest true score; a study's seed selects one.
TARGETS = {
    "recorded": (0.7, 0.5, 0.35),
    "saturating": (0.7, 0.5, 0.35),
    "two_regimes": (0.9, 0.6, 0.4),
    "cliffs": (1.0, 0.75, 0.6),
}
SPREAD_OF_SCORES = 0.4  # standard deviation of one game's score, as a share of its mean
NOTE = """\
Bounds and regrets are shares of the highest true score. *Stop at* is the largest bound at any
budget at which a study stops; *reached* counts the studies that stopped at it, while the others
ended with 183 trials. *Held* is the share of studies in which no bound is exceeded at any budget; a
row "fixed" is for all studies of a fixed length; its interval counts those of one seed as one.
*Mean regret* is the mean over 25 budgets. *Equal regret*, *equal bound* and *equally sure* give the
number of games with which studies of a fixed length and the same seeds have the same mean regret,
have the same mean bound, or reach the target as often, and the share of it that stopping saves;
negative where stopping needs more games."""


def fixed(study: Study, n_trials: int) -> dict[str, Any]:
    """Return the row of a study with a fixed number of trials."""
    validation = Validation(study)
    validation.play(study.proposals(n_trials, N_POINTS))
    model = validation.model(n_trials)
    return validation.row(n_trials, model, arm=FIXED, **validation.certified(model)[0])


def stops(study: Study, target: float) -> dict[str, Any]:
    """Return the row of a study that stops when no bound is above ``target``."""
    n_trials, allowed, validation = N_DESIGN, target * study.top, Validation(study)
    forecasts = [forecast(study, n_trials) / allowed]
    while n_trials < MAX_TRIALS and forecasts[-1] > PREDICTED_SHARE and not is_stuck(forecasts):
        n_trials = more(n_trials)
        forecasts.append(forecast(study, n_trials) / allowed)
    validation.n_games = FEW_GAMES
    validation.play(study.proposals(n_trials, N_POINTS))
    largest: list[float] = []
    while True:
        model = validation.model(n_trials)
        found, bounds, prospects, if_played, cheaper = validation.certified(model)
        is_new = (~is_among(prospects, validation.codes)).tolist()
        aims, is_reached = np.full(len(bounds), allowed), bool(bounds.max() <= allowed)
        worth = budgets_worth_playing(bounds, if_played, aims, is_new)
        new = np.concatenate([cheaper[~is_among(cheaper, validation.codes)], prospects[worth]])
        if len(new):
            validation.play(new)
            continue
        is_full, is_last = validation.n_games >= GAMES_A_POINT, n_trials >= MAX_TRIALS
        if is_reached or (is_full and is_last):
            row = validation.row(n_trials, model, arm=STOPS, target=target, **found)
            return {**row, "reached": is_reached}
        largest.append(float(bounds.max()))
        n_more = (MORE_GAMES - 1) * validation.n_games
        as_is, with_more = (predicted(model, validation.codes, n) for n in (NO_GAMES, n_more))
        would_help = is_last or is_stuck(largest) or with_more <= WORTH_WAITING * as_is
        helps = not is_full and would_help
        if helps:
            largest.clear()
            validation.n_games *= MORE_GAMES
            validation.play(validation.codes)
        else:
            n_trials = more(n_trials)


def more(n_trials: int) -> int:
    """Return the next number of trials."""
    return min(math.ceil(MORE_TRIALS * n_trials), MAX_TRIALS)


def forecast(study: Study, n_trials: int) -> float:
    """Return the predicted largest bound if validation begins after ``n_trials`` trials."""
    return predicted(study.searched(n_trials), study.proposals(n_trials, N_POINTS), GAMES_A_POINT)


def predicted(model: FittedModel, codes: Floats, n_games: float) -> float:
    """Return the predicted largest bound if points, shape (n, d), had so many games more."""
    thetas = [model.cube.decode(code) for code in codes]
    score = np.median([each.score.value for each in expected_at(model, thetas)])
    error = SPREAD_OF_SCORES * float(score) / math.sqrt(n_games)
    return float(forecast_bounds(model, thetas, error)[0].max())


def play(run: tuple[str, int]) -> list[dict[str, Any]]:
    """Run the studies of a surface with a seed; return their rows."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    name, seed = run
    with threadpool_limits(1):
        study, targets = Study(name, seed), TARGETS[name]
        stopped = stops(study, targets[seed % len(targets)])
        rows = [stopped, *(fixed(study, n) for n in LENGTHS)]
    return [{key: value for key, value in row.items() if key != "scores"} for row in rows]


def games_needed(games: Floats, means: Floats, mean: float) -> tuple[float, bool]:
    """Return the first number of games with this mean or a lower one, and whether there is one.

    ``means`` are those after ``games``, shape (n,). Between two of them, games are interpolated.
    """
    falling = np.minimum.accumulate(means)
    k = int((falling > mean).sum())
    if k in (0, len(games)):
        return float(games[min(k, len(games) - 1)]), k == 0
    return float(np.interp(-mean, -falling[k - 1 : k + 1], games[k - 1 : k + 1])), True


def cells(rows: pd.DataFrame, lengths: pd.DataFrame) -> list[str]:
    """Return the cells about studies that stopped; ``lengths`` has means by fixed length.

    If no length is as good, the longest one is named with ``>``.
    """
    n, mean = len(rows), rows.mean(numeric_only=True)
    held = share(int(rows["holds"].sum()), n)
    games = []
    for what in ("regret", "bound", "missed"):
        needed, is_reached = games_needed(
            lengths["n_games"].to_numpy(), lengths[what].to_numpy(), mean[what]
        )
        more = "" if is_reached else "> "
        games.append(f"{more}{needed:,.0f}, {more}{1.0 - mean['n_games'] / needed:+.0%}")
    return [
        f"{int(rows['reached'].sum())} of {n}",
        f"{held.value:.2f} ({held.low:.2f} to {held.high:.2f})",
        f"{mean['bound']:.0%}",
        f"{mean['regret']:.1%}",
        f"{mean['n_games']:,.0f}",
        f"{mean['n_trials']:.0f}, {mean['n_points']:.0f}",
        *games,
    ]


def tables(rows: pd.DataFrame) -> str:
    """Return the table as Markdown."""
    found = []
    for name in TARGETS:
        part = rows[rows["surface"] == name]
        of_fixed = part[part["arm"] == FIXED]
        if part.empty:
            continue
        for target, stopped in part[part["arm"] == STOPS].groupby("target", sort=False):
            same = part[part["seed"].isin(stopped["seed"])]
            same = same.assign(missed=1.0 * (same["bound"] > target))
            lengths = same[same["arm"] == FIXED].groupby("n_trials").mean(numeric_only=True)
            found.append([name, f"{target:.0%}", *cells(same[same["arm"] == STOPS], lengths)])
        by_seed = of_fixed.groupby("seed")["holds"].mean()  # lengths of a seed begin alike
        held = share(float(by_seed.sum()), len(by_seed))
        text = f"{held.value:.2f} ({held.low:.2f} to {held.high:.2f})"
        found.append([name, FIXED, f"{len(of_fixed)}", text, *[""] * 7])
    heading = ["surface", "stop at", "reached", "held", "mean bound", "mean regret", "games"]
    heading += ["trials, points", "equal regret", "equal bound", "equally sure"]
    return document("Stopping by the certificate", NOTE, markdown_table(heading, found))


if __name__ == "__main__":
    main(__doc__ or "", "stopping", TARGETS, 120, play, tables)
