"""The command that trains networks: train."""

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from thetafront.study.cli.late_options import TrainingCommand, given_late
from thetafront.study.cli.program import app, working
from thetafront.study.errors import InputError, check_range
from thetafront.study.run.options import decimal, whole
from thetafront.study.terminal.console import console
from thetafront.study.text import counted

if TYPE_CHECKING:
    from thetafront.agents.agent import Agent
    from thetafront.agents.twenty48.ntuple.network import TrainedNetwork
    from thetafront.study.train.checkpoint import TrainingCounts
    from thetafront.study.train.training import Training, TrainingBudget

DEFAULT_SECONDS = 300.0
COOLING = 0.3
MAX_COOLING = 0.9
# The part before cooling ends with a whole round of games, so it may exceed its share of the
# training, but only by this part of it; the training then exceeds its budget by the same part.
MAX_OVERSHOOT = 0.2
KINDS = ("ntuple",)
MAX_JOBS = 64
MAX_MOVES = 10**15
RATE_OF_PLAIN = 0.1  # default learning rate of plain temporal differences


@app.command(cls=TrainingCommand)
def train(
    context: typer.Context,
    kind: Annotated[str, typer.Argument(help="What to train: ntuple.")],
    name: Annotated[str, typer.Option(help="Name of the network.")],
    cpu_seconds: Annotated[
        float | None,
        decimal(
            "Total training time in CPU seconds, over all threads.",
            show_default="300, unless --moves is given",
        ),
    ] = None,
    moves: Annotated[int | None, whole("Total training moves.")] = None,
    cooling: Annotated[
        float, decimal("Final share of training with a falling learning rate: 0 to 0.9.")
    ] = COOLING,
    jobs: Annotated[
        int,
        whole("Number of threads; with more than one, the weights depend on the threads' timing."),
    ] = 1,
) -> None:
    """Train an agent's network, or continue its training.

    Under --method td, the learning rate defaults to 0.1. When you repeat the command with a larger
    budget, training resumes from the point at which the learning rate began to fall. A network is
    first trained with one stage; its training may continue with more.
    """
    from thetafront.agents.parameters import Label, declared_parameters
    from thetafront.agents.twenty48.ntuple.network import NONE, network_folder, trained_network
    from thetafront.agents.twenty48.ntuple.training_settings import Method, TrainingSettings
    from thetafront.study.log.file_lock import file_lock
    from thetafront.study.log.location import make_folder
    from thetafront.study.log.manifest import MANIFEST, earlier_manifest
    from thetafront.study.run.progress import PREPARING
    from thetafront.study.train.training import (
        CHECKPOINT,
        Training,
        TrainingBudget,
        check_memory,
        is_published,
        publish,
    )

    if kind not in KINDS:
        raise InputError(f"kind must be {' or '.join(KINDS)} (got {kind!r})")
    check_range("jobs", jobs, 1, MAX_JOBS)
    if cpu_seconds is None and moves is None:
        cpu_seconds = DEFAULT_SECONDS
    if cpu_seconds is not None and not 0.0 < cpu_seconds < math.inf:
        raise InputError(f"cpu seconds must be a finite number above 0 (got {cpu_seconds:g})")
    if moves is not None:
        check_range("moves", moves, 1, MAX_MOVES)
    if not 0.0 <= cooling <= MAX_COOLING:
        raise InputError(f"cooling must be between 0 and {MAX_COOLING} (got {cooling:g})")
    known = declared_parameters(TrainingSettings)
    given = given_late(context)
    if given.get("method") == Method.PLAIN:
        given.setdefault("rate", RATE_OF_PLAIN)
    try:
        Label().check("name", name)
        if name == NONE:
            raise ValueError(f"name must not be {NONE!r}, which means no network")
        settings = TrainingSettings(
            **{key: known[key].from_number(value) for key, value in given.items()}
        )
    except ValueError as error:
        raise InputError(str(error)) from None
    budget = TrainingBudget(
        math.inf if cpu_seconds is None else cpu_seconds, math.inf if moves is None else moves
    )
    check_memory(settings)
    folder = network_folder(name)
    if settings.stages > 1 and not (folder / CHECKPOINT).exists():
        raise InputError(
            f"stages must be 1 for a new network (got {settings.stages}); first train it "
            "with one stage, then repeat this command to continue with more"
        )
    make_folder(folder.parent, "networks")
    make_folder(folder, "name")
    busy = f"name: {name!r} is being trained by another run; wait for it"
    with file_lock(folder, busy=lambda _: busy):
        if (folder / MANIFEST).exists() and not (folder / CHECKPOINT).exists():
            raise InputError(f"name: network {name!r} has lost its {CHECKPOINT}; use another name")
        earlier_manifest(folder / MANIFEST)  # a damaged file is refused before anything is written
        with working(PREPARING):
            training = Training(folder / CHECKPOINT, settings, budget, jobs, cooling)
        out = console()
        counts = training.counts
        if (
            budget.share(counts) >= 1.0
            and settings.stages > 1
            and counts.n_moves_before_stages == counts.n_moves
        ):
            raise InputError(
                f"stages: to continue with {settings.stages}, the budget must be larger than the "
                f"{counts.n_moves:,} moves and {counts.cpu_seconds:,.0f} CPU s so far"
            )
        if training.is_done and is_published(training, name):
            network = trained_network(name)
            text = counts_text(network)
            out.print(f"network {name!r} has already been trained for this long: {text}")
        else:
            spent = budget.share(training.counts)
            if cooling and spent > (1.0 - cooling) * (1.0 + MAX_OVERSHOOT):
                raise InputError(
                    f"cooling must be at most {max(0.0, 1.0 - spent):.2f}, or the budget must be "
                    f"larger, because network {name!r} has used {spent:.0%} of the budget (got "
                    f"{cooling:g})"
                )
            try:
                with progress(training, budget) as show:
                    training.run(show)
                    training.cool(show)
            except KeyboardInterrupt:
                out.print(f"stopped: {training_text(training)}")
                if training.checkpoint.exists():
                    out.print(f"written: {training.checkpoint}; the same command resumes")
                raise
            out.print(f"network {name!r}: {training_text(training)}")
            with working("writing the weights"):
                network = publish(training, name)
            out.print(f"written: {network.weights_file}")
        out.print(f"to play: thetafront play ntuple --set network={name}")


