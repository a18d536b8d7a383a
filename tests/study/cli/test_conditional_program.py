"""A program with constraints and conditional parameters, which checks what it is given."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.study.cli.test_definitions import check_published, n_trials, refused, thetafront
from tests.study.program import signalled
from thetafront.agents.external.program import Program
from thetafront.study.api import sweep
from thetafront.study.charts.hypervolume import hypervolume_trace
from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.dimension import CategoricalParameter, NumericParameter
from thetafront.study.experiments.objectives.costs import reported
from thetafront.study.experiments.objectives.goals import mean
from thetafront.study.experiments.space import Space

PROGRAM = """import json, random, sys
asked = json.loads(sys.stdin.readline())
active = {"seed", "solver", "alpha", "threads"}
active |= {"batch"} if asked["solver"] != "lbfgs" else set()
active |= {"momentum", "nesterov"} if asked["solver"] == "sgd" else set()
assert set(asked) == active, asked
words = sys.argv[1:]
assert ("--batch" in words) == ("batch" in asked), words
assert any(each.startswith("--momentum=") for each in words) == ("momentum" in asked), words
assert words[-1] == "last" and "" not in words, words
assert asked.get("batch", 0) * asked.get("momentum", 0) <= 128, asked
assert asked["threads"] in (1, 2, 4) and type(asked["threads"]) is int, asked
assert type(asked.get("nesterov", True)) is bool, asked
score = {"sgd": 0.4, "adam": 0.3, "lbfgs": 0.2}[asked["solver"]] - asked["alpha"]
score += 0.1 * asked.get("momentum", 0) + random.Random(asked["seed"]).gauss(0, 0.02)
print(json.dumps({"score": score, "work": 10 + asked.get("batch", 100) * asked["threads"]}))
"""
DEFINITION = """name = "solver"
command = ["python3", "-S", "solver.py", "--batch", "{batch}", "--momentum={momentum}", "last"]
constraints = ["batch * momentum <= 128"]
[parameters.solver]
choices = ["sgd", "adam", "lbfgs"]
[parameters.alpha]
low = 0.001
high = 1
log = true
[parameters.batch]
low = 8
high = 256
integer = true
log = true
when = {solver = ["sgd", "adam"]}
[parameters.momentum]
low = 0
high = 1
when = {solver = "sgd"}
[parameters.nesterov]
choices = [true, false]
when = {solver = "sgd"}
[parameters.threads]
choices = [1, 2, 4]
[objective]
name = "score"
[cost]
field = "work"
[baselines.usual]
solver = "lbfgs"
alpha = 0.01
threads = 2
"""
SWEEP = ["--trials", "8", "--design-size", "4", "--replicates", "2", "--validation-games", "3"]
SWEEP += ["--validation-points", "2", "--budget", "none", "--jobs", "1"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "solver.py").write_text(PROGRAM)
    (tmp_path / "solver.toml").write_text(DEFINITION)
    return tmp_path


@pytest.mark.slow
def test_a_killed_sweep_continues_and_nothing_inactive_is_played_stored_or_shown(
    folder: Path,
) -> None:
    database = folder / "results" / "solver" / "study.db"
    signalled(["sweep", "solver.toml", *SWEEP], folder, lambda: n_trials(database) >= 3)
    said = thetafront(folder, "sweep", "solver.toml", *SWEEP)
    assert "failed" not in said
    assert "–" in said, "the baseline has no batch"
    tables = {
        name: pd.read_csv(folder / "results" / "solver" / f"{name}.csv")
        for name in ("trials", "front")
    }
    assert tables["trials"]["state"].tolist() == ["complete"] * 8
    for table in tables.values():
        lbfgs = table["solver"] == "lbfgs"
        assert lbfgs.any()
        assert (table["batch"].isna() == lbfgs).all()
        assert (table["momentum"].isna() == (table["solver"] != "sgd")).all()
        assert (table["nesterov"].isna() == (table["solver"] != "sgd")).all()
        assert not (table["batch"] * table["momentum"] > 128).any()
        assert set(table["threads"]) <= {1, 2, 4}
    assert "ok" in thetafront(folder, "verify", "solver")
    picked = thetafront(folder, "pick", "solver", "--work-per-game", "500")
    assert "thetafront play" in picked
    check_published(folder, "solver", "solver.toml", "solver.py")


@pytest.mark.sweeps
def test_another_constraint_is_another_study(folder: Path) -> None:
    few = ["--trials", "2", "--design-size", "2", "--replicates", "1", "--no-validation"]
    few += ["--jobs", "1", "--budget", "none"]
    thetafront(folder, "sweep", "solver.toml", *few)
    (folder / "solver.toml").write_text(DEFINITION.replace("<= 128", "<= 64"))
    line = refused(folder, "sweep", "solver.toml", *few)
    assert "constraints ['batch * momentum <= 128'], not ['batch * momentum <= 64']" in line
    wider = DEFINITION.replace('when = {solver = "sgd"}', 'when = {solver = ["sgd", "adam"]}', 1)
    (folder / "solver.toml").write_text(wider)
    line = refused(folder, "sweep", "solver.toml", *few)
    assert "another search space (momentum 0 to 1 when solver is sgd)" in line
    (folder / "solver.toml").write_text(DEFINITION)
    assert "2 trials" in thetafront(folder, "sweep", "solver.toml", *few)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("batch * momentum", "batch * moment", "moment is not one of solver, alpha, batch"),
        ("batch * momentum <= 128", "alpha == 0.01", "constraints must be satisfied by 4 or more"),
        ('["batch * momentum <= 128"]', "[3]", "constraints must be a list of texts"),
        (
            '["batch * momentum <= 128"]',
            '"a < b"',
            "constraints must be a list of texts (got 'a < b')",
        ),
        ('when = {solver = "sgd"}', 'when = "sgd"', "when must be a table (got 'sgd')"),
        (
            "[true, false]",
            '[true, "false"]',
            "choices must be all texts, all numbers, or true and false",
        ),
        ("threads = 2", "threads = 2\nbatch = 8", "batch must be left out unless solver is"),
        ("threads = 2", "", "threads must have a value"),
        ("threads = 2", "threads = true", "threads must be one of 1, 2, 4 (got True)"),
    ],
)
def test_what_is_wrong_is_told_in_a_line(folder: Path, old: str, new: str, message: str) -> None:
    (folder / "solver.toml").write_text(DEFINITION.replace(old, new))
    line = refused(folder, "try", "solver.toml")
    assert message in line


def test_a_game_is_played_with_what_is_active(folder: Path) -> None:
    said = thetafront(folder, "play", "solver.toml", "--set", "solver=lbfgs", "--games", "1")
    assert "batch" not in said
    line = refused(folder, "play", "solver.toml", "--set", "solver=lbfgs", "--set", "batch=8")
    assert "batch must be left out unless solver is sgd or adam" in line
    given = ["solver=sgd", "batch=256", "momentum=0.9", "nesterov=false", "threads=2"]
    words = [word for each in given for word in ("--set", each)]
    assert "constraint 'batch * momentum <= 128' is not" in refused(
        folder, "play", "solver.toml", *words
    )
    tried = thetafront(folder, "try", "solver.toml", "--corners", "0")
    assert tried.count("work") == 1, "a cost is in one column, not again among what games report"
    assert "corners that break a constraint are left out" in tried
    words[words.index("momentum=0.9")] = "momentum=0.25"
    assert "momentum 0.25" in thetafront(folder, "play", "solver.toml", *words, "--games", "1")


def test_words_of_inactive_parameters_are_left_out() -> None:
    command = ("python3", "-v", "x{a}y", "--b", "{b}", "{b}", "--c={c}", "{seed}", "{{b}}")
    program = Program(command)
    assert program.words({"a": 1, "b": True, "c": "x"}, 7)[1:] == (
        *("-v", "x1y", "--b", "true", "true", "--c=x", "7", "{b}"),
    )
    assert program.words({"a": 1}, 7)[1:] == ("-v", "x1y", "7", "{b}")


def played(seed: int, kind: str, depth: int = 0) -> dict[str, float]:
    """Play a game of a Python function."""
    assert (kind == "deep") == (depth > 0)
    return {"score": depth + np.random.default_rng(seed).normal(), "work": 1.0 + depth}


def needs_all(seed: int, kind: str, depth: int) -> float:
    return seed + depth + len(kind)


def of(agent: object) -> Experiment:
    return Experiment(
        name="deep",
        agent=agent,
        space=Space(
            (
                NumericParameter("depth", 1, 9, integer=True, when={"kind": "deep"}),
                CategoricalParameter("kind", ("flat", "deep")),
            ),
            ("depth != 5",),
        ),
        goal=mean("score"),
        cost=reported("work"),
    )


@pytest.mark.sweeps
def test_a_function_is_called_without_inactive_parameters(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="inactive: needs_all cannot be called with seed, kind"):
        of(needs_all)
    study = sweep(of(played), trials=8, design_size=4, results=tmp_path, validate=False, jobs=1)
    trials = study.trials
    assert (trials["state"] == "complete").all()
    assert (trials["depth"].isna() == (trials["kind"] == "flat")).all()
    assert not (trials["depth"] == 5).any()
    assert hypervolume_trace(study.data)["n_trials"].iloc[-1] == 8


def test_an_old_study_with_numbers_as_texts_continues(folder: Path) -> None:
    """Choices of a TOML file were texts once: the study's own stay what they are."""
    program = "import json, sys\nasked = json.loads(sys.stdin.readline())\n"
    program += "assert asked['threads'] in ('1', '2')\nprint(asked['seed'])\n"
    (folder / "old.py").write_text(program)
    text = 'command = ["python3", "-S", "old.py"]\n[parameters.threads]\nchoices = ["1", "2"]\n'
    text += '[baselines.one]\nthreads = "1"\n'
    (folder / "old.toml").write_text(text)
    few = ["--design-size", "2", "--replicates", "1", "--no-validation", "--budget", "none"]
    few += ["--jobs", "1", "--trials"]
    thetafront(folder, "sweep", "old.toml", *few, "2")
    (folder / "old.toml").write_text(text.replace('["1", "2"]', "[1, 2]"))
    assert "failed" not in thetafront(folder, "sweep", "old.toml", *few, "4")


def test_inputs_that_are_no_theta() -> None:
    with pytest.raises(InputError, match=r"depth must have a value \(got none\)"):
        of(played).space.check({"kind": "deep"})
