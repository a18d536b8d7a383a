"""Bad input to any command: one line that names it, exit code 2, nothing written."""

from pathlib import Path

import pytest

from tests.study.program import output_refused, refused, run


@pytest.mark.parametrize(
    "words", [["bench"], ["replicates"], ["reproduce", "table1"], ["benchmark-samplers"]]
)
def test_an_output_that_cannot_be_made_is_named_as_given(words: list[str], tmp_path: Path) -> None:
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
    ("arguments", "part"),
    [
        (["fly"], "command: 'fly' given, one of agents, experiments, sweep, "),
        (["sweep", "chess"], "experiment: 'chess' given"),
        (["sweep", "--sampler", "magic"], "sampler: 'magic' given, one of nehvi"),
        (["sweep", "--design", "grid"], "design: 'grid' given, one of lhs, sobol"),
        (["sweep", "--design-size", "12"], "design size: 12 given"),
        (["sweep", "--trials", "0"], "trials: 0 given, 1 to"),
        (["sweep", "--replicates", "-1"], "replicates: -1 given"),
        (["sweep", "--jobs", "0"], "jobs: 0 given, 1 to 1024 allowed"),
        (["sweep", "--trials", "many"], "'--trials': 'many' given, a whole number allowed"),
        (["sweep", "--name", "../x"], "name: '../x' given"),
        (["sweep", "--results", "/no/such"], "folder '/no/such' given, which does not exist"),
        (["sweep", "--storage", "rubbish"], "storage: 'rubbish' given"),
        (["sweep", "--storage", ""], "storage: '' given"),
        (["sweep", "--name", ""], "name: '' given"),
        (["sweep", "--results", ""], "'--results': '' given"),
        (["sweep", "--design-size", "8192"], "design size: 8192 given, 1 to 4096 allowed"),
        (["status", "sqlite://"], "which is in memory"),
        (["sweep", "--seed", "-1"], "seed: -1 given"),
        (["sweep", "--cost", "euros"], "cost: 'euros' given, one of seconds_per_move, playout_"),
        (
            ["sweep", "--standard-error", "0"],
            "standard error: 0 given, a finite number above 0 allowed",
        ),
        (["sweep", "--standard-error", "x"], "'--standard-error': 'x' given, a number allowed"),
        (["sweep", "--validation-games", "1"], "validation games: 1 given, 2 to 400000 allowed"),
        (["sweep", "--validation-points", "0"], "validation points: 0 given"),
        (["validate", "no-such-study"], "there is no "),
        (["compare", "no-such-study"], "there is no "),
        (["utilization", "no-such-study"], "there is no "),
        (["benchmark-samplers", "--sampler", "magic"], "sampler: 'magic' given, one of"),
        (["benchmark-samplers", "--surface", "flat"], "surface: 'flat' given"),
        (["benchmark-samplers", "--budget", "80"], "budget: '80' given, TRIALSxGAMES allowed"),
        (["benchmark-samplers", "--budget", "10x9"], "budget: 10 trials given"),
        (["benchmark-samplers", "--seeds", "0"], "seeds: 0 given"),
        (["validate", "s", "--jobs", "0"], "jobs: 0 given"),
        (["pick", "--score", "many"], "'--score': 'many' given, a number allowed"),
        (["pick", "no-such-study", "--score", "1"], "there is no "),
        (["sweep", "--wings", "2"], "--wings"),
        (
            ["play", "chess"],
            "agent: 'chess' given, one of dice, dice_solver, mcmdp, pacman_astar, pacman_mdp, pac",
        ),
        (["play", "mcmdp", "--theta", "1,2,3"], "theta: 3 values given, 6 expected"),
        (["play", "mcmdp", "--theta", "1,2,3,4,5,six"], "theta: 'six' given, a number allowed"),
        (["play", "mcmdp", "--theta", "1,2,3,4,5,7"], "theta6: 7 given"),
        (["play", "mcmdp", "--set", "theta9=1"], "'theta9' given for mcmdp"),
        (["play", "mcmdp", "--set", "theta1"], "name=value allowed"),
        (["play", "pmcts", "--set", "n_playouts=x"], "n_playouts: 'x' given, an integer from"),
        (["play", "uct", "--set", "leaf_value=2"], "leaf_value: '2' given, one of random, look"),
        (["play", "uct", "--set", "depth=deep"], "depth: 'deep' given, an integer from"),
        (["play", "random", "--games", "0"], "games: 0 given"),
        (["play", "random", "--seed", "-4"], "seed: -4 given"),
        (["status", "no-such-study"], "there is no "),
        (["front", "sqlite:////no/such/study.db"], "there is no study database"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    arguments: list[str], part: str, tmp_path: Path
) -> None:
    takes_results = (
        arguments[0] not in {"fly", "play", "benchmark-samplers"} and "--results" not in arguments
    )
    where = ["--results", str(tmp_path)] if takes_results else []
    assert part in refused(*arguments, *where)
    assert list(tmp_path.rglob("*.db")) == [], "nothing may be written"


def test_bad_input_prints_no_traceback_in_a_real_process() -> None:
    result = run("sweep", "chess")
    assert (result.returncode, result.stdout) == (2, "")
    assert (
        result.stderr
        == "thetafront: experiment: 'chess' given, one of dice, mcmdp, pacman, pacman_small, switching, uct allowed\n"
    )
