"""The report in a real browser: what its script adds, how it looks, and that nothing hostile in it runs."""

from dataclasses import replace

import pytest

from gamut_eval.reports.html.page import render_page
from recorded import source_in

sync_api = pytest.importorskip("playwright.sync_api")
MODELS = ("acme/large", "acme/small", "b", "c")
ABOVE = {"acme/large": 4, "acme/small": 3, "b": 2, "c": 1}
HOSTILE = (
    "<script>window.ran = 1</script><img src=x onerror='window.ran = 1'></textarea><svg onload=window.ran=1> "
    '[x](javascript:window.ran=1) " onmouseover="window.ran=1'
)
WIDTHS = (400, 1280)


def _question(n, **more):
    checks = [
        {"id": f"c{k}", "tier": tier, "text": f"Says {k}."} for k, tier in enumerate(("answer_critical", "valuable"))
    ]
    evidence = [
        {"id": "e", "url": "https://example.org/a", "title": "Page"},
        {"id": "f", "url": "javascript:window.ran=1"},
    ]
    about = {
        "id": f"q{n}",
        "domain": ("food", "art")[n % 2],
        "question": f"What is dish {n}?",
        "text_only": f"Name dish {n}?",
    }
    image = {"package": "skimage", "path": f"data/{n}.png", "sha256": f"{n:064x}"}
    return about | {"image": image, "rubric": {"checks": checks, "evidence": evidence}} | more


