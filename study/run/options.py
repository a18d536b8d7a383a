"""The options of a sweep or a validation, each defined once.

The commands take their options from this module. :func:`thetafront.sweep` and ``make sweep`` have
the same options, and tests compare all three.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from thetafront.agents.parameters import is_real
from thetafront.study.errors import InputError
from thetafront.study.experiments.table_call import allowed, fits

RESULTS = Path("results")


def reader(read: Callable[[str], Any], kind: str) -> Callable[[str], Any]:
    """Return a parser of an option; BadParameter if the text is empty or cannot be read."""

    def parse(text: str) -> Any:
        with suppress(ValueError):
            if str(text):
                return read(text)
        raise typer.BadParameter(f"must be {kind} (got {str(text)!r})")

    return parse


whole_number, real_number = reader(int, "a whole number"), reader(float, "a number")
folder, file = reader(Path, "the path to a folder"), reader(Path, "the path to a file")


def whole(help_: str, *names: str, **settings: Any) -> Any:
    """Return an option for a whole number."""
    return typer.Option(*names, help=help_, parser=whole_number, metavar="N", **settings)


def decimal(help_: str, *names: str, **settings: Any) -> Any:
    """Return an option for a number."""
    return typer.Option(*names, help=help_, parser=real_number, metavar="X", **settings)


def path(help_: str, *names: str, **settings: Any) -> Any:
    """Return an option for a folder."""
    return typer.Option(*names, help=help_, parser=folder, metavar="FOLDER", **settings)


ResultsOption = Annotated[
    Path, path("Folder that holds all studies. Except for the default, it must exist.", "--results")
]
JobsOption = Annotated[
    int | None, whole("Number of worker processes.", "--jobs", show_default="all cores")
]


@dataclass(frozen=True, kw_only=True)
class SweepOptions:
    """The options of a sweep; :class:`study.run.orders.SweepOrder` checks their values."""

    trials: Annotated[
        int | None,
        whole(
            "Number of trials in the study.",
            show_default="384 if the budget allows; as many as it allows if scores are exact; 128 "
            "without a budget; as many as needed with --until-regret",
        ),
    ] = None
    replicates: Annotated[
        int | None,
        whole(
            "Games per trial.",
            show_default="4; 10 for a win rate; 1 if scores are exact; up to 512 if there is time",
        ),
    ] = None
    jobs: JobsOption = None
    name: Annotated[
        str | None, typer.Option(help="Name of the study.", show_default="the experiment's")
    ] = None
    seed: Annotated[int, whole("Seed for all random numbers in the study.")] = 0
    sampler: Annotated[
        str | None,
        typer.Option(
            help="knowledge-gradient, nehvi, tpe, nsga2, random, gp (needs torch), or the class of "
            "a sampler, such as optuna.samplers.TPESampler.",
            show_default="knowledge-gradient; nehvi if scores are exact",
        ),
    ] = None
    design: Annotated[str, typer.Option(help="Initial design: sobol or lhs.")] = "sobol"
    design_size: Annotated[int, whole("Number of trials in the initial design.")] = 16
    cost: Annotated[
        str | None,
        typer.Option(
            help="Which of the experiment's costs to minimize.",
            show_default="the experiment's own",
        ),
    ] = None
    widen: Annotated[
        list[str] | None,
        typer.Option(
            help="Widen parameter NAME's range at the end where the front lies; or, given "
            "NAME=LOW:HIGH, to these bounds. Existing trials are kept. Repeatable.",
            metavar="NAME",
        ),
    ] = None
    until_regret: Annotated[
        str | None,
        typer.Option(
            help="Continue until, with 95% probability, no θ beats the recommended one by more "
            "than X at any cost limit. X is in the goal's unit, such as 3000 points or "
            "0.02 for a win rate, or a share of the expected score, such as 5%. The sweep ends "
            "earlier if the --budget is spent.",
            metavar="X",
        ),
    ] = None
    standard_error: Annotated[
        float | None,
        decimal(
            "Validation: standard error of the mean at which a point has enough games.",
            show_default="without a budget, the goal's: 500 points, or 0.015 for a win rate",
        ),
    ] = None
    validation_games: Annotated[
        int | None,
        whole(
            "Validation: maximum number of games per point.",
            show_default="1000, or as many as the time allows; 3 if scores are exact",
        ),
    ] = None
    validation_points: Annotated[
        int, whole("Validation: number of points that the model proposes along its front.")
    ] = 12
    budget: Annotated[
        str,
        typer.Option(
            help="Time to spend, such as 90s, 15m or 1h30m; none for no limit. Validation runs "
            "until this time is spent, unless --standard-error or --validation-games is given.",
            metavar="TIME",
        ),
    ] = "15m"
    no_validation: Annotated[
        bool, typer.Option("--no-validation", help="Stop after the search.")
    ] = False
    accept_change: Annotated[
        bool,
        typer.Option(
            "--accept-change",
            help="Continue a study even though its definition has changed; the study records "
            "the change.",
        ),
    ] = False
    storage: Annotated[
        str | None,
        typer.Option(help="A storage URL.", show_default="sqlite:///results/NAME/study.db"),
    ] = None
    scheduler: Annotated[
        str | None,
        typer.Option(
            help="Address of a Dask scheduler whose workers play the games, such as "
            "tcp://10.0.0.1:8786; see thetafront worker.",
            metavar="ADDRESS",
            show_default="this machine's cores",
        ),
    ] = None
    tls_ca: Annotated[
        str | None,
        typer.Option(help="TLS: the authority's certificate, in PEM format.", metavar="FILE"),
    ] = None
    tls_cert: Annotated[
        str | None,
        typer.Option(help="TLS: this machine's certificate.", metavar="FILE"),
    ] = None
    tls_key: Annotated[str | None, typer.Option(help="TLS: private key.", metavar="FILE")] = None
    results: ResultsOption = RESULTS

    def __post_init__(self) -> None:
        """Check the types of values, since a call from Python may give values of any type."""
        for name, hint in get_type_hints(SweepOptions).items():
            if not fits(value := getattr(self, name), hint):
                words = name.replace("_", " ")
                raise InputError(f"{words} must be {allowed(hint)} (got {value!r})")
            if is_real(value) and isinstance(value, Integral):
                object.__setattr__(self, name, int(value))

    @property
    def tls(self) -> dict[str, str | None]:
        """The files of certificates and key, by their role."""
        return {"ca": self.tls_ca, "cert": self.tls_cert, "key": self.tls_key}
