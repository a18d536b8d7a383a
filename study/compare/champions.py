"""All agents of 2048 in one picture, with other authors' programs: score against CPU time.

Networks play with several depths of search. Agents without knowledge (random, pure Monte Carlo) are
not tuned. Heuristics and the other Monte Carlo agents appear as validated fronts of published
studies. A network's score also depends on its training. If there are several networks, a
second panel shows scores against the CPU time of training.

There are two kinds of programs by other authors. Some were built and run for this comparison, on
one core with AVX2, and their CPU time was measured. For the others, the picture has the numbers
that their authors published. All of these programs ran on other machines than the agents did, and a
faster machine moves a point to the left.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from thetafront.agents.agent import Agent
from thetafront.agents.twenty48.agent import Game2048
from thetafront.agents.twenty48.ntuple.agent import NTuple
from thetafront.agents.twenty48.ntuple.network import TrainedNetwork
from thetafront.agents.twenty48.pmcts import PureMonteCarlo
from thetafront.agents.twenty48.random import RandomAgent
from thetafront.engine.jit import ROOT
from thetafront.study.charts.axes import cost_axis, log_ticks
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
)
from thetafront.study.charts.labels import placed_labels
from thetafront.study.charts.picture import picture
from thetafront.study.compare.comparison import Comparison
from thetafront.study.compare.scores import (
    estimate_format,
    score_axis,
    score_columns,
    score_layers,
    score_rows,
    validated_front,
)
from thetafront.study.errors import InputError
from thetafront.study.experiments.objectives.costs import SECONDS
from thetafront.study.experiments.objectives.formats import format_seconds
from thetafront.study.log.study_data import StudyData
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.sections import document, frame_table

REFERENCE = ROOT / "results" / "reference"
PUBLISHED = tuple(REFERENCE / name for name in ("heuristic", "mcmdp", "ntuple", "switching", "uct"))
FEWER_GAMES = (1, 3, 10)  # divisors by depth: each further ply takes ten to twenty times as long
TILES = (8192, 16384, 32768)
NETWORKS = Kind("trained networks", BLUE)
TUNED = Kind("tuned: published studies' fronts", PINK, "square")
UNTUNED = Kind("untuned: random, pure Monte Carlo", GREY, "triangle-down")
RUN = Kind("other authors' programs, run on another machine", GREEN, "diamond")
AS_PUBLISHED = Kind("published, other machines", ORANGE, is_hollow=True, dash=(2, 2))


PROGRAMS = Path(__file__).with_name("programs.csv")
"""Programs of other authors, including the published records of 2048: one row per search.

