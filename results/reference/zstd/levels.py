"""Plays each level beside the best of a study's front in that time: levels.py STUDY [RESULTS].

The study is one of results/, or of another folder RESULTS. Both compress all 32 slices, in turns.
So sizes are exact means, and CPU times are compared slice by slice. Writes levels.csv and levels.md
into the study's folder.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from thetafront import open_study
from thetafront.agents.agent import Agent
from thetafront.agents.external.report import ReportedGame

N_SLICES = 32
FIRST_SEED = 9_000_000
ROUNDS = 2
COST = "combined_seconds_per_game"
PARAMETERS = ["strat", "wlog", "hlog", "clog", "slog", "mml", "target"]


def game_of(agent: Agent, seed: int) -> ReportedGame:
    """Play a game of a program."""
    game = agent.play(seed)
    assert isinstance(game, ReportedGame)
    return game


def seeds_of_slices(agent: Agent) -> list[int]:
    """Return a seed for each slice."""
    found: dict[object, int] = {}
    seed = FIRST_SEED
    while len(found) < N_SLICES:
        found.setdefault(game_of(agent, seed).reported["slice"], seed)
        seed += 1
    return list(found.values())


def compare(level: Agent, tuned: Agent, seeds: list[int]) -> dict[str, float]:
    """Play both on all slices; the time's interval is over slices and rounds."""
    pairs = [(game_of(level, seed), game_of(tuned, seed)) for _ in range(ROUNDS) for seed in seeds]
    logs = np.array([np.log(mine.seconds / theirs.seconds) for theirs, mine in pairs])
    error = 1.96 * logs.std(ddof=1) / np.sqrt(len(logs))
    bits = np.array([(theirs.score, mine.score) for theirs, mine in pairs])
    seconds = np.array([(theirs.seconds, mine.seconds) for theirs, mine in pairs])
    return {
        "n_pairs": len(pairs),
        "level_seconds_per_game": seconds[:, 0].mean(),
        "tuned_seconds_per_game": seconds[:, 1].mean(),
        "time_ratio": float(np.exp(logs.mean())),
        "time_ratio_low95": float(np.exp(logs.mean() - error)),
        "time_ratio_high95": float(np.exp(logs.mean() + error)),
        "level_bits_per_byte": bits[:, 0].mean(),
        "tuned_bits_per_byte": bits[:, 1].mean(),
        "slices_smaller": int((bits[:, 1] < bits[:, 0]).sum()) // ROUNDS,
    }


def text_of(row: pd.Series) -> str:
    """Return a level's line of the text."""
    theta = ", ".join(str(row[name]) for name in PARAMETERS)
    saved = 100.0 * (1.0 - row["tuned_bits_per_byte"] / row["level_bits_per_byte"])
    return (
        f"| {row['level']} | {1e3 * row['level_seconds_per_game']:.3g} ms "
        f"| {row['level_bits_per_byte']:.4f} | {theta} "
        f"| {row['time_ratio']:.2f} "
        f"({row['time_ratio_low95']:.2f} to {row['time_ratio_high95']:.2f}) "
        f"| {row['tuned_bits_per_byte']:.4f} | {saved:+.1f}% "
        f"| {row['slices_smaller']} of {N_SLICES} |"
    )


def main(name: str, results: str) -> None:
    """Compare, and write the tables."""
    study = open_study(name, results=results)
    validated = study.front
    is_level = validated["origin"].str.startswith("level")
    levels = validated[is_level].sort_values(COST)
    front = pd.concat([study.combined_front, validated])
    experiment = study.experiment
    seeds: list[int] = []
    rows = []
    for _, level in levels.iterrows():
        theta = {name: int(level[name]) for name in PARAMETERS}
        agent = experiment.build(theta)
        seeds = seeds or seeds_of_slices(agent)
        within = front[front[COST] <= float(level["combined_seconds_per_game"])]
        best = within.sort_values("combined_mean_bits").iloc[0]
        found = {name: int(best[name]) for name in PARAMETERS}
        row = {"level": level["origin"], **found}
        row |= compare(agent, experiment.build(found), seeds)
        rows.append(row)
        print(text_of(pd.Series(row)), flush=True)
    table = pd.DataFrame(rows)
    folder = Path(results) / name
    table.to_csv(folder / "levels.csv", index=False)
    heads = (
        "level",
        "CPU time",
        "bits a byte",
        f"tuned for that time ({', '.join(PARAMETERS)})",
        "its time, relative",
        "its bits a byte",
        "saved",
        "slices smaller",
    )
    lines = [f"| {' | '.join(heads)} |", "|---|---:|---:|---|---:|---:|---:|---:|"]
    lines += [text_of(row) for _, row in table.iterrows()]
    (folder / "levels.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "results")
