"""Who may play on a cluster: certificates, code, classes of machines; and what is said else."""

import json
import re
import shutil
import subprocess
import time
from pathlib import Path

import pandas as pd
import pytest

from tests.cluster.ground import COMMAND, Ground, family, psutil, wait_for
from tests.ports import free_port
from thetafront.engine.jit import ROOT


def run(ground: Ground, *words: str, seconds: float = 240.0) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*COMMAND, *words],
        cwd=ground.folder,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


def certificates(folder: Path) -> tuple[str, ...]:
    """Make an authority and a certificate of 127.0.0.1; return them as options."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
    for line in (
        "req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=authority",
        "req -newkey rsa:2048 -nodes -keyout key.pem -out request.pem -subj /CN=127.0.0.1",
        "x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -out cert.pem -days 2 "
        "-extfile names",
    ):
        subprocess.run(["openssl", *line.split()], cwd=folder, check=True, capture_output=True)
    files = {"ca": "ca.pem", "cert": "cert.pem", "key": "key.pem"}
    return tuple(word for name, each in files.items() for word in (f"--tls-{name}", each))


def test_tls_keeps_out_who_has_no_certificate(ground: Ground, of_one_machine: pd.DataFrame) -> None:
    ground.scheme, ground.tls = "tls", certificates(ground.folder)
    ground.scheduler()
    ground.workers(2)
    sweep = ground.sweep()
    assert sweep.wait(400) == 0, ground.said("sweep")
    pd.testing.assert_frame_equal(ground.games(), of_one_machine)
    began = time.monotonic()
    done = run(ground, "cluster", ground.address.replace("tls", "tcp"))
    assert time.monotonic() - began < 30.0
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert done.stderr.startswith("thetafront: scheduler: tcp://127.0.0.1:")
    (ground.folder / "other").mkdir()
    others = [
        f"other/{each}" if each.endswith(".pem") else each
        for each in certificates(ground.folder / "other")
    ]
    done = run(ground, "cluster", ground.address, *others)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert "with these certificates" in done.stderr


def test_workers_listen_where_their_scheduler_is(ground: Ground) -> None:
    """Who reaches a worker runs code there, so it is not reached from elsewhere."""
    ground.scheduler()
    workers = ground.workers(2)

    def heard() -> list[str]:
        connections = [
            each
            for process in family(workers)
            for each in process.net_connections("inet")
            if each.status == psutil.CONN_LISTEN
        ]
        return [each.laddr.ip for each in connections]

    wait_for("both workers and both nannies listen", lambda: len(heard()) >= 4)
    assert set(heard()) == {"127.0.0.1"}


def test_other_code_plays_no_games(ground: Ground, of_one_machine: pd.DataFrame) -> None:
    """A worker whose code differs is named, with both digests; alone it is no cluster."""
    copy = ground.folder / "copy"
    package = copy / "thetafront"
    shutil.copytree(ROOT / "src" / "thetafront", package, ignore=shutil.ignore_patterns("__pyc*"))
    with (package / "study" / "run" / "worker.py").open("a") as file:
        file.write("\nOTHER = True\n")
    ground.scheduler()
    cache = str(ROOT / ".cache" / "kernels")
    ground.workers(1, "other", PYTHONPATH=str(copy), THETAFRONT_CACHE_DIR=cache)
    began = time.monotonic()
    sweep = ground.sweep(log="refused")
    assert sweep.wait(240) == 2
    assert time.monotonic() - began < 200.0
    assert re.search(
        r"thetafront: scheduler: no worker at \S+ can play with code (\w{12}) \(.*\): "
        r".* gets no games: its code is (\w{12}) \(.*\), not \1\n",
        ground.said("refused"),
    ), ground.said("refused")
    assert not (ground.folder / "results" / "sleeper").exists()
    ground.workers(2)

    def shown() -> list[tuple[bool, int]]:
        found = json.loads(run(ground, "cluster", ground.address, "--json").stdout)
        return sorted((bool(each["problem"]), each["n_processes"]) for each in found["machines"])

    wait_for("all workers are there", lambda: shown() == [(False, 2), (True, 1)])
    sweep = ground.sweep()
    assert sweep.wait(400) == 0, ground.said("sweep")
    said = ground.said("sweep")
    assert said.count("gets no games: its code is") == 1
    assert "2 workers on 1 machine at" in said
    pd.testing.assert_frame_equal(ground.games(), of_one_machine)


def test_seconds_of_two_classes_are_refused(ground: Ground) -> None:
    """A processor that kernels are compiled for otherwise is another class."""
    ground.scheduler()
    ground.workers(1, "first")
    ground.workers(1, "second", NUMBA_CPU_NAME="x86-64", THETAFRONT_BENCHMARK="0.05")
    words = ("--trials", "4", "--design-size", "4", "--no-validation", "--budget", "none")
    given = ("sweep", "dice", "--scheduler", ground.address, *words)
    done = run(ground, *given, "--cost", "solving_seconds")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "times on machines of several classes cannot be compared: " in done.stderr
    assert "compiled for x86-64" in done.stderr
    assert done.stderr.endswith("use workers of one class, or --cost n_sweeps\n")
    assert not (ground.folder / "results" / "dice").exists()
    done = run(ground, *given)
    assert done.returncode == 0, done.stderr
    assert "2 workers on 1 machine" in done.stdout
    trials = pd.read_csv(ground.folder / "results" / "dice" / "trials.csv")
    assert "n_sweeps" in trials.columns[3:].to_list() or "n_sweeps" in done.stdout


def test_a_study_of_seconds_keeps_its_class(ground: Ground) -> None:
    scheduler = ground.scheduler()
    first = ground.workers(1, "first")
    words = ("--design-size", "4", "--no-validation", "--budget", "none")
    given = ("sweep", "dice", "--scheduler", ground.address, "--cost", "solving_seconds", *words)
    assert run(ground, *given, "--trials", "4").returncode == 0
    first.terminate()
    first.wait(20)
    ground.workers(1, "second", NUMBA_CPU_NAME="x86-64", THETAFRONT_BENCHMARK="0.05")
    done = run(ground, *given, "--trials", "6")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "other classes cannot be compared with the study's" in done.stderr
    assert scheduler.poll() is None


def test_seconds_are_of_one_game_a_core(ground: Ground) -> None:
    """Of more processes than a host has cores as many play, if seconds count."""
    ground.scheduler()
    ground.workers(2, LOKY_MAX_CPU_COUNT="1")

    def n_shown() -> int:
        found = json.loads(run(ground, "cluster", ground.address, "--json").stdout)
        return sum(each["n_processes"] for each in found["machines"])

    wait_for("both workers are there", lambda: n_shown() == 2)
    words = ("--trials", "4", "--design-size", "4", "--no-validation", "--budget", "none")
    given = ("sweep", "dice", "--scheduler", ground.address, *words, "--cost", "solving_seconds")
    done = run(ground, *given)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("has more worker processes than its 1 core; because the cost is") == 1
    assert "1 worker on 1 machine at" in done.stdout


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("sweep", "dice", "--scheduler", "tcp://127.0.0.1:{port}"), 1, "no answer from"),
        (("worker", "tcp://127.0.0.1:{port}"), 1, "no answer from"),
        (("cluster", "tcp://127.0.0.1:{port}"), 1, "no answer from"),
        (("cluster", "127.0.0.1:{port}"), 2, "must be an address such as tcp://10.0.0.1:8786"),
        (("cluster", "tls://127.0.0.1:{port}"), 2, "needs --tls-ca, --tls-cert and --tls-key"),
        (
            ("worker", "tcp://127.0.0.1:{port}", "--processes", "0"),
            2,
            "processes must be between 1",
        ),
        (
            ("sweep", "dice", "--scheduler", "tcp://127.0.0.1:{port}", "--jobs", "2"),
            2,
            "--jobs cannot be combined with --scheduler",
        ),
    ],
)
def test_what_cannot_be_is_one_line(
    ground: Ground, words: tuple[str, ...], code: int, said: str
) -> None:
    done = run(ground, *(each.format(port=free_port()) for each in words))
    assert (done.returncode, done.stderr.count("\n")) == (code, 1), done.stderr
    assert said in done.stderr
    assert not (ground.folder / "results" / "dice").exists()
