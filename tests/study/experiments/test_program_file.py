"""Experiments from TOML files: what they say is what is tuned, and what is wrong is named."""

from pathlib import Path
from typing import Any

import pytest

from thetafront.agents.external.program import Program, Protocol
from thetafront.study.errors import InputError
from thetafront.study.experiments.dimension import CategoricalParameter, NumericParameter
from thetafront.study.experiments.objectives.estimators import ExactValue, NoisyMean, Proportion
from thetafront.study.experiments.program_file import read_program_file
from thetafront.study.experiments.space import Space
from thetafront.study.experiments.widening import (
    WidenRequest,
    find_edges,
    parse_widen_request,
    widened,
)

LEAST = """
command = ["cat"]
[parameters.depth]
low = 1
high = 12
integer = true
"""
MOST = """
name = "mygame"
title = "My game"
command = ["cat", "--depth={depth}", "{seed}"]
protocol = "once"
time_limit = 2.5
memory_limit = "1.5 GB"
[environment]
THREADS = "1"
[parameters.depth]
low = 1
high = 12
integer = true
symbol = "d"
[parameters.width]
low = 0.1
high = 10
log = true
[parameters.share]
low = 0
high = 1
step = 0.25
[parameters.opening]
choices = ["a4", "d4"]
[objective]
name = "loss"
kind = "mean"
direction = "minimize"
unit = "bits"
label = "log loss"
standard_error = 0.01
replicates = 6
[cost]
field = "nodes"
per = "move"
unit = "nodes"
[reference]
objective = 8
cost = 1e6
[baselines.plain]
depth = 3
width = 1.0
share = 0.5
opening = "a4"
"""


