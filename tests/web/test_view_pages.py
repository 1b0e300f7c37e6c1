"""What the viewer's pages say, against the verdicts that the run was made of."""

import html
import re
from collections import Counter

import pytest

from gamut_eval.run import Run
from view_server import answer, question, study, verdict, viewed, write_run


@pytest.fixture(scope="module")
def studied(tmp_path_factory):
    folder, given = study(tmp_path_factory.mktemp("studied") / "first")
    with viewed(folder) as site:
        yield site, given, folder


@pytest.fixture
def site(studied):
    return studied[0]


def _shown(value):
    return f"{value * 100:.1f}".replace("-", "−")


# --- overview -------------------------------------------------------------------------------------


def test_the_overview_has_the_scores_of_the_run(studied):
    site, _, folder = studied
    with Run.open(folder) as run:
        rows = {(row.model, row.judge): row for row in run.scores().rows}
    for judge in ("x/one", "x/two", "panel", "consensus"):
        page = site.until(lambda page: "…" not in page.text.split("<table")[1], f"/?judge={judge}")
        for (model, of), row in rows.items():
            if of == judge and row.gamut is not None:
                assert f"<b>{_shown(row.gamut)}</b>" in page.text, (model, judge)


def test_the_overview_leads_to_the_questions_of_a_model_and_a_verdict(site):
    page = site.until(lambda page: "Models that share a letter" in page.text)
    (all_of_it,) = page.links("acme/large")
    assert all_of_it.startswith("/questions?")
    assert "model=acme%2Flarge" in all_of_it
    shares = [to for to in re.findall(r'href="([^"]*verdict=contradicts[^"]*)"', page.text) if "large" in to]
    assert len(shares) == 1
    assert "95% interval" in page.words


def test_the_overview_says_that_all_verdicts_are_there(site):
    assert "72 verdicts, all there" in site.get("/").words
    assert "72 by 2 judges" in site.get("/").words


# --- lists ----------------------------------------------------------------------------------------


def _matching(given, **wanted):
    """How many verdicts on each question are as wanted."""
    names = ("question", "model", "check", "judge", "verdict")
    found = Counter()
    for key, said in given.items():
        row = dict(zip(names, (*key, said), strict=True))
        found[row["question"]] += all(row[name] in values for name, values in wanted.items())
    return +found


@pytest.mark.parametrize("said", ["meets", "partially_meets", "missing", "contradicts"])
@pytest.mark.parametrize("judge", ["x/one", "x/two", "panel"])
def test_questions_with_a_verdict_are_those_that_got_it(studied, said, judge):
    site, given, _ = studied
    page = site.get(f"/questions?verdict={said}&judge={judge}&sort=matches")
    wanted = _matching(given, verdict=[said], judge=["x/one", "x/two"] if judge == "panel" else [judge])
    assert set(page.listed) == set(wanted)
    assert [wanted[name] for name in page.listed] == sorted(wanted.values(), reverse=True)


def test_a_filter_by_model_tier_and_verdict_together(studied):
    site, given, _ = studied
    page = site.get("/questions?judge=x/two&model=acme/small&tier=valuable&verdict=missing")
    wanted = _matching(given, judge=["x/two"], model=["acme/small"], check=["c1"], verdict=["missing"])
    assert page.listed == sorted(wanted)
    assert 0 < len(wanted) < 6


def test_a_filter_by_domain(site):
    assert site.get("/questions?domain=food").listed == ["q1", "q3", "q5"]
    assert site.get("/questions?domain=animal").listed == ["q0", "q2", "q4"]


def test_a_filter_by_score_is_by_the_mean_that_is_shown(studied):
    site, _, folder = studied
    with Run.open(folder) as run:
        rows = run.scores().questions.filter(judge="panel").group_by("question_id").agg(mean="gamut")
        means = {name: sum(values) / 2 for name, values in rows.iter_rows()}
    middle = sorted(means.values())[2] * 100
    above = site.get(f"/questions?judge=panel&low={middle + 0.01:.4f}").listed
    below = site.get(f"/questions?judge=panel&high={middle + 0.01:.4f}").listed
    assert set(above) == {name for name, mean in means.items() if mean * 100 > middle + 0.01}
    assert sorted([*above, *below]) == sorted(means)


