"""The command that trains networks: train."""

import contextlib
import math
import time
from typing import TYPE_CHECKING, Annotated, Self

import typer

from thetafront.study.cli.late_options import TrainingCommand, given_late
from thetafront.study.cli.program import app, console, working
from thetafront.study.errors import InputError, check_range
from thetafront.study.run.options import decimal, whole

if TYPE_CHECKING:
    from thetafront.agents.agent import Agent
    from thetafront.study.train.training import Training, TrainingBudget

DEFAULT_SECONDS = 300.0
SECONDS_BETWEEN_LINES = 15.0
KINDS = ("ntuple",)
MOST_JOBS = 64
MOST_MOVES = 10**15
RATE_OF_PLAIN = 0.1  # by default, of plain temporal differences


@app.command(cls=TrainingCommand)
def train(
    context: typer.Context,
    kind: Annotated[str, typer.Argument(help="What to train: ntuple.")],
    name: Annotated[str, typer.Option(help="Name of the network.")],
    cpu_seconds: Annotated[
        float | None,
        decimal("CPU seconds of training in all, of all threads.", show_default="300"),
    ] = None,
    moves: Annotated[int | None, whole("Moves of training in all.")] = None,
    jobs: Annotated[
        int, whole("Number of threads; with more than one, weights depend on their timing.")
    ] = 1,
) -> None:
    """Train a network of an agent, or go on with it.

    With --method td the learning rate is 0.1 by default.
    """
    from thetafront.agents.parameters import Label, parameters_of
    from thetafront.agents.twenty48.ntuple.network import NONE, folder_of
    from thetafront.agents.twenty48.ntuple.training_settings import Method, TrainingSettings
    from thetafront.study.log.held_folder import held_folder
    from thetafront.study.log.location import make_folder
    from thetafront.study.log.manifest import MANIFEST, earlier_manifest
    from thetafront.study.run.progress import PREPARING
    from thetafront.study.train.publication import has_lost_its_checkpoint, publish
    from thetafront.study.train.training import CHECKPOINT, Training, TrainingBudget, check_memory

    if kind not in KINDS:
        raise InputError(f"train: {kind!r} given, {' or '.join(KINDS)} allowed")
    check_range("jobs", jobs, 1, MOST_JOBS)
    if cpu_seconds is None and moves is None:
        cpu_seconds = DEFAULT_SECONDS
    if cpu_seconds is not None and not 0.0 < cpu_seconds < math.inf:
        raise InputError(f"cpu seconds: {cpu_seconds:g} given, a finite number above 0 allowed")
    if moves is not None:
        check_range("moves", moves, 1, MOST_MOVES)
    known = parameters_of(TrainingSettings)
    given = {option.removeprefix("--"): value for option, value in given_late(context).items()}
    if given.get("method") == Method.PLAIN:
        given.setdefault("rate", RATE_OF_PLAIN)
    try:
        Label().check("name", name)
        if name == NONE:
            raise ValueError(f"name: {NONE!r} given, which means no network; another name allowed")
        settings = TrainingSettings(
            **{key: known[key].from_number(value) for key, value in given.items()}
        )
    except ValueError as error:
        raise InputError(str(error)) from None
    budget = TrainingBudget(
        math.inf if cpu_seconds is None else cpu_seconds, math.inf if moves is None else moves
    )
    check_memory(settings)
    folder = folder_of(name)
    make_folder(folder.parent, "networks")
    make_folder(folder, "name")
    with held_folder(folder, f"name: {name!r} is being trained by another run; wait for it"):
        if has_lost_its_checkpoint(folder):
            raise InputError(
                f"name: {name!r} given, a network without its {CHECKPOINT}, which cannot go on; "
                "another name allowed"
            )
        earlier_manifest(folder / MANIFEST)  # a damaged one is refused before anything is written
        with working(PREPARING):
            training = Training(folder / CHECKPOINT, settings, budget, jobs)
        out = console()
        if training.is_done:
            out.print(
                f"network {name!r} has this budget behind it: {text_of(training)}", soft_wrap=True
            )
        else:
            try:
                with TrainingDisplay(training, budget) as display:
                    training.run(display.show)
            except KeyboardInterrupt:
                out.print(f"stopped: {text_of(training)}", soft_wrap=True)
                if training.checkpoint.exists():
                    out.print(
                        f"written: {training.checkpoint}; the same command goes on from here",
                        soft_wrap=True,
                    )
                raise
            out.print(f"network {name!r}: {text_of(training)}", soft_wrap=True)
        with working("writing the weights"):
            network = publish(training, name)
        out.print(f"written: {network.weights_file}", soft_wrap=True)
        out.print(f"to play: thetafront play ntuple --set network={name}", soft_wrap=True)


def have_learned(agent: "Agent") -> None:
    """Have an agent learn what it plays by, and show how far it is; most agents do not learn."""
    if not agent.learns:
        return
    from thetafront.study.train.on_demand import learn_first
    from thetafront.study.train.training import TrainingBudget

    with contextlib.ExitStack() as shown:
        displays: list[TrainingDisplay] = []

        def show(training: "Training", n_moves: int) -> None:
            if not displays:
                display = TrainingDisplay(training, TrainingBudget(n_moves=n_moves))
                displays.append(shown.enter_context(display))
            displays[0].show()

        learn_first(agent, show)


def text_of(training: "Training") -> str:
    """Say how far a training is, and how good."""
    counts = training.counts
    parts = [
        f"{counts.n_games:,} games, {counts.n_moves / 1e6:,.1f} million moves in "
        f"{counts.cpu_seconds:,.0f} CPU s"
    ]
    if counts.cpu_seconds:
        parts.append(f"{counts.n_moves / counts.cpu_seconds / 1e6:.2f} million moves a CPU second")
    n, score = training.recent_scores
    if n:
        parts.append(f"mean score of the last {n:,}: {score:,.0f}")
    return " · ".join(parts)


class TrainingDisplay:
    """Shows how far a training is: a bar on a terminal, else a line now and then."""

    def __init__(self, training: "Training", budget: "TrainingBudget") -> None:
        from rich.progress import BarColumn, Progress, TextColumn

        self.training, self.budget = training, budget
        self.console = console(stderr=True)
        self.bar = Progress(
            BarColumn(40),
            TextColumn("{task.percentage:3.0f}% · {task.fields[figures]}"),
            console=self.console,
            disable=not self.console.is_terminal,
        )
        self.task = self.bar.add_task("training", total=1.0, figures="")
        self.began, self.share_before = time.monotonic(), self.share
        self.last_line = self.began

    @property
    def share(self) -> float:
        """Which part of the budget is spent."""
        return self.budget.share(self.training.counts)

    def __enter__(self) -> Self:
        self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.stop()

    def show(self) -> None:
        """Show it; called several times a second."""
        from thetafront.study.text import duration

        gained = self.share - self.share_before
        now = time.monotonic()
        left = (now - self.began) * (1.0 - self.share) / gained if gained > 0.0 else math.nan
        figures = f"{text_of(self.training)} · {duration(left)} left"
        self.bar.update(self.task, completed=min(1.0, self.share), figures=figures)
        if self.bar.disable and now - self.last_line >= SECONDS_BETWEEN_LINES:
            self.last_line = now
            self.console.print(figures, soft_wrap=True)
