"""The command that lets models answer, without judging."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import click
import orjson
from filelock import FileLock, Timeout

from gamut_eval.answering.answerer import made_answerers
from gamut_eval.answering.model_answerer import ModelAnswerer
from gamut_eval.answering.models import model_answerer
from gamut_eval.cli.dry_run import print_estimates, say_keyless
from gamut_eval.cli.loop import run_to_end
from gamut_eval.cli.main import DONE, DONE_WITH_FINDINGS
from gamut_eval.cli.model_options import ASKED_VARIANT, MODELS, answer_options, answering, budget, calling
from gamut_eval.cli.output import output_option, read_benchmark, say, say_spent, say_stopped, showing
from gamut_eval.errors import BudgetError, Finding, InputError, Place, RunBusyError
from gamut_eval.files import dump_rows, json_row, read_bytes, refuse_overwriting, shown, why, write_bytes
from gamut_eval.llm.client import refuse_unpriced, sessions
from gamut_eval.llm.ledger import LEDGER, Ledger
from gamut_eval.llm.pictures import Pictures
from gamut_eval.records import VARIANTS, Response, response_from_dict
from gamut_eval.running.answers import AnswerPlan, gather_answers
from gamut_eval.running.estimate import estimate_answers
from gamut_eval.running.progress import Progress

_KEY = "answer_key"
_REWRITE_EVERY_S = 2.0
"""Answers that replace others are in the file after so long; each one anew would take hours for thousands."""
_START = b'{"question_id":'
_SHA256 = re.compile("[0-9a-f]{64}")


@click.command("answer")
@click.argument("benchmark", type=click.Path())
@MODELS
@output_option("JSONL of responses, new or to go on with.", required=True)
@ASKED_VARIANT
@answering
@calling
def answer_command(benchmark: str, models: tuple[str, ...], output: str, variant: str, **options: Any) -> int:
    """Let models answer a benchmark's questions.

    Each answer is written as it comes. The same command goes on where it stopped: what is in FILE is not asked again,
    unless it is an error, or the question, the prompt or a parameter has changed. 'gamut judge' takes the file.

    \b
    Examples:
      gamut answer my-benchmark --model openai/gpt-5.4 -o answers.jsonl
      gamut answer my-benchmark --model ollama/llama3.2 --variant text_only --model-arg temperature=0 -o answers.jsonl
      gamut answer my-benchmark --model local/qwen --base-url http://localhost:8080/v1 -o answers.jsonl
    """
    loaded = read_benchmark(benchmark)
    refuse_overwriting(loaded.files, output)
    chosen, dry_run, samples = answer_options(options), options["dry_run"], options.pop("samples")
    answerers = made_answerers(models, lambda name: model_answerer(name, chosen))
    variants = VARIANTS if variant == "both" else (variant,)
    plan = AnswerPlan(loaded, answerers, variants, samples, Pictures(loaded))  # type: ignore[arg-type]
    plan.refuse_misfits()
    file = _Answers(output, plan, claim=not dry_run)
    if dry_run:
        print_estimates(list(estimate_answers(plan, file.known)))
        say_keyless([one.client for one in answerers if isinstance(one, ModelAnswerer)])
        return DONE
    limits = budget(options)
    if limits.dollars is not None:
        refuse_unpriced([one.client for one in answerers if isinstance(one, ModelAnswerer)])
    progress = Progress(stage="responses", ledger=Ledger(limits.calls, limits.dollars))
    return _carried_out(plan, file, progress)


def _carried_out(plan: AnswerPlan, file: _Answers, progress: Progress) -> int:
    async def work() -> None:
        LEDGER.set(progress.ledger)  # type: ignore[arg-type]
        async with sessions():
            await gather_answers(plan, file.known, file.keep, progress)

    try:
        with file, showing(progress):
            run_to_end(work())
    except (KeyboardInterrupt, BudgetError) as error:
        return say_stopped(error, progress)
    finally:
        say_spent(progress)
    failed = progress.failures.total()
    known = f", {progress.known} known from before" if progress.known else ""
    say(f"{progress.total} responses: {progress.judged} new{known}{f', {failed} failed' if failed else ''}.")
    if file.replaced:
        say(f"{file.replaced} of them replaced others: the question, the prompt or a parameter is not what it was.")
    if failed:
        say(", ".join(f"{n} {code}" for code, n in progress.failures.items()) + "; the same command asks them again.")
    return DONE_WITH_FINDINGS if failed else DONE


class _Answers:
    """The file: added to as answers come, and put in order at the end. ``claim`` keeps other processes out of it."""

    def __init__(self, path: str, plan: AnswerPlan, *, claim: bool) -> None:
        if path == "-":
            raise InputError("-o -: answers are kept as they come, so they need a file; name one")
        self._path = Path(path)
        self._plan = plan
        self._rows: dict[tuple[Any, ...], Response] = {}
        self._stream: BinaryIO | None = None
        self._rewritten_at = float("-inf")
        self.known: set[bytes] = set()
        self.replaced = 0
        if self._path.exists() and not self._path.is_file():
            raise InputError(f"-o {shown(path)}: answers are kept as they come, so they need a file; name one")
        self._lock = self._claimed() if claim else None
        if self._path.exists():
            for number, line in self._lines():
                place = Place(path, number)
                self._know(response_from_dict(json_row(line, path, number), place), place)

    def _claimed(self) -> FileLock:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self._path.with_name(f".{self._path.name[:100]}.lock"), timeout=0)
            lock.acquire()
        except Timeout:
            message = "is in use by another process; wait for it to end, or name another file with -o"
            raise RunBusyError(f"{shown(self._path)} {message}") from None
        except OSError as error:
            raise self._unwritable(error) from None
        return lock

    def _unwritable(self, error: OSError) -> InputError:
        return InputError([Finding("unwritable", why(error), file=str(self._path))])

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        """The file's lines, but for a last one that a killed process left half written: that answer is asked again."""
        lines = read_bytes(self._path).split(b"\n")
        for number, line in enumerate(lines, 1):
            if number == len(lines) and _is_unfinished(line):
                return
            if line.strip():
                yield number, line

    def _know(self, response: Response, place: Place) -> None:
        key = response.more.get(_KEY)
        if not isinstance(key, str) or not _SHA256.fullmatch(key):
            message = "this response was not written by 'gamut answer'; name another file with -o"
            raise InputError([Finding("output", message, file=place.file, line=place.line)])
        if response.key in self._rows:
            message = f"a second response for ({', '.join(map(str, response.key))}); take one of them out"
            raise InputError([Finding("duplicate", message, file=place.file, line=place.line)])
        self._rows[response.key] = response
        if response.answered:
            self.known.add(bytes.fromhex(key))

    def __enter__(self) -> None:
        return None

    def keep(self, key: bytes, response: Response, question_hash: str) -> None:
        """Write one answer, now."""
        row = replace(response, more={**response.more, _KEY: key.hex()})
        former = self._rows.get(row.key)
        self._rows[row.key] = row
        if former is None and self._stream:
            try:
                self._stream.write(orjson.dumps(row.to_dict(), option=orjson.OPT_APPEND_NEWLINE))
                self._stream.flush()
            except OSError as error:
                raise self._unwritable(error) from None
            return
        self.replaced += former is not None and former.answered
        if self._stream is None or time.monotonic() - self._rewritten_at > _REWRITE_EVERY_S:
            self._rewrite()

    def _rewrite(self) -> None:
        """Write the whole file: a second row of one response would be refused by whoever reads it."""
        self._rewritten_at = time.monotonic()
        if self._stream:
            self._stream.close()
        write_bytes(self._path, dump_rows(row.to_dict() for row in self._rows.values()))
        self._stream = open(self._path, "ab")  # noqa: SIM115 (closed on leaving)

    def __exit__(self, *_: object) -> None:
        if self._stream is not None:
            with contextlib.suppress(OSError):  # what could not be written is written again now
                self._stream.close()
            order = {question.id: place for place, question in enumerate(self._plan.benchmark.questions)}
            found = self._rows.values()
            rows = sorted(found, key=lambda r: (r.model, r.variant, order.get(r.question_id, -1), r.sample))
            write_bytes(self._path, dump_rows(row.to_dict() for row in rows))
        if self._lock:
            self._lock.release()


def _is_unfinished(line: bytes) -> bool:
    """Whether it begins like a line of ours and is no whole object; anything else is somebody's, and not to be lost."""
    if not line or line[: len(_START)] != _START[: len(line)]:
        return False
    try:
        orjson.loads(line)
    except orjson.JSONDecodeError:
        return True
    return False
