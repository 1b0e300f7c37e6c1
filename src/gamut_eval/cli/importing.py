"""The command that reads an outside data set."""

from __future__ import annotations

from typing import Any

import click

from gamut_eval.benchmark.importing.columns import parse_pairs
from gamut_eval.benchmark.importing.source import REGISTRY, Ledger, Request, Source, find_source, source_names
from gamut_eval.cli.main import DONE, DONE_WITH_FINDINGS
from gamut_eval.cli.output import output_option, say
from gamut_eval.errors import InputError
from gamut_eval.records import VARIANTS


class _WithSources(click.Command):
    """Lists the sources in its help."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        with formatter.section("Sources"):
            formatter.write_dl([(name, _summary(name)) for name in source_names()])


def _summary(name: str) -> str:
    try:
        return find_source(name).summary
    except InputError as error:  # another distribution's source that does not work
        return str(error)


@click.command("import", cls=_WithSources)
@click.argument("source", metavar="SOURCE")
@click.argument("file", metavar="FILE")
@output_option("DIR/, FILE.jsonl or FILE.parquet; - is stdout.", metavar="OUT", required=True)
@click.option("--column", "columns", multiple=True, metavar="OURS=THEIRS", help="Where a field is; may be repeated.")
@click.option("--name", metavar="NAME", help="The benchmark's name; without it the source's.")
@click.option("--split", metavar="NAME", help="gamut, crag-mm: only this split.")
@click.option("--text-only", metavar="FILE", help="gamut: the file of the text-only split, joined by id.")
@click.option("--tier", multiple=True, metavar="THEIRS=OURS", help="gamut: what a tier of theirs is; may be repeated.")
@click.option("--benchmark", metavar="BENCH", help="responses: the benchmark that they answer.")
@click.option("--model", metavar="NAME", help="responses: the model that gave them all.")
@click.option("--variant", type=click.Choice(VARIANTS), help="responses: the variant of them all.")
@click.option("--negatives", type=click.Choice(["refuse", "list"]), help="healthbench: list them in a file beside OUT.")
@click.option("--judged", metavar="DIR", help="kqa: the judged answers and their labels to DIR, and only their facts.")
@click.option("--annotator", metavar="NAME", help="scholarqa: only the rubrics of this annotator.")
def import_command(source: str, file: str, *, output: str, columns: tuple[str, ...], **given: Any) -> int:
    """Read an outside data set.

    FILE is a file (.parquet, .jsonl, .json, .csv), a folder of them, or owner/name of a data set on the Hugging Face
    hub. What is not taken over is counted and named on stderr. Exits 1 where something of the data was left out.

    \b
    Examples:
      gamut import gamut facebook/GAMUT -o gamut
      gamut import crag-mm crag-mm-2025/crag-mm-single-turn-public -o gamut
      gamut import gamut test.parquet --text-only test_text_only.parquet -o gamut --column checks=rubric
      gamut import kqa kqa.jsonl -o kqa --judged kqa-judged
      gamut import responses answers.csv -o answers.jsonl --benchmark gamut --model my-model
    """
    found = find_source(source)
    options = {name: value for name, value in given.items() if value not in (None, ())}
    _refuse_options(source, found, options)
    if "tier" in options:
        options["tier"] = parse_pairs("--tier", options["tier"])
    request = Request(file, output, parse_pairs("--column", columns, found.columns), options)
    ledger = Ledger()
    done = found.run(request, ledger)
    for line in ledger.lines():
        say(line)
    say(done)
    return DONE_WITH_FINDINGS if ledger.anything_lost else DONE


def _refuse_options(name: str, source: Source, options: dict[str, Any]) -> None:
    known = {*source.options, *(() if source.extends or "model" in source.options else ("name",))}
    for option in options:
        if option not in known:
            takers = [one for one in source_names() if option in REGISTRY.get(one.replace("-", "_")).options]
            whose = f"it is for {' and '.join(takers)}" if takers else "only sources of benchmarks have it"
            raise click.UsageError(f"--{option.replace('_', '-')} says nothing to {name!r}; {whose}")
