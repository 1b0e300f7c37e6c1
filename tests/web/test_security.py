import pytest

from gamut_eval.web.security import HEADERS, is_ours
from gamut_eval.web.serving import listening
from view_server import study, viewed


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder, _ = study(tmp_path_factory.mktemp("secured") / "run")
    with viewed(folder) as opened:
        yield opened


@pytest.mark.parametrize(
    ("host", "ours"),
    [
        ("127.0.0.1", True),
        ("127.0.0.1:8765", True),
        ("LOCALHOST:1", True),
        ("[::1]:8765", True),
        ("", False),
        ("evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("127.0.0.1:8765@evil.example", False),
        ("evil.example:127.0.0.1", False),
        ("127.0.0.1\n", False),
        ("127.0.0.2", False),
        ("192.168.0.1", False),
    ],
)
def test_only_this_computers_own_names_are_ours(host, ours):
    assert is_ours(host) is ours


def test_a_strangers_name_that_leads_here_reads_nothing(site):
    reply = site.get("/", Host="evil.example")
    assert reply.status == 400
    assert "q0" not in reply.text
    assert reply.headers["content-security-policy"] == HEADERS["content-security-policy"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_nothing_but_reading_is_possible(site, method):
    reply = site.get("/questions", method=method)
    assert reply.status == 405
    assert reply.headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/questions",
        "/questions/q0",
        "/checks",
        "/static/view.js",
        "/static/report.css",
        "/nowhere",
        "/questions/q0/image",
        "/?model=x",
    ],
)
def test_every_reply_has_the_headers(site, path):
    headers = site.get(path).headers
    assert {name: headers.get(name) for name in HEADERS} == HEADERS
    assert headers["cache-control"] in ("no-store", "private, no-cache")
    assert "server" not in headers


@pytest.mark.parametrize(
    "part", ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"]
)
def test_the_policy_allows_no_inline_script_and_nothing_from_outside(part):
    policy = HEADERS["content-security-policy"]
    assert part in policy
    assert "unsafe" not in policy
    assert "http" not in policy


def test_a_head_request_gets_headers_and_no_page(site):
    reply = site.get("/questions", method="HEAD")
    assert (reply.status, reply.data) == (200, b"")


def test_the_socket_is_of_this_computer_alone():
    with listening(0) as ours:
        assert ours.getsockname()[0] == "127.0.0.1"
