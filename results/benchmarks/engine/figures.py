"""All figures of `make bench`: measured, laid out for a terminal, drawn."""

from collections.abc import Callable
from functools import partial
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, FuncFormatter
from rich.table import Table

from results.benchmarks.engine.games import game_rates
from results.benchmarks.engine.processes import CReference, fresh_process_figures, games_per_second
from results.benchmarks.engine.protocols import overheads
from results.benchmarks.engine.rates import (
    BY_PLANES,
    BY_TABLE,
    SECONDS_OF_AGENT_GAMES,
    SIDE_BY_SIDE,
    author_times,
    batch_rate,
    decision_microseconds,
    inside,
    kernel_rounds,
    median_rates,
    rates_by_unit,
)
from results.benchmarks.engine.simulations import allocations_per_simulation, simulation_rates
from results.benchmarks.engine.values import value_rounds
from thetafront.study.log.manifest import machine
from thetafront.study.report.style import BLUE, STYLE, caption
from thetafront.study.run.workers import n_cores
from thetafront.study.text import counted

N_ROUNDS = 7
N_DECISIONS = 5_000
BATCHES = (1, 8, 64, 128, 256, 512, 1_000, 2_000, 5_000, 20_000, 100_000)
FACTORS = (0.25, 0.5, 1, 2, 5, 10, 20)
SECONDS_OF_GAMES = 10.0
C_PREFIX = "C, "


def c_round(reference: CReference, name: str, _: int) -> tuple[int, float]:
    """Run a C program for a second."""
    return reference.run(name, 1.0)


def kernel_rates(with_c: bool, say: Callable[[str], None]) -> dict[str, dict[str, float]]:
    """Measure the kernels of 2048 in turns, with the C programs if asked for."""
    rounds = kernel_rounds()
    if not with_c:
        return median_rates(rounds, N_ROUNDS, say)
    with CReference() as reference:
        for name in ("bitslice", "table"):
            if reference.run(name, 0.1)[0]:
                rounds[f"{C_PREFIX}{name}"] = partial(c_round, reference, name)
        return median_rates(rounds, N_ROUNDS, say)


def measure(with_c: bool, say: Callable[[str], None]) -> dict[str, Any]:
    """Measure everything; ``say`` receives lines of progress.

    Returns
    -------
    dict
        By name, median, min and max over ``n_rounds`` rounds of
        ``million_moves_per_cpu_second``, ``million_simulations_per_cpu_second`` (``uct``, by leaf
        value), ``values`` (:mod:`results.benchmarks.engine.values`) and ``other_games``
        (:func:`results.benchmarks.engine.games.game_rates`); ``program_milliseconds`` by protocol
        (:mod:`results.benchmarks.engine.protocols`); ``ratios`` of two rates;
        ``decision_microseconds``, percentiles at the author's θ; ``games_per_second`` by jobs;
        rates ``by_batch``, playouts a batch, and ``by_factor``, multiples of the author's θ;
        ``machine``, ``processes``, and ``allocations_per_simulation`` of ``uct``.
    """
    rates = kernel_rates(with_c, say)

    def ratio(upper: str, lower: str) -> float:
        return rates[upper]["median"] / rates[lower]["median"]

    ratios = {"bit-planes over table lookup": ratio(BY_PLANES, BY_TABLE)}
    for theta in ("author's θ", "author's θ × 10"):
        mcmdp = f"inside mcmdp, {theta}"
        ratios[f"top share 0.25 over 1, {theta}"] = ratio(f"{mcmdp}, top share 0.25", mcmdp)
    for theta, together in SIDE_BY_SIDE.items():
        ratios[f"8 games side by side over one, {theta}"] = ratio(
            together, f"inside mcmdp, {theta}"
        )
    if f"{C_PREFIX}bitslice" in rates:
        ratios["bit-planes over C bitslice"] = ratio(BY_PLANES, f"{C_PREFIX}bitslice")
    if f"{C_PREFIX}table" in rates:
        ratios["table lookup over C table"] = ratio(BY_TABLE, f"{C_PREFIX}table")

    simulations = simulation_rates(N_ROUNDS, say)
    other_games = game_rates(N_ROUNDS, say)
    values = rates_by_unit(value_rounds(SECONDS_OF_AGENT_GAMES), N_ROUNDS, say, "learned values")
    programs = overheads(N_ROUNDS, say)
    say("single decisions")
    latency = decision_microseconds(author_times(1), N_DECISIONS)
    say("batches of different sizes")
    by_batch = {n: batch_rate(n) for n in BATCHES}
    by_factor = {}
    for factor in FACTORS:
        say(f"author's θ × {factor:g}")
        n_moves, seconds = inside(author_times(factor), 1.0)(0)
        by_factor[factor] = n_moves / seconds / 1e6
    throughput = {}
    for jobs in sorted({1, 2, n_cores()}):
        say(f"games of mcmdp, {counted(jobs, 'job')}")
        throughput[jobs] = games_per_second(jobs, author_times(1), SECONDS_OF_GAMES)
    ratios["games a second, 2 jobs over 1"] = throughput[2] / throughput[1]
    say("fresh processes")
    return {
        "machine": machine(),
        "n_rounds": N_ROUNDS,
        "million_moves_per_cpu_second": rates,
        "million_simulations_per_cpu_second": simulations,
        "allocations_per_simulation": allocations_per_simulation(),
        "other_games": other_games,
        "values": values,
        "program_milliseconds": programs,
        "ratios": ratios,
        "decision_microseconds": latency,
        "games_per_second": throughput,
        "by_batch": by_batch,
        "by_factor": by_factor,
        "processes": fresh_process_figures(),
    }


