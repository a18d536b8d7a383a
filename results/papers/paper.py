"""What the scripts of all papers share: commands, stored games, texts with numbers, figures."""

import argparse
import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import fill as wrapped
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import thetafront
from thetafront.agents.agent import Agent, agent_digest
from thetafront.study import estimate
from thetafront.study.estimate import Estimate
from thetafront.study.experiments.objectives.formats import format_seconds
from thetafront.study.log.location import make_folder
from thetafront.study.log.manifest import MANIFEST, check_output, write_manifest

GAMES_A_SEED = 1_000_000  # this number times --seed is the first seed of the games
TEXTS = Path(__file__).with_name("texts")
ROUNDING = 1e-9  # numbers nearer to 0 are written as 0
MINUS = "\N{MINUS SIGN}"
BLUE, BLACK, RED, GREY, GREEN = "#0072B2", "#000000", "#D55E00", "#8C8C8C", "#009E73"
PURPLE, ORANGE = "#CC79A7", "#E69F00"
# Okabe and Ito's colours, which colour-blind readers can tell apart, each with a marker.
MARKS = ((BLUE, "o"), (RED, "s"), (GREEN, "^"), (PURPLE, "v"), (ORANGE, "D"), (GREY, "P"))
STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.7,
    "axes.axisbelow": True,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "figure.constrained_layout.use": True,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
}
CHARACTERS_AN_INCH = 15.5  # in a line of a caption

Games = Mapping[str, pd.DataFrame]
"""The games of each row of a table, by the name of the row, in the order of the seeds."""


@dataclass
class Paper:
    """The options and the output folder of a script; :func:`script` makes this object."""

    output: Path
    n_games: int  # the largest number of games of a row
    seed: int
    jobs: int | None
    rows: dict[str, str] = field(default_factory=dict)  # names by digests of agents

    @property
    def seeds(self) -> range:
        """Seeds of a row's games."""
        first = GAMES_A_SEED * self.seed
        return range(first, first + self.n_games)

    def play(
        self, rows: Mapping[str, Agent], seeds: range | None = None, batch: int = 1
    ) -> dict[str, pd.DataFrame]:
        """Return the games of each row in the order of the seeds; play those that are missing.

        The columns are those of ``games.csv``, except for the column that names the agent.
        """
        seeds = self.seeds if seeds is None else seeds
        self.rows |= {agent_digest(agent): name for name, agent in rows.items()}
        games = thetafront.play(
            rows, len(seeds), first_seed=seeds[0], ledger=self.output, batch=batch, jobs=self.jobs
        )
        parts = dict(tuple(games.groupby("name")))
        return {name: parts[name].drop(columns="name").reset_index(drop=True) for name in rows}

    def write(
        self,
        name: str,
        tables: Mapping[str, pd.DataFrame],
        figures: Mapping[str, Figure],
        manifest: Mapping[str, Any] | None = None,
        **values: Any,
    ) -> None:
        """Write tables, figures, manifest and text; also print the text.

        The text is ``texts/NAME.txt`` with numbers filled in. It can use the tables, the number of
        games, the first and last seed, and ``values``. It also has the title of each figure, and
        the paragraph after a figure is the caption. The keys of tables and figures are the names of
        their files. ``manifest`` has further entries of the manifest.
        """
        for stem, frame in tables.items():
            frame.to_csv(self.output / f"{stem}.csv", index=False)
        run = {"n_games": self.n_games, "first": self.seeds[0], "last": self.seeds[-1]}
        template = (TEXTS / f"{name}.txt").read_text(encoding="utf-8")
        text = fill(template, {**tables, **run, **values})
        for title, stem, caption in re.findall(r"!\[(.+)\]\((\w+)\.png\)\n\n(.+)", text):
            entitle(figures[stem], title, caption)
        for stem, figure in figures.items():
            figure.savefig(self.output / f"{stem}.png", dpi=160)
        (self.output / f"{name}.md").write_text(text, encoding="utf-8")
        contents = {**thetafront.provenance(), "seed": self.seed, "games_a_row": self.n_games}
        contents |= {**(manifest or {}), "rows": self.rows}
        write_manifest(contents, self.output / MANIFEST)
        print(text, end="")


def kept(path: Path, columns: Mapping[str, Any], where: str = "index >= 0") -> pd.DataFrame | None:
    """Return the table that an earlier run wrote, reduced to rows that meet ``where``.

    Returns None if there is no file. Raises InputError if a column or a number is missing.
    ``columns`` gives the type of each column; a :class:`pandas.CategoricalDtype` lists the words
    that the column may contain.
    """
    if not path.exists():
        return None
    try:
        found = pd.read_csv(path, dtype=columns)[[*columns]].query(where)
        valid = not found.isna().any(axis=None) and len(found) > 0
    except (OSError, ValueError, KeyError):
        valid = False
    if not valid:
        raise thetafront.InputError(
            f"{path}: not a table of this version; use another folder, or move it away"
        )
    return found.reset_index(drop=True)


