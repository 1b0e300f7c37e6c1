"""The options that say how models are called, for every command that calls any."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
import orjson

from gamut_eval.answering.models import AnswerOptions
from gamut_eval.answering.prompt import TEXT_ONLY, WITH_IMAGE, AnswerPrompt
from gamut_eval.api import Budget
from gamut_eval.errors import InputError
from gamut_eval.files import read_text, told
from gamut_eval.judging.models import MOST_CHECKS_PER_CALL, JudgeOptions
from gamut_eval.judging.prompt import INSTRUCTIONS
from gamut_eval.llm.cache import default_path
from gamut_eval.llm.endpoint import DEFAULT_CONNECTIONS, DEFAULT_TIMEOUT_S, CallOptions


class _Finite(click.FloatRange):
    """A number above 0. Nothing is more than "nan", so that a limit of it would never be reached."""

    def __init__(self) -> None:
        super().__init__(0, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


_MOST_A_MINUTE = 10**12
_CALLS = (
    click.option(
        "--max-connections",
        "connections",
        type=click.IntRange(1, 10_000),
        default=DEFAULT_CONNECTIONS,
        show_default=True,
        help="Calls under way at once at an endpoint; fewer while it is overloaded.",
    ),
    click.option("--rpm", type=click.IntRange(1, _MOST_A_MINUTE), help="Most calls a minute."),
    click.option("--tpm", type=click.IntRange(1, _MOST_A_MINUTE), help="Most tokens a minute, estimated."),
    click.option(
        "--timeout",
        type=_Finite(),
        default=DEFAULT_TIMEOUT_S,
        show_default=True,
        help="Seconds that a call may take in all.",
    ),
    click.option("--cache", type=click.Path(path_type=Path), help="File of kept replies.  [default: the user's cache]"),
    click.option("--no-cache", is_flag=True, help="Keep no replies, and use none."),
    click.option("--env-file", type=click.Path(path_type=Path), help="A .env file that sets keys."),
    click.option(
        "--max-cost",
        type=_Finite(),
        help="Stop before so many US dollars are spent, those of earlier commands in the run folder included.",
    ),
    click.option("--max-calls", type=click.IntRange(1), help="Stop after so many calls, likewise."),
    click.option("--dry-run", is_flag=True, help="Say what would be sent, and send nothing."),
)


def _endpoint_options(role: str, prefix: str) -> tuple[Any, ...]:
    return (
        click.option(f"--{prefix}base-url", metavar="URL", help=f"Endpoint of every {role} that is a model."),
        click.option(
            f"--{prefix}api-key-env", metavar="NAME", help="Environment variable of its key.  [default: the provider's]"
        ),
        click.option(
            f"--{role}-arg",
            f"{role}_args",
            multiple=True,
            metavar="K=V",
            help="A parameter: temperature=0, seed=1, max_tokens=2000, reasoning_effort=low, any other; repeat it.",
        ),
    )


VARIANT = click.Choice(["image", "text_only", "both"])
ASKED_VARIANT = click.option(
    "--variant", type=VARIANT, default="both", show_default=True, help="How the models are asked."
)
MODELS = click.option(
    "--model",
    "models",
    multiple=True,
    required=True,
    metavar="NAME",
    help="provider/model, or command:PROGRAM; may be repeated.",
)
_JUDGES = (
    *_endpoint_options("judge", "judge-"),
    click.option(
        "--checks-per-call",
        type=click.IntRange(1, MOST_CHECKS_PER_CALL),
        default=1,
        show_default=True,
        help="Checks in one call.",
    ),
    click.option(
        "--judge-prompt", type=click.Path(path_type=Path), help="File with instructions in place of the built-in ones."
    ),
    click.option("--judge-images", is_flag=True, help="Show the judge the question's image, too."),
    click.option("--no-prime", is_flag=True, help="Do not ask a response's first check alone, ahead of the others."),
)
_MODELS = (
    *_endpoint_options("model", ""),
    click.option("--samples", type=click.IntRange(1), default=1, show_default=True, help="Answers to each question."),
    click.option("--image-prompt", type=click.Path(path_type=Path), help="File with the system message for images."),
    click.option("--text-prompt", type=click.Path(path_type=Path), help="File with the system message for text-only."),
)


Command = TypeVar("Command", bound=Callable[..., Any])


def with_options(*options: Any) -> Callable[[Command], Command]:
    """A decorator that adds options in this order."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


