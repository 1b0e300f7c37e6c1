"""Is a text English? The rules on wording know English only, and keep silent on everything else."""

from __future__ import annotations

import re
from functools import lru_cache

from gamut_eval.benchmark.question import Question

_WORD = re.compile(r"[^\W\d_]+")
_SHORT = 5
_ENGLISH = frozenset(
    """
    a an the of and or to in on at by for from with as is are was were be been has have had can may should must it its
    this that these those they their which who what how when where than into not does do there about between you your
    if might could would because such some more most many other each only both after before during through while
    """.split()
)
_SHARED = frozenset("a an as at be by do for has in is it of on or than to was".split())
"""English words that other languages have too."""
_OTHER = frozenset(
    """
    der das und ist nicht ein eine einen einem einer dem den des mit für auf von zu im wird werden sind auch oder
    le la les du et est une un dans que qui avec sur sont ne pas aux ce cette
    el los las y es con para por del se en como más il lo gli della di è che nel sono anche
    os um uma é com do da dos das em não ao het een van niet voor zijn wordt de
    och att det som ett är på för inte og er til ikke i w na z się jest nie że
    ve bir ile için yang dan dengan untuk ja ei ovat
    """.split()
)
_FRAME = (
    r"^(?:\W*(?:near|at) the (?:beginning|start|end),?\s+)?(?:the )?"
    r"(?:(?:ideal|complete|good|full|correct|best|model) )?(?:answer|response) (?:also )?"
    r"(?:should|must|could|might|may|needs? to|has to|ought to) (?:(?:also|first|then) |\w+ly )*"
)
_FRAME_ONLY = re.compile(_FRAME, re.IGNORECASE)
_FRAME_AND_VERB = re.compile(
    rf"{_FRAME}(?:(?:begin|start) (?:with|by) (?:\w+ly )?)?\w+ (?:about |on )?(?:that )?", re.IGNORECASE
)


def is_english(question: Question, text: str) -> bool:
    """Whether a text of the question reads as English, and all that the question says does.

    Errs towards no: a rule that keeps silent costs less than one that cries at German.
    """
    return reads_as_english(text) and _surely_english(" ".join([question.question, *_said(question)]))


def _said(question: Question) -> list[str]:
    return [item.summary() for item in (*question.rubric.items, *question.rubric.insights)]


@lru_cache(maxsize=65536)
def reads_as_english(text: str) -> bool:
    """Whether the words of a text look English; a short text need only show nothing else.

    >>> reads_as_english("The drink is an espresso."), reads_as_english("Das Getränk ist ein Espresso.")
    (True, False)
    """
    words = _WORD.findall(text.casefold())
    letters = "".join(words)
    if not letters or sum(map(str.isascii, letters)) < 0.9 * len(letters):
        return False
    english, other = _ENGLISH.intersection(words), _OTHER.intersection(words)
    if len(words) < _SHORT:
        return not other
    return len(english) > len(other) and (len(english) > 1 or not english <= _SHARED)


@lru_cache(maxsize=4096)
def _surely_english(text: str) -> bool:
    return reads_as_english(text) and not (_ENGLISH & set(_WORD.findall(text.casefold()))) <= _SHARED


def without_frame(text: str) -> str:
    """The text without a frame that says only that an answer should do it.

    >>> without_frame("The answer should briefly mention that tea contains caffeine.")
    'mention that tea contains caffeine.'
    """
    return _FRAME_ONLY.sub("", text, count=1)


def has_frame(text: str) -> bool:
    """Whether the text says what an answer should do, rather than a fact."""
    return _FRAME_ONLY.match(text) is not None


def told(text: str) -> str:
    """What an answer should tell, without the frame and its verb.

    >>> told("The answer should briefly mention that tea contains caffeine.")
    'tea contains caffeine.'
    """
    return _FRAME_AND_VERB.sub("", text, count=1)
