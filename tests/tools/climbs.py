"""Follow the θ of trial 0 through a sweep of `dice`: ``python -m tests.tools.climbs``.

A call of a function on the main thread counts if one of its arguments is or holds the θ, at most
three containers or dataclasses deep. The rooms of these calls, one after the other, are its path. A
*climb* is a step of the path to a higher room, by the layers in pyproject.toml; a *return* is one
to a room where the θ has been before.
"""

import sys
import tempfile
import tomllib
from collections import Counter
from dataclasses import fields, is_dataclass
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

from optuna.trial import FrozenTrial

from thetafront import sweep

ROOT = Path(__file__).parents[2]
COMPREHENSIONS = ("<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>")
SWEEP = {"trials": 8, "budget": None, "seed": 1, "jobs": 1, "progress": False}


def levels() -> dict[str, int]:
    """Return how low each room is: its line among the layers of the contracts."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    of_study = (each for each in contracts["contracts"] if "containers" in each)
    layers = [*next(of_study)["layers"], "agents", "engine"]
    return {name.strip(): k for k, line in enumerate(layers) for name in line.split("|")}


def holds(value: Any, theta: dict[str, Any], depth: int = 3) -> bool:
    """Whether a value is the θ, or has it inside."""
    if isinstance(value, dict):
        if all(isinstance(value.get(k), float) and value[k] == v for k, v in theta.items()):
            return True
        inside = [*value.values()]
    elif isinstance(value, list | tuple | FrozenTrial):
        inside = [value.params] if isinstance(value, FrozenTrial) else [*value]
    elif is_dataclass(value) and not isinstance(value, type):
        own = {each.name: getattr(value, each.name, None) for each in fields(value)}
        inside = [own, *own.values()]
    else:
        return False
    return depth > 0 and any(holds(each, theta, depth - 1) for each in inside)


def main() -> None:
    """Print calls, files, rooms, climbs and returns, and which climbs there are."""
    calls: list[tuple[str, str]] = []

    def follow(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or frame.f_code.co_name in COMPREHENSIONS:
            return
        parts = Path(frame.f_code.co_filename).parts
        if "thetafront" in parts and holds(dict(frame.f_locals), theta):
            inner = parts[parts.index("thetafront") + 1 :]
            calls.append((Path(inner[inner[0] == "study"]).stem, "/".join(inner)))

    with tempfile.TemporaryDirectory() as folder:
        first = sweep("dice", results=Path(folder, "first"), **SWEEP)  # type: ignore[arg-type]
        theta = {name: first.trials.iloc[0][name] for name in first.experiment.space.names}
        sys.setprofile(follow)
        sweep("dice", results=Path(folder, "second"), **SWEEP)  # type: ignore[arg-type]
        sys.setprofile(None)
    low, path = levels(), [room for room, _ in calls]
    steps = [(a, b) for a, b in pairwise(path) if a != b]
    climbs = Counter(f"{a} → {b}" for a, b in steps if low[b] < low[a])
    print(f"{len(calls)} calls in {len({file for _, file in calls})} files, {len(set(path))} rooms")
    print(f"{climbs.total()} climbs, {len(steps) - len(set(path)) + 1} returns")
    print(*(f"{n:4} {step}" for step, n in climbs.most_common()), sep="\n")


if __name__ == "__main__":
    main()
