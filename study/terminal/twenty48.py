"""A game of 2048 from its start until the person leaves: an agent's, or the person's own."""

from agents.twenty48.agent import Agent2048
from engine.twenty48 import Action, stream
from study.terminal.inspect import ARROWS, Thought, think
from study.terminal.keys import DOWN, LEFT, RIGHT, UP
from study.terminal.pace import (
    OVER_KEYS,
    SECONDS_BETWEEN_LOOKS,
    WATCHING_KEYS,
    Stage,
    quits,
    watch,
)
from study.terminal.position import Position
from study.terminal.screen import View

PLAYING_KEYS = (("← ↓ ↑ →", "wasd hjkl"), ("?", "hint"), ("q", "quit"))

MOVES = {
    **{UP: Action.UP, RIGHT: Action.RIGHT, DOWN: Action.DOWN, LEFT: Action.LEFT},
    **dict(zip("wdsa", Action, strict=True)),
    **dict(zip("kljh", Action, strict=True)),
}


def think_of(agent: Agent2048, position: Position) -> Thought | None:
    """Ask an agent what it does in its own game of the position's seed; None where the game is over."""
    if not position.legal:
        return None
    decision = stream(position.seed, agent.purpose, position.n_moves)
    return think(agent, position.board, decision)


def remark(position: Position) -> str:
    """Say what leaves nothing to decide."""
    if not position.legal:
        return "game over"
    return "a single legal action" if len(position.legal) == 1 else ""


class WatchedAgent:
    """An agent's game of 2048, and what it thinks of the position."""

    def __init__(self, agent: Agent2048, player: str, seed: int) -> None:
        self.agent = agent.in_game()  # which may keep something from move to move
        self.player = player
        self.position = Position.first(seed, agent.rule)
        self.thought = think_of(self.agent, self.position)

    @property
    def is_over(self) -> bool:
        """Whether no action is legal."""
        return self.thought is None

    def advance(self) -> None:
        """Do what has been decided, and decide again."""
        assert self.thought is not None
        self.position = self.position.after(self.thought.decision.action)
        self.thought = think_of(self.agent, self.position)

    def view(self, pace: str) -> View:
        """Return what a picture shows."""
        return View(
            player=self.player,
            position=self.position,
            thought=self.thought,
            pace=pace,
            note=remark(self.position),
            keys=OVER_KEYS if self.is_over else WATCHING_KEYS,
        )


def watch_agent(
    agent: Agent2048, player: str, seed: int, speed: float, stage: Stage[View]
) -> Position:
    """Let an agent play the game of a seed, at a pace to be watched.

    Parameters
    ----------
    agent : Agent2048
        Who plays.
    player : str
        Its name, to be shown.
    seed : int
        The game's seed; the game is that of ``agent.play(seed)``.
    speed : float
        Moves a second to begin with, 0.5 to 1000.
    stage : Stage
        Where.

    Returns
    -------
    Position
        Where the game stood when the person left.
    """
    game = WatchedAgent(agent, player, seed)
    watch(game, speed, stage)
    return game.position


def play_by_hand(agent: Agent2048, player: str, seed: int, stage: Stage[View]) -> Position:
    """Let a person play the game of a seed: the tiles that come are those of the agent's game.

    Parameters
    ----------
    agent : Agent2048
        Who gives hints.
    player : str
        What is shown as the player.
    seed : int
        The game's seed.
    stage : Stage
        Where.

    Returns
    -------
    Position
        Where the game stood when the person left.
    """
    position = Position.first(seed, agent.rule)
    hint: Thought | None = None
    note = ""
    while True:
        over = not position.legal
        stage.show(
            View(
                player=player,
                position=position,
                thought=hint,
                pace="",
                note=note or remark(position),
                keys=OVER_KEYS if over else PLAYING_KEYS,
            )
        )
        keys = stage.keyboard.read(SECONDS_BETWEEN_LOOKS)
        if quits(keys):
            return position
        for key in keys:
            action = MOVES.get(key if key in MOVES else key.lower())
            if action in position.legal:
                position = position.after(action)
                hint, note = None, ""
            elif action is not None and position.legal:
                note = f"no tile moves {action.name.lower()}"
            elif key == "?" and hint is None:
                hint = think_of(agent, position)
                if hint:
                    best = hint.decision.action
                    note = f"hint: {ARROWS[best]} {best.name.lower()}"
            elif key == "?":
                hint, note = None, ""
