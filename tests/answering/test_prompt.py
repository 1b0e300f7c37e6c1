import os
from pathlib import Path

import pytest

from gamut_eval.answering.prompt import VERSION, AnswerPrompt

GOLDEN = Path(__file__).parents[1] / "golden"
QUESTION = "What is this dish, and how is it made?"
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,AA=="}}
HOSTILE = "{# {{7*7}} {answer} {% raw %} $HOME %s \\n {0} ${x} <b>&amp;</b>"


@pytest.mark.parametrize(
    ("name", "variant", "image"), [("answer_image.txt", "image", PICTURE), ("answer_text_only.txt", "text_only", None)]
)
def test_the_messages_are_those_of_the_golden_file(name, variant, image):
    """A changed text is a new `VERSION`; then write the files with GAMUT_GOLDEN=1."""
    system, user = AnswerPrompt().messages(QUESTION, variant, image)
    assert (system["role"], user["role"]) == ("system", "user")
    assert user["content"] == ([PICTURE, {"type": "text", "text": QUESTION}] if image else QUESTION)
    path = GOLDEN / name
    if os.environ.get("GAMUT_GOLDEN"):
        path.write_text(f"version {VERSION}\n{system['content']}\n", encoding="utf-8", newline="\n")
    assert f"version {VERSION}\n{system['content']}\n" == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("variant", ["image", "text_only"])
def test_template_syntax_is_sent_as_it_is(variant):
    own = AnswerPrompt(f"{HOSTILE} image", f"{HOSTILE} text_only")
    system, user = own.messages(HOSTILE, variant, None)
    assert (system["content"], user["content"]) == (f"{HOSTILE} {variant}", HOSTILE)


def test_the_hash_is_of_both_texts():
    hashes = {prompt.hash for prompt in (AnswerPrompt(), AnswerPrompt("a"), AnswerPrompt(text_only="a"))}
    assert len(hashes) == 3
    assert AnswerPrompt("a", "b").hash != AnswerPrompt("b", "a").hash
