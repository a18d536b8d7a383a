"""What the code of a script or notebook depends on: every change of it is noticed, by name."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.processes import python
from thetafront.agents.agent import digits
from thetafront.agents.external.dependencies import Dependencies

NOTEBOOK = """
import enum, functools, operator, re
from dataclasses import dataclass, field
import numpy as np
import user_tables
from user_tables import LEVEL

SCALE = 3
NESTED = {"a": [1, (2, {"x", "y", "z"})], "b": frozenset({"p", "q"})}
TABLE = np.arange(6.0)
LONG = list(range(1000))
LOOP = [1]
LOOP.append(LOOP)
CALLS = 0

class Side(enum.Enum):
    LEFT = 1
    RIGHT = 2

@dataclass(frozen=True)
class Settings:
    depth: int = 2
    widths: tuple = (1, 2)
    names: list = field(default_factory=list)

SETTINGS = Settings(4)

class Base:
    BONUS = 5
    def bonus(self): return self.BONUS + DEEP
DEEP = 1

class Helper(Base):
    def __init__(self, x): self.x = x
    @property
    def twice(self): return 2 * self.x
    @staticmethod
    def half(x): return x / HALF
    @functools.cached_property
    def thrice(self): return THIRD * self.x
HALF, THIRD = 2, 3
HELPER = Helper(7)

@functools.lru_cache
def cached(x): return x + IN_CACHED
IN_CACHED = 1

def decorated(f):
    @functools.wraps(f)
    def inner(*args): return f(*args) + IN_DECORATOR
    return inner
IN_DECORATOR = 1

@decorated
def plus(x): return x + 1

def made(offset):
    return lambda x: x + offset
SHIFT = made(10)
PART = functools.partial(plus, 3)
PATTERN = re.compile("a+")
class Scaled:
    def __init__(self, func, factor): self.func, self.factor = func, factor
    def __call__(self, x): return self.factor * self.func(x)
SCALED = Scaled(plus, 8)

def play(seed, x, power=2, *, base=1):
    global CALLS
    CALLS += 1
    def inside(): return NESTED, TABLE, LONG, LOOP, Side.LEFT, [SETTINGS for _ in "a"]
    import user_local
    return (SCALE, inside(), HELPER, Helper.bonus, cached(1), plus(2), SHIFT(1), PART(),
        PATTERN, SCALED(1),
        user_tables.ODDS, user_tables.odds(), LEVEL, user_local.NEAR, operator.add(1, 2))
"""
TABLES = "ODDS = [0.5]\nLEVEL = 9\nHIDDEN = 1\ndef odds(): return HIDDEN\n"
CHANGES = {
    "global": ("SCALE = 3", "SCALE = 30", "SCALE"),
    "read within a function's function": ('{"x", "y", "z"}', '{"x", "y", "w"}', "NESTED"),
    "array": ("np.arange(6.0)", "np.arange(6)", "TABLE"),
    "long list": ("range(1000)", "range(1001)", "LONG"),
    "list in itself": ("LOOP = [1]", "LOOP = [2]", "LOOP"),
    "enum": ("LEFT = 1", "LEFT = 3", "Side"),
    "frozen dataclass": ("Settings(4)", "Settings(5)", "SETTINGS"),
    "default factory": ("default_factory=list", "default_factory=tuple", "Settings"),
    "object's state": ("Helper(7)", "Helper(8)", "HELPER"),
    "base class": ("BONUS = 5", "BONUS = 6", "Base"),
    "read by a method": ("DEEP = 1", "DEEP = 2", "DEEP"),
    "property": ("2 * self.x", "4 * self.x", "Helper.twice"),
    "read by a static method": ("HALF, THIRD = 2, 3", "HALF, THIRD = 4, 3", "HALF"),
    "read by a cached property": ("HALF, THIRD = 2, 3", "HALF, THIRD = 2, 4", "THIRD"),
    "read by a cached function": ("IN_CACHED = 1", "IN_CACHED = 2", "IN_CACHED"),
    "read by a decorator": ("IN_DECORATOR = 1", "IN_DECORATOR = 2", "IN_DECORATOR"),
    "closure": ("made(10)", "made(11)", "made.<locals>.<lambda>.offset"),
    "partial": ("partial(plus, 3)", "partial(plus, 4)", "PART"),
    "pattern": ('compile("a+")', 'compile("a*")', "PATTERN"),
    "state beside a function": ("Scaled(plus, 8)", "Scaled(plus, 9)", "SCALED"),
    "default": ("power=2", "power=3", "defaults of play"),
    "keyword default": ("base=1", "base=2", "defaults of play"),
    "helper's code": ("return x + 1", "return x + 2", "plus"),
}


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Write modules of a user; return their folder."""
    folder = tmp_path_factory.mktemp("modules")
    (folder / "user_tables.py").write_text(TABLES)
    (folder / "user_local.py").write_text("NEAR = 1\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield folder


def defined(text: str) -> dict[str, Any]:
    """Run the cells of a notebook; return their names."""
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(text, "<cell>", "exec"), names)
    return names


