"""The client: one call in, a reply or a fault out, with everything that lies between."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import hashlib
import os
import random
import re
import time
import weakref
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeVar

import aiohttp
import orjson
from yarl import URL

from gamut_eval.errors import EndpointError, InputError, pip_install
from gamut_eval.hashing import canonical, sha256
from gamut_eval.llm.adaptation import Adaptation
from gamut_eval.llm.background import BACKGROUND
from gamut_eval.llm.cache import Cache
from gamut_eval.llm.call import Call, Reply, Sampling, Usage
from gamut_eval.llm.endpoint import Endpoint
from gamut_eval.llm.faults import LONGEST_WAIT_S, Fault, Reach, reply_of
from gamut_eval.llm.ledger import LEDGER, CallRecord, Ledger
from gamut_eval.llm.limits import Limits
from gamut_eval.llm.prices import price_of

T = TypeVar("T")
MOST_TRIES = 8
MOST_TIMEOUTS = 3
LARGEST_REPLY = 64 * 2**20
_SHORTEST_KEY, _MASK = 8, b"(the key)"
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 60.0
_LONGEST_CONNECTING_S = 20.0
_SETTLED_S = 0.01
"""How often a call that waits for a budget to settle looks again."""
_LONG_REPLY = 300
"""Tokens; until there was one, a reply is taken to be so long."""
_HOPELESS, _HOPELESS_AFTER = 5, {"rejected": 20}
"""So many calls given up after their tries, or refused for no known reason, and no reply ever: the run stops."""
_IMAGE, _IMAGE_TOKENS = re.compile(rb'data:image/[^"]*'), 1000
_NEVER_REACHED = 4
"""After so many failures to connect, with no call ever answered, the address is taken to be wrong."""


class Client:
    """Calls one model at one endpoint.

    Sessions belong to event loops: inside `sessions` calls run where they are made; anywhere else
    they run on a thread of their own, so that calls from many loops share connections and limits.
    """

    def __init__(self, endpoint: Endpoint, role: str, limits: Limits, cache: Cache | None) -> None:
        self.endpoint = endpoint
        self.role = role
        self.adaptation = Adaptation(endpoint.provider.token_limit)
        self._limits = limits
        self._cache = cache
        self._url = URL(f"{endpoint.base_url}/chat/completions")
        self._headers = endpoint.headers
        total_s = endpoint.options.timeout_s
        self._timeout = aiohttp.ClientTimeout(total=total_s, sock_connect=min(total_s, _LONGEST_CONNECTING_S))
        self._price = price_of(endpoint.provider.prices, endpoint.model)
        self._answered = False
        self._ever_replied, self._n_given_up = False, 0
        self._longest = _LONG_REPLY
        self._unreached = 0

    async def complete(self, call: Call) -> Reply:
        """The reply, from the cache or from the endpoint.

        Raises
        ------
        Fault
            This call gave no usable reply; others may.
        EndpointError
            No call will, until a setting is mended.
        BudgetError
            The run's budget is used up.
        """
        ledger = LEDGER.get(None)
        key = self._cache_key(call) if self._cache else b""
        if self._cache and (hit := self._cache.get(key)):
            if ledger:
                ledger.ended(self._record(None, hit.usage, 0.0, 0.0, hit.model, from_cache=True))
            return hit
        session = _SESSIONS.get(asyncio.get_running_loop())
        if session is None:
            reply = await _on_background(lambda one: self._tried(one, call, ledger))
        else:
            reply = await self._tried(session, call, ledger)
        if self._cache:
            self._cache.put(key, reply)
        return reply

    def _cache_key(self, call: Call) -> bytes:
        """SHA-256 of where the call goes and what it says, before it is adapted to what the endpoint takes."""
        endpoint = self.endpoint
        said = [call.digest or sha256(call.messages), call.salt, call.sampling.to_dict()]
        where = [endpoint.base_url, endpoint.model, None if call.digest else call.schema]
        return hashlib.sha256(canonical([*where, *said])).digest()

    async def _tried(self, session: aiohttp.ClientSession, call: Call, ledger: Ledger | None) -> Reply:
        tries = timeouts = 0
        while True:
            version = self.adaptation.version
            body = orjson.dumps(self.adaptation.body(self.endpoint.model, call))
            try:
                reply = await self._once(session, body, ledger)
            except Fault as fault:
                if self.adaptation.version > version or self.adaptation.learn(fault, call):
                    continue  # put another way, it is another call
                self._refuse_if_of_the_run(fault)
                tries += 1
                timeouts += fault.code == "timed_out"
                if fault.reach is not Reach.RETRY:
                    self._refuse_if_hopeless(fault)
                    raise
                if tries >= MOST_TRIES or timeouts >= MOST_TIMEOUTS:
                    self._refuse_if_hopeless(fault)
                    raise
                await asyncio.sleep(_pause_s(tries, fault.wait_s))
            else:
                self._ever_replied = True
                self.adaptation.worked(call)
                return reply

    async def _once(self, session: aiohttp.ClientSession, body: bytes, ledger: Ledger | None) -> Reply:
        await self._limits.enter(_tokens(body))
        try:
            if ledger is None:
                return await self._posted(session, body)
            expected = self._expected(body) if ledger.max_cost is not None else 0.0
            while not ledger.start(expected):  # noqa: ASYNC110 (calls of other event loops settle it, too)
                await asyncio.sleep(_SETTLED_S)
            start = time.perf_counter()
            try:
                reply = await self._posted(session, body)
            except Fault as fault:
                cost = self._cost(fault.usage) if fault.usage != Usage() else 0.0
                seconds = time.perf_counter() - start
                ledger.ended(self._record(fault.code, fault.usage, cost, seconds, fault.model), expected)
                raise
            except BaseException:
                ledger.cancelled(expected)
                raise
            seconds = time.perf_counter() - start
            ledger.ended(self._record(None, reply.usage, self._cost(reply.usage), seconds, reply.model), expected)
            self._longest = max(self._longest, reply.usage.completion or 0)
            return reply
        finally:
            self._limits.leave()

    def _expected(self, body: bytes) -> float:
        """What a call may cost: its prompt in full, and the longest reply that there was."""
        return self._cost(Usage(_tokens(body), 0, self._longest)) or 0.0

    @property
    def is_priced(self) -> bool:
        """Whether the price of its tokens is known."""
        return self._price is not None

    async def _posted(self, session: aiohttp.ClientSession, body: bytes) -> Reply:
        """One post, and what it says about the endpoint."""
        try:
            async with session.post(
                self._url, data=body, headers=self._headers, timeout=self._timeout, allow_redirects=False
            ) as answer:
                length = answer.content_length
                whole = length is not None and length <= LARGEST_REPLY
                reply = self._reply(answer.status, answer.headers, await (answer.read() if whole else _body(answer)))
        except (Fault, TimeoutError, aiohttp.ClientError, OSError) as error:
            fault = error if isinstance(error, Fault) else self._fault(error)
            self._note(fault)
            raise fault from None
        self._answered = True
        self._limits.succeeded()
        return reply

    def _fault(self, error: Exception) -> Fault:
        """What a failed post is to whoever made it."""
        if isinstance(error, _UNREACHABLE):
            return Fault("unreachable", str(error), Reach.RETRY)
        if isinstance(error, TimeoutError):
            seconds = self.endpoint.options.timeout_s
            return Fault("timed_out", f"no complete reply within {seconds:g} s (--timeout)", Reach.RETRY)
        told = self._without_key(str(error).encode(errors="replace")).decode()
        return Fault("connection", told or type(error).__name__, Reach.RETRY)

    def _reply(self, status: int, headers: Mapping[str, str], body: bytes) -> Reply:
        return reply_of(status, headers, self._without_key(body))

    def _without_key(self, body: bytes) -> bytes:
        """What a server says, without the key where it repeats it: it would go into files and reports."""
        key = self.endpoint.key.encode()
        if len(key) < _SHORTEST_KEY:
            return body
        if b"\\u00" in body or b"\\/" in body:  # letters of the key may be written so
            with contextlib.suppress(ValueError, TypeError):
                body = orjson.dumps(orjson.loads(body))
        return body.replace(key, _MASK).replace(orjson.dumps(self.endpoint.key)[1:-1], _MASK)

    def _note(self, fault: Fault) -> None:
        """What a fault says about the endpoint."""
        if fault.code in ("rate_limited", "server_error"):
            self._limits.overloaded(min(fault.wait_s or 0.0, LONGEST_WAIT_S))
        if fault.code == "unreachable":
            self._unreached += 1
        elif fault.code not in ("connection", "timed_out"):
            self._answered = True  # if only with an error: somebody is there

    def _refuse_if_of_the_run(self, fault: Fault) -> None:
        endpoint = self.endpoint
        if fault.code == "unreachable" and not self._answered and self._unreached >= _NEVER_REACHED:
            raise self._unreachable(fault.message) from None
        if fault.reach is Reach.RUN:
            raise EndpointError(f"{endpoint.name}: {fault.message}; {self._remedy(fault.code)}") from None

    def _unreachable(self, why: str) -> EndpointError:
        endpoint = self.endpoint
        return EndpointError(
            f"{endpoint.name}: {endpoint.base_url} cannot be reached ({why}); "
            f"check {endpoint.options.flags}base-url, and that the server runs"
        )

    def _refuse_if_hopeless(self, fault: Fault) -> None:
        """Of an endpoint that has never replied, some calls that were given up say enough."""
        if fault.code not in _HOPELESS_AFTER and fault.reach is Reach.ITEM:
            return
        self._n_given_up += 1
        if not self._ever_replied and self._n_given_up >= _HOPELESS_AFTER.get(fault.code, _HOPELESS):
            endpoint = self.endpoint
            raise EndpointError(
                f"{endpoint.name}: {endpoint.base_url} has replied to no call, and {self._n_given_up} were given up "
                f"({fault.code}: {fault.message}); check {endpoint.options.flags}base-url and the parameters, "
                "or try again later"
            ) from None

    def _remedy(self, code: str) -> str:
        variables = " or ".join(self.endpoint.key_variables)
        flags = self.endpoint.options.flags
        key = f"the key in {variables}" if variables else f"whether the server wants a key ({flags}api-key-env)"
        return {
            "bad_key": f"check {key}",
            "forbidden": f"check {key} and what it may do",
            "quota_exhausted": "top up the account, then run the same command again",
            "unknown_model": f"check the model's name ({self.endpoint.model!r})",
            "not_found": f"check {flags}base-url ({self.endpoint.base_url}) and the model's name",
        }[code]

    def _record(
        self,
        error: str | None,
        usage: Usage,
        cost: float | None,
        seconds: float,
        model: str | None,
        *,
        from_cache: bool = False,
    ) -> CallRecord:
        return CallRecord(self.role, self.endpoint.name, error, usage, cost, seconds, from_cache, model)

    def _cost(self, usage: Usage) -> float | None:
        return self._price(usage) if self._price else None

    async def check(self) -> bool:
        """Ask the endpoint for its models, only to learn early that it cannot be reached or refuses the key.

        Returns
        -------
        Whether this one is among them. Many endpoints do not say, or know a model by several names.

        Raises
        ------
        EndpointError
            It cannot be reached, or refuses the key.
        """
        return await _in_session(self._check)

    async def try_out(self) -> None:
        """Make one short call, only to learn early that the endpoint takes none; any other fault is passed over.

        Raises
        ------
        EndpointError
            It takes none.
        """
        body, ledger = orjson.dumps(self.adaptation.body(self.endpoint.model, _SHORTEST)), LEDGER.get(None)
        try:
            async with asyncio.timeout(_LONGEST_CONNECTING_S):
                await _in_session(lambda session: self._once(session, body, ledger))
        except Fault as fault:
            self._refuse_if_of_the_run(fault)
        except TimeoutError:
            return

    async def _check(self, session: aiohttp.ClientSession) -> bool:
        url = URL(f"{self.endpoint.base_url}/models")
        for attempt in range(3):
            try:
                timeout = aiohttp.ClientTimeout(total=min(20.0, self.endpoint.options.timeout_s))
                async with session.get(url, headers=self._headers, timeout=timeout, allow_redirects=False) as answer:
                    if answer.status == 401:
                        told = f"HTTP 401 from {self.endpoint.base_url}"
                        raise EndpointError(f"{self.endpoint.name}: {told}; {self._remedy('bad_key')}")
                    return answer.status == 200 and _lists(await answer.read(), self.endpoint.model)
            except _UNREACHABLE as error:
                if attempt == 2:
                    raise self._unreachable(str(error)) from None
                await asyncio.sleep(0.3)
            except (TimeoutError, aiohttp.ClientError, OSError):
                break  # it is there; whether it answers calls will be seen
        return False


def _lists(models: bytes, name: str) -> bool:
    """Whether a list of models has that one; some put a word and a slash before it."""
    with contextlib.suppress(orjson.JSONDecodeError, LookupError, TypeError):
        return any(f"/{model['id']}".endswith(f"/{name}") for model in orjson.loads(models)["data"])
    return False


_SHORTEST = Call([{"role": "user", "content": "Reply with OK."}], Sampling(max_tokens=16))
_UNREACHABLE = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)


async def _body(answer: aiohttp.ClientResponse) -> bytes:
    """All of an answer of unknown or great length, unless it is longer than any reply can be."""
    body = bytearray()
    async for part in answer.content.iter_any():
        body += part
        if max(len(body), answer.content_length or 0) > LARGEST_REPLY:
            raise Fault("bad_reply", f"the reply has more than {LARGEST_REPLY:,} bytes", Reach.ITEM)
    return bytes(body)


def _pause_s(tries: int, asked_s: float | None) -> float:
    """What the server asked for, at most `LONGEST_WAIT_S`; else longer with each try, and never twice the same."""
    if asked_s:
        return min(asked_s, LONGEST_WAIT_S) + random.uniform(0, 0.1)  # noqa: S311 (no secret)
    longest = min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2 ** (tries - 1))
    return random.uniform(longest / 2, longest)  # noqa: S311


_SESSIONS: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, aiohttp.ClientSession] = weakref.WeakKeyDictionary()
_USERS: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, int] = weakref.WeakKeyDictionary()
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


def _session() -> aiohttp.ClientSession:
    """A session without a limit of its own (`Limits` has them) and without cookies."""
    connector = aiohttp.TCPConnector(limit=0, ttl_dns_cache=300)
    through_proxy = any(os.environ.get(name) for name in _PROXIES)  # looking for one in each call is slow
    return aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar(), trust_env=through_proxy)


async def _in_session(work: Callable[[aiohttp.ClientSession], Coroutine[Any, Any, T]]) -> T:
    """Do the work in this event loop inside `sessions`, elsewhere on the thread that is for calls."""
    session = _SESSIONS.get(asyncio.get_running_loop())
    return await (_on_background(work) if session is None else work(session))


async def _on_background(work: Callable[[aiohttp.ClientSession], Coroutine[Any, Any, T]]) -> T:
    return await BACKGROUND.run(_there(work))


async def _there(work: Callable[[aiohttp.ClientSession], Coroutine[Any, Any, T]]) -> T:
    loop = asyncio.get_running_loop()
    if loop not in _SESSIONS:
        _SESSIONS[loop] = _session()
        BACKGROUND.at_end(_SESSIONS[loop].close)
    return await work(_SESSIONS[loop])


@contextlib.asynccontextmanager
async def sessions() -> AsyncIterator[None]:
    """Let calls made in this event loop run in it; the last to leave closes their connections."""
    loop = asyncio.get_running_loop()
    if loop not in _SESSIONS:
        _SESSIONS[loop] = _session()
    _USERS[loop] = _USERS.get(loop, 0) + 1
    try:
        yield
    finally:
        _USERS[loop] -= 1
        if not _USERS[loop]:
            await _SESSIONS.pop(loop).close()


class Clients:
    """Clients that share what is to be shared: the limits of a host, the file of a cache."""

    def __init__(self) -> None:
        self._limits: dict[tuple[Any, ...], Limits] = {}
        self._caches: dict[str, Cache] = {}

    def client(self, endpoint: Endpoint, role: str) -> Client:
        """A client for that endpoint."""
        options = endpoint.options
        shared = (endpoint.host, options.connections, options.rpm, options.tpm)
        if shared not in self._limits:
            self._limits[shared] = Limits(options.connections, options.rpm, options.tpm)
        return Client(endpoint, role, self._limits[shared], self._cache(endpoint))

    def _cache(self, endpoint: Endpoint) -> Cache | None:
        path = endpoint.options.cache
        if path is None:
            return None
        if str(path) not in self._caches:
            self._caches[str(path)] = Cache(path)
        return self._caches[str(path)]

    def close(self) -> None:
        """Write what the caches still hold."""
        for cache in self._caches.values():
            cache.close()
        self._caches.clear()


CLIENTS = Clients()
"""Those of this process."""
atexit.register(CLIENTS.close)


def _tokens(body: bytes) -> int:
    """About how many tokens a request has: a quarter of its characters, and a fixed number an image."""
    if b"data:image/" not in body:
        return len(body) // 4
    text, n = _IMAGE.subn(b"", body)
    return len(text) // 4 + n * _IMAGE_TOKENS


def refuse_unpriced(clients: Sequence[Client]) -> None:
    """Raise an `InputError` if the price of one is unknown: no budget of money could be kept."""
    names = [client.endpoint.name for client in clients if not client.is_priced]
    if names:
        raise InputError(
            f"--max-cost cannot be kept, since no price is known for {', '.join(names)}; "
            f"run: {pip_install('prices')}, or limit the run with --max-calls"
        )


def changes_of(clients: Sequence[Client]) -> dict[str, list[str]]:
    """What each client's endpoint turned out not to take."""
    return {client.endpoint.name: list(client.adaptation.changes) for client in clients if client.adaptation.changes}
