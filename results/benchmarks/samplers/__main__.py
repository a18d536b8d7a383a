"""Compare samplers on simulated studies, at equal games; repeated after a stop, it goes on.

The true front of each simulated study is known. The folder's ``runs.jsonl`` keeps finished runs.
"""

import argparse
from pathlib import Path

from results.benchmarks.command import say, told
from results.benchmarks.samplers import installed_samplers
from results.benchmarks.samplers.benchmark import BUDGETS, Progress, run_benchmark
from results.benchmarks.samplers.surfaces import SURFACES


def budget(text: str) -> tuple[int, int]:
    """Read ``TRIALSxGAMES``."""
    n_trials, n_games = map(int, text.split("x"))
    return n_trials, n_games


def show(now: Progress) -> None:
    """Tell which run has ended."""
    run = now.run
    what = f" {run.surface} {run.sampler} {run.n_trials}x{run.n_games} {run.seed}" if run else ""
    say(f"{now.n_done}/{now.n_runs}{what}")


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--seeds", type=int, default=20, help="number of seeds")
parser.add_argument(
    "--first-seed", type=int, default=0, help="0 to 19 are published, development uses 1000 and on"
)
parser.add_argument("--sampler", action="append", help="repeatable; default: all installed")
parser.add_argument("--surface", action="append", help="repeatable; default: all")
parser.add_argument(
    "--budget", action="append", type=budget, help="TRIALSxGAMES, repeatable; default: published"
)
parser.add_argument("--jobs", type=int, help="processes; default: cores")
parser.add_argument("--output", type=Path, default=Path("results/samplers"))
if __name__ == "__main__":
    given = parser.parse_args()
    with told():
        done = run_benchmark(
            given.sampler or installed_samplers(),
            given.surface or list(SURFACES),
            given.seeds,
            given.first_seed,
            given.jobs,
            given.output,
            given.budget or BUDGETS,
            show,
        )
        print(done.markdown)
