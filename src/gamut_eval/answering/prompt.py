"""What a model is told that answers: in the spirit of the paper, an assistant that one wears and asks in passing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gamut_eval.hashing import sha256
from gamut_eval.records import Variant

VERSION = 1
"""Of both texts. A changed text is a new version: questions are then asked anew."""

_ANSWER = """\
Answer thoroughly and factually, in text that stands by itself: say what it is about, cover everything that the question
asks for and what a knowledgeable person would add, and state facts plainly. Do not ask back; where something cannot be
known, say so and say what can."""

WITH_IMAGE = f"""\
You are the assistant in a pair of glasses. The person who wears them asks you about what they see; the picture is what
the camera saw at that moment, perhaps blurred, turned, dark or half hidden. First make out what the question is about,
then answer it. If the picture does not show it well enough to tell, say so rather than guess.

{_ANSWER}"""

TEXT_ONLY = f"""\
You are the assistant that a person asks in passing, in the middle of everyday life.

{_ANSWER}"""


@dataclass(frozen=True)
class AnswerPrompt:
    """The system messages for the two variants; either may be the user's own."""

    with_image: str = WITH_IMAGE
    text_only: str = TEXT_ONLY

    @cached_property
    def hash(self) -> str:
        """SHA-256 of both; a part of every answer's key."""
        return sha256([VERSION, self.with_image, self.text_only])

    def messages(self, question: str, variant: Variant, image: Mapping[str, Any] | None) -> list[dict[str, Any]]:
        """The messages for one question; ``image`` is a part of a message."""
        system = self.with_image if variant == "image" else self.text_only
        text: Any = question if image is None else [image, {"type": "text", "text": question}]
        return [{"role": "system", "content": system}, {"role": "user", "content": text}]
