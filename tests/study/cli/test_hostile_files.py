"""Files that hold anything: one line that names them, exit code 2, nothing changed, no waiting."""

import json
import os
import shutil
import socket
import threading
import time
from pathlib import Path

import pytest

from tests.processes import python
from tests.study.experiments.definitions import COINS, ENGINE, ONCE
from tests.study.program import refused, succeeded
from thetafront import sweep
from thetafront.agents.twenty48.agent import Game2048
from thetafront.agents.twenty48.random import RandomAgent
from thetafront.study.errors import RunError
from thetafront.study.log.ledger import Ledger

DEEP = "[" * 5000 + "]" * 5000
DEFINITIONS = {
    "deep.toml": (f"x = {DEEP}\n", "nested too deeply"),
    "deep_table.toml": (f"[{'.'.join('a' * 5000)}]\n", "deep_table.toml: "),
    "memory.toml": (f'memory_limit = "{"9" * 400} GB"\n{ONCE}', "memory_limit must be a size"),
    "wide.toml": (
        'command = ["true"]\n[parameters.depth]\nlow = -1e308\nhigh = 1e308\n',
        "not an interval",
    ),
    "nan.toml": (
        f"{ONCE}[reference]\nobjective = nan\ncost = 1.0\n",
        "score must be finite (got nan)",
    ),
    "inf.toml": (
        f"{ONCE}[reference]\nobjective = inf\ncost = 1.0\n",
        "score must be finite (got inf)",
    ),
    "nul.toml": ("\0", "nul.toml: not TOML"),
    "exits.py": (
        "import os\nos._exit(0)\n",
        "cannot be imported: SystemExit: os._exit(0) (exits.py, line 2)",
    ),
    "interrupts.py": ("raise KeyboardInterrupt\n", "KeyboardInterrupt (interrupts.py, line 1)"),
    "generator.py": ("raise GeneratorExit(1)\n", "GeneratorExit: 1 (generator.py, line 1)"),
    "own.py": ("class E(BaseException): pass\nraise E('a\\nb')\n", "E: a b (own.py, line 2)"),
    "deep.py": (f"x = {DEEP}\n", "deep.py: cannot be imported: "),
    "unary.py": (f"x = {'-' * 100_000}1\n", "unary.py: cannot be imported: "),
    "nul.py": ("x = 1\0\n", "nul.py: cannot be imported: "),
    "endless.py": ("def f(): f()\nf()\n", "RecursionError: maximum recursion depth exceeded"),
    "shown.py": (
        "from thetafront import *\nclass M(type):\n    def __repr__(c): return 1 / 0\n"
        "E = Experiment('x', M('A', (), {}), Space((NumericParameter('a', 0, 1),)), mean('s'))\n",
        "shown.py: cannot be imported: ",
    ),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", DEFINITIONS)
def test_a_definition_of_anything(name: str, folder: Path) -> None:
    text, part = DEFINITIONS[name]
    (folder / name).write_text(text)
    (folder / "engine.py").write_text(ENGINE)
    assert part in refused("try", name)
    assert sorted(path.name for path in folder.iterdir()) == sorted({name, "engine.py"})


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("pipe.toml", ["try", "pipe.toml"]),
        ("pipe.py", ["try", "pipe.py"]),
        ("pub/games.csv", ["verify", "pub"]),
        ("pub/manifest.json", ["plot", "./pub"]),
        ("pub/manifest.json", ["report", "pub"]),
        ("results/s/study.db", ["front", "s"]),
        ("results/s/study.db", ["sweep", "dice", "--name", "s"]),
    ],
)
def test_a_pipe_that_nobody_fills_is_not_waited_for(
    name: str, words: list[str], folder: Path
) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(folder / name)
    began = time.monotonic()
    refused(*words)
    assert time.monotonic() - began < 10.0


def test_words_with_a_zero_byte() -> None:
    for words in (["report", "a\0b"], ["front", "a\0b"], ["sweep", "a\0b.toml"]):
        assert "text in UTF-8" in refused(*words)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of two trials."""
    folder = tmp_path_factory.mktemp("study")
    options = {"trials": 2, "design_size": 2, "replicates": 1, "jobs": 1, "sampler": "random"}
    sweep("dice", results=folder, budget=None, validate=False, progress=False, **options)
    return folder / "dice" / "study.db"


TABLES: dict[str, tuple[bytes, bytes]] = {
    "lone quote": (b"\n", b'\n"\n'),
    "very long line": (b"\n", b"\n" + b"x" * 1_000_000 + b"\n"),
    "zero bytes": (b"\n", b"\n\0\0\n"),
    "too large": (b",1,804,", b",1,1e400,"),
    "negative": (b",1,804,", b",1,-804,"),
}


@pytest.mark.parametrize("problem", TABLES)
def test_a_table_of_anything_is_mended(problem: str, folder: Path) -> None:
    ledger, agent = Ledger(folder / "games.csv", Game2048), RandomAgent()
    with ledger.held():
        for seed in range(4):
            ledger.add(agent, agent.play(seed))
    table = folder / "games.csv"
    whole = table.read_bytes()
    table.write_bytes(whole.replace(*TABLES[problem], 1))
    assert table.read_bytes() != whole
    succeeded(None, "verify", ".", "--repair", "--games", "0", "--jobs", "1")
    assert [line.split(b",")[:4] for line in table.read_bytes().splitlines()] == [
        line.split(b",")[:4] for line in whole.splitlines()
    ]


def test_a_study_whose_definition_is_gone_is_not_repaired(folder: Path, database: Path) -> None:
    pub = folder / "pub"
    shutil.copytree(database.parent, pub, ignore=shutil.ignore_patterns("study.db*"))
    manifest = json.loads((pub / "manifest.json").read_text())
    (pub / "manifest.json").write_text(json.dumps(manifest | {"experiment": "gone"}))
    before = sorted(pub.iterdir())
    assert "'gone'" in refused("verify", "pub", "--repair")
    assert sorted(pub.iterdir()) == before


def test_a_module_is_found_in_the_folder_where_one_stands(folder: Path) -> None:
    (folder / "here_pkg").mkdir()
    (folder / "here_pkg" / "exp.py").write_text(COINS)
    code = "from thetafront.study.cli import main; main()"
    words = ["experiments", "here_pkg.exp:COINS", "--json"]
    assert '"coins"' in python(code, *words, env={"PYTHONSAFEPATH": "1"})


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\1" + bytes(7), b""])
def test_a_server_that_is_no_scheduler(answer: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    from thetafront.study.cluster import link

    monkeypatch.setattr(link, "SECONDS_TO_CONNECT", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        kept = []

        def serve() -> None:
            while True:
                connection, _ = server.accept()
                connection.sendall(answer)  # and then nothing
                kept.append(connection)

        threading.Thread(target=serve, daemon=True).start()
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        began = time.monotonic()
        with pytest.raises(RunError, match="does not answer as a Dask scheduler"):
            link.connect(address, None)
        assert time.monotonic() - began < 15.0
        for each in kept:
            each.close()


@pytest.mark.parametrize("host", ["\u202ehost", "a" * 64, "a..b"])
def test_an_address_that_cannot_be_looked_up(host: str) -> None:
    assert "an address such as tcp://" in refused("cluster", f"tcp://{host}:8786")
