"""Ctrl-C, SIGTERM and SIGHUP: a thread waits for them, so they do not interrupt a write.

- By default, an interrupt ends the process and its workers at once. Everything that is written
  survives a kill, so it also survives this.
- Within :func:`deferred` the first interrupt sets a flag, :func:`requested`, at which loops look
  between whole steps. The second one ends the process.
- Within :func:`raised` an interrupt is a KeyboardInterrupt, as usual in Python: for code that must
  restore a terminal, delete temporary files or end programs that it has started.

A user's program, such as a notebook, keeps its own handling, except within :func:`as_guest`.
"""

import contextlib
import ctypes
import os
import select
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum, auto
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
EXIT_INTERRUPTED = 130
MESSAGE = b"thetafront: interrupted\n"
SHOW_CURSOR = b"\r\x1b[?25h\x1b[K"  # progress hides it


unfinished: set[str] = set()
"""Files being written, by path, that are deleted if the process ends at once."""


class _Answer(Enum):
    """What an interrupt does."""

    EXIT = auto()
    FLAG = auto()
    RAISE = auto()


class _State:
    """State shared by the waiting thread and the main thread."""

    signals: tuple[signal.Signals, ...] = ()
    answer = _Answer.EXIT
    requested = False
    is_guest = False


def watch() -> None:
    """Handle interrupts from now on, also in threads and workers started later.

    Signals that are ignored, such as SIGHUP under nohup, stay so.
    """
    if _State.signals:
        return
    _State.signals = tuple(each for each in SIGNALS if signal.getsignal(each) is not signal.SIG_IGN)
    for each in _State.signals:
        signal.signal(each, _handle)
    signal.pthread_sigmask(signal.SIG_BLOCK, _State.signals)
    threading.Thread(target=_wait, name="interrupts", daemon=True).start()


def _wait() -> None:
    while True:
        signal.sigwait(_State.signals)
        _answer()


def _answer() -> None:
    if _State.answer is not _Answer.FLAG or _State.requested:
        exit_at_once()
    _State.requested = True


def _handle(number: int, frame: "FrameType | None") -> None:
    """Handle a signal in the main thread, if signals are raised or a library has unblocked them."""
    if _State.answer is _Answer.RAISE:
        raise KeyboardInterrupt
    _answer()


@contextmanager
def as_guest() -> Iterator[None]:
    """Handle Ctrl-C for a block of a user's program, such as a script or a notebook.

    The first one within :func:`deferred` sets the flag; any other raises KeyboardInterrupt, and
    none ends the process. Afterwards the program's own handler is back. Nothing changes outside the
    main thread, where Ctrl-C is ignored, and where :func:`watch` is active already.
    """
    handler = signal.getsignal(signal.SIGINT)
    is_answered = bool(_State.signals) or _State.is_guest or not in_main_thread()
    if is_answered or handler in (signal.SIG_IGN, None):
        yield
        return
    signal.signal(signal.SIGINT, _handle_as_guest)
    _State.is_guest = True
    try:
        yield
    except SystemError as error:  # numba's for an interrupt within a kernel
        if isinstance(error.__cause__ or error.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        raise
    finally:
        _State.is_guest = _State.requested = False
        signal.signal(signal.SIGINT, handler)


def _handle_as_guest(number: int, frame: "FrameType | None") -> None:
    if _State.answer is not _Answer.FLAG or _State.requested:
        raise KeyboardInterrupt
    _State.requested = True


def is_watched() -> bool:
    """Return whether this process is a command of thetafront, rather than a notebook."""
    return bool(_State.signals)


def in_main_thread() -> bool:
    """Return whether this is the thread in which Python handles signals."""
    return threading.current_thread() is threading.main_thread()


def requested() -> bool:
    """Return whether a deferred interrupt has come."""
    return _State.requested and (in_main_thread() or not _State.is_guest)


@contextmanager
def kept_from_children() -> Iterator[None]:
    """Start the block's processes with Ctrl-C blocked, until they ignore it themselves."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def deferred() -> Iterator[None]:
    """Let an interrupt wait for the end of the block, which then raises KeyboardInterrupt.

    With nested blocks, it waits for the end of the outermost one.
    """
    with _answering(_Answer.FLAG, signal.SIG_BLOCK):
        yield
    if requested() and _State.answer is not _Answer.FLAG:
        raise KeyboardInterrupt


@contextmanager
def raised() -> Iterator[None]:
    """Let an interrupt raise KeyboardInterrupt wherever the main thread is."""
    with _answering(_Answer.RAISE, signal.SIG_UNBLOCK):
        yield


@contextmanager
def _answering(answer: _Answer, how: int) -> Iterator[None]:
    """Handle interrupts in that way for a block.

    ``how`` says what happens to the main thread's signals.
    """
    if not (_State.signals or _State.is_guest) or not in_main_thread():
        yield
        return
    before = _State.answer, signal.pthread_sigmask(how, _State.signals)  # as a guest, none
    _State.answer = answer
    try:
        yield
    finally:
        _State.answer, mask = before
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def exit_at_once() -> NoReturn:
    """End the process and its workers, whatever they are doing."""
    try:
        say(MESSAGE)
        # Not imported here: the main thread may be about to.
        if (processes := sys.modules.get("multiprocessing.process")) is not None:
            for each in processes.active_children():
                with contextlib.suppress(ProcessLookupError):  # it has just exited on its own
                    os.kill(each.pid, signal.SIGKILL)
        # As os.unlink, but no other thread runs from here to the exit: it could open a file again.
        unlink = ctypes.PyDLL(None).unlink
        for path in tuple(unfinished):
            unlink(os.fsencode(path))
    finally:
        os._exit(EXIT_INTERRUPTED)


def say(message: bytes) -> None:
    """Write a line on standard error, unless it is a pipe that nobody reads."""
    if not select.select([], [2], [], 0.0)[1]:
        return
    os.write(2, (SHOW_CURSOR if os.isatty(2) else b"") + message)
