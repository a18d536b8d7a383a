"""The connection to a scheduler, and the messages if it fails."""

import asyncio
import logging
import socket
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from thetafront.study.cluster.security import Tls, host_and_port
from thetafront.study.errors import InputError, RunError

if TYPE_CHECKING:
    from distributed import Client

SECONDS_TO_CONNECT = 8.0
MAX_SECONDS_AWAY = 120.0  # how long Dask may try to reconnect to a scheduler
NOISY = ("distributed", "tornado", "asyncio", "bokeh")


def check_library() -> None:
    """Raise InputError if Dask is not installed; the message says how to install it."""
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise InputError(
            "cluster: Dask is not installed; run pip install 'thetafront[cluster]' or, in a "
            "checkout, pip install -e '.[cluster]'"
        ) from None


@contextmanager
def silenced() -> Iterator[None]:
    """Hide Dask's log in the block, because our own messages say what matters."""
    import distributed  # noqa: F401, makes its loggers

    names = [each for each in logging.root.manager.loggerDict if each.startswith(NOISY)]
    before = {name: logging.getLogger(name).level for name in {*names, *NOISY}}
    for name in before:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="distributed")
            yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)


def connect(address: str, tls: Tls | None) -> "Client":
    """Return a client of a scheduler; the address must have been checked.

    RunError if nothing answers at the address, or what answers is not a Dask scheduler that accepts
    these certificates.
    """
    from distributed import Client

    host, port = host_and_port(address)
    try:
        socket.create_connection((host, port), timeout=SECONDS_TO_CONNECT).close()
    except OSError as error:
        why = error.strerror or str(error)
        raise RunError(f"scheduler: no answer from {address}: {why}") from None
    try:
        with ThreadPoolExecutor(1) as apart:  # in a notebook, this thread runs an event loop
            asked = asyncio.wait_for(identity(address, tls), SECONDS_TO_CONNECT)
            apart.submit(asyncio.run, asked).result()
        return Client(
            address,
            timeout=MAX_SECONDS_AWAY,
            security=None if tls is None else tls.security(),
            set_as_default=False,
        )
    except Exception as error:
        why = " ".join(str(error).split()) or type(error).__name__
        raise RunError(
            f"scheduler: {address} does not answer as a Dask scheduler"
            f"{'' if tls is None else ' with these certificates'}: {why[:200]}"
        ) from None


async def identity(address: str, tls: Tls | None) -> Any:
    """Ask a scheduler for its identity; unlike a Dask client, ask only once."""
    from distributed.comm import connect

    security = {} if tls is None else tls.security().get_connection_args("client")
    comm = await connect(address, timeout=SECONDS_TO_CONNECT, **security)
    try:
        await comm.write({"op": "identity", "reply": True})
        return await comm.read()
    finally:
        comm.abort()


def disconnect(client: Any) -> None:
    """Close a client, whatever the state of its scheduler."""
    with suppress(Exception):  # the scheduler may be gone
        client.close(timeout=2)