def whole(low: int, high: int) -> Callable[[str], int]:
    """Return the type of an option that takes a whole number from ``low`` to ``high``."""

    def number(text: str) -> int:
        if not re.fullmatch(r"[+-]?[0-9]+", text) or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"must be between {low} and {high} (got {text})")
        return int(text)

    return number


def parser(description: str, output: Path | None) -> argparse.ArgumentParser:
    """Return a parser with the option ``--output``, for :func:`command`."""
    # Without a usage text, argparse reports a wrong option in one line.
    made = argparse.ArgumentParser(
        description=description.split("\n", maxsplit=1)[0], usage=argparse.SUPPRESS
    )
    made.add_argument(
        "--output",
        type=Path,
        default=output,
        help="folder to write to; what is already stored there is not played again",
    )
    return made


def command(
    run: Callable[[argparse.Namespace], None],
    options: argparse.ArgumentParser,
    given: Sequence[str] | None = None,
) -> None:
    """Read the options, create the folder and run; print an error as one line, and exit.

    ``given`` has the arguments; by default, they are those of the command line.
    """
    try:
        chosen = options.parse_args(given)
        if chosen.output is not None:
            make_folder(chosen.output, "output")
            check_output(chosen.output)
        run(chosen)
    except (thetafront.InputError, thetafront.RunError, OSError) as error:
        print(f"{options.prog}: {error}", file=sys.stderr)
        sys.exit(2 if isinstance(error, thetafront.InputError) else 1)
    except KeyboardInterrupt:
        sys.exit(130)


def script(
    run: Callable[[Paper], None],
    name: str,
    n_games: int,
    given: Sequence[str] | None = None,
) -> None:
    """Run a paper's script by :func:`command`.

    ``name`` is the name of the folder in ``results``, and ``n_games`` is the default of
    ``--games``.
    """
    options = parser(sys.modules[run.__module__].__doc__ or "", Path("results", name))
    options.add_argument("--games", type=whole(2, 100_000), default=n_games, help="games per row")
    options.add_argument(
        "--seed",
        type=whole(0, 2**31 - 1),
        default=0,
        help="the first seed of the games is 1,000,000·SEED",
    )
    options.add_argument(
        "--jobs", type=whole(1, 10_000), help="worker processes (default: one per core)"
    )

    def run_paper(chosen: argparse.Namespace) -> None:
        with mpl.rc_context(STYLE):
            run(Paper(chosen.output, chosen.games, chosen.seed, chosen.jobs))

    command(run_paper, options, given)


def read_scores(games: pd.DataFrame) -> npt.NDArray[np.float64]:
    """Return the scores of games, in points."""
    return games["score_points"].to_numpy(np.float64)


def mean_costs(games: pd.DataFrame) -> dict[str, float]:
    """Return the costs of a move: means over all moves of a row's games."""
    n_moves = games["n_moves"].sum()
    return {
        "seconds_per_move": sum(games["cpu_seconds"]) / n_moves,  # added in the order of the games
        "playout_moves_per_move": games["n_playout_moves"].sum() / n_moves,
    }


def interval_row(name: str, of: Estimate, unit: str = "") -> dict[str, float]:
    """Return the columns of a number with its 95% interval; their names end in ``unit``."""
    ends = (("", of.value), ("_low95", of.low), ("_high95", of.high))
    return {f"{name}{end}{unit}": value for end, value in ends}


def mean_columns(mean: Estimate) -> dict[str, float]:
    """Return the columns of a mean score with its 95% interval, in points."""
    _, *ends = interval_row("score", mean, "_points").items()
    return {"score_mean_points": mean.value, **dict(ends)}


def score_columns(games: pd.DataFrame) -> dict[str, Any]:
    """Return columns for a row: its number of games, and the mean score with its 95% interval."""
    return {"n_games": len(games), **mean_columns(estimate.mean(read_scores(games)))}


def less(games: Games, name: str, **others: str) -> dict[str, float]:
    """Return a row's mean score minus the mean scores of other rows, paired by seed, in points.

    ``others`` maps the names of columns to names of rows. The other rows begin with the same seeds;
    their further games are left out.
    """
    mine, found = read_scores(games[name]), dict[str, float]()
    for key, other in others.items():
        theirs = read_scores(games[other])[: len(mine)]
        found |= interval_row(key, estimate.difference(mine, theirs), "_points")
    return found


class Number(float):
    """A number in a text; an unknown number is written as ``-``.

    There are two formats in addition to Python's. ``time`` writes seconds as ``183 µs``, for
    example, and ``+.1pp`` writes a share in percentage points. A negative time, such as the lower
    end of a Student's t interval, is written as 0.
    """

    def __format__(self, form: str) -> str:
        if math.isnan(self):
            return "-"
        value = 0.0 if abs(self) < ROUNDING else float(self)
        if form == "time":
            return format_seconds(value) if value > 0 else "0"
        return f"{100 * value:{form[:-2]}f}" if form.endswith("pp") else format(value, form)


