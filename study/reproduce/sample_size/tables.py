"""The answer as tables, for a terminal and in Markdown."""

import math
from collections.abc import Callable

from thetafront.study.estimate import Estimate
from thetafront.study.report.sections import Section
from thetafront.study.reproduce.sample_size.means import N_RESAMPLES
from thetafront.study.reproduce.sample_size.measured import Measured
from thetafront.study.reproduce.sample_size.paper import PAPER, paper_frame

Write = Callable[[float], str]

SHOWN = (1, 2, 3, 4, 6, 9, 16, 25, 50, 100)


def whole(value: float) -> str:
    """Write a number without decimals."""
    return f"{value:,.0f}"


def span(low: float, high: float, write: Write = whole, joint: str = " to ") -> str:
    """Write an interval."""
    return f"{write(low)}{joint}{write(high)}"


def tight(low: float, high: float, write: Write = whole) -> str:
    """Write an interval in short form."""
    return span(low, high, write, "–" if low >= 0 else " to ")


def with_interval(estimate: Estimate, write: Write) -> str:
    """Write a value of a goal, or a standard error, with its interval."""
    return f"{write(estimate.value)} ({tight(estimate.low, estimate.high, write)})"


def games(n: float, most: int | None = None) -> str:
    """Write a number of games; infinity is above ``most``, or no number."""
    if math.isfinite(n):
        return f"{n:,.0f}"
    return "no number" if most is None else f"more than {most}"


def counts(measured: Measured) -> str:
    """Write the numbers of real games."""
    return "; ".join(f"{each.name}: {each.n_games:,}" for each in measured.samples)


def paper_section() -> Section:
    """Return the paper's example."""

    def shown(value: float) -> str:
        return "" if math.isnan(value) else f"{value:,.0f}" if value > 1 else f"{value:.3f}"

    rows = [
        (str(row["n_games"]), row["what"], shown(row["paper"]), shown(row["exact"]), row["note"])
        for row in paper_frame().to_dict("records")
    ]
    title = (
        f"The paper's example (§5.1): {PAPER.success:,.0f} points with probability "
        f"{PAPER.p_success:g}, else {PAPER.failure:,.0f}"
    )
    return Section(title, ("games", "what", "paper", "exact", "the paper's figure"), rows)


def played_section(measured: Measured) -> Section:
    """Return the summary of the real games."""
    goal = measured.goal
    rows = [
        (
            f"{each.name}: {each.origin}",
            each.theta.replace(",", ", "),
            f"{each.n_games:,}",
            f"{each.seeds.min()} to {each.seeds.max()}",
            with_interval(each.estimate, goal.format.text),
            with_interval(measured.deviations[each.name], goal.format.error),
        )
        for each in measured.samples
    ]
    note = ""
    ranking = measured.ranking
    if ranking is not None:
        difference, correlation = ranking.difference, ranking.correlation
        is_more = "higher" if goal.sign > 0 else "lower"
        note = (
            f"{ranking.better.name}'s mean is {is_more} by "
            f"{goal.format.with_unit(difference.value)} "
            f"({span(difference.low, difference.high, goal.format.text)})."
        )
        if math.isfinite(correlation.value):
            note += (
                f" {'Scores' if measured.is_2048 else 'Values'} of the same seed, "
                f"{ranking.n_paired:,} pairs, correlate by {correlation.value:.3f} "
                f"({span(correlation.low, correlation.high, '{:.3f}'.format)})."
            )
    means = "mean (95%)" if measured.is_2048 else f"mean {goal.label}{measured.unit} (95%)"
    columns = ("", "θ", "games", "seeds", means, "one game's deviation (95%)")
    return Section("Games", columns, rows, note)


