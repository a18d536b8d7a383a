"""Equation 3's policies, and the findings on made-up games."""

from pathlib import Path

import numpy as np
import pytest

from results.papers import paper
from results.papers.bellman import (
    EQUATION_2,
    READINGS,
    add_options,
    bellman,
    bellman_figure,
    bellman_frame,
    policies,
    text_of,
)
from tests.papers.made_up import games_of
from thetafront.agents.twenty48.mcmdp import Table1

PLAIN = Table1()
POLICIES = policies(PLAIN)


def test_rows_have_the_weights_of_their_reading() -> None:
    assert len(POLICIES) == 12
    for agent, reading, gamma in list(POLICIES.values())[2:]:
        assert isinstance(agent, Table1)
        assert agent.gamma == gamma
        assert agent.reward_weight == (1 + gamma if READINGS[reading] else 1.0)
        assert agent.schedule == PLAIN.schedule
    last, _, _ = list(POLICIES.values())[-1]
    assert last == PLAIN, "what remains, undiscounted, is equation 2"
    assert np.isnan(POLICIES[EQUATION_2][2])


def test_numbers_are_those_of_the_games() -> None:
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 3000, 200)
    games = {}
    for name, (_, reading, _) in POLICIES.items():
        mean = 35_100 if reading == "the whole game's score" else 46_000
        games[name] = games_of(mean + noise + rng.normal(0, 500, 200))
    frame = bellman_frame(POLICIES, games)
    third = list(POLICIES)[2]
    row = frame[frame["policy"] == third].iloc[0]
    mine, other = (paper.scores_of(games[name]) for name in (third, EQUATION_2))
    assert row["less_equation_2_points"] == (mine - other).mean()
    assert row["less_equation_2_high95_points"] < -10_000
    text = text_of(frame, range(200), "A schedule")
    assert text.count("n = 200") == 4
    assert "{" not in text
    assert len(bellman_figure(frame, "A schedule").axes) == 1


@pytest.mark.parametrize(
    ("word", "part"),
    [
        ("--theta=1,2", "argument --theta: 2 values given, 6 allowed"),
        ("--theta=1,2,3,4,5,x", "argument --theta: invalid"),
        ("--theta=-1,2,3,4,5,1", "mcmdp: theta1: -1 given"),
        ("--reuse=no/such/folder", "reuse: 'no/such/folder' given, a folder with games.csv"),
    ],
)
def test_bad_input_is_one_line(
    word: str, part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--output", str(tmp_path), word]
    with pytest.raises(SystemExit, match="2"):
        paper.script(bellman, "bellman", 1000, add=add_options, given=given)
    said = capsys.readouterr().err
    assert part in said
    assert said.count("\n") == 1


def test_a_folder_that_lacks_a_file_leaves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    half, output = tmp_path / "half", tmp_path / "output"
    half.mkdir()
    (half / "games.csv").write_text("agent,seed\n")
    given = ["--output", str(output), "--reuse", str(half)]
    with pytest.raises(SystemExit, match="2"):
        paper.script(bellman, "bellman", 1000, add=add_options, given=given)
    assert "a folder with agents.json allowed" in capsys.readouterr().err
    assert not list(output.iterdir())
