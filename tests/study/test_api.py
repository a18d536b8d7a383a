"""Studies from Python: what commands give, in a program that stays as it was."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import altair as alt
import optuna
import pandas as pd
import pytest

import thetafront as public
from tests.processes import python
from tests.study.cli.test_cli import stored_games
from tests.study.made_studies import new_study_in, store_trial
from tests.study.program import succeeded
from thetafront import InputError, RunError, Study, load_experiment, open_study, sweep
from thetafront.agents.external.report import ReportedGame
from thetafront.study.api import call_text
from thetafront.study.experiments.definition import Experiment
from thetafront.study.log.seeds import search_seed
from thetafront.study.log.tables import StudyRow, sealed
from thetafront.study.run.settings import SearchSettings

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "notebook.md"
SMALL: dict[str, Any] = {
    "trials": 6,
    "design_size": 4,
    "jobs": 1,
    "sampler": "random",
    "validation_points": 2,
    "progress": False,
}


@pytest.fixture(scope="module")
def dice(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A small study, in a folder that the call makes."""
    return sweep("dice", results=tmp_path_factory.mktemp("api") / "made", budget=None, **SMALL)


def test_importing_it_imports_nothing_heavy() -> None:
    program = "import thetafront, sys; print(*sys.modules)"
    heavy = {"joblib", "matplotlib", "numba", "numpy", "optuna", "pandas", "rich", "sqlalchemy"}
    assert not heavy & {*python(program).split()}
    assert {*public.__all__} <= {*dir(public)}
    for name in public.__all__:
        assert getattr(public, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = public.nonsense


def test_games_of_an_agent_are_played_once_and_kept(tmp_path: Path) -> None:
    agent = public.agent("random")
    few = public.play(agent, 3, first_seed=5, ledger=tmp_path / "ledger", progress=False)
    more = public.play(agent, 6, first_seed=4, ledger=tmp_path / "ledger", progress=False)
    assert more["seed"].tolist() == [4, 5, 6, 7, 8, 9]
    assert more.iloc[1:4].reset_index(drop=True).equals(few), "to the second: they were kept"
    alone = [agent.play(seed).score for seed in more["seed"]]
    assert more["score_points"].tolist() == alone
    assert public.play(agent, 2, jobs=1, progress=False)["score_points"].tolist() == [
        agent.play(seed).score for seed in (0, 1)
    ]


def test_several_agents_play_the_same_seeds_in_turns(tmp_path: Path) -> None:
    agents = {"one": public.agent("random"), "two": public.agent("pmcts", n_playouts=1)}
    games = public.play(agents, 3, first_seed=7, ledger=tmp_path / "l", jobs=1, progress=False)
    assert games["name"].tolist() == ["one"] * 3 + ["two"] * 3
    assert games["seed"].tolist() == [7, 8, 9] * 2
    assert games["score_points"].tolist() == [
        agent.play(seed).score for agent in agents.values() for seed in (7, 8, 9)
    ]
    played = pd.read_csv(tmp_path / "l" / "games.csv")
    assert played["seed"].tolist() == [7, 7, 8, 8, 9, 9], "no agent is far ahead"


def test_functions_with_the_same_theta_are_several_agents() -> None:
    space = public.Space((public.NumericParameter("x", 0.0, 1.0),))
    players = {"low": lambda seed, x: x + seed, "high": lambda seed, x: x + seed + 10}
    agents = {
        name: Experiment(name, agent=player, space=space, goal=public.mean("value")).build(
            {"x": 0.5}
        )
        for name, player in players.items()
    }
    games = public.play(agents, 2, jobs=1, progress=False)
    assert games.groupby("name")["score"].agg(list).to_dict() == {
        "low": [0.5, 1.5],
        "high": [10.5, 11.5],
    }


@pytest.mark.parametrize(
    "ledger",
    ["/sys", "/proc/none", "a\0b", 3],
)
def test_a_ledger_that_cannot_be_written_is_named(ledger: Any) -> None:
    with pytest.raises((InputError, RunError), match=r"^ledger"):
        public.play(public.agent("random"), 2, ledger=ledger, progress=False)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: public.play({"a": public.agent("random"), "b": public.agent("dice")}, 2),
            "agents must all play the same game (got agents for 2 games)",
        ),
        (lambda: public.play({}, 2), "agents must include at least one agent (got none)"),
        (lambda: public.agent("nobody"), "agent must be one of dice, "),
        (
            lambda: public.agent("mcmdp", speed=3),
            "parameter must be one of mcmdp's: theta1, ",
        ),
        (
            lambda: public.agent("mcmdp", theta1=-3),
            "mcmdp: theta1 must be a whole number",
        ),
        (lambda: public.agent("mcmdp", theta5=10**400), "mcmdp: "),
        (
            lambda: public.play(public.agent("random"), 0),
            "n must be between 1 and 10000000 (got 0)",
        ),
        (
            lambda: public.play(public.agent("random"), 2.5),
            "n must be a whole number between 1 and 10000000 (got 2.5)",
        ),  # type: ignore[arg-type]
        (lambda: public.play("random", 2), "agent must be an agent such as "),  # type: ignore[arg-type]
    ],
)
def test_what_is_not_possible_is_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        call()


