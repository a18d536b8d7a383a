"""Games of every published table are played again: the same scores, moves and ends."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from agents.agent import Agent, Game
from study.experiments.registry import experiment
from study.reproduce.dice.table import play_rows, scores_frame
from study.store.ledger import Ledger

REFERENCE = Path(__file__).parents[3] / "results" / "reference"
TABLES = sorted(path.parent.name for path in REFERENCE.glob("*/games.csv"))
N_GAMES = 5
LONGEST_SECONDS = 0.5
"""Of games that this test plays again; the longest published ones take minutes."""


def columns_of(name: str) -> list[str]:
    with (REFERENCE / name / "games.csv").open() as file:
        return next(csv.reader(file))


LEDGERS = [name for name in TABLES if columns_of(name)[0] == "agent"]
STUDIES = [name for name in TABLES if columns_of(name)[0] == "phase"]
OTHERS = sorted({*TABLES} - {*LEDGERS} - {*STUDIES})


def kind_of(columns: list[str]) -> type[Game]:
    """The class of games with these columns."""
    fits = [each for each in Game.kinds.values() if {*each.columns().values()} <= {*columns}]
    return max(fits, key=lambda each: len(each.columns()))


def sample(frame: pd.DataFrame) -> pd.DataFrame:
    short = frame[frame["cpu_seconds"].astype(float) < LONGEST_SECONDS]
    chosen = np.random.default_rng(1).choice(len(short), min(N_GAMES, len(short)), replace=False)
    return short.iloc[np.sort(chosen)]


def assert_the_same(agent: Agent, row: dict[str, Any], kind: type[Game]) -> None:
    """All that a row records but its seconds comes out again."""
    cells = {field: row[column] for field, column in kind.columns().items()}
    expected = kind.from_row(cells).to_row()
    found = agent.play(int(row["seed"])).to_row()
    assert type(found["score"]) is type(expected["score"])
    for each in (found, expected):
        del each["seconds"]
    assert found == expected


@pytest.mark.parametrize("name", LEDGERS)
def test_games_of_a_reproduction(name: str) -> None:
    path = REFERENCE / name / "games.csv"
    kind = kind_of(columns_of(name))
    ledger = Ledger(path, kind)
    frame = pd.read_csv(path, dtype=str)
    assert set(frame["agent"]) <= set(ledger.identities)
    assert len(frame) == ledger.n_games
    rows = sample(frame)
    assert len(rows) == N_GAMES
    for row in rows.to_dict("records"):
        agent = ledger.agent(row["agent"])
        assert int(row["seed"]) in ledger.games(agent)
        assert_the_same(agent, row, kind)


@pytest.mark.parametrize("name", STUDIES)
def test_games_of_a_study(name: str) -> None:
    folder = REFERENCE / name
    kind = kind_of(columns_of(name))
    tuned = experiment(json.loads((folder / "manifest.json").read_text())["experiment"])
    trials = pd.read_csv(folder / "trials.csv").set_index("trial")
    points = pd.read_csv(folder / "front.csv", dtype={"point": str}).set_index("point")
    frame = pd.read_csv(folder / "games.csv", dtype=str)
    rows = sample(frame)
    assert len(rows) == N_GAMES
    for row in rows.to_dict("records"):
        is_search = row["phase"] == "search"
        theta = trials.loc[int(row["trial"])] if is_search else points.loc[row["point"]]
        agent = tuned.build({each: theta[each] for each in tuned.space.names})
        assert_the_same(agent, row, kind)


def test_all_other_tables_are_of_dice() -> None:
    """Counts of scores of three dice: all of them are played again."""
    assert OTHERS == ["dice"]
    published = pd.read_csv(REFERENCE / "dice" / "games.csv")
    n_games = published.groupby(["recursion", "theta", "gamma"])["n_games"].sum()
    first = published["first_seed"].min()
    played = scores_frame(play_rows(range(first, first + int(n_games.max()))))
    columns = ["recursion", "theta", "gamma", "first_seed", "score_points", "n_games"]
    pd.testing.assert_frame_equal(played[columns], published[columns], check_dtype=False)
