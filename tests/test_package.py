"""The package as it is installed: what a wheel holds, and that it runs anywhere."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pandas as pd
import pytest

import thetafront

ROOT = Path(__file__).parents[1]
CLIMBER = """\
import random
from pathlib import Path

from . import hills
from .strategies import GAUSSIAN
from engine.speed import slow_down

OFFSET = float((Path(__file__).parent / "offset.txt").read_text())


def steps(scale):
    def step(rng):  # a closure
        return GAUSSIAN(rng, scale)

    return step


def play(seed: int, scale: float, n: int) -> float:
    rng, step = random.Random(seed), steps(scale)
    x = best = 0.0
    for _ in range(slow_down(n)):
        y = x + step(rng)
        if hills.height(y) > best:
            x, best = y, hills.height(y)
    return best + OFFSET + rng.gauss(0, 0.1)
"""
CLIMB = """\
from agents.climber import play
from study.spaces import SPACE
from thetafront import Experiment, mean

CLIMB = Experiment("climb", agent=play, space=SPACE, goal=mean("height"))
"""
FILES = {
    "agents/__init__.py": "",
    "agents/climber.py": CLIMBER,
    "agents/hills.py": "import math\n\n\ndef height(x):\n    return math.sin(x) + x / 9\n",
    "agents/strategies.py": "def GAUSSIAN(rng, scale):\n    return rng.gauss(0, scale)\n",
    "agents/offset.txt": "0.5",
    "engine/__init__.py": "",
    "engine/speed.py": "def slow_down(n):\n    return 2 * n\n",
    "study/__init__.py": "",
    "study/spaces.py": "from thetafront import NumericParameter, Space\n\n"
    'SCALE, N = NumericParameter("scale", 0.01, 3.0), NumericParameter("n", 1, 99, integer=True)\n'
    "SPACE = Space((SCALE, N))\n",
    "climb.py": CLIMB,
}
SWEEP = ("sweep", "climb.py", "--design-size", "4", "--trials", "6", "--replicates", "2")
SWEEP += ("--validation-games", "6", "--validation-points", "2")
TYPED = """\
from thetafront import Experiment, NumericParameter, Space, agent, mean, open_study, play, sweep


def toss(seed: int, effort: int) -> float:
    return float(seed % effort)


TOSS = Experiment(
    "toss",
    agent=toss,
    space=Space((NumericParameter("effort", 1, 9, integer=True),)),
    goal=mean("x"),
)
front = open_study("toss").front
best: float = sweep(TOSS, budget="1m").pick(seconds_per_move=1e-3).goal.value
games = play(agent("mcmdp", theta1=5), 10)
reveal_type(front)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel, by what is installed here."""
    folder = tmp_path_factory.mktemp("wheel")
    words = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run([sys.executable, "-m", "pip", "--quiet", *words], check=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Unpack the wheel where nobody may write; return an environment in which it is found first."""
    folder = tmp_path_factory.mktemp("site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    home = tmp_path_factory.mktemp("home")
    kept = {key: value for key, value in os.environ.items() if not key.startswith("THETAFRONT")}
    # pytest may have set these to the checkout; caches of the user are in the home folder
    kept = {key: value for key, value in kept.items() if not key.startswith("XDG_")}
    return kept | {"PYTHONPATH": str(folder), "HOME": str(home)}


def files_beside(installed: dict[str, str]) -> set[Path]:
    """Return what lies in the installed package's folder, but for Python's own caches."""
    found = Path(installed["PYTHONPATH"]).rglob("*")
    return {path for path in found if path.suffix != ".pyc" and path.name != "__pycache__"}


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    assert wheel.stat().st_size < 2_000_000
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"thetafront"}
    files = {name.removeprefix("thetafront/") for name in names if name.startswith("thetafront/")}
    tracked = subprocess.run(
        ["git", "ls-files", "engine", "agents", "study"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert files == {*tracked, "README.md", "__init__.py", "__main__.py", "py.typed"}


def test_a_folder_with_packages_of_the_names_of_ours_is_tuned(
    installed: dict[str, str], tmp_path: Path
) -> None:
    """By the installed package, from any folder, where nobody may write beside it."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    def called(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-P", *words],
            cwd=tmp_path,
            env=installed,
            capture_output=True,
            text=True,
            check=False,
        )

    program = "import thetafront; print(thetafront.__file__)"
    assert Path(called("-c", program).stdout.strip()).is_relative_to(installed["PYTHONPATH"])
    before = files_beside(installed)
    done = called("-m", "thetafront", *SWEEP, "--budget", "none", "--jobs", "1")
    assert done.returncode == 0, done.stderr
    trials = pd.read_csv(tmp_path / "results" / "climb" / "trials.csv")
    assert len(trials) == 6
    assert (tmp_path / "results" / "climb" / "report.html").is_file()
    assert (tmp_path / "results" / "climb" / "report.html").stat().st_size > 10_000
    assert called("-m", "thetafront", "play", "random", "--games", "1").returncode == 0
    kernels = Path(installed["HOME"]) / ".cache" / "thetafront" / "kernels"
    assert list(kernels.rglob("*.nbc")), "machine code is in the user's cache"
    assert files_beside(installed) == before


@pytest.mark.sweeps
def test_public_names_are_there_and_typed(tmp_path: Path) -> None:
    for name in thetafront.__all__:
        assert getattr(thetafront, name).__doc__, name
    (tmp_path / "mine.py").write_text(TYPED)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "c"), "mine.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert 'Revealed type is "pandas' in done.stdout, done.stdout
    assert "Success" in done.stdout, done.stdout