def half_fails(seed: int, x: float) -> float:
    if seed == 1:
        raise ValueError("odd")
    return x * seed


@pytest.mark.sweeps
def test_a_game_that_fails_is_reported_and_no_ledger_keeps_what_may_change(tmp_path: Path) -> None:
    space = public.Space((public.NumericParameter("x", 0.0, 1.0),))
    toss = Experiment("toss", agent=half_fails, space=space, goal=public.mean("score"))
    agent = toss.build({"x": 0.5})
    assert public.play(agent, 2, first_seed=2, jobs=1, progress=False).iloc[:, 1].tolist() == [
        1,
        1.5,
    ]
    with pytest.raises(RunError, match="seed 1: ValueError: odd"):
        public.play(agent, 3, jobs=1, progress=False)
    with pytest.raises(InputError, match="ledger must be left out for your own agents"):
        public.play(agent, 3, ledger=tmp_path)


@pytest.mark.sweeps
def test_tables_are_those_that_export_writes(dice: Study) -> None:
    tables = {
        "trials": dice.trials,
        "games": dice.games,
        "front": dice.front,
        "predicted_front": dice.predicted_front,
        "combined_front": dice.combined_front,
        "certificate": dice.certificate,
    }
    written = {path.stem: path for path in dice.export() if path.suffix == ".csv"}
    assert written.keys() == tables.keys()
    for name, table in tables.items():
        assert table.to_csv(index=False).encode() == written[name].read_bytes(), name
    spoilt = dice.trials
    spoilt["state"] = "spoilt"
    assert set(dice.trials["state"]) == {"complete"}, "a table is a copy"


def test_its_page_is_in_its_folder_or_where_one_likes(dice: Study, tmp_path: Path) -> None:
    page = dice.report()
    assert page == dice.folder / "report.html"
    elsewhere = dice.report(tmp_path / "page.html")
    for path in (page, elsewhere):
        assert path.read_text().startswith("<!doctype html>")
        assert f"{len(dice.trials)} trials with" in path.read_text()
    with pytest.raises(InputError, match="does not exist"):
        dice.report(tmp_path / "none" / "page.html")
    (tmp_path / "mine.html").write_text("mine")
    with pytest.raises(InputError, match="not a study page"):
        dice.report(str(tmp_path / "mine.html"))
    assert (tmp_path / "mine.html").read_text() == "mine"


@pytest.mark.parametrize("asked", [("score", 13.0), ("solving_seconds", 10.0)])
def test_a_pick_is_that_of_the_command(dice: Study, asked: tuple[str, float]) -> None:
    name, value = asked
    found = dice.pick(**{name: value})
    words = ["pick", "dice", f"--{name.replace('_', '-')}", str(value), "--games", "0"]
    results = dice.folder.parent
    answer = json.loads(succeeded(results, *words, "--json"))
    assert found.to_dict() == answer
    assert found.theta == answer["params"]
    assert found.goal.value == answer["expected_score"]["mean"]
    assert found.cost.low <= found.cost.value <= found.cost.high
    answer = succeeded(results, *words).rstrip("\n")
    assert str(found) == found.text == answer
    assert found.agent.play(0).score == pytest.approx(found.goal.value, abs=1.0)