calling = with_options(*_CALLS)
judging = with_options(*_JUDGES)
answering = with_options(*_MODELS)


def judge_options(given: dict[str, Any]) -> dict[str, Any]:
    """What the options for judges come to, as `aevaluate` takes it; they are taken out of ``given``."""
    address = (given.pop("judge_base_url"), given.pop("judge_api_key_env"))
    calls = _calls(given, *address, given.pop("judge_args"), "--judge-")
    instructions = _text(given.pop("judge_prompt"), INSTRUCTIONS)
    options = JudgeOptions(calls, instructions, given.pop("checks_per_call"), not given.pop("no_prime"))
    return {"judge_options": options, "judge_images": given.pop("judge_images")}


def answer_options(given: dict[str, Any]) -> AnswerOptions:
    """What the options for models come to; they are taken out of ``given``."""
    calls = _calls(given, given.pop("base_url"), given.pop("api_key_env"), given.pop("model_args"), "--")
    prompt = AnswerPrompt(_text(given.pop("image_prompt"), WITH_IMAGE), _text(given.pop("text_prompt"), TEXT_ONLY))
    return AnswerOptions(calls, prompt)


def budget(given: dict[str, Any]) -> Budget:
    """The budget; the options for calls are all taken out of ``given``."""
    limits = Budget(given.pop("max_calls"), given.pop("max_cost"))
    for name in ("connections", "rpm", "tpm", "timeout", "cache", "no_cache", "env_file", "dry_run"):
        given.pop(name)
    return limits


def _calls(
    given: Mapping[str, Any], base_url: str | None, key_env: str | None, args: Sequence[str], flags: str
) -> CallOptions:
    if given["cache"] and given["no_cache"]:
        raise InputError("--cache and --no-cache exclude each other")
    return CallOptions(
        base_url=base_url,
        api_key_env=key_env,
        args=dict(map(_argument, args)),
        connections=given["connections"],
        rpm=given["rpm"],
        tpm=given["tpm"],
        timeout_s=given["timeout"],
        cache=None if given["no_cache"] or given["dry_run"] else given["cache"] or default_path(),
        environment=_environment(given["env_file"]),
        needs_key=not given["dry_run"],
        flags=flags,
    )


def _argument(given: str) -> tuple[str, Any]:
    """``k=v``, the value as JSON if it is some, else as text."""
    name, equals, value = told(given).partition("=")
    if not equals or not name.strip():
        raise InputError(f"{given!r} is no parameter; write name=value, for instance temperature=0")
    try:
        read = orjson.loads(value)
        orjson.dumps(read)
    except orjson.JSONDecodeError:
        return name.strip(), value
    except TypeError:
        raise InputError(f"the parameter {name.strip()!r} is nested too deeply to be sent") from None
    return name.strip(), read


def _environment(file: Path | None) -> Mapping[str, str]:
    """The environment, with what a .env file sets where the environment does not. Nothing is exported."""
    if file is None:
        return os.environ
    import io

    from dotenv import dotenv_values

    values = dotenv_values(stream=io.StringIO(read_text(file)), interpolate=False)
    filled = {name: value for name, value in os.environ.items() if value.strip()}  # an empty one hides nothing
    return {**{name: value for name, value in values.items() if value is not None}, **filled}


def _text(file: Path | None, default: str) -> str:
    if file is None:
        return default
    text = read_text(file).strip()
    if not text:
        raise InputError(f"{file} is empty; it should hold what the model is told")
    return text
