"""The program ``thetafront``: its help, and how errors are reported.

An error is reported as one line, with an exit code. Commands import slow libraries inside their
functions, so that help and completion are quick.
"""

import errno
import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from thetafront.study import interrupt
from thetafront.study.errors import InputError, RunError
from thetafront.study.interrupt import EXIT_INTERRUPTED
from thetafront.study.terminal.console import console
from thetafront.study.text import did_you_mean

if TYPE_CHECKING:
    from rich.status import Status

PROGRAM = "thetafront"
EXIT_FAILURE = 1
EXIT_BAD_INPUT = 2


GROUPS = {
    "Tune": ("try", "sweep", "status", "validate", "train"),
    "Read": ("front", "pick", "report", "compare", "export", "plot", "verify"),
    "Play": ("experiments", "agents", "play", "watch", "act", "schedule"),
    "Cluster": ("worker", "cluster"),
    "Compare agents": ("equal-time", "champions", "utilization"),
}
"""Commands in the order of the help."""


class Commands(TyperGroup):
    """A group of commands; an error is reported as one line on standard error and an exit code."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the commands in the order of the help."""
        return [name for group in GROUPS.values() for name in group]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands in their groups."""
        width = formatter.width - 6 - max(map(len, self.commands))
        for group, names in GROUPS.items():
            with formatter.section(group):
                helps = (self.commands[name].get_short_help_str(width) for name in names)
                formatter.write_dl(list(zip(names, helps, strict=True)))

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command, and report any error."""
        message, code = "", 0
        try:
            check_words(sys.argv[1:] if args is None else args)
            code = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
            sys.stdout.flush()
        except InputError as error:
            message, code = str(error), EXIT_BAD_INPUT
        except typer.BadParameter as error:
            said = error.message
            message = error.format_message()
            if error.param is not None and said.startswith("must "):
                message = f"{error.param.opts[0]} {said}"
            code = EXIT_BAD_INPUT
        except typer.TyperException as error:
            message, code = error.format_message(), EXIT_BAD_INPUT
            if hasattr(error, "possibilities"):  # an option that does not exist
                name = getattr(error, "option_name", "")
                like = did_you_mean(name, error.possibilities or ())
                message = f"there is no option {name}{like}"
        except typer.Abort:
            code = EXIT_INTERRUPTED
        except SystemError as error:
            # numba reports an interrupt within a kernel as a SystemError.
            if not isinstance(error.__cause__ or error.__context__, KeyboardInterrupt):
                raise
            code = EXIT_INTERRUPTED
        except (BrokenPipeError, SystemExit):
            # The reader of a pipe has left, or shell completion has printed its answer.
            with suppress(BrokenPipeError):
                sys.stdout.flush()
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        except OSError as error:  # such as a full disk; only a name that is too long is bad input
            too_long = error.errno == errno.ENAMETOOLONG
            message, code = str(error), EXIT_BAD_INPUT if too_long else EXIT_FAILURE
        except RunError as error:
            message, code = str(error), EXIT_FAILURE
        except MemoryError as error:
            message, code = f"memory: not enough ({str(error) or 'none left'})", EXIT_FAILURE
        code = code if isinstance(code, int) else 0
        if code == EXIT_INTERRUPTED:
            message = "interrupted"
        if message:
            print(f"{PROGRAM}: {' '.join(message.split())}", file=sys.stderr)
        if standalone_mode:
            sys.exit(code)
        return code

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse arguments; without any, show the help."""
        return super().parse_args(ctx, args or ["--help"])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command; InputError lists those that exist."""
        if args and args[0] not in self.commands:
            if like := did_you_mean(args[0], self.commands):
                raise InputError(f"there is no command {args[0]!r}{like}")
            allowed = ", ".join(self.list_commands(ctx))
            raise InputError(f"command must be one of {allowed} (got {args[0]!r})")
        return super().resolve_command(ctx, args)


def check_words(words: Sequence[str]) -> None:
    """Raise InputError for words that are not text, because no manifest could store them."""
    for word in words:
        if not word.isprintable() and any(x == "\0" or "\ud800" <= x <= "\udfff" for x in word):
            raise InputError(f"arguments must be text in UTF-8 (got {word!r})")


app = typer.Typer(
    name=PROGRAM,
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def version() -> str:
    """Return the version of the installed package or, if there is none, of the checkout."""
    import tomllib
    from importlib import metadata

    try:
        return metadata.version(PROGRAM)
    except metadata.PackageNotFoundError:
        project = Path(__file__).resolve().parents[2] / "pyproject.toml"
        return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])


def print_version(asked: bool) -> None:
    """Answer ``--version``."""
    if asked:
        print(f"{PROGRAM} {version()}")
        raise typer.Exit


@app.callback(help="Tune agents and programs for score against cost.")
def program_options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the version and exit.", callback=print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Options of the program itself."""


def working(what: str) -> "Status":
    """Return a context that shows an activity on standard error, if that is a terminal.

    Nothing may be printed within this context.
    """
    return console(stderr=True).status(what)


def main() -> None:
    """Run the command line."""
    interrupt.watch()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks θ shows ? instead
    os.environ["MPLBACKEND"] = "agg"  # figures go to files; a notebook's backend may be missing
    # Imports create no garbage, but looking for garbage would take a tenth of the start-up time.
    gc.set_threshold(100_000)
    try:
        app()
    except SystemExit as end:
        if end.code == EXIT_INTERRUPTED:
            with suppress(OSError):
                sys.stdout.flush()
            os._exit(EXIT_INTERRUPTED)  # without waiting for a sampler's thread
        raise
    finally:
        gc.freeze()  # otherwise, garbage collection at the end takes a fifth of `status`'s time
