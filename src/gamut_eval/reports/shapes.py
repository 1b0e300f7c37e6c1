"""What every report is made of: a small closed set of plain shapes that any renderer can show.

::

    Section      a title, a lead, blocks
    ├── Note       one remark that must be seen
    ├── Table      columns of a kind, rows of plain cells
    ├── Bars       a group of bars a model
    ├── StackedBars  one bar a model, of shares that add up to 1
    ├── Figure     a drawing, and the numbers behind it
    └── Questions  QuestionView → ResponseView → CheckView → Opinion

Numbers are as scores have them: fractions in [−1, 1], and None where undefined. Each shape's
``shape`` names it to renderers. All texts may come from models and are untrusted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from gamut_eval.rubric.fields import Tier

ColumnKind = Literal["text", "percent", "count", "number", "interval", "coverage", "ranks", "p", "check", "verdict"]


@dataclass(frozen=True)
class CheckRef:
    """A check, and the answer beside which it is best looked at: any of a model's, or its ``sample``.

    ``text`` is what is said of it: what it asks, or why one looks at it.
    """

    question_id: str
    check_id: str
    text: str
    model: str
    variant: str
    sample: int | None = None


Cell = str | float | tuple[float, float] | CheckRef | None


@dataclass(frozen=True)
class Name:
    """A name inside a sentence; it comes from outside, and renderers keep it apart from the words around it."""

    text: str


Words = tuple[str | Name, ...]
"""A sentence, in pieces."""


def plain(words: Words) -> str:
    """The sentence as one text.

    >>> plain((Name("llama"), " leads."))
    'llama leads.'
    """
    return "".join(word if isinstance(word, str) else word.text for word in words)


@dataclass(frozen=True)
class Column:
    """A column of a table.

    ``kind`` says what its cells are: ``text``; ``percent``, a fraction shown times 100; ``count``;
    ``number``, with two decimals; ``interval``, a pair of fractions; ``coverage``, a pair (how many,
    of how many); ``ranks``, a pair, the best and the worst; ``p``, of a test; ``check``, a `CheckRef`;
    ``verdict``, a verdict or what stands in its place. ``short``
    is a title for narrow places, ``group`` a title over several columns, ``bar`` asks for a small bar
    beside the number. ``beyond_paper`` marks what the method's paper has no such column for.
    ``heat`` asks to shade the cells by their numbers. ``about`` explains the title to whoever points at it.
    ``best`` says which number is the best, where one is. ``aside``: a text that may be said in the note where it is the
    same in all rows and the table is too wide; what says what a row is has to stay. ``apart``: rows with another text
    here do not compare with these.
    """

    title: str
    kind: ColumnKind = "text"
    short: str = ""
    group: str = ""
    bar: bool = False
    beyond_paper: bool = False
    heat: bool = False
    about: str = ""
    best: Literal["highest", "lowest"] | None = None
    aside: bool = False
    apart: bool = False

    @property
    def is_text(self) -> bool:
        """Whether its cells are read as words, not compared as numbers."""
        return self.kind in ("text", "check", "verdict")


@dataclass(frozen=True)
class Table:
    """Rows of cells, a cell a column; None is undefined.

    ``of`` says which of several such tables it is, as a variant and a judge. ``caution`` is what nobody may miss who
    sees the numbers, wherever notes are not shown. ``most``: how many rows people are shown; files for programs have
    all. ``folded`` asks to show it only when it is opened.
    """

    shape: ClassVar[str] = "table"
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: Words = ()
    note: Words = ()
    sortable: bool = False
    folded: bool = False
    of: Words = ()
    caution: Words = ()
    most: int | None = None

    @property
    def heading(self) -> Words:
        """The title, and what the table is of."""
        return (*self.title, ": ", *self.of) if self.title and self.of else (*self.title, *self.of)

    @property
    def remarks(self) -> Words:
        """The caution, and the note."""
        return (*self.caution, " ", *self.note) if self.caution and self.note else (*self.caution, *self.note)

    @property
    def shown_rows(self) -> tuple[tuple[Cell, ...], ...]:
        """The rows that people are shown."""
        return self.rows[: self.most]


@dataclass(frozen=True)
class Note:
    """A remark. ``warning`` is for what changes how the numbers may be read."""

    shape: ClassVar[str] = "note"
    words: Words
    tone: Literal["note", "warning"] = "note"


@dataclass(frozen=True)
class Series:
    """One colour of a chart: ``key`` is a tier or a verdict."""

    key: str
    name: str


@dataclass(frozen=True)
class Group:
    """What a chart shows of one model: a value a series. ``note`` qualifies all of them."""

    label: str
    values: tuple[float | None, ...]
    note: str = ""


@dataclass(frozen=True)
class _Chart:
    """A chart's data, its title and what it says in one line."""

    series: tuple[Series, ...]
    groups: tuple[Group, ...]
    title: Words
    reading: Words

    def table(self, *, folded: bool = False) -> Table:
        """The same numbers as a table; a folded one stands by itself, with the chart's title."""
        columns = (Column("Model"), *(Column(series.name, "percent") for series in self.series))
        rows = tuple((group.label, *group.values) for group in self.groups)
        return Table(columns, rows, self.title, self.reading, folded=True) if folded else Table(columns, rows)


