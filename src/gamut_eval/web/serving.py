"""Serving an application to this computer's own browser, until it is interrupted."""

from __future__ import annotations

import socket
import threading
import webbrowser
from typing import Any

from gamut_eval.errors import InputError
from gamut_eval.extras import needed
from gamut_eval.files import why

HOST = "127.0.0.1"
FIRST_PORT = 8765
_TRIED = 50


def listening(port: int | None) -> socket.socket:
    """A socket that listens on this computer alone.

    Parameters
    ----------
    port
        A port, 0 for any that is free, or None for the usual one, or the next that is free.

    Raises
    ------
    InputError
        The port is taken, or cannot be had.
    """
    ports = range(FIRST_PORT, FIRST_PORT + _TRIED) if port is None else (port,)
    for number in ports:
        try:
            return _bound(number)
        except OSError as error:
            refused = error
    where = f"port {port}" if port is not None else f"ports {ports[0]} to {ports[-1]}"
    raise InputError(f"--port: {where} of {HOST}: {why(refused)}; name another one, or 0 for any that is free")


def _bound(port: int) -> socket.socket:
    ours = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):  # Windows, where SO_REUSEADDR would share the port with strangers
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        ours.bind((HOST, port))
        ours.listen(128)
    except BaseException:
        ours.close()
        raise
    return ours


def address(ours: socket.socket) -> str:
    """What to type into a browser."""
    return f"http://{HOST}:{ours.getsockname()[1]}/"


def server(application: Any) -> Any:
    """A uvicorn server of the application; ``server.run(sockets=[…])`` serves it until it is interrupted.

    Raises
    ------
    MissingExtraError
        uvicorn is not installed.
    """
    uvicorn = needed("uvicorn", "gamut view", "view")
    config = uvicorn.Config(
        application, log_level="error", access_log=False, lifespan="off", ws="none", http="h11", loop="asyncio",
        server_header=False, timeout_graceful_shutdown=2,
    )  # fmt: skip
    return uvicorn.Server(config)


def open_browser(url: str) -> None:
    """Show it, where there is a browser; nobody waits for that."""
    threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
