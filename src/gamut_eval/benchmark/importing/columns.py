"""Which column of a table holds what: by name, then by the shape of its values; in doubt, the user is asked."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from gamut_eval.benchmark.importing.checks import (
    TEXT_FIELDS,
    Line,
    NotChecksError,
    UnknownTierError,
    paired_lines,
    read_lines,
)
from gamut_eval.benchmark.importing.table import Row, Table, given, is_bare_number, text_of, unpacked
from gamut_eval.benchmark.importing.tiers import TierNames, normal
from gamut_eval.errors import Finding, InputError, Place, did_you_mean

ROW_NUMBER = "#"
"""In place of a column for ``id``: the row's number."""

NAMES: dict[str, tuple[str, ...]] = {
    "id": (
        *("id", "questionid", "qid", "queryid", "promptid", "exampleid", "sampleid", "taskid", "interactionid"),
        *("sessionid", "topicid", "instanceid", "itemid", "uid", "uuid", "caseid", "key", "idx"),
    ),
    "question": ("question", "query", "questiontext", "prompt", "q", "userquery", "queryimage", "questionimage"),
    "text_only": (
        *("textonly", "questiontextonly", "textonlyquestion", "textquestion", "querytextonly", "textonlyquery"),
        *("questiontext", "standalonequestion", "selfcontainedquestion", "textonlyprompt"),
    ),
    "question_id": ("questionid", "qid", "id", "promptid", "queryid", "exampleid", "sampleid", "taskid", "topicid"),
    "model": ("model", "modelname", "modelid", "generator", "system", "runid"),
    "response": (
        *("response", "answer", "output", "completion", "prediction", "generation", "modelresponse", "modeloutput"),
        *("modelanswer", "generatedtext", "generatedanswer", "responsetext", "answertext", "responses", "outputs"),
        *("resps", "filteredresps", "messages", "conversation", "conversations"),
    ),
    "error": ("error", "exception", "errormessage"),
    "variant": ("variant", "mode", "modality", "setting"),
    "sample": ("sample", "sampleindex", "sampleidx", "trial", "attempt", "epoch", "repeat"),
    "domain": ("domain", "category", "topic", "subjectarea", "imagedomain"),
    "subject": ("subject", "entity", "imagesubject", "subjectname"),
    "split": ("split",),
    "checks": (
        *("binaryrubric", "binaryrubrics", "binarychecks", "checks", "checklist", "binarychecklist", "rubricchecks"),
        *("criteria", "rubric", "rubrics", "rubricitems", "items", "gradingrubric"),
    ),
    "tier": ("tier", "tiers", "checktier", "checktiers", "rubrictiers", "importance", "importances", "level", "levels"),
}


@dataclass(frozen=True)
class Layout:
    """How a table holds binary rubrics.

    ``lines`` reads a row's; with ``grouped``, a question's rows each hold one. ``columns`` are those
    it reads.
    """

    lines: Callable[[Row], list[Line]]
    columns: tuple[str, ...]
    grouped: bool = False


class Columns:
    """Our names for a table's columns: those that the user gave, and those that tell themselves.

    The ``table`` has what given names such as ``doc.id`` lead to as columns, too.
    """

    def __init__(self, table: Table, given: Mapping[str, str], command: str) -> None:
        self.table = table = table.with_paths(given.values())
        self._given = given
        self._command = command
        for theirs in given.values():
            if theirs != ROW_NUMBER:
                table.require(theirs)
        self.used: dict[str, str] = {}

    def find(self, ours: str, fits: Callable[[Sequence[Any]], bool] | None = None) -> str | None:
        """The column for our name: the given one, the first of a usual name, or the only one that fits; else None."""
        free = [name for name in self.table.columns if name not in self.used.values()]
        theirs = self._given.get(ours)
        if theirs is None:
            named = _usual(free, NAMES[ours])
            theirs = named[0] if named else self._by_shape(free, fits)
        if theirs is not None:
            self.used[ours] = theirs
        return theirs

    def _by_shape(self, free: Sequence[str], fits: Callable[[Sequence[Any]], bool] | None) -> str | None:
        if fits is None:
            return None
        taken = set(self._given.values())
        found = [name for name in free if name not in taken and fits([row.get(name) for row in self.table.sample])]
        return found[0] if len(found) == 1 else None

    def need(self, ours: str, fits: Callable[[Sequence[Any]], bool] | None = None) -> str:
        """`find`, or an `InputError` that shows the columns."""
        return self.find(ours, fits) or self.doubt(ours, fits=fits)

    def given(self, ours: str) -> str | None:
        """The column that the user gave."""
        return self._given.get(ours)

    def doubt(
        self,
        ours: str,
        why: str = "",
        example: str | None = None,
        fits: Callable[[Sequence[Any]], bool] | None = None,
        instead: str = "",
    ) -> NoReturn:
        """Refuse, showing the columns with what they hold, and a command that would do, if there is one.

        That names the column ``example``, or else the first that fits, or else has the option ``instead``.
        """
        if example is None and fits:
            free = [name for name in self.unused() if name not in {*self.table.bulky, *self._given.values()}]
            example = next((name for name in free if fits([row.get(name) for row in self.table.sample])), None)
        option = f"--column {shlex.quote(f'{ours}={example}')}" if example else instead
        told = f", for example: {self._command} {option}" if option else ""
        inside = " (NAME.FIELD is a field inside a column)" if not option else ""
        raise self.table.refusal(
            f"{why or f'cannot tell which column is the {ours!r}'}. The columns are\n{self.table.described()}\n"
            f"Say which with --column {ours}=NAME{inside}{told}"
        )

    def unused(self) -> list[str]:
        """The columns that nobody asked for."""
        return [name for name in self.table.columns if name not in self.used.values()]


