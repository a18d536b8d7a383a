"""All agents of 2048 in one picture, beside other authors' programs: score against CPU time.

Networks play with several depths of search, and agents without knowledge as they are. Heuristics
and the other Monte Carlo agents appear as validated fronts of published studies. A network's worth
also depends on its training, which the second panel shows.

Programs of other authors are of two sorts. Some were built and played for this comparison, on one
core with AVX2, by CPU time, in a run of their own. Of the others there are the numbers that their
authors published. Both come from other machines than the agents' games, and a faster machine moves
a point to the left.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from thetafront.agents.agent import Agent
from thetafront.agents.twenty48.agent import Game2048
from thetafront.agents.twenty48.ntuple.agent import NTuple
from thetafront.agents.twenty48.ntuple.network import trained_network
from thetafront.agents.twenty48.pmcts import PureMonteCarlo
from thetafront.agents.twenty48.random import RandomAgent
from thetafront.engine.jit import ROOT
from thetafront.study.charts.axes import cost_axis, field_values, log_ticks
from thetafront.study.charts.chart import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PINK,
    Axis,
    Chart,
    Kind,
    Layer,
    Panel,
    Row,
)
from thetafront.study.charts.picture import picture
from thetafront.study.compare.comparison import Comparison
from thetafront.study.compare.fronts import Front
from thetafront.study.compare.scores import (
    estimate_format,
    score_axis,
    score_columns,
    score_layers,
    score_rows,
)
from thetafront.study.experiments.objectives import SECONDS, format_seconds
from thetafront.study.report.sections import document, frame_table

REFERENCE = ROOT / "results" / "reference"
PUBLISHED = tuple(REFERENCE / name for name in ("heuristic", "mcmdp", "ntuple", "switching", "uct"))
FEWER_GAMES = (1, 3, 10)  # by depth, since a move takes ten to twenty times as long
BELOW = (-12, -13)  # of a front's name, from its last point, and of names with less room there:
NAMES_AT = {"ntuple": (-6, 11), "mcmdp": (26, -4), "switching": (4, 14)}
TILES = (8192, 16384, 32768)
NETWORKS = Kind("networks, by CPU time of training", BLUE)
TUNED = Kind("tuned: fronts of published studies", PINK, "square")
UNTUNED = Kind("untuned: random, pure Monte Carlo", GREY, "triangle-down")
RUN = Kind("other authors' programs, run on another machine", GREEN, "diamond")
AS_PUBLISHED = Kind("published, other machines", ORANGE, is_hollow=True, dash=(2, 2))


class Program(NamedTuple):
    """A program of another author, and its mean scores."""

    name: str
    training: str  # what its training took; empty if that is unknown
    # Of each search: what it is, CPU seconds a move (NaN if not published), and mean score.
    points: Sequence[tuple[str, float, float]]
    was_run: bool = False  # for this comparison, rather than published
    name_at: tuple[float, float] = (0, 11)  # in the picture, from its last point

    @property
    def is_timed(self) -> bool:
        """Whether its times are known."""
        return not any(math.isnan(seconds) for _, seconds, _ in self.points)


PROGRAMS = (
    Program(
        "nneonneo/2048-ai",
        "none",
        (
            ("2 plies", 2.5e-6, 31_600),
            ("3 plies", 41e-6, 55_300),
            ("4 plies", 540e-6, 123_500),
            ("5 plies", 3.5e-3, 222_000),
        ),
        was_run=True,
    ),
    Program(
        "TDL2048+",
        "52 CPU s",
        (
            ("1 ply", 0.8e-6, 65_200),
            ("2 plies", 19e-6, 104_700),
            ("3 plies", 440e-6, 155_000),
        ),
        was_run=True,
        name_at=(30, -9),
    ),
    Program(
        "ziap/2048-tdl",
        "",
        (("1 ply", 0.39e-6, 201_381), ("3 plies", 200e-6, 419_479)),
        name_at=(12, -13),
    ),
    Program(
        "Jaśkowski (2017)",
        "",
        (
            ("1 ply", 3.9e-6, 324_710),
            ("2 plies", 49e-6, 457_079),
            ("1 s a move", 1.0, 609_104),
        ),
        name_at=(-57, -36),
    ),
    Program(
        "macroxue/2048-ai",
        "none, 18 GB of tables",
        (
            ("depth 3", 1 / 5000, 493_058),
            ("depth 4", 1 / 1500, 625_897),
            ("depth 5", 1 / 500, 660_650),
            ("depth 6", 1 / 150, 690_620),
            ("depth 7", 1 / 50, 693_519),
            ("depth 8", 1 / 15, 711_769),
        ),
    ),
    Program(
        "Guei et al. (2021)",
        "200 million games",
        (
            ("1 ply", math.nan, 412_785),
            ("2 plies", math.nan, 513_301),
            ("3 plies", math.nan, 563_316),
            ("6 plies", math.nan, 625_377),
        ),
    ),
    Program("2048EndgameTablebase", "none", (("tables of endgames", math.nan, 772_353),)),
)
"""Programs of other authors, the published records of 2048 among them.