@pytest.mark.parametrize("key", ["score", "missing", "contradicts", "spread", "disagreement", "place"])
def test_the_other_way_round_is_the_reverse_but_for_equals(site, key):
    forth, back = site.get(f"/questions?sort={key}"), site.get(f"/questions?sort=-{key}")
    assert sorted(forth.listed) == sorted(back.listed) == [f"q{at}" for at in range(6)]
    assert forth.listed != back.listed


def test_sorting_by_score_begins_with_the_worst(studied):
    site, _, folder = studied
    with Run.open(folder) as run:
        rows = run.scores().questions.filter(judge="x/one").group_by("question_id").agg(mean="gamut")
        means = {name: round(sum(values), 9) for name, values in rows.iter_rows()}
    listed = site.get("/questions?sort=score&judge=x/one").listed
    assert [means[name] for name in listed] == sorted(means.values())


def test_missing_and_contradicted_are_counted_over_all_models(studied):
    site, given, _ = studied
    page = site.get("/questions?judge=x/one")
    rows = re.findall(r"<tr>\s*<th scope=\"row\">.*?</tr>", page.text, re.DOTALL)
    counts = [re.findall(r"<td>(\d+)</td>", row) for row in rows]
    missing, contradicted = (_matching(given, judge=["x/one"], verdict=[v]) for v in ("missing", "contradicts"))
    assert counts == [[str(missing[name]), str(contradicted[name])] for name in page.listed]


def test_a_list_has_pages(tmp_path):
    questions = [question(f"q{at:03}", 1) for at in range(120)]
    answers = [answer(row["id"], "m") for row in questions]
    rows = [verdict(row["id"], "m", "c0", "j", "meets") for row in questions]
    with viewed(write_run(tmp_path / "run", questions, answers, rows)) as site:
        first, last = site.get("/questions"), site.get("/questions?page=3")
        assert first.listed == [f"q{at:03}" for at in range(50)]
        assert last.listed == [f"q{at:03}" for at in range(100, 120)]
        assert "page 3 of 3" in last.words
        assert first.links("next →") == ["/questions?page=2"]
        assert site.get("/questions?page=999").listed == last.listed
        assert site.get("/questions/q075").links("↑ all questions") == ["/questions?page=2"]


# --- search ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("q3", ["q3"]),
        ("large q2 zero", ["q2"]),
        ("LARGE SAYS", ["q0", "q1", "q2", "q3", "q4", "q5"]),
        ("because", ["q0", "q1", "q2", "q3", "q4", "q5"]),
        ("nowhere", []),
        ("???", []),
        ('"q3" OR q4', []),
        ("q3*", ["q3"]),
        ("animal", ["q0", "q2", "q4"]),
    ],
)
def test_words_are_found_in_questions_answers_and_reasons(site, words, found):
    from urllib.parse import quote

    assert site.get(f"/questions?q={quote(words)}").listed == found


def test_search_and_filter_together(site):
    assert site.get("/questions?q=says&domain=food").listed == ["q1", "q3", "q5"]


# --- a question -----------------------------------------------------------------------------------


def test_a_question_shows_each_judges_verdict_on_each_check_of_each_model(studied):
    site, given, _ = studied
    for name in ("q0", "q3"):
        page = site.get(f"/questions/{name}")
        cells = re.findall(r'<td id="(r\d+)c(\d+)">(.*?)</td>', page.text, re.DOTALL)
        sides = re.findall(r'<h2 id="(r\d+)-model"><bdi>([^<]*)</bdi>', page.text)
        models = dict(sides)
        seen = {}
        for side, place, cell in cells:
            for verdict_, judge in re.findall(r'<b class="v (\w+)">.*?<bdi class="by">([^<]*)</bdi>', cell, re.DOTALL):
                seen[name, models[side], f"c{place}", judge] = verdict_
        assert seen == {key: value for key, value in given.items() if key[0] == name}


def test_one_judge_may_be_chosen(site):
    page = site.get("/questions/q0?judge=x/two")
    assert "x/two" in page.text.split("<table")[1]
    assert "x/one" not in page.text.split("<table")[1]


