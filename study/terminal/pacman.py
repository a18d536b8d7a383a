"""A game of Pacman watched in a terminal: the maze, the figures of the game, what the agent thinks of its actions."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.align import Align
from rich.console import RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from agents.pacman.agent import PacmanAgent, PacmanDecision
from agents.pacman.astar import PacmanAStar
from agents.pacman.mdp import PacmanMDP
from agents.pacman.random import PacmanRandom
from engine.pacman import Action, Outcome, World
from engine.pacman.layout import CAPSULE, FOOD, GHOST, OPEN, PACMAN, WALL
from engine.pacman.world import SCARED_GHOST
from study.errors import InputError
from study.experiments.play import agent_of, check_one_layout
from study.terminal.pace import OVER_KEYS, WATCHING_KEYS, Stage, watch
from study.terminal.screen import action_lines, wrapped_keys
from study.terminal.session import on_screen
from study.text import counted

PACMAN_AGENTS: dict[str, type[PacmanAgent]] = {
    "pacman": PacmanMDP,
    "pacman_astar": PacmanAStar,
    "pacman_mdp": PacmanMDP,
    "pacman_random": PacmanRandom,
}
"""Who may be watched, by name."""

DIRECTIONS = (("↑", "north"), ("→", "east"), ("↓", "south"), ("←", "west"))

LOOKS = {
    WALL: ("█", Style(color="#3b5bdb")),
    FOOD: ("·", Style(color="#f1f3f5")),
    CAPSULE: ("o", Style(color="#f1f3f5", bold=True)),
    PACMAN: ("P", Style(color="#edc22e", bold=True)),
    GHOST: ("G", Style(color="#f65e3b", bold=True)),
    SCARED_GHOST: ("g", Style(color="#74c0fc", bold=True)),
    OPEN: (" ", Style()),
}
NOTE = Style(color="#edc22e", bold=True)
DIM = Style(dim=True)

GAP = 3
NARROWEST_PANEL, WIDEST_PANEL = 21, 46
PANEL_HEIGHT = 16


def pacman_agent_of(name: str, layout: str | None, settings: Sequence[str]) -> PacmanAgent:
    """Make the agent that a command line asks for.

    Parameters
    ----------
    name : str
        One of :data:`PACMAN_AGENTS`.
    layout : str, optional
        A maze's name, or the path of a file; ``small`` if it is None.
    settings : sequence of str
        Parameters, ``name=value``.

    Raises
    ------
    InputError
        If something is not allowed.
    """
    if name not in PACMAN_AGENTS:
        raise InputError(f"agent: {name!r} given, one of {', '.join(PACMAN_AGENTS)} allowed")
    check_one_layout(layout, settings)
    maze = [] if layout is None else [f"layout={layout}"]
    agent, _ = agent_of(PACMAN_AGENTS[name].name, None, [*settings, *maze])
    assert isinstance(agent, PacmanAgent)
    return agent


@dataclass(frozen=True)
class PacmanView:
    """What a picture shows.

    Attributes
    ----------
    player : str
        The agent's name and parameters.
    world : World
        How the game stands.
    decision : PacmanDecision, optional
        What the agent thinks of it; None where the game is over.
    pace : str
        How fast the game goes, for people.
    """

    player: str
    world: World
    decision: PacmanDecision | None
    pace: str


class WatchedPacman:
    """An agent's game of a seed, and what it thinks: the game is that of ``agent.play(seed)``."""

    def __init__(self, agent: PacmanAgent, player: str, seed: int) -> None:
        self.agent = agent
        self.player = player
        self.world = World.start(agent.layout, seed, agent.ghosts, agent.most_steps)
        self.decision: PacmanDecision | None = agent.act(self.world)

    @property
    def is_over(self) -> bool:
        """Whether it is won, lost or cut."""
        return self.decision is None

    def advance(self) -> None:
        """Do what has been decided, and decide again."""
        assert self.decision is not None
        self.world.step(self.decision.action)
        self.decision = None if self.world.is_over else self.agent.act(self.world)

    def view(self, pace: str) -> PacmanView:
        """Return what a picture shows."""
        return PacmanView(self.player, self.world.copy(), self.decision, pace)


def watch_pacman(
    agent: PacmanAgent, player: str, seed: int, speed: float, stage: Stage[PacmanView]
) -> World:
    """Let an agent play the game of a seed, at a pace to be watched; return how it stood when the person left.

    Parameters
    ----------
    agent : PacmanAgent
        Who plays.
    player : str
        Its name, to be shown.
    seed : int
        The game's seed.
    speed : float
        Moves a second to begin with, 0.5 to 1000.
    stage : Stage
        Where.
    """
    game = WatchedPacman(agent, player, seed)
    watch(game, speed, stage)
    return game.world