@pytest.mark.sweeps
def test_games_of_a_pick_are_kept(dice: Study, tmp_path: Path) -> None:
    study = sweep("dice", results=tmp_path, budget=None, **SMALL)
    n_before = len(study.data.points)
    before = study.pick(score=12)
    assert len(study.data.points) == n_before, "no game is played unasked"
    assert before.n > 0, "the answer has games"
    assert before.to_dict()["untested"] is not None
    after = study.pick(score=12, games=1, jobs=1, progress=False)
    assert len(open_study("dice", results=tmp_path).front) == len(study.front)
    assert len(study.data.points) == n_before + 1
    assert after.to_dict()["n_candidates"] >= 1
    run = study.data.runs[-1]
    opening = f"open_study('dice', results='{tmp_path}')"
    assert run["command_line"] == f"{opening}.pick(games=1, jobs=1, progress=False, score=12)"


def test_a_call_is_recorded_without_its_password() -> None:
    parameters = signature(sweep).parameters.values()
    given = {each.name: each.default for each in parameters}
    given |= {"experiment": "dice", "storage": "postgresql://me:my 's@h/s"}
    assert call_text("sweep", sweep, given) == "sweep('dice', storage='postgresql://me:***@h/s')"


def test_the_chart_shows_itself_and_changes_no_renderer(dice: Study, tmp_path: Path) -> None:
    before = alt.renderers.active
    chart = dice.plot_front()
    shown = chart._repr_mimebundle_()
    assert isinstance(shown, dict)
    assert "text/html" in shown
    spec = chart.to_dict()
    assert isinstance(spec["width"], int), "a notebook's cell has no width to fill"
    rows = [row for values in spec["datasets"].values() for row in values]
    numbers = {row["number"] for row in rows if "number" in row}
    assert numbers == {*dice.front["number"]}
    picture = tmp_path / "front.png"
    chart.save(picture)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert alt.renderers.active == before


def test_the_chart_needs_no_matplotlib_window(dice: Study) -> None:
    program = (
        "import os, sys, thetafront\n"
        f"study = thetafront.open_study('dice', results={str(dice.folder.parent)!r})\n"
        "study.plot_front().to_dict()\n"
        "print('matplotlib.pyplot' in sys.modules, 'MPLBACKEND' in os.environ)"
    )
    assert python(program) == "False False\n"


@pytest.mark.sweeps
def test_a_notebook_shows_html(dice: Study, tmp_path: Path) -> None:
    shown = ElementTree.fromstring(dice._repr_html_())
    assert len(shown.findall(".//tbody/tr")) == len(dice.front)
    assert "Front: Three dice" in "".join(shown.itertext())
    head, row = (shown.find(f".//{where}/tr") for where in ("thead", "tbody"))
    assert head is not None
    assert row is not None
    assert [each.text for each in head][1:4] == ["from", "γ", "δ"]
    assert len(head) == len(row)
    pick = ElementTree.fromstring(dice.pick(score=13)._repr_html_())
    assert pick.text == dice.pick(score=13).text
    unvalidated = sweep("dice", results=tmp_path, validate=False, **SMALL)
    n_near = len(unvalidated.front)
    said = f"<study 'dice' of 'dice': 6 trials, {n_near} points in the table>"
    assert repr(unvalidated) == said, "scores are exact"
    text = "".join(ElementTree.fromstring(unvalidated._repr_html_()).itertext())
    assert "Front: Three dice" in text
    assert n_near >= 1


