"""Options that the experiments' objectives make: a limit for each cost, a target for each goal."""

import inspect
import re
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from thetafront.study.run.options import decimal

OPTION = re.compile(r"--[A-Za-z_][\w-]*(?:=.*)?")
GIVEN = "objective options given"


def remember(context: typer.Context, option: typer.CallbackParam, value: float | None) -> None:
    """Keep a value until the command asks for :func:`objectives_given`."""
    if value is not None:
        context.meta.setdefault(GIVEN, {})[option.opts[0]] = value


def objectives_given(context: typer.Context) -> dict[str, float]:
    """Return the values given, by option."""
    return dict(context.meta.get(GIVEN, {}))


class ObjectiveCommand(TyperCommand):
    """A command with an option for each objective; it imports the experiments only when it runs.

    A study of an experiment that is not ours has objectives of its own: each word with two dashes
    that is no other option is taken for one, and the command refuses those that the study lacks.
    """

    words: tuple[str, ...] = ()

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse arguments; remember the options among them."""
        self.words = tuple(each.partition("=")[0] for each in args if OPTION.fullmatch(each))
        return super().parse_args(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the study, the objectives, and the command's other options."""
        from thetafront.study.experiments.registry import objectives

        study, *own = super().get_params(ctx)
        named = {each.option: each.option_help for each in objectives()}
        known = {name for each in own for name in (*each.opts, *each.secondary_opts)}
        theirs = {word: "" for word in self.words if word not in {*known, *named}}

        def options(**_: float | None) -> None: ...

        options.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [
                inspect.Parameter(
                    f"objective_{number}",
                    inspect.Parameter.KEYWORD_ONLY,
                    default=None,
                    annotation=Annotated[
                        float | None,
                        decimal(
                            help_, option, callback=remember, expose_value=False, hidden=not help_
                        ),
                    ],
                )
                for number, (option, help_) in enumerate({**named, **theirs}.items())
            ]
        )
        command = typer.Typer(add_completion=False)
        command.command()(options)
        made = typer.main.get_command(command).params
        return [study, *made, *own]
