import pytest

from gamut_eval.errors import InputError
from gamut_eval.llm.call import Sampling
from gamut_eval.llm.endpoint import CallOptions, endpoint
from gamut_eval.llm.providers import PROVIDERS

KEY = "sk-secret-0123456789"


def made(name="openai/gpt-5.4", defaults=Sampling(), **options):  # noqa: B008 (immutable)
    return endpoint(name, CallOptions(**({"environment": {"OPENAI_API_KEY": KEY}} | options)), defaults)


def refused(*args, **options):
    with pytest.raises(InputError) as caught:
        made(*args, **options)
    return str(caught.value)


def test_a_provider_knows_its_address_and_key():
    one = made()
    assert (one.name, one.model) == ("openai/gpt-5.4", "gpt-5.4")
    assert one.base_url == "https://api.openai.com/v1"
    assert one.host == "https://api.openai.com"
    assert one.headers["Authorization"] == f"Bearer {KEY}"


def test_the_key_is_in_no_text_that_is_shown():
    assert KEY not in repr(made())
    assert KEY not in str(vars(made()) | {"key": ""})


def test_a_model_s_name_may_have_slashes():
    assert made("openrouter/meta/llama:free", environment={"OPENROUTER_API_KEY": KEY}).model == "meta/llama:free"


@pytest.mark.parametrize("name", sorted(PROVIDERS))
def test_every_provider_gives_an_endpoint_or_says_what_it_lacks(name):
    environment = dict.fromkeys(PROVIDERS[name].key_env, KEY)
    if PROVIDERS[name].base_url is None:
        assert "--base-url" in refused(f"{name}/m", environment=environment)
    base_url = None if PROVIDERS[name].base_url else "https://x.example/v1"
    one = made(f"{name}/m", environment=environment, base_url=base_url)
    assert (KEY in str(one.headers)) == bool(environment)


def test_azure_takes_its_key_in_a_header_of_its_own():
    one = made("azure/d", environment={"AZURE_OPENAI_API_KEY": KEY}, base_url="https://x.openai.azure.com/openai/v1")
    assert one.headers["api-key"] == KEY
    assert "Authorization" not in one.headers


@pytest.mark.parametrize("name", ["gpt-5.4", "openai/", "/m", "", " / "])
def test_a_name_without_a_model_is_refused_with_an_example(name):
    assert "provider/model" in refused(name)


def test_an_unknown_provider_is_refused_with_near_ones_and_the_way_out():
    message = refused("opnai/gpt")
    assert "openai" in message
    assert "--base-url" in message


def test_any_name_will_do_with_an_address():
    one = made("mine/m", base_url="http://localhost:9/v1/chat/completions/".rstrip("/"))
    assert one.base_url == "http://localhost:9/v1"
    assert "Authorization" not in one.headers


@pytest.mark.parametrize(
    "base_url",
    [
        "localhost:8080",
        "ftp://x.example/v1",
        "http://",
        "http://:80/v1",
        "http://x.example:99999/v1",
        "http://x.example:port/v1",
        "http://[::1/v1",
        "http://x example/v1",
        "user:hunter2@x.example/v1",
        "http://user:hunter2@x.example/v1",
        "http://hunter2@x.example/v1",
        "https://x.example/v1?key=hunter2",
        "https://x.example/v1#part",
    ],
)
def test_a_wrong_address_is_refused_and_no_password_repeated(base_url):
    message = refused("mine/m", base_url=base_url)
    assert "--base-url" in message
    assert "hunter2" not in message


def test_space_around_an_address_is_of_no_account():
    assert made("mine/m", base_url=" http://localhost:9/v1/ ").base_url == "http://localhost:9/v1"


@pytest.mark.parametrize("environment", [{}, {"OPENAI_API_KEY": ""}, {"OPENAI_API_KEY": "  "}])
def test_a_missing_key_names_its_variable(environment):
    message = refused(environment=environment)
    assert "OPENAI_API_KEY" in message
    assert "--env-file" in message


def test_the_first_variable_that_is_set_wins():
    environment = {"GEMINI_API_KEY": "", "GOOGLE_API_KEY": KEY}
    assert made("google/gemini", environment=environment).key == KEY
    assert made("google/gemini", environment=environment | {"GEMINI_API_KEY": "first"}).key == "first"


def test_a_variable_of_one_s_own_is_used_and_has_to_be_set():
    options = {"base_url": "http://localhost:9/v1", "api_key_env": "MINE"}
    assert made("mine/m", environment={"MINE": f" {KEY}\n"}, **options).key == KEY
    assert "MINE" in refused("mine/m", environment={"OPENAI_API_KEY": KEY}, **options)


def test_the_address_of_a_provider_may_be_another_and_then_needs_no_key():
    assert made(base_url="http://localhost:9/v1", environment={}).key == ""


@pytest.mark.parametrize("key", ["sk-\u200bsecret", "sk secret\tone", "sk-“quoted”"])
def test_a_key_that_is_none_is_refused_without_being_repeated(key):
    message = refused(environment={"OPENAI_API_KEY": key})
    assert "OPENAI_API_KEY" in message
    assert "secret" not in message
    assert "quoted" not in message


def test_given_parameters_go_over_the_defaults():
    defaults = Sampling(temperature=0.0, max_tokens=4096, more={"a": 1, "b": 1})
    one = made(defaults=defaults, args={"temperature": 0.7, "b": 2, "max_completion_tokens": 9})
    assert one.sampling == Sampling(temperature=0.7, max_tokens=9, more={"a": 1, "b": 2})
    assert made(defaults=defaults).sampling == defaults


@pytest.mark.parametrize(
    ("options", "lacks", "variables"),
    [
        ({}, False, ("OPENAI_API_KEY",)),
        ({"environment": {}}, True, ("OPENAI_API_KEY",)),
        ({"environment": {}, "base_url": "http://localhost:1/v1"}, False, ("OPENAI_API_KEY",)),
        ({"environment": {}, "base_url": "http://localhost:1/v1", "api_key_env": "MINE"}, True, ("MINE",)),
    ],
)
def test_a_key_is_missing_only_where_there_should_be_one(options, lacks, variables):
    one = made(needs_key=False, **options)
    assert (one.lacks_key, one.key_variables) == (lacks, variables)
