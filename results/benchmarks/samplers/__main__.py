"""Compare samplers on simulated studies, at equal numbers of games.

The same command resumes after an interrupt. The true front of each simulated study is known. The
folder's ``runs.jsonl`` stores finished runs.
"""

import argparse
from operator import itemgetter
from pathlib import Path

from results.benchmarks.command import Record, Runs, add_seeds, parse_seeds, publish
from results.benchmarks.samplers.contest import N_DESIGN, Run, check_sampler, play
from results.benchmarks.samplers.surfaces import SURFACES
from results.benchmarks.samplers.tables import MEASURES, ORDER, figure, markdown, summary_frame
from results.papers.paper import command, parser
from thetafront.study.samplers import installed_samplers

BUDGETS = ((80, 9), (48, 9), (240, 3))  # trials, games per trial; in all, 720, 432 and 720 games


def budget(text: str) -> tuple[int, int]:
    """Read ``TRIALSxGAMES``: more trials than the design has, and at least two games."""
    n_trials, n_games = map(int, text.split("x"))
    if n_trials <= N_DESIGN or n_games < 2:
        raise ValueError
    return n_trials, n_games


def table_order(record: Record) -> tuple[int, int, int, int]:
    """Return the sort key of a run: surface, trials, sampler, seed."""
    at = SURFACES.index(record["surface"]), ORDER.index(record["sampler"])
    return at[0], record["n_trials"], at[1], record["seed"]


def run(given: argparse.Namespace) -> None:
    """Play the runs that the folder lacks, and summarize all runs there.

    Runs are ordered by budget, then by seed. When a benchmark is interrupted, all samplers have
    therefore played about the same runs.
    """
    planned = [
        Run(on, sampler, n_trials, n_games, seed)
        for n_trials, n_games in given.budget or BUDGETS
        for seed in parse_seeds(given)
        for on in given.surface or SURFACES
        for sampler in given.sampler or installed_samplers()
    ]
    runs = Runs(given.output / "runs.jsonl", *Run._fields, *MEASURES)
    fields = itemgetter(*Run._fields)
    played = runs.play(planned, lambda record: Run(*fields(record)), play, given.jobs)
    records = sorted(runs.records, key=table_order)
    summary = summary_frame(records)
    figure(summary).savefig(given.output / "samplers.png", dpi=160)
    made = [each._asdict() for each in played]
    publish(given.output, "samplers", markdown(summary), {"samplers": summary}, runs=made)


def options() -> argparse.ArgumentParser:
    """Return the options of the command."""
    made = parser(__doc__ or "", Path("results", "samplers"))
    add_seeds(made, 20)
    made.add_argument(
        "--sampler", action="append", type=check_sampler, help="repeatable; default: all installed"
    )
    made.add_argument(
        "--surface", action="append", choices=SURFACES, help="repeatable; default: all"
    )
    made.add_argument("--budget", action="append", type=budget, help="TRIALSxGAMES, repeatable")
    return made


if __name__ == "__main__":
    command(run, options())
