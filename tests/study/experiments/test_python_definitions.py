"""Experiments from Python files, modules and packages: how they are found, and what is refused."""

import pickle
import re
import sys
import time
from dataclasses import asdict, replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pandas as pd
import pytest

from tests.study.experiments.definitions import COINS, SEARCHER
from thetafront.agents.agent import ChangedError, GameError
from thetafront.agents.external.limits import Limits
from thetafront.agents.external.program import Program
from thetafront.agents.external.python import PythonAgent
from thetafront.agents.twenty48.agent import Game2048
from thetafront.study.errors import InputError
from thetafront.study.experiments import registry
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.definition_record import Definition
from thetafront.study.experiments.dimension import NumericParameter
from thetafront.study.experiments.game_summary import TileSummary
from thetafront.study.experiments.objectives.costs import reported
from thetafront.study.experiments.objectives.goals import mean
from thetafront.study.experiments.registry import experiment, is_definition, listed
from thetafront.study.experiments.space import Space
from thetafront.study.experiments.widening import WidenRequest, find_edges, widened
from thetafront.study.log.manifest import ROOT
from thetafront.study.log.same_game import timed_fields
from thetafront.study.run.first_games import settled

SPACE = 'Space((NumericParameter("effort", 1, 9),))'
BEGIN = "from thetafront import Experiment, NumericParameter, Space, mean\n"


