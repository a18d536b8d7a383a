"""Python games in a process of their own: limits, crashes, processes that they start."""

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.processes import python
from thetafront.agents.agent import ChangedError, GameError
from thetafront.agents.external.limits import Limits
from thetafront.agents.external.processes import Orphans, content, list_children
from thetafront.agents.external.python import PythonAgent
from thetafront.agents.external.report import Report
from thetafront.agents.external.source import Source

DEFINITION = (
    "import ctypes, os, subprocess, sys, time\ndef play(seed, x):\n{body}\nclass E: agent = play\n"
)
HANG = "ctypes.PyDLL(None).sleep(1000)"  # in C, with Python's lock held


def agent(
    folder: Path, body: str, name: str = "mine.py", before: str = "", **limits: object
) -> PythonAgent:
    """Return an agent that plays by a function's body, as a worker gets it."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    (folder / name).write_text(before + DEFINITION.replace("{body}", lines))
    source = Source(str(folder / name), "E")
    given = Limits(**limits)  # type: ignore[arg-type]
    return PythonAgent(None, Report(), (("x", 0.1),), source, source.digest, given)


ENDS = {
    "hang in C": (HANG, {"seconds": 1.0}, "no report within 1 s (time_limit)"),
    "segmentation fault": ("ctypes.string_at(0)", {}, "killed by SIGSEGV"),
    "exit": ("os._exit(3)", {}, "ended with exit status 3"),
}


@pytest.mark.parametrize("name", ENDS)
def test_a_game_that_ends_its_process_fails_alone(tmp_path: Path, name: str) -> None:
    body, limits, reason = ENDS[name]
    player = agent(
        tmp_path,
        f"if seed == 1:\n    {body}\nreturn x",
        **limits,
    )
    assert player.play(0).score == 0.1
    with pytest.raises(GameError) as failed:
        player.play(1)
    assert reason in str(failed.value)
    assert "(seed 1)" in str(failed.value)
    assert player.play(2).score == 0.1


def test_an_error_is_reported_with_its_place_and_the_process_continues(tmp_path: Path) -> None:
    player = agent(tmp_path, "if seed == 1:\n    raise KeyboardInterrupt('no')\nreturn os.getpid()")
    first = player.play(0).score
    with pytest.raises(GameError, match=r"^KeyboardInterrupt: no \(mine.py, line 4\) \(seed 1\)$"):
        player.play(1)
    assert player.play(2).score == first


def test_what_a_game_prints_and_reads_disturbs_nothing(tmp_path: Path) -> None:
    body = (
        "print('hello', flush=True)\nos.write(1, b'{}\\n')\nos.system('echo {}')\n"
        "assert sys.stdin.read() == ''\nreturn seed"
    )
    player = agent(tmp_path, body)
    assert [player.play(seed).score for seed in range(3)] == [0, 1, 2]


POOL = """from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
with ProcessPoolExecutor(2, mp_context=get_context('{method}')) as pool:
    return sum(pool.map(double, range(seed)))
