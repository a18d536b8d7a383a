"""2048: boards as 64-bit words, and random playouts of many games in lockstep.

The functions here take plain integers and check them. Kernels are in :mod:`engine.twenty48.board`
and :mod:`engine.twenty48.playout`.
"""

from thetafront.engine.twenty48.board import Action
from thetafront.engine.twenty48.notation import pack, parse, render, tile, unpack
from thetafront.engine.twenty48.rule import Rule
from thetafront.engine.twenty48.rules import (
    afterstate,
    initial,
    is_terminal,
    largest_exponent,
    legal_actions,
    n_empty,
    playouts,
    spawn,
    stream,
    worth,
)

__all__ = [
    "Action",
    "Rule",
    "afterstate",
    "initial",
    "is_terminal",
    "largest_exponent",
    "legal_actions",
    "n_empty",
    "pack",
    "parse",
    "playouts",
    "render",
    "spawn",
    "stream",
    "tile",
    "unpack",
    "worth",
]
