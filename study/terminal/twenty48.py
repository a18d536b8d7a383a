"""A game of 2048 in the terminal, an agent's or the user's own: what happens, and its picture."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import RenderableType
from rich.style import Style
from rich.text import Text

from thetafront.agents.agent import warm
from thetafront.agents.twenty48.agent import Agent2048
from thetafront.engine.twenty48 import Action, stream
from thetafront.study.experiments.objectives import format_seconds
from thetafront.study.terminal.inspect import ARROWS, TimedDecision, decide
from thetafront.study.terminal.keys import DOWN, LEFT, RIGHT, UP
from thetafront.study.terminal.pace import (
    OVER_KEYS,
    SECONDS_BETWEEN_LOOKS,
    WATCHING_KEYS,
    Stage,
    quits,
    watch,
)
from thetafront.study.terminal.panel import (
    DIM,
    NOTE,
    ROOM_FOR_NAMES,
    WIDEST_PANEL,
    action_lines,
    below,
    beside,
    fact,
    legend,
    room_beside,
    shortened,
)
from thetafront.study.terminal.position import Position
from thetafront.study.terminal.session import in_terminal
from thetafront.study.terminal.tiles import FRAME, LARGE, MEDIUM, SMALL, board_text, text_colour
from thetafront.study.text import counted

PLAYING_KEYS = (("← ↓ ↑ →", "wasd hjkl"), ("?", "hint"), ("q", "quit"))
MOVES = {
    **{UP: Action.UP, RIGHT: Action.RIGHT, DOWN: Action.DOWN, LEFT: Action.LEFT},
    **dict(zip("wdsa", Action, strict=True)),
    **dict(zip("kljh", Action, strict=True)),
}
NAMES = tuple((ARROWS[action], action.name.lower()) for action in Action)

PANEL_HEIGHT = 17
BOX = Style(color=text_colour(FRAME), bgcolor=FRAME)
BOX_VALUE = BOX + Style(bold=True)
BOX_EDGE = Style(color=FRAME)


@dataclass(frozen=True)
class View:
    """What a picture shows.

    Attributes
    ----------
    player : str
        The agent's name and parameters, or the user's.
    position : Position
        Where the game stands.
    timed : TimedDecision, optional
        The agent's decision; None where it is not asked, or the game is over.
    pace : str
        How fast the game goes.
    note : str
        A remark of a few words.
    keys : tuple of (str, str)
        Each key and what it does.
    """

    player: str
    position: Position
    timed: TimedDecision | None
    pace: str
    note: str
    keys: tuple[tuple[str, str], ...]


def decide_in_game(agent: Agent2048, position: Position) -> TimedDecision | None:
    """Decide as in the agent's own game of the position's seed; None where the game is over."""
    if not position.legal:
        return None
    decision = stream(position.seed, agent.purpose, position.n_moves)
    return decide(agent, position.board, decision)


def remark(position: Position) -> str:
    """Say why there is nothing to decide, if so."""
    if not position.legal:
        return "game over"
    return "a single legal action" if len(position.legal) == 1 else ""


class WatchedAgent:
    """An agent's game of 2048, and its decision on the current position."""

    def __init__(self, agent: Agent2048, player: str, seed: int) -> None:
        self.agent = agent.in_game()  # which may keep something from move to move
        self.player = player
        self.position = Position.first(seed, agent.rule)
        self.timed = decide_in_game(self.agent, self.position)

    @property
    def is_over(self) -> bool:
        """Whether no action is legal."""
        return self.timed is None

    def advance(self) -> None:
        """Carry out the decision, and decide again."""
        assert self.timed is not None
        self.position = self.position.after(self.timed.decision.action)
        self.timed = decide_in_game(self.agent, self.position)

    def view(self, pace: str) -> View:
        """Return what a picture shows."""
        keys = OVER_KEYS if self.is_over else WATCHING_KEYS
        note = remark(self.position)
        return View(self.player, self.position, self.timed, pace, note, keys)


def watch_agent(
    agent: Agent2048, player: str, seed: int, speed: float, stage: Stage[View]
) -> Position:
    """Let an agent play the game of ``agent.play(seed)`` at a speed; return where it ended."""
    game = WatchedAgent(agent, player, seed)
    watch(game, speed, stage)
    return game.position


