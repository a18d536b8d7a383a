"""Compare samplers on simulated studies, at equal games; repeated after a stop, it goes on.

The true front of each simulated study is known. The folder's ``runs.jsonl`` keeps finished runs.
"""

import argparse
from dataclasses import asdict, fields

from joblib import Parallel, delayed

from results.benchmarks.command import Record, Runs, command, parser, say, seeds_of, versions
from results.benchmarks.samplers import ORDER, check_sampler, installed_samplers
from results.benchmarks.samplers.contest import N_DESIGN, Run, play
from results.benchmarks.samplers.figure import samplers_figure
from results.benchmarks.samplers.recorded import Recording
from results.benchmarks.samplers.surfaces import SURFACES
from results.benchmarks.samplers.tables import MEASURES, markdown, summary_frame
from results.papers.paper import whole
from thetafront.study.log.manifest import MANIFEST, provenance, write_manifest
from thetafront.study.report.style import save
from thetafront.study.report.tables import write_csv, write_text
from thetafront.study.run.workers import n_cores

BUDGETS = ((80, 9), (48, 9), (240, 3))  # trials, games a trial: 720, 432 and 720 games
RUN = tuple(each.name for each in fields(Run))


def budget(text: str) -> tuple[int, int]:
    """Read ``TRIALSxGAMES``: more trials than the design has, two games or more."""
    n_trials, n_games = map(int, text.split("x"))
    if n_trials <= N_DESIGN or n_games < 2:
        raise ValueError
    return n_trials, n_games


def planned(given: argparse.Namespace) -> list[Run]:
    """Return all runs, one budget after the other, and seed after seed.

    So an interrupted benchmark has compared all samplers equally, by the first budget first.
    """
    return [
        Run(on, sampler, n_trials, n_games, seed)
        for n_trials, n_games in given.budget or BUDGETS
        for seed in seeds_of(given)
        for on in given.surface or SURFACES
        for sampler in given.sampler or installed_samplers()
    ]


def table_order(record: Record) -> tuple[int, int, int, int]:
    """Return the sort key of a run: surface, trials, sampler, seed."""
    surfaces, samplers = list(SURFACES), list(ORDER)
    at = surfaces.index(record["surface"]), samplers.index(record["sampler"])
    return at[0], record["n_trials"], at[1], record["seed"]


def run(given: argparse.Namespace) -> None:
    """Play all runs that the folder does not have yet, and summarize all runs there."""
    runs, made_by = planned(given), provenance()
    ledger = Runs(given.output / "runs.jsonl", *RUN, *MEASURES, "course")
    with ledger.held():
        done = [Run(*(each[name] for name in RUN)) for each in ledger.records]
        missing = [each for each in runs if each not in set(done)]
        jobs = min(given.jobs or n_cores(), len(missing) or 1)
        parallel = Parallel(jobs, return_as="generator_unordered", batch_size=1)
        say(f"{len(runs) - len(missing)} of {len(runs)} runs are there")
        for number, record in enumerate(parallel(delayed(play)(each) for each in missing), 1):
            ledger.add(record)
            say(f"{number}/{len(missing)} {' '.join(str(record[name]) for name in RUN)}")

    records = sorted(ledger.records, key=table_order)
    summary = summary_frame(records)
    text = markdown(summary)
    write_csv(summary, given.output / "samplers.csv")
    write_text(text, given.output / "samplers.md")
    save(samplers_figure(records, summary), given.output / "samplers.png")
    made_by["versions"] |= versions("scikit-learn", "torch", "gpytorch", "botorch")
    contents = {**made_by, "runs": [asdict(each) for each in missing], "jobs": jobs}
    write_manifest(contents | {"recorded_fit": Recording().quality()}, given.output / MANIFEST)
    print(text)


def options() -> argparse.ArgumentParser:
    """Return the options of the command."""
    made = parser(__doc__ or "", "samplers", n_seeds=20)
    made.add_argument(
        "--sampler", action="append", type=check_sampler, help="repeatable; default: all installed"
    )
    made.add_argument("--surface", action="append", choices=SURFACES, help="repeatable; all")
    published = "TRIALSxGAMES, repeatable; default: as published"
    made.add_argument("--budget", action="append", type=budget, help=published)
    made.add_argument("--jobs", type=whole(1, 10_000), help="processes; default: cores")
    return made


if __name__ == "__main__":
    command(run, options())
