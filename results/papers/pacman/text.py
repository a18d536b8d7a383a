"""The findings on Pacman: ``text.md`` with its numbers; its prose is for the published games."""

import re
from collections import Counter
from collections.abc import Mapping
from math import sqrt
from pathlib import Path

import pandas as pd

from results.papers.pacman.design import BEST, BEST_ASTAR, GAMES_A_TRIAL, MOVERS
from results.papers.pacman.tables import TIMED_ROUNDS, TIMED_SEEDS
from thetafront.engine.pacman import MOST_STEPS
from thetafront.study.estimate import Z95

MINUS = "\N{MINUS SIGN}"
MOST_PARTS = 4  # of a claim that are shown

RATE, GAIN = "{win_rate}", "{difference} ({difference_low95} to {difference_high95})"
RESIDUAL = "{residual:.2g} ({residual_low95:.2g} to {residual_high95:.2g})"
SETTINGS = {
    "MDP": "γ = {gamma:g}, r = {radius:g}, {distance}, tolerance {tolerance:g}",
    "A*": "danger {danger:g}",
    "random": "-",
}


def percent(value: float) -> str:
    """Write a share; ``-`` for NaN."""
    return "-" if pd.isna(value) else f"{value:.1%}"


def points(value: float) -> str:
    """Write a difference of win rates in percentage points, with its sign."""
    return f"{100 * value:+.1f}".replace("-", MINUS)


def cpu(seconds: float) -> str:
    """Write a time of less than a millisecond, with three digits."""
    value, unit = (seconds * 1e9, "ns") if seconds < 1e-6 else (seconds * 1e6, "µs")
    return f"{f'{value:#.3g}'.rstrip('.')} {unit}"


def written(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table with win rates, their differences and times as text."""
    rates, gains = frame.filter(like="win_rate"), frame.filter(regex="^difference")
    times = frame.filter(regex="^seconds_per_move$").rename(columns={"seconds_per_move": "time"})
    return frame.assign(**rates.map(percent), **gains.map(points), **times.map(cpu))


def lines(frame: pd.DataFrame, form: str) -> list[str]:
    """Write each row of a table in a form."""
    return [form.format_map(row) for row in written(frame).to_dict("records")]


def by_place(frame: pd.DataFrame, names: str, form: str) -> dict[str, str]:
    """Write each row of a table in a form, by what it is about."""
    return dict(zip(lines(frame, names), lines(frame, form), strict=True))


def claims_of(parts: pd.DataFrame) -> pd.DataFrame:
    """Return a row a claim, with the parts that decide its verdict, the largest ones first."""
    rows = []
    for (claim, verdict, how), group in parts.groupby(["claim", "verdict", "how"], sort=False):
        same = group[group["part_verdict"] == verdict]
        largest = same.sort_values("difference", key=abs, ascending=False, kind="stable")
        shown = "; ".join(lines(largest.head(MOST_PARTS), f"{{part}}: {GAIN}"))
        count = f" [{len(same)} of {len(group)} {verdict}]" if len(group) > 1 else ""
        rows.append({"claim": claim, "verdict": verdict, "how": how, "parts": shown + count})
    return pd.DataFrame(rows)


def markdown(tables: Mapping[str, pd.DataFrame], seeds: range, other_seeds: range) -> str:
    """Fill in the text."""
    frame, strategies, motion = (tables[each] for each in ("points", "strategies", "motion"))
    changes, distance = tables["changes"], tables["distance"]
    claims = claims_of(tables["claims"])
    middle = frame[frame["win_rate"].between(0.2, 0.8)]
    coin_sd = sqrt((middle["binomial_sd_of_ten_games"] ** 2).mean())
    n_trials = len(seeds) // GAMES_A_TRIAL
    error = coin_sd / sqrt(n_trials)
    small = "layout == 'small' and max_sweeps in (10, 15) and radius in (1, 2)"
    medium = "layout == 'medium' and tolerance == 0.2 and distance == 'manhattan'"
    medium += " and gamma in (0.8, 0.9) and radius in (2, 3, 4)"
    settings = [
        SETTINGS[row["strategy"].split(",")[0]].format_map(row)
        for row in strategies.to_dict("records")
    ]
    movers = motion[motion["strategy"].isin(MOVERS)]
    movers = movers.drop_duplicates(["layout", "strategy", "p_chosen"])
    astars = motion.query("layout == 'medium' and danger > 0").drop_duplicates("agent")
    noisy, certain = (astars[astars["p_chosen"] == p] for p in (0.8, 1.0))
    dangers = noisy.merge(certain, on="danger", suffixes=("", "_certain")).sort_values("danger")
    seconds = strategies.set_index(["layout", "strategy"])["seconds_per_move"]
    frames = {
        "claims": claims,
        "strategies": strategies.assign(settings=settings),
        "distance": distance,
        "motion": movers,
        "dangers": dangers,
        "routes": changes[~changes["cut"]],
        "maps": changes[changes["cut"]],
    }
    template = Path(__file__).with_name("text.md").read_text(encoding="utf-8")
    # "@name form" stands for the rows of a table in that form.
    with_tables = re.sub(
        r"^@(\w+) (.*)$",
        lambda found: "\n".join(lines(frames[found[1]], found[2])),
        template,
        flags=re.MULTILINE,
    )
    return with_tables.format(
        n_games=len(seeds),
        seeds=f"{seeds[0]} to {seeds[-1]}",
        other_seeds=f"{other_seeds[0]} to {other_seeds[-1]}",
        n_points=len(frame),
        n_cut=frame["n_cut"].sum(),
        most_steps=MOST_STEPS,
        n_trials=n_trials,
        n_middle=len(middle),
        sd=sqrt((middle["win_rate_sd_of_ten_games"] ** 2).mean()),
        coin_sd=coin_sd,
        error=error,
        apart=Z95 * sqrt(2) * error,
        n_claims=len(claims),
        verdicts=Counter(claims["verdict"]),
        small=frame.query(small)["win_rate"].describe(),
        medium=frame.query(medium)["win_rate"].describe(),
        r=by_place(tables["sweeps"], "{layout} {gamma:g} {n_sweeps}", RESIDUAL),
        best=by_place(tables["selection"], "{layout} {strategy} {chosen}", RATE),
        won=by_place(strategies, "{layout} {strategy}", RATE),
        cpu=by_place(strategies, "{layout} {strategy}", "{time}"),
        times={
            layout: seconds[layout, BEST] / seconds[layout, BEST_ASTAR]
            for layout in ("small", "medium")
        },
        gain=by_place(distance, "{layout} {radius}", GAIN),
        n_more=motion["n_games"].min(),
        timed_rounds=TIMED_ROUNDS,
        timed_seeds=TIMED_SEEDS,
    )
