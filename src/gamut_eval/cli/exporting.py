"""The command that writes what a benchmark or a run holds to a file."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import orjson
import polars as pl

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.load import image_root
from gamut_eval.benchmark.parquet_file import columns_of, write_parquet
from gamut_eval.benchmark.question import Question
from gamut_eval.benchmark.settings import CompileSettings, ScoringSettings
from gamut_eval.benchmark.write import question_row, write_csv, write_folder, write_jsonl
from gamut_eval.cli.main import DONE, DONE_WITH_FINDINGS
from gamut_eval.cli.output import exit_code, output_option, read_benchmark, say, say_incomplete
from gamut_eval.errors import InputError
from gamut_eval.files import dump_json, read_text, refuse_overwriting, write_bytes
from gamut_eval.records import VERDICTS, Failure, Judgement, Outcome, Response, Verdict, VerdictRow
from gamut_eval.rubric.check import Check
from gamut_eval.rubric.fields import TIERS
from gamut_eval.run import Run
from gamut_eval.running.journal import FILE
from gamut_eval.scoring.score import Scores

FOLDER = "a folder"
_FORMATS = {
    "questions": (".jsonl", ".parquet", FOLDER),
    "checks": (".jsonl", ".parquet", ".csv"),
    "responses": (".jsonl", ".parquet", ".csv"),
    "verdicts": (".jsonl", ".parquet", ".csv"),
    "scores": (".json", ".jsonl", ".parquet", ".csv"),
}
_CSV_COLUMNS = ("question_id", "id", "tier", "kind", "text", "item_id", "guidance", "evidence", "source")
_RESPONSE_COLUMNS = {
    "question_id": pl.String(),
    "model": pl.String(),
    "variant": pl.String(),
    "sample": pl.Int64(),
    "response": pl.String(),
    "error": pl.String(),
    "more": pl.String(),
}
_SCORE_COLUMNS = {
    "model": pl.String(),
    "variant": pl.String(),
    "judge": pl.String(),
    "n_questions": pl.Int64(),
    "n_incomplete": pl.Int64(),
    "gamut": pl.Float64(),
    "bounds": pl.List(pl.Float64()),
    "tiers": pl.Struct({tier.value: pl.Float64() for tier in TIERS}),
    "verdicts": pl.Struct({verdict.value: pl.Float64() for verdict in VERDICTS}),
}


@dataclass(frozen=True)
class _Table:
    """Rows for JSONL; the columns of a Parquet file, and its rows where they differ; the columns of CSV if not all."""

    rows: Sequence[Mapping[str, Any]]
    columns: Mapping[str, Any]
    flat: Sequence[Mapping[str, Any]] | None = None
    csv: Sequence[str] = ()

    def write(self, path: str, ending: str) -> None:
        flat = self.rows if self.flat is None else self.flat
        if ending == ".jsonl":
            write_jsonl(path, self.rows)
        elif ending == ".parquet":
            write_parquet(path, flat, self.columns)
        else:
            cells = [_cells(row) for row in flat]
            write_csv(path, cells, self.csv or list(cells[0] if cells else self.columns))


def _cells(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row without nested fields, as far as a table can be: each tier, share and bound in a column of its own."""
    cells: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            cells |= value
        elif name == "bounds":
            cells |= zip(("low", "high"), value, strict=True)
        else:
            cells[name] = value
    return cells


