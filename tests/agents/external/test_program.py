"""Programs that play games, by both protocols; hostile ones fail with a reason, and are ended."""

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.agents.external.programs import SAY, once, script, server
from tests.processes import wait_until
from thetafront.agents.agent import ChangedError, GameError
from thetafront.agents.external.child import end_programs, get_server
from thetafront.agents.external.guardian import marked
from thetafront.agents.external.program import Program, ProgramAgent, Protocol, parsed
from thetafront.agents.parameters import Value

HANG = "time.sleep(1000)"
WRITE = {"once": once, "serve": server}
EITHER = pytest.mark.parametrize("protocol", WRITE)


def agent(
    folder: Path, command: tuple[str, ...], protocol: str = "once", **limits: object
) -> ProgramAgent:
    """Return an agent with θ = (depth 3, width 0.5, kind b)."""
    theta: tuple[tuple[str, Value], ...] = (("depth", 3), ("width", 0.5), ("kind", "b"))
    program = Program(command, str(folder), protocol, **limits)  # type: ignore[arg-type]
    return ProgramAgent(program, theta)


def player(folder: Path, protocol: str, body: str = SAY, **limits: object) -> ProgramAgent:
    """Return an agent whose program answers by a body, with either protocol."""
    return agent(folder, WRITE[protocol](folder, body), protocol, **limits)


def alive(text: str, folder: Path | None = None) -> list[int]:
    """Return the processes whose command line has a text, of those that run in a folder."""
    found = []
    for process in psutil.process_iter(["cmdline", "status", "cwd"]):
        info = process.info
        here = folder is None or info["cwd"] == str(folder)
        if (
            here
            and text in " ".join(info["cmdline"] or ())
            and info["status"] != psutil.STATUS_ZOMBIE
        ):
            found.append(process.pid)
    return [each for each in found if each != os.getpid()]


def wait_until_gone(text: str, folder: Path | None = None, seconds: float = 20.0) -> None:
    """Wait until no process that runs in a folder has a text in its command line."""
    wait_until(lambda: not alive(text, folder), seconds, f"{text} is gone")


def test_once_gives_theta_and_seed_in_the_command_and_on_standard_input(tmp_path: Path) -> None:
    body = (
        "print(json.dumps({'score': 1, 'words': ' '.join(sys.argv[1:]),"
        " 'line': json.dumps(asked)}))"
    )
    command = (*once(tmp_path, body), "--depth={depth}", "{width}-{kind}", "{seed}", "{{depth}}")
    game = agent(tmp_path, command).play(11)
    assert game.reported["words"] == "--depth=3 0.5-b 11 {depth}"
    assert game.reported["line"] == '{"seed": 11, "depth": 3, "width": 0.5, "kind": "b"}'


def test_once_takes_the_last_line_of_its_output(tmp_path: Path) -> None:
    body = "print('loading')\nprint('{\"score\": 2}')\nprint(json.dumps(answer(asked)))\nprint()"
    assert player(tmp_path, "once", body).play(12).score == 5.0


def test_a_number_alone_is_a_report(tmp_path: Path) -> None:
    assert agent(tmp_path, ("sh", "-c", "echo 0.25")).play(0).score == 0.25


def test_serve_plays_all_games_in_one_process(tmp_path: Path) -> None:
    body = (
        "told = {'score': asked['seed'], 'pid': os.getpid(), 'depth': asked['depth']}\n"
        "print(json.dumps(told), flush=True)"
    )
    serving = player(tmp_path, "serve", body)
    games = [serving.play(seed) for seed in range(20)]
    assert [game.score for game in games] == list(range(20))
    assert len({game.reported["pid"] for game in games}) == 1
    assert {game.reported["depth"] for game in games} == {3}


@EITHER
def test_a_game_is_its_seeds(tmp_path: Path, protocol: str) -> None:
    found = player(tmp_path, protocol)
    games = [found.play(seed) for seed in range(5)]
    assert [(game.score, game.n_moves) for game in games] == [(seed % 7, 10) for seed in range(5)]


