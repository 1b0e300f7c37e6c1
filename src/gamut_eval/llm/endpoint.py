"""Which model at which endpoint, with which limits and parameters: what a name and options come to."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from gamut_eval.errors import InputError, did_you_mean
from gamut_eval.files import told
from gamut_eval.llm.call import Sampling
from gamut_eval.llm.providers import PROVIDERS, Provider

DEFAULT_CONNECTIONS = 32
DEFAULT_TIMEOUT_S = 300.0
_VARIABLE = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True)
class CallOptions:
    """How models are to be called, whatever their names.

    ``connections`` is how many calls are under way at once at an endpoint, ``rpm`` and ``tpm`` how many
    calls and tokens a minute; ``timeout_s`` the time a call may take in all. ``cache`` is the file
    of kept replies, None for none. ``environment`` is where keys come from; it is never stored. Without
    ``needs_key`` a key that is not set is no error: nothing will be sent. ``flags`` is what the command line's
    options of address and key begin with; messages name them.
    """

    base_url: str | None = None
    api_key_env: str | None = None
    args: Mapping[str, Any] = field(default_factory=dict)
    connections: int = DEFAULT_CONNECTIONS
    rpm: int | None = None
    tpm: int | None = None
    timeout_s: float = DEFAULT_TIMEOUT_S
    cache: Path | None = None
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    needs_key: bool = True
    flags: str = "--"


@dataclass(frozen=True)
class Endpoint:
    """One model at one address. ``name`` is what people call it: ``provider/model``."""

    name: str
    model: str
    base_url: str
    provider: Provider
    sampling: Sampling
    options: CallOptions
    key: str = field(default="", repr=False)

    @property
    def host(self) -> str:
        """What limits are shared by: scheme, host and port."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def key_variables(self) -> tuple[str, ...]:
        """The environment variables that its key may be in."""
        return _key_variables(self.provider, self.options)

    @property
    def lacks_key(self) -> bool:
        """Whether a key is missing. A given base URL needs none unless its variable is named."""
        wanted = self.options.api_key_env or not self.options.base_url
        return bool(wanted and self.key_variables and not self.key)

    @property
    def headers(self) -> dict[str, str]:
        """What every call to it carries."""
        headers = {"Content-Type": "application/json"}
        if self.key:
            bearer = self.provider.key_header == "Authorization"
            headers[self.provider.key_header] = f"Bearer {self.key}" if bearer else self.key
        return headers


def endpoint(name: str, options: CallOptions, defaults: Sampling) -> Endpoint:
    """What ``provider/model`` means with these options.

    Raises
    ------
    InputError
        An unknown provider without a base URL, a key that is not set, or a wrong option.
    """
    name = told(name)
    prefix, _, model = name.partition("/")
    if not model.strip() or not prefix.strip():
        raise InputError(f"{name!r} names no model; write provider/model, for instance openai/gpt-5.4")
    provider = PROVIDERS.get(prefix)
    if provider is None:
        if not options.base_url:
            near = did_you_mean(prefix, PROVIDERS, "provider")
            flag = f"{options.flags}base-url"
            raise InputError(f"unknown provider {prefix!r} of {name!r}{near}; for any other give its {flag}")
        provider = Provider(None)
    base_url = _checked(options.base_url or provider.base_url, name, f"{options.flags}base-url")
    sampling = _merged(defaults, Sampling.from_args(options.args))
    found = Endpoint(
        name, model, base_url, provider, sampling, options, _key(_key_variables(provider, options), options)
    )
    if options.needs_key and found.lacks_key:
        either = " or ".join(found.key_variables)
        raise InputError(f"{name}: its key is not set; export {either}, or name a file that sets it with --env-file")
    return found


def _merged(defaults: Sampling, given: Sampling) -> Sampling:
    named = {name: value for name, value in given.to_dict().items() if name not in given.more}
    return replace(defaults, **named, more={**defaults.more, **given.more})


def _checked(base_url: str | None, name: str, flag: str) -> str:
    if not base_url:
        raise InputError(f"{name!r} needs its {flag}, for instance https://NAME.openai.azure.com/openai/v1")
    base_url = told(base_url).strip()
    shown = "that holds an @" if "@" in base_url else repr(base_url)  # what stands before it may be a password
    try:
        parts = urlsplit(base_url)
        no_address = parts.port == 0 or parts.scheme not in ("http", "https") or not parts.hostname
        (parts.hostname or "").encode("idna")
    except ValueError:  # a port out of range, half an IPv6 address, a name that no host can have
        no_address = True
    if no_address or any(char.isspace() for char in base_url):
        raise InputError(f"{flag} {shown} is no address; write it like http://localhost:8080/v1")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise InputError(f"{flag} must not hold a password or a query; keys come from environment variables")
    return base_url.rstrip("/").removesuffix("/chat/completions")


def _key_variables(provider: Provider, options: CallOptions) -> tuple[str, ...]:
    return (options.api_key_env,) if options.api_key_env else provider.key_env


def _key(names: Sequence[str], options: CallOptions) -> str:
    """What the first of the variables that is set holds; empty where none is."""
    if not all(_VARIABLE.fullmatch(variable) for variable in names):
        raise InputError("--api-key-env takes the name of an environment variable, not the key: export the key there")
    for variable in names:
        if key := options.environment.get(variable, "").strip():
            if not key.isascii() or not key.isprintable():
                raise InputError(f"the key in {variable} has characters that no key has; set it anew")
            return key
    return ""