The CPU seconds per move are empty if they are not published, and the training if it is unknown.
Sources: Jaśkowski (2017), and Guei, Chen and Wu (2021), see :mod:`agents.twenty48.ntuple.learning`;
for other programs, their documentation. The times of macroxue's program are computed from its
published moves per second.
"""
SEARCHES = tuple(product((1, 2, 3), (0, 4)))
"""How each network is played: depths, and below how many empty cells one ply is added."""
PANEL_WIDTH = 455.0  # approximately, in typographic points: the legend is wide
PLAYOUTS = (2, 16, 128)


class ChampionRow(NamedTuple):
    """One point of the picture: the name of its line, and the agent that plays."""

    family: str
    agent: Agent


def tables(network: TrainedNetwork) -> str:
    """Return what tables a network has, like ``8x6, 3 stages``."""
    settings = network.settings
    more = f", {settings.stages} stages" if settings.stages > 1 else ""
    return f"{settings.patterns}{more}"


def network_rows(networks: Sequence[TrainedNetwork]) -> dict[str, ChampionRow]:
    """Return the rows of some networks, by name."""
    rows = {}
    for network in networks:
        name, training = network.name, f"{network.cpu_seconds / 60:.3g} CPU min of training"
        family = f"ntuple {name}: {tables(network)}, {training}"
        for depth, below in SEARCHES:
            plies = f"{depth} plies" if depth > 1 else "1 ply"
            deeper = f", deeper below {below} empty" if below else ""
            agent = NTuple(network=name, depth=depth, deeper_below=below)
            rows[f"{name}, {plies}{deeper}"] = ChampionRow(family, agent)
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
    run: Comparison, rows: Mapping[str, ChampionRow], seeds: Sequence[int]
) -> dict[str, list[Game2048]]:
    """Play all rows; deeper searches play fewer games, and rows of equal depth share seeds."""
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


def training_frame(frame: pd.DataFrame, networks: Sequence[TrainedNetwork]) -> pd.DataFrame:
    """Return one row per network: the cost of its training, and its scores at one ply."""
    lines = []
    for network in networks:
        (line,) = frame[frame["row"] == f"{network.name}, 1 ply"].to_dict("records")
        about: dict[str, Any] = {"network": network.name, "patterns": tables(network)}
        about |= {"method": str(network.settings.method), "decay": network.settings.decay}
        about |= {"training_cpu_seconds": network.cpu_seconds, "n_moves": network.n_moves}
        about |= {"digest": network.digest} | {str(key): each for key, each in line.items()}
        lines.append(about)
    return pd.DataFrame(lines).drop(columns=["family", "row"])


def front_rows(studies: Sequence[StudyData]) -> pd.DataFrame:
    """Return one row per validated point that no cheaper one beats; baselines are left out.

    InputError if two studies have the same name, or if one lacks mean scores in points.
    """
    columns = ["n_games", "score_mean_points", "score_low95_points", "score_high95_points"]
    columns.append("seconds_per_move")
    parts: dict[str, pd.DataFrame] = {}
    for data in studies:
        if data.name in parts:
            raise InputError(f"studies must have different names (got {data.name!r} twice)")
        part = validated_front(Analysis(data))
        if missing := [each for each in columns if each not in part]:
            raise InputError(f"study: {data.name!r} must have {missing[0]} in its front.csv")
        part = part.sort_values("seconds_per_move").assign(study=data.name)
        means = part["score_mean_points"]
        parts[data.name] = part[means == means.cummax()]
    return pd.concat(parts.values())[["study", *columns]]


def programs_frame() -> pd.DataFrame:
    """Return a row for each setting of the search (``3 plies``) of programs by other authors."""
    return pd.read_csv(PROGRAMS).fillna({"training": ""})


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
    n_and_time = (("n", "{n_games:,}"), ("CPU time per move", "{time}"))
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
        ("CPU time per move", "{time}"),
        ("mean score", "{score_mean_points:,.0f}"),
        ("numbers from", "{numbers_from}"),
    )
    return document(
        "Champions of 2048",
        "Agents for 2048, which took turns on the same seeds, with 95% intervals in parentheses. "
        "The last three columns give the shares of games that reach these tiles.",
        frame_table(timed(frame), columns, "lrrrrrr"),
        frame_table(trained, about, "lllrrr"),
        "Published studies' fronts without baselines: validated points that no cheaper point in "
        "the study beats. "
        "Scores and times come from each point's own n games, and therefore differ slightly from "
        "the estimates based on all of a study's games.",
        frame_table(timed(fronts), (("study", "{study}"), *n_and_time, mean)),
        "Other authors' programs.",
        frame_table(others, of_others, "lllrrl"),
    )


def agent_layers(frame: pd.DataFrame, fronts: pd.DataFrame) -> list[Layer]:
    """Return the layers of the agents; a line's name is the label of one of its rows."""
    layers = list[Layer]()
    for family, part in frame.groupby("family", sort=False):
        rows, name = score_rows(part), str(family).partition(": ")[0]
        is_network = name.startswith("ntuple ")
        if is_network:
            # The label is left of the first point, or above it for the network that scores most.
            label, at_one_ply = name.removeprefix("ntuple "), frame["row"].str.endswith("1 ply")
            top = rows[0]["y"] == frame.loc[at_one_ply, "score_mean_points"].max()
            place = (0.0, 14.0) if top else (-2.3 * len(label) - 6.0, 0.0)
            rows[0] |= {"label": label, "dx": place[0], "dy": place[1]}
        layers += score_layers(NETWORKS if is_network else UNTUNED, rows)
    for study, part in fronts.groupby("study", sort=False):
        rows = score_rows(part)
        rows[-1]["label"] = str(study)
        layers += score_layers(TUNED, rows)
    return layers


