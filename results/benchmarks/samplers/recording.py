"""Real games as one compact table, from which the surface ``recorded`` is made.

A sweep with the sampler ``random`` and a design of all its trials plays the games. Its folder
becomes the table by

    python -m results.benchmarks.samplers.recording FOLDER

which also copies the sweep's manifest, except its storage, so that the games can be played again.
"""

import json
import re
import sys
from pathlib import Path

import pandas as pd

from thetafront.engine.jit import ROOT
from thetafront.study.errors import InputError
from thetafront.study.experiments.space import NumericParameter, Space
from thetafront.study.log.location import make_folder
from thetafront.study.log.manifest import write_json
from thetafront.study.report.tables import write_csv

RECORDED = ROOT / "results" / "reference" / "samplers" / "recorded.csv"
SCORES = "scores_points"
# The space of the recorded games; it stays when the experiment `mcmdp` changes.
SPACE = Space(
    (
        NumericParameter("theta1", 16, 2048, integer=True, log=True, symbol="θ₁"),
        NumericParameter("theta2", 8, 512, integer=True, log=True, symbol="θ₂"),
        NumericParameter("theta3", 4, 256, integer=True, log=True, symbol="θ₃"),
        NumericParameter("theta4", 2, 64, integer=True, log=True, symbol="θ₄"),
        NumericParameter("theta5", 1.0, 10.0, log=True, symbol="θ₅"),
        NumericParameter("theta6", 0.05, 1.0, symbol="θ₆"),
    )
)


def recorded_frame(folder: Path) -> pd.DataFrame:
    """Return one row a complete trial of the sweep of ``mcmdp`` in a folder.

    ``scores_points`` has all games' scores, separated by spaces. InputError if a file is missing.
    """
    for name in ("trials.csv", "games.csv", "manifest.json"):
        if not (folder / name).is_file():
            raise InputError(f"recording: {folder} has no {name}; a finished sweep's folder has")
    trials = pd.read_csv(folder / "trials.csv")
    games = pd.read_csv(folder / "games.csv").sort_values(["trial", "replicate"])
    by_trial = games.groupby("trial")["score_points"]
    trials[SCORES] = trials["trial"].map(by_trial.agg(lambda each: " ".join(map(str, each))))
    costs = ["seconds_per_move", "playout_moves_per_move"]
    columns = [*SPACE.names, *costs, "n_games", SCORES]
    frame = trials.loc[trials["state"] == "complete", columns].reset_index(drop=True)
    return frame.round({"theta5": 6, "theta6": 6, "seconds_per_move": 10})


def read_recorded(path: Path = RECORDED) -> pd.DataFrame:
    """Read the table; InputError if it is missing."""
    if not path.is_file():
        raise InputError(f"recorded games: {path} is not there; a checkout of thetafront has it")
    return pd.read_csv(path)


def main() -> None:
    """Make the table from the folder named on the command line."""
    if len(sys.argv) != 2:
        sys.exit("usage: python -m results.benchmarks.samplers.recording FOLDER")
    folder = Path(sys.argv[1])
    try:
        frame = recorded_frame(folder)
    except InputError as error:
        sys.exit(str(error))
    make_folder(RECORDED.parent)
    write_csv(frame, RECORDED)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    del manifest["storage"]
    manifest["command_line"] = re.sub(r" --results \S+", "", manifest["command_line"])
    write_json(manifest, RECORDED.with_name("recorded_manifest.json"))
    print(RECORDED)


if __name__ == "__main__":
    main()