def _verdict(model, question, check):
    """Better models meet more, so that their order is known."""
    place = (question * 2 + check) % 5
    return "meets" if place < ABOVE[model] else ("missing", "contradicts")[place % 2]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """A report of four models, two judges, both variants; its path."""
    folder = tmp_path_factory.mktemp("report")
    questions = [_question(n) for n in range(12)]
    keys = [(f"q{n}", m, v) for n in range(12) for m in MODELS for v in ("image", "text_only")]
    answers = [
        {"question_id": q, "model": m, "variant": v, "response": f"First the base. Then rice {q}. " * ABOVE[m]}
        for q, m, v in keys
    ]
    rows = [
        (q, m, f"c{c}", j, _verdict(m, int(q[1:]), c), {"variant": v, "quote": "Then rice"})
        for q, m, v in keys
        for c in (0, 1)
        for j in ("x", "y")
    ]
    return _written(folder, source_in(folder, questions, answers, rows))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A report with scripts in every field that takes text."""
    folder = tmp_path_factory.mktemp("hostile")
    evidence = [{"id": "e", "url": "javascript:window.ran=1", "title": HOSTILE, "summary": HOSTILE}]
    rubric = {
        "checks": [{"id": f'c"><{n}', "tier": "valuable", "text": HOSTILE} for n in range(2)],
        "evidence": evidence,
    }
    questions = [
        {"id": f"q{n}", "domain": HOSTILE + str(n), "question": HOSTILE, "text_only": HOSTILE, "rubric": rubric}
        for n in range(3)
    ]
    models = [HOSTILE, HOSTILE + "2", "{{7*7}}"]
    keys = [(f"q{n}", m) for n in range(3) for m in models]
    answers = [{"question_id": q, "model": m, "variant": "text_only", "response": f"{HOSTILE} {m}"} for q, m in keys]
    rows = [
        (q, m, f'c"><{c}', j, ("meets", "missing")[(c + len(m)) % 2], {"quote": HOSTILE, "rationale": HOSTILE})
        for q, m in keys
        for c in (0, 1)
        for j in (HOSTILE, "y")
    ]
    source = source_in(folder, questions, answers, rows)
    source.benchmark.update(name=HOSTILE, version=HOSTILE)
    return _written(folder, replace(source, notes=(HOSTILE,)))


def _written(folder, source):
    path = folder / "report.html"
    path.write_text(render_page(source), encoding="utf-8")
    return path


class Opened:
    """A page in a tab of its own, with what went wrong in it and whom it asked."""

    def __init__(self, browser, path, width=1280, **options):
        self.context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        self.page = self.context.new_page()
        self.wrong, self.asked = [], []
        self.page.on("console", lambda message: self.wrong.append(message.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("dialog", lambda dialog: self.wrong.append(dialog.message))
        self.context.route("**/*", self._asks)
        self.page.goto(path.as_uri())

    def _asks(self, route):
        self.asked.append(route.request.url)
        route.continue_()


@pytest.fixture
def opened(browser):
    """Opens pages, each of which must end without an error and without having asked for anything but itself."""
    tabs = []

    def opening(path, **options):
        tabs.append((Opened(browser, path, **options), path))
        return tabs[-1][0].page

    yield opening
    for tab, path in tabs:
        assert tab.page.evaluate("window.ran") is None
        tab.context.close()
        assert tab.wrong == []
        assert {url.partition("#")[0] for url in tab.asked} == {path.as_uri()}


def _first_cells(page, table):
    return page.locator(f"{table} tbody tr th").all_inner_texts()


def test_a_table_is_sorted_by_click_and_by_keyboard(opened, report):
    page = opened(report)
    table = "#leaderboard .block:first-of-type table"
    head = page.locator(f"{table} tr.heads th", has_text="Gamut")
    gamut = page.locator(f"{table} tbody tr td[data-s]:nth-child(4)")
    scores = lambda: [float(cell.get_attribute("data-s")) for cell in gamut.all()]  # noqa: E731
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert scores() == sorted(scores(), reverse=True)
    head.get_by_role("button").focus()
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert scores() == sorted(scores())
    page.locator(f"{table} tr.heads th", has_text="Model").get_by_role("button").focus()
    page.keyboard.press("Space")
    assert _first_cells(page, table) == sorted(_first_cells(page, table))


def test_questions_are_filtered_by_words_and_verdict(opened, report):
    page = opened(report)
    visible = page.locator("details.question:visible")
    assert visible.count() == 12
    page.get_by_label("Search").fill("q7")
    told = page.locator("form.filter output")
    sync_api.expect(told).to_have_text("1 of 12 questions")
    assert visible.count() == 1
    page.get_by_label("Search").fill("")
    page.get_by_label("With a check that is").select_option("contradicts")
    sync_api.expect(told).to_have_text("10 of 12 questions")  # all but q2 and q7
    shown = page.locator("li.check:visible")
    assert shown.count() > 0
    assert all("contradicts" in item.get_attribute("data-v") for item in shown.all())


def test_a_verdict_leads_to_its_quote_and_back(opened, report):
    page = opened(report)
    link = page.locator("a.quote:visible").first
    link.click()
    mark = page.locator("mark:target")
    assert mark.inner_text() == "Then rice"
    assert mark.evaluate("e => { const b = e.getBoundingClientRect(); return b.top >= 0 && b.bottom <= innerHeight; }")
    mark.get_by_role("link").click()
    assert page.locator("li.check:target").count() == 1


def test_a_check_that_was_missed_leads_into_a_closed_question(opened, report):
    page = opened(report)
    page.locator("#missed tbody th a").nth(3).click()
    target = page.locator("li.check:target")
    assert target.is_visible()
    assert target.evaluate("e => e.closest('details.question').open")


def test_a_mark_of_a_figure_says_what_it_is(opened, report):
    page = opened(report)
    dot = page.locator("#standings svg.drawing path[data-tip^='acme/large: ']").first
    dot.hover()
    tip = page.locator(".tip")
    assert tip.is_visible()
    assert tip.inner_text().startswith("acme/large: 8")
    page.locator("h1").hover()
    assert not tip.is_visible()


def test_figures_have_names_and_numbers_behind_them(opened, report):
    page = opened(report)
    figures = page.locator("figure:has(svg.drawing)")
    assert figures.count() >= 8
    for figure in figures.all():
        name = figure.locator("svg.drawing:visible").get_attribute("aria-label")
        assert figure.locator("h3").inner_text() in name
        assert not figure.locator("table").is_visible()
        figure.locator("summary").click()
        assert figure.locator("tbody tr").count() == len(MODELS)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_fits_its_window(opened, report, picture, width, scheme):
    page = opened(report, width=width, color_scheme=scheme)
    picture(page, f"report-{width}-{scheme}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    sizes = page.eval_on_selector_all(
        "svg.drawing text",
        """all => all.filter(e => e.checkVisibility()).map(
            e => parseFloat(getComputedStyle(e).fontSize) * Math.hypot(e.getCTM().a, e.getCTM().b)
        )""",
    )
    assert min(sizes) >= 11


@pytest.mark.parametrize("width", [*WIDTHS, 360, 700, 1000])
def test_every_figure_is_seen_whole_without_scrolling(opened, report, width):
    page = opened(report, width=width)
    figures = page.locator("figure:has(svg.drawing)")
    assert figures.count() >= 8
    boxes = page.locator(".canvas")
    assert [box.locator("svg.drawing:visible").count() for box in boxes.all()] == [1] * figures.count()
    assert max(boxes.evaluate_all("all => all.map(e => e.scrollWidth - e.clientWidth)")) <= (32 if width < 400 else 0)


@pytest.mark.parametrize("width", WIDTHS)
def test_no_label_of_a_figure_is_cut_off(opened, report, width):
    page = opened(report, width=width)
    outside = page.eval_on_selector_all(
        "svg.drawing text",
        """all => all.filter(e => e.checkVisibility()).filter(e => {
            const text = e.getBoundingClientRect(), whole = e.ownerSVGElement.getBoundingClientRect();
            return text.left < whole.left - 1 || text.right > whole.right + 1
                || text.top < whole.top - 1 || text.bottom > whole.bottom + 1;
        }).map(e => e.textContent)""",
    )
    assert outside == []


def test_figures_follow_the_colours_of_the_page(opened, report):
    colours = {}
    for scheme in ("light", "dark"):
        page = opened(report, color_scheme=scheme)
        mark = page.locator("#standings svg.drawing path[data-tip]").first
        colours[scheme] = mark.evaluate("e => getComputedStyle(e).fill")
        assert colours[scheme].startswith("rgb(")
    assert colours["light"] != colours["dark"]


def test_print_has_all_figures_and_no_controls(opened, report, picture):
    page = opened(report, width=720)
    page.emulate_media(media="print")
    picture(page, "report-print")
    assert not page.locator("nav").is_visible()
    assert not page.locator("form.filter").is_visible()
    assert page.locator("svg.drawing:visible").count() >= 8
    widths = (
        "Array.from(document.querySelectorAll('svg.drawing, .scroll > table'), e => e.getBoundingClientRect().width)"
    )
    assert page.evaluate(f"Math.max(...{widths})") <= 720


def test_without_script_the_page_can_be_read(opened, report):
    page = opened(report, java_script_enabled=False)
    assert page.locator("svg.drawing").first.is_visible()
    page.locator("details.question > summary").nth(1).click()
    assert page.locator("details.question").nth(1).locator("details.answer").first.is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_hostile_texts_run_nothing(opened, hostile, picture, scheme):
    page = opened(hostile, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach(e => { e.open = true; })")
    picture(page, f"report-hostile-{scheme}")
    tips = []
    for mark in page.locator("#standings figure").first.locator("svg.drawing:visible path[data-tip]").all():
        mark.hover(force=True)
        assert page.locator(".tip").is_visible()
        tips.append(page.locator(".tip").inner_text())
    assert sorted(tip[:8] for tip in tips) == ["<script>", "<script>", "{{7*7}}:"]
    assert page.locator("script").count() == 1
    assert page.locator("img, iframe, object, textarea").count() == 0
    assert page.locator("a[href^='javascript:']").count() == 0
    assert "<script>" in page.locator(".notes").inner_text()
