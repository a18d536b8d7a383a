"""Bad input to any command: one line that names it, exit code 2, nothing written."""

import shlex
from pathlib import Path

import pytest

from tests.study.program import output_refused, refused, run
from thetafront.study.run.workers import n_cores

BOARD = "2 4 8 16 / 4 8 16 32 / 8 16 32 64 / 64 128 . ."
OF_STUDIES = {"sweep", "validate", "status", "front", "pick", "compare", "utilization"}


def test_an_output_that_cannot_be_made_is_named_as_given(tmp_path: Path) -> None:
    words = ["equal-time", "results/reference/mcmdp/", "results/reference/switching/"]
    file = tmp_path / "file"
    file.write_text("")
    for output, part in (
        (tmp_path / "missing" / "out", f"made: '{tmp_path}/missing' does not exist"),
        (file, f"output: '{file}' is a file, not a folder"),
        (file / "out", f"made: '{file}' is not a folder"),
        (tmp_path / ("long" * 100), "made: File name too long"),
        (Path("/proc/out"), "cannot be made"),  # read-only, for root too
    ):
        assert part in output_refused(words, output)


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("fly", "command: 'fly' given, one of agents, experiments, try, sweep, "),
        ("sweep chess", "experiment: 'chess' given"),
        ("sweep --sampler magic", "sampler: 'magic' given, one of knowledge-gradient"),
        ("sweep --design grid", "design: 'grid' given, one of lhs, sobol"),
        ("sweep --design-size 12", "design size: 12 given"),
        ("sweep --design-size 8192", "design size: 8192 given, 1 to 4096 allowed"),
        ("sweep --trials 0", "trials: 0 given, 1 to"),
        ("sweep --trials many", "'--trials': 'many' given, a whole number allowed"),
        ("sweep --replicates -1", "replicates: -1 given"),
        ("sweep --budget 15", "budget: '15' given, a time such as 90s, 15m or 1h30m"),
        ("validate s --budget 0s", "budget: '0s' given, a time such as 90s"),
        ("sweep --jobs 0", f"jobs: 0 given, 1 to {32 * n_cores()} allowed"),
        ("sweep --scheduler here", "scheduler: 'here' given, an address such as tcp://"),
        ("sweep --scheduler tls://h:1", "--tls-ca, --tls-cert and --tls-key needed"),
        ("sweep --tls-ca ca.pem", "tls: ca given without a scheduler"),
        ("sweep --scheduler tls://h:1 --tls-ca x", "tls: ca given, all of ca, cert, key needed"),
        ("worker tcp://h:99999", "scheduler: 'tcp://h:99999' given, an address such as tcp://"),
        ("cluster tcp://h", "scheduler: 'tcp://h' given, an address such as tcp://"),
        ("sweep --name ../x", "name: '../x' given"),
        ("sweep --name ''", "name: '' given"),
        ("sweep --results /no/such", "folder '/no/such' given, which does not exist"),
        ("sweep --results ''", "'--results': '' given"),
        ("sweep --storage rubbish", "storage: 'rubbish' given"),
        ("sweep --storage ''", "storage: '' given"),
        ("sweep --seed -1", "seed: -1 given"),
        ("sweep --cost euros", "cost: 'euros' given, one of seconds_per_move, playout_"),
        ("sweep --standard-error 0", "standard error: 0 given, a finite number above 0 allowed"),
        ("sweep --standard-error x", "'--standard-error': 'x' given, a number allowed"),
        ("sweep --validation-games 1", "validation games: 1 given, 2 to 400000 allowed"),
        ("sweep --validation-points 0", "validation points: 0 given"),
        ("sweep --wings 2", "--wings"),
        ("validate no-such-study", "there is no "),
        ("validate s --jobs 0", "jobs: 0 given"),
        ("status sqlite://", "which names no file"),
        ("status no-such-study", "there is no "),
        ("front sqlite:////no/such/study.db", "there is no study database"),
        ("compare no-such-study", "there is no "),
        ("utilization no-such-study", "there is no "),
        ("pick --score many", "'--score': 'many' given, a number allowed"),
        ("pick no-such-study --score 1", "there is no "),
        ("play random --games 99999999999999999999999", "99999 given, 1 to 1000000 allowed"),
        (f"play random --seed {2**62}", "seed: 4611686018427387904 given, 0 to 2**62 - 1"),
        ("play chess", "agent: 'chess' given, one of dice, dice_solver, expectimax, mcmdp, ntup"),
        ("play mcmdp --theta 1,2,3,4,5,7", "theta6: 7 given"),
        ("play pmcts --set n_playouts=x", "n_playouts: 'x' given, an integer from"),
        ("play uct --set leaf_value=2", "leaf_value: '2' given, one of random, look"),
        ("play random --games 0", "games: 0 given"),
        ("play random --seed -4", "seed: -4 given"),
        ("act", "board"),
        ("act --board 2", "board: 1 cells given"),
        (f"act --board '{BOARD}' --repeats 1", "repeats: 1 given, 2 to"),
        (f"act --board '{BOARD}' --stream -1", "stream: -1 given, 0 to"),
        (f"act --board '{BOARD}' --agent nobody", "agent: 'nobody' given"),
        ("schedule --agent pmcts", "has no schedule"),
        ("schedule --games -1", "games: -1 given, 0 to"),
        ("schedule --seed -1", "seed: -1 given, 0 to"),
        ("schedule --theta 1,2", "theta: 2 values given"),
        ("watch", "watch: standard input and standard output must be a terminal"),
        ("watch --speed 0.1", "speed: 0.1 given, 0.5 to 1000 allowed"),
        ("watch --speed nan", "speed: nan given, 0.5 to 1000 allowed"),
        ("watch --seed -1", "seed: -1 given, 0 to"),
        ("watch --seed 1 --replay 1", "--seed and --replay given"),
        (
            "watch nobody",
            "agent: 'nobody' given; one of expectimax, mcmdp, ntuple, ntuple_learner,",
        ),
        ("watch dice", "agent: 'dice' given, which plays another game; one of expectimax, mcmdp, "),
        ("watch random --layout small", "'small' given for random, which has no maze"),
        ("watch pacman", "standard output must be a terminal"),
        ("watch pacman_random --layout medium", "standard output must be a terminal"),
        ("watch pacman --layout large", "layout: 'large' given, small or medium allowed"),
        ("watch pacman --layout no/my.lay", "no/my.lay given, which cannot be read"),
        ("watch pacman --layout ''", "layout: '' given, small or medium allowed"),
        ("watch pacman --set gama=big", "parameter: 'gama' given for pacman_mdp, allowed: gamma"),
        ("watch pacman --set gamma=nan", "gamma: nan given, above 0 and up to 1 allowed"),
        ("watch pacman --set radius=1.5", "radius: 1.5 given, an integer from 0 to 4 allowed"),
        ("watch pacman --set ghosts=blue", "ghosts: 'blue' given, one of random, directional"),
        ("watch pacman --theta 1", "theta: 1 value given, "),
        ("watch pacman --human", "watch: --human given for pacman_mdp, allowed for 2048 only"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(words: str, part: str, tmp_path: Path) -> None:
    arguments = shlex.split(words)
    in_folder = arguments[0] in OF_STUDIES and "--results" not in arguments
    assert part in refused(*arguments, *(["--results", str(tmp_path)] if in_folder else []))
    assert list(tmp_path.rglob("*.db")) == [], "nothing may be written"


def test_bad_input_prints_no_traceback_in_a_real_process() -> None:
    result = run("sweep", "chess")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == (
        "thetafront: experiment: 'chess' given, one of dice, heuristic, mcmdp, ntuple, "
        "pacman, pacman_small, switching, uct allowed, or a definition: FILE.py, FILE.py:NAME, "
        "MODULE:NAME or FILE.toml\n"
    )
