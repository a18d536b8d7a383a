"""Games played over workers, as commands play them."""

from rich.console import Console

from thetafront.agents.agent import Agent
from thetafront.study.run.dispatch import play_here
from thetafront.study.run.progress import ProgressDisplay
from thetafront.study.run.source import TaskList
from thetafront.study.run.worker import Finished, Task


def played_by(agent: Agent, n_games: int, jobs: int) -> list[Finished[int]]:
    """The games of the first seeds, one a task."""
    finished: list[Finished[int]] = []
    tasks = [Task(seed, agent, (seed,)) for seed in range(n_games)]
    play_here(TaskList(tasks, finished.append), jobs, ProgressDisplay(Console(quiet=True)))
    return finished
