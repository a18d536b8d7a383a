"""Average trained networks: ``python results/benchmarks/training/averaging.py NEW NAME NAME …``.

The weights of the network NEW are the means of the weights of the others, which must have the same
patterns and stages. As values are sums of weights, its values are the means of the others' values.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

import numpy as np

from thetafront.agents.twenty48.ntuple.network import MANIFEST, network_folder, trained_network
from thetafront.study.log.manifest import write_manifest


def average(new: str, names: Sequence[str]) -> None:
    """Write a network whose weights are the means of the weights of other networks."""
    networks = [trained_network(name) for name in names]
    if len({(each.patterns, each.settings.stages) for each in networks}) != 1:
        sys.exit(f"networks must have the same patterns and stages (got {', '.join(names)})")
    mean = np.mean([np.load(each.weights_file) for each in networks], axis=0, dtype=np.float64)
    weights = mean.astype(np.float32)
    digest = sha256(weights.data).hexdigest()[:12]
    network = replace(networks[0], name=new, digest=digest)
    network_folder(new).mkdir(parents=True)
    np.save(network.weights_file, weights, allow_pickle=False)
    write_manifest({**network.to_json(), "averaged": [*names]}, network_folder(new) / MANIFEST)


if __name__ == "__main__":
    average(sys.argv[1], sys.argv[2:])