@click.command("export")
@click.argument("path", metavar="PATH", type=click.Path(path_type=Path))
@click.option("--questions", is_flag=True, help="Questions with their rubrics: .jsonl, .parquet, or a folder of YAML.")
@click.option("--checks", is_flag=True, help="Compiled checks: .jsonl, .parquet or .csv.")
@click.option("--responses", is_flag=True, help="A run's responses: .jsonl, .parquet or .csv.")
@click.option("--verdicts", is_flag=True, help="A run's verdicts: .jsonl (for recorded:FILE), .parquet or .csv.")
@click.option("--scores", is_flag=True, help="A run's scores: .json (all), .jsonl, .parquet or .csv (the leaderboard).")
@click.option("--layout", type=click.Choice(["huggingface"]), help="With --questions: a folder for the Hub's readers.")
@click.option("--with-images", is_flag=True, help="With --layout: embed the images in the Parquet file, too.")
@output_option("Where to; - is stdout, as JSONL.", required=True)
def export_command(path: Path, output: str, *, layout: str | None, with_images: bool, **selected: bool) -> int:
    """Write what a benchmark or a run holds to a file.

    PATH is a benchmark or a run folder. The file's ending says the format. In .csv a cell that starts with
    = + - @, a tab or a carriage return gets an apostrophe in front, so that no spreadsheet takes it for a formula.
    --layout huggingface writes a folder with a data set card and Parquet, which datasets.load_dataset and gamut read.

    \b
    Examples:
      gamut export my-benchmark --questions -o my-benchmark.parquet
      gamut export my-benchmark.jsonl --questions -o my-benchmark/
      gamut export my-benchmark --questions --layout huggingface -o to-publish
      gamut export my-benchmark --checks -o checks.csv
      gamut export runs/first --verdicts -o verdicts.jsonl
    """
    chosen = [name for name, wanted in selected.items() if wanted]
    if len(chosen) != 1:
        raise click.UsageError(f"choose one of {', '.join(f'--{name}' for name in _FORMATS)}")
    if layout or with_images:
        if chosen[0] != "questions" or not layout:
            raise click.UsageError("--layout goes with --questions, and --with-images with --layout")
        with _opened(path) as source:
            return _export_hub_folder(source, path, output, with_images=with_images)
    ending = _ending(chosen[0], output)
    with _opened(path) as source:
        if isinstance(source, Benchmark) and chosen[0] != "questions":
            refuse_overwriting(source.files, output)
        if isinstance(source, Run):
            return _EXPORTS[chosen[0]](source, path, output, ending)
        if chosen[0] not in ("questions", "checks"):
            raise InputError(f"--{chosen[0]}: {path} is a benchmark; name a run folder (one with {FILE})")
        return _EXPORTS[chosen[0]](source, path, output, ending) or exit_code(source)


def _ending(what: str, output: str) -> str:
    """The format that the file's ending asks for."""
    if output == "-":
        return ".jsonl"
    folder = output.endswith(("/", "\\")) or Path(output).is_dir()
    ending = FOLDER if folder else Path(output).suffix or FOLDER
    if ending not in _FORMATS[what]:
        named = FOLDER if ending == FOLDER else f"the ending {ending!r}"
        raise InputError(f"-o {output}: --{what} cannot be written to {named}; choose {' or '.join(_FORMATS[what])}")
    return ending


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[Benchmark | Run]:
    if (path / FILE).is_file():
        with Run.open(path) as run:
            yield run
    else:
        yield read_benchmark(path)


def _export_questions(source: Any, path: Path, output: str, ending: str) -> int:
    benchmark = _benchmark_of(source)
    root = None if isinstance(source, Run) else image_root(path)
    n = len(benchmark.questions)
    _say_comments(benchmark)
    if ending == FOLDER:
        images = write_folder(benchmark, Path(output), root)
        with_images = f", with {_count(images, 'images')}" if images else ""
        say(f"Wrote {_count(n, 'questions')} to {output}{with_images}.")
    else:
        _Table([question_row(q) for q in benchmark.questions], columns_of(Question)).write(output, ending)
        _say_written(n, "questions", output)
        _say_what_is_left(benchmark, output)
    if root is None or (ending != FOLDER and image_root(Path(output)).resolve() != root.resolve()):
        _say_images(benchmark, root)
    return DONE


def _export_hub_folder(source: Any, path: Path, output: str, *, with_images: bool) -> int:
    from gamut_eval.benchmark.hub_layout import concerns, write_hub_folder

    benchmark = _benchmark_of(source)
    root = None if isinstance(source, Run) else image_root(path)
    if output == "-" or Path(output).is_file():
        raise InputError(f"-o {output}: --layout huggingface writes a folder; name a new one")
    copied = write_hub_folder(benchmark, Path(output), root, with_images=with_images)
    shown = sum(question.image is not None for question in benchmark.questions)
    embedded = f"{_count(shown, 'images')} embedded" if with_images else ""
    files = _count(copied, "image files") if copied else ""
    images = " and ".join(filter(None, (embedded, files)))
    along = f", with {images}" if images else ""
    say(f"Wrote {_count(len(benchmark.questions), 'questions')} to {output}{along}.")
    inside = sum(bool(question.image and question.image.package) for question in benchmark.questions)
    if inside and not with_images:
        say(f"{_count(inside, 'images')} inside packages: not in the folder; --with-images embeds them.")
    if root is None:
        _say_images(benchmark, root)
    _say_comments(benchmark)
    for concern in concerns(benchmark, with_images=with_images):
        say(f"Before you publish it: {concern}.")
    return DONE if isinstance(source, Run) else exit_code(benchmark)


