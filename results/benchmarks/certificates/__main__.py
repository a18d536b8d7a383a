"""How often certificates of simulated studies hold, after every step of a growing study.

Each surface is searched by `knowledge-gradient` with nine games per trial; validated points have
100 games each. A study is much like one of ``sweep --until-regret``. It starts with 16 trials and
twelve points. Then two kinds of step alternate: one plays predicted θ that are expected to lower
the certificate's bounds, and the other increases the number of trials by half. The same command
resumes after an interrupt.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import optuna
import pandas as pd
from threadpoolctl import threadpool_limits

from results.benchmarks.certificates.simulation import main
from results.benchmarks.certificates.study import Study, Validation
from results.benchmarks.samplers.contest import N_DESIGN
from results.benchmarks.samplers.surfaces import SURFACES
from thetafront.study.estimate import share
from thetafront.study.report.certificate import budgets_worth_playing
from thetafront.study.report.sections import document, markdown_table
from thetafront.study.samplers.candidates import is_among

N_POINTS = 12
MAX_GAMES, MAX_TRIALS, MORE_TRIALS = 6000, 120, 1.5
GAMES = np.array([2000, 3000, 4500, 6500])  # numbers of games that separate the rows of a table
GOES_ON = "until small"  # the kind of study; published runs also have studies of a fixed length
NOTE = """\
Bounds and regrets are shares of the highest true score. *Mean regret* is the mean over 25 budgets;
*largest regret* is the largest at any budget. *Held* counts the studies in which no bound is
exceeded at any budget, with Wilson's 95% interval for their share. *Inside* is the share of tested
or untested θ whose true score is within its 95% interval, and *bias* the estimates' mean error.
*Worse than design* is the share of budgets at which the recommended θ truly scores less than the
one recommended after the first step (the design: 16 trials and their validation). Rows are for
studies with up to 2,000 games, 2,001 to 3,000, 3,001 to 4,500, and 4,501 to 6,500. Each takes from
every study the last step whose number of games is in its range, and gives games, trials and points
as means over these studies. *Bound* is the largest bound at any budget."""


def until_small(study: Study) -> Iterator[dict[str, Any]]:
    """Yield a row for each step of a study that lowers its certificate's bounds."""
    n_trials, has_played, validation = N_DESIGN, False, Validation(study)
    validation.play(study.proposals(n_trials, N_POINTS))
    while True:
        model = validation.model(n_trials)
        found, bounds, prospects, if_played, cheaper = validation.certified(model)
        row = validation.row(n_trials, model, arm=GOES_ON, **found, **validation.claims(model))
        yield row
        if row["n_games"] >= MAX_GAMES:
            return
        is_new = ~is_among(prospects, validation.codes)
        nothing = np.zeros(len(bounds))
        worth = budgets_worth_playing(bounds, if_played, nothing, is_new.tolist())
        new = np.concatenate([cheaper[~is_among(cheaper, validation.codes)], prospects[worth]])
        has_played = bool(len(new)) and not has_played
        if has_played:
            validation.play(new)
        elif n_trials < MAX_TRIALS:
            n_trials = min(math.ceil(MORE_TRIALS * n_trials), MAX_TRIALS)
        else:
            return


def play(run: tuple[str, int]) -> list[dict[str, Any]]:
    """Run the study of a surface with a seed; return its rows."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with threadpool_limits(1):
        return list(until_small(Study(*run)))


def inside(rows: pd.DataFrame, kind: str) -> str:
    """Write the share of true values inside the intervals, and the mean error."""
    counts = np.array(rows[f"{kind}_inside"].tolist()).sum(axis=0)
    return f"{counts[0] / counts[1]:.3f}, {rows[f'{kind}_bias'].sum() / counts[1]:+.1%}"


def steps_section(name: str, rows: pd.DataFrame) -> str:
    """Summarize certificates; a row has each study's last step in one range of numbers of games."""
    rows = rows[rows["arm"] == GOES_ON]
    before = rows.groupby("seed")["scores"].transform("first")
    pairs = zip(rows["scores"], before, strict=True)
    worse = [float(np.mean(np.subtract(now, then) < 0.0)) for now, then in pairs]
    rows = rows.assign(worse=worse, size=np.searchsorted(GAMES, rows["n_games"]))
    found = []
    for size, part in rows.groupby("size"):
        last = part.groupby("seed").last()
        mean = last.mean(numeric_only=True)
        n, n_held = len(last), int(last["holds"].sum())
        held = share(n_held, n)
        found.append(
            {
                "games": f"{mean['n_games']:,.0f}",
                "trials, points": f"{mean['n_trials']:.0f}, {mean['n_points']:.0f}",
                "held": f"{n_held} of {n} ({held.low:.2f} to {held.high:.2f})",
                "bound": f"{mean['bound']:.1%}",
                "largest regret": f"{mean['largest']:.1%}",
                "mean regret": f"{mean['regret']:.1%}",
                "tested: inside, bias": inside(last, "tested"),
                "untested: inside, bias": inside(last, "untested"),
                "worse than design": f"{mean['worse']:.1%}" if size else "",
            }
        )
    cells = [list(row.values()) for row in found]
    table = markdown_table(list(found[0]), cells)
    return f"## {name}: {rows['seed'].nunique()} studies\n\n{table}"


def tables(rows: pd.DataFrame) -> str:
    """Return all tables as Markdown."""
    parts = {name: rows[rows["surface"] == name] for name in SURFACES}
    sections = [steps_section(name, part) for name, part in parts.items() if len(part)]
    return document("Certificates", NOTE, *sections)


if __name__ == "__main__":
    main(__doc__ or "", "certificates", SURFACES, 500, play, tables)
