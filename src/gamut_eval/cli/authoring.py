"""Commands for people who write rubrics: init, schema, validate, compile."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import click

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.images import image_findings
from gamut_eval.benchmark.load import BenchmarkFile, image_root, load_benchmark
from gamut_eval.benchmark.question import Question
from gamut_eval.benchmark.write import refuse_taken
from gamut_eval.cli.editing import show_difference
from gamut_eval.cli.main import DONE, DONE_WITH_FINDINGS, WRONG_INPUT
from gamut_eval.cli.output import (
    console,
    exit_code,
    format_option,
    output_option,
    plain_text,
    read_benchmark,
    say,
    write_data,
)
from gamut_eval.errors import Finding, InputError
from gamut_eval.files import dump_json, dump_rows, refuse_overwriting, shown, write_bytes
from gamut_eval.reports.wording import visible
from gamut_eval.rubric.check import Check

BENCHMARK = click.argument("benchmark", metavar="BENCHMARK", type=click.Path())
OUTPUT = output_option("File to write; - is stdout.", default="-", show_default=True)


@click.command("init")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--mini", is_flag=True, help="Write a copy of gamut_mini, with answers and reference verdicts, instead.")
def init_command(folder: Path, *, mini: bool) -> int:
    """Write a commented starter benchmark.

    FOLDER gets benchmark.yaml, one question that uses every item type, and two answers to try it with; with --mini
    the thirty questions of gamut_mini, six sets of answers, and the reference verdicts to test a judge against.

    \b
    Examples:
      gamut init my-benchmark
      gamut validate my-benchmark
      gamut init mini --mini
    """
    if mini:
        return _copy_mini(folder)
    starter = files("gamut_eval.data") / "starter"
    names = ("questions/food-001.yaml", "responses.jsonl", "benchmark.yaml")
    if taken := [name for name in names if os.path.lexists(folder / name)]:
        raise InputError(f"{folder} already has {', '.join(taken)}; nothing was written, name another folder")
    for name in names:
        write_bytes(folder / name, (starter / name).read_bytes())
    say(f"Wrote {', '.join(str(folder / name) for name in names)}.")
    place, answers, run = (shlex.quote(str(path)) for path in (folder, folder / names[1], folder / "run"))
    say(f"Next: gamut validate {place}")
    say(f"Then: gamut judge {place} --responses {answers} --judge lexical --run {run}")
    return DONE


def _copy_mini(folder: Path) -> int:
    """All of the bundled benchmark, into a new or empty folder."""
    refuse_taken(folder)
    with as_file(files("gamut_eval.data") / "gamut_mini") as bundled:
        for file in sorted(path for path in bundled.rglob("*") if path.is_file()):
            write_bytes(folder / file.relative_to(bundled), file.read_bytes())
    place = shlex.quote(str(folder))
    say(f"Wrote gamut_mini to {folder}; its README.md is the data card. To test a judge on it:")
    say(
        f"  gamut judge {place} --responses {place}/responses/written.jsonl --subset "
        f"--judge recorded:{place}/verdicts/reference.jsonl --judge provider/model --run {place}-judged"
    )
    return DONE


@click.command("schema")
@click.argument("kind", type=click.Choice(["question", "benchmark"]), default="question")
@OUTPUT
def schema_command(kind: str, output: str) -> int:
    """Print the JSON Schema of a question or of benchmark.yaml.

    Editors that know YAML check and complete a file whose first line names the schema.

    \b
    Example:
      gamut schema -o question.schema.json
      # first line of a question file:
      # yaml-language-server: $schema=../question.schema.json
    """
    model = Question if kind == "question" else BenchmarkFile
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **model.model_json_schema()}
    _write(output, dump_json(schema))
    return DONE


@click.command("validate")
@click.argument("benchmark", metavar="[BENCHMARK]", type=click.Path(), required=False)
@format_option("table", "json", "github", default="table")
@click.option("--strict", is_flag=True, help="Exit 1 with info findings too.")
@click.option("--images", is_flag=True, help="Also open every image; needs the extra 'images'.")
@click.option("--explain", "code", metavar="CODE", help="Say what a finding's code means, with an example, and exit.")
def validate_command(benchmark: str | None, *, form: str, strict: bool, images: bool, code: str | None) -> int:
    """Check a benchmark's files, naming every mistake's place.

    BENCHMARK is a folder with benchmark.yaml, a .jsonl or .parquet file with a question a row, or one question's .yaml.
    Errors are what no run could use; warnings and info are what looks wrong in a rubric. '# gamut: ignore CODE' at the
    end of a YAML line silences a warning or info there. Exits 0 when all is well, 1 with warnings, 2 with errors.

    \b
    Examples:
      gamut validate my-benchmark
      gamut validate my-benchmark/questions/food-001.yaml --format json
      gamut validate my-benchmark --format github --strict
      gamut validate my-benchmark --images
      gamut validate --explain vague-words
    """
    from gamut_eval.benchmark.lint import explain, inspect_and_lint

    if code is not None:
        click.echo(explain(code))
        return DONE
    if benchmark is None:
        raise click.UsageError("name a BENCHMARK to check, or a code to --explain")
    loaded, findings = inspect_and_lint(benchmark)
    if loaded and (unscorable := _compile_findings(loaded)):
        loaded, findings = None, [*findings, *unscorable]
    if loaded and images:
        findings = [*findings, *image_findings(loaded, image_root(Path(benchmark)))]
        loaded = None if any(finding.severity == "error" for finding in findings) else loaded
    severities = Counter[str](finding.severity for finding in findings)
    _print_findings(loaded, findings, form)
    if form != "json":
        say(_summary(loaded, severities))
    if severities["error"]:
        return WRONG_INPUT
    return DONE_WITH_FINDINGS if severities["warning"] or (strict and severities["info"]) else DONE


def _print_findings(benchmark: Benchmark | None, findings: list[Finding], form: str) -> None:
    from gamut_eval.benchmark.lint.github import workflow_command

    if form == "json":
        write_data(dump_json(_validation(benchmark, findings)))
        return
    for finding in findings:
        place = f"{finding.place}: " if finding.place else ""
        line = f"{place}{finding.severity}: {finding.message} [{finding.code}]"
        click.echo(workflow_command(finding) if form == "github" else visible(line))


def _compile_findings(benchmark: Benchmark) -> list[Finding]:
    try:
        return list(benchmark.weightless())
    except InputError as error:
        return list(error.findings)


def _validation(benchmark: Benchmark | None, findings: list[Finding]) -> dict[str, Any]:
    names = ("code", "severity", "message", "file", "line", "column", "question_id")
    return {
        "ok": not any(finding.severity == "error" for finding in findings),
        "n_questions": len(benchmark.questions) if benchmark else 0,
        "findings": [{name: _json(getattr(finding, name)) for name in names} for finding in findings],
    }


def _json(value: Any) -> Any:
    return shown(value) if isinstance(value, str) else value


def _summary(benchmark: Benchmark | None, severities: Counter[str]) -> str:
    counts = [_count(severities[name], name) for name in ("error", "warning") if severities[name]]
    counts += [f"{severities['info']} info"] if severities["info"] else []
    if benchmark is None:
        return ", ".join(counts)
    n_checks = sum(len(checks) for checks in benchmark.checks.values())
    what = f"{_count(len(benchmark.questions), 'question')}, {_count(n_checks, 'check')}"
    return f"{what}: {', '.join(counts) or 'all is well'}"


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


@click.command("compile")
@BENCHMARK
@OUTPUT
@click.option("--flat", is_flag=True, help="Make the flat rubric to compare the method with.")
@click.option("--explain", is_flag=True, help="Show each meta-rubric as a tree, its checks beside each item.")
@click.option("--question", "names", multiple=True, metavar="ID", help="Only this question; may be repeated.")
@click.option("--diff", "old", metavar="OLD", help="Show what changed since this older version of the benchmark.")
@format_option("jsonl", "json", "table", default=None)
def compile_command(benchmark: str, *, old: str | None, explain: bool, form: str | None, **options: Any) -> int:
    """Compile meta-rubrics to checks.

    The same rubric gives byte-identical checks everywhere. --flat compiles facts, options and steps only:
    no coverage, sequence or insight check. --diff shows the checks that differ from an older version, and which of them
    a run would ask again. Exits 1 when an edit is stale, so that it was not applied.

    \b
    Examples:
      gamut compile my-benchmark -o checks.jsonl
      gamut compile my-benchmark --explain --question food-001
      gamut compile my-benchmark --diff my-benchmark-1.0
    """
    if old and (explain or options["flat"] or options["names"]):
        raise click.UsageError("--diff compares whole benchmarks; leave out --explain, --flat and --question")
    if Path(options["output"]).suffix in (".csv", ".parquet"):
        raise click.UsageError(
            "compile writes JSON; for .csv and .parquet use: gamut export BENCHMARK --checks -o FILE"
        )
    if options["output"] != "-" and (explain or old or form == "table"):
        raise click.UsageError("--explain, --diff and --format table are shown, not written; leave out -o, or redirect")
    loaded = read_benchmark(benchmark)
    refuse_overwriting(loaded.files, options["output"])
    if old:
        if form == "jsonl":
            raise click.UsageError("--diff is shown as a table or as json")
        show_difference(load_benchmark(old), loaded, form or "table")
    else:
        _show_checks(loaded, explain, form or "jsonl", **options)
    return exit_code(loaded)


def _show_checks(
    benchmark: Benchmark, explain: bool, form: str, *, output: str, flat: bool, names: tuple[str, ...]
) -> None:
    questions = [benchmark.question(name) for name in names] or list(benchmark.questions)
    compiled = [(question, benchmark.compiled(question, flat=flat)) for question in questions]
    if explain:
        from gamut_eval.cli.tree import print_tree

        for question, checks in compiled:
            print_tree(question, checks, console())
    elif form == "table":
        _print_checks([check for _, checks in compiled for check in checks])
    else:
        rows = [check.to_dict() for _, checks in compiled for check in checks]
        _write(output, dump_rows(rows) if form == "jsonl" else dump_json(rows))


def _print_checks(checks: list[Check]) -> None:
    from rich.table import Table

    table = Table("question", "check", "tier", "kind", "text", box=None, pad_edge=False)
    for check in checks:
        table.add_row(*(plain_text(cell) for cell in (check.question_id, check.id, check.tier, check.kind, check.text)))
    console().print(table)


def _write(output: str, data: bytes) -> None:
    write_data(data) if output == "-" else write_bytes(output, data)
