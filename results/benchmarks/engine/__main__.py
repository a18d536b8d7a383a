"""Measure the engine's speed (about three minutes): ``python -m results.benchmarks.engine``."""

import argparse
import tempfile
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, FuncFormatter
from rich.console import Console

import thetafront
from results.benchmarks.command import command, parser, say
from results.benchmarks.engine.processes import (
    c_rounds,
    fresh_process_figures,
    games_per_second,
    program_milliseconds,
)
from results.benchmarks.engine.rates import (
    RANDOM_MOVES,
    all_rounds,
    author_times,
    batch_rate,
    decision_microseconds,
    inside,
    median_rates,
)
from thetafront.study.charts.chart import BLUE
from thetafront.study.log.manifest import write_json
from thetafront.study.report.sections import Section
from thetafront.study.report.style import STYLE, caption, save

N_DECISIONS = 5_000
BATCHES = (1, 8, 64, 128, 256, 512, 1_000, 2_000, 5_000, 20_000, 100_000)
FACTORS = (0.25, 0.5, 1, 2, 5, 10, 20)


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Measure everything, kernels with the C programs if asked for.

    Rates have a ``median``, ``min`` and ``max`` over ``n_rounds`` rounds in which all take turns.
    """
    figures = {**thetafront.provenance(), "n_rounds": given.rounds}
    rounds = all_rounds()
    with tempfile.TemporaryDirectory() as folder:
        if given.c_reference:
            rounds[RANDOM_MOVES] |= c_rounds(Path(folder))
        figures["million_per_cpu_second"] = median_rates(rounds, given.rounds, say)
        figures["program_milliseconds"] = program_milliseconds(Path(folder), given.rounds)
    say("decisions, batches")
    figures["decision_microseconds"] = decision_microseconds(author_times(1), N_DECISIONS)
    figures["by_batch"] = {n: batch_rate(n) for n in BATCHES}
    figures["by_factor"] = {}
    for factor in FACTORS:
        n_moves, seconds = inside(author_times(factor), lambda game: game.n_playout_moves)(0)
        figures["by_factor"][factor] = n_moves / seconds / 1e6
    say("workers, fresh processes")
    jobs = sorted({1, 2, figures["machine"]["cores"]})
    figures["games_per_second"] = {n: games_per_second(n, author_times(1)) for n in jobs}
    figures["processes"] = fresh_process_figures()
    return figures


def sections(figures: dict[str, Any]) -> list[Section]:
    """Lay the figures out: rates in millions a CPU second, then the others."""
    columns = ("figure", "value", "min to max")
    groups = {
        **{f"million {unit}": rates for unit, rates in figures["million_per_cpu_second"].items()},
        "milliseconds of a program's game": figures["program_milliseconds"],
        "microseconds of a decision": figures["decision_microseconds"],
        "games of mcmdp, by jobs": figures["games_per_second"],
        "fresh processes": figures["processes"],
    }
    return [
        Section(title, columns, [cells(str(name), value) for name, value in group.items()])
        for title, group in groups.items()
    ]


def cells(name: str, value: Any) -> tuple[str, str, str]:
    """Write a figure with three digits, and its range if it has one."""
    if isinstance(value, dict):
        value, low, high = (digits(value[each]) for each in ("median", "min", "max"))
        return name, value, f"{low} to {high}"
    return name, digits(value), ""


def digits(value: float) -> str:
    """Write a number with three digits or more."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


@mpl.rc_context(STYLE)
def throughput_figure(figures: dict[str, Any]) -> Figure:
    """Draw throughput against playouts a batch, θ, and jobs."""
    figure = Figure(figsize=(11, 4), layout="constrained")
    batch, theta, jobs = figure.subplots(1, 3, width_ratios=(3, 3, 2))
    for axes, key, label in (
        (batch, "by_batch", "playouts a batch, from the start"),
        (theta, "by_factor", "multiple of the author's θ₁ … θ₄"),
    ):
        points = {float(x): y for x, y in figures[key].items()}
        axes.plot(list(points), list(points.values()), "o-", color=BLUE)
        axes.set_xscale("log")
        axes.set_ylim(bottom=0)
        axes.set_xlabel(label)
        axes.set_ylabel("million random moves a CPU second")
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:,.0f}"))
    batch.axvline(512, color="#8C8C8C", linestyle=":")
    batch.annotate(" 512 lanes", (512, 0), fontsize=8, color="#555555", va="bottom")
    batch.set_title("One batch")
    theta.set_title("Inside the agent")
    rates = {str(n): rate for n, rate in figures["games_per_second"].items()}
    jobs.bar(list(rates), list(rates.values()), color=BLUE, width=0.5)
    jobs.set_xlabel("jobs")
    jobs.set_ylabel("games a second, author's θ")
    jobs.set_title("Workers")
    where = figures["machine"]
    caption(figure, f"{where['cpu']}, {where['cores']} cores, Python {where['python']}.")
    return figure


def run(given: argparse.Namespace) -> None:
    """Measure, write and print."""
    figures = measure(given)
    if given.output is not None:
        write_json(figures, given.output / "bench.json")
        save(throughput_figure(figures), given.output / "throughput.png")
    Console(width=112, highlight=False).print(*(each.table() for each in sections(figures)))


if __name__ == "__main__":
    options = parser(__doc__ or "", output=None)
    options.add_argument("--c-reference", action="store_true", help="run the C programs, too (gcc)")
    options.add_argument("--rounds", type=int, default=7, help="of which medians are taken")
    command(run, options)
