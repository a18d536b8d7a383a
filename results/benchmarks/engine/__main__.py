"""Measure the engine's speed (about three minutes): ``python -m results.benchmarks.engine``."""

import argparse
import json
from pathlib import Path

from rich.console import Console

from results.benchmarks.command import say, told
from results.benchmarks.engine.figures import bench_tables, measure, throughput_figure
from thetafront.study.log.location import make_folder
from thetafront.study.log.manifest import provenance, write_json
from thetafront.study.report.style import save

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--c-reference", action="store_true", help="run the C programs, too (gcc)")
parser.add_argument("--output", type=Path, help="folder for bench.json and throughput.png")
given = parser.parse_args()
with told():
    if given.output is not None:
        make_folder(given.output, "output")
    figures = measure(given.c_reference, say)
    if given.output is not None:
        write_json({**provenance(), **figures}, given.output / "bench.json")
        save(throughput_figure(figures), given.output / "throughput.png")
    Console(width=112, highlight=False).print(*bench_tables(json.loads(json.dumps(figures))))
