"""All agents of 2048 in one picture, beside other authors' programs: score against CPU time.

Networks play with several depths of search, and agents without knowledge as they are. Heuristics
and the other Monte Carlo agents appear as validated fronts of published studies. A network's worth
also depends on its training, which the second panel shows.

Other programs were built and played on one core with AVX2, by CPU time, in a run of their own: only
their results are given here, and on a machine of another speed they shift sideways.
"""

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
from thetafront.study.charts.chart import BLUE, GREY, PINK, Axis, Chart, Kind, Layer, Panel
from thetafront.study.charts.comparison import COLOURS, SHAPES
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
N_COLOURS = 3  # of networks
BELOW = {"dx": -12, "dy": -13}  # of a front's name, from its last point
TILES = (8192, 16384, 32768)


PEERS: Mapping[str, Sequence[tuple[float, float]]] = {
    "nneonneo/2048-ai": (  # 2 to 5 plies
        (2.5e-6, 31_600),
        (41e-6, 55_300),
        (540e-6, 123_500),
        (3.5e-3, 222_000),
    ),
    "TDL2048+": (  # 52 CPU s of training, 1 to 3 plies
        (0.8e-6, 65_200),
        (19e-6, 104_700),
        (440e-6, 155_000),
    ),
}
"""Programs of other authors, as measured: CPU seconds a move, and mean score."""
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


def champions_markdown(frame: pd.DataFrame, training: pd.DataFrame) -> str:
    """Write both tables as Markdown."""
    timed = frame.assign(time=frame["seconds_per_move"].map(format_seconds))
    trained = training.assign(
        minutes=training["training_cpu_seconds"] / 60, millions=training["n_moves"] / 1e6
    )
    mean = ("mean score", estimate_format("score_mean", "score"))
    columns = (
        ("row", "{row}"),
        ("n", "{n_games:,}"),
        ("CPU time a move", "{time}"),
        mean,
        *((f"{tile}", f"{{share_reaching_{tile}:.1%}}") for tile in TILES),
    )
    about = (
        ("network", "{network}"),
        ("patterns", "{patterns}"),
        ("learning", "{method}, λ = {decay:g}"),
        ("CPU minutes", "{minutes:.3g}"),
        ("million moves", "{millions:,.0f}"),
        ("at one ply", mean[1]),
    )
    return document(
        "Champions of 2048",
        "Agents of 2048 on the same seeds, taking turns; in parentheses 95% intervals. The last "
        "columns are shares of games that reach a tile.",
        frame_table(timed, columns, "lrrrrrr"),
        frame_table(trained, about, "lllrrr"),
    )


def champions_figure(
    frame: pd.DataFrame, training: pd.DataFrame, fronts: Sequence[Front]
) -> Figure:
    """Draw score against CPU time a move, and against CPU time of training."""
    untuned = Kind("untuned: random, pure Monte Carlo", GREY, SHAPES[-1])
    tuned = Kind("tuned: validated fronts of published studies", PINK)
    others = Kind("other authors' programs, on another machine", GREY, is_hollow=True, dash=(6, 3))
    layers, n_networks = list[Layer](), 0
    for family, part in frame.groupby("family", sort=False):
        kind = untuned
        if str(family).startswith("ntuple "):
            colour, shape = COLOURS[n_networks % N_COLOURS], SHAPES[n_networks % len(SHAPES)]
            kind, n_networks = Kind(str(family), colour, shape), n_networks + 1
        layers += score_layers(kind, score_rows(part))
    for front in fronts:
        validated = front.validated[front.validated["on_front"].astype(bool)]
        validated = validated.sort_values("seconds_per_move")
        means = validated["score_mean_points"]
        rows = score_rows(validated[means == means.cummax()])  # what no cheaper one beats
        layers += score_layers(tuned, rows)
        layers.append(Layer("text", Kind("", PINK), [{**rows[-1], "label": front.name, **BELOW}]))
    for name, points in PEERS.items():
        at = [{"x": seconds, "y": score} for seconds, score in points]
        layers += [Layer("line", others, at), Layer("point", others, at, size=40)]
        label = {**at[-1], "label": name, "dx": -2.5 * len(name), "dy": 10}
        layers.append(Layer("text", Kind("", GREY), [label]))
    learned = score_rows(
        training.assign(minutes=training["training_cpu_seconds"] / 60), x="minutes"
    )
    for row, name in zip(
        learned, training.sort_values("training_cpu_seconds")["network"], strict=True
    ):
        row |= {"label": name, "dx": 0, "dy": -14}
    at_one_ply = Kind("", BLUE)
    every = [row for layer in layers for row in layer.rows]
    low, high = (f(field_values(learned, "x")) * by for f, by in ((min, 0.5), (max, 2.0)))
    minutes = {each: f"{each:g}" for each in log_ticks(low, high)}
    panels = [
        [Panel(cost_axis(SECONDS, field_values(every, "x")), score_axis(every), layers, 420)],
        [
            Panel(
                Axis("CPU minutes of training; scores at one ply", low, high, minutes, is_log=True),
                score_axis(learned),
                [*score_layers(at_one_ply, learned), Layer("text", at_one_ply, learned)],
                180,
            )
        ],
    ]
    n = frame["n_games"]
    text = (
        f"{n.min():,} to {n.max():,} games a point, the same seeds for points of a depth; bars: "
        "95% intervals. Fronts have games of their own. Other authors' programs play with 2 to 5 "
        "plies (nneonneo/2048-ai), and with 1 to 3 after 52 CPU s of training (TDL2048+)."
    )
    title = "Score against CPU time a move"
    return picture(Chart("champions", title, text, panels=panels, subject="2048"))


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
    text = champions_markdown(frame, training)
    networks = {name: trained_network(name).to_json() for name in names}
    tables = {"champions": frame, "training": training}
    figure = champions_figure(frame, training, fronts)
    run.write("champions", text, tables, figure, {**settings, "networks": networks})
    return text
