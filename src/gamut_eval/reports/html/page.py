"""The report as one HTML page that needs nothing from outside."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from itertools import groupby
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from gamut_eval.analysis.source import Source
from gamut_eval.garbage import uncollected
from gamut_eval.reports.html import charts
from gamut_eval.reports.html.answers import answer
from gamut_eval.reports.html.drawing import drawings
from gamut_eval.reports.kind import build_sections
from gamut_eval.reports.shapes import Cell, CheckRef, ColumnKind, Figure, Questions, Section, Table, plain
from gamut_eval.reports.wording import DOUBT_NAMES, TIER_NAMES, VARIANT_NAMES, VERDICT_NAMES, shown, visible

_TEXTS = ("text", "check", "verdict")
_SHADES = 9
CheckKey = tuple[str, str, str, str, int | None]
_WEB = re.compile(r"https?://[^\s<>\"]+", re.IGNORECASE)


def render_page(source: Source) -> str:
    """The whole report: one HTML page, offline, readable without its script.

    The same source gives the same page, byte for byte. Everything that comes from outside is
    escaped and shown as text; a content security policy forbids every request, and all scripts
    and styles but the page's own.

    Parameters
    ----------
    source
        The run.

    Returns
    -------
    The page, with LF line ends and nothing that UTF-8 cannot encode.
    """
    with uncollected():
        return _rendered(source)


def _rendered(source: Source) -> str:
    templates = environment()
    css, script = _asset(templates, "report.css"), _asset(templates, "report.js")
    sections = build_sections(source)
    figures = [block for section in sections for block in section.blocks if isinstance(block, Figure)]
    drawn, lacking = drawings(figures)
    return templates.get_template("page.html").render(
        source=source,
        anchors=check_anchors(sections),
        drawings=drawn,
        lacking=lacking,
        scoring=source.scores.settings.to_dict(),
        sections=sections,
        css=Markup(css),  # noqa: S704 (a file of this package)
        script=Markup(script),  # noqa: S704 (the same)
        css_hash=_csp_hash(css),
        script_hash=_csp_hash(script),
    )


@cache
def environment() -> Environment:
    """What renders the templates of this package: all values escaped, with their control characters made visible."""
    made = Environment(
        loader=PackageLoader("gamut_eval.reports.html"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_harmless,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {
        "answer": answer,
        "bounds_in": bounds_in,
        "check_key": check_key,
        "doubt_names": DOUBT_NAMES,
        "charts": charts,
        "head_groups": head_groups,
        "plain_number": lambda number: f"{number:g}".replace("-", "−"),
        "score_domain": score_domain,
        "shown": typeset,
        "sort_value": sort_value,
        "heat_of": heat_of,
        "heat_range": heat_range,
        "title_of": lambda block: plain(block.title),
        "tier_names": {tier.value: name for tier, name in TIER_NAMES.items()},
        "variant_names": VARIANT_NAMES,
        "verdict_names": {verdict.value: name for verdict, name in VERDICT_NAMES.items()},
        "web_address": web_address,
    }
    return made


def _harmless(value: Any) -> Any:
    """What every expression of a template passes through before it is escaped."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _asset(templates: Environment, name: str) -> str:
    loader = PackageLoader("gamut_eval.reports.html")
    return loader.get_source(templates, name)[0].replace("\r\n", "\n")


def _csp_hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def web_address(url: str) -> str | None:
    """The URL if it leads to a web page; None for anything else, such as ``javascript:``.

    >>> web_address("https://example.org/a"), web_address("javascript:alert(1)")
    ('https://example.org/a', None)
    """
    try:
        host = urlsplit(url).netloc
    except ValueError:
        return None
    return url if host and _WEB.fullmatch(url) else None


def typeset(cell: Cell, kind: ColumnKind) -> str:
    """A cell as text, numbers with a real minus sign."""
    text = shown(cell, kind)
    return text if kind in _TEXTS else text.replace("-", "−")


def sort_value(cell: Cell, kind: ColumnKind) -> float | None:
    """What a cell is sorted by; None where it is text or undefined."""
    if kind in _TEXTS or cell is None:
        return None
    return round(_number(cell), 6)


def _number(cell: Cell) -> float:
    value = cell[0] if isinstance(cell, tuple) else cell
    if not isinstance(value, (int, float)):
        raise TypeError(f"{value!r} is not a number")
    return float(value)


def score_domain(table: Table) -> tuple[float, float]:
    """What the small bars of a table span: from 0, or as far below as its numbers go, to 1."""
    places = [place for place, column in enumerate(table.columns) if column.bar or column.kind == "interval"]
    cells = [row[place] for row in table.rows for place in places]
    return min([0.0, *(_number(cell) for cell in cells if cell is not None)]), 1.0


def heat_range(table: Table) -> tuple[float, float] | None:
    """The lowest and the highest number of a table's shaded columns."""
    places = [place for place, column in enumerate(table.columns) if column.heat]
    known = [_number(row[place]) for row in table.rows for place in places if row[place] is not None]
    return (min(known), max(known)) if known else None


def heat_of(cell: Cell, span: tuple[float, float] | None) -> int | None:
    """A cell's shade, 0 the lightest; None where there is no number.

    >>> heat_of(0.5, (0.0, 1.0)), heat_of(1.0, (0.0, 1.0)), heat_of(None, (0.0, 1.0))
    (4, 8, None)
    """
    if cell is None or span is None:
        return None
    low, high = span
    return min(_SHADES - 1, int((_number(cell) - low) / (high - low) * _SHADES)) if high > low else 0


def check_anchors(sections: list[Section]) -> dict[CheckKey, str]:
    """Where the page shows a check beside an answer, by question, check, model, variant and sample.

    The sample None stands for the first that is shown.
    """
    anchors: dict[CheckKey, str] = {}
    views = [
        view for section in sections for block in section.blocks if isinstance(block, Questions) for view in block.views
    ]
    for number, view in enumerate(views, start=1):
        for response_number, response in enumerate(view.responses, start=1):
            for place, check in enumerate(response.checks if response.text is not None else ()):
                for sample in (response.sample, None):
                    key = (view.id, check.id, response.model, response.variant, sample)
                    anchors.setdefault(key, f"q{number}r{response_number}c{place}")
    return anchors


def check_key(ref: CheckRef) -> CheckKey:
    """What `check_anchors` knows a check by."""
    return (ref.question_id, ref.check_id, ref.model, ref.variant, ref.sample)


def head_groups(table: Table) -> list[tuple[str, int]]:
    """Titles over neighbouring columns, with how many they are over; empty where no column has one."""
    groups = [(name, len(list(columns))) for name, columns in groupby(table.columns, key=lambda column: column.group)]
    return groups if any(name for name, _ in groups) else []


def bounds_in(table: Table, row: tuple[Cell, ...]) -> Cell:
    """The row's first interval."""
    pairs = zip(table.columns, row, strict=True)
    return next((cell for column, cell in pairs if column.kind == "interval"), None)
