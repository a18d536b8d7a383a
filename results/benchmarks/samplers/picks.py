"""What users get of simulated studies (:mod:`results.benchmarks.samplers.recommendations`)."""

import argparse

import pandas as pd
from joblib import Parallel, delayed

from results.benchmarks.command import command, parser, seeds_of
from results.benchmarks.samplers import check_sampler
from results.benchmarks.samplers.recommendations import measured
from results.benchmarks.samplers.surfaces import SURFACES
from results.papers.paper import whole
from thetafront.study.log.manifest import MANIFEST, provenance, write_manifest
from thetafront.study.report.sections import Section, document
from thetafront.study.report.tables import write_csv, write_text
from thetafront.study.run.workers import n_cores
from thetafront.study.samplers import DEFAULT_SAMPLER

N_TRIALS, N_GAMES = 80, 9
NOTE = """\
Claims are of validated points: by their own games, by the trials, and by both combined. Picks: of
the validated points by half of their games; of the same, or of anywhere in the space, by the
combined model; and after 100 games of the proposal. Missed: the true time exceeds the budget, or
the true score falls short of the target. Certificates: bounds of the regret of validated points
that are to hold at all budgets at once, with 95%."""


PICKS = ("± standard error", "bias", "coverage", "missed", "served")
TABLES = {
    "point": ("Claims", "rmse", "bias", "coverage", "coverage of the time"),
    "budget": ("Picks within a budget", "regret", *PICKS),
    "target": ("Picks for a target", "decades above the least", *PICKS),
    "front": ("Chances to be on the front", "mean", "on it", "mean above ½", "on it"),
    "certificate": ("Certificates", "held", "held, by budgets", "bound", "regret"),
}
"""Titles and columns, by what was asked."""
FLAGS = ["served", "covered", "cost_covered", "exceeded", "on", "share"]


def pick_sections(answers: pd.DataFrame) -> list[Section]:
    """Summarize answers in tables, for each surface, sampler and number of games of a point."""
    answers[FLAGS] = answers[FLAGS].astype(float)
    sections = []
    for key, part in answers.groupby(["surface", "sampler", "n_validation"]):
        about = "{}, {}, {} games a validated point".format(*key)
        for asked, (title, *columns) in TABLES.items():
            rows = [
                (str(way), f"{len(of)}", *(written(*each) for each in numbers(asked, of)))
                for way, of in part[part["asked"] == asked].groupby("way", sort=False)
            ]
            sections.append(Section(f"{title}: {about}", ("by", "n", *columns), rows))
    return sections


def numbers(asked: str, rows: pd.DataFrame) -> list[tuple[float, str]]:
    """Summarize the answers to one question: numbers and their formats."""
    mean = rows.mean(numeric_only=True)
    if asked == "point":
        claims = (mean["covered"], ".3f"), (mean["cost_covered"], ".3f")
        return [((rows["error"] ** 2).mean() ** 0.5, ",.0f"), (mean["error"], "+,.0f"), *claims]
    if asked == "front":
        likely = rows[rows["p"] > 0.5]
        return [(each[name].mean(), ".3f") for each in (rows, likely) for name in ("p", "on")]
    if asked == "certificate":
        points = (mean["half_width"], ",.0f"), (mean["regret"], ",.0f")
        return [(mean["covered"], ".3f"), (mean["share"], ".3f"), *points]
    served = rows[rows["served"] == 1.0].mean(numeric_only=True)
    lost, form = ("regret", ",.0f") if asked == "budget" else ("decades", ".3f")
    by_seed = rows.groupby("seed")[lost].mean()
    shares = ((served[name], ".3f") for name in ("covered", "exceeded"))
    means = (by_seed.mean(), form), (by_seed.sem(), form), (served["error"], "+,.0f")
    return [*means, *shares, (mean["served"], ".2f")]


def written(value: float, form: str) -> str:
    """Write a number; empty if there is none."""
    return "" if pd.isna(value) else f"{value:{form}}"


def run(given: argparse.Namespace) -> None:
    """Run studies of 80 trials of nine games, and write the table and text of their picks."""
    runs = [
        (surface, sampler, N_TRIALS, N_GAMES, seed)
        for seed in seeds_of(given)
        for surface in given.surface or ["recorded"]
        for sampler in given.sampler or [DEFAULT_SAMPLER]
    ]
    made_by = provenance()
    found = Parallel(n_jobs=given.jobs or n_cores())(delayed(measured)(*each) for each in runs)
    answers = pd.DataFrame([row for rows in found for row in rows])
    text = document("Picks of simulated studies", NOTE, *pick_sections(answers))
    write_csv(answers, given.output / "answers.csv")
    write_text(text, given.output / "picks.md")
    write_manifest(made_by, given.output / MANIFEST)
    print(text, end="")


if __name__ == "__main__":
    options = parser("Picks of simulated studies beside their truth.", "picks", n_seeds=20)
    options.add_argument(
        "--sampler", action="append", type=check_sampler, help=f"default: {DEFAULT_SAMPLER}"
    )
    options.add_argument("--surface", action="append", choices=SURFACES, help="default: recorded")
    options.add_argument("--jobs", type=whole(1, 10_000), help="processes; default: cores")
    command(run, options)
