"""Options that the experiments' objectives make: a limit for each cost, a target for each goal."""

import inspect
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from study.cli.options import decimal

GIVEN = "objective options given"


def remember(context: typer.Context, option: typer.CallbackParam, value: float | None) -> None:
    """Keep a value until the command asks for :func:`objectives_given`."""
    if value is not None:
        context.meta.setdefault(GIVEN, {})[option.opts[0]] = value


def objectives_given(context: typer.Context) -> dict[str, float]:
    """Return the values given, by option."""
    return dict(context.meta.get(GIVEN, {}))


class ObjectiveCommand(TyperCommand):
    """A command with an option for each objective; it imports the experiments only when it runs."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the study, the objectives, and the command's other options."""
        from study.experiments.registry import objectives

        def options(**_: float | None) -> None: ...

        options.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [
                inspect.Parameter(
                    each.name,
                    inspect.Parameter.KEYWORD_ONLY,
                    default=None,
                    annotation=Annotated[
                        float | None,
                        decimal(
                            each.option_help, each.option, callback=remember, expose_value=False
                        ),
                    ],
                )
                for each in objectives()
            ]
        )
        command = typer.Typer(add_completion=False)
        command.command()(options)
        made = typer.main.get_command(command).params
        study, *own = super().get_params(ctx)
        return [study, *made, *own]
