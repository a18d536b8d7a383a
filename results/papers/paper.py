"""What the scripts share: options, games that are kept, intervals in tables, figures, files."""

import argparse
import json
import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import fill
from typing import Any, NoReturn

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import thetafront
from thetafront.agents.agent import Agent, digest_of
from thetafront.study import estimate
from thetafront.study.estimate import Estimate

GAMES_A_SEED = 1_000_000  # seeds of games begin at this multiple of --seed
MANIFEST = "manifest.json"
BLUE, BLACK, RED, GREY, GREEN = "#0072B2", "#000000", "#D55E00", "#8C8C8C", "#009E73"
# Okabe and Ito's colours, which colour-blind readers can tell apart, each with a marker.
MARKS = (
    (RED, "o"),
    (GREEN, "s"),
    ("#CC79A7", "^"),
    ("#E69F00", "v"),
    ("#56B4E9", "P"),
    (GREY, "X"),
)
STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.7,
    "axes.axisbelow": True,
    "axes.titlesize": 12,
    "axes.titlelocation": "left",
    "legend.frameon": False,
}
CHARACTERS_AN_INCH = 15.5  # of a caption


@dataclass
class Paper:
    """A script's options, and the folder that it writes to; use :func:`script`."""

    output: Path
    n_games: int  # a row, at most
    seed: int
    jobs: int | None
    options: argparse.Namespace  # all of them
    rows: dict[str, str] = field(default_factory=dict)  # names by digest, of what has played

    @property
    def seeds(self) -> range:
        """Seeds of a row's games."""
        first = GAMES_A_SEED * self.seed
        return range(first, first + self.n_games)

    def play(
        self, rows: Mapping[str, Agent], seeds: range | None = None, batch: int = 1
    ) -> dict[str, pd.DataFrame]:
        """Return the games of each row, in the order of the seeds; what is missing is played.

        The columns are those of ``games.csv``, without the agent.
        """
        seeds = self.seeds if seeds is None else seeds
        self.rows |= {digest_of(agent): name for name, agent in rows.items()}
        games = thetafront.play(
            rows, len(seeds), first_seed=seeds[0], ledger=self.output, batch=batch, jobs=self.jobs
        )
        parts = dict(tuple(games.groupby("name")))
        return {name: parts[name].drop(columns="name").reset_index(drop=True) for name in rows}

    def write(
        self,
        name: str,
        text: str,
        tables: Mapping[str, pd.DataFrame],
        figures: Mapping[str, Figure],
        **contents: Any,
    ) -> None:
        """Write and print the text; write tables, figures and the manifest with ``contents``."""
        for stem, frame in tables.items():
            frame.to_csv(self.output / f"{stem}.csv", index=False)
        for stem, figure in figures.items():
            with mpl.rc_context(STYLE):
                figure.savefig(self.output / f"{stem}.png", dpi=160)
        (self.output / f"{name}.md").write_text(text, encoding="utf-8")
        earlier = earlier_manifest(self.output)
        history = [*earlier.pop("earlier_runs", []), earlier] if earlier else []
        manifest = {**thetafront.provenance(), "seed": self.seed, "games_a_row": self.n_games}
        manifest |= {**contents, "rows": self.rows, "earlier_runs": history}
        written = json.dumps(manifest, indent=2, ensure_ascii=False)
        (self.output / MANIFEST).write_text(written + "\n", encoding="utf-8")
        print(text, end="")


def earlier_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of the folder's last run; InputError if the file is none."""
    path = folder / MANIFEST
    if not path.exists():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        assert isinstance(found, dict)
        assert isinstance(found.get("earlier_runs", []), list)
    except (OSError, ValueError, AssertionError):
        raise thetafront.InputError(
            f"{path}: no manifest; use another folder, or move it away"
        ) from None
    return found


class Parser(argparse.ArgumentParser):
    """Tells of a wrong option in one line."""

    def error(self, message: str) -> NoReturn:
        """End the program."""
        self.exit(2, f"{self.prog}: {message}\n")


def whole(low: int, high: int) -> Callable[[str], int]:
    """Return the type of an option: a whole number of a range."""

    def number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = low - 1
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text} given, {low} to {high} allowed")
        return value

    return number