def _usual(names: Sequence[str], usual: Sequence[str]) -> list[str]:
    """Those of the names that are usual ones, the most usual first."""
    return [name for one in usual for name in names if normal(name) == one]


def looks_like_names(values: Sequence[Any]) -> bool:
    """Whether the values are short texts, and not each another one: the names of models, say."""
    texts = [value for value in values if isinstance(value, str) and value]
    short = all(len(text) <= 100 and not is_bare_number(text) for text in texts)
    return bool(texts) and short and (len(set(texts)) < len(texts) or len(texts) == 1)


def looks_like_ids(values: Sequence[Any]) -> bool:
    """Whether each value is a short text or number without white space, and no two are the same."""
    texts = [text_of(value) for value in values]
    short = all(text and len(text) <= 100 and not any(char.isspace() for char in text) for text in texts)
    return short and len(set(texts)) == len(texts)


def looks_like_questions(values: Sequence[Any]) -> bool:
    """Whether nearly all values are texts that end in a question mark."""
    asked = [text_of(value).endswith(("?", "？", "؟")) for value in values]
    return bool(asked) and sum(asked) >= 0.8 * len(asked)


def find_layout(columns: Columns, tiers: TierNames) -> Layout:
    """Where the checks are: in a column, in two, in one a tier, or one a row.

    Raises
    ------
    InputError
        No column has the shape of a binary rubric, or several have, or a tier's name is unknown.
    """
    for attempt in (_nested, _paired, _by_tier, _one_a_row):
        if layout := attempt(columns, tiers):
            for name in layout.columns:
                columns.used[f"checks:{name}"] = name
            return layout
    _refuse_one_row(columns, tiers)
    if told := columns.given("checks"):
        columns.doubt("checks", f"the column {told!r} has no shape of a rubric: a list of {{tier, text}}, say")
    columns.doubt("checks")


def _refuse_one_row(columns: Columns, tiers: TierNames) -> None:
    """Name the first row that cannot be read where a column's other rows hold rubrics."""
    told = columns.given("checks")
    for name in [told] if told else [one for one in columns.unused() if normal(one) in NAMES["checks"]]:
        bad: list[tuple[Place, NotChecksError]] = []
        good = 0
        for place, row in columns.table.first_rows:
            try:
                good += bool(given(row, name) and read_lines(row[name], tiers))
            except NotChecksError as error:
                bad.append((place, error))
        if good and bad:
            (place, fault), more = bad[0], f" ({len(bad)} such rows among the first)" if len(bad) > 1 else ""
            message = f"{name!r} holds a rubric in other rows, but not here: it {fault}{more}; mend or empty it"
            raise InputError([Finding("columns", message, file=place.file, line=place.line)])


def _filled(table: Table, name: str) -> list[Any]:
    return [row[name] for row in table.sample if given(row, name)]


def _nested(columns: Columns, tiers: TierNames) -> Layout | None:
    told = columns.given("checks")
    free = [name for name in columns.unused() if name not in columns.table.bulky and "meta" not in normal(name)]
    candidates = [told] if told else free
    found: list[str] = []
    unknown: UnknownTierError | None = None
    for name in candidates:
        values = _filled(columns.table, name)
        try:
            if values and all(read_lines(value, tiers) for value in values):
                found.append(name)
        except UnknownTierError as error:
            unknown = unknown or error
        except NotChecksError:
            continue
    if not found:
        if unknown:
            _refuse_tier(columns, unknown)
        return None
    best = _best(columns, found)
    return Layout(lambda row: read_lines(row.get(best), tiers) if given(row, best) else [], (best,))


def _refuse_tier(columns: Columns, error: UnknownTierError) -> NoReturn:
    message = f"{error}; say which of ours it is, for example with --tier NAME=answer_critical, for each name"
    raise columns.table.refusal(message, "tier")


