"""Measure what limits a study on many machines (minutes; needs Dask), writes in a storage, too."""

import argparse
from pathlib import Path

from rich.console import Console

from results.benchmarks.cluster.figures import cluster_figures, cluster_tables
from results.benchmarks.command import say, told
from thetafront.study.cluster.link import check_library
from thetafront.study.log.location import check_url, make_folder
from thetafront.study.log.manifest import provenance, write_json

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--storage", help="URL of a database whose writes are measured, too")
parser.add_argument("--output", type=Path, help="folder for cluster.json")
given = parser.parse_args()
with told():
    check_library()
    if given.storage is not None:
        check_url(given.storage)
    if given.output is not None:
        make_folder(given.output, "output")
    figures = cluster_figures(given.storage, say)
    if given.output is not None:
        write_json({**provenance(), **figures}, given.output / "cluster.json")
    Console(width=112, highlight=False).print(*cluster_tables(figures))