def have_learned(agent: "Agent") -> None:
    """Let an agent learn before it plays, and show its progress; most agents do not learn."""
    if not agent.learns:
        return
    from thetafront.study.train.on_demand import learn_first
    from thetafront.study.train.training import TrainingBudget

    with contextlib.ExitStack() as shown:
        shows: list[Callable[[], None]] = []

        def show(training: "Training", n_moves: int) -> None:
            if not shows:
                bar = progress(training, TrainingBudget(n_moves=n_moves))
                shows.append(shown.enter_context(bar))
            shows[0]()

        learn_first(agent, show)


def counts_text(counts: "TrainingCounts | TrainedNetwork") -> str:
    """Say from how many games and moves a network has learned, and the CPU time."""
    return (
        f"{counted(counts.n_games, 'game')}, {counts.n_moves / 1e6:,.1f} million moves in "
        f"{counts.cpu_seconds:,.0f} CPU s"
    )


def training_text(training: "Training") -> str:
    """Say how far a training has come, and how well its network plays."""
    counts = training.counts
    parts = [counts_text(counts)]
    if counts.cpu_seconds:
        parts.append(
            f"{counts.n_moves / counts.cpu_seconds / 1e6:.2f} million moves per CPU second"
        )
    n, score = training.recent_scores
    if n:
        parts.append(f"mean score of the last {n:,}: {score:,.0f}")
    return " · ".join(parts)


@contextlib.contextmanager
def progress(training: "Training", budget: "TrainingBudget") -> Iterator[Callable[[], None]]:
    """Yield a function that shows the progress of a training; call it several times a second."""
    from thetafront.study.terminal.progress import ProgressLine
    from thetafront.study.text import duration

    began, share_before = time.monotonic(), budget.share(training.counts)
    with ProgressLine(console(stderr=True)) as bar:

        def show() -> None:
            # Cooling ends after a number of moves, which may take more seconds than the budget has.
            share = min(1.0, budget.share(training.counts))
            seconds = time.monotonic() - began
            gained = share - share_before
            left = f"{duration(seconds * (1.0 - share) / gained)} left" if gained > 0.0 else ""
            bar.update(share, left, training_text(training).split(" · "))

        yield show
