"""Options that a command gets only when it runs, because they need modules that are slow to import.

``pick`` has an option for each cost (a limit) and each goal (a target) of any experiment. ``train``
has an option for each training parameter.
"""

import inspect
import re
from abc import abstractmethod
from collections.abc import Iterator
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from thetafront.study.run.options import decimal, whole

OPTION = re.compile(r"--[A-Za-z_][\w-]*(?:=.*)?")
GIVEN = "late options given"


def remember(context: typer.Context, option: typer.CallbackParam, value: Any) -> None:
    """Keep a value until the command calls :func:`given_late`."""
    if value is not None:
        context.meta.setdefault(GIVEN, {})[option.opts[0]] = value


REMEMBERED: dict[str, Any] = {"callback": remember, "expose_value": False}


def given_late(context: typer.Context) -> dict[str, Any]:
    """Return the given values by name; the name for ``--max-score`` is ``max_score``."""
    given = context.meta.get(GIVEN, {})
    return {name.removeprefix("--").replace("-", "_"): value for name, value in given.items()}


class LateCommand(TyperCommand):
    """A command with late options, which follow its argument in the help."""

    words: tuple[str, ...] = ()

    @abstractmethod
    def late_options(self, known: set[str]) -> Iterator[tuple[type, Any]]:
        """Yield the type and the declaration of each late option.

        ``known`` are the names of the command's own options.
        """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse arguments, and remember which of them are options."""
        self.words = tuple(each.partition("=")[0] for each in args if OPTION.fullmatch(each))
        return super().parse_args(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the argument, the late options, and the command's other options."""
        argument, *own = super().get_params(ctx)
        known = {name for each in own for name in (*each.opts, *each.secondary_opts)}

        def options(**_: Any) -> None: ...

        options.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [
                inspect.Parameter(
                    f"late_{number}",
                    inspect.Parameter.KEYWORD_ONLY,
                    default=None,
                    annotation=Annotated[kind | None, option],
                )
                for number, (kind, option) in enumerate(self.late_options(known))
            ]
        )
        command = typer.Typer(add_completion=False)
        command.command()(options)
        return [argument, *typer.main.get_command(command).params, *own]


class ObjectiveCommand(LateCommand):
    """A command with an option for each objective.

    A user's experiment may have objectives with any names. So each word that begins with two dashes
    counts as an objective unless it is another option. The command refuses objectives that the
    study does not have.
    """

    def late_options(self, known: set[str]) -> Iterator[tuple[type, Any]]:
        """Yield options for objectives of built-in experiments, then for all unknown words."""
        from thetafront.study.experiments.registry import objectives
        from thetafront.study.log.invocation import option

        named = {option(each.bound): each for each in objectives()}
        for name, each in named.items():
            metavar = "TIME" if getattr(each, "is_timed", False) else "X"
            yield str, typer.Option(name, help=each.option_help, metavar=metavar, **REMEMBERED)
        for word in dict.fromkeys(self.words):
            if word not in {*known, *named}:
                yield str, typer.Option(word, hidden=True, **REMEMBERED)


class TrainingCommand(LateCommand):
    """A command with an option for each training parameter."""

    def late_options(self, known: set[str]) -> Iterator[tuple[type, Any]]:
        """Yield the options in the order of the parameters."""
        from thetafront.agents.parameters import declared_parameters
        from thetafront.agents.twenty48.ntuple.training_settings import TrainingSettings

        for name, each in declared_parameters(TrainingSettings).items():
            help_ = f"{each.description[0].upper()}{each.description[1:]}."
            given = {**REMEMBERED, "show_default": f"{each.domain.plain(each.default)}"}
            if each.is_whole:
                yield int, whole(help_, f"--{name}", **given)
            elif each.is_number:
                yield float, decimal(help_, f"--{name}", **given)
            else:
                help_ = f"{help_} {each.domain.allowed[0].upper()}{each.domain.allowed[1:]}."
                yield str, typer.Option(f"--{name}", help=help_, **given)
