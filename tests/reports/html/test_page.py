import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from gamut_eval.reports.html import page
from gamut_eval.reports.html.page import render_page, web_address
from gamut_eval.reports.wording import visible

HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(1)> [x](javascript:alert(1)) ![](http://remote/p.png) "
    "</textarea></title></style></p> {{7*7}} {% raw %} ]]> --> <!-- \u202egnp \" onclick=\" ' ' &lt; &amp;"
)
ALLOWED = set(
    "html head meta title style body a svg g defs pattern rect line path text header p h1 h2 h3 small bdi dl div dt dd "
    "code nav main section table thead tbody tr th td span b figure figcaption ul ol li details summary form label "
    "input select option output mark q footer script".split()
)
VOID = {"meta", "input"}


class Page(HTMLParser):
    """What a browser would make of a page: elements, attributes, text; and whether it nests well."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.stack: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        assert len(attrs) == len(dict(attrs)), (tag, attrs)
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag, (tag, self.getpos())

    def handle_data(self, data):
        self.texts.setdefault(self.stack[-1] if self.stack else "", []).append(data)

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")

    @property
    def text(self) -> str:
        return "".join("".join(parts) for tag, parts in self.texts.items() if tag not in ("script", "style"))

    def attributes(self, name: str) -> list[str | None]:
        return [attrs[name] for _, attrs in self.elements if name in attrs]


@pytest.fixture
def hostile(source_of):
    """A run with hostile text in every field that takes text."""
    evidence = [
        {"id": "e1", "url": "javascript:alert(1)", "title": HOSTILE, "locator": HOSTILE, "summary": HOSTILE},
        {"id": "e2", "url": 'https://example.org/"onclick=alert(1)'},
        {"id": "e3", "url": "https://example.org/a?b=c&d=e", "title": "Good"},
        {"id": "e4", "url": "data:text/html,<script>alert(1)</script>"},
    ]
    check = 'c"><script>alert(1)</script>'
    rubric = {"checks": [{"id": check, "tier": "valuable", "text": HOSTILE}], "evidence": evidence}
    question = {"id": "q", "domain": HOSTILE, "question": HOSTILE, "text_only": HOSTILE + "2", "rubric": rubric}
    quiet = question | {"id": "q2", "domain": "food", "question": "What?", "text_only": None}
    text = f"{HOSTILE}\x1b[2J \x08 and\nmore {HOSTILE}"
    both = [(q, m) for q in ("q", "q2") for m in (HOSTILE, "other")]
    answers = [{"question_id": q, "model": m, "variant": "text_only", "response": text} for q, m in both[:3]]
    answers.append({"question_id": "q2", "model": "other", "variant": "text_only", "error": HOSTILE})
    said = {"quote": HOSTILE, "rationale": HOSTILE + "\x00\x1b"}
    rows = [(q, m, check, j, "contradicts", said) for q, m in both for j in (HOSTILE, "lexical")]
    rows[3] = (*rows[3][:4], None, {"error": {"code": HOSTILE, "message": HOSTILE}})
    source = source_of([question, quiet], answers, rows)
    source.benchmark.update(name=HOSTILE, version=HOSTILE, hash=HOSTILE)
    return render_page(source)


def test_hostile_text_adds_no_element_and_no_attribute(hostile):
    page = Page(hostile)
    assert page.stack == []
    tags = [tag for tag, _ in page.elements]
    assert set(tags) <= ALLOWED
    assert tags.count("script") == tags.count("style") == tags.count("title") == 1
    names = {name for _, attrs in page.elements for name in attrs}
    assert not [name for name in names if name.startswith("on")]
    assert not names & {"src", "srcset", "style", "action", "formaction", "data", "srcdoc", "xlink:href", "poster"}


def test_hostile_text_is_shown_as_it_is(hostile):
    page = Page(hostile)
    shown = visible(HOSTILE)
    assert page.text.count(shown) > 20
    assert page.texts["title"] == [f"{shown}: GAMUT report"]
    assert "{{7*7}}" in shown
    assert "\u202e" not in hostile
    assert "␛[2J" in page.text
    assert not re.search("[\x00-\x08\x0b-\x1f]", hostile)


def test_only_evidence_on_the_web_becomes_a_link(hostile):
    page = Page(hostile)
    links = [attrs for tag, attrs in page.elements if tag == "a" and not attrs["href"].startswith("#")]
    assert {attrs["href"] for attrs in links} == {"https://example.org/a?b=c&d=e"}
    assert {attrs["rel"] for attrs in links} == {"noopener noreferrer nofollow"}
    assert "javascript:alert(1)" in page.text
    assert all(href.startswith(("#", "https://example.org/")) for href in page.attributes("href"))


def test_links_within_the_page_lead_somewhere_and_ids_are_unique(hostile):
    page = Page(hostile)
    ids = page.attributes("id")
    assert len(ids) == len(set(ids))
    assert {href[1:] for href in page.attributes("href") if href.startswith("#")} <= set(ids)


def test_the_policy_allows_this_page_s_script_and_style_and_nothing_else(hostile):
    page = Page(hostile)
    (policy,) = [attrs["content"] for _, attrs in page.elements if attrs.get("http-equiv") == "Content-Security-Policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    for tag, rule in (("style", "style-src"), ("script", "script-src")):
        digest = hashlib.sha256("".join(page.texts[tag]).encode()).digest()
        assert rules.pop(rule) == f"'sha256-{base64.b64encode(digest).decode()}'"
    assert rules == {"default-src": "'none'", "img-src": "data:", "base-uri": "'none'", "form-action": "'none'"}


def test_style_and_script_ask_for_nothing(hostile):
    page = Page(hostile)
    css, script = "".join(page.texts["style"]), "".join(page.texts["script"])
    assert re.findall(r"url\(([^)]*)\)", css) == ["#hatch"]
    assert "@import" not in css
    assert not re.search(r"https?:|fetch|XMLHttp|innerHTML|eval|import\(|\.write", script)


def test_rows_of_tables_are_whole_pixels_high():
    # With fractions the rules under a column that sticks do not meet those of the others.
    css = (Path(page.__file__).parent / "templates" / "report.css").read_text(encoding="utf-8")
    rules = dict(re.findall(r"^ *([^{}\n]+) \{ ([^{}]*) \}$", css, re.M))
    wanted = ["table", ".sortable", "th, td", "thead th", ".groups th", "table, .sortable", ".pill"]
    for rule in wanted:
        sizes = re.findall(r"(?:line-height|padding(?:-\w+)?): ([^;]+)", rules[rule])
        assert sizes, rule
        for size in " ".join(sizes).split():
            assert size == "0" or not size.endswith("rem") or (float(size[:-3]) * 16).is_integer(), (rule, size)
            assert size.endswith(("rem", "em")) or size == "0", (rule, size)


def test_the_same_run_gives_the_same_page(mixed):
    assert render_page(mixed()).encode() == render_page(mixed()).encode()


def cells(html: str, section: str) -> list[list[str]]:
    part = html.partition(f'<section id="{section}"')[2].partition("</section>")[0]
    bodies = re.findall(r"<tbody>(.*?)</tbody>", part, re.S)
    rows = [row for body in bodies for row in re.findall(r"<tr>(.*?)</tr>", body, re.S)]
    return [
        [" ".join(Page(cell).text.split()) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)]
        for row in rows
    ]


def test_undefined_is_n_a_and_never_zero(mixed):
    source = mixed()
    rows = {(row[0], row[2]): row for row in cells(render_page(source), "leaderboard")}
    for row in source.scores.rows:
        shown = rows[row.model, row.judge]
        asked = row.n_questions + row.n_incomplete
        assert shown[5] == f"{row.n_questions} of {asked}" + (" complete" if row.n_incomplete else "")
        if row.gamut is None:
            assert shown[3] == "n/a"
            assert shown[6:] == ["n/a"] * 7
        else:
            numbers = [row.gamut, *row.tiers.values(), *row.verdicts.values()]
            assert [shown[3], *shown[6:]] == [f"{number * 100:.1f}".replace("-", "−") for number in numbers]


def test_data_behind_the_charts_is_that_of_the_scores(mixed):
    source = mixed()
    html = render_page(source)
    (row,) = [row for row in source.scores.rows if (row.model, row.judge) == ("a", "x/large")]
    assert ["a", *(f"{share * 100:.1f}" for share in row.verdicts.values())] in cells(html, "verdicts")
    assert ["a", *(f"{score * 100:.1f}".replace("-", "−") for score in row.tiers.values())] in cells(html, "tiers")


def test_header_and_footer(mixed):
    source = mixed()
    text = " ".join(Page(render_page(source)).text.split())
    assert "λ 0.5, μ −2; weights Answer-Critical 0.6, Valuable 0.3, Context 0.1; missing tier: proportional" in text
    assert "composite: ask" in text
    assert source.benchmark["hash"][:12] in text
    assert "official checks, judge model and judge prompt" in text
    assert "This run is incomplete" in text


def test_quotes_are_marked_and_linked_both_ways(source_of, question, answer):
    said = [("c0", "Fry the base"), ("c1", "the\nbase first"), ("c2", "not there")]
    verdicts = [("q", "a", check, "j", "meets", {"quote": quote}) for check, quote in said]
    html = render_page(source_of([question("q")], [answer("q", "a", "So: Fry the base  first.")], verdicts))
    marks = re.findall(r'<mark id="(\w+)" data-c="([\d ]+)"><a href="#(\w+)">([^<]*)</a></mark>', html)
    assert marks == [
        ("q1r1s1", "0", "q1r1c0", "Fry "),
        ("q1r1s2", "0 1", "q1r1c0", "the base"),
        ("q1r1s3", "1", "q1r1c1", "  first"),
    ]
    assert re.findall(r'<a class="quote" href="#(\w+)"', html) == ["q1r1s1", "q1r1s2"]
    assert '<q class="quote lost"' in html


def test_only_the_first_question_and_answer_are_open(mixed):
    opened = [
        (attrs["class"], "open" in attrs) for tag, attrs in Page(render_page(mixed())).elements if tag == "details"
    ]
    questions = [open_ for name, open_ in opened if name == "question"]
    answers = [open_ for name, open_ in opened if name == "answer"]
    assert questions == [True, False]
    assert answers == [True, *[False] * 5]


def test_empty_answers_and_several_samples(source_of, question, answer):
    answers = [answer("q", "a", " \n", sample=0), answer("q", "a", "Says 0.", sample=1)]
    verdicts = [("q", "a", f"c{n}", "j", "meets", {"sample": 1}) for n in range(3)]
    text = " ".join(Page(render_page(source_of([question("q")], answers, verdicts))).text.split())
    assert "The answer is empty." in text
    assert "sample 1 of 2" in text
    assert "sample 2 of 2" in text


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " javascript:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "//example.org",
        "/local",
        "ftp://example.org",
        "https:example.org",
        "https://",
        "https://exa mple.org",
        "http://[::1",
        'https://example.org/"x',
        "file:///etc/passwd",
    ],
)
def test_no_other_address_is_a_link(url):
    assert web_address(url) is None


@pytest.mark.parametrize("url", ["https://example.org", "HTTP://example.org/ä?q=1#x", "http://127.0.0.1:80/a_(b)"])
def test_web_addresses(url):
    assert web_address(url) == url