def test_the_models_beside_each_other_may_be_chosen(site):
    page = site.get("/questions/q0?models=acme/small")
    assert re.findall(r'<h2 id="r\d+-model"><bdi>([^<]*)</bdi>', page.text) == ["acme/small"]


def test_neighbours_are_those_of_the_filter(site):
    page = site.get("/questions/q3?domain=food&models=acme/small")
    assert page.links("← before") == ["/questions/q1?domain=food&models=acme%2Fsmall"]
    assert page.links("next →") == ["/questions/q5?domain=food&models=acme%2Fsmall"]
    assert "2 of 3" in page.words
    assert page.links("↑ questions that fit") == ["/questions?domain=food"]
    assert site.get("/questions/q5?domain=food").links("next →") == []
    assert "not among the questions that fit" in site.get("/questions/q2?domain=food").words


def test_a_verdict_leads_to_its_quote_in_the_answer(site):
    page = site.get("/questions/q0")
    targets = re.findall(r'<a class="quote" href="#(r\d+s\d+)" dir="auto">([^<]*)</a>', page.text)
    assert targets
    for id_, quoted in targets:
        assert f'<mark id="{id_}"' in page.text
        assert re.search(rf'<mark id="{id_}"[^>]*><a href="#r\d+c\d+">{quoted}', page.text)


def test_missed_checks_are_those_missed_most(studied):
    site, given, _ = studied
    page = site.get("/checks?judge=x/one")
    ids = [tuple(pair.split()) for pair in page.listed]
    missed = Counter()
    for (name, _, check, judge), said in given.items():
        missed[name, check] += judge == "x/one" and said in ("missing", "contradicts")
    assert set(ids) == set(+missed)
    assert [missed[pair] for pair in ids] == sorted((+missed).values(), reverse=True)
    (to,) = [to for to in re.findall(r'href="([^"]*#check-[^"]*)"', page.text) if to.startswith("/questions/q0?")][:1]
    assert site.get(to.partition("#")[0].replace("&amp;", "&")).status == 200


def test_checks_that_no_model_met_are_counted_marked_and_chosen(studied):
    site, given, _ = studied
    met = {(name, check) for (name, _, check, judge), said in given.items() if judge == "x/one" and said == "meets"}
    judged = {(name, check) for name, _, check, _ in given}
    unmet = judged - met
    assert 0 < len(unmet) < len(judged)
    page = site.get("/checks?judge=x/one")
    assert f"{len(unmet)} of {len(judged)} checks were met by no model" in page.words
    assert page.words.count("met by no answer") == len(unmet & {tuple(pair.split()) for pair in page.listed})
    (only,) = page.links("only these")
    chosen = site.get(only.replace("&amp;", "&"))
    assert {tuple(pair.split()) for pair in chosen.listed} <= unmet
    assert set(site.get("/questions?judge=x/one&state=unmet").listed) == {name for name, _ in unmet}


def test_a_long_list_of_missed_checks_has_pages_in_one_order(tmp_path):
    """Three hundred checks that are all missed alike: important tiers first, then in the benchmark's order."""
    questions = [question(f"q{at}", 30) for at in range(9)]
    rows = [verdict(row["id"], "a", f"c{at}", "j", "missing") for row in questions for at in range(30)]
    answers = [answer(row["id"], "a") for row in questions]
    order = [f"q{name} c{at}" for tier in range(3) for name in range(9) for at in range(tier, 30, 3)]
    with viewed(write_run(tmp_path / "run", questions, answers, rows)) as site:
        pages = [site.get(path) for path in ("/checks", "/checks?page=2", "/checks?page=3", "/checks?page=9")]
        assert [one for page in pages[:3] for one in page.listed] == order
        assert pages[3].listed == pages[2].listed
        assert "Below: 1 to 100 of the 270 that some answer leaves out or contradicts" in pages[0].words
        assert "Below: 201 to 270 of the 270" in pages[2].words
        assert pages[1].links("next →") == ["/checks?page=3"]


