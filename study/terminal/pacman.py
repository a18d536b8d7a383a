"""A game of Pacman in the terminal, played by an agent: what happens, and its picture."""

from dataclasses import dataclass

from rich.console import RenderableType
from rich.style import Style
from rich.text import Text

from thetafront.agents.pacman.agent import PacmanAgent, PacmanDecision
from thetafront.engine.pacman import Action, Outcome, World
from thetafront.engine.pacman.layout import CAPSULE, FOOD, GHOST, OPEN, PACMAN, WALL
from thetafront.engine.pacman.world import SCARED_GHOST
from thetafront.study.terminal.pace import OVER_KEYS, WATCHING_KEYS, Stage, watch
from thetafront.study.terminal.panel import (
    DIM,
    NOTE,
    WIDEST_PANEL,
    action_lines,
    below,
    beside,
    fact,
    legend,
    room_beside,
    shortened,
)
from thetafront.study.terminal.session import in_terminal
from thetafront.study.text import counted

DIRECTIONS = (("↑", "north"), ("→", "east"), ("↓", "south"), ("←", "west"))

CELLS = {
    WALL: ("█", Style(color="#3b5bdb")),
    FOOD: ("·", Style(color="#f1f3f5")),
    CAPSULE: ("o", Style(color="#f1f3f5", bold=True)),
    PACMAN: ("P", Style(color="#edc22e", bold=True)),
    GHOST: ("G", Style(color="#f65e3b", bold=True)),
    SCARED_GHOST: ("g", Style(color="#74c0fc", bold=True)),
    OPEN: (" ", Style()),
}
PANEL_HEIGHT = 16


@dataclass(frozen=True)
class PacmanView:
    """What a picture shows.

    Attributes
    ----------
    player : str
        The agent's name and parameters.
    world : World
        Where the game stands.
    decision : PacmanDecision, optional
        The agent's decision; None where the game is over.
    pace : str
        How fast the game goes.
    """

    player: str
    world: World
    decision: PacmanDecision | None
    pace: str


class WatchedPacman:
    """An agent's game, as ``agent.play(seed)`` plays it, and its decision on the current state."""

    def __init__(self, agent: PacmanAgent, player: str, seed: int) -> None:
        self.agent = agent
        self.player = player
        self.world = agent.start(seed)
        self.decision: PacmanDecision | None = agent.act(self.world)

    @property
    def is_over(self) -> bool:
        """Whether it is won, lost or cut."""
        return self.decision is None

    def advance(self) -> None:
        """Carry out the decision, and decide again."""
        assert self.decision is not None
        self.world.step(self.decision.action)
        self.decision = None if self.world.is_over else self.agent.act(self.world)

    def view(self, pace: str) -> PacmanView:
        """Return what a picture shows."""
        return PacmanView(self.player, self.world.copy(), self.decision, pace)


def watch_pacman(
    agent: PacmanAgent, player: str, seed: int, speed: float, stage: Stage[PacmanView]
) -> World:
    """Let an agent play the game of ``agent.play(seed)`` at a speed; return how it ended."""
    game = WatchedPacman(agent, player, seed)
    watch(game, speed, stage)
    return game.world


def play_in_terminal(agent: PacmanAgent, player: str, seed: int, speed: float, again: str) -> str:
    """Show :func:`watch_pacman` in the terminal; return the line that remains."""
    end = in_terminal(
        lambda: agent.act(agent.start(seed)),
        pacman_picture,
        lambda stage: watch_pacman(agent, player, seed, speed, stage),
    )
    return last_pacman_line(end, again)


def last_pacman_line(world: World, command: str) -> str:
    """Say how a game ended or where it was left, and which command repeats it."""
    ended = "left" if world.outcome is Outcome.RUNNING else world.outcome.name.lower()
    return (
        f"{ended} with {counted(world.score, 'point')} after {counted(world.n_steps, 'step')}, "
        f"{world.n_food} food left, seed {world.setup.seed}; again: {command}"
    )


def maze_text(world: World, cell_width: int) -> Text:
    """Draw the game, each cell so many columns wide."""
    text = Text(no_wrap=True)
    for number, row in enumerate(world.text().split("\n")):
        text.append("\n" if number else "")
        for character in row:
            sign, style = CELLS[character]
            text.append(sign * cell_width if character == WALL else sign.ljust(cell_width), style)
    return text


def remark(world: World) -> str:
    """Say how the game ended, or that ghosts are scared."""
    if world.outcome is not Outcome.RUNNING:
        return world.outcome.name.lower()
    scared = max((ghost.timer for ghost in world.ghosts), default=0)
    return f"ghosts scared for {counted(scared, 'move')}" if scared else ""


def value_lines(decision: PacmanDecision | None, width: int) -> list[Text]:
    """Draw the value of each direction; nothing without a decision."""
    if decision is None:
        return []
    return action_lines(decision.values, int(decision.action), DIRECTIONS, width, decimals=1)


def panel(view: PacmanView, width: int) -> list[Text]:
    """Write the figures of the game and the agent's values, line by line."""
    world, decision = view.world, view.decision
    facts = [
        ("score", f"{world.score:,}"),
        ("step", f"{world.n_steps:,}"),
        ("food left", f"{world.n_food}"),
        ("maze", world.layout.name),
        ("seed", f"{world.setup.seed}"),
        ("pace", view.pace),
    ]
    if decision and decision.n_sweeps:
        facts += [("sweeps", f"{decision.n_sweeps}"), ("residual", f"{decision.residual:.2g}")]
    lines = [Text(shortened(view.player, width), "bold")]
    lines += [fact(name, value, width) for name, value in facts if value]
    lines += [Text(), Text(remark(world), NOTE)]
    if decision:
        heading = "reward here and expected utility" if decision.n_sweeps else ""
        lines += [Text(heading, DIM), *value_lines(decision, width)]
        if decision.action is Action.STOP:
            lines.append(Text("▶ stop", "bold"))
    return lines


def pacman_picture(view: PacmanView, width: int, height: int) -> RenderableType:
    """Draw a view for a terminal of this size: the panel beside the maze if it fits, else below."""
    world = view.world
    layout = world.layout
    keys = WATCHING_KEYS if view.decision else OVER_KEYS
    for cell_width in (2, 1):
        maze_width = cell_width * layout.width
        room = room_beside(maze_width, width)
        if room and height >= max(layout.height, PANEL_HEIGHT):
            lines = [*panel(view, room), *legend(keys, room)]
            return beside(maze_text(world, cell_width), maze_width, lines, room, height)
    return below(
        [
            maze_text(world, 2 if 2 * layout.width <= width else 1),
            Text(f"score {world.score:,} · step {world.n_steps:,} · seed {world.setup.seed}"),
            Text(remark(world), NOTE),
            *value_lines(view.decision, min(width, WIDEST_PANEL)),
            *legend(keys, width),
        ]
    )
