import asyncio
from importlib.metadata import EntryPoint

import pytest

from gamut_eval.answering.answerer import (
    REGISTRY,
    Answer,
    Answerer,
    Asking,
    FromFunction,
    fingerprint,
    made_answerers,
)
from gamut_eval.errors import InputError
from gamut_eval.records import Failure

ASKING = Asking("q", "What is pesto?", "text_only", 2)


def answer(function, asking=ASKING):
    return asyncio.run(FromFunction(function).answer(asking))


class Own(Answerer):
    name, settings = "own", {"version": 1}

    async def answer(self, asking):
        return Answer("mine")


def provided(name):
    return FromFunction(lambda question: name, name)


def test_a_function_is_given_the_question_s_text():
    assert answer(lambda question: f"You ask: {question}") == Answer("You ask: What is pesto?")


def test_a_coroutine_function_is_awaited():
    async def slow(question):
        await asyncio.sleep(0)
        return question.upper()

    assert answer(slow) == Answer("WHAT IS PESTO?")


def test_a_function_that_says_so_is_given_the_whole_asking():
    def whole(asking: Asking):
        return f"{asking.question_id} {asking.variant} {asking.sample}"

    def quoted(asking: "Asking"):
        return whole(asking)

    assert answer(whole) == answer(quoted) == Answer("q text_only 2")


@pytest.mark.parametrize("said", [Answer("Basil.", {"refusal": False}), Failure("no", "today")])
def test_an_answer_and_a_failure_are_taken_as_they_are(said):
    assert answer(lambda question: said) is said


@pytest.mark.parametrize("said", [None, 5, b"Basil.", ["Basil."]])
def test_what_is_no_text_is_an_error_that_says_so(said):
    with pytest.raises(TypeError, match=f"returned a {type(said).__name__}, not a text"):
        answer(lambda question: said)


class Callable:
    def __call__(self, question):
        return question


def my_agent(question):
    return question


@pytest.mark.parametrize(("function", "name"), [(my_agent, "my_agent"), (Callable(), "Callable")])
def test_a_function_is_called_by_its_name(function, name):
    assert FromFunction(function).name == name
    assert FromFunction(function, "other").name == "other"


@pytest.mark.parametrize("function", [lambda: "", lambda *, question: "", int], ids=["none", "named", "opaque"])
def test_a_function_that_cannot_be_called_with_a_question_is_refused(function):
    with pytest.raises(InputError, match="question's text"):
        FromFunction(function)


def test_names_objects_and_functions_become_answerers():
    own = Own()
    made = made_answerers(["stub/m", own, my_agent, "command:cat -n"], provided)
    assert [one.name for one in made] == ["stub/m", "own", "my_agent", "command:cat -n"]
    assert made[1] is own


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([], "no model is named"),
        (["gpt-5"], "no model is called 'gpt-5'; write provider/model or command:"),
        (["comand:./agent"], "did you mean 'command'"),
        (["command"], "no model is called 'command'"),
        ([7], "7 is no model"),
        (["stub/m", "stub/m"], "two models are called 'stub/m'"),
        ([my_agent, my_agent], "two models are called 'my_agent'"),
        ([Own], "Own is a class; give a model made of it: Own()"),
    ],
)
def test_what_is_no_model_is_refused_with_what_to_write(given, words):
    with pytest.raises(InputError) as caught:
        made_answerers(given, provided)
    assert words in str(caught.value)


def test_a_fingerprint_is_of_name_and_settings():
    others = Own(), Own()
    others[0].settings, others[1].name = {"version": 2}, "other"
    assert len({fingerprint(one) for one in (Own(), *others)}) == 3
    assert fingerprint(Own()) == fingerprint(Own())


@pytest.mark.parametrize("name", [None, "", " ", 5])
def test_a_model_without_a_name_is_refused(name):
    own = Own()
    own.name = name
    with pytest.raises(InputError, match="the model Own has no name; give its class one"):
        made_answerers([own], provided)


def test_what_another_package_s_model_fails_with_is_said_without_a_traceback(monkeypatch):
    def broken(argument):
        raise RuntimeError("no such service")

    monkeypatch.setattr(REGISTRY, "_outside", {"theirs": EntryPoint("theirs", "their.module:MODEL", "group")})
    monkeypatch.setattr(REGISTRY, "_loaded", lambda point: broken)
    with pytest.raises(
        InputError, match=r"'theirs' \(their.module:MODEL\) does not work: RuntimeError: no such service"
    ):
        made_answerers(["theirs:x"], provided)