def play_by_hand(agent: Agent2048, player: str, seed: int, stage: Stage[View]) -> Position:
    """Let the user play a game with an agent's tiles and hints; return where it ended."""
    position = Position.first(seed, agent.rule)
    hint: TimedDecision | None = None
    note = ""
    while True:
        keys = PLAYING_KEYS if position.legal else OVER_KEYS
        stage.show(View(player, position, hint, "", note or remark(position), keys))
        pressed = stage.keyboard.read(SECONDS_BETWEEN_LOOKS)
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


def play_in_terminal(
    agent: Agent2048, player: str, seed: int, speed: float, again: str, *, human: bool
) -> str:
    """Show :func:`watch_agent` or :func:`play_by_hand`; return the line that remains."""

    def game(stage: Stage[View]) -> Position:
        if human:
            return play_by_hand(agent, f"you, hints by {player}", seed, stage)
        return watch_agent(agent, player, seed, speed, stage)

    return last_line(in_terminal(lambda: warm(agent), picture, game), again)


def last_line(position: Position, command: str) -> str:
    """Say how a game ended or where it was left, and which command repeats it."""
    return (
        f"{'left' if position.legal else 'ended'} with {counted(position.score, 'point')} after "
        f"{counted(position.n_moves, 'move')}, largest tile {position.largest}, "
        f"seed {position.seed}; again: {command}"
    )


def picture(view: View, width: int, height: int) -> RenderableType:
    """Draw a view for a terminal of this size: the panel beside the board if it fits."""
    position = view.position
    for size in (LARGE, MEDIUM):
        room = room_beside(size.board_width, width)
        if room and height >= max(size.board_height, PANEL_HEIGHT):
            lines, keys = panel(view, room), legend(view.keys, room)
            # The legend ends at the board's lower edge.
            n_blank = max(size.board_height - len(lines) - len(keys), 0)
            lines += [*[Text()] * n_blank, *keys]
            board = board_text(position.board, size)
            return beside(board, size.board_width, lines, room, height)
    return below(
        [
            board_text(position.board, SMALL),
            Text(f"score {position.score:,} · move {position.n_moves:,} · seed {position.seed}"),
            Text(view.note, NOTE),
            *value_lines(view.timed, min(width, WIDEST_PANEL)),
            *legend(view.keys, width),
        ]
    )


def panel(view: View, width: int) -> list[Text]:
    """Write the figures of the game and the agent's values, line by line."""
    position = view.position
    counts = [
        ("score", f"{position.score:,}"),
        ("move", f"{position.n_moves:,}"),
        ("largest", f"{position.largest}"),
    ]
    facts = [("seed", str(position.seed)), ("pace", view.pace)]
    if view.timed:
        facts.append(("decision", f"{format_seconds(view.timed.seconds)} CPU"))
    wide = width >= ROOM_FOR_NAMES
    lines = [*boxes(counts, width), Text()] if wide else []
    lines.append(Text(shortened(view.player, width), "bold"))
    lines += [fact(*each, width) for each in (facts if wide else [*counts, *facts]) if each[1]]
    lines += [Text(), Text(view.note, NOTE)]
    if view.timed:
        lines += [Text("points from here on", DIM), *value_lines(view.timed, width)]
    return lines


def boxes(counts: Sequence[tuple[str, str]], width: int) -> list[Text]:
    """Write figures in boxes side by side, as the original game does."""
    each = (width - len(counts) + 1) // len(counts)
    names = [Text(name.upper().center(each), BOX) for name, _ in counts]
    values = [Text(value.center(each), BOX_VALUE) for _, value in counts]
    upper, lower = (Text(" ".join(half * each for _ in counts), BOX_EDGE) for half in ("▄", "▀"))
    return [upper, Text(" ").join(names), Text(" ").join(values), lower]


def value_lines(timed: TimedDecision | None, width: int) -> list[Text]:
    """Draw the value of each action; nothing without a decision."""
    if timed is None:
        return []
    return action_lines(timed.decision.values, int(timed.decision.action), NAMES, width)
