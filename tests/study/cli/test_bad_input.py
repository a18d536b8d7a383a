"""Bad input to any command: one line that names it, exit code 2, nothing written."""

import shlex
from pathlib import Path

import pytest

from tests.study.program import output_refused, refused, run
from thetafront.study.errors import InputError
from thetafront.study.experiments.registry import EXPERIMENTS
from thetafront.study.log.location import make_folder
from thetafront.study.run.workers import n_cores

BOARD = "2 4 8 16 / 4 8 16 32 / 8 16 32 64 / 64 128 . ."
OF_STUDIES = {"sweep", "validate", "status", "front", "pick", "compare", "utilization"}


def test_an_output_that_cannot_be_made_is_named_as_given(tmp_path: Path) -> None:
    words = ["equal-time", "results/reference/heuristic/", "results/reference/ntuple/"]
    missing = output_refused(words, tmp_path / "missing" / "out")
    assert f"created: '{tmp_path}/missing' does not exist" in missing
    file = tmp_path / "file"
    file.write_text("")
    for output, part in (
        (file, f"output: '{file}' is a file, not a folder"),
        (file / "out", f"created: '{file}' is not a folder"),
        (tmp_path / ("long" * 100), "created: File name too long"),
        (Path("/proc/out"), "cannot be created"),  # read-only, for root too
    ):
        with pytest.raises(InputError, match=r"^output") as refusal:
            make_folder(output, "output")
        assert part in str(refusal.value)


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("fly", "command must be one of try, sweep, status, validate, train, front, pick"),
        ("swep", "there is no command 'swep'; did you mean sweep?"),
        ("sweep --trails 3", "there is no option --trails; did you mean --trials?"),
        ("sweep chess", "experiment must be one of"),
        ("sweep --sampler magic", "sampler must be one of knowledge-gradient"),
        ("sweep --design grid", "design must be one of lhs, sobol"),
        ("sweep --design-size 12", "design size must be a power of two (got 12)"),
        ("sweep --design-size 8192", "design size must be between 1 and 4096 (got 8192)"),
        ("sweep --trials 0", "trials must be between 1 and "),
        ("sweep --trials many", "--trials must be a whole number (got 'many')"),
        ("sweep --replicates -1", "replicates must be between 1"),
        ("sweep --budget 15", "budget must be a time such as 90s, 15m or 1h30m"),
        ("validate s --budget 0s", "budget must be a time such as 90s"),
        ("sweep --jobs 0", f"jobs must be between 1 and {32 * n_cores()} (got 0)"),
        ("sweep --scheduler here", "scheduler must be an address such as tcp://"),
        ("sweep --scheduler tls://h:1", "needs --tls-ca, --tls-cert and --tls-key"),
        ("sweep --tls-ca ca.pem", "tls must be left out without a scheduler"),
        ("sweep --scheduler tls://h:1 --tls-ca x", "tls must be all of ca, cert, key (got ca)"),
        ("worker tcp://h:99999", "scheduler must be an address such as tcp://"),
        ("cluster tcp://h", "scheduler must be an address such as tcp://"),
        ("sweep --name ../x", "name must have 1 to 64 characters"),
        ("front game.py:MINE", "; give a study's name, not its definition"),
        ("sweep --name ''", "name must have 1 to 64 characters"),
        ("sweep --results /no/such", "folder '/no/such' does not exist"),
        ("sweep --results ''", "--results must be the path to a folder (got '')"),
        ("sweep --storage rubbish", "storage must be a database URL"),
        ("sweep --storage ''", "storage must be a database URL"),
        ("sweep --seed -1", "seed must be between 0"),
        ("sweep --cost euros", "cost must be one of seconds_per_move, playout_"),
        ("sweep --standard-error 0", "standard error must be a finite number above 0 (got 0)"),
        ("sweep --standard-error x", "--standard-error must be a number (got 'x')"),
        ("sweep --validation-games 1", "validation games must be between 2 and 400000 (got 1)"),
        ("sweep --validation-points 0", "validation points must be between"),
        ("sweep --wings 2", "--wings"),
        ("validate no-such-study", "there is no "),
        ("validate s --jobs 0", "jobs must be between 1"),
        ("status sqlite://", "storage must name a file"),
        ("status no-such-study", "there is no "),
        ("front sqlite:////no/such/study.db", "there is no study database"),
        ("compare no-such-study", "there is no "),
        ("utilization no-such-study", "there is no "),
        ("pick no-such-study --score 1", "there is no "),
        (f"play random --games {10**30}", f"games must be between 1 and 1000000 (got {10**30})"),
        (f"play random --seed {2**62}", "seed must be between 0 and 2**62 - 1"),
        ("play chess", "agent must be one of dice, dice_solver, "),
        ("play mcmdp --theta 1,2,3,4,5,7", "theta6 must be "),
        ("play pmcts --set n_playouts=x", "n_playouts must be an integer from"),
        ("play uct --set leaf_value=2", "leaf_value must be one of random, look"),
        ("play random --games 0", "games must be between 1 and"),
        ("play random --seed -4", "seed must be between 0"),
        ("act", "board"),
        ("act --board 2", "board must have 16 cells (got 1)"),
        (f"act --board '{BOARD}' --repeats 1", "repeats must be between 2 and "),
        (f"act --board '{BOARD}' --stream -1", "stream must be between 0 and "),
        (f"act --board '{BOARD}' --agent nobody", "agent must be one of "),
        ("schedule --agent pmcts", "agent must have a schedule: one of mcmdp, "),
        ("schedule --games -1", "games must be between 0 and "),
        ("schedule --seed -1", "seed must be between 0 and "),
        ("schedule --theta 1,2", "theta must have 6 values for mcmdp: theta1, "),
        ("watch", "watch: standard input and standard output must be a terminal"),
        ("watch --speed 0.1", "speed must be between 0.5 and 1000 (got 0.1)"),
        ("watch --speed nan", "speed must be between 0.5 and 1000 (got nan)"),
        ("watch --seed -1", "seed must be between 0 and "),
        ("watch --seed 1 --replay 1", "--seed and --replay cannot be combined"),
        ("watch nobody", "agent must be one of "),
        ("watch dice", "agent must be one of "),
        ("watch random --layout small", "layout must be left out for random, which has no maze"),
        ("watch pacman", "standard output must be a terminal"),
        ("watch pacman_random --layout medium", "standard output must be a terminal"),
        ("watch pacman --layout large", "layout must be small or medium, or the path"),
        ("watch pacman --layout no/my.lay", "no/my.lay cannot be read"),
        ("watch pacman --layout ''", "layout must be small or medium, or the path"),
        (
            "watch pacman --set gama=big",
            "parameter must be one of pacman_mdp's: gamma, ",
        ),
        ("watch pacman --set gamma=nan", "gamma must be above 0 and up to 1 (got nan)"),
        ("watch pacman --set radius=1.5", "radius must be an integer from 0 to 4 (got 1.5)"),
        ("watch pacman --set ghosts=blue", "ghosts must be one of random, directional"),
        ("watch pacman --theta 1", "theta must have "),
        ("watch pacman --human", "--human cannot be combined with pacman_mdp: --human is for"),
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
        f"thetafront: experiment must be one of {', '.join(sorted(EXPERIMENTS))}, or a definition: "
        "FILE.py, FILE.py:NAME, MODULE:NAME or FILE.toml (got 'chess')\n"
    )
