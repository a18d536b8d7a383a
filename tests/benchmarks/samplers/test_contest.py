"""Runs, their recommendations by the truth, and an interrupted benchmark."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from results.benchmarks.samplers import benchmark, contest
from results.benchmarks.samplers.benchmark import Progress, run_benchmark
from results.benchmarks.samplers.contest import Run, play
from results.benchmarks.samplers.ledger import RunLedger
from results.benchmarks.samplers.measures import (
    Predictions,
    at_budgets,
    hypervolume_share,
)
from results.benchmarks.samplers.surfaces import surface
from results.benchmarks.samplers.tables import MEASURES
from results.benchmarks.samplers.truth import Truth, true_front
from thetafront.study.errors import InputError, RunError

# Two decades, a point at each end and in the middle.
SCORES, SECONDS = np.array([100.0, 200.0, 400.0]), np.array([1e-5, 1e-4, 1e-3])
TINY = Truth(np.zeros((3, 1)), SCORES, SECONDS, 100.0 + 2 * 200.0 + 400.0)


@pytest.mark.parametrize("name", ["recorded", "saturating", "two_regimes"])
def test_who_knows_the_true_front_has_all_its_hypervolume_and_no_regret(name: str) -> None:
    truth = true_front(name)
    predictions = Predictions(truth.scores, truth.seconds, truth.scores, truth.seconds)
    assert hypervolume_share(predictions, truth, surface(name).reference) == pytest.approx(1.0)
    assert at_budgets(predictions, truth) == pytest.approx((0.0, 0.0, 0.0))


def test_the_best_true_score_within_budgets_by_hand() -> None:
    assert TINY.best_within(np.array([0.9e-5, 1e-5, 9e-4, 1.0])).tolist() == [
        -np.inf,
        100,
        200,
        400,
    ]


def test_regret_and_optimism_by_hand() -> None:
    # The budgets are the middles of 25 parts of 10⁻⁵ … 10⁻³: 12 below 10⁻⁴, that itself, 12 above.
    # Evaluated: one θ from 10⁻⁴ on, claimed 250, truly 150; and one that predictions less for more.
    predictions = Predictions(
        np.array([250.0, 240.0]), np.array([1e-4, 2e-4]), np.array([150.0, 190.0]), SECONDS[1:]
    )
    regret, optimism, unserved = at_budgets(predictions, TINY)
    assert len(TINY.budgets) == 25
    assert regret == pytest.approx((12 * 100.0 + 13 * (200 - 150)) / 25)
    assert optimism == pytest.approx(100.0)
    assert unserved == pytest.approx(12 / 25)


def test_hypervolume_is_that_of_the_true_values_of_what_is_claimed_to_be_best() -> None:
    # The second predictions to beat the first in both and is truly worse: only it counts.
    predictions = Predictions(
        np.array([100.0, 300.0]), np.array([2e-4, 1e-4]), np.array([400.0, 100.0]), SECONDS[[0, 1]]
    )
    share = hypervolume_share(predictions, TINY, (0.0, 1e-2))
    assert share == pytest.approx(100.0 * 2 / 900.0)


def test_nothing_within_budget_is_all_regret() -> None:
    predictions = Predictions(*(np.array([x]) for x in (900.0, 1.0, 900.0, 1.0)))
    regret, optimism, unserved = at_budgets(predictions, TINY)
    assert regret == pytest.approx((12 * 100.0 + 13 * 200.0) / 25)
    assert np.isnan(optimism)
    assert unserved == 1.0


def without_times(record: dict) -> dict:
    return {key: value for key, value in record.items() if not key.endswith("cpu_seconds")}


def test_a_run_is_decided_by_its_name() -> None:
    first, again = (play(Run("two_regimes", "tpe", 20, 3, 1000)) for _ in range(2))
    other = play(Run("two_regimes", "tpe", 20, 3, 1001))
    assert without_times(first) == without_times(again)
    assert without_times(first) != without_times(other)
    assert first["course"][-1] == [60, first["hypervolume_by_posterior"]]
    assert [n_games for n_games, _ in first["course"]] == [48, 60]


def test_all_samplers_begin_with_the_same_games(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = []

    def remember(self, number: int):
        begun.append([trial.values for trial in self.study.trials[:16]])
        return original(self, number)

    original = contest.Contest.by_posterior
    monkeypatch.setattr(contest.Contest, "by_posterior", remember)
    for sampler in ("random", "nehvi"):
        play(Run("saturating", sampler, 17, 3, 1002))
    assert begun[0] == begun[-1]


ASKED = (["random", "tpe"], ["two_regimes"], 2, 1000, 1)


def test_an_interrupted_benchmark_goes_on_and_repeats_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plays: list[Run] = []
    monkeypatch.setattr(benchmark, "play", lambda run: plays.append(run) or play(run))

    def stop(now: Progress) -> None:
        if now.n_done == 2:
            raise KeyboardInterrupt

    budgets = [(18, 2)]
    with pytest.raises(KeyboardInterrupt):
        run_benchmark(*ASKED, tmp_path, budgets, stop)
    ledger = tmp_path / "runs.jsonl"
    kept = ledger.read_bytes()
    assert kept.count(b"\n") == 2
    ledger.write_bytes(kept + b'{"surface": "two_reg')  # torn by a kill
    plays.clear()

    seen: list[Progress] = []
    done = run_benchmark(*ASKED, tmp_path, budgets, seen.append)
    assert [now.n_done for now in seen] == [2, 3, 4]
    assert len(plays) == 2
    lines = ledger.read_text().splitlines()
    assert ledger.read_bytes().startswith(kept)
    assert len({(each["sampler"], each["seed"]) for each in map(json.loads, lines)}) == 4
    assert all(path.is_file() for path in done.paths)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["seeds"] == [1000, 1001]
    assert manifest["n_runs_before"] == 2

    plays.clear()
    run_benchmark(*ASKED, tmp_path, budgets)
    assert not plays
    run_benchmark(*ASKED, tmp_path, [(18, 3)])
    assert len(plays) == 4, "another budget is another run"


@pytest.mark.parametrize(
    "content",
    [
        b"no json\n",
        b"3\n",
        b'{"surface": "recorded"}\n',
        b"my notes, whose last line has no end",
        b'{"mine": 1}\n{"mine": 2}\n{"mi',
        b'{"surface": "recorded", "sampler": "mine", "n_trials": [1]}\r\nnext',
        bytes(range(256)),
    ],
)
def test_a_file_of_other_things_is_refused_and_left_as_it_is(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match="line 1 is no finished run of this version"):
        run_benchmark(*ASKED, tmp_path, [(18, 2)])
    assert path.read_bytes() == content
    assert [each.name for each in tmp_path.iterdir()] == ["runs.jsonl"]


def test_a_run_whose_line_lacks_its_end_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    run = Run("saturating", "random", 18, 2, 1000)
    record = {**asdict(run), **dict.fromkeys(MEASURES, 0.5), "course": []}
    line = json.dumps(record).encode()
    path.write_bytes(line + b"\r\n" + line.replace(b"1000", b"1001"))
    ledger = RunLedger(path)
    with ledger.held():
        ledger.add(replace(run, seed=1002), record | {"seed": 1002})
        with pytest.raises(RunError, match="another run is writing it"), RunLedger(path).held():
            pass
    assert [each.seed for each in RunLedger(path).records] == [1000, 1001, 1002]
    assert path.read_bytes().count(b"\n") == 3


def test_a_damaged_manifest_is_refused_before_anything_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plays: list[Run] = []
    monkeypatch.setattr(benchmark, "play", lambda run: plays.append(run) or play(run))
    path = tmp_path / "manifest.json"
    path.write_text("{")
    with pytest.raises(InputError) as refused:
        run_benchmark(["random"], ["two_regimes"], 1, 1000, 1, tmp_path, [(18, 2)])
    assert str(refused.value) == f"{path}: no manifest; use another folder, or move it away"
    assert not plays
    assert path.read_text() == "{"
    assert [each.name for each in tmp_path.iterdir()] == ["manifest.json"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"samplers": ["magic"]}, "sampler: 'magic' given, one of knowledge-gradient"),
        ({"samplers": []}, "samplers: none given"),
        ({"surfaces": ["moon"]}, "surface: 'moon' given, one of recorded"),
        ({"surfaces": []}, "surfaces: none given"),
        ({"n_seeds": 0}, "seeds: 0 given, 1 to 10000 allowed"),
        ({"first_seed": -1}, "first seed: -1 given, 0 to 2147483"),
        ({"jobs": 0}, "jobs: 0 given"),
        ({"budgets": []}, "budgets: none given"),
        ({"budgets": [(16, 9)]}, "budget: trials: 16 given, 17 to 1000 allowed"),
        ({"budgets": [(80, 1)]}, "budget: games a trial: 1 given, 2 to 10000 allowed"),
    ],
)
def test_bad_input_is_one_line_before_anything_is_written(
    tmp_path: Path, changed: dict, message: str
) -> None:
    asked = {"samplers": ["random"], "surfaces": ["saturating"], "n_seeds": 1, "first_seed": 1000}
    output = tmp_path / "out"
    with pytest.raises(InputError, match=message) as error:
        run_benchmark(**{**asked, "jobs": 1, "output": output, **changed})
    assert "\n" not in str(error.value)
    assert not output.exists()