Sources: Jaśkowski (2017), and Guei, Chen and Wu (2021), see
:mod:`agents.twenty48.ntuple.learning`; the documentation of the others. macroxue's moves a second
are one over these times.
"""
SEARCHES = (
    {"depth": 1},
    {"depth": 1, "deeper_below": 4},
    {"depth": 2},
    {"depth": 2, "deeper_below": 4},
    {"depth": 3},
)
"""How each network is played."""
PLAYOUTS = (2, 16, 128)


class ChampionRow(NamedTuple):
    """One point of the picture: the line it is on, and who plays."""

    family: str
    agent: Agent


def network_rows(names: Sequence[str]) -> dict[str, ChampionRow]:
    """Return the rows of some networks, by name; ValueError if one is not trained."""
    rows = {}
    for name in names:
        network = trained_network(name)
        training = f"{network.cpu_seconds / 60:.3g} CPU min of training"
        family = f"ntuple {name}: {network.settings.patterns}, {training}"
        for search in SEARCHES:
            plies = f"{search['depth']} plies" if search["depth"] > 1 else "1 ply"
            deeper = ", deeper below 4 empty" if "deeper_below" in search else ""
            rows[f"{name}, {plies}{deeper}"] = ChampionRow(family, NTuple(network=name, **search))
    return rows


def plain_rows() -> dict[str, ChampionRow]:
    """Return the rows of agents without knowledge and without parameters to tune."""
    pmcts = {
        f"pmcts, {n} playouts": ChampionRow(
            "pmcts: pure Monte Carlo search", PureMonteCarlo(n_playouts=n)
        )
        for n in PLAYOUTS
    }
    return {"random": ChampionRow("random actions", RandomAgent()), **pmcts}


def play_rows(
    run: Comparison[Game2048], rows: Mapping[str, ChampionRow], seeds: Sequence[int]
) -> dict[str, list[Game2048]]:
    """Play all rows, deeper ones with fewer games; rows of a depth share their seeds."""
    played: dict[str, list[Game2048]] = {}
    for depth, fewer in enumerate(FEWER_GAMES, 1):
        agents = {
            name: row.agent for name, row in rows.items() if getattr(row.agent, "depth", 1) == depth
        }
        n = max(2, len(seeds) // fewer)
        played |= run.play(agents, seeds[:n], f"depth {depth}") if agents else {}
    return {name: played[name] for name in rows}


def rows_frame(
    rows: Mapping[str, ChampionRow], games: Mapping[str, Sequence[Game2048]]
) -> pd.DataFrame:
    """Return one row per point: mean score with its 95% interval, cost, tiles reached."""
    lines = []
    for name, row in rows.items():
        played = games[name]
        reached = {
            f"share_reaching_{tile}": sum(game.max_tile >= tile for game in played) / len(played)
            for tile in TILES
        }
        lines.append({"family": row.family, "row": name, **score_columns(played), **reached})
    return pd.DataFrame(lines)


def training_frame(frame: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return one row per network: the cost of its training, and its scores at one ply."""
    lines = []
    for name in names:
        network = trained_network(name)
        (line,) = frame[frame["row"] == f"{name}, 1 ply"].to_dict("records")
        about: dict[str, Any] = {"network": name, "patterns": str(network.settings.patterns)}
        about |= {"method": str(network.settings.method), "decay": network.settings.decay}
        about |= {"training_cpu_seconds": network.cpu_seconds, "n_moves": network.n_moves}
        about |= {"digest": network.digest} | {str(key): each for key, each in line.items()}
        lines.append(about)
    return pd.DataFrame(lines).drop(columns=["family", "row"])


