"""The picture of all agents: its points are those of games that can be played again."""

import json
from pathlib import Path

import pandas as pd
import pytest

from tests.study.program import invoked, refused, succeeded
from thetafront.agents.twenty48.ntuple.agent import NTuple
from thetafront.study.compare.champions import (
    REFERENCE,
    SEARCHES,
    champions_caption,
    champions_figure,
    champions_markdown,
    programs_frame,
)

TRAIN = ["train", "ntuple", "--patterns", "4x5", "--moves"]


@pytest.fixture
def networks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("THETAFRONT_NETWORKS", str(tmp_path / "networks"))
    for name, n_moves in (("a", "1000"), ("b", "100000")):
        succeeded(None, *TRAIN, n_moves, "--name", name)
    return tmp_path


@pytest.mark.slow
def test_a_picture_has_every_network_with_every_search(networks: Path) -> None:
    output = networks / "champions"
    command = ["champions", "--network", "a", "--network", "b", "--games", "20", "--jobs", "2"]
    succeeded(None, *command, "--output", str(output))
    table = pd.read_csv(output / "champions.csv")
    assert len(table) == 2 * len(SEARCHES) + 4
    assert table["n_games"].tolist() == [20, 20, 6, 6, 2, 2] * 2 + [20] * 4
    means = table.set_index("row")["score_mean_points"]
    assert means["random"] < means["pmcts, 2 playouts"] < means["pmcts, 128 playouts"]
    games = pd.read_csv(output / "games.csv")
    first = games[games["seed"] == games["seed"].min()].merge(
        pd.Series(json.loads((output / "manifest.json").read_text())["rows"], name="row"),
        left_on="agent",
        right_index=True,
    )
    for name in ("a", "b"):
        (score,) = first[first["row"] == f"{name}, 1 ply"]["score_points"]
        assert NTuple(network=name).play(int(games["seed"].min())).score == score
    assert (output / "champions.png").stat().st_size > 10_000
    assert set(pd.read_csv(output / "fronts.csv")["study"]) > {"heuristic", "mcmdp"}
    assert len(pd.read_csv(output / "programs.csv")) == len(programs_frame())
    training = pd.read_csv(output / "training.csv")
    assert (training["n_moves"] >= [1000, 100_000]).all()
    assert training["score_mean_points"].iloc[1] > 2 * training["score_mean_points"].iloc[0]

    succeeded(None, "verify", str(output), "--games", "5")
    succeeded(None, *TRAIN, "150000", "--name", "b")
    verified = invoked(None, "verify", str(output), "--games", "5", code=1)
    assert "network_digest" in verified.output, "the network is another now"


def test_a_network_that_is_not_trained_is_refused(networks: Path) -> None:
    line = refused("champions", "--network", "c", "--output", str(networks / "champions"))
    assert "network must be one of none, a, b (got 'c')" in line
    assert not (networks / "champions").exists()


def test_published_records_are_told_from_programs_that_were_run() -> None:
    """In the picture by hollow marks or lines across, in the table by a column, in the caption."""
    folder = REFERENCE / "champions"
    frame, training, fronts = (
        pd.read_csv(folder / f"{name}.csv") for name in ("champions", "training", "fronts")
    )
    programs = programs_frame()
    axes, _ = champions_figure(frame, training, fronts, programs).axes
    one = champions_figure(frame, training.head(1), fronts, programs)
    assert len(one.axes) == 1, "one network shows nothing about the time of training"
    drawn = {
        line.get_markerfacecolor() == "white"
        for line in axes.lines
        if max(line.get_ydata()) > 400_000 and line.get_marker() != "None"
    }
    assert drawn == {True}
    texts = [each.get_text() for each in axes.texts]
    for name, part in programs.groupby("program"):
        is_timed = part["seconds_per_move"].notna().all()
        assert sum(text.startswith(name) for text in texts) == (1 if is_timed else len(part)), name
    assert programs["score_mean_points"].max() < axes.get_ylim()[1]

    lines = champions_markdown(frame, training, fronts, programs).splitlines()
    assert "| Jaśkowski (2017) | 1 ply | unknown | 3.90 µs | 324,710 | published" in "".join(lines)
    n_untimed = programs["seconds_per_move"].isna().sum()
    assert sum("not published" in line for line in lines) == n_untimed
    assert "TDL2048+ (1 ply to 3 plies; training: 52 CPU s)" in champions_caption(frame, programs)
