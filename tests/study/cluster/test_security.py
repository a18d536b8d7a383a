"""Addresses and certificates: what is allowed, and what is warned of."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from thetafront.study.cluster.security import Tls, check_address, host_and_port, warning
from thetafront.study.errors import InputError


@pytest.mark.parametrize(
    "address", ["tcp://10.0.0.1:8786", "tcp://node-3.x:1", "tcp://[::1]:65535"]
)
def test_an_address_has_a_host_and_a_port(address: str) -> None:
    assert check_address(address, None) == address
    host, port = host_and_port(address)
    assert address in {f"tcp://{host}:{port}", f"tcp://[{host}]:{port}"}


@pytest.mark.parametrize(
    "address", ["", "here", "10.0.0.1:8786", "http://a:1", "tcp://a", "tcp://a:0", "tcp://a:65536"]
)
def test_what_is_no_address_is_named(address: str) -> None:
    with pytest.raises(InputError) as refused:
        check_address(address, None)
    assert repr(address) in str(refused.value)


@pytest.mark.parametrize(
    ("address", "warned"),
    [
        ("tcp://127.0.0.1:8786", False),
        ("tcp://192.168.3.4:8786", False),
        ("tcp://[::1]:8786", False),
        ("tcp://8.8.8.8:8786", True),
        ("tls://8.8.8.8:8786", False),
    ],
)
def test_a_public_address_without_tls_causes_a_warning(address: str, warned: bool) -> None:
    assert ("can execute code on all of the cluster's machines" in warning(address)) is warned


def test_a_worker_warns_of_its_own_address() -> None:
    assert "8.8.8.8 is not a private address, and without TLS anyone who can reach its" in warning(
        "tcp://8.8.8.8:0"
    )
    assert warning("tls://8.8.8.8:0") == warning("tcp://127.0.0.1:0") == ""


def test_certificates_are_all_or_none_and_must_be_readable(tmp_path: Path) -> None:
    assert Tls.from_mapping(None) is None
    assert Tls.from_mapping({"ca": None, "cert": None, "key": None}) is None
    with pytest.raises(InputError, match=r"must be all of ca, cert, key \(got ca\)"):
        Tls.from_mapping({"ca": "x", "cert": None})
    files = {name: tmp_path / f"{name}.pem" for name in ("ca", "cert", "key")}
    with pytest.raises(InputError, match=r"tls-ca must be a file in PEM format"):
        Tls.from_mapping(files)
    for each in files.values():
        each.write_text("no certificate")
    with pytest.raises(InputError, match="cannot be read, have a passphrase"):
        Tls.from_mapping(files)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_a_key_with_a_passphrase_is_refused_and_nobody_asked(tmp_path: Path) -> None:
    words = (
        "req -x509 -newkey rsa:2048 -passout pass:abcd -keyout key.pem -out cert.pem -subj /CN=a"
    )
    subprocess.run(["openssl", *words.split()], cwd=tmp_path, check=True, capture_output=True)
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    with pytest.raises(InputError, match="have a passphrase"):
        Tls.from_mapping({"ca": cert, "cert": cert, "key": key})


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_files_in_a_closed_folder_are_named(tmp_path: Path) -> None:
    files = {name: tmp_path / "closed" / f"{name}.pem" for name in ("ca", "cert", "key")}
    (tmp_path / "closed").mkdir()
    for each in files.values():
        each.write_text("")
    (tmp_path / "closed").chmod(0)
    try:
        with pytest.raises(InputError, match="must be a file in PEM format"):
            Tls.from_mapping(files)
    finally:
        (tmp_path / "closed").chmod(0o700)