"""
DOUBLE = "def double(k): return 2 * k\n"


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.parametrize("name", ["mine.py", "random.py", "my-game.py"])
def test_games_may_start_processes(tmp_path: Path, name: str, method: str) -> None:
    player = agent(tmp_path, POOL.format(method=method), name, before=DOUBLE)
    assert player.play(4).score == 12


def test_games_of_a_script_may_start_processes(tmp_path: Path) -> None:
    body = POOL.format(method="fork").replace("\n", "\n    ")
    (tmp_path / "script.py").write_text(
        f"{DOUBLE}def play(seed, x):\n    {body}\n"
        "from thetafront.agents.external.python import PythonAgent\n"
        "from thetafront.agents.external.report import Report\n"
        "if __name__ == '__main__':\n    "
        "print(PythonAgent(play, Report(), (('x', 1),)).play(5).score)\n"
    )
    path = str(tmp_path / "script.py")
    program = f"import sys, runpy; sys.path[:] = {sys.path!r}; "
    assert python(f"{program}runpy.run_path({path!r}, run_name='__main__')") == "20.0\n"


BURN = "end = time.process_time() + 0.1\nwhile time.process_time() < end: pass\n"
CHILD = (
    "import sys, time\n"
    "for line in sys.stdin:\n"
    "    end = time.process_time() + 0.1\n"
    "    while time.process_time() < end: pass\n"
    "    print(flush=True)\n"
)


def test_cpu_seconds_count_living_children_and_those_that_have_ended(tmp_path: Path) -> None:
    body = (
        "if not hasattr(sys, 'child'):\n"
        f"    words = [sys.executable, '-S', '-c', {CHILD!r}]\n"
        "    pipe = subprocess.PIPE\n"
        "    sys.child = subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True)\n"
        "for _ in range(1 + (seed == 2)):\n"
        "    sys.child.stdin.write('\\n')\n"
        "    sys.child.stdin.flush()\n"
        "    sys.child.stdout.readline()\n"
        "if seed == 3:\n"
        "    sys.child.stdin.close()\n"
        "    sys.child.wait()\n"
        f"{BURN}return 1"
    )
    player = agent(tmp_path, body)
    seconds = [player.play(seed).seconds for seed in (1, 2, 3)]
    assert seconds == pytest.approx([0.2, 0.3, 0.2], abs=0.04)


def test_a_process_has_one_thread_for_linear_algebra_unless_set_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setenv("MKL_NUM_THREADS", "3")
    names = ["OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"]
    body = f"return {{name: os.environ[name] for name in {names}}} | {{'score': 1}}"
    game = agent(tmp_path, body, environment={"OPENBLAS_NUM_THREADS": "2"}).play(0)
    assert game.reported == dict(zip(names, "132", strict=True))


def test_a_script_may_cache_its_functions(tmp_path: Path) -> None:
    """Pickled by reference, a cached function of a script cannot be found in a worker."""
    (tmp_path / "mine.py").write_text(
        "import functools\n"
        "from thetafront.agents.external.python import PythonAgent\n"
        "from thetafront.agents.external.report import Report\n"
        "@functools.lru_cache(maxsize=9)\n"
        "def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\n"
        "@functools.lru_cache\n"
        "def play(seed, n): return fib(n)\n"
        "print(PythonAgent(play, Report(), (('n', 30),)).play(1).score)\n"
    )
    done = subprocess.run(
        [sys.executable, "mine.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout == "832040.0\n", done.stderr


def test_a_game_of_microseconds_costs_little_more(tmp_path: Path) -> None:
    player = agent(tmp_path, "return x")
    player.play(0)
    before = time.process_time()
    games = [player.play(seed) for seed in range(500)]
    assert time.process_time() - before < 0.15
    assert sorted(game.seconds for game in games)[250] < 2e-5


def test_a_forked_process_has_a_player_of_its_own(tmp_path: Path) -> None:
    player = agent(tmp_path, "return {'score': seed, 'pid': os.getpid()}")
    first = player.play(0).reported["pid"]
    forked = os.fork()
    if not forked:
        os._exit(player.play(1).reported["pid"] == first)
    assert os.waitpid(forked, 0)[1] == 0
    assert player.play(2).reported["pid"] == first


def test_what_was_there_before_is_no_games(tmp_path: Path) -> None:
    """A daemon that a script has started stays; one that is started later is ended."""
    command = [sys.executable, "-S", "-c", "import time; time.sleep(1000)"]
    before = subprocess.Popen(command, start_new_session=True)
    Orphans.adopt()
    later = subprocess.Popen(command, start_new_session=True)
    try:
        Orphans.end()
        assert not Path(f"/proc/{later.pid}").exists()
        assert before.poll() is None
    finally:
        Orphans.adopt(False)
        before.kill()
        before.wait()


def test_a_file_that_is_gone_is_no_failed_game(tmp_path: Path) -> None:
    first = agent(tmp_path, "return {'score': 1.0}")
    assert first.play(1).score == 1.0
    (tmp_path / "mine.py").unlink()
    with pytest.raises(ChangedError, match="does not exist"):
        replace(first).play(2)


def test_imports_are_no_game(tmp_path: Path) -> None:
    """What starting takes has the usual limit: such a library would fail all games."""
    slow = "import time\nwhile time.process_time() < 1.0: pass\n"
    player = agent(tmp_path, "return 1.0", before=slow, cpu_seconds=0.3, seconds=5.0)
    assert player.play(1).score == 1.0


def test_a_forked_child_that_returns_answers_nothing(tmp_path: Path) -> None:
    body = "pid = os.fork()\nif pid: os.waitpid(pid, 0)\nreturn {'score': float(seed)}"
    player = agent(tmp_path, body)
    assert [player.play(seed).score for seed in (1, 2, 3)] == [1.0, 2.0, 3.0]


def test_a_long_error_is_cut(tmp_path: Path) -> None:
    with pytest.raises(GameError, match="ValueError: xxx") as error:
        agent(tmp_path, "raise ValueError(10**6 * 'x' + chr(0xd800))").play(1)
    assert len(str(error.value)) < 1200
    assert str(error.value).encode()


@pytest.mark.usefixtures("adopted")
def test_children_that_a_game_leaves_are_no_zombies(tmp_path: Path) -> None:
    body = "subprocess.run(['sh', '-c', 'sleep 0.01 &'])\nreturn {'score': 1.0}"
    player = agent(tmp_path, body)
    for seed in range(30):
        player.play(seed)
    time.sleep(0.2)
    player.play(30)
    stats = [content(f"/proc/{each}/stat") for each in list_children(os.getpid())]
    states = [each.rpartition(b")")[2].split()[0] for each in stats]
    assert states.count(b"Z") <= 3


def test_a_large_player_is_sent_as_fast_as_it_is_read() -> None:
    """Its table is pickled with it; by pieces of a pipe's size a look it took half a minute."""
    table = bytes(range(256)) * 80_000
    player = PythonAgent(lambda seed: {"score": float(len(table))}, Report(), ())
    began = time.monotonic()
    assert player.play(1).score == len(table)
    assert time.monotonic() - began < 12.0
