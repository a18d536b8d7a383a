"""Addresses of schedulers, and who may talk to them.

Anyone who can connect to a Dask scheduler or worker can execute code on its machine, because
messages are Python pickles. So the network must be private, or both sides must have certificates
(TLS).
"""

import ipaddress
import os
import re
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thetafront.study.errors import InputError

ADDRESS = re.compile(r"(tcp|tls)://(\[[0-9A-Fa-f:.]+\]|[^\s:/@\[\]]+):(\d{1,5})")
TLS_FIELDS = ("ca", "cert", "key")
MAX_PORT = 65535


@dataclass(frozen=True)
class Tls:
    """Files of certificates (PEM); InputError if a file is missing, or the files do not match."""

    # The certificate of the authority that all sides trust, this side's certificate, and its
    # private key.
    ca: Path
    cert: Path
    key: Path

    def __post_init__(self) -> None:
        for name in TLS_FIELDS:
            path: Path = getattr(self, name)
            if not os.path.isfile(path):  # Path.is_file raises if the folder is not readable
                raise InputError(f"tls-{name} must be a file in PEM format (got {str(path)!r})")
        try:
            context = ssl.create_default_context(cafile=str(self.ca))
            # Do not ask for a passphrase: perhaps nobody is there when a worker starts.
            context.load_cert_chain(str(self.cert), str(self.key), password=lambda: "")
        except (OSError, ValueError) as error:  # includes SSLError
            raise InputError(
                f"tls: {self.ca}, {self.cert} and {self.key} cannot be read, have a passphrase "
                f"or do not match: {error}"
            ) from None

    @classmethod
    def from_mapping(cls, given: Mapping[str, Any] | None) -> "Tls | None":
        """Return the files given as ``ca``, ``cert`` and ``key``; None if none is given."""
        there = {name: each for name, each in (given or {}).items() if each is not None}
        if not there:
            return None
        if set(there) != set(TLS_FIELDS):
            raise InputError(
                f"tls must be all of {', '.join(TLS_FIELDS)} (got {', '.join(sorted(there))})"
            )
        return cls(**{name: Path(each) for name, each in there.items()})

    def security(self) -> Any:
        """Return the certificates in Dask's form."""
        from distributed import Security

        files = {"tls_ca_file": str(self.ca)}
        for role in ("client", "worker", "scheduler"):
            files |= {f"tls_{role}_cert": str(self.cert), f"tls_{role}_key": str(self.key)}
        return Security(require_encryption=True, **files)


def check_address(address: str, tls: Tls | None) -> str:
    """Return a scheduler's address; InputError if it is invalid or does not match ``tls``."""
    match = ADDRESS.fullmatch(address)
    if match is None or not 0 < int(match[3]) <= MAX_PORT or not is_host(match[2]):
        raise InputError(
            "scheduler must be an address such as tcp://10.0.0.1:8786 or tls://10.0.0.1:8786 "
            f"(got {address!r})"
        )
    if match[1] == "tls" and tls is None:
        raise InputError(f"scheduler {address!r} needs --tls-ca, --tls-cert and --tls-key")
    if match[1] == "tcp" and tls is not None:
        raise InputError(
            f"scheduler must be tls://{match[2]}:{match[3]} with certificates (got {address!r})"
        )
    return address


def is_host(text: str) -> bool:
    """Return whether a text can be looked up as a host's name."""
    try:
        return bool(text.encode("idna"))
    except UnicodeError:
        return False


def host_and_port(address: str) -> tuple[str, int]:
    """Return the parts of a checked address."""
    match = ADDRESS.fullmatch(address)
    assert match is not None
    return match[2].strip("[]"), int(match[3])


def warning(address: str) -> str:
    """Return a warning if an address is neither private nor protected by TLS; else an empty text.

    ``address`` is that of a scheduler, or that of a worker, with port 0 for its unknown ports.
    """
    if address.startswith("tls://"):
        return ""
    host, port = host_and_port(address)
    anyone = f"anyone who can reach {f'port {port} there' if port else 'its ports'}"
    try:
        found = {each[4][0] for each in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
    except OSError:
        return ""  # there is no such host; the connection will fail
    for each in found:
        ip = ipaddress.ip_address(str(each).partition("%")[0])
        if not (ip.is_private or ip.is_loopback or ip.is_link_local):
            return (
                f"{host} is not a private address, and without TLS {anyone} can execute code on "
                "all of the cluster's machines; see --tls-ca"
            )
    return ""
