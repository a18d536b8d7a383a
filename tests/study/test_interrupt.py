"""Interrupts of a real process: at once, after a block, or as an exception."""

import os
import pty
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.processes import wait_until
from tests.study.program import is_running
from thetafront.study import interrupt

BEGIN = """
import signal, sys, time
from thetafront.study import interrupt
interrupt.watch()
def say(word):
    print(word, flush=True)
def wait_for_flag():
    while not interrupt.requested():
        time.sleep(0.01)
"""
MESSAGE = "thetafront: interrupted\n"
EACH_SIGNAL = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def interrupted(program: str, signals: Sequence[signal.Signals]) -> tuple[int, list[str], str]:
    """Run a program, with a signal after each of its first lines; return how it ended."""
    words = [sys.executable, "-c", BEGIN + program]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        lines = []
        for each in signals:
            lines.append(process.stdout.readline().strip())
            process.send_signal(each)
        rest, stderr = process.communicate(timeout=600)
    return process.returncode, [*lines, *rest.split()], stderr


@pytest.mark.parametrize("number", EACH_SIGNAL)
def test_an_interrupt_ends_the_process_at_once(number: signal.Signals) -> None:
    program = "try:\n    say('begun')\n    time.sleep(60)\nfinally:\n    say('cleaned up')"
    assert interrupted(program, [number]) == (130, ["begun"], MESSAGE)


def test_it_does_so_while_the_main_thread_waits_for_the_operating_system(tmp_path: Path) -> None:
    """A storage that another process holds is waited for in C: no Python code would run there."""
    program = (
        "import sqlite3\n"
        f"one, two = (sqlite3.connect({str(tmp_path / 'a.db')!r}, timeout=60) for _ in range(2))\n"
        "one.execute('BEGIN EXCLUSIVE')\n"
        "say('begun')\n"
        "two.execute('BEGIN EXCLUSIVE')"
    )
    assert interrupted(program, [signal.SIGINT]) == (130, ["begun"], MESSAGE)


@pytest.mark.parametrize("number", EACH_SIGNAL)
def test_a_deferred_one_is_raised_at_the_end_of_the_outermost_block(number: signal.Signals) -> None:
    program = """
try:
    with interrupt.deferred():
        with interrupt.deferred():
            say('begun')
            wait_for_flag()
            say('inner')
        say('outer')
    say('never')
except KeyboardInterrupt:
    say('raised')
"""
    assert interrupted(program, [number]) == (0, ["begun", "inner", "outer", "raised"], "")


def test_the_second_one_ends_the_process_at_once() -> None:
    program = """
with interrupt.deferred():
    say('begun')
    wait_for_flag()
    say('flag')
    time.sleep(60)
"""
    signals = [signal.SIGINT, signal.SIGINT]
    assert interrupted(program, signals) == (130, ["begun", "flag"], MESSAGE)


def test_another_error_of_a_deferred_block_is_not_hidden() -> None:
    program = """
try:
    with interrupt.deferred():
        say('begun')
        wait_for_flag()
        raise ValueError
except ValueError:
    say('error')
"""
    assert interrupted(program, [signal.SIGTERM]) == (0, ["begun", "error"], "")


@pytest.mark.parametrize("number", EACH_SIGNAL)
def test_where_it_is_raised_a_wait_ends(number: signal.Signals) -> None:
    program = """
try:
    with interrupt.raised():
        say('begun')
        time.sleep(60)
except KeyboardInterrupt:
    say('raised')
"""
    assert interrupted(program, [number]) == (0, ["begun", "raised"], "")


@pytest.mark.parametrize("number", EACH_SIGNAL)
def test_one_that_the_system_gives_to_the_waiting_thread_is_raised(number: signal.Signals) -> None:
    """On a busy machine, the system may choose this thread; here, the program does."""
    program = f"""
import signal, threading
[waiting] = [each for each in threading.enumerate() if each.name == 'interrupts']
try:
    with interrupt.raised():
        signal.pthread_kill(waiting.ident, {int(number)})
        time.sleep(60)
except KeyboardInterrupt:
    say('raised')
"""
    assert interrupted(program, []) == (0, ["raised"], "")


