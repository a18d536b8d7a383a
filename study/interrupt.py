"""Ctrl-C, SIGTERM and SIGHUP: a thread waits for them, so they do not interrupt a write.

- By default, an interrupt ends the process and its workers at once. This is safe, because stored
  data survives a kill at any moment.
- Within :func:`deferred`, the first interrupt sets a flag, :func:`requested`, which loops check
  between whole steps. The second interrupt ends the process.
- Within :func:`raised`, an interrupt raises KeyboardInterrupt, as usual in Python. This is for code
  that must restore a terminal, delete temporary files or end programs that it has started.

A user's program, such as a notebook, keeps its own signal handlers, except within :func:`as_guest`.
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
from typing import NoReturn

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
EXIT_INTERRUPTED = 130
MESSAGE = b"thetafront: interrupted\n"
SHOW_CURSOR = b"\r\x1b[?25h\x1b[K"  # progress hides it


unfinished: set[str] = set()
"""Paths of unfinished files, which are deleted if the process ends at once."""


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

    Signals that are ignored, such as SIGHUP under nohup, stay ignored.
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
        _handle(signal.sigwait(_State.signals))


def _handle(number: int, *_: object) -> None:
    """Handle a signal.

    Signals are blocked in the main thread, so the waiting thread gets them, and passes on those
    that must raise KeyboardInterrupt. The main thread gets them itself as a guest, within
    :func:`raised`, and if a library unblocks them.
    """
    if _State.answer is _Answer.FLAG and not _State.requested:
        _State.requested = True
    elif _State.signals and _State.answer is not _Answer.RAISE:  # never as a guest
        exit_at_once()
    elif in_main_thread():
        raise KeyboardInterrupt
    else:  # the system may choose this thread even if the main thread does not block the signal
        main = threading.main_thread().ident
        assert main is not None
        signal.pthread_kill(main, number)


@contextmanager
def as_guest() -> Iterator[None]:
    """Handle Ctrl-C for a block of a user's program, such as a script or a notebook.

    The first Ctrl-C within :func:`deferred` sets the flag. Any other Ctrl-C raises
    KeyboardInterrupt, and none ends the process. Afterwards, the program's own handler is restored.
    Nothing is changed if Ctrl-C is ignored, if :func:`watch` is active already, or if the block
    does not run in the main thread.
    """
    handler = signal.getsignal(signal.SIGINT)
    is_answered = bool(_State.signals) or _State.is_guest or not in_main_thread()
    if is_answered or handler in (signal.SIG_IGN, None):
        yield
        return
    signal.signal(signal.SIGINT, _handle)
    _State.is_guest = True
    try:
        yield
    except SystemError as error:  # numba raises it for an interrupt in a kernel
        if isinstance(error.__cause__ or error.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        raise
    finally:
        _State.is_guest = _State.requested = False
        signal.signal(signal.SIGINT, handler)


def is_watched() -> bool:
    """Return whether this process is a command of thetafront, rather than a notebook."""
    return bool(_State.signals)


def in_main_thread() -> bool:
    """Return whether this is the thread in which Python handles signals."""
    return threading.current_thread() is threading.main_thread()


def requested() -> bool:
    """Return whether an interrupt has been received and deferred."""
    return _State.requested and (in_main_thread() or not _State.is_guest)


@contextmanager
def kept_from_children() -> Iterator[None]:
    """Keep Ctrl-C from processes started in this context, until they ignore it themselves."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def deferred() -> Iterator[None]:
    """Defer an interrupt to the end of the block, where it raises KeyboardInterrupt.

    In nested blocks, it is deferred to the end of the outermost block.
    """
    with _answering(_Answer.FLAG, signal.SIG_BLOCK):
        yield
    if requested() and _State.answer is not _Answer.FLAG:
        raise KeyboardInterrupt


@contextmanager
def raised() -> Iterator[None]:
    """Let an interrupt raise KeyboardInterrupt in the block, whatever the main thread is doing."""
    with _answering(_Answer.RAISE, signal.SIG_UNBLOCK):
        yield


@contextmanager
def _answering(answer: _Answer, how: int) -> Iterator[None]:
    """Handle interrupts in the block as ``answer`` says.

    ``how`` says whether signals are blocked or unblocked in the main thread.
    """
    if not (_State.signals or _State.is_guest) or not in_main_thread():
        yield
        return
    before = _State.answer, signal.pthread_sigmask(how, _State.signals)  # no signals in as_guest
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
        # No import here: the main thread may be importing the module at this moment.
        if (processes := sys.modules.get("multiprocessing.process")) is not None:
            for each in processes.active_children():
                with contextlib.suppress(ProcessLookupError):  # it has just exited on its own
                    os.kill(each.pid, signal.SIGKILL)
        # PyDLL keeps the GIL, unlike os.unlink, so no other thread can open a file before exit.
        unlink = ctypes.PyDLL(None).unlink
        for path in tuple(unfinished):
            unlink(os.fsencode(path))
    finally:
        os._exit(EXIT_INTERRUPTED)


def say(message: bytes) -> None:
    """Write a line on standard error, and show the cursor of each terminal; never wait."""
    for number, text in ((1, b""), (2, message)):
        written = (SHOW_CURSOR if os.isatty(number) else b"") + text
        if written and select.select([], [number], [], 0.0)[1]:
            os.write(number, written)
