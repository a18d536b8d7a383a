"""Trained networks on disk: each is a folder with a manifest and the weights.

The folder of all networks is ``results/networks`` in a checkout. For an installed package, it is in
the user's data folder. ``THETAFRONT_NETWORKS`` can name another folder instead.
"""

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs

from thetafront.agents.parameters import Value
from thetafront.agents.twenty48.ntuple.patterns import (
    NETWORKS,
    Network,
    PatternSet,
    Weights,
    count_weights,
    turned_tables,
)
from thetafront.agents.twenty48.ntuple.training_settings import TrainingSettings
from thetafront.engine.jit import IS_CHECKOUT, ROOT

FOLDER = Path("results") / "networks"
MANIFEST = "manifest.json"
NONE = "none"  # the name that stands for no network
FORMAT = 1
MAX_IN_MEMORY = 4  # networks that a worker keeps, as `make champions` needs; reading takes a second


@dataclass(frozen=True)
class TrainedNetwork:
    """A network's manifest."""

    name: str  # of the network's folder
    training: Mapping[str, Value]  # the parameters of `TrainingSettings`
    n_games: int  # from which the network has learned
    n_moves: int
    cpu_seconds: float  # of the training
    digest: str  # of the weights

    @property
    def settings(self) -> TrainingSettings:
        """The settings with which the network was trained."""
        return TrainingSettings.from_record(self.training)

    @property
    def patterns(self) -> PatternSet:
        """The patterns with which the network plays."""
        return self.settings.patterns.played

    @property
    def weights_file(self) -> Path:
        """Path of the file with the network's weights."""
        return network_folder(self.name) / weights_name(self.digest)

    def check(self) -> None:
        """Raise ValueError if the weights cannot be read, or do not fit the network's patterns.

        The weights are not kept in memory.
        """
        expected = (self.settings.stages * count_weights(self.patterns),)
        path = self.weights_file
        try:
            if not path.is_file():  # reading a pipe might never end
                raise ValueError("it is not a file")
            mapped = np.lib.format.open_memmap(path, mode="r")
            if mapped.dtype != np.float32 or mapped.shape != expected:
                what = f"{mapped.shape} numbers of {mapped.dtype}"
                raise ValueError(f"it contains {what} rather than {expected} of float32")
            if not are_finite(path, path.stat().st_mtime_ns):
                raise ValueError("it contains numbers that are not finite")
        except (OSError, ValueError, EOFError) as error:
            raise ValueError(
                f"network: {path} cannot be read ({error}); to write it again, run the "
                "command that trained the network"
            ) from None

    def read(self) -> Network:
        """Read the weights.

        The file is not mapped into memory, because a mapped file has pages of 4 kB. A game looks up
        weights all over the file, and with such small pages, games took a fifth longer than with
        the large pages that numpy asks for.
        """
        return NETWORKS[self.patterns](weights_in(self.weights_file, self.patterns))

    def to_json(self) -> dict[str, Any]:
        """Return the manifest as JSON data."""
        fields = {**vars(self), "training": dict(self.training)}
        del fields["name"]
        return {"format": FORMAT, **fields}


@lru_cache(maxsize=MAX_IN_MEMORY)
def weights_in(path: Path, patterns: PatternSet) -> Weights:
    """Read weights only once per process, although each task of a worker brings a new agent."""
    return turned_tables(patterns, np.load(path, allow_pickle=False))


@lru_cache(maxsize=MAX_IN_MEMORY)
def are_finite(path: Path, changed_at: int) -> bool:
    """Return whether all weights are finite; a file is read again only if it has changed."""
    return math.isfinite(np.sum(np.load(path, mmap_mode="r"), dtype=np.float64))


def networks_folder() -> Path:
    """Return the folder of all networks."""
    usual = ROOT / FOLDER if IS_CHECKOUT else platformdirs.user_data_path("thetafront") / "networks"
    return Path(os.environ.get("THETAFRONT_NETWORKS") or usual)


def network_folder(name: str) -> Path:
    """Return the folder of a network."""
    return networks_folder() / name


def weights_name(digest: str) -> str:
    """Return the name of a file of weights."""
    return f"weights-{digest}.npy"


def trained_network(name: str) -> TrainedNetwork:
    """Read a network's manifest.

    ValueError if there is no such network, or its manifest cannot be read.
    """
    path = network_folder(name) / MANIFEST
    try:
        if path.exists() and not path.is_file():
            raise ValueError("it is not a file")
        found = json.loads(path.read_text(encoding="utf-8"))
        if found["format"] != FORMAT:
            raise ValueError(f"format must be {FORMAT} (got {found['format']})")
        network = TrainedNetwork(
            name=name,
            training=dict(found["training"]),
            n_games=int(found["n_games"]),
            n_moves=int(found["n_moves"]),
            cpu_seconds=float(found["cpu_seconds"]),
            digest=str(found["digest"]),
        )
        network.settings  # noqa: B018, checks them
    except FileNotFoundError:
        known = sorted(each.parent.name for each in networks_folder().glob(f"*/{MANIFEST}"))
        problem = f"network must be one of {', '.join((NONE, *known))} (got {name!r})"
        if not known:
            problem = f"network must be trained first (got {name!r})"
        raise ValueError(f"{problem}; to train it: thetafront train ntuple --name {name}") from None
    except (OSError, LookupError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ValueError(f"network: {path} is not a network manifest ({error})") from None
    return network