def test_within_what_is_raised_a_block_defers() -> None:
    program = """
try:
    with interrupt.raised(), interrupt.deferred():
        say('begun')
        wait_for_flag()
        say('whole')
except KeyboardInterrupt:
    say('raised')
"""
    assert interrupted(program, [signal.SIGINT]) == (0, ["begun", "whole", "raised"], "")


def test_what_is_ignored_stays_so() -> None:
    """As nohup starts a program."""
    program = "say('begun')\nsay(input())"
    words = [sys.executable, "-c", BEGIN + program]
    with subprocess.Popen(
        ["bash", "-c", 'trap "" HUP; exec "$@"', "bash", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGHUP)
        assert process.communicate("alive\n", timeout=600) == ("alive\n", "")
    assert process.returncode == 0


def test_workers_end_too() -> None:
    """The parent is stopped at once in the middle of a long game."""
    program = """
import multiprocessing
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP
from thetafront.study.run.workers import Task, Workers
with Workers(1) as workers:
    workers.submit(Task(0, MonteCarloMDP(1e5, 1e5, 1e5, 1e5, 1.0), (0,)))
    say(multiprocessing.active_children()[0].pid)
    workers.collect(timeout=60)
"""
    code, (pid,), stderr = interrupted(program, [signal.SIGINT])
    assert (code, stderr) == (130, MESSAGE)
    wait_until(lambda: not is_running(int(pid)), what="the worker ends")


def test_a_file_that_is_being_written_then_leaves_no_draft(tmp_path: Path) -> None:
    program = f"""
from pathlib import Path
from thetafront.study.log.atomic import atomic_write
with atomic_write(Path({str(tmp_path / "table.csv")!r})) as draft:
    draft.write_text('half')
    say('begun')
    wait_for_flag()
    say('flag')
    time.sleep(60)
"""
    assert interrupted(program, [signal.SIGINT, signal.SIGINT]) == (130, ["begun", "flag"], MESSAGE)
    assert list(tmp_path.iterdir()) == []


def test_the_cursor_comes_back_if_only_the_output_is_a_terminal() -> None:
    ours, theirs = pty.openpty()
    os.set_blocking(ours, False)
    program = "from thetafront.study import interrupt\ninterrupt.exit_at_once()"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, stdout=theirs, stderr=subprocess.PIPE, check=False, timeout=60)
    assert done.stderr == b"thetafront: interrupted\n"
    assert os.read(ours, 100) == interrupt.SHOW_CURSOR
    os.close(ours)
    os.close(theirs)


def test_a_guest_leaves_the_program_as_it_was() -> None:
    """The first interrupt waits, the second is raised; then the program's own answer is back."""
    program = """
import signal, time
from thetafront.study import interrupt
def want_one():
    print('now', flush=True)
def own(number, frame):
    raise ZeroDivisionError
def in_a_block(wait):
    with interrupt.as_guest(), interrupt.deferred():
        assert not interrupt.requested()
        want_one()
        while not interrupt.requested():
            time.sleep(0.01)
        print('deferred', flush=True)
        wait()
def once_more():
    want_one()
    time.sleep(60)
def alone():
    with interrupt.as_guest():
        once_more()
signal.signal(signal.SIGINT, own)
for call in (lambda: in_a_block(lambda: None), lambda: in_a_block(once_more), alone, once_more):
    try:
        call()
    except BaseException as error:
        print(type(error).__name__, flush=True)
    assert signal.getsignal(signal.SIGINT) is own
    assert not interrupt.requested()
"""
    found = []
    words = [sys.executable, "-c", program]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line == "now\n":
                process.send_signal(signal.SIGINT)
            else:
                found.append(line.strip())
    raised = "KeyboardInterrupt"
    assert found == ["deferred", raised, "deferred", raised, raised, "ZeroDivisionError"]
    assert process.returncode == 0


def test_a_guest_never_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does an interrupt at an edge of its block, where the handler is ours already or still."""
    monkeypatch.setattr(interrupt, "exit_at_once", lambda: pytest.fail("the process has ended"))
    with pytest.raises(KeyboardInterrupt):
        interrupt._handle(signal.SIGINT)


def test_in_another_thread_a_guest_changes_nothing() -> None:
    before, found = signal.getsignal(signal.SIGINT), []

    def call() -> None:
        with interrupt.as_guest(), interrupt.deferred():
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    assert found == [before]
