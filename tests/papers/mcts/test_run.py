"""The script on a small design: what is kept, and what is refused."""

import json
from pathlib import Path

import pandas as pd
import pytest

from results.papers import paper
from results.papers.mcts.design import Case, Design
from results.papers.mcts.run import reproduce
from thetafront.agents.twenty48.leaf_value import LeafValue

SCORES = {"n_games", "score_mean_points", "score_low95_points", "score_high95_points"}
TABLES: dict[str, set[str]] = {
    "games": {"agent", "seed"},
    "mcts": {"leaf_value", "n_simulations", "seconds_per_move", *SCORES},
    "timings": {"leaf_value", "depth", "seconds_per_decision", "relative_to_random"},
    "equal_time": {"seconds_per_move", "leaf_value", "leader", "ahead_of_low95_points"},
    "timing_rounds": {"round", "leaf_value", "depth", "seconds_per_decision", "call_seconds"},
    "calibration": {"widened", "k", "alpha", "n_simulations", "relative_time"},
    "widening": {"widened", "k", "alpha", "n_simulations", "relative_time", *SCORES},
    "readings": {"reading", "leaf_value", "less_default_points", *SCORES},
    "exploration": {"leaf_value", "exploration_points", "less_c_100_points", *SCORES},
}
SMALL = Design(
    simulations=(1, 3, 40),
    depths=(1, 10),
    n_rounds=2,
    cases=(Case(LeafValue.RANDOM, 40),),
    ks=(1.0,),
    action_ks=(1.0,),
    alphas=(0.0, 0.5),
    n_calibration_rounds=2,
    explorations=(1000.0,),
    exploration_cases=(Case(LeafValue.RANDOM, 40),),
    reading_simulations=3,
)


def test_tree_search_is_played_and_gone_on_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second call plays no game and keeps the calibration; a third adds games."""

    def run(n_games: int) -> tuple[str, str]:
        given = ["--jobs", "1", "--output", str(tmp_path), "--games", str(n_games)]
        paper.script(lambda of: reproduce(of, SMALL), "mcts", 100, given=given)
        said = capsys.readouterr()
        return said.out, said.err

    text, said = run(2)
    assert "calibrating 4 settings (a minute or two)" in said
    assert "timing decisions (half a minute)" in said
    assert text == (tmp_path / "mcts.md").read_text()
    assert "# Monte Carlo tree search on 2048" in text
    for picture in ("mcts", "execution_time", "equal_time", "widening", "action_widening"):
        assert (tmp_path / f"{picture}.png").stat().st_size > 10_000
    tables = {name: pd.read_csv(tmp_path / f"{name}.csv") for name in TABLES}
    for name, columns in TABLES.items():
        assert columns <= set(tables[name])
    n_agents, n_readings = 5 * 3 + 2 * 2 + 1, 5 + 2
    assert len(tables["games"]) == 2 * n_agents + 2 * 2 * n_readings + 2 * 5
    assert set(tables["readings"]["n_games"]) == {4}
    assert len(tables["mcts"]) == 15
    first = tables["mcts"][tables["mcts"]["n_simulations"] == 1]
    assert first["score_mean_points"].nunique() == 1, "m = 1 leaves nothing to a leaf's value"
    chosen = tables["calibration"]["n_simulations"].tolist()
    assert tables["widening"]["n_simulations"].tolist() == [40, *chosen]
    assert tables["widening"]["widened"].fillna("").tolist() == [
        "",
        *2 * ["states"],
        *2 * ["actions"],
    ]
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert set(manifest["rows"]) == set(tables["games"]["agent"])

    measured = ("calibration.csv", "timing_rounds.csv", "timings.csv", "games.csv")
    kept = {name: (tmp_path / name).read_bytes() for name in measured}
    _, again = run(2)
    assert "calibrating" not in again
    assert "timing_rounds.csv is kept; move it away to time again" in again
    assert kept == {name: (tmp_path / name).read_bytes() for name in kept}
    run(3)
    assert (tmp_path / "calibration.csv").read_bytes() == kept["calibration.csv"]
    games = (tmp_path / "games.csv").read_bytes()
    assert games.startswith(kept["games.csv"])
    assert len(games.splitlines()) == 1 + 3 * n_agents + 3 * 2 * n_readings + 3 * 5


def test_a_calibration_that_is_none_is_refused_before_anything_is_timed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "calibration.csv").write_text("hello\n")
    with pytest.raises(SystemExit, match="2"):
        paper.script(
            lambda of: reproduce(of, SMALL), "mcts", 100, given=["--output", str(tmp_path)]
        )
    assert capsys.readouterr().err.endswith(
        f"{tmp_path}/calibration.csv: no calibration of this version; use another folder, or move "
        "it away\n"
    )
    assert not (tmp_path / "timings.csv").exists()
