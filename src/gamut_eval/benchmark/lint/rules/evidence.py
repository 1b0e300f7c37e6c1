"""What a rubric rests on: cited, reviewed, and to be found again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from gamut_eval.benchmark.lint.passages import graded
from gamut_eval.benchmark.lint.rule import Hit, QuestionRule
from gamut_eval.benchmark.question import Question
from gamut_eval.errors import Path
from gamut_eval.rubric.check import Check
from gamut_eval.rubric.insight import Insight
from gamut_eval.rubric.item import Item
from gamut_eval.rubric.meta import Evidence

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_NOT_IN_URLS = re.compile(r"[\s<>\"…]")
_HOST = re.compile(r"(?!-)[^\W_][\w-]*(\.[\w-]+)+\.?|\[[0-9A-Fa-f:.]+\]")


def _without_evidence(question: Question, checks: Sequence[Check]) -> Iterator[Hit]:
    bare = [(path, item) for path, item in graded(question) if not _rests_on_something(item)]
    if bare and len(bare) == sum(1 for _ in graded(question)) and not question.rubric.evidence:
        yield Hit(("rubric",), "no item cites evidence; list the pages they rest on under 'evidence' and cite them")
        return
    for path, item in bare:
        yield Hit(path, f"{item.id!r} cites no evidence; name the page that says so, by its id under 'evidence'")


def _rests_on_something(item: Item) -> bool:
    if item.evidence or (isinstance(item, Insight) and item.items):
        return True
    _, members = item.parts()
    return bool(members) and all(part.evidence for part in members)


def _cited(question: Question, checks: Sequence[Check]) -> set[str]:
    cited = {evidence_id for check in checks for evidence_id in check.evidence}
    lines = (*question.rubric.items, *question.rubric.insights)
    return cited | {evidence_id for item in lines for _, evidence_id in item.cited()}


def _entries(question: Question) -> Iterator[tuple[Path, Evidence]]:
    return ((("rubric", "evidence", place), entry) for place, entry in enumerate(question.rubric.evidence))


def _uncited(question: Question, checks: Sequence[Check]) -> Iterator[Hit]:
    cited = _cited(question, checks)
    for path, entry in _entries(question):
        if entry.id not in cited:
            yield Hit(path, f"nothing cites the evidence {entry.id!r}; cite it where it is the source, or remove it")


def _unreviewed(question: Question, checks: Sequence[Check]) -> Iterator[Hit]:
    cited = _cited(question, checks)
    for path, entry in _entries(question):
        if entry.id in cited and not entry.reviews:
            yield Hit(
                (*path, "id"), f"nobody has reviewed the evidence {entry.id!r}; have a second reader open the page"
            )


def _rejected(question: Question, checks: Sequence[Check]) -> Iterator[Hit]:
    cited = _cited(question, checks)
    for path, entry in _entries(question):
        if entry.id not in cited or not entry.reviews:
            continue
        place, last = max(enumerate(entry.reviews), key=lambda numbered: (numbered[1].at, numbered[0]))
        if not last.supports:
            message = f"the last review of {entry.id!r}, by {last.by}, says that it does not support what cites it"
            yield Hit((*path, "reviews", place), f"{message}; find another page, or change the item")


def _malformed(question: Question, checks: Sequence[Check]) -> Iterator[Hit]:
    for path, entry in _entries(question):
        if fault := url_fault(entry.url):
            yield Hit((*path, "url"), f"{entry.url!r} is no web address: {fault}")


def url_fault(url: str) -> str | None:
    """Why nobody could open the URL; None for a sound one, and for schemes other than http and https.

    >>> url_fault("www.example.org/tea")
    "it has no scheme; write 'https://www.example.org/tea'"
    >>> url_fault("https://example.org/tea?cup=1") is None, url_fault("doi:10.1000/182") is None
    (True, True)
    """
    if found := _NOT_IN_URLS.search(url):
        return f"it holds {found.group()!r}; give one address, and encode what is not allowed in it"
    if not _SCHEME.match(url) or re.match(r"[\w-]+(\.[\w-]+)+:\d", url):
        return f"it has no scheme; write 'https://{url}'"
    try:
        parsed = urlsplit(url)
        host, _ = parsed.hostname, parsed.port
    except ValueError as error:
        return f"{error}".lower()
    if parsed.scheme not in ("http", "https"):
        return None
    if not host or not parsed.netloc:
        return "it has no host; after the scheme come two slashes and the host"
    shown = f"[{host}]" if ":" in host else host
    return None if _HOST.fullmatch(shown) else f"{host!r} is no host on the web"


_ITEM = "    - {id: heat, type: simple, tier: answer_critical, statement: Tea is brewed hot.%s}\n"
_PAGE = "  evidence:\n    - id: page\n      url: %s\n      summary: Describes how tea is brewed.\n      reviews: [%s]\n"
_CITES = "rubric:\n  items:\n" + _ITEM % ", evidence: [page]"
_URL = "https://example.org/tea"
_SUPPORTS = "{by: Ada, kind: person, at: 2026-11-30, supports: true}"

RULES = (
    QuestionRule(
        code="no-evidence",
        severity="warning",
        summary="an item that cites no evidence",
        why=(
            "A rubric is graded as the truth, so each item should rest on a page that somebody else can open. A list "
            "or process is content with evidence of its own or of all its parts, an insight with the items it draws "
            "on. Where nothing in a question cites evidence, that is said once. Imported checks are left alone."
        ),
        triggers="rubric:\n  items:\n" + _ITEM % "",
        clean=_CITES + _PAGE % (_URL, _SUPPORTS),
        look=_without_evidence,
    ),
    QuestionRule(
        code="uncited-evidence",
        severity="warning",
        summary="evidence that nothing cites",
        why=(
            "It was forgotten where it belongs, or is left over from an item that is gone. Readers and reviewers "
            "spend time on it for nothing."
        ),
        triggers="rubric:\n  items:\n" + _ITEM % "" + _PAGE % (_URL, _SUPPORTS),
        clean=_CITES + _PAGE % (_URL, _SUPPORTS),
        look=_uncited,
    ),
    QuestionRule(
        code="unreviewed-evidence",
        severity="info",
        summary="cited evidence that nobody reviewed",
        why=(
            "The author's word is one person's word. In the paper every snippet is verified again by opening its "
            "source. A review records who did so, whether a person or a model, and when."
        ),
        triggers=_CITES + _PAGE % (_URL, ""),
        clean=_CITES + _PAGE % (_URL, _SUPPORTS),
        look=_unreviewed,
    ),
    QuestionRule(
        code="rejected-evidence",
        severity="warning",
        summary="cited evidence whose last review says that it does not support the claim",
        why=(
            "A reviewer opened the page and found that it does not say so. Until that is settled, the item has no "
            "source, and answers may be marked wrong for being right."
        ),
        triggers=_CITES + _PAGE % (_URL, _SUPPORTS.replace("true", "false")),
        clean=_CITES + _PAGE % (_URL, _SUPPORTS),
        look=_rejected,
    ),
    QuestionRule(
        code="malformed-url",
        severity="warning",
        summary="a URL that cannot be opened as it is written",
        why=(
            "Evidence that cannot be found again is none. Only the form is looked at, and nothing is fetched. Other "
            "schemes, such as doi: and urn:, are taken as they are."
        ),
        triggers=_CITES + _PAGE % ("www.example.org/tea", _SUPPORTS),
        clean=_CITES + _PAGE % (_URL, _SUPPORTS),
        look=_malformed,
    ),
)