@dataclass(frozen=True)
class Bars(_Chart):
    """Bars side by side, from 0 to each value, on an axis from ``domain[0]`` to ``domain[1]``."""

    shape: ClassVar[str] = "bars"
    domain: tuple[float, float] = (0.0, 1.0)


@dataclass(frozen=True)
class StackedBars(_Chart):
    """Shares of a whole, end to end."""

    shape: ClassVar[str] = "stacked_bars"


@dataclass(frozen=True)
class Figure:
    """A drawing with its title, what it says in one line, and the numbers behind it.

    ``draw`` makes an Altair chart, with ``slim=True`` one for a narrow window, and raises a `MissingExtraError` where
    that is not installed. ``wide`` asks for the whole width of a page.
    """

    shape: ClassVar[str] = "figure"
    title: Words
    reading: Words
    data: Table
    draw: Callable[..., Any]
    wide: bool = False


@dataclass(frozen=True)
class Opinion:
    """What one judge said of one check, or how it failed (then ``verdict`` is None and ``error`` a code).

    ``flags`` are the reasons for which a verdict that stands looks doubtful, as codes.
    """

    judge: str
    repeat: int
    verdict: str | None
    quote: str | None = None
    rationale: str | None = None
    error: str | None = None
    error_message: str | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class CheckView:
    """A check of one response with all opinions on it."""

    id: str
    tier: Tier
    kind: str
    text: str
    opinions: tuple[Opinion, ...]

    @property
    def doubtful(self) -> bool:
        """Whether any verdict on it looks doubtful."""
        return any(opinion.flags for opinion in self.opinions)


@dataclass(frozen=True)
class ScoreView:
    """A question's score by one judge, over all samples and repeats."""

    judge: str
    gamut: float | None
    bounds: tuple[float, float]
    complete: bool


@dataclass(frozen=True)
class ResponseView:
    """A response, or why there is none; its checks are in tier order, the same for every model."""

    model: str
    variant: str
    sample: int
    n_samples: int
    text: str | None
    error: str | None
    scores: tuple[ScoreView, ...]
    checks: tuple[CheckView, ...]


@dataclass(frozen=True)
class Link:
    """A cited page. ``url`` is untrusted: only http and https may become a link."""

    url: str
    title: str | None = None
    locator: str | None = None
    summary: str | None = None


@dataclass(frozen=True)
class QuestionView:
    """A question with all responses.

    ``gamut`` is the mean of its scores, None unless all are complete; ``mean_of`` says of which.
    """

    id: str
    domain: str
    text: str
    text_only: str | None
    gamut: float | None
    mean_of: str
    evidence: tuple[Link, ...]
    responses: tuple[ResponseView, ...]


@dataclass(frozen=True)
class Questions:
    """All questions."""

    shape: ClassVar[str] = "questions"
    views: tuple[QuestionView, ...]


Block = Note | Table | Bars | StackedBars | Figure | Questions


@dataclass(frozen=True)
class Section:
    """A part of the report. ``id`` is its place in the page's address."""

    id: str
    title: str
    blocks: tuple[Block, ...]
    lead: Words = field(default=())


def listed(parts: Iterable[Words]) -> Words:
    """Several phrases as an enumeration.

    >>> plain(listed([("a",), ("b",), ("c",)]))
    'a, b and c'
    """
    phrases = list(parts)
    words: list[str | Name] = []
    for place, phrase in enumerate(phrases):
        if place:
            words.append(" and " if place == len(phrases) - 1 else ", ")
        words.extend(phrase)
    return tuple(words)