def test_it_is_said_which_judge_is_the_usual_one_and_why(site):
    for path in ("/", "/questions", "/checks"):
        assert ", the mean of all judges, goes first." in site.get(path).words
        assert "goes first" not in site.get(f"{path}?judge=x/two").words
    assert "as usual: panel" in site.get("/questions").words


def test_the_overview_explains_tiers_and_scores(site):
    page = site.get("/")
    assert '<abbr title="Answer-Critical: without it the answer is wrong">AC</abbr>' in page.text
    assert "(meets + 0.5 × partially meets − 2 × contradicts) ÷ " in page.words


def test_the_overview_says_why_there_are_fewer_questions_than_the_benchmark_has(site, tmp_path):
    assert "Not in it" not in site.get("/").words
    rows = [verdict("q0", "a", f"c{check}", "j", "meets") for check in range(3)]
    questions, answers = [question("q0"), question("q1")], [answer("q0", "a")]
    with viewed(write_run(tmp_path / "run", questions, answers, rows, subset=True)) as part:
        page = part.get("/")
    assert "Benchmark 2 questions" in page.words
    assert "Not in it (text only): 1 question was not put to the models." in page.words


def test_markdown_is_styled_and_quotes_are_still_marked(tmp_path):
    text = "## Steps\n1. **Fry the base**, then <b>rice</b>."
    rows = [verdict("q0", "a", "c0", "j", "meets", quote="Fry the base**, then")]
    with viewed(write_run(tmp_path / "run", [question("q0", 1)], [answer("q0", "a", text)], rows)) as site:
        page = site.get("/questions/q0")
    (shown,) = re.findall(r'<div class="text"[^>]*>(.*?)</div>', page.text, re.DOTALL)
    assert html.unescape(re.sub("<[^>]*>", "", shown)) == text
    assert '<span class="heading"> Steps</span>' in shown
    assert '<span class="strong">Fry the base</span><span class="syntax">**</span>, then</a></mark>' in shown


# --- addresses ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/?judge=x/ne", "did you mean 'x/one'"),
        ("/questions?model=x", "unknown model"),
        ("/questions?verdict=good", "unknown verdict"),
        ("/questions?sort=colour", "unknown sort"),
        ("/questions?low=many", "not a score"),
        ("/questions?high=nan", "not a score"),
        ("/questions?page=-1", "not a count"),
        ("/questions?page=99999999999999999999", "not a count"),
        ("/questions/q0?sample=1e9", "not a count"),
    ],
)
def test_what_an_address_gets_wrong_is_said(site, path, told):
    page = site.get(path)
    assert page.status == 400
    assert told in page.words
    assert "Traceback" not in page.text


@pytest.mark.parametrize(
    "path",
    [
        "/questions/q00",
        "/questions/..%2F..%2Fetc%2Fpasswd",
        "/questions/%00",
        "/static/../app.py",
        "/static/%2e%2e%2fapp.py",
        "/questions/q0/other",
        "/docs",
        "/openapi.json",
    ],
)
def test_what_there_is_not_is_not_found(site, path):
    page = site.get(path)
    assert page.status == 404
    assert "root:" not in page.text
    assert "Traceback" not in page.text


def test_an_unknown_parameter_is_left_alone(site):
    assert site.get("/questions?utm=1&domain=food").listed == ["q1", "q3", "q5"]


def test_empty_parameters_lead_to_the_short_address(site):
    reply = site.get("/questions?q=&domain=food&verdict=&low=")
    assert (reply.status, reply.headers["location"]) == (303, "/questions?domain=food")
    reply = site.get("/questions/q1?judge=&models=acme/small")
    assert reply.headers["location"] == "/questions/q1?models=acme%2Fsmall"


def test_a_page_that_the_browser_has_is_not_sent_again(site):
    first = site.get("/questions/q0")
    again = site.get("/questions/q0", If_None_Match=first.headers["etag"])
    assert (again.status, again.data) == (304, b"")
    assert site.get("/questions/q1", If_None_Match=first.headers["etag"]).status == 200


def test_a_mistake_of_ours_shows_no_traceback(site, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr("gamut_eval.web.view.pages.missed_checks", broken)
    page = site.get("/checks")
    assert page.status == 500
    assert "secret detail" not in page.text
    assert "Something went wrong" in page.words
