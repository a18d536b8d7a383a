"""What a training leaves: a network that agents name."""

from pathlib import Path

import numpy as np

from thetafront.agents.agent import digits
from thetafront.agents.parameters import plain_values
from thetafront.agents.twenty48.ntuple.network import (
    MANIFEST,
    TrainedNetwork,
    folder_of,
    trained_network,
    weights_name,
)
from thetafront.agents.twenty48.ntuple.patterns import turned_tables, without_parts
from thetafront.study.log.atomic import atomic_write
from thetafront.study.log.manifest import earlier_manifest, provenance, write_manifest
from thetafront.study.train.training import CHECKPOINT, Training


def has_lost_its_checkpoint(folder: Path) -> bool:
    """Return whether a folder has a trained network that cannot be trained further."""
    return (folder / MANIFEST).exists() and not (folder / CHECKPOINT).exists()


def is_published(training: Training, name: str) -> bool:
    """Return whether a network has been published that cooled from where a training is now."""
    found = earlier_manifest(folder_of(name) / MANIFEST)
    begin = found.get("moves_before_cooling", found.get("n_moves"))
    try:
        trained_network(name).check()
    except ValueError:
        return False
    return (begin, found.get("cooling", 0.0)) == (training.n_warm, training.cooling)


def publish(training: Training, name: str) -> TrainedNetwork:
    """Write a network's weights and then its manifest; weights of before are deleted."""
    patterns = training.settings.patterns
    weights = turned_tables(patterns.played, without_parts(patterns, training.weights))
    digest = digits(weights.data)
    network = TrainedNetwork(
        name, plain_values(training.settings), **vars(training.counts), digest=digest
    )
    folder, path = folder_of(name), network.weights_file
    with atomic_write(path) as temporary, temporary.open("wb") as file:
        np.save(file, weights, allow_pickle=False)
    if earlier_manifest(folder / MANIFEST).get("digest") != digest:
        what = {**network.to_json(), **provenance(), "jobs": training.jobs}
        what |= {"cooling": training.cooling, "moves_before_cooling": training.n_warm}
        what |= {"moves_to_repeat": training.moves_with_cooling}
        write_manifest(what, folder / MANIFEST)
    names = weights_name("*")
    for each in (*folder.glob(names), *folder.glob(f".{names}*")):
        if each != path:
            each.unlink()
    return network