def _best(columns: Columns, found: list[str]) -> str:
    named = _usual(found, NAMES["checks"])
    if len(named) == 1 or (named and "binary" in normal(named[0])):
        return named[0]
    if len(found) > 1:
        columns.doubt("checks", f"{' and '.join(map(repr, found))} may all be the checks", found[0])
    return found[0]


def _paired(columns: Columns, tiers: TierNames) -> Layout | None:
    told, tier = columns.given("checks"), columns.given("tier")
    free = [name for name in columns.unused() if name not in columns.table.bulky]
    lists = [name for name in free if _filled(columns.table, name) and _of_lists(columns.table, name)]
    pairs = [
        (texts, names)
        for texts in ([told] if told else lists)
        for names in ([tier] if tier else lists)
        if texts != names and _all_pair(columns, texts, names, tiers)
    ]
    if not pairs:
        return None
    if len(pairs) > 1:
        columns.doubt("checks", f"{pairs[0][0]!r} and {pairs[1][0]!r} may both be the checks", pairs[0][0])
    texts, names = pairs[0]
    return Layout(
        lambda row: paired_lines(row.get(texts), row.get(names), tiers) if given(row, texts) else [], (texts, names)
    )


def _all_pair(columns: Columns, texts: str, names: str, tiers: TierNames) -> bool:
    try:
        rows = [row for row in columns.table.sample if given(row, texts)]
        return bool(rows) and all(paired_lines(row.get(texts), row.get(names), tiers) for row in rows)
    except UnknownTierError as error:
        if columns.given("tier") == names or normal(names) in NAMES["tier"]:
            _refuse_tier(columns, error)
        return False
    except NotChecksError:
        return False


def _by_tier(columns: Columns, tiers: TierNames) -> Layout | None:
    if columns.given("checks"):
        return None
    named = [name for name in columns.unused() if tiers.of(name) and _of_lists(columns.table, name)]
    if len(named) < 2:
        return None
    return Layout(lambda row: list(_tier_lines(row, named, tiers)), tuple(named))


def _of_lists(table: Table, name: str) -> bool:
    return all(isinstance(unpacked(value), list) for value in _filled(table, name))


def _tier_lines(row: Row, named: Sequence[str], tiers: TierNames) -> Iterator[Line]:
    filled = {name: row[name] for name in named if given(row, name)}
    return iter(read_lines(filled, tiers) if filled else [])


def _one_a_row(columns: Columns, tiers: TierNames) -> Layout | None:
    tier = columns.given("tier") or _tier_column(columns, tiers)
    if tier is None:
        return None
    free = [name for name in columns.unused() if name != tier and name not in columns.table.bulky]
    texts = [name for name in free if all(isinstance(one, str) for one in _filled(columns.table, name))]
    named = _usual(texts, (*NAMES["checks"], *TEXT_FIELDS))
    told = columns.given("checks")
    if not told and not named:
        return None
    text = told or named[0]
    try:
        for value in _filled(columns.table, tier):
            read_lines([{"text": "-", "tier": value}], tiers)
    except UnknownTierError as error:
        _refuse_tier(columns, error)
    except NotChecksError:
        return None
    name = next((one for one in free if normal(one) in ("checkid", "criterionid")), None)

    def lines(row: Row) -> list[Line]:
        entry = {"text": row.get(text), "tier": row.get(tier), "id": row.get(name or "")}
        return read_lines([entry], tiers) if given(row, text) else []

    return Layout(lines, (text, tier, name) if name else (text, tier), grouped=True)


def _tier_column(columns: Columns, tiers: TierNames) -> str | None:
    free = [name for name in columns.unused() if name not in columns.table.bulky]
    meant = [n for n in free if (some := _filled(columns.table, n)) and all(tiers.of(value) for value in some)]
    if meant:
        return next(iter(_usual(meant, NAMES["tier"])), meant[0])
    named = _usual(free, NAMES["tier"])
    scalar = [n for n in named if all(isinstance(one, str | int) for one in _filled(columns.table, n))]
    return scalar[0] if scalar else None


def parse_pairs(option: str, pairs: Sequence[str], known: Sequence[str] | None = None) -> dict[str, str]:
    """What ``--column ours=theirs`` and its like say, with our names checked.

    Raises
    ------
    InputError
        No ``=``, or none of our names.
    """
    found: dict[str, str] = {}
    for pair in pairs:
        left, equals, right = pair.partition("=")
        if not equals or not left or not right:
            raise InputError(f"{option} {pair}: write it as NAME=NAME, without spaces around the sign")
        if known is not None and left not in known:
            raise InputError(f"{option} {pair}: no field {left!r}{did_you_mean(left, known, 'field')}")
        if found.setdefault(left, right) != right:
            raise InputError(f"{option} {pair}: {left!r} is given twice; give it once")
    return found