def changed(before: Dependencies, after: Dependencies) -> set[str]:
    """Return the names of what has changed."""
    both = before.texts.keys() | after.texts.keys()
    return {name for name in both if before.texts.get(name) != after.texts.get(name)}


@pytest.mark.usefixtures("modules")
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_noticed(change: str) -> None:
    old, new, name = CHANGES[change]
    assert NOTEBOOK.count(old) == 1
    before = Dependencies(defined(NOTEBOOK)["play"])
    assert before.unknown == []
    assert name in changed(before, Dependencies(defined(NOTEBOOK.replace(old, new))["play"]))


@pytest.mark.usefixtures("modules")
def test_a_values_name_and_a_short_text_are_reported() -> None:
    names = defined(NOTEBOOK)
    before = Dependencies(names["play"])
    names["CALLS"] += 1  # which the function counts itself
    assert Dependencies(names["play"]).texts == before.texts
    names["SCALE"] = 30
    after = Dependencies(names["play"])
    assert changed(before, after) == {"SCALE"}
    assert (before.texts["SCALE"], after.texts["SCALE"]) == ("3", "30")


def test_modules_of_the_user(modules: Path) -> None:
    names = defined(NOTEBOOK)
    before = Dependencies(names["play"])
    names["user_tables"].ODDS[0] = 0.6
    names["user_tables"].HIDDEN = 2
    after = Dependencies(names["play"])
    assert changed(before, after) == {"user_tables.ODDS", "user_tables.HIDDEN"}
    (modules / "user_local.py").write_text("NEAR = 22\n")
    assert changed(after, Dependencies(names["play"])) == {"import user_local"}


@pytest.mark.usefixtures("modules")
def test_every_process_tells_the_same(modules: Path) -> None:
    code = (
        "import json; from thetafront.agents.external.dependencies import Dependencies\n"
        "names = {'__name__': '__main__'}\n"
        f"exec(compile({NOTEBOOK!r}, '<cell>', 'exec'), names)\n"
        "print(json.dumps(Dependencies(names['play']).texts))"
    )
    told = {
        python(code, env={"PYTHONHASHSEED": seed, "PYTHONPATH": f"{Path.cwd()}:{modules}"})
        for seed in ("1", "2", "3")
    }
    assert len(told) == 1
    assert "SCALE" in told.pop()


def test_records_that_have_the_old_name_of_our_package_hold() -> None:
    """Digests of what studies recorded when ``agents.external`` was ``agents.outside``."""
    code = (
        "from thetafront.agents.external import report\n"
        "from thetafront.agents.external.report import Report\n"
        "def play(seed): return report, Report\n"
    )
    texts = Dependencies(defined(code)["play"]).texts
    assert texts["report"] == digits("<module thetafront.agents.outside.report >")
    assert texts["Report"] == digits("<thetafront.agents.outside.report.Report>")


def test_what_cannot_be_told_is_named(tmp_path: Path) -> None:
    with (tmp_path / "data").open("w") as file:
        names = defined("def play(seed): return FILE, OPTIONS")
        names.update(FILE=file, OPTIONS={"scale": 3, "lock": threading.Lock()})
        before = Dependencies(names["play"])
        assert [each.partition(":")[0] for each in before.unknown] == ["FILE", "OPTIONS"]
        names["OPTIONS"]["scale"] = 4
        assert changed(before, Dependencies(names["play"])) == {"OPTIONS"}


def test_much_that_is_shared_is_told_in_no_time() -> None:
    names = defined("def play(seed): return GRAPH")
    nodes: list[dict[str, Any]] = [{"n": n} for n in range(300)]
    for node in nodes:
        node["others"] = nodes
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    names["GRAPH"] = nodes
    assert Dependencies(names["play"]).unknown == []
    names["GRAPH"] = deep
    assert Dependencies(names["play"]).unknown[0].startswith("GRAPH: ")