def trials_section(measured: Measured) -> Section:
    """Return the distribution of trials of n games."""
    columns, unit = ["games"], measured.goal.column_unit
    for each in measured.samples:
        columns += [f"{each.name}: 95% of means", f"{each.name}: standard error (95%)"]
    by_name = [
        measured.means[measured.means["theta"] == each.name].set_index("n_games").to_dict("index")
        for each in measured.samples
    ]
    probabilities = None
    if measured.ranking is not None:
        probabilities = measured.ranking.probabilities.set_index("n_games").to_dict("index")
        columns.append("wrong order (95%)")
    rows = []
    for n in SHOWN:
        cells = [str(n)]
        for frame in by_name:
            row = frame[n]
            ends = ("", "_low95", "_high95")
            error = Estimate(*(row[f"standard_error{end}{unit}"] for end in ends))
            low, high = row[f"mean_low95{unit}"], row[f"mean_high95{unit}"]
            cells.append(tight(low, high, measured.goal.format.text))
            cells.append(with_interval(error, measured.goal.format.error))
        if measured.ranking is not None and not measured.ranking.known:
            cells.append("not known")
        elif probabilities is not None:
            row = probabilities[n]
            interval = tight(
                100 * row["p_wrong_low95"], 100 * row["p_wrong_high95"], "{:.1f}".format
            )
            cells.append(f"{row['p_wrong']:.1%} ({interval})")
        rows.append(tuple(cells))
    note = f"{N_RESAMPLES:,} trials, drawn with replacement from real games ({counts(measured)})."
    if measured.ranking is not None:
        note += (
            f" Wrong order: {measured.ranking.worse.name} ahead of {measured.ranking.better.name}, "
            "ties counted half."
        )
    unit = measured.goal.format.unit
    title = f"Trials of n games{unit and f', in {unit}'}"
    return Section(title, tuple(columns), rows, note)


def errors_section(measured: Measured) -> Section:
    """Return the numbers of games for the standard errors."""
    columns = (
        f"standard error{measured.unit}",
        *(f"{each.name}: games (95%)" for each in measured.samples),
    )
    rows, name = [], f"standard_error{measured.goal.column_unit}"
    for wanted in sorted(set(measured.errors[name])):
        frame = measured.errors[measured.errors[name] == wanted]
        cells = [
            f"{row['n_games']:,} ({span(row['n_games_low95'], row['n_games_high95'])})"
            for row in frame.to_dict("records")
        ]
        shown = f"{wanted:,g}" if measured.is_2048 else measured.goal.format.text(wanted)
        rows.append((shown, *cells))
    note = f"From the deviation of real games ({counts(measured)})."
    return Section("Games for a standard error of the mean", columns, rows, note)


def order_section(measured: Measured) -> Section | None:
    """Return the numbers of games that rank two θ; None for one θ."""
    ranking = measured.ranking
    if ranking is None:
        return None
    most = int(ranking.probabilities["n_games"].max())
    rows = []
    for row in ranking.levels.to_dict("records"):
        cells = ["not known", "not known"]
        if ranking.known:
            cells = [
                f"{games(row['n_games'], most)} "
                f"({games(row['n_games_low95'])} to {games(row['n_games_high95'], most)})",
                f"{games(row['normal_n_games'])} "
                f"({games(row['normal_n_games_low95'])} to {games(row['normal_n_games_high95'])})",
            ]
            if math.isinf(row["n_games_low95"]):
                cells[0] = f"more than {most}"
        rows.append((f"below {row['p_wrong_below']:.0%}", *cells))
    write = measured.goal.format.text
    interval = span(ranking.difference.low, ranking.difference.high, write)
    n_real = f"{ranking.worse.n_games:,} and {ranking.better.n_games:,} real games"
    if ranking.known:
        note = (
            f"From {n_real}; the normal approximation uses the difference's interval, {interval}."
        )
    else:
        note = (
            f"No number of games is known: the interval of the difference, {interval} from "
            f"{n_real}, contains 0."
        )
    columns = ("wrong order", "games, counted (95%)", "games, normal approximation (95%)")
    return Section("Games to rank the two", columns, rows, note)


def sections_of(measured: Measured) -> list[Section]:
    """Return all tables, in order."""
    made = (played_section, trials_section, errors_section, order_section)
    paper = [paper_section()] if measured.is_2048 else []
    sections = (*paper, *(section(measured) for section in made))
    return [each for each in sections if each is not None]
