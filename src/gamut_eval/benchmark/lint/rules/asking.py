"""The question itself: does it give away what the image shows, and can it be asked without?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gamut_eval.benchmark.lint.english import reads_as_english
from gamut_eval.benchmark.lint.rule import Hit, QuestionRule
from gamut_eval.benchmark.question import Question
from gamut_eval.rubric.check import Check

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_ASIDE = re.compile(r"\([^)]*\)")
_SPACELESS = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_SMALL = frozenset("a an the of and or with in on at for to by from".split())
_POINTS_AT_THE_IMAGE = re.compile(
    r"\bin (?:the|this|that|my|these) (?:attached |above )?(?:image|picture|photo|photograph)s?\b"
    r"|\bthis (?:image|picture|photo|photograph)\b"
    r"|\b(?:shown|pictured|seen|depicted) (?:here|above|below)\b"
    r"|^(?:what|who)(?:['’]s| is| are| was| were) (?:this|that|these|those)\b(?! (?:about|for|all)\b)",
    re.IGNORECASE,
)


def _leaks(question: Question, checks: Sequence[Check]) -> Iterator[Hit]:
    if question.image is None or not question.subject:
        return
    if _names(question.question, question.subject):
        message = f"names its subject, {question.subject!r}, so it can be answered without seeing the image"
        yield Hit(("question",), f"{message}; say 'this dish' or the like, and keep the name for text_only")


def _names(text: str, subject: str) -> bool:
    """Whether the text holds every word of the subject, in any order and number."""
    subject = _ASIDE.sub(" ", subject)
    if _SPACELESS.search(subject):
        return "".join(subject.split()).casefold() in "".join(text.split()).casefold()
    wanted = _keys(subject)
    return bool(wanted) and wanted <= _keys(text)


def _keys(text: str) -> set[str]:
    words = (re.sub(r"['’]s$", "", word) for word in _WORD.findall(text.casefold()))
    return {_number(word) for word in words if word not in _SMALL}


def _number(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _no_text_only(question: Question, checks: Sequence[Check]) -> Iterator[Hit]:
    if question.image is not None and question.text_only is None:
        message = "has an image and no text_only, so it is left out of text-only runs"
        yield Hit(("text_only",), f"{message}; write one that names the subject, unless it cannot be asked without")


def _needs_image(question: Question, checks: Sequence[Check]) -> Iterator[Hit]:
    if "text_only" not in question.variants:
        return
    text, field = question.asked("text_only"), "question" if question.text_only is None else "text_only"
    if (found := _POINTS_AT_THE_IMAGE.search(text)) and reads_as_english(text):
        message = f"is asked without an image, but {found.group()!r} points at one; name the subject instead"
        yield Hit((field,), message)


_IMAGE = "subject: espresso\nimage: {path: cup.jpg}\n"
_LEFT_OUT = f"question: What is this drink, and how is it made?\n{_IMAGE}"

RULES = (
    QuestionRule(
        code="leaked-subject",
        severity="warning",
        summary="a question with an image names its subject",
        why=(
            "Such a question measures knowledge, not seeing: a stranger who cannot see the image can answer it (the "
            "paper's stranger test). Found where every word of 'subject' is in 'question', in any language."
        ),
        triggers=f"question: What is an espresso, and how is it made?\n{_IMAGE}",
        clean=_LEFT_OUT,
        look=_leaks,
    ),
    QuestionRule(
        code="no-text-only",
        severity="info",
        summary="a question with an image has no text-only form",
        why=(
            "Asked in both forms, a question tells what seeing costs from what knowing costs. 'text_only: null' is "
            "right where a question cannot be asked without its image, so this is no more than a reminder."
        ),
        triggers=_LEFT_OUT,
        clean=f"{_LEFT_OUT}text_only: What is espresso, and how is it made?\n",
        look=_no_text_only,
    ),
    QuestionRule(
        code="needs-image",
        severity="warning",
        summary="a question that is asked without an image points at one (English only)",
        why=(
            "Nobody can answer 'What is this?' without seeing it, so every model fails for a reason that is not its "
            "own. The text-only form names the subject."
        ),
        triggers=f"{_LEFT_OUT}text_only: What is the drink in the picture, and how is it made?\n",
        clean=f"{_LEFT_OUT}text_only: What is espresso, and how is it made?\n",
        look=_needs_image,
    ),
)
