"""The options of a sweep are the same wherever they are written."""

import inspect
import os
import shlex
import subprocess
from dataclasses import Field, fields
from pathlib import Path
from typing import Any, get_args

import thetafront
from tests.study.program import succeeded
from thetafront.study.run.options import SweepOptions

ROOT = Path(__file__).parents[3]
OPTIONS = fields(SweepOptions)


def flag(field: "Field[Any]") -> str:
    """Return an option as the command has it."""
    return f"--{field.name.replace('_', '-')}"


def test_the_help_shows_them_all_in_this_order() -> None:
    shown = succeeded(None, "sweep", "--help").split("Options:")[1]
    places = [shown.index(f"\n  {flag(each)} ") for each in OPTIONS]
    assert places == sorted(places)


def test_make_passes_on_each_option_that_takes_a_value() -> None:
    """As it is: quotes, blanks and dollars are no shell code."""
    valued = [each for each in OPTIONS if get_args(each.type)[0] is not bool]
    values = {each: f"{each.name}'s $$value" for each in valued}
    given = [f"{each.name.upper()}={value}" for each, value in values.items()]
    command = ["make", "--dry-run", "sweep", *given]
    env = {**os.environ, "SEED": "99"}  # the environment sets no variable
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    (line,) = [each for each in done.stdout.splitlines() if "thetafront sweep" in each]
    expected = [word for each in valued for word in (flag(each), f"{each.name}'s $value")]
    assert shlex.split(line)[2:] == ["mcmdp", *expected]


def test_the_function_has_them_with_their_defaults() -> None:
    options = {each.name: each.default for each in OPTIONS}
    call = {
        each.name: each.default for each in inspect.signature(thetafront.sweep).parameters.values()
    }
    options["results"] = str(options["results"])
    assert (options.pop("widen"), call.pop("widen")) == (None, ())
    both = options.keys() & call.keys()
    assert {name: options[name] for name in both} == {name: call[name] for name in both}
    assert options.keys() - both == {"no_validation", "tls_ca", "tls_cert", "tls_key"}
    assert call.keys() - both == {"experiment", "validate", "tls", "progress"}
    assert call["validate"] is not options["no_validation"]
