"""Training on demand: what an agent must learn is learned once, stored, and used again.

A network that an agent learns depends only on its settings and on the number of moves
(:mod:`agents.twenty48.ntuple.learned`). It is stored after its last move, and before that at round
numbers of moves (5, 10, 20, 50 million, …). Training with more moves begins from the file with the
next smaller round number of moves. While the files exceed the limit on disk space, the least
recently used file is deleted.
"""

import contextlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from zipfile import is_zipfile

from thetafront.agents.agent import Agent
from thetafront.agents.twenty48.ntuple.learned import learned_file, learned_folder, learned_weights
from thetafront.agents.twenty48.ntuple.learner import NTupleLearner
from thetafront.study.errors import InputError, RunError
from thetafront.study.log.file_lock import file_lock
from thetafront.study.train.checkpoint import DamagedError
from thetafront.study.train.training import DivergedError, Training, TrainingBudget

ROOM = "THETAFRONT_LEARNED_GB"
DEFAULT_GB = 10.0
MIN_KEPT = 5_000_000  # moves; fewer are learned again in seconds


def learn_first(
    agent: Agent, show: Callable[[Training, int], None] = lambda training, n_moves: None
) -> None:
    """Train the network of an agent that learns, unless the network is trained already.

    ``show`` is called several times a second with the training and the number of moves to reach.
    InputError if the limit on disk space is not a number; RunError if there is too little memory,
    or a file cannot be read.
    """
    if not isinstance(agent, NTupleLearner):
        return
    path = learned_file(agent.training, agent.training_moves)
    if not is_zipfile(path):  # it is missing or incomplete
        most = room()
        path.parent.mkdir(parents=True, exist_ok=True)
        with file_lock(path.parent):
            for each in path.parent.glob(".*.part"):  # of a run that was killed
                each.unlink()
            if not is_zipfile(path):
                learned_weights.cache_clear()  # frees memory
                train(agent, path, show)
            make_room(most, path)
    with contextlib.suppress(FileNotFoundError):  # deleted meanwhile; it will be learned again
        os.utime(path)


def train(agent: NTupleLearner, path: Path, show: Callable[[Training, int], None]) -> None:
    """Train a network, starting from the nearest stored one; store it at round numbers of moves."""
    unfinished = path.with_name(f"towards-{path.name}")
    stops = [n for n in round_numbers() if n < agent.training_moves]
    files = [unfinished, *(learned_file(agent.training, n) for n in reversed(stops))]
    training = None
    while training is None:
        begun = next((each for each in files if each.exists()), None)
        if begun not in {None, unfinished}:
            temporary = unfinished.with_name(f".{unfinished.name}.part")
            shutil.copyfile(begun, temporary)
            temporary.replace(unfinished)
        try:
            training = Training(unfinished, agent.training, TrainingBudget(), jobs=1)
        except DamagedError:
            unfinished.unlink()
            if begun is not None:
                begun.unlink(missing_ok=True)
    for n_moves in (*stops, agent.training_moves):
        training.budget = TrainingBudget(n_moves=n_moves)
        if training.is_done and n_moves != agent.training_moves:
            continue
        try:
            training.run(lambda: show(training, agent.training_moves))
            training.save()
        except DivergedError:
            # Store an untrained network: training with more moves begins from it, that is, anew.
            training.forget()
            training.save()
            unfinished.replace(path)
            return
        unfinished.replace(learned_file(agent.training, n_moves))


def round_numbers() -> list[int]:
    """Return the numbers of moves at which networks are stored: 5, 10, 20, 50 million and so on."""
    found = sorted(digit * 10**power for power in range(6, 13) for digit in (1, 2, 5))
    return [n for n in found if n >= MIN_KEPT]


def room() -> float:
    """Return how many bytes all networks together may take up."""
    given = os.environ.get(ROOM) or str(DEFAULT_GB)
    try:
        found = float(given)
    except ValueError:
        found = -1.0
    if not found >= 0.0:
        raise InputError(f"{ROOM} must be a number of gigabytes (got {given!r})")
    return 1e9 * found


def make_room(n_bytes: float, newest: Path) -> None:
    """Delete networks, the least recently used first, until the rest fits.

    The newest network and those that are being trained are kept.
    """
    files = []
    for path in learned_folder().glob("*/*.npz"):
        with contextlib.suppress(FileNotFoundError):  # another process has just renamed it
            found = path.stat()
            files.append((found.st_mtime, found.st_size, path))
    used = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if used <= n_bytes:
            return
        if path == newest:
            continue
        with contextlib.suppress(RunError), contextlib.ExitStack() as held:
            if path.parent != newest.parent:
                held.enter_context(file_lock(path.parent, busy=lambda _: "in use"))
            path.unlink(missing_ok=True)
            used -= size
