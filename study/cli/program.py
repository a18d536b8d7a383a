"""The program: its errors are one line and an exit code, its help is quick.

Libraries that are slow to import are imported inside the commands.
"""

import _thread
import os
import signal
import sys
import threading
from collections.abc import Sequence
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from study.errors import InputError

if TYPE_CHECKING:
    from types import FrameType

    from rich.console import Console

PROGRAM = "thetafront"
SECONDS_TO_COME_AGAIN = 0.05
interrupted = threading.Event()
EXIT_FAILURE = 1
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130
PLAIN: dict[str, Any] = {
    "highlight": False,
    "markup": False,
    "emoji": False,
}  # a path may hold [/] or :x:
LEAST_WIDTH = 112  # what the front's table needs; a narrower terminal wraps it


class Commands(TyperGroup):
    """Commands whose errors are one line and an exit code."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command; say what is wrong in one line on standard error."""
        message, code = "", 0
        try:
            code = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
            sys.stdout.flush()
        except InputError as error:
            message, code = str(error), EXIT_BAD_INPUT
        except typer.TyperException as error:
            message, code = error.format_message(), EXIT_BAD_INPUT
        except typer.Abort:
            code = EXIT_INTERRUPTED
        except SystemError as error:
            # An interrupt within a kernel comes out as this, while the kernel's result is made an object.
            if not isinstance(error.__cause__ or error.__context__, KeyboardInterrupt):
                raise
            code = EXIT_INTERRUPTED
        except (BrokenPipeError, SystemExit):
            # Whoever read along has seen enough; typer answers that by SystemExit, and by it alone.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        except OSError as error:  # a full disk, say
            message, code = str(error), EXIT_FAILURE
        code = code if isinstance(code, int) else 0
        if code == EXIT_INTERRUPTED:
            message = "interrupted"
        if message:
            print(f"{PROGRAM}: {' '.join(message.split())}", file=sys.stderr)
        if standalone_mode:
            sys.exit(code)
        return code

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read words; without any, show help, of all commands or of a group of them."""
        return super().parse_args(ctx, args or ["--help"])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command, or say which there are."""
        if args and args[0] not in self.commands:
            allowed = ", ".join(self.commands)
            raise InputError(f"command: {args[0]!r} given, one of {allowed} allowed")
        return super().resolve_command(ctx, args)


app = typer.Typer(
    name=PROGRAM,
    cls=Commands,
    help="Tunes game-playing agents for score against seconds per move: the Pareto front.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def console() -> "Console":
    """Return where people read."""
    from rich.console import Console

    out = Console(**PLAIN)
    return out if out.width >= LEAST_WIDTH else Console(**PLAIN, width=LEAST_WIDTH)


def progress_console() -> "Console":
    """Return where people read of a command whose result, on standard output, is a text to keep."""
    from rich.console import Console

    return Console(**PLAIN, stderr=True)


def failed(message: str) -> typer.Exit:
    """Say in one line what went wrong that is no bad input; return the exit."""
    print(f"{PROGRAM}: {message}", file=sys.stderr)
    return typer.Exit(EXIT_FAILURE)


def interrupt(number: int, frame: "FrameType | None") -> None:
    """Answer a signal by KeyboardInterrupt, and remember that it came."""
    interrupted.set()
    raise KeyboardInterrupt


def unraisable(what: "sys.UnraisableHookArgs") -> None:
    """Say what went wrong in a library's tidying up; not after an interrupt, which may leave it half done.

    An interrupt that falls into the tidying up itself would be lost: it comes again.
    """
    if what.exc_type is KeyboardInterrupt:
        # Not at once: within this hook it would be lost again.
        threading.Timer(SECONDS_TO_COME_AGAIN, _thread.interrupt_main).start()
    elif not interrupted.is_set():
        sys.__unraisablehook__(what)


def main() -> None:
    """Run the command line; a request to end is an interrupt, unless nohup or the like ignores it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without θ shows ? in its place
    sys.unraisablehook = unraisable
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(each) is not signal.SIG_IGN:
            signal.signal(each, interrupt)
    app()
