"""Tables of a study: one row a trial, one row a game, one row a point of the front.

Column names carry their units: ``score_*_points``, ``*_seconds*``; shares are between 0 and 1.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pandas as pd
from optuna.trial import TrialState
from rich.table import Table

from agents.agent import Game
from study.batch import baseline_games, games_of
from study.experiment import Experiment
from study.pareto import nondominated
from study.replicate import share_reaching, summarize

__all__ = [
    "baselines_frame",
    "engineering",
    "front_frame",
    "front_table",
    "games_frame",
    "trials_frame",
    "write_csv",
]

TILES_IN_CSV = (512, 1024, 2048, 4096, 8192, 16384)
TILES_IN_TABLE = (2048, 4096, 8192)
SECONDS_PREFIXES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def engineering(seconds: float) -> str:
    """Write a time with three digits and a readable unit: ``183 µs``, ``1.25 ms``."""
    seconds = float(f"{seconds:.3g}")
    for scale, unit in SECONDS_PREFIXES:
        if seconds >= scale:
            return f"{f'{seconds / scale:#.3g}'.rstrip('.')} {unit}"
    return f"{seconds:g} s"


GAMES_COLUMNS = (
    "n_games",
    "score_mean_points",
    "score_sem_points",
    "score_min_points",
    "score_max_points",
    "seconds_per_move",
    "playout_moves_per_move",
    "n_moves_mean",
    *(f"share_reaching_{tile}" for tile in TILES_IN_CSV),
)


def games_columns(games: Sequence[Game]) -> dict[str, Any]:
    """Return what the games of one parameter vector amount to, as columns."""
    if not games:
        return {"n_games": 0, **dict.fromkeys(GAMES_COLUMNS[1:], math.nan)}
    summary = summarize(games)
    return {
        "n_games": summary.n_games,
        "score_mean_points": summary.score_mean,
        "score_sem_points": summary.score_sem,
        "score_min_points": summary.score_min,
        "score_max_points": summary.score_max,
        "seconds_per_move": summary.seconds_per_move,
        "playout_moves_per_move": summary.playout_moves_per_move,
        "n_moves_mean": summary.n_moves_mean,
        **{f"share_reaching_{tile}": share_reaching(games, tile) for tile in TILES_IN_CSV},
    }


def trials_frame(study: optuna.Study, experiment: Experiment) -> pd.DataFrame:
    """Return one row a trial that has begun, with the mark ``on_front`` for the observed front."""
    rows = []
    for trial in study.get_trials(deepcopy=False):
        if trial.state == TrialState.WAITING:
            continue
        rows.append(
            {
                "trial": trial.number,
                "state": trial.state.name.lower(),
                "origin": trial.user_attrs.get("origin", ""),
                **{name: trial.params.get(name, math.nan) for name in experiment.space.names},
                **games_columns(list(games_of(trial).values())),
                "error": trial.user_attrs.get("error", ""),
            }
        )
    columns = ["trial", "state", "origin", *experiment.space.names, *GAMES_COLUMNS, "error"]
    frame = pd.DataFrame(rows, columns=columns)
    complete = np.flatnonzero(frame["state"] == "complete")
    front = complete[
        nondominated(
            frame["score_mean_points"].to_numpy(float)[complete],
            frame["seconds_per_move"].to_numpy(float)[complete],
        )
    ]
    frame["on_front"] = np.isin(np.arange(len(frame)), front)
    return frame


def baselines_frame(study: optuna.Study, experiment: Experiment) -> pd.DataFrame:
    """Return one row a baseline that has games."""
    rows = []
    for name, values in experiment.baselines.items():
        games = list(baseline_games(study, name).values())
        if games:
            rows.append({"baseline": name, **values, **games_columns(games)})
    return pd.DataFrame(rows)


GAME_COLUMNS = (
    "trial",
    "origin",
    "replicate",
    "seed",
    "score_points",
    "n_moves",
    "cpu_seconds",
    "seconds_per_move",
    "n_playout_moves",
    "max_tile",
    "end_board_hex",
)


def game_rows(games: dict[int, Game], **labels: Any) -> list[dict[str, Any]]:
    """Return one row a game."""
    return [
        {
            **labels,
            "replicate": replicate,
            "seed": game.seed,
            "score_points": game.score,
            "n_moves": game.n_moves,
            "cpu_seconds": game.seconds,
            "seconds_per_move": game.seconds / game.n_moves,
            "n_playout_moves": game.n_playout_moves,
            "max_tile": game.max_tile,
            "end_board_hex": f"{game.end_board:016x}",
        }
        for replicate, game in games.items()
    ]


def games_frame(study: optuna.Study, experiment: Experiment) -> pd.DataFrame:
    """Return one row a finished game; ``trial`` is empty, and ``origin`` the name, for a baseline."""
    rows: list[dict[str, Any]] = []
    for trial in study.get_trials(deepcopy=False):
        if trial.state != TrialState.WAITING:
            origin = trial.user_attrs.get("origin", "")
            rows += game_rows(games_of(trial), trial=trial.number, origin=origin)
    for name in experiment.baselines:
        rows += game_rows(baseline_games(study, name), trial=pd.NA, origin=name)
    return pd.DataFrame(rows, columns=list(GAME_COLUMNS)).astype({"trial": "Int64"})


def front_frame(trials: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the observed front, fastest first."""
    front = trials[trials["on_front"]].drop(columns=["on_front", "state", "error"])
    return front.sort_values("seconds_per_move").reset_index(drop=True)


def front_table(front: pd.DataFrame, experiment: Experiment) -> Table:
    """Lay the front out for a terminal."""
    table = Table(title=f"Observed front: {experiment.title}", title_justify="left")
    table.add_column("trial", justify="right", no_wrap=True)
    for parameter in experiment.space:
        table.add_column(parameter.label, justify="right", no_wrap=True)
    table.add_column("score ± s.e.", justify="right", no_wrap=True)
    table.add_column("n", justify="right", no_wrap=True)
    table.add_column("time a move", justify="right", no_wrap=True)
    for tile in TILES_IN_TABLE:
        table.add_column(f"≥ {tile}", justify="right", no_wrap=True)
    for _, row in front.iterrows():
        table.add_row(
            str(int(row["trial"])),
            *(
                f"{row[p.name]:.0f}" if p.integer else f"{row[p.name]:.2f}"
                for p in experiment.space
            ),
            score_with_error(row),
            str(int(row["n_games"])),
            engineering(row["seconds_per_move"]),
            *(f"{row[f'share_reaching_{tile}']:.0%}" for tile in TILES_IN_TABLE),
        )
    return table


def score_with_error(row: Any) -> str:
    """Write a mean score and its standard error, ``45,210 ± 620``; ``± ?`` for a single game."""
    error = row["score_sem_points"]
    return f"{row['score_mean_points']:,.0f} ± " + (
        f"{error:,.0f}" if math.isfinite(error) else "?"
    )


def write_csv(frame: pd.DataFrame, path: Path) -> None:
    """Write a table, so that a kill leaves the old file or the new one, and nothing between."""
    draft = path.with_name(f".{path.name}.part")
    frame.to_csv(draft, index=False)
    draft.replace(path)