def read(folder: Path, text: str, name: str = "mine.toml") -> Any:
    """Read a file with a text."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_program_file(path)


def test_what_is_not_given_has_defaults(tmp_path: Path) -> None:
    found = read(tmp_path, LEAST)
    assert (found.name, found.title, found.source) == ("mine", "mine", str(tmp_path / "mine.toml"))
    assert (found.goal.name, found.goal.direction) == ("score", "maximize")
    assert isinstance(found.goal.estimator, NoisyMean)
    assert found.is_open
    assert [each.name for each in found.costs] == ["seconds_per_game"]
    assert found.settled(has_moves=True).cost.name == "seconds_per_move"
    assert found.reference_score is None
    program = found.player.program
    assert program.command == ("cat",)
    assert program.folder == str(tmp_path)
    assert (program.protocol, program.seconds, program.memory) == (Protocol.ONCE, 300.0, 0)


def test_a_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    assert read(tmp_path, "\ufeff" + LEAST).name == "mine"


def test_all_that_can_be_said(tmp_path: Path) -> None:
    found = read(tmp_path, MOST)
    assert (found.name, found.title) == ("mygame", "My game")
    assert list(found.space) == [
        NumericParameter("depth", 1, 12, integer=True, symbol="d"),
        NumericParameter("width", 0.1, 10, log=True),
        NumericParameter("share", 0, 1, step=0.25),
        CategoricalParameter("opening", ("a4", "d4")),
    ]
    goal, cost = found.goal, found.cost
    assert (goal.name, goal.label, goal.direction) == ("loss", "log loss", "minimize")
    assert (goal.format.unit, goal.standard_error, goal.replicates) == ("bits", 0.01, 6)
    assert (cost.name, cost.counted, cost.unit, cost.per_move) == (
        "nodes_per_move",
        "nodes",
        "nodes",
        True,
    )
    assert (found.reference_score, found.reference_costs) == (8.0, {"nodes_per_move": 1e6})
    assert found.baselines["plain"]["opening"] == "a4"
    program: Program = found.player.program
    assert (program.seconds, program.memory) == (2.5, 1_500_000_000)
    assert program.environment == {"THREADS": "1"}
    assert program.report.objective == "loss"
    assert program.report.costs == ("nodes",)


@pytest.mark.parametrize(
    ("kind", "estimator"), [("mean", NoisyMean), ("rate", Proportion), ("exact", ExactValue)]
)
def test_kinds_of_objectives(tmp_path: Path, kind: str, estimator: type) -> None:
    found = read(tmp_path, f'{LEAST}[objective]\nname = "x"\nkind = "{kind}"\n')
    assert isinstance(found.goal.estimator, estimator)


def test_reported_seconds_take_the_place_of_those_measured(tmp_path: Path) -> None:
    found = read(tmp_path, f'{LEAST}[cost]\nfield = "seconds"\nper = "game"\n')
    assert (found.cost.name, found.cost.is_timed) == ("seconds_per_game", True)
    assert found.player.program.report.costs == ("seconds",)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('command = ["cat"', "command = [1", "command must be a list of texts"),
        (
            'command = ["cat", "--depth={depth}", "{seed}"]',
            'command = "cat"',
            "command must be a list of texts",
        ),
        ('command = ["cat", "--depth={depth}", "{seed}"]', "", "command must be a list"),
        ("{depth}", "{dept}", "command must contain only depth, width"),
        ('["cat"', '["no-such-program"', "'no-such-program' does not exist"),
        ('"once"', '"twice"', "protocol must be one of once, serve (got 'twice')"),
        (
            'protocol = "once"',
            'protocol = "serve"',
            "command must not contain {depth}: under the serve protocol",
        ),
        ("time_limit = 2.5", "time_limit = 0", "time_limit must be above 0 s (got 0)"),
        ("time_limit = 2.5", 'time_limit = "2"', "time_limit must be a number (got '2')"),
        ('"1.5 GB"', '"lots"', "memory_limit must be a size such as '500 MB' (got 'lots')"),
        ('"1.5 GB"', "100", "memory_limit must be a size such as '500 MB' (got 100)"),
        ('THREADS = "1"', "THREADS = 1", "environment.THREADS must be text (got 1)"),
        ("low = 1\nhigh = 12", "low = 12\nhigh = 1", "depth: bounds 12 to 1 are not an interval"),
        ("low = 1\nhigh = 12", "high = 12", "parameters.depth.low must be a number"),
        ("low = 1\nhigh = 12", "low = 1.5\nhigh = 12", "depth: bounds 1.5 to 12 are not whole"),
        ("low = 0.1", "low = 0", "width: a log scale needs bounds above 0"),
        ("integer = true", 'integer = "yes"', "depth.integer must be true or false (got 'yes')"),
        ("integer = true", "integers = true", "depth.integers is unknown: it must be one of"),
        ('["a4", "d4"]', '["a4"]', "opening: choices must be at least two different values"),
        ("[parameters.depth]", "[parameters.loss]", "name with a table column (got 'loss')"),
        ("[parameters.depth]", "[parameters.seed]", "name with a table column (got 'seed')"),
        ("[parameters.depth]", '[parameters."a b"]', "names of letters, digits and _ (got 'a b')"),
        ('direction = "minimize"', 'direction = "down"', "objective.direction must be"),
        ('kind = "mean"', 'kind = "median"', "objective.kind must be one of mean, rate"),
        ('kind = "mean"', 'kind = ["mean"]', "objective.kind must be one of mean, rate"),
        ('kind = "mean"', 'kind = "rate"', "objective.unit is unknown: it must be one of"),
        (
            'name = "loss"',
            'name = "my loss"',
            "must have a name of letters, digits and _ (got 'my loss')",
        ),
        ("standard_error = 0.01", "standard_error = 0", "standard_error must be above 0"),
        ('per = "move"', 'per = "hour"', "cost.per must be move or game (got 'hour')"),
        ('field = "nodes"', "", "cost.unit must be left out unless cost.field is given"),
        ("step = 0.25", "step = 0.25\nmost = 0.5", "share: high is 1, but must be at most 0.5"),
        ("time_limit = 2.5", 'files = ["none"]', "files must name existing files, relative to "),
        ("cost = 1e6", "cost = 0", "reference.cost must be a number above 0 (got 0)"),
        (
            "[baselines.plain]",
            "[baselines]\nplain = 3\n[baselines.other]",
            "baselines.plain must be a table",
        ),
        ("depth = 3", "depth = [3]", "baseline 'plain': depth must be an integer from 1 to 12"),
        ('opening = "a4"', 'opening = "e4"', "baseline 'plain': opening must be one of a4, d4"),
        ("step = 0.25", "step = inf", "share: steps of inf do not fit into the bounds"),
        ("cost = 1e6", "", "reference must have objective and cost, or neither"),
        ("depth = 3", "depht = 3", "(got depht, width, share, opening)"),
        ("depth = 3", "depth = 30", "baseline 'plain': depth must be an integer from 1 to 12"),
        ('name = "mygame"', 'name = "mygame', "not TOML: "),
        ('name = "mygame"', "speed = 3", "speed is unknown: it must be one of name, title"),
    ],
)
def test_what_is_wrong_is_named_with_its_file(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in MOST
    with pytest.raises(InputError) as refused:
        read(tmp_path, MOST.replace(old, new, 1))
    text = str(refused.value)
    assert text.startswith(f"{tmp_path / 'mine.toml'}: ")
    assert message in text
    assert "\n" not in text


def test_costs_of_the_program_may_have_a_label(tmp_path: Path) -> None:
    found = read(tmp_path, f'{LEAST}[cost]\nper = "game"\nlabel = "CPU time per slice"\n')
    assert (found.cost.name, found.cost.label) == ("seconds_per_game", "CPU time per slice")
    with pytest.raises(InputError, match=r"cost.label must be left out unless cost.per is given"):
        read(tmp_path, f'{LEAST}[cost]\nlabel = "CPU time per slice"\n')


def test_a_reference_holds_for_a_cost_that_a_game_settles(tmp_path: Path) -> None:
    found = read(tmp_path, f"{LEAST}[reference]\nobjective = 1\ncost = 0.5\n")
    assert found.settled(has_moves=True).reference_costs == {"seconds_per_move": 0.5}
    assert found.settled(has_moves=False).reference_costs == {"seconds_per_game": 0.5}


def test_bounds_are_widened_no_further_than_allowed(tmp_path: Path) -> None:
    text = LEAST.replace("integer = true", "integer = true\nleast = 1\nmost = 14")
    found = read(tmp_path, text)
    edges = find_edges(found, [{"depth": 1}, {"depth": 12}])
    assert [(each.is_upper, each.bound) for each in edges] == [(True, 12)]
    assert widened(found.space, [WidenRequest("depth")], edges).parameters[0].high == 14
    with pytest.raises(InputError, match=r"widen: depth: low is 0.0, but must be at least 1"):
        parse_widen_request("depth=0:20", found)
    records = found.space.as_records()
    assert Space.from_records(records) == found.space
    assert "most" not in read(tmp_path, LEAST).space.as_records()[0]


def test_files_that_games_depend_on_are_part_of_the_digest(tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text("a")
    text = f'files = ["data.txt"]\n{LEAST}'
    before = read(tmp_path, text).player.digest
    (tmp_path / "data.txt").write_text("b")
    assert read(tmp_path, text).player.digest != before
    assert read(tmp_path, LEAST).player.digest not in {"", before}


def test_a_path_that_is_no_text_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"must be a TOML file \(it is not a file\)"):
        read_program_file(tmp_path)
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not TOML"):
        read_program_file(tmp_path / "binary.toml")
