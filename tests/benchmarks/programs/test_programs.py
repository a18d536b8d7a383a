"""Programs that are not ours, tuned as their users would: each in seconds, with real processes."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from thetafront import Study, load_experiment, sweep

PROGRAMS = Path(__file__).parents[3] / "results" / "benchmarks" / "programs"
ENGINE = Path(__file__).with_name("uci_engine.py")
STOCKFISH = "/usr/games/stockfish"
DEFINITIONS = {
    "chess": "chess.toml",
    "xz": "xz.toml",
    "tree": "tree.py",
    "mlp": "mlp.py",
    "flaky": "flaky.toml",
    "hanging": "hanging.toml",
}


def copy_of(program: str, folder: Path) -> Path:
    """Copy a program as a stranger has it; return its definition."""
    place = Path(__file__).parent if program == "hanging" else PROGRAMS
    shutil.copytree(place / program, folder / program, ignore=shutil.ignore_patterns("*.bin"))
    definition = folder / program / DEFINITIONS[program]
    if program == "xz":
        command = [sys.executable, "corpus.py", "corpus.bin", "60000"]
        subprocess.run(command, cwd=definition.parent, check=True)
    if program == "chess" and not Path(STOCKFISH).exists():
        text = definition.read_text(encoding="utf-8")
        definition.write_text(text.replace(STOCKFISH, str(ENGINE)), encoding="utf-8")
    return definition


def swept(program: str, folder: Path, budget: float | None = None) -> Study:
    """Sweep a program: eight trials and a few points, or what there is time for."""
    return sweep(
        str(copy_of(program, folder)),
        budget=budget,
        trials=8 if budget is None else 128,
        design_size=4,
        replicates=2,
        validation_games=10,
        validation_points=3,
        results=folder / "results",
        seed=1,
        progress=False,
    )


def check_front(study: Study, n_at_least: int = 2) -> None:
    """Check that the front goes up with its cost, and that numbers are numbers."""
    experiment = study.experiment
    front = study.front[study.front["on_front"]]
    assert len(study.front) >= n_at_least
    assert len(front) >= 1, "of few trials one may dominate all: times of a busy machine decide"
    costs = front[f"combined_{experiment.cost.name}"]
    scores = experiment.goal.sign * front[experiment.goal.combined_column("mean")]
    assert costs.gt(0).all()
    assert costs.is_monotonic_increasing
    assert scores.is_monotonic_increasing


@pytest.mark.parametrize("program", ["chess", "xz", "tree", "mlp"])
def test_a_sweep_ends_with_a_front_and_without_failures(program: str, tmp_path: Path) -> None:
    study = swept(program, tmp_path)
    check_front(study)
    assert set(study.trials["state"]) == {"complete"}


def test_a_program_that_hangs_keeps_the_budget(tmp_path: Path) -> None:
    budget, allowance = 6.0, 20.0  # workers start and a report is written, on a busy machine
    begin = time.monotonic()
    study = swept("hanging", tmp_path, budget)
    assert time.monotonic() - begin < budget + allowance
    assert len(study.games) > 4


@pytest.mark.parametrize("program", DEFINITIONS)
def test_a_seed_says_all_of_a_game_but_its_time(program: str, tmp_path: Path) -> None:
    experiment = load_experiment(str(copy_of(program, tmp_path)))
    agent = experiment.build({})
    others = {seed: agent.play(seed) for seed in (3, 4)}
    again = {seed: agent.play(seed) for seed in (4, 3)}
    for seed, game in others.items():
        assert (game.score, game.n_moves) == (again[seed].score, again[seed].n_moves)


def test_more_nodes_win_more_and_cost_more(tmp_path: Path) -> None:
    definition = copy_of("chess", tmp_path)
    text = definition.read_text(encoding="utf-8")
    definition.write_text(text.replace(STOCKFISH, str(ENGINE)), encoding="utf-8")
    experiment = load_experiment(str(definition))
    games = {
        nodes: [experiment.build({"nodes": nodes}).play(seed) for seed in range(30)]
        for nodes in (50, 5000)
    }
    few, many = (sum(game.score for game in each) for each in games.values())
    assert few < 15 < many  # against 500 nodes
    assert experiment.cost.value(games[5000]) > 3.0 * experiment.cost.value(games[50])


@pytest.mark.slow
def test_the_command_line_does_the_same(tmp_path: Path) -> None:
    definition = copy_of("tree", tmp_path)

    def called(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "thetafront", *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    few = ("--trials", "8", "--design-size", "4", "--validation-games", "2")
    called("sweep", str(definition), "--budget", "none", *few)
    assert "error" in called("front", "tree")
    assert "max_depth" in called("pick", "tree", "--bytes-per-game", "1e6")
