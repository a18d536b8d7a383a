"""A game of Pacman that an agent plays in the terminal: its moves, and its pictures."""

from rich.console import RenderableType
from rich.style import Style
from rich.text import Text

from thetafront.agents.pacman.agent import PacmanAgent, PacmanDecision
from thetafront.engine.pacman import Action, Outcome, World
from thetafront.engine.pacman.layout import CAPSULE, FOOD, GHOST, OPEN, PACMAN, WALL
from thetafront.engine.pacman.world import SCARED_GHOST
from thetafront.study.terminal.pace import Stage, View, WatchedGame, watch
from thetafront.study.terminal.panel import DIM, action_table, compose_picture
from thetafront.study.terminal.session import in_terminal
from thetafront.study.text import counted

ENDED = {
    Outcome.WON: "won",
    Outcome.LOST: "lost",
    Outcome.CUT: "stopped at the maximum number of steps",
}
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

PacmanView = View[World, PacmanDecision]


def watch_pacman(agent: PacmanAgent, player: str, seed: int, speed: float, stage: Stage) -> World:
    """Show the game of ``agent.play(seed)`` while the agent plays it; return the last world."""

    def after(world: World, decision: PacmanDecision) -> World:
        world = world.copy()
        world.step(decision.action)
        return world

    def decide(world: World) -> PacmanDecision | None:
        return None if world.is_over else agent.act(world)

    game = WatchedGame(player, agent.start(seed), decide, after, remark)
    return watch(game, speed, stage)


def play_in_terminal(agent: PacmanAgent, player: str, seed: int, speed: float) -> str:
    """Run :func:`watch_pacman` in the terminal; return the line to print afterwards."""
    end = in_terminal(
        lambda: agent.act(agent.start(seed)),
        pacman_picture,
        lambda stage: watch_pacman(agent, player, seed, speed, stage),
    )
    return last_pacman_line(end)


def last_pacman_line(world: World) -> str:
    """Say how a game ended or where it was left."""
    ended = "left" if world.outcome is Outcome.RUNNING else ENDED[world.outcome]
    return (
        f"{ended} with {counted(world.score, 'point')} after {counted(world.n_steps, 'step')}, "
        f"{world.n_food} food left, seed {world.setup.seed}"
    )


def maze_text(world: World, cell_width: int) -> Text:
    """Draw the game, with each cell ``cell_width`` columns wide."""
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
        return ENDED[world.outcome]
    scared = max((ghost.timer for ghost in world.ghosts), default=0)
    return f"ghosts scared for {counted(scared, 'move')}" if scared else ""


def pacman_picture(view: PacmanView, width: int, height: int) -> RenderableType:
    """Draw a view for a terminal of this size: the panel beside the maze if it fits, else below."""
    world, decision, layout = view.state, view.decision, view.state.layout
    boards = (
        (maze_text(world, cell_width), cell_width * layout.width, layout.height)
        for cell_width in (2, 1)
    )
    figures = {
        "score": f"{world.score:,}",
        "step": f"{world.n_steps:,}",
        "food left": f"{world.n_food}",
        "maze": layout.name,
        "seed": f"{world.setup.seed}",
        "pace": view.pace,
    }
    values: list[RenderableType] = []
    if decision:
        if decision.n_sweeps:
            figures |= {"sweeps": f"{decision.n_sweeps}", "residual": f"{decision.residual:.2g}"}
            values.append(Text("reward here plus expected utility", DIM))
        values.append(action_table(decision.values, int(decision.action), DIRECTIONS, decimals=1))
        if decision.action is Action.STOP:
            values.append(Text("▶ stop", "bold"))
    return compose_picture(boards, view, figures, values, width, height)