class Interval(NamedTuple):
    """A number in a text with its 95% interval: ``12,345 (12,000 to 12,690)``.

    If the interval is missing or has no width, only the number is written. A difference (a format
    with ``+``) is then written as ``-``, because a row is compared with itself.
    """

    value: Number
    low: Number
    high: Number

    def __format__(self, form: str) -> str:
        value, low, high = (format(each, form) for each in self)
        if self.high - self.low >= ROUNDING:
            return f"{value} ({low} to {high})"
        return "-" if form.startswith("+") else value


def interval(of: Estimate) -> Interval:
    """Return an estimate as an interval that a text can show."""
    return Interval(Number(of.value), Number(of.low), Number(of.high))


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table for a text, with each interval under one name.

    For example, ``score`` combines the columns ``score_mean_points``, ``score_low95_points`` and
    ``score_high95_points``. ``win_rate`` combines ``win_rate``, ``win_rate_low95`` and
    ``win_rate_high95``.
    """
    stems = [str(each).split("_low95") for each in frame if "_low95" in str(each)]
    found: list[dict[str, Any]] = []
    for row in frame.to_dict("records"):
        cells = {
            str(name): Number(value) if isinstance(value, float) else value
            for name, value in row.items()
        }
        for stem, unit in stems:
            value = cells[f"{stem}{unit}" if f"{stem}{unit}" in cells else f"{stem}_mean{unit}"]
            ends = (cells[f"{stem}_{end}95{unit}"] for end in ("low", "high"))
            cells[f"{stem}{unit}".replace("_points", "")] = Interval(
                Number(value), *map(Number, ends)
            )
        found.append(cells)
    return found


def by(frame: pd.DataFrame, names: str) -> dict[str, dict[str, Any]]:
    """Return a table's rows for a text, by keys.

    ``names`` is the format of the keys, such as ``"{layout} {gamma:g}"``.
    """
    return {names.format_map(row): row for row in records(frame)}


def wide(frame: pd.DataFrame, index: str, columns: str, cell: str) -> pd.DataFrame:
    """Arrange ``cell`` in a table with rows by ``index`` and columns by ``columns``."""
    rows: dict[Any, dict[str, Any]] = {}
    for row in records(frame):
        rows.setdefault(row[index], {index: row[index]})[str(row[columns])] = row[cell]
    return pd.DataFrame(rows.values())


def fill(template: str, values: Mapping[str, Any]) -> str:
    """Fill numbers into a text.

    The lines of a paragraph are joined. A line ``@name | {column:,.0f} |`` is repeated for each row
    of the table ``name``. Negative numbers get a minus sign instead of a hyphen.
    """
    lines: list[str] = []
    for line in re.sub(r"(?<=[^\n|])\n(?=[^\n|#@-])", " ", template).split("\n"):
        name, _, form = line[1:].partition(" ") if line.startswith("@") else ("", "", line)
        rows: Iterable[Mapping[str, Any]] = records(values[name]) if name else [{}]
        lines += [form.format_map({**values, **row}) for row in rows]
    return re.sub(r"(?<![\w-])-(?=\d)", MINUS, "\n".join(lines))


def new_figure(width: float, height: float, **panels: Any) -> tuple[Figure, Any]:
    """Return a figure and its axes; ``panels`` are the arguments of ``subplots``."""
    figure = Figure(figsize=(width, height))
    return figure, figure.subplots(**panels)


def entitle(figure: Figure, title: str, caption: str) -> None:
    """Write a title above a figure, and a caption below it, wrapped to the figure's width."""
    figure.suptitle(title, x=0.01, ha="left", fontsize=12)
    lines = wrapped(caption, int(figure.get_figwidth() * CHARACTERS_AN_INCH))
    figure.supxlabel(lines, fontsize=8, color="#555555", x=0.01, ha="left")


def places_axis(axes: Axes, labels: Sequence[str], **style: Any) -> None:
    """Label the places 0, 1, 2, … of the x axis, and draw no grid lines there."""
    axes.set_xticks(range(len(labels)), labels, **style)
    axes.grid(visible=False, axis="x")


def errors(rows: pd.DataFrame, value: str, stem: str = "", unit: str = "") -> list[pd.Series]:
    """Return how far the error bars of a column reach below and above its values."""
    low, high = (rows[f"{stem or value}_{end}95{unit}"] for end in ("low", "high"))
    return [rows[value] - low, high - rows[value]]


def score_bars(axes: Axes, x: Any, part: pd.DataFrame, **style: Any) -> None:
    """Draw the mean score of each row at ``x``, with its 95% interval."""
    ends = errors(part, "score_mean_points", "score", "_points")
    axes.errorbar(x, part["score_mean_points"], yerr=ends, **style)


def level(axes: Axes, row: Any, colour: str, label: str) -> None:
    """Draw a row's mean score as a horizontal line, with its 95% interval as a band."""
    low, high = row["score_low95_points"], row["score_high95_points"]
    axes.axhspan(low, high, color=colour, alpha=0.14, linewidth=0)
    axes.axhline(row["score_mean_points"], color=colour, linewidth=1.4, label=label)


def shared_legend(figure: Figure, axes: Axes) -> None:
    """Draw one legend for all panels."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=len(labels))


def points_axis(axes: Axes) -> None:
    """Begin the y axis at 0, and write its values with thousands separators."""
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
