import asyncio
import base64
import io
import json

import pytest
from PIL import Image

import stub_server as s
from gamut_eval.answering.answerer import Answer, Asking, fingerprint
from gamut_eval.answering.model_answerer import DEFAULTS, ModelAnswerer
from gamut_eval.answering.models import AnswerOptions, model_answerer
from gamut_eval.answering.prompt import TEXT_ONLY, WITH_IMAGE, AnswerPrompt
from gamut_eval.benchmark.images import image_type
from gamut_eval.benchmark.load import load_benchmark
from gamut_eval.llm.client import sessions
from gamut_eval.llm.endpoint import CallOptions
from gamut_eval.llm.pictures import MAX_BYTES, Pictures
from gamut_eval.records import Failure
from model_study import questions, write_rows

ASKING = Asking("q", "What is in pesto?", "text_only")


def ask(answerer, *askings):
    async def main():
        async with sessions():
            return [await answerer.answer(asking) for asking in askings]

    return asyncio.run(main())


@pytest.fixture
def answerer(connect):
    return ModelAnswerer(connect(sampling=DEFAULTS, role="model"))


def test_a_question_is_one_call_in_the_endpoint_s_own_manner(stub, answerer):
    stub.answers(s.completion("Basil."))
    (given,) = ask(answerer, ASKING)
    assert given == Answer(
        "Basil.", {"finish_reason": "stop", "served_by": "stub-1.0", "prompt_tokens": 120, "completion_tokens": 30}
    )
    system = {"role": "system", "content": TEXT_ONLY}
    assert stub.bodies == [
        {"model": "m", "messages": [system, {"role": "user", "content": "What is in pesto?"}]},
    ]


@pytest.mark.parametrize(
    ("reply", "given"),
    [
        (
            s.completion(None, message={"refusal": "I cannot help with pesto."}),
            Answer("I cannot help with pesto.", {"refusal": True, "served_by": "stub-1.0"}),
        ),
        (s.completion(""), Answer("", {"finish_reason": "stop", "served_by": "stub-1.0"})),
        (s.NULL_CONTENT, Answer("", {"finish_reason": "stop", "served_by": "stub-1.0"})),
    ],
)
def test_a_refusal_and_an_empty_reply_that_the_model_ended_are_answers(stub, answerer, reply, given):
    stub.answers(reply)
    assert ask(answerer, ASKING) == [given]


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (s.completion("Basil and", "length"), "truncated"),
        (s.completion(None, "length"), "truncated"),
        (s.completion("", None), "empty"),
        (s.completion("Basil", "content_filter"), "content_filter"),
        (s.FILTERED, "content_filter"),
        (s.error(400, "This model's maximum context length is 8192 tokens."), "too_long"),
        (s.error(400, "Something else."), "rejected"),
    ],
)
def test_a_reply_that_was_withheld_or_cut_off_is_a_failure_and_asked_for_once(stub, answerer, reply, code):
    stub.answers(reply)
    (given,) = ask(answerer, ASKING)
    assert isinstance(given, Failure)
    assert given.code == code
    assert len(stub.requests) == 1


def test_parameters_are_sent_and_are_part_of_the_fingerprint(stub):
    def made(**args):
        options = CallOptions(base_url=stub.base_url, environment={}, args=args)
        return model_answerer("stub/m", AnswerOptions(options))

    ask(made(temperature=0.5, seed=7, top_k=3), ASKING)
    assert {name: stub.bodies[0][name] for name in ("temperature", "seed", "top_k")} == {
        "temperature": 0.5,
        "seed": 7,
        "top_k": 3,
    }
    told = {fingerprint(made(**args)) for args in ({}, {"temperature": 0}, {"temperature": 1}, {"seed": 1})}
    assert len(told) == 4


def test_prompts_are_part_of_the_fingerprint_and_the_address_is_not(connect, stub):
    def made(prompt=None, **options):
        return fingerprint(ModelAnswerer(connect(role="model", **options), prompt))

    assert len({made(), made(AnswerPrompt("a")), made(AnswerPrompt(text_only="a"))}) == 3
    assert made() == made(base_url="http://localhost:9/v1", connections=3, timeout_s=5)