BURN = "end = time.process_time() + 0.2\nwhile time.process_time() < end: pass\n"
PIPES = "stdin=subprocess.PIPE, stdout=subprocess.PIPE"
CHILD = f"subprocess.run([sys.executable, '-S', '-c', {('import time' + chr(10) + BURN)!r}])\n"


@pytest.mark.parametrize(
    ("protocol", "body", "least", "most"),
    [
        ("serve", "time.sleep(0.2)\n", 0.0, 0.05),
        ("serve", BURN, 0.19, 0.3),
        ("once", BURN, 0.19, 0.5),
        # Of children that were waited for, a server's in ticks of 10 ms.
        ("once", CHILD, 0.19, 1.0),
        ("serve", CHILD, 0.15, 1.0),
    ],
)
def test_cpu_seconds_are_those_of_the_program(
    tmp_path: Path, protocol: str, body: str, least: float, most: float
) -> None:
    assert least <= player(tmp_path, protocol, body + SAY).play(1).seconds < most


def test_cpu_seconds_of_living_children_count(tmp_path: Path) -> None:
    loop = "\nimport sys\nfor line in sys.stdin:\n    " + BURN.strip().replace("\n", "\n    ")
    engine = f"import time{loop}\n    print(flush=True)\n"
    setup = f"engine = subprocess.Popen([sys.executable, '-S', '-c', {engine!r}], {PIPES})"
    ask = "engine.stdin.write(b'go\\n'); engine.stdin.flush(); engine.stdout.readline()\n"
    served = agent(tmp_path, server(tmp_path, ask + SAY, setup), "serve")
    assert [served.play(seed).seconds for seed in (1, 2)] == pytest.approx([0.2] * 2, abs=0.04)


@pytest.mark.usefixtures("adopted")
@EITHER
def test_cpu_seconds_of_orphans_count(tmp_path: Path, protocol: str) -> None:
    burn = "import time\n" + BURN + "print(flush=True)\ntime.sleep(100)\n"
    leave = (
        "word, end = os.pipe()\n"
        "if not os.fork():\n"
        f"    subprocess.Popen([sys.executable, '-S', '-c', {burn!r}], stdout=end)\n"
        "    os._exit(0)\n"
        "os.wait()\nos.read(word, 1)\n"
    )
    assert player(tmp_path, protocol, leave + SAY).play(1).seconds > 0.19


@pytest.mark.usefixtures("adopted")
def test_cpu_seconds_of_children_that_nobody_waits_for_count(tmp_path: Path) -> None:
    burn = "import time\n" + BURN
    body = (
        f"helper = subprocess.Popen([sys.executable, '-S', '-c', {burn!r}], stdout=-1)\n"
        "helper.stdout.read()\n"
    )
    agent_ = player(tmp_path, "once", body + SAY)
    assert min(agent_.play(seed).seconds for seed in range(4)) > 0.19


