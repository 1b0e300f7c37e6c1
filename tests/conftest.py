import asyncio
import time
import types

import pytest

from gamut_eval.llm import client as client_module
from gamut_eval.llm import limits as limits_module
from gamut_eval.llm.call import Sampling
from gamut_eval.llm.client import Clients
from gamut_eval.llm.endpoint import CallOptions, endpoint
from stub_server import StubServer

REAL_SLEEP = asyncio.sleep


@pytest.fixture
def stub(monkeypatch):
    """A server that answers as `StubServer.script` says."""
    for name in client_module._PROXIES:
        monkeypatch.delenv(name, raising=False)
    server = StubServer()
    yield server
    server.close()


@pytest.fixture
def connect(stub):
    """A function from options to a client of the stub, with limits and caches of its own."""
    clients = Clients()

    def connected(name="stub/m", sampling=Sampling(), role="judge", **options):  # noqa: B008 (immutable)
        given = {"base_url": stub.base_url, "environment": {}} | options
        return clients.client(endpoint(name, CallOptions(**given), sampling), role)

    yield connected
    clients.close()


class Clock:
    """Time that passes only when somebody sleeps. ``pauses`` are the client's, ``waits`` those of limits."""

    def __init__(self):
        self.now = 1000.0
        self.pauses = []
        self.waits = []

    def monotonic(self):
        return self.now

    def sleeping(self, noted):
        async def sleep(seconds):
            noted.append(seconds)
            self.now += seconds
            await REAL_SLEEP(0)

        return sleep


@pytest.fixture
def clock(monkeypatch):
    """Waits in the client and its limits take no time and are noted."""
    clock = Clock()
    for module, noted in ((client_module, clock.pauses), (limits_module, clock.waits)):
        fake = types.SimpleNamespace(**{**vars(asyncio), "sleep": clock.sleeping(noted)})
        monkeypatch.setattr(module, "asyncio", fake)
    fake_time = types.SimpleNamespace(**{**vars(time), "monotonic": clock.monotonic})
    monkeypatch.setattr(limits_module, "time", fake_time)
    return clock