def watch_pacman_in_terminal(agent: PacmanAgent, player: str, seed: int, speed: float) -> World:
    """Let an agent play on the terminal's alternate screen.

    Raises
    ------
    InputError
        If standard input or output is no terminal, or one that cannot place its cursor.
    """

    def warm_up() -> None:
        agent.act(World.start(agent.layout, seed, agent.ghosts, agent.most_steps))

    return on_screen(
        warm_up, pacman_picture, lambda stage: watch_pacman(agent, player, seed, speed, stage)
    )


def maze_text(world: World, cell_width: int) -> Text:
    """Draw the game, each cell so many columns wide."""
    text = Text(no_wrap=True)
    for number, row in enumerate(world.text().split("\n")):
        if number:
            text.append("\n")
        for character in row:
            sign, style = LOOKS[character]
            text.append(sign * cell_width if character == WALL else sign.ljust(cell_width), style)
    return text


def remark(world: World) -> str:
    """Say how the game stands, if there is something to be said."""
    if world.outcome is not Outcome.RUNNING:
        return world.outcome.name.lower()
    scared = max((ghost.timer for ghost in world.ghosts), default=0)
    return f"ghosts scared for {counted(scared, 'move')}" if scared else ""


def panel(view: PacmanView, width: int) -> list[Text]:
    """Write the figures of the game and the agent's values, line by line."""
    world, decision = view.world, view.decision
    figures = [
        ("score", f"{world.score:,}"),
        ("step", f"{world.n_steps:,}"),
        ("food left", f"{world.n_food}"),
        ("maze", world.layout.name),
        ("seed", f"{world.setting.seed}"),
        ("pace", view.pace),
    ]
    if decision and decision.n_sweeps:
        figures += [("sweeps", f"{decision.n_sweeps}"), ("residual", f"{decision.residual:.2g}")]
    player = view.player if len(view.player) <= width else f"{view.player[: width - 1]}…"
    lines = [Text(player, "bold")]
    lines += [Text.assemble((f"{name:<10}", DIM), value) for name, value in figures if value]
    lines += [Text(), Text(remark(world), NOTE)]
    if decision:
        lines += [
            Text("reward here and what comes" if decision.n_sweeps else "", DIM),
            *action_lines(decision.values, int(decision.action), DIRECTIONS, width, decimals=1),
        ]
        if decision.action is Action.STOP:
            lines.append(Text("▶ stop", "bold"))
    return lines


def pacman_picture(view: PacmanView, width: int, height: int) -> RenderableType:
    """Draw a view for a terminal of so many columns and rows: the panel beside the maze if it fits, else below."""
    layout = view.world.layout
    keys = WATCHING_KEYS if view.decision else OVER_KEYS
    for cell_width in (2, 1):
        maze_width = cell_width * layout.width
        room = width - maze_width - GAP
        if room >= NARROWEST_PANEL and height >= max(layout.height, PANEL_HEIGHT):
            room = min(room, WIDEST_PANEL)
            lines = [*panel(view, room), *wrapped_keys(keys, room)]
            grid = Table.grid()
            grid.add_column(width=maze_width)
            grid.add_column(width=GAP)
            grid.add_column(width=room)
            side = Text("\n", no_wrap=True, overflow="crop").join(lines)
            grid.add_row(maze_text(view.world, cell_width), "", side)
            return Align.center(grid, vertical="middle", height=height)
    world = view.world
    values = []
    if view.decision:
        panel_width = min(width, WIDEST_PANEL)
        values = action_lines(
            view.decision.values, int(view.decision.action), DIRECTIONS, panel_width, decimals=1
        )
    lines = [
        maze_text(world, 2 if 2 * layout.width <= width else 1),
        Text(f"score {world.score:,} · step {world.n_steps:,} · seed {world.setting.seed}"),
        Text(remark(world), NOTE),
        *values,
        *wrapped_keys(keys, width),
    ]
    return Text("\n", no_wrap=True, overflow="crop").join(lines)


def last_pacman_line(world: World, command: str) -> str:
    """Say how a game ended, or where it was left, and what plays it again."""
    ended = "left" if world.outcome is Outcome.RUNNING else world.outcome.name.lower()
    return (
        f"{ended} with {counted(world.score, 'point')} after {counted(world.n_steps, 'step')}, {world.n_food} food left, "
        f"seed {world.setting.seed}; again: {command}"
    )
