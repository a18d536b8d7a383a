"""What users get of simulated studies (:mod:`results.benchmarks.samplers.recommendations`)."""

import argparse

import pandas as pd
from joblib import Parallel, delayed

from results.benchmarks.command import command, parser, seeds_of
from results.benchmarks.samplers import check_sampler
from results.benchmarks.samplers.recommendations import measured
from results.benchmarks.samplers.surfaces import SURFACES
from thetafront.study.report.sections import Section, document
from thetafront.study.report.tables import write_csv, write_text
from thetafront.study.run.workers import check_jobs
from thetafront.study.samplers import DEFAULT_SAMPLER
from thetafront.study.store.manifest import MANIFEST, provenance, write_manifest

N_TRIALS, N_GAMES = 80, 9
NOTE = """\
Claims are of validated points: by their own games, by the trials, and by both combined. Picks: of
the validated points by half of their games; of the same, or of anywhere in the space, by the
combined model; and after 100 games of the proposal. Missed: the true time exceeds the budget, or
the true score falls short of the target. Certificates: bounds of the regret of validated points
that are to hold at all budgets at once, with 95%."""


def pick_sections(answers: pd.DataFrame) -> list[Section]:
    """Summarize answers in tables, for each surface, sampler and number of games of a point."""
    sections = []
    for (surface, sampler, n), part in answers.groupby(["surface", "sampler", "n_validation"]):
        title = f"{surface}, {sampler}, {n} games a validated point, {part['seed'].nunique()} seeds"
        for (kind, columns), rows in zip(TABLES.items(), summaries(part), strict=True):
            sections.append(Section(f"{kind}: {title}", columns, rows))
    return sections


TABLES = {
    "Claims": ("claim by", "n", "root mean square error", "bias", "coverage", "of the time"),
    "Picks": (
        *("pick", "n", "regret", "decades above the least"),
        *("bias", "coverage", "missed", "served"),
    ),
    "Chances to be on the front": (
        *("chances by", "n", "mean", "on the front", "where above ½", "on the front"),
    ),
    "Certificates": ("studies", "held", "held, by budgets", "bound", "regret"),
}


def summaries(part: pd.DataFrame) -> list[list[tuple[str, ...]]]:
    """Return the rows of all tables."""
    numbers = ["served", "error", "covered", "cost_covered", "regret", "decades", "exceeded"]
    numbers += ["p", "on", "share", "half_width"]
    part = part.assign(**{each: part.get(each, pd.Series(dtype=float)) for each in numbers})
    part = part.astype(dict.fromkeys(numbers, float))
    asked = {str(name): rows for name, rows in part.groupby("asked", sort=False)}

    def ways(name: str) -> list[tuple[str, pd.DataFrame]]:
        return [(str(way), rows) for way, rows in asked[name].groupby("way", sort=False)]

    claims, picks, chances = [], [], []
    for way, rows in ways("point"):
        rmse, mean = (rows["error"] ** 2).mean() ** 0.5, rows.mean(numeric_only=True)
        timed = written(mean["cost_covered"], ".3f")
        cells = f"{rmse:,.0f}", f"{mean['error']:+,.0f}", f"{mean['covered']:.3f}", timed
        claims.append((way, f"{len(rows)}", *cells))
    for name in ("budget", "target"):
        for way, rows in ways(name) if name in asked else []:
            served = rows[rows["served"] == 1.0].mean(numeric_only=True)
            regret = by_seed(rows, "regret", ",.0f") if name == "budget" else ""
            decades = by_seed(rows, "decades", ".3f") if name == "target" else ""
            cells = f"{served['error']:+,.0f}", f"{served['covered']:.3f}"
            cells += f"{served['exceeded']:.3f}", f"{rows['served'].mean():.2f}"
            picks.append((f"{way}, {name}", f"{len(rows)}", regret, decades, *cells))
    for way, rows in ways("front"):
        likely = rows[rows["p"] > 0.5]
        means = [each[column].mean() for each in (rows, likely) for column in ("p", "on")]
        chances.append((way, f"{len(rows)}", *(f"{mean:.3f}" for mean in means)))
    held = asked["certificate"].mean(numeric_only=True)
    cells = f"{held['covered']:.3f}", f"{held['share']:.3f}"
    cells += f"{held['half_width']:,.0f}", f"{held['regret']:,.0f}"
    return [claims, picks, chances, [(f"{len(asked['certificate'])}", *cells)]]


def by_seed(rows: pd.DataFrame, column: str, form: str) -> str:
    """Write the mean over seeds with its standard error."""
    means = rows.groupby("seed")[column].mean()
    return f"{means.mean():{form}} ± {means.sem():{form}}"


def written(value: float, form: str) -> str:
    """Write a number; empty if there is none."""
    return "" if pd.isna(value) else f"{value:{form}}"


def run(given: argparse.Namespace) -> None:
    """Run studies of 80 trials of nine games, and write the table and text of their picks."""
    samplers = [check_sampler(each) for each in given.sampler or [DEFAULT_SAMPLER]]
    runs = [
        (surface, sampler, N_TRIALS, N_GAMES, seed)
        for seed in seeds_of(given)
        for surface in given.surface or ["recorded"]
        for sampler in samplers
    ]
    made_by = provenance()
    found = Parallel(n_jobs=check_jobs(given.jobs))(delayed(measured)(*each) for each in runs)
    answers = pd.DataFrame([row for rows in found for row in rows])
    text = document("Picks of simulated studies", NOTE, *pick_sections(answers))
    write_csv(answers, given.output / "answers.csv")
    write_text(text, given.output / "picks.md")
    write_manifest(made_by, given.output / MANIFEST)
    print(text, end="")


if __name__ == "__main__":
    options = parser("Picks of simulated studies beside their truth.", "picks", n_seeds=20)
    options.add_argument("--sampler", action="append", help=f"default: {DEFAULT_SAMPLER}")
    options.add_argument("--surface", action="append", choices=SURFACES, help="default: recorded")
    options.add_argument("--jobs", type=int, help="processes; default: cores")
    command(run, options)