def script(
    run: Callable[[Paper], None],
    name: str,
    n_games: int,
    seed: int = 0,
    add: Callable[[argparse.ArgumentParser], None] = lambda parser: None,
    given: Sequence[str] | None = None,
) -> None:
    """Run a paper's script: read its options, make its folder, tell of errors in one line.

    Parameters
    ----------
    run : callable
        What makes the results.
    name : str
        Of the folder in ``results``.
    n_games, seed : int
        Defaults of ``--games`` and ``--seed``.
    add : callable
        Adds options of its own to the parser.
    given : sequence of str, optional
        Words of the command line.
    """
    described = (sys.modules[run.__module__].__doc__ or "").split("\n")[0]
    parser = Parser(description=described)
    parser.add_argument("--games", type=whole(2, 100_000), default=n_games, help="games a row")
    parser.add_argument(
        "--seed",
        type=whole(0, 2**31 - 1),
        default=seed,
        help="games have the seeds 1,000,000·SEED and on, the same for all rows",
    )
    parser.add_argument("--jobs", type=whole(1, 10_000), help="worker processes; by default, cores")
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("results", name),
        help="folder to write to; games that it holds already are not played again",
    )
    add(parser)
    options = parser.parse_args(given)
    paper = Paper(options.output, options.games, options.seed, options.jobs, options)
    try:
        paper.output.mkdir(exist_ok=True)
        earlier_manifest(paper.output)
        run(paper)
    except (thetafront.InputError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        sys.exit(2)
    except thetafront.RunError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


def scores_of(games: pd.DataFrame) -> npt.NDArray[np.float64]:
    """Return the scores of games, in points."""
    return games["score_points"].to_numpy(np.float64)


def costs_of(games: pd.DataFrame) -> dict[str, float]:
    """Return the costs of a move, over all games of a row."""
    n_moves = games["n_moves"].sum()
    costs = {"seconds_per_move": sum(games["cpu_seconds"]) / n_moves}  # in the games' order
    if "n_playout_moves" in games:
        costs["playout_moves_per_move"] = games["n_playout_moves"].sum() / n_moves
    return costs


def score_columns(games: pd.DataFrame) -> dict[str, Any]:
    """Return the columns of a row's games: n, mean score with its 95% interval, costs a move."""
    mean = estimate.mean(scores_of(games))
    return {"n_games": len(games), **mean_columns(mean), **costs_of(games)}


def mean_columns(mean: Estimate) -> dict[str, float]:
    """Return the columns of a mean score with its 95% interval, in points."""
    return {
        "score_mean_points": mean.value,
        "score_low95_points": mean.low,
        "score_high95_points": mean.high,
    }


def estimate_columns(name: str, of: Estimate) -> dict[str, float]:
    """Return the columns of a number with its 95% interval, in points."""
    return {
        f"{name}_points": of.value,
        f"{name}_low95_points": of.low,
        f"{name}_high95_points": of.high,
    }


def shown(row: Any, value: str, bounds: str, sign: str = "") -> str:
    """Write a number of a table with its 95% interval: ``12,345 (12,000 to 12,690)``.

    ``value`` and ``bounds`` are the stems of its column and of those of its interval; ``sign`` is
    ``+`` to write the sign of positive numbers, too.
    """
    ends = (f"{value}_points", f"{bounds}_low95_points", f"{bounds}_high95_points")
    number, low, high = (format(row[column], f"{sign},.0f") for column in ends)
    return f"{number} ({low} to {high})"


def time_text(seconds: float) -> str:
    """Write a time with three digits and a readable unit: ``183 µs``, ``1.25 ms``, ``1,250 s``."""
    seconds = float(f"{seconds:.3g}")
    if 1e3 <= seconds < math.inf:
        return f"{seconds:,.0f} s"
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")):
        if seconds >= scale:
            return f"{f'{seconds / scale:#.3g}'.rstrip('.')} {unit}"
    return f"{seconds:g} s"


def score_bars(axes: Axes, x: Any, part: pd.DataFrame, **style: Any) -> None:
    """Draw mean scores at ``x``, one a row, with their 95% intervals."""
    mean = part["score_mean_points"]
    errors = [mean - part["score_low95_points"], part["score_high95_points"] - mean]
    axes.errorbar(x, mean, yerr=errors, **style)


def markdown_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], align: str | None = None
) -> str:
    """Write a table as Markdown; ``align`` has ``l`` or ``r`` for each column.

    By default the first column is left-aligned, the others right-aligned.
    """
    align = align or "l".ljust(len(columns), "r")
    rule = "|".join("---" if side == "l" else "---:" for side in align)
    heading, *lines = (f"| {' | '.join(row)} |" for row in (columns, *rows))
    return "\n".join([heading, f"|{rule}|", *lines])


def document(title: str, *parts: str) -> str:
    """Write a text as Markdown: a title, then paragraphs and tables; empty ones are left out.

    The lines of a paragraph are joined, since numbers of any length have been filled in.
    """
    text = "\n\n".join([f"# {title}", *(part.strip("\n") for part in parts if part)]) + "\n"
    return re.sub(r"(?<=[^\n|])\n(?=[^\n|#-])", " ", text)


def new_figure(width: float, height: float) -> tuple[Figure, Axes]:
    """Return an empty figure in the house style; draw it within ``mpl.rc_context(STYLE)``."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def caption(figure: Figure, text: str) -> None:
    """Write a caption below a figure, in lines that fit."""
    width = int(figure.get_figwidth() * CHARACTERS_AN_INCH)
    lines = "\n".join(fill(paragraph, width) for paragraph in text.split("\n"))
    figure.supxlabel(lines, fontsize=8, color="#555555", x=0.01, ha="left")


def points_axis(axes: Axes) -> None:
    """Write the values of the y axis with thousands separators."""
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