def test_samples_have_places_of_their_own_in_the_cache(stub, connect, tmp_path):
    cached = ModelAnswerer(connect(role="model", cache=tmp_path / "replies.sqlite"))
    texts = iter("abcdef")
    stub.script = lambda body, seen: s.completion(next(texts))
    samples = [Asking("q", "?", "text_only", sample) for sample in range(3)]
    assert [given.text for given in ask(cached, *samples)] == ["a", "b", "c"]
    assert [given.text for given in ask(cached, *reversed(samples))] == ["c", "b", "a"]
    assert len(stub.requests) == 3


def test_samples_with_a_seed_are_sent_seeds_of_their_own(stub):
    """One seed for all would give the same answer as often as it is asked for."""
    options = CallOptions(base_url=stub.base_url, environment={}, args={"seed": 7})
    ask(model_answerer("stub/m", AnswerOptions(options)), *(Asking("q", "?", "text_only", n) for n in range(3)))
    assert [body["seed"] for body in stub.bodies] == [7, 8, 9]


class TestOfPictures:
    """An upright picture is red on the left and blue on the right, 60 pixels wide and 40 high."""

    def upright(self):
        picture = Image.new("RGB", (60, 40), "red")
        picture.paste("blue", (30, 0, 60, 40))
        return picture

    def sent(self, stub, answerer, tmp_path, name, data):
        (tmp_path / name).write_bytes(data)
        rows = questions(1, image={"path": name})
        loaded = load_benchmark(write_rows(tmp_path / "bench.jsonl", rows))
        ask(answerer, Asking("q000", "What?", "image", 0, Pictures(loaded).part("q000")))
        (body,) = stub.bodies
        system, user = body["messages"]
        assert system["content"] == WITH_IMAGE
        picture, text = user["content"]
        assert text == {"type": "text", "text": "What?"}
        assert picture["type"] == "image_url"
        kind, _, encoded = picture["image_url"]["url"].removeprefix("data:").partition(";base64,")
        assert len(encoded) <= MAX_BYTES
        data = base64.b64decode(encoded, validate=True)
        assert image_type(data) == kind
        return Image.open(io.BytesIO(data))

    def stored(self, picture, kind, **options):
        stream = io.BytesIO()
        picture.save(stream, kind, **options)
        return stream.getvalue()

    @pytest.mark.parametrize(("name", "kind"), [("a.png", "WEBP"), ("b", "JPEG"), ("c.jpg", "PNG"), ("d.gif", "BMP")])
    def test_the_type_is_that_of_the_bytes_whatever_the_name(self, stub, answerer, tmp_path, name, kind):
        options = {} if kind in ("PNG", "BMP") else {"quality": 95}
        picture = self.sent(stub, answerer, tmp_path, name, self.stored(self.upright(), kind, **options))
        assert picture.size == (60, 40)

    @pytest.mark.parametrize(
        ("orientation", "turned"), [(3, Image.Transpose.ROTATE_180), (6, Image.Transpose.ROTATE_90)]
    )
    def test_a_turned_picture_is_sent_upright(self, stub, answerer, tmp_path, orientation, turned):
        exif = Image.Exif()
        exif[0x0112] = orientation
        data = self.stored(self.upright().transpose(turned), "JPEG", quality=95, exif=exif)
        picture = self.sent(stub, answerer, tmp_path, "a.jpg", data)
        assert picture.size == (60, 40)
        left, right = (picture.convert("RGB").getpixel((x, 20)) for x in (10, 50))
        assert left[0] > 200 > left[2]
        assert right[2] > 200 > right[0]
        assert picture.getexif().get(0x0112, 1) == 1


def test_the_key_is_sent_and_is_in_no_setting(stub):
    options = CallOptions(base_url=stub.base_url, api_key_env="MINE", environment={"MINE": "sk-very-secret"})
    answerer = model_answerer("stub/m", AnswerOptions(options))
    ask(answerer, ASKING)
    assert stub.requests[0].headers["Authorization"] == "Bearer sk-very-secret"
    assert "secret" not in json.dumps(dict(answerer.settings)) + repr(answerer.client.endpoint)
