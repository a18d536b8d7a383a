"""Real games as one compact table: what the surface ``recorded`` is made from.

A sweep with the sampler ``random`` and a design of all its trials plays the games; its folder becomes
the table by

    python -m study.sampler_benchmark.recording FOLDER

which also copies the sweep's manifest, so that the games can be played again.
"""

import shutil
import sys
from pathlib import Path

import pandas as pd

from study.errors import InputError
from study.experiment import EXPERIMENTS
from study.manifest import ROOT
from study.report import write_csv
from study.storage import make_folder

__all__ = ["RECORDED", "read_recorded", "recorded_frame"]

RECORDED = ROOT / "results" / "reference" / "samplers" / "recorded.csv"
SCORES = "scores_points"


def recorded_frame(folder: Path) -> pd.DataFrame:
    """Return one row a complete trial of a sweep of ``mcmdp``.

    Parameters
    ----------
    folder : Path
        Where the sweep has left ``trials.csv`` and ``games.csv``.

    Returns
    -------
    DataFrame
        ``theta1`` … ``theta6``, ``seconds_per_move``, ``playout_moves_per_move``, ``n_games``, and
        ``scores_points``, all games' scores in one column, separated by spaces.

    Raises
    ------
    InputError
        If a table is not there.
    """
    for name in ("trials.csv", "games.csv"):
        if not (folder / name).is_file():
            raise InputError(f"recording: {folder} has no {name}; a finished sweep's folder has")
    trials = pd.read_csv(folder / "trials.csv")
    games = pd.read_csv(folder / "games.csv").sort_values(["trial", "replicate"])
    by_trial = games.groupby("trial")["score_points"]
    trials[SCORES] = trials["trial"].map(by_trial.agg(lambda each: " ".join(map(str, each))))
    columns = [
        *EXPERIMENTS["mcmdp"].space.names,
        "seconds_per_move",
        "playout_moves_per_move",
        "n_games",
        SCORES,
    ]
    frame = trials.loc[trials["state"] == "complete", columns].reset_index(drop=True)
    return frame.round({"theta5": 6, "theta6": 6, "seconds_per_move": 10})


def read_recorded(path: Path = RECORDED) -> pd.DataFrame:
    """Read the table; InputError if it is not there."""
    if not path.is_file():
        raise InputError(f"recorded games: {path} is not there; a checkout of thetafront has it")
    return pd.read_csv(path)


def main() -> None:
    """Make the table from the folder named on the command line."""
    if len(sys.argv) != 2:
        sys.exit("usage: python -m study.sampler_benchmark.recording FOLDER")
    folder = Path(sys.argv[1])
    try:
        frame = recorded_frame(folder)
    except InputError as error:
        sys.exit(str(error))
    make_folder(RECORDED.parent)
    write_csv(frame, RECORDED)
    shutil.copyfile(folder / "manifest.json", RECORDED.with_name("recorded_manifest.json"))
    print(RECORDED)


if __name__ == "__main__":
    main()
