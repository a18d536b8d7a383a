"""Average trained networks: ``python results/benchmarks/training/averaging.py NEW NAME NAME …``.

The weights of the network NEW are the means of the weights of the others, which must have the same
patterns and stages. As values are sums of weights, its values are the means of the others' values.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from thetafront.agents.agent import digits
from thetafront.agents.parameters import Label
from thetafront.agents.twenty48.ntuple.network import MANIFEST, network_folder, trained_network
from thetafront.study.log.manifest import write_manifest


def average(new: str, names: Sequence[str]) -> None:
    """Write a network whose weights are the means of the weights of other networks.

    ValueError if a network does not exist or cannot be read, or if they do not fit together.
    """
    Label().check("new", new)
    networks = [trained_network(name) for name in names]
    for each in networks:
        each.check()
    if len({(each.patterns, each.settings.stages) for each in networks}) != 1:
        raise ValueError(
            f"networks must have the same patterns and stages (got {', '.join(names)})"
        )
    mean = np.mean([np.load(each.weights_file) for each in networks], axis=0, dtype=np.float64)
    weights = mean.astype(np.float32)
    sums = ("n_games", "n_moves", "cpu_seconds")
    total = {key: sum(getattr(each, key) for each in networks) for key in sums}
    network = replace(networks[0], name=new, digest=digits(weights.data), **total)
    network_folder(new).mkdir()
    np.save(network.weights_file, weights, allow_pickle=False)
    write_manifest({**network.to_json(), "averaged": [*names]}, network_folder(new) / MANIFEST)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(":")[0])
    parser.add_argument("new", help="name of the network to write")
    parser.add_argument("names", nargs="+", help="names of the networks to average")
    given = parser.parse_args()
    try:
        average(given.new, given.names)
    except (ValueError, OSError) as error:
        parser.error(str(error))