def _benchmark_of(source: Any) -> Benchmark:
    if isinstance(source, Benchmark):
        return source
    about = source.benchmark
    constants = {"scoring": source.scoring, "compile": source.compile}
    return Benchmark(about["name"], source.questions, about["version"], **constants)


def _say_what_is_left(benchmark: Benchmark, output: str) -> None:
    if (benchmark.scoring, benchmark.compile) != (ScoringSettings(), CompileSettings()):
        say("The benchmark's own 'scoring' and 'compile' settings are not in the file.")
        say(f"Keep its benchmark.yaml beside the file, with the line: questions: {Path(output).name}")


def _say_images(benchmark: Benchmark, root: Path | None) -> None:
    n = sum(q.image is not None and not q.image.package for q in benchmark.questions)
    if n:
        where = f"in {root}" if root else "with the benchmark"
        say(f"{_count(n, 'images')} {where}: copy to the same path beside what was written.")


def _say_comments(benchmark: Benchmark) -> None:
    """Say that comments which silence findings are lost, since only a question's own file can hold them."""
    from gamut_eval.benchmark.lint.silence import Silence

    files = sorted(file for file in benchmark.files if file.endswith((".yaml", ".yml")))
    if n := sum(Silence.of(read_text(file), file).count for file in files):
        what = f"{_count(n, 'comments')} '# gamut: ignore' not taken along"
        say(f"{what}: there 'gamut validate' will say what they silence here.")


def _export_checks(source: Any, path: Path, output: str, ending: str) -> int:
    checks = source.checks
    if isinstance(source, Benchmark):
        checks = [check for several in checks.values() for check in several]
    _Table([check.to_dict() for check in checks], columns_of(Check), csv=_CSV_COLUMNS).write(output, ending)
    _say_written(len(checks), "checks", output)
    return DONE


def _export_responses(run: Run, path: Path, output: str, ending: str) -> int:
    responses = run.responses()
    flat = [_flat_response(response) for response in responses]
    _Table([response.to_dict() for response in responses], _RESPONSE_COLUMNS, flat).write(output, ending)
    _say_written(len(responses), "responses", output)
    return DONE


def _flat_response(response: Response) -> dict[str, Any]:
    names = ("question_id", "model", "variant", "sample", "response", "error")
    more = orjson.dumps(dict(response.more)).decode() if response.more else None
    return dict(zip(names, (*response.key, response.text, response.error), strict=True)) | {"more": more}


def _export_verdicts(run: Run, path: Path, output: str, ending: str) -> int:
    frame = run.verdicts()
    flat = frame.to_dicts()
    _Table([_verdict_row(row).to_dict() for row in flat], frame.schema, flat).write(output, ending)
    _say_written(len(flat), "verdicts", output)
    return DONE


def _verdict_row(row: Mapping[str, Any]) -> VerdictRow:
    names = ("question_id", "model", "variant", "sample", "check_id", "judge", "repeat", "check_hash", "response_hash")
    more = orjson.loads(row["more"]) if row["more"] else {}
    if row["verdict"] is None:
        outcome: Outcome = Failure(row["error"], row["error_message"] or "", more)
    else:
        outcome = Judgement(Verdict(row["verdict"]), row["quote"], row["rationale"], more)
    return VerdictRow(outcome=outcome, **{name: row[name] for name in names})


def _export_scores(run: Run, path: Path, output: str, ending: str) -> int:
    scores = run.scores()
    if ending == ".json":
        write_bytes(output, dump_json(run.scores_dict(scores)))
    else:
        _Table([row.to_dict() for row in scores.rows], _SCORE_COLUMNS).write(output, ending)
    _say_written(len(scores.rows), "scores", output)
    return _exit_code(run, scores)


def _exit_code(run: Run, scores: Scores) -> int:
    if scores.incomplete:
        say_incomplete(run.source(scores))
    return DONE_WITH_FINDINGS if scores.incomplete else DONE


def _say_written(n: int, what: str, output: str) -> None:
    say(f"Wrote {_count(n, what)} to {'standard output' if output == '-' else output}.")


def _count(n: int, what: str) -> str:
    return f"{n} {what.removesuffix('s') if n == 1 else what}"


_EXPORTS: dict[str, Callable[[Any, Path, str, str], int]] = {
    "questions": _export_questions,
    "checks": _export_checks,
    "responses": _export_responses,
    "verdicts": _export_verdicts,
    "scores": _export_scores,
}
