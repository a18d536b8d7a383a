"""A game of 2048 that an agent or the user plays in the terminal: its moves, and its pictures."""

from rich.console import RenderableType
from rich.text import Text

from thetafront.agents.agent import warm
from thetafront.agents.twenty48.agent import Agent2048
from thetafront.engine.twenty48 import Action, stream
from thetafront.study.experiments.objectives.formats import format_seconds
from thetafront.study.terminal.inspect import ARROWS, TimedDecision, decide
from thetafront.study.terminal.keys import DOWN, LEFT, RIGHT, UP
from thetafront.study.terminal.pace import (
    OVER_KEYS,
    POLL_INTERVAL,
    Stage,
    View,
    WatchedGame,
    quits,
    watch,
)
from thetafront.study.terminal.panel import DIM, action_table, compose_picture
from thetafront.study.terminal.position import Position
from thetafront.study.terminal.session import in_terminal
from thetafront.study.terminal.tiles import LARGE, MEDIUM, SMALL, board_picture
from thetafront.study.text import counted

PLAYING_KEYS = (("← ↓ ↑ →", "wasd hjkl"), ("?", "hint"), ("q", "quit"))
MOVES = {
    **{UP: Action.UP, RIGHT: Action.RIGHT, DOWN: Action.DOWN, LEFT: Action.LEFT},
    **dict(zip("wdsa", Action, strict=True)),
    **dict(zip("kljh", Action, strict=True)),
}
NAMES = tuple((ARROWS[action], action.name.lower()) for action in Action)

View2048 = View[Position, TimedDecision]


def decide_in_game(agent: Agent2048, position: Position) -> TimedDecision | None:
    """Decide with the random stream of ``agent.play(position.seed)``; None if the game is over."""
    if not position.legal:
        return None
    decision = stream(position.seed, agent.purpose, position.n_moves)
    return decide(agent, position.board, decision)


def remark(position: Position) -> str:
    """Say why there is nothing to decide; empty if there is something to decide."""
    if not position.legal:
        return "game over"
    return "a single legal action" if len(position.legal) == 1 else ""


def watch_agent(agent: Agent2048, player: str, seed: int, speed: float, stage: Stage) -> Position:
    """Show the game of ``agent.play(seed)`` while the agent plays it; return the last position."""
    player_of_game = agent.in_game()  # may keep state from move to move
    game = WatchedGame(
        player,
        Position.first(seed, agent.rule),
        lambda position: decide_in_game(player_of_game, position),
        lambda position, timed: position.after(timed.decision.action),
        remark,
    )
    return watch(game, speed, stage)


def play_by_hand(agent: Agent2048, player: str, seed: int, stage: Stage) -> Position:
    """Let the user play the game of a seed, with an agent's hints; return the last position."""
    position = Position.first(seed, agent.rule)
    hint: TimedDecision | None = None
    note = ""
    while True:
        keys = PLAYING_KEYS if position.legal else OVER_KEYS
        stage.show(View(player, position, hint, note=note or remark(position), keys=keys))
        pressed = stage.keyboard(POLL_INTERVAL)
        if quits(pressed):
            return position
        for key in pressed:
            action = MOVES.get(key if key in MOVES else key.lower())
            if action in position.legal:
                position = position.after(action)
                hint, note = None, ""
            elif action is not None and position.legal:
                note = f"no tile moves {action.name.lower()}"
            elif key == "?":
                hint = decide_in_game(agent, position) if hint is None else None
                note = f"hint: {' '.join(NAMES[hint.decision.action])}" if hint else ""


def play_in_terminal(agent: Agent2048, player: str, seed: int, speed: float, *, human: bool) -> str:
    """Run :func:`watch_agent` or :func:`play_by_hand`; return the line to print afterwards."""

    def game(stage: Stage) -> Position:
        if human:
            return play_by_hand(agent, f"you, hints by {player}", seed, stage)
        return watch_agent(agent, player, seed, speed, stage)

    return last_line(in_terminal(lambda: warm(agent), picture, game))


def last_line(position: Position) -> str:
    """Say how a game ended or where it was left."""
    return (
        f"{'left' if position.legal else 'ended'} with {counted(position.score, 'point')} after "
        f"{counted(position.n_moves, 'move')}, largest tile {position.largest}, "
        f"seed {position.seed}"
    )


def picture(view: View2048, width: int, height: int) -> RenderableType:
    """Draw a view for a terminal of this size: the panel beside the board if it fits."""
    position, timed = view.state, view.decision
    boards = (
        (board_picture(position.board, size), size.board_width, size.board_height)
        for size in (LARGE, MEDIUM, SMALL)
    )
    figures = {
        "score": f"{position.score:,}",
        "move": f"{position.n_moves:,}",
        "largest": f"{position.largest}",
        "seed": str(position.seed),
        "pace": view.pace,
        "decision": f"{format_seconds(timed.seconds)} CPU" if timed else "",
    }
    values: list[RenderableType] = []
    if timed:
        table = action_table(timed.decision.values, int(timed.decision.action), NAMES)
        values = [Text("values", DIM), table]
    return compose_picture(boards, view, figures, values, width, height)