def front_rows(fronts: Sequence[Front]) -> pd.DataFrame:
    """Return one row a validated point of a front that no cheaper one of its front beats."""
    parts = []
    for front in fronts:
        part = front.validated[front.validated["on_front"].astype(bool)]
        part = part.sort_values("seconds_per_move").assign(study=front.name)
        means = part["score_mean_points"]
        parts.append(part[means == means.cummax()])
    columns = ["study", "n_games", "score_mean_points", "score_low95_points"]
    return pd.concat(parts)[[*columns, "score_high95_points", "seconds_per_move"]]


def programs_frame() -> pd.DataFrame:
    """Return one row a point of another author's program."""
    lines = []
    for each in PROGRAMS:
        numbers_from = "a run, another machine" if each.was_run else AS_PUBLISHED.label
        for search, seconds, score in each.points:
            lines.append((each.name, search, each.training, seconds, score, numbers_from))
    columns = ["program", "search", "training", "seconds_per_move", "score_mean_points"]
    return pd.DataFrame(lines, columns=[*columns, "numbers_from"])


def champions_markdown(
    frame: pd.DataFrame, training: pd.DataFrame, fronts: pd.DataFrame, programs: pd.DataFrame
) -> str:
    """Write all tables as Markdown."""

    def timed(part: pd.DataFrame) -> pd.DataFrame:
        return part.assign(time=part["seconds_per_move"].map(format_seconds, na_action="ignore"))

    trained = training.assign(
        minutes=training["training_cpu_seconds"] / 60, millions=training["n_moves"] / 1e6
    )
    others = timed(programs).fillna({"time": "not published"}).replace({"training": ""}, "unknown")
    mean = ("mean score", estimate_format("score_mean", "score"))
    n_and_time = (("n", "{n_games:,}"), ("CPU time a move", "{time}"))
    tiles = ((f"{tile}", f"{{share_reaching_{tile}:.1%}}") for tile in TILES)
    columns = (("row", "{row}"), *n_and_time, mean, *tiles)
    about = (
        ("network", "{network}"),
        ("patterns", "{patterns}"),
        ("learning", "{method}, λ = {decay:g}"),
        ("CPU minutes", "{minutes:.3g}"),
        ("million moves", "{millions:,.0f}"),
        ("at one ply", mean[1]),
    )
    of_others = (
        ("program", "{program}"),
        ("search", "{search}"),
        ("training", "{training}"),
        ("CPU time a move", "{time}"),
        ("mean score", "{score_mean_points:,.0f}"),
        ("numbers from", "{numbers_from}"),
    )
    return document(
        "Champions of 2048",
        "Agents of 2048 on the same seeds, taking turns; in parentheses 95% intervals. The last "
        "columns are shares of games that reach a tile.",
        frame_table(timed(frame), columns, "lrrrrrr"),
        frame_table(trained, about, "lllrrr"),
        "Fronts of published studies: validated points that no cheaper one of their study beats.",
        frame_table(timed(fronts), (("study", "{study}"), *n_and_time, mean)),
        "Programs of other authors.",
        frame_table(others, of_others, "lllrrl"),
    )


def name_layer(kind: Kind, row: Row, name: str, dx: float, dy: float) -> Layer:
    """Return the layer of a name beside a point."""
    return Layer("text", Kind("", kind.colour), [{**row, "label": name, "dx": dx, "dy": dy}])


def agent_layers(frame: pd.DataFrame, fronts: pd.DataFrame) -> list[Layer]:
    """Return the layers of the agents that played here."""
    layers = list[Layer]()
    for family, part in frame.groupby("family", sort=False):
        rows, (name, _, about) = score_rows(part), str(family).partition(": ")
        if name.startswith("ntuple "):
            minutes = about.rpartition(", ")[2].removesuffix(" of training").replace("CPU ", "")
            layers += [
                *score_layers(NETWORKS, rows),
                name_layer(NETWORKS, rows[0], minutes, -22, 0),
            ]
        else:
            layers += score_layers(UNTUNED, rows)
    for study, part in fronts.groupby("study", sort=False):
        rows = score_rows(part)
        name, at = str(study), NAMES_AT.get(str(study), BELOW)
        layers += [*score_layers(TUNED, rows), name_layer(TUNED, rows[-1], name, *at)]
    return layers