def program_layers(programs: pd.DataFrame, x: Axis) -> list[Layer]:
    """Return the layers of other authors' programs, with horizontal lines if times are unknown."""
    layers = list[Layer]()
    for name, part in programs.groupby("program", sort=False):
        kind = AS_PUBLISHED if part["numbers_from"].iloc[0] == AS_PUBLISHED.label else RUN
        rows = [
            {"x": each["seconds_per_move"], "y": each["score_mean_points"]}
            for each in part.to_dict("records")
        ]
        if part["seconds_per_move"].isna().any():
            named = [
                {**row, "x": x.low, "label": f"{name}, {search}"}
                for row, search in zip(rows, part["search"], strict=True)
            ]
            layers.append(Layer("rule", kind, named, x2=x.high, size=1.2))
        else:
            rows[-1]["label"] = name
            layers += [Layer("line", kind, rows), Layer("point", kind, rows, size=40)]
    return layers


def names_layer(layers: Sequence[Layer], x: Axis, y: Axis) -> Layer:
    """Return the labels of rows, placed so that they cover no point."""
    rows = {id(row): row for layer in layers for row in layer.rows}
    return Layer("text", Kind("", GREY), placed_labels([*rows.values()], x, y, PANEL_WIDTH))


def champions_caption(frame: pd.DataFrame, programs: pd.DataFrame) -> str:
    """Say what the figure shows, and where the numbers of other authors' programs come from."""
    said: dict[bool, list[str]] = {True: [], False: []}
    for name, part in programs.groupby("program", sort=False):
        first, last = part.iloc[0], part.iloc[-1]
        searched = " to ".join(dict.fromkeys((first["search"], last["search"])))
        said[first["numbers_from"] == AS_PUBLISHED.label].append(
            f"{name} ({searched}; training: {first['training'] or 'unknown'})"
        )
    n = frame["n_games"]
    return (
        f"{n.min():,} to {n.max():,} games per point, with the same seeds at equal search depths. "
        f"Bars: 95% intervals. Fronts come from earlier studies' games. Run on another machine: "
        f"{', '.join(said[False])}. As published, from other machines: {', '.join(said[True])}. "
        "Horizontal lines mark programs without a published time."
    )


def champions_figure(
    frame: pd.DataFrame, training: pd.DataFrame, fronts: pd.DataFrame, programs: pd.DataFrame
) -> Figure:
    """Draw score against CPU time per move, and that of training if there are several networks."""
    timed = (each["seconds_per_move"] for each in (frame, fronts, programs))
    x = cost_axis(SECONDS, pd.concat(timed).dropna())
    layers = [*agent_layers(frame, fronts), *program_layers(programs, x)]
    y = score_axis([row for layer in layers for row in layer.rows])
    minutes = training.assign(minutes=training["training_cpu_seconds"] / 60)
    learned = score_rows(minutes, x="minutes")
    for row, name in zip(learned, minutes.sort_values("minutes")["network"], strict=True):
        row["label"] = name
    low, high = minutes["minutes"].min() / 2, minutes["minutes"].max() * 2
    ticks = {each: f"{each:g}" for each in log_ticks(low, high)}
    trained = score_layers(NETWORKS, learned)
    of_training = Axis("CPU minutes of training; scores at one ply", low, high, ticks, is_log=True)
    at_one_ply = score_axis(learned)
    panels = [[Panel(x, y, [*layers, names_layer(layers, x, y)], 560)]]
    if len(learned) > 1:
        named = [*trained, names_layer(trained, of_training, at_one_ply)]
        panels.append([Panel(of_training, at_one_ply, named, 180)])
    caption = champions_caption(frame, programs)
    title = "Score against CPU time per move"
    return picture(Chart("champions", title, caption, panels=panels, subject="2048"))


def show_champions(
    run: Comparison,
    networks: Sequence[TrainedNetwork],
    fronts: pd.DataFrame,
    seeds: Sequence[int],
    settings: Mapping[str, Any],
) -> str:
    """Play what is missing, write all files, and return the text; ``fronts`` has the front rows."""
    rows = {**network_rows(networks), **plain_rows()}
    frame = rows_frame(rows, play_rows(run, rows, seeds))
    training = training_frame(frame, networks)
    programs = programs_frame()
    text = champions_markdown(frame, training, fronts, programs)
    manifests = {network.name: network.to_json() for network in networks}
    tables = {"champions": frame, "training": training, "fronts": fronts, "programs": programs}
    figure = champions_figure(frame, training, fronts, programs)
    run.write("champions", text, tables, figure, {**settings, "networks": manifests})
    return text