@pytest.mark.sweeps
def test_calling_it_again_continues(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """And leaves the program as it was; what it says goes to standard error, or nowhere."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)

    def state() -> tuple[object, ...]:
        verbosity = optuna.logging.get_verbosity()
        handler = signal.getsignal(signal.SIGINT)
        return handler, verbosity, dict(os.environ), warnings.formatwarning

    before = state()
    first = sweep("dice", results=tmp_path, budget="30s", validate=False, **SMALL)
    assert capfd.readouterr() == ("", "")
    more = SMALL | {"trials": 8, "progress": True}
    second = sweep("dice", results=str(tmp_path), budget=30, **more)
    out, err = capfd.readouterr()
    assert out == ""
    assert "resuming: 6 trials and 6 games already stored" in err
    assert "for more, use trials\n" in err
    assert state() == before
    pd.testing.assert_frame_equal(
        second.trials.loc[:5, :"tolerance"], first.trials.loc[:, :"tolerance"]
    )
    manifest = json.loads((second.folder / "manifest.json").read_text())
    given = f"sweep('dice', budget=30, results='{tmp_path}', trials=8, jobs=1, sampler='random'"
    assert manifest["command_line"] == f"{given}, design_size=4, validation_points=2)"
    assert len(first.refresh().front) == len(second.front) > 0, "a study is read again when asked"
    assert open_study(f"sqlite:///{tmp_path}/dice/study.db").name == "dice"


@pytest.mark.sweeps
def test_an_experiment_of_ones_own_is_remembered_by_its_study(
    coin: Experiment, tmp_path: Path, dice: Study
) -> None:
    own = replace(coin, name="own", title="A coin of one's own")
    study = sweep(own, results=tmp_path, replicates=3, **SMALL | {"validation_games": 4})
    assert (study.name, study.experiment) == ("own", own)
    assert len(study.games) == 18 + 4 * len(study.front)
    assert study.data.runs[0]["command_line"].startswith("sweep(own, results=")
    assert open_study("own", results=tmp_path).front.equals(study.front)
    other = replace(own, title="Another coin")
    with pytest.raises(
        InputError, match="a different definition: title is now Another coin, not A coin"
    ):
        open_study("own", results=tmp_path, experiment=other)
    again = open_study("own", results=tmp_path, experiment=own)
    assert again.validate(validation_games=6, validation_points=2, jobs=1, progress=False) is again
    assert (again.front["n_games"] >= 6).all()
    assert len(dice.refresh().trials) == 6, "another study of this process"
    with pytest.raises(InputError, match=r"experiment must have a new name \(got 'dice'"):
        sweep(replace(coin, name="dice"), results=tmp_path)


def test_a_study_is_opened_only_with_its_own_experiment(tmp_path: Path) -> None:
    def flip(seed: int, **theta: float) -> float:
        return seed % 2

    def own(*names: str, constraints: tuple[str, ...] = ("x < 0.5",)) -> Experiment:
        space = public.Space(
            tuple(public.NumericParameter(each, 0.0, 1.0) for each in names), constraints
        )
        return Experiment("own", flip, space, public.mean("score"))

    new_study_in(tmp_path, SearchSettings().record(own("x", "y")), "own")
    new_study_in(tmp_path, SearchSettings().record(load_experiment("dice")), "dice")
    assert open_study("own", results=tmp_path, experiment=own("x", "y")).name == "own"
    for name, experiment, difference in (
        ("own", own("x", "y", constraints=()), "constraints ['x < 0.5'], not []"),
        ("own", own("x", "z"), "another search space (y 0 to 1, no z)"),
        ("own", "dice", "your own experiment 'own', not the built-in one"),
        ("dice", own("x", "y"), "the built-in experiment 'dice', not your own"),
    ):
        with pytest.raises(InputError, match="a different definition: ") as error:
            open_study(name, results=tmp_path, experiment=experiment)
        assert difference in str(error.value)


def test_predictions_without_a_constraint_function_come_with_a_warning(tmp_path: Path) -> None:
    space = public.Space((public.NumericParameter("x", 0.0, 1.0),), (lambda theta: theta["x"] < 1,))
    own = Experiment("own", lambda seed, x: x, space, public.mean("score"))
    log = new_study_in(tmp_path, SearchSettings().record(own.settled(False)), "own")
    with warnings.catch_warnings(action="error"):
        assert open_study("own", results=tmp_path).trials.empty, "nothing is predicted"
    games = [ReportedGame(search_seed(0, 0, r), 1.0 + r, 9, 1e-3, {}) for r in range(2)]
    store_trial(log, own.settled(False), {"x": 0.25}, games)
    missing = r"^study 'own': constraint <lambda>\(\) cannot be found here, so all results may"
    with pytest.warns(UserWarning, match=missing):
        assert len(open_study("own", results=tmp_path).trials) == 1
    with warnings.catch_warnings(action="error"):
        assert len(open_study("own", results=tmp_path, experiment=own).trials) == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"experiment": "nonsense"}, "experiment must be one of dice, "),
        ({"budget": "soon"}, "budget must be "),
        ({"budget": -1}, "budget must be "),
        ({"trials": 0}, "trials must be between 1 and "),
        ({"sampler": "nonsense"}, "sampler must be "),
        ({"cost": "nonsense"}, "cost must be "),
        ({"name": "no/name"}, "name must have "),
        ({"results": "no/folder"}, "results: folder 'no/folder' cannot be created: "),
        ({"widen": ["nonsense"]}, "widen must be "),
        ({"jobs": 0}, "jobs must be "),
        ({"experiment": None}, "experiment must be a string or an experiment (got None)"),
        ({"results": 5}, "results must be a string or a path (got 5)"),
        ({"standard_error": "x"}, "standard_error must be a number (got 'x')"),
        ({"scheduler": 5}, "scheduler must be a string (got 5)"),
        ({"tls": 5}, "tls must be a mapping (got 5)"),
        ({"widen": 5}, "widen must be a sequence (got 5)"),
    ],
)
def test_bad_input_is_named(
    given: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=f"^{re.escape(message)}"):
        sweep(**{"experiment": "dice"} | given)
    assert list(tmp_path.iterdir()) == []


def test_so_it_is_of_a_study(dice: Study) -> None:
    for asked, message in (
        ({}, "pick must have exactly one of max_solving_seconds and min_score"),
        ({"seconds_per_move": 1.0}, "pick must have max_solving_seconds or min_score (got seconds"),
        ({"min_score": 1.0, "max_solving_seconds": "1s"}, "pick must have exactly one of"),
        ({"max_solving_seconds": "1q"}, "max_solving_seconds must be a time such as 100us"),
        ({"min_score": "much"}, "min_score must be a number (got 'much')"),
        ({"min_score": True}, "min_score must be a number (got True)"),
        (
            {"score": 1000.0},
            "pick: no θ is expected to reach 1,000.00000 (score); the best reaches ",
        ),
        ({"score": 13.0, "games": -1}, "games must be between 0 and "),
        ({"score": 13.0, "jobs": "x"}, "jobs must be a whole number between 1 and "),
        (
            {"score": 13.0, "min_score": 1.0},
            "pick must have a single limit (got score and min_score",
        ),
    ):
        with pytest.raises(InputError, match=f"^{re.escape(message)}"):
            dice.pick(**asked)  # type: ignore[arg-type]
    for call, message in (
        (lambda: load_experiment(Path("coins.py")), "definition must be a string (got PosixPath"),
        (lambda: open_study(Path("dice")), "study must be a string (got PosixPath('dice'))"),
        (lambda: open_study("dice", results=5), "results must be a string or a path (got 5)"),
        (lambda: open_study("dice", experiment=5), "experiment must be a string or an experiment"),
        (lambda: dice.report(5), "path must be a string or a path (got 5)"),
        (lambda: dice.validate(standard_error="x"), "standard_error must be a number (got 'x')"),
        (lambda: dice.validate(tls=5, scheduler="tcp://a:1"), "tls must be a mapping (got 5)"),
    ):
        with pytest.raises(InputError, match=f"^{re.escape(message)}"):
            call()
    results = dice.folder.parent
    again = open_study("dice", results=results, experiment="dice")
    assert again.trials.equals(dice.trials)
    with pytest.raises(InputError, match=r"there is no .*; studies here: dice"):
        open_study("nonsense", results=results)
    with pytest.raises(InputError, match="study: 'dice' was made with seed 0, not 1"):
        sweep("dice", results=results, seed=1, **SMALL)
    assert not issubclass(InputError, RunError)


@pytest.mark.sweeps
def test_another_thread_may_sweep(tmp_path: Path) -> None:
    found = []
    thread = threading.Thread(
        target=lambda: found.append(sweep("dice", results=tmp_path, budget=None, **SMALL))
    )
    thread.start()
    thread.join(timeout=300)
    assert len(found[0].front) > 0


@pytest.mark.sweeps
def test_an_interrupt_stops_a_sweep_and_the_program_continues(tmp_path: Path) -> None:
    """A script without a guard of its main part; the signal goes to it and its workers alike."""
    script = tmp_path / "script.py"
    script.write_text(f"""
import multiprocessing, signal
from thetafront import open_study, sweep
try:
    sweep("mcmdp", trials=6, replicates=3, jobs=2, results={str(tmp_path)!r})
except KeyboardInterrupt:
    games = open_study("mcmdp", results={str(tmp_path)!r}).games
    is_default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    print(len(games), is_default, multiprocessing.active_children())
""")
    with subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        while stored_games(tmp_path / "mcmdp" / "study.db") < 5:
            assert process.poll() is None
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=300)
    n_games, is_default, children = out.split()
    assert (process.returncode, is_default, children) == (0, "True", "[]"), err
    assert "the same command resumes" in err.replace("\n", " ")
    assert "Traceback" not in err
    table = pd.read_csv(tmp_path / "mcmdp" / "games.csv")
    assert 5 <= len(table) == int(n_games), "tables show what is stored"


CELL = """
from thetafront import Experiment, NumericParameter, Space, cpu_seconds, mean
def play(seed, x):
    return SCALE + x, FILE
FILE, SCALE = None, 3
SPACE = Space((NumericParameter("x", 0.0, 1.0),))
TOY = Experiment("toy", lambda seed, x: play(seed, x)[0], SPACE, mean("value"),
    cost=cpu_seconds("game"))
"""


@pytest.mark.sweeps
@pytest.mark.filterwarnings("error")
def test_a_global_of_a_notebook_that_has_changed_is_refused(tmp_path: Path) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(CELL, "<cell>", "exec"), names)
    small = {**SMALL, "results": tmp_path, "budget": None, "validate": False}
    study = sweep(names["TOY"], **small)
    names["SCALE"] = 30
    with pytest.raises(InputError, match="definition has changed: SCALE is now 30, not 3;"):
        sweep(names["TOY"], **small)
    with pytest.raises(InputError, match=r"a different definition: SCALE is now 30, not 3$"):
        open_study("toy", results=tmp_path, experiment=names["TOY"])
    names["SCALE"] = 3
    forget_dependencies(study)  # as in a study of before
    with pytest.warns(UserWarning, match="'toy': an earlier version did not record everything"):
        assert len(sweep(names["TOY"], **{**small, "trials": 7}).trials) == 7
    with (tmp_path / "data").open("w") as names["FILE"]:
        names["SCALE"] = 4
        unnoticed = pytest.warns(RuntimeWarning, match=r"these dependencies of .* FILE: cannot")
        with unnoticed, pytest.raises(InputError, match="SCALE is now 4, not 3"):
            sweep(names["TOY"], **small)


def forget_dependencies(study: Study) -> None:
    """Make a study's record as an earlier version wrote it."""
    assert study.location.database is not None
    with closing(sqlite3.connect(study.location.database)) as database, database:
        ((name, text),) = database.execute("SELECT name, record FROM thetafront_study")
        record = json.loads(text)
        del record["definition"]["content"]["depends_on"]
        record["definition"]["digest"] = "c6bebc7250de"
        row = sealed(StudyRow(name, json.dumps(record)))
        database.execute("UPDATE thetafront_study SET record = ?, checksum = ?", row[1:])


@pytest.mark.sweeps
def test_the_page_about_notebooks_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page = PAGE.read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
    assert len(blocks) == 6
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    assert capsys.readouterr().out.startswith("{'gamma': ")
    written = (tmp_path / "front.html").read_text()
    assert "vegaEmbed" in written
    assert "<script src=" not in written, "the script is inside"
    assert (tmp_path / "results" / "dice" / "pareto.png").exists()
    assert len(open_study("narrow").trials) == 8
