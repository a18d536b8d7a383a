"""Checkpoints: all that training needs to continue, in one file that is written atomically.

Only a few of a network's weights ever change, so only these are stored. With coherence learning
(:mod:`agents.twenty48.ntuple.learning`), their sums of errors are stored, too.
"""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thetafront.agents.parameters import plain_values
from thetafront.agents.twenty48.ntuple.learned import UNREADABLE
from thetafront.agents.twenty48.ntuple.learning import Carousel
from thetafront.agents.twenty48.ntuple.patterns import turned_indices
from thetafront.agents.twenty48.ntuple.training_settings import TrainingSettings
from thetafront.study.errors import InputError, RunError
from thetafront.study.log.atomic import atomic_write

Floats = npt.NDArray[np.float32]


class DamagedError(RunError):
    """A checkpoint cannot be read."""


@dataclass
class TrainingCounts:
    """The progress of training a network."""

    # Games and moves that the network has learned from.
    n_games: int = 0
    n_moves: int = 0
    cpu_seconds: float = 0.0  # of all threads
    n_moves_before_stages: int = 0  # moves before training last continued with more stages


def save(
    path: Path,
    settings: TrainingSettings,
    counts: TrainingCounts,
    weights: Floats,
    coherence: Floats,
    carousel: Carousel,
) -> None:
    """Write a checkpoint; if that fails, OSError names the file, and its content is kept.

    ``weights`` and ``coherence`` have shapes (n,) and (n, 2); ``coherence`` is empty if the network
    learns without coherence. ``carousel`` has the boards from which games of later stages start.
    """
    changed = weights != np.float32(settings.first_weight)
    if len(coherence):
        changed |= coherence[:, 1] != 0.0
    indices = np.flatnonzero(changed)
    header = {"training": plain_values(settings), "counts": vars(counts)}
    with atomic_write(path) as temporary, temporary.open("wb") as file:
        np.savez(
            file,
            header=np.array(json.dumps(header)),
            indices=turned_indices(settings.patterns, indices),
            weights=weights[indices],
            coherence=coherence[indices] if len(coherence) else coherence,
            **carousel._asdict(),
        )


def load(
    path: Path,
    settings: TrainingSettings,
    weights: Floats,
    coherence: Floats,
    carousel: Carousel,
) -> TrainingCounts:
    """Read a checkpoint into arrays of a new network, and return its progress.

    If the checkpoint has fewer stages than the network, then the others get copies of the weights
    of its last stage, and of their coherence. With a coherence of 0, they would learn so fast at
    first that games with a 16384 tile would end soon.

    InputError if the checkpoint was written with other settings; DamagedError if it cannot be read.
    """
    try:
        if not path.is_file():  # reading a pipe would wait forever
            raise ValueError("it is not a file")
        with np.load(path, allow_pickle=False) as saved:
            header = json.loads(str(saved["header"]))
            trained = TrainingSettings.from_record(header["training"])
            more = max(settings.stages, trained.stages)
            refuse_others(path, plain_values(replace(trained, stages=more)), plain_values(settings))
            indices = turned_indices(settings.patterns, saved["indices"])
            if indices.max(initial=-1) >= trained.n_weights:
                raise IndexError("a weight index is outside all tables")
            weights[indices] = saved["weights"]
            if len(coherence):
                coherence[indices] = saved["coherence"]
            counts = TrainingCounts(**header["counts"])
            if trained.stages > 1:
                for name, mine in carousel._asdict().items():
                    its = saved[name]
                    mine[: len(its)] = its
            if more > trained.stages:
                counts.n_moves_before_stages = counts.n_moves
                for each in (weights.reshape(more, -1), coherence.reshape(more, -1)):
                    each[trained.stages :] = each[trained.stages - 1]
            return counts
    except UNREADABLE as error:
        raise DamagedError(
            f"{path}: cannot be read ({error}); move the folder away to train from scratch"
        ) from None


def refuse_others(path: Path, trained: dict[str, Any], given: dict[str, Any]) -> None:
    """Refuse to continue with other settings."""
    for name, value in given.items():
        if trained.get(name) != value:
            raise InputError(
                f"{name} must be {trained.get(name)} for network {path.parent.name!r} "
                f"(got {value}); use another --name to train a new one"
            )