def program_layers(low: float, high: float) -> list[Layer]:
    """Return the layers of other authors' programs; lines across where no time is known."""
    layers = list[Layer]()
    for each in PROGRAMS:
        kind = RUN if each.was_run else AS_PUBLISHED
        rows = [{"x": seconds, "y": score} for _, seconds, score in each.points]
        if each.is_timed:
            layers += [Layer("line", kind, rows), Layer("point", kind, rows, size=40)]
            layers.append(name_layer(kind, rows[-1], each.name, *each.name_at))
            continue
        for row, (search, _, _) in zip(rows, each.points, strict=True):
            line, name = {**row, "x": low, "x2": high}, f"{each.name}, {search}"
            layers.append(Layer("rule", kind, [line], x2="x2", size=1.2))
            layers.append(name_layer(kind, line, name, 2.8 * len(name), 6))
    return layers


def champions_caption(frame: pd.DataFrame) -> str:
    """Say what the figure shows, and where other authors' programs come from."""

    def searches(each: Program) -> str:
        first, last = each.points[0][0], each.points[-1][0]
        searched = first if first == last else f"{first} to {last}"
        return f"{each.name} ({searched}; training: {each.training or 'unknown'})"

    n = frame["n_games"]
    run, published = (
        ", ".join(searches(each) for each in PROGRAMS if each.was_run == was_run)
        for was_run in (True, False)
    )
    return (
        f"{n.min():,} to {n.max():,} games a point, the same seeds for points of a depth; bars: "
        f"95% intervals. Fronts have games of their own. Run on another machine: {run}. As "
        f"published, from other machines: {published}. Lines across: no time is published."
    )


def champions_figure(frame: pd.DataFrame, training: pd.DataFrame, fronts: pd.DataFrame) -> Figure:
    """Draw score against CPU time a move, and against CPU time of training."""
    layers = agent_layers(frame, fronts)
    rows = [row for layer in [*layers, *program_layers(1.0, 1.0)] for row in layer.rows]
    seconds = cost_axis(SECONDS, field_values(rows, "x"))
    layers += program_layers(seconds.low, seconds.high)
    learned = score_rows(
        training.assign(minutes=training["training_cpu_seconds"] / 60), x="minutes"
    )
    names = training.sort_values("training_cpu_seconds")["network"]
    low, high = (f(field_values(learned, "x")) * by for f, by in ((min, 0.5), (max, 2.0)))
    minutes = {each: f"{each:g}" for each in log_ticks(low, high)}
    trained = [
        *score_layers(NETWORKS, learned),
        *(
            name_layer(NETWORKS, row, name, 0, -14)
            for row, name in zip(learned, names, strict=True)
        ),
    ]
    title = "CPU minutes of training; scores at one ply"
    panels = [
        [Panel(seconds, score_axis(rows), layers, 560)],
        [Panel(Axis(title, low, high, minutes, is_log=True), score_axis(learned), trained, 180)],
    ]
    caption = champions_caption(frame)
    title = "Score against CPU time a move"
    return picture(Chart("champions", title, caption, panels=panels, subject="2048"))


def show_champions(
    run: Comparison[Game2048],
    names: Sequence[str],
    fronts: Sequence[Front],
    seeds: Sequence[int],
    settings: Mapping[str, Any],
) -> str:
    """Play what is missing, write all files, and return the text."""
    rows = {**network_rows(names), **plain_rows()}
    frame = rows_frame(rows, play_rows(run, rows, seeds))
    training = training_frame(frame, names)
    drawn, programs = front_rows(fronts), programs_frame()
    text = champions_markdown(frame, training, drawn, programs)
    networks = {name: trained_network(name).to_json() for name in names}
    tables = {"champions": frame, "training": training, "fronts": drawn, "programs": programs}
    figure = champions_figure(frame, training, drawn)
    run.write("champions", text, tables, figure, {**settings, "networks": networks})
    return text