def write(folder: Path, text: str, name: str = "mine.py") -> str:
    """Write a file; return its path."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_function_plays(tmp_path: Path) -> None:
    found = experiment(write(tmp_path, COINS))
    assert (found.name, found.source) == ("coins", f"{tmp_path / 'mine.py'}:COINS")
    agent = found.build({"effort": 3, "side": "edge"})
    game = agent.play(5)
    assert game == agent.play(5) or game.seconds != agent.play(5).seconds
    assert game.score in {0.0, 1.0}
    assert 5 <= game.n_moves <= 15
    assert 0 <= game.luck < 1


def test_an_agent_of_the_package_has_games_of_its_own_class() -> None:
    """A study with games of another class cannot be read."""
    space = Space((NumericParameter("n_simulations", 4, 40, integer=True, log=True),))
    made = Experiment("mine", "uct", space, mean("score"), fixed={"leaf_value": "lookahead"})
    assert isinstance(made.summary, TileSummary)
    assert made.summary.game is Game2048
    record = Definition.from_experiment(made)
    again = record.experiment("mine", space, made.cost.name, made.fixed, made.player)
    assert again.summary == made.summary
    for baselines, message in (
        ({"base": {"n_simulations": 300}}, "n_simulations must be an integer from 4 to 40"),
        ({"base": {}}, "must have n_simulations"),
        ({"proposal": {"n_simulations": 9}}, "must not be called 'proposal'"),
        ({"trial 3": {"n_simulations": 9}}, "must not be called 'trial 3'"),
    ):
        with pytest.raises(ValueError, match=message):
            Experiment("mine", "uct", space, mean("score"), baselines=baselines)
    row = pd.DataFrame([{"n_simulations": 9}]).iloc[0]  # as of a study's table of trials
    assert replace(made, baselines={"row": row}).baselines == {"row": {"n_simulations": 9}}


def test_a_file_s_definition_is_not_silently_replaced_by_a_script_s(tmp_path: Path) -> None:
    loaded = experiment(write(tmp_path, COINS))

    def play(seed: int, effort: int, side: str) -> int:
        return effort

    stored = Definition.from_experiment(loaded)
    (change,) = stored.changes(Definition.from_experiment(replace(loaded, agent=play, source="")))
    assert change == f"it is no longer loaded from {loaded.source}, as `load_experiment` does"
    assert stored.changes(Definition.from_experiment(loaded)) == []


def test_bounds_of_a_goal_must_stay(tmp_path: Path) -> None:
    was = experiment(write(tmp_path, SEARCHER))
    stored = Definition.from_experiment(was)
    limited = replace(was, goal=mean("error", unit="bits", direction="minimize", high=1.0))
    assert stored.objectives_changed(Definition.from_experiment(was)) == []
    (change,) = stored.objectives_changed(Definition.from_experiment(limited))
    assert "limits" in change


def test_a_cost_keeps_its_unit_and_gets_the_label_of_today(tmp_path: Path) -> None:
    was = experiment(write(tmp_path, SEARCHER))

    def record(unit: str, label: str | None = None) -> Definition:
        cost = reported("fit_ms", unit=unit, label=label)
        return Definition.from_experiment(replace(was, costs=(), cost=cost))

    changes = record("ms").objectives_changed(record("s"))
    assert changes == ["unit of fit_ms_per_game is now s, not ms"]
    named = replace(was, costs=(), cost=reported("work", unit="ms"))
    counted = replace(was, costs=(), cost=reported("work"))
    assert ["reported_work" in timed_fields(each) for each in (named, counted)] == [True, False]
    assert record("").objectives_changed(record("ms")) == []
    assert record("us").objectives_changed(record("\u00b5s")) == []
    assert len(record("ms").objectives_changed(record("moves"))) == 1
    assert record("node").objectives_changed(record("nodes")) == []
    assert record("ms", "fit ms per game").changes(record("ms")) == []
    for label in ("fit ms a game", "fit ms per game"):
        stored = Definition.read(asdict(record("ms", label)))
        assert stored.changes(record("ms")) == []


def test_a_script_that_loads_itself_stays_the_main_module(tmp_path: Path) -> None:
    path = write(tmp_path, COINS)
    main = sys.modules["__main__"]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(main, "__file__", path, raising=False)
        experiment(path)
        assert sys.modules["__main__"] is main


def test_a_class_plays_and_what_is_left_out_is_in_the_middle(tmp_path: Path) -> None:
    found = experiment(write(tmp_path, SEARCHER))
    assert dict(found.build({}).theta) == {"depth": 3, "width": 2.0}
    game = found.build({"depth": 2, "width": 3.0}).play(0)
    assert game.score == pytest.approx(-3.0 + 2.0 + 1.0 - 0.1)
    assert game.n_moves == 1


def test_agents_travel_as_the_place_of_their_definition(tmp_path: Path) -> None:
    agent = experiment(write(tmp_path, COINS)).build({"effort": 3, "side": "edge"})
    sent = pickle.loads(pickle.dumps(agent))
    assert isinstance(sent, PythonAgent)
    assert sent.player is None
    assert (sent.play(7).score, sent.play(7).luck) == (agent.play(7).score, agent.play(7).luck)


def test_code_that_changed_meanwhile_is_not_played(tmp_path: Path) -> None:
    path = write(tmp_path, COINS)
    sent = pickle.loads(pickle.dumps(experiment(path).build({"effort": 3, "side": "edge"})))
    write(tmp_path, COINS + "\n# changed\n")
    with pytest.raises(ChangedError, match="has changed since the run began"):
        sent.play(1)


def test_a_module_beside_the_file_is_part_of_the_definition(tmp_path: Path) -> None:
    (tmp_path / "odds_beside.py").write_text("ODDS = 0.5\n")
    text = (
        f"{BEGIN}from odds_beside import ODDS\ndef play(seed, effort): return ODDS\n"
        f"MINE = Experiment('mine', play, {SPACE}, mean('odds'))\n"
    )
    found = experiment(write(tmp_path, text, "uses.py"))
    assert found.build({}).play(0).score == 0.5
    before = found.player.source.digest
    (tmp_path / "odds_beside.py").write_text("ODDS = 0.6\n")
    assert found.player.source.digest != before


def test_modules_and_entry_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "theirs_pkg").mkdir()
    (tmp_path / "theirs_pkg" / "__init__.py").write_text("")
    write(tmp_path / "theirs_pkg", COINS, "games.py")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = experiment("theirs_pkg.games:COINS")
    assert found.source == "theirs_pkg.games:COINS"
    assert found.build({"effort": 2, "side": "face"}).play(1).score in {0.0, 1.0}
    points = {
        "theirs": EntryPoint("theirs", "theirs_pkg.games:COINS", registry.GROUP),
        "broken": EntryPoint("broken", "theirs_pkg.nothing:X", registry.GROUP),
    }
    monkeypatch.setattr(registry, "installed_experiments", lambda: points)
    assert experiment("theirs").source == "theirs_pkg.games:COINS"
    assert is_definition("theirs")
    shown = {origin: (each and each.name, error) for each, origin, error in listed()}
    assert shown["theirs_pkg.games:COINS"] == ("coins", "")
    assert "ModuleNotFoundError" in shown["theirs_pkg.nothing:X: broken"][1]
    with pytest.raises(InputError, match=r"must be one of broken, dice, .* theirs, uct"):
        experiment("chess")


REFUSED = {
    "no experiment": ("x = 1\n", "has no Experiment"),
    "several": (
        COINS + "OTHER = Experiment('other', play, COINS.space, COINS.goal)\n",
        "has 2 experiments; give {path}:COINS or {path}:OTHER",
    ),
    "import error": ("import os\nimport no_such_module_here\n", "(mine.py, line 2)"),
    "syntax error": ("x = (\n", "SyntaxError: '(' was never closed ({path}, line 1)"),
    "error": (
        "def f():\n    return 1 / 0\nf()\n",
        "ZeroDivisionError: division by zero (mine.py, line 2)",
    ),
    "exit": ("import sys\nsys.exit(3)\n", "SystemExit: 3 (mine.py, line 2)"),
    "mutable class": (
        f"{BEGIN}class A:\n    def play(self, seed): return 1\n"
        f"M = Experiment('m', A, {SPACE}, mean())\n",
        "agent must be a frozen dataclass (got A, whose state may change)",
    ),
    "mutable dataclass": (
        f"from dataclasses import dataclass\n{BEGIN}@dataclass\nclass A:\n    effort: float\n"
        f"    def play(self, seed): return 1\nM = Experiment('m', A, {SPACE}, mean())\n",
        "agent must be a frozen dataclass (got A, whose state may change)",
    ),
    "no play": (
        f"{BEGIN}class A: pass\nM = Experiment('m', A, {SPACE}, mean())\n",
        "agent must have play(seed), which A lacks",
    ),
    "other parameters": (
        f"{BEGIN}def play(seed, efort): return 1\nM = Experiment('m', play, {SPACE}, mean())\n",
        "agent: play cannot be called with seed, effort: ",
    ),
    "fixed values": (
        f"{BEGIN}def play(seed, effort, x): return 1\n"
        f"M = Experiment('m', play, {SPACE}, mean(), fixed={{'x': 1}})\n",
        "fixed must be left out for your own agent (got x)",
    ),
    "no agent": (
        f"{BEGIN}M = Experiment('m', 3, {SPACE}, mean())\n",
        "agent must be a function, a class with play(seed)",
    ),
    "one field for both": (
        f"{BEGIN}from thetafront import reported\n"
        f"M = Experiment('m', print, {SPACE}, mean('time'), cost=reported('time'))\n",
        "goal and cost must be different fields (got 'time')",
    ),
    "a column's name": (
        f"{BEGIN}M = Experiment('m', print, Space((NumericParameter('trial', 1, 2),)), mean())\n",
        "parameters must not share a name with a table column (got 'trial')",
    ),
    "a column of the goal": (
        f"{BEGIN}M = Experiment('m', print, Space((NumericParameter('x_mean', 1, 2),)), mean('x'))",
        "parameters must not share a name with a table column (got 'x_mean')",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_one_line_with_its_place(tmp_path: Path, name: str) -> None:
    text, message = REFUSED[name]
    path = write(tmp_path, text)
    with pytest.raises(InputError) as refused:
        experiment(path)
    assert message.replace("{path}", path) in str(refused.value)
    assert "\n" not in str(refused.value)
    assert {each.name for each in tmp_path.iterdir()} == {"mine.py"}


def test_a_definition_survives_its_record(tmp_path: Path) -> None:
    for text in (COINS, SEARCHER):
        found = experiment(write(tmp_path, text, f"d{len(text)}.py")).settled(has_moves=True)
        record = Definition.from_experiment(found)
        again = record.experiment(found.name, found.space, found.cost.name, {}, found.player)
        assert Definition.from_experiment(again) == record
        assert (again.goal, again.costs, again.summary) == (found.goal, found.costs, found.summary)
        assert not record.changes(Definition.from_experiment(again))


def test_what_a_module_imports_from_its_folder_is_part_of_the_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "beside_module.py").write_text("ODDS = 0.5\n")
    write(tmp_path, f"import beside_module\n{COINS}", "of_module.py")
    files = {path.name for path in experiment("of_module:COINS").player.source.files}
    assert files == {"of_module.py", "beside_module.py"}


def test_what_a_game_imports_is_part_of_the_digest_before_the_first_game(tmp_path: Path) -> None:
    (tmp_path / "lazy_beside.py").write_text("ODDS = 0.5\n")
    text = (
        f"{BEGIN}def play(seed, effort):\n    import lazy_beside\n    return lazy_beside.ODDS\n"
        f"MINE = Experiment('mine', play, {SPACE}, mean('odds'))\n"
    )
    found = experiment(write(tmp_path, text, "uses_lazily.py"))
    sent = pickle.loads(pickle.dumps(found.build({})))
    assert [sent.play(seed).score for seed in range(3)] == [0.5, 0.5, 0.5]
    again = pickle.loads(pickle.dumps(found.build({})))
    assert again.play(3).score == 0.5
    assert {path.name for path in found.player.source.files} == {"uses_lazily.py", "lazy_beside.py"}


def test_a_changed_file_is_imported_again(tmp_path: Path) -> None:
    path = write(tmp_path, COINS)
    assert experiment(path).name == "coins"
    write(tmp_path, COINS.replace('name="coins"', 'name="other"'))
    assert experiment(path).name == "other"


def test_the_first_game_of_a_process_is_thrown_away(tmp_path: Path) -> None:
    text = (
        f"import time\n{BEGIN}READY = []\ndef play(seed, effort):\n"
        "    end = time.process_time() + (0.0 if READY else 0.3)\n    READY.append(seed)\n"
        "    while time.process_time() < end: pass\n    return len(READY)\n"
        f"MINE = Experiment('mine', play, {SPACE}, mean('n'))\n"
    )
    game = experiment(write(tmp_path, text, "cold.py")).build({}).play(5)
    assert game.score == 2.0
    assert game.seconds < 0.1


def test_ranges_that_a_class_declares_limit_the_space_and_its_widening(tmp_path: Path) -> None:
    text = (
        "from dataclasses import dataclass\nfrom thetafront.agents.parameters import real\n"
        f"{BEGIN}@dataclass(frozen=True)\nclass A:\n    effort: float = real(1.0, 1.0, 12.0)\n"
        "    def play(self, seed): return self.effort\n"
        f"MINE = Experiment('mine', A, {SPACE}, mean())\n"
    )
    found = experiment(write(tmp_path, text, "ranges.py"))
    edges = find_edges(found, [{"effort": 1}, {"effort": 9}])
    assert [each.is_upper for each in edges] == [True]
    assert widened(found.space, [WidenRequest("effort")], edges).parameters[0].high == 12.0
    with pytest.raises(InputError, match=r"effort must be between 1 and 12 \(got 0\)"):
        experiment(write(tmp_path, text.replace("1, 9", "0, 9"), "beyond.py"))
    declared = text.replace("import real", "import Tuned, real").replace(
        SPACE, "Space.from_agent(A)"
    )
    declared = declared.replace("12.0)", "12.0, 'seconds', 'e', Tuned(2.0, 8.0, log=True))")
    (parameter,) = experiment(write(tmp_path, declared, "declared.py")).space
    assert parameter == NumericParameter("effort", 2.0, 8.0, log=True, symbol="e")
    assert parameter.description == "seconds"
    with pytest.raises(InputError, match=r"effort must be a Tuned range \(got True\)"):
        experiment(write(tmp_path, declared.replace("Tuned(2.0, 8.0, log=True)", "True"), "no.py"))


def test_another_goal_asks_for_another_field(tmp_path: Path) -> None:
    found = experiment(write(tmp_path, SEARCHER))
    other = replace(found, goal=mean("error", direction="minimize"), name="other")
    assert other.build({"depth": 2, "width": 3.0}).play(0).score == pytest.approx(-0.1)
    wanted = replace(found, goal=mean("nothing"))
    with pytest.raises(GameError, match="a report must have 'nothing' or 'score'"):
        wanted.build({}).play(0)


def block(page: str, language: str) -> str:
    """Return the first block of code in this language on a page of the documentation."""
    found = re.search(
        rf"^```{language}\b[^\n]*\n(.*?)^```$",
        (ROOT / "docs" / page).read_text("utf-8"),
        re.M | re.S,
    )
    assert found, (page, language)
    return found.group(1)


def test_the_definitions_of_the_docs_are_experiments(tmp_path: Path) -> None:
    found = experiment(write(tmp_path, block("tutorial.md", "python"), "docs_coins.py"))
    scores = [found.build({"effort": 60}).play(seed).score for seed in range(40)]
    assert 20 <= sum(scores) <= 39  # of 40 at p = 0.75
    (tmp_path / "mygame").write_text("#!/bin/sh\necho '{\"score\": 1}'\n")
    (tmp_path / "mygame").chmod(0o755)
    mine = experiment(write(tmp_path, block("how-to/program.md", "toml"), "mygame.toml"))
    assert mine.build({}).play(0).score == 1.0
    searcher = experiment(
        write(tmp_path, block("how-to/python-agent.md", "python"), "docs_searcher.py")
    )
    assert 3.0 <= searcher.build({"depth": 9}).play(0).score < 4.0


def test_limits_of_an_experiment_hold_for_functions_and_programs(tmp_path: Path) -> None:
    given = (
        'time_limit=20, cpu_time_limit=1.5, memory_limit="2 GB", environment={"LEVEL": "3"}, '
        "baselines={}"
    )
    text = (
        f"{BEGIN}import os\ndef play(seed, effort): return int(os.environ['LEVEL'])\n"
        f"M = Experiment('m', play, {SPACE}, mean('x'), {given})\n"
    )
    found = experiment(write(tmp_path, text, "limited.py"))
    limits = Limits(seconds=20, cpu_seconds=1.5, memory=2_000_000_000, environment={"LEVEL": "3"})
    agent = pickle.loads(pickle.dumps(found.build({})))
    assert agent.limits == limits
    assert agent.play(0).score == 3
    made = Definition.from_experiment(found).experiment(
        "m", found.space, found.cost.name, {}, found.player
    )
    assert made.build({}).limits == limits
    program = replace(found, agent=Program(("cat",), str(tmp_path))).player.program
    assert (program.seconds, program.memory, program.environment) == (20, 2 * 10**9, {"LEVEL": "3"})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("time_limit=0", "time_limit must be above 0 s (got 0)"),
        ("cpu_time_limit=-1", "cpu_time_limit must be above 0 seconds (got -1)"),
        ("memory_limit='much'", "memory_limit must be a size such as '500 MB' (got 'much')"),
        ("environment={'X': 1}", "environment.X must be text (got 1)"),
        ("agent='mcmdp', time_limit=3", "limits and environment apply only to your own agents"),
    ],
)
def test_limits_that_are_none(tmp_path: Path, given: str, message: str) -> None:
    agent = "" if given.startswith("agent") else "agent=print, "
    text = f"{BEGIN}M = Experiment('m', {agent}space={SPACE}, goal=mean(), {given})\n"
    with pytest.raises(InputError, match=re.escape(message)):
        experiment(write(tmp_path, text))


def test_a_first_game_that_hangs_takes_no_more_than_the_budget(tmp_path: Path) -> None:
    text = (
        f"{BEGIN}def play(seed, effort):\n    while True: pass\n"
        f"M = Experiment('m', play, {SPACE}, mean())\n"
    )
    found = experiment(write(tmp_path, text))
    began = time.monotonic()
    with pytest.raises(InputError, match=r"its first game .* did not end within the budget"):
        settled(found, 0, 2.0)
    assert time.monotonic() - began < 6.0