def table_of(figures: dict[str, Any], what: str) -> Table:
    """Return an empty table for the figures of a machine."""
    where = figures["machine"]
    table = Table(title=f"{what} on {where['cpu']}, {where['cores']} cores", title_justify="left")
    table.add_column("figure")
    table.add_column("value", justify="right")
    table.add_column(f"min to max of {figures['n_rounds']}", justify="right")
    return table


def add_rate(table: Table, name: str, rate: dict[str, Any], unit: str, n_digits: int) -> None:
    """Add a rate, in millions of a unit, with its floor if it has one."""
    low, median, high = (f"{rate[key]:,.{n_digits}f}" for key in ("min", "median", "max"))
    floor = f" (floor {rate['floor']:g})" if "floor" in rate else ""
    table.add_row(name, f"{median} million {unit} a CPU second{floor}", f"{low} to {high}")


def bench_tables(figures: dict[str, Any]) -> list[Table]:
    """Lay the figures out for a terminal: 2048's, and the other games' if there are any."""
    tables = [table_of_2048(figures)]
    # Older published figures lack some.
    for key, title in (("values", "Learned values"), ("other_games", "Dice and Pacman")):
        if key in figures:
            table = table_of(figures, title)
            for name, rate in figures[key].items():
                add_rate(table, name, rate, rate["unit"], 2)
            tables.append(table)
    if figures.get("program_milliseconds"):
        table = table_of(figures, "Programs")
        for protocol, each in figures["program_milliseconds"].items():
            table.add_row(
                f"a game by the protocol {protocol}, beside the program's own time",
                f"{each['median']:.3f} ms of CPU",
                f"{each['min']:.3f} to {each['max']:.3f}",
            )
        tables.append(table)
    return tables


def table_of_2048(figures: dict[str, Any]) -> Table:
    """Lay the figures of 2048 out."""
    table = table_of(figures, "Engine")
    for name, rate in figures["million_moves_per_cpu_second"].items():
        add_rate(table, name, rate, "moves", 0)
    # Older published figures have no uct.
    for leaf, rate in figures.get("million_simulations_per_cpu_second", {}).items():
        add_rate(table, f"uct, m = 100, d = 10, leaf value {leaf}", rate, "simulations", 2)
    if "allocations_per_simulation" in figures:
        table.add_row(
            "allocations of a simulation of uct", f"{figures['allocations_per_simulation']:g}"
        )
    for name, value in figures["ratios"].items():
        table.add_row(name, f"{value:.2f} ×")
    latency = figures["decision_microseconds"]
    percentiles = " / ".join(f"{latency[p]:.0f}" for p in ("p50", "p90", "p99"))
    table.add_row("one decision, author's θ: median / 90% / 99%", f"{percentiles} µs")
    for jobs, rate in figures["games_per_second"].items():
        table.add_row(
            f"games of mcmdp, author's θ, {counted(int(jobs), 'job')}", f"{rate:.2f} a second"
        )
    processes = figures["processes"]
    table.add_row("all kernels of mcmdp, cold cache", f"{processes['compile_cold_seconds']:.1f} s")
    table.add_row("all kernels of mcmdp, warm cache", f"{processes['compile_warm_seconds']:.2f} s")
    table.add_row("import of the command line", f"{processes['import_cli_seconds']:.2f} s")
    table.add_row("memory of a worker", f"{processes['worker_megabytes']:.0f} MB")
    return table


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
    rates = {int(n): rate for n, rate in figures["games_per_second"].items()}
    jobs.bar([str(n) for n in rates], list(rates.values()), color=BLUE, width=0.5)
    jobs.set_xlabel("jobs")
    jobs.set_ylabel("games a second, author's θ")
    jobs.set_title("Workers")
    where = figures["machine"]
    caption(figure, f"{where['cpu']}, {where['cores']} cores, Python {where['python']}.")
    return figure