def test_ending_one_server_leaves_the_others(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    first = agent(tmp_path, server(tmp_path), "serve")
    hangs = f"if asked['seed'] == 1: {HANG}\n{SAY}"
    second = agent(tmp_path / "b", server(tmp_path / "b", hangs), "serve", seconds=0.5)
    assert first.play(0).score == second.play(0).score == 0
    of_first = first.program, *first.program.stamps.items()
    ours = get_server(of_first, lambda: pytest.fail("it has ended"))
    with pytest.raises(GameError, match="no report within"):
        second.play(1)
    assert first.play(2).score == 2
    assert get_server(of_first, lambda: pytest.fail("it has ended")) is ours


@EITHER
def test_a_program_that_is_built_again_plays_as_it_is_now(tmp_path: Path, protocol: str) -> None:
    before = player(tmp_path, protocol, "print(1, flush=True)")
    assert before.play(0).score == 1.0
    after = player(tmp_path, protocol, "print(22, flush=True)")
    assert (after.program, after.play(0).score) == (before.program, 22.0)
    with pytest.raises(ChangedError, match=r"program\.py has changed since the run began"):
        before.play(1)


@EITHER
def test_cpu_time_has_a_limit_and_such_a_game_is_not_played_again(
    tmp_path: Path, protocol: str
) -> None:
    spin = "subprocess.run([sys.executable, '-S', '-c', 'while True: pass'])"
    body = f"if asked['seed']:\n    open('played', 'a').write('x')\n    {spin}\n{SAY}"
    limited = player(tmp_path, protocol, body, cpu_seconds=0.3, seconds=30.0)
    assert limited.play(0).score == 0
    with pytest.raises(GameError, match=r"s of CPU time taken, 0.3 s allowed \(cpu_time_limit"):
        limited.play(1)
    assert (tmp_path / "played").read_text() == "x"


def test_starting_a_server_is_no_part_of_a_games_cost(tmp_path: Path) -> None:
    assert agent(tmp_path, server(tmp_path, setup=BURN), "serve").play(1).seconds < 0.05


@EITHER
def test_a_program_runs_in_its_folder_with_its_environment(tmp_path: Path, protocol: str) -> None:
    body = (
        "told = {'score': 1, 'at': os.getcwd(), 'x': os.environ['X']}\n"
        "print(json.dumps(told), flush=True)"
    )
    game = player(tmp_path, protocol, body, environment={"X": "7"}).play(0)
    assert (game.reported["at"], game.reported["x"]) == (str(tmp_path), "7")


@EITHER
def test_a_game_that_fails_is_not_tried_again(tmp_path: Path, protocol: str) -> None:
    """Its failure is an outcome; the next game has a process of its own."""
    body = f"if asked['seed'] == 6: open('been', 'a').write('x'); sys.exit(3)\n{SAY}"
    failing = player(tmp_path, protocol, body)
    with pytest.raises(GameError, match="exit status 3"):
        failing.play(6)
    assert failing.play(5).score == 5.0
    assert (tmp_path / "been").read_text() == "x"


HOSTILE = {
    "crash": ("sys.exit(3)", "ended with exit status 3"),
    "signal": ("os.kill(os.getpid(), 11)", "killed by SIGSEGV"),
    "says why": ("sys.stderr.write('no such opening\\n'); sys.exit(1)", "stderr: no such opening"),
    "hang": (HANG, "no report within 1 s"),
    "deaf": (f"signal.signal(15, signal.SIG_IGN)\n{HANG}", "no report within 1 s"),
    "late": (f"time.sleep(1.5)\n{SAY}", "no report within 1 s"),
    "fork and hang": (f"subprocess.Popen(['sleep', '987654'])\n{HANG}", "no report within 1 s"),
    "session and hang": (
        f"subprocess.Popen(['sleep', '987654'], start_new_session=True)\n{HANG}",
        "no report within 1 s",
    ),
    "silent end": ("sys.exit(0)", "without a report"),
    "garbage": (
        "print('hello', flush=True)",
        "must be a JSON object or number in one line (got 'hello')",
    ),
    "list": ("print('[1]', flush=True)", "must be a JSON object or number in one line (got '[1]')"),
    "torn": ("print('{\"score\": 1', flush=True)", "must be a JSON object or number in one line"),
    "infinite": ("print('{\"score\": Infinity}', flush=True)", "score must be a number from"),
    "no score": ("print('{}', flush=True)", "a report must have 'score'"),
    "another seed": (
        "print(json.dumps({'score': 1, 'seed': 5}), flush=True)",
        "is for a seed other than 4",
    ),
    "flood": (
        "while True: sys.stdout.write('x' * 10000)",
        "more than 262,144 bytes of output",
    ),
    "binary": ("sys.stdout.buffer.write(b'\\xff\\xfe\\n'); sys.stdout.flush()", "must be a JSON"),
    "deep": (
        "print('[' * 5000 + ']' * 5000, flush=True)",
        "must be a JSON object or number in one line",
    ),
    "memory": (
        f"x = bytearray(300_000_000)\nfor k in range(0, len(x), 4096): x[k] = 1\n{HANG}",
        "MB of memory taken, 100 MB allowed",
    ),
    "childs memory": (
        "subprocess.run([sys.executable, '-c', 'x = b\"1\" * 300_000_000; import time;"
        " time.sleep(1000)'])",
        "MB of memory taken, 100 MB allowed",
    ),
}


@EITHER
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_programs_fail_with_a_reason_and_are_ended(
    tmp_path: Path, name: str, protocol: str
) -> None:
    body, reason = HOSTILE[name]
    limits = {"seconds": 1.0 if "within" in reason else 20.0}
    if "memory" in name:
        limits["memory"] = 100_000_000
    command = (*WRITE[protocol](tmp_path, body), f"--{name.replace(' ', '-')}-{protocol}")
    with pytest.raises(GameError) as failed:
        agent(tmp_path, command, protocol, **limits).play(4)
    assert reason in str(failed.value)
    assert "(seed 4)" in str(failed.value)
    assert "\n" not in str(failed.value)
    if name in {"infinite", "no score"}:  # what the program answers is wrong, but it still serves
        end_programs()
    wait_until_gone(command[-1])
    wait_until_gone("987654")


@EITHER
def test_a_flood_of_errors_hinders_nobody(tmp_path: Path, protocol: str) -> None:
    body = f"for k in range(2000): sys.stderr.write('y' * 1000)\n{SAY}"
    flooding = player(tmp_path, protocol, body)
    assert [flooding.play(seed).score for seed in range(3)] == [0.0, 1.0, 2.0]


def test_a_second_answer_is_not_taken_for_that_of_the_next_game(tmp_path: Path) -> None:
    hasty = player(tmp_path, "serve", f"{SAY}\n{SAY}")
    for seed in range(50):  # whether a game fails depends on when its answers arrive
        with suppress(GameError):
            assert hasty.play(seed).score == seed % 7


def test_a_line_that_is_not_read_is_reported(tmp_path: Path) -> None:
    child = Program(("sleep", "1000"), str(tmp_path)).start({}, 0)
    with pytest.raises(GameError, match="does not read its input"):
        child.ask(b"x" * 2**20, parsed)
    assert child.has_ended()


def test_a_second_answer_that_has_arrived_ends_the_server(tmp_path: Path) -> None:
    line = b'{"seed": 3, "depth": 3, "width": 0.5, "kind": "b"}\n'
    serving = player(tmp_path, "serve", f"{SAY}\n{SAY}").program.serve(line)
    time.sleep(0.5)
    with pytest.raises(GameError, match="wrote more than one line"):
        serving.ask(line, parsed)
    assert serving.has_ended()


def test_a_server_that_ends_between_games_is_started_again(tmp_path: Path) -> None:
    body = f"{SAY}\ncount += 1\nif count == 3: sys.exit(0)"
    ending = agent(tmp_path, server(tmp_path, body, setup="count = 0"), "serve")
    for seed in range(6):
        assert ending.play(seed).score == seed
        time.sleep(0.1)


def test_what_a_once_program_leaves_behind_does_not_hold_its_game(tmp_path: Path) -> None:
    body = f"subprocess.Popen(['sleep', '987655'])\n{SAY}"
    began = time.monotonic()
    assert player(tmp_path, "once", body).play(2).score == 2.0
    assert time.monotonic() - began < 10.0
    wait_until_gone("987655")


WORKER = """
import sys
sys.path[:0] = {path!r}
from thetafront.agents.external.program import Program, ProgramAgent, Protocol
program = Program({command!r}, {folder!r}, Protocol({protocol!r}))
ProgramAgent(program, ()).play(1)
print("played", flush=True)
ProgramAgent(program, ()).play(1000)
"""


@EITHER
def test_children_and_grandchildren_end_with_a_killed_worker(tmp_path: Path, protocol: str) -> None:
    body = (
        "if asked['seed'] == 1000:\n"
        "    signal.signal(15, signal.SIG_IGN)\n"
        "    subprocess.Popen(['sleep', '987656'], start_new_session=True)\n"
        "    open('playing', 'w')\n"
        f"    {HANG}\n{SAY}"
    )
    command = (*WRITE[protocol](tmp_path, body), f"--killed-{protocol}")
    code = WORKER.format(path=sys.path, command=command, folder=str(tmp_path), protocol=protocol)
    worker = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    wait_until((tmp_path / "playing").exists)
    assert alive(command[-1])
    worker.send_signal(signal.SIGKILL)
    worker.communicate()
    wait_until_gone(command[-1])
    wait_until_gone("987656")


def test_no_process_is_marked_by_a_mark_of_nobody() -> None:
    assert marked("nobody") == set()


AWK = """{
    match($0, /"seed": [0-9]+/)
    print "{\\"score\\": " substr($0, RSTART + 8, RLENGTH - 8) % 7 "}"
    fflush()
}"""
PERL = '$| = 1; while (<STDIN>) { /"seed": (\\d+)/; print "{\\"score\\": ", $1 % 7, "}\\n" }'


@pytest.mark.parametrize(("program", "text"), [("awk", AWK), ("perl", PERL)])
def test_programs_in_other_languages(tmp_path: Path, program: str, text: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"no {program}")
    flag = {"awk": (), "perl": ("-e",)}[program]
    # Some awk read whole blocks of their input, so that they cannot serve.
    for protocol in (Protocol.ONCE,) if program == "awk" else Protocol:
        playing = Program((program, *flag, text), str(tmp_path), protocol, seconds=20.0)
        scores = [ProgramAgent(playing, ()).play(seed).score for seed in (0, 8, 20)]
        assert scores == [0.0, 1.0, 6.0]


def test_a_program_in_the_current_folder_hides_one_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ls").write_text("#!/bin/sh\necho 3\n")
    (tmp_path / "ls").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    program = Program(["./ls"])  # type: ignore[arg-type]
    assert program.executable == str(tmp_path / "ls")
    assert ProgramAgent(program, ()).play(0).score == 3.0


def test_only_the_option_of_a_missing_value_is_left_out() -> None:
    program = Program(("echo", "--quiet", "--rate={rate}", "{momentum}", "-d", "{decay}", "end"))
    assert program.words({}, 1)[1:] == ("--quiet", "end")
    assert program.words({"rate": 2}, 1)[1:] == ("--quiet", "end")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"command": ()}, "command must be "),
        ({"command": ("./nothing",)}, "command: './nothing' does not exist"),
        ({"command": ("no-such-program-here",)}, "'no-such-program-here' does not exist"),
        ({"command": ("./plain",)}, "command: './plain' cannot be executed"),
        ({"command": ("cat",), "seconds": 0.0}, "time_limit must be above 0 s (got 0)"),
        ({"command": ("cat",), "memory": "2 GB"}, "memory must be a number of bytes (got"),
        (
            {"command": ("cat", "{depth}"), "protocol": "serve"},
            "command must not contain {depth}: under the serve protocol",
        ),
        (
            {"command": ("cat",), "protocol": "server"},
            "protocol must be once or serve (got 'server')",
        ),
    ],
)
def test_programs_that_cannot_be_are_refused(
    tmp_path: Path, values: dict[str, object], message: str
) -> None:
    (tmp_path / "plain").write_text("")
    with pytest.raises(ValueError, match=r"command|time_limit|memory|protocol") as refused:
        Program(folder=str(tmp_path), **values)  # type: ignore[arg-type]
    assert message in str(refused.value)


def test_placeholders_that_are_no_parameters_are_refused(tmp_path: Path) -> None:
    program = Program(("cat", "{width}", "a{seed}"), str(tmp_path))
    program.check_names(("width",))
    with pytest.raises(
        ValueError,
        match=r"command must contain only depth.* in braces \(got \{width\} in '\{width\}'",
    ):
        program.check_names(("depth",))
    for word in ("{width:d}", "--seed={seed!r}"):
        with pytest.raises(ValueError, match="command must contain values without formats"):
            Program(("cat", word), str(tmp_path)).check_names(("width",))
    literal = ("{{width:d}}", '{"width": 1, "x": {width}}', "${width:-1}", "{width: .x}")
    Program(("cat", *literal), str(tmp_path)).check_names(("width",))


def test_the_digest_tells_the_program_and_the_files_it_names(tmp_path: Path) -> None:
    command = script(tmp_path, "print(1)")
    first = Program(command, str(tmp_path)).digest
    assert Program((*command, "--x"), str(tmp_path)).digest == first
    script(tmp_path, "print(2)")
    assert Program(command, str(tmp_path)).digest != first
