"""Providers by name: where their OpenAI-compatible endpoint is, and where their key comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

TokenLimit = Literal["max_tokens", "max_completion_tokens"]


@dataclass(frozen=True)
class Provider:
    """An endpoint that takes ``POST {base_url}/chat/completions``.

    ``key_env`` are the environment variables its key may be in, the first that is set wins; empty
    where no key is needed. ``token_limit`` is its name for the most tokens of a reply. ``prices`` is
    its name in genai-prices, if it has one.
    """

    base_url: str | None
    key_env: tuple[str, ...] = ()
    token_limit: TokenLimit = "max_tokens"
    key_header: Literal["Authorization", "api-key"] = "Authorization"
    prices: str | None = None


PROVIDERS: dict[str, Provider] = {
    "openai": Provider(
        "https://api.openai.com/v1", ("OPENAI_API_KEY",), token_limit="max_completion_tokens", prices="openai"
    ),
    "anthropic": Provider("https://api.anthropic.com/v1", ("ANTHROPIC_API_KEY",), prices="anthropic"),
    "google": Provider(
        "https://generativelanguage.googleapis.com/v1beta/openai",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        prices="google",
    ),
    "openrouter": Provider("https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",), prices="openrouter"),
    "mistral": Provider("https://api.mistral.ai/v1", ("MISTRAL_API_KEY",), prices="mistral"),
    "groq": Provider("https://api.groq.com/openai/v1", ("GROQ_API_KEY",), prices="groq"),
    "together": Provider("https://api.together.xyz/v1", ("TOGETHER_API_KEY",), prices="together"),
    "fireworks": Provider("https://api.fireworks.ai/inference/v1", ("FIREWORKS_API_KEY",), prices="fireworks"),
    "deepseek": Provider("https://api.deepseek.com/v1", ("DEEPSEEK_API_KEY",), prices="deepseek"),
    "xai": Provider("https://api.x.ai/v1", ("XAI_API_KEY",), prices="x-ai"),
    "azure": Provider(
        None,
        ("AZURE_OPENAI_API_KEY",),
        token_limit="max_completion_tokens",
        key_header="api-key",
        prices="azure",
    ),
    "ollama": Provider("http://localhost:11434/v1"),
    "vllm": Provider("http://localhost:8000/v1"),
    "llamacpp": Provider("http://localhost:8080/v1"),
}
"""Any other provider is named with its base URL."""
