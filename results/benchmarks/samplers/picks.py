"""What users get of simulated studies (:mod:`results.benchmarks.samplers.recommendations`)."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from joblib import Parallel, delayed

from results.benchmarks.command import told
from results.benchmarks.samplers import check_sampler
from results.benchmarks.samplers.recommendations import measured
from results.benchmarks.samplers.surfaces import surface as find_surface
from thetafront.study.errors import check_range
from thetafront.study.log.location import make_folder
from thetafront.study.log.manifest import MANIFEST, check_output, provenance, write_json
from thetafront.study.log.seeds import LARGEST_STUDY_SEED
from thetafront.study.report.sections import Section, document
from thetafront.study.report.tables import write_csv, write_text
from thetafront.study.run.workers import check_jobs
from thetafront.study.samplers import DEFAULT_SAMPLER

N_TRIALS, N_GAMES = 80, 9
MOST_SEEDS = 10_000
CLAIMS = ("claim by", "n", "root mean square error", "bias", "coverage", "coverage of the time")
PICKS = ("pick", "n", "regret", "decades above the least", "bias", "coverage", "missed", "served")
CERTIFICATES = ("studies", "held", "held, by budgets", "bound", "regret")
CHANCES = ("chances by", "n", "mean", "on the front", "where above ½", "on the front")
NOTE = """\
Claims are of validated points: by their own games, by the trials, and by both combined. Picks: of
the validated points by half of their games; of the same, or of anywhere in the space, by the
combined model; and after 100 games of the proposal. Missed: the true time exceeds the budget, or
the true score falls short of the target. Certificates: bounds of the regret of validated points
that are to hold at all budgets at once, with 95%."""


def pick_answers(
    samplers: Sequence[str],
    surfaces: Sequence[str],
    n_seeds: int,
    first_seed: int,
    jobs: int | None,
) -> pd.DataFrame:
    """Run studies of 80 trials of nine games, and return a row an answer."""
    check_range("seeds", n_seeds, 1, MOST_SEEDS)
    check_range("first seed", first_seed, 0, LARGEST_STUDY_SEED - n_seeds)
    runs = [
        (surface, sampler, N_TRIALS, N_GAMES, seed)
        for seed in range(first_seed, first_seed + n_seeds)
        for surface in surfaces
        for sampler in samplers
    ]
    found = Parallel(n_jobs=check_jobs(jobs))(delayed(measured)(*run) for run in runs)
    return pd.DataFrame([row for rows in found for row in rows])


def pick_sections(answers: pd.DataFrame) -> list[Section]:
    """Summarize answers in tables: for each surface and number of games claims, picks, chances."""
    sections = []
    for (surface, sampler, n), part in answers.groupby(["surface", "sampler", "n_validation"]):
        title = f"{surface}, {sampler}, {n} games a validated point, {part['seed'].nunique()} seeds"
        claims = [claim_row(way, rows) for way, rows in of(part, "point")]
        picks = [
            pick_row(f"{way}, {asked}", asked, rows)
            for asked in ("budget", "target")
            for way, rows in of(part, asked)
        ]
        chances = [chance_row(way, rows) for way, rows in of(part, "front")]
        sections += [
            Section(f"Claims: {title}", CLAIMS, claims),
            Section(f"Picks: {title}", PICKS, picks),
            Section(f"Chances to be on the front: {title}", CHANCES, chances),
            Section(f"Certificates: {title}", CERTIFICATES, [certificate_row(part)]),
        ]
    return sections


def of(part: pd.DataFrame, asked: str) -> list[tuple[str, pd.DataFrame]]:
    """Return the answers to one question, by way."""
    rows = part[part["asked"] == asked]
    return [(str(way), each) for way, each in rows.groupby("way", sort=False)]


def claim_row(way: str, rows: pd.DataFrame) -> tuple[str, ...]:
    """Summarize claims."""
    errors = rows["error"].to_numpy(float)
    timed = rows["cost_covered"].dropna().astype(float)
    return (
        way,
        f"{len(rows)}",
        f"{np.sqrt(np.mean(errors**2)):,.0f}",
        f"{errors.mean():+,.0f}",
        f"{rows['covered'].astype(float).mean():.3f}",
        f"{timed.mean():.3f}" if len(timed) else "",
    )


def pick_row(way: str, asked: str, rows: pd.DataFrame) -> tuple[str, ...]:
    """Summarize picks; means over seeds with their standard errors."""
    served = rows[rows["served"].astype(bool)]
    decades, regret = "", ""
    if asked == "budget":
        by_seed = rows.groupby("seed")["regret"].mean().to_numpy(float)
        regret = f"{by_seed.mean():,.0f} ± {standard_error(by_seed):,.0f}"
    else:
        by_seed = served.groupby("seed")["decades"].mean().to_numpy(float)
        decades = f"{by_seed.mean():.3f} ± {standard_error(by_seed):.3f}"
    return (
        way,
        f"{len(rows)}",
        regret,
        decades,
        f"{served['error'].mean():+,.0f}",
        f"{served['covered'].astype(float).mean():.3f}",
        f"{served['exceeded'].astype(float).mean():.3f}",
        f"{len(served) / len(rows):.2f}",
    )


def standard_error(values: npt.NDArray[np.float64]) -> float:
    """Return that of a mean; NaN for one value."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def certificate_row(part: pd.DataFrame) -> tuple[str, ...]:
    """Summarize certificates: how many bounds held at all budgets, and means over these."""
    rows = part[part["asked"] == "certificate"]
    return (
        f"{len(rows)}",
        f"{rows['covered'].astype(float).mean():.3f}",
        f"{rows['share'].astype(float).mean():.3f}",
        f"{rows['half_width'].mean():,.0f}",
        f"{rows['regret'].mean():,.0f}",
    )


def chance_row(way: str, rows: pd.DataFrame) -> tuple[str, ...]:
    """Summarize chances to be on the front, and how often points were."""
    p, on = rows["p"].to_numpy(float), rows["on"].to_numpy(float)
    likely = p > 0.5
    return (
        way,
        f"{len(rows)}",
        f"{p.mean():.3f}",
        f"{on.mean():.3f}",
        f"{p[likely].mean():.3f}",
        f"{on[likely].mean():.3f}",
    )


def main() -> None:
    """Run the studies, and write the table and text of their picks."""
    parser = argparse.ArgumentParser(description="Picks of simulated studies beside their truth.")
    parser.add_argument("--seeds", type=int, default=20, help="number of seeds")
    parser.add_argument("--first-seed", type=int, default=0, help="development uses 1000 and on")
    parser.add_argument("--sampler", action="append", help=f"default: {DEFAULT_SAMPLER}")
    parser.add_argument("--surface", action="append", help="default: recorded")
    parser.add_argument("--jobs", type=int, help="processes; default: cores")
    parser.add_argument("--output", type=Path, default=Path("results/picks"))
    given = parser.parse_args()
    with told():
        samplers, surfaces = given.sampler or [DEFAULT_SAMPLER], given.surface or ["recorded"]
        for each in samplers:
            check_sampler(each)
        for each in surfaces:
            find_surface(each)
        make_folder(given.output, "output")
        check_output(given.output)
        made_by = provenance()
        answers = pick_answers(samplers, surfaces, given.seeds, given.first_seed, given.jobs)
        text = document("Picks of simulated studies", NOTE, *pick_sections(answers))
        write_csv(answers, given.output / "answers.csv")
        write_text(text, given.output / "picks.md")
        write_json(made_by, given.output / MANIFEST)
        print(text, end="")


if __name__ == "__main__":
    main()
