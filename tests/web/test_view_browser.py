"""The viewer in a real browser: what scripts add, and that nothing is asked of anybody else.

``GAMUT_SCREENSHOTS`` names a folder that pictures of the pages are kept in.
"""

import os
import shutil
from pathlib import Path

import pytest

from view_server import study, viewed

sync_api = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
WIDTHS = (400, 800, 1400)


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    models = ("acme/large", "acme/small", "b", "c")
    folder, _ = study(tmp_path_factory.mktemp("browsed") / "first", models=models)
    with viewed(folder) as opened:
        yield opened


class Tab:
    """A page that notes what goes wrong, and whom it asks."""

    def __init__(self, browser, site, **options):
        self.context = browser.new_context(viewport={"width": 1400, "height": 900}, **options)
        self.page = self.context.new_page()
        self.site, self.wrong, self.asked = site, [], []
        self.page.on("console", lambda message: self.wrong.append(message.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))

    def open(self, path):
        self.page.goto(self.site.url + path)
        return self.page

    @property
    def path(self):
        return self.page.url.removeprefix(self.site.url)


@pytest.fixture
def tab(browser, site):
    opened = Tab(browser, site)
    yield opened
    opened.context.close()
    assert opened.wrong == []
    assert not [url for url in opened.asked if not url.startswith(site.url)]


PAGES = {
    "overview": "/",
    "questions": "/questions?verdict=missing",
    "question": "/questions/q1",
    "one-answer": "/questions/q1?models=b",
    "checks": "/checks",
    "failure": "/questions?model=x",
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_pages_fit_the_window(browser, site, name, width, scheme):
    tab = Tab(browser, site, color_scheme=scheme)
    tab.page.set_viewport_size({"width": width, "height": 900})
    page = tab.open(PAGES[name])
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert [text for text in tab.wrong if "400" not in text] == []
    if folder := os.environ.get("GAMUT_SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"view-{name}-{width}-{scheme}.png", full_page=True)
    tab.context.close()


def test_choosing_in_the_filter_applies_it(tab):
    page = tab.open("/questions")
    page.locator("select[name=domain]").select_option("food")
    page.wait_for_url("**/questions?domain=food")
    assert page.locator(".listed tbody tr").count() == 3
    page.locator("select[name=verdict]").select_option("missing")
    page.wait_for_url("**/questions?domain=food&verdict=missing")
    page.get_by_role("link", name="Clear").click()
    page.wait_for_url("**/questions")


def test_sorting_and_opening_a_question_keeps_the_order(tab):
    page = tab.open("/questions")
    page.get_by_role("link", name="Mean", exact=True).click()
    page.wait_for_url("**/questions?sort=score")
    assert page.locator("th[aria-sort]").inner_text().startswith("Mean")
    ids = page.locator(".listed .about .id").all_inner_texts()
    page.locator(".listed tbody th a").first.click()
    page.wait_for_url(f"**/questions/{ids[0]}?sort=score")
    page.keyboard.press("j")
    page.wait_for_url(f"**/questions/{ids[1]}?sort=score")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(f"**/questions/{ids[2]}?sort=score")
    page.keyboard.press("k")
    page.wait_for_url(f"**/questions/{ids[1]}?sort=score")
    page.keyboard.press("u")
    page.wait_for_url("**/questions?sort=score")


def test_a_verdict_lights_the_words_it_rests_on(tab):
    page = tab.open("/questions/q1")
    opinion = page.locator("details.opinion[data-quote]").first
    mark = page.locator(f"#{opinion.get_attribute('data-quote')}")
    assert not mark.evaluate("mark => mark.classList.contains('on')")
    opinion.locator("summary").click()
    sync_api.expect(mark).to_have_class("on")
    assert opinion.locator(".why").inner_text().startswith("Because of")
    sync_api.expect(mark).to_be_in_viewport()
    opinion.locator("summary").click()
    sync_api.expect(mark).not_to_have_class("on")


def test_words_of_an_answer_lead_to_the_verdicts_on_them(tab):
    page = tab.open("/questions/q1")
    link = page.locator("mark a").first
    cell = page.locator(link.get_attribute("href"))
    link.click()
    sync_api.expect(cell.locator("details[open]").first).to_be_in_viewport()


def test_the_answer_stays_in_view_beside_its_checks(tab):
    page = tab.open("/questions/q1")
    page.locator("tbody").last.scroll_into_view_if_needed()
    sync_api.expect(page.locator(".side .text").first).to_be_in_viewport()


def test_numbers_show_and_hide_models(tab):
    page = tab.open("/questions/q1")
    assert page.locator("article.side").count() == 3
    page.keyboard.press("1")
    page.wait_for_url("**models=**")
    sync_api.expect(page.locator("article.side")).to_have_count(2)
    page.keyboard.press("1")
    sync_api.expect(page.locator("article.side")).to_have_count(3)


def test_slash_searches_and_keys_in_a_field_are_text(tab):
    page = tab.open("/questions/q1")
    page.keyboard.press("/")
    page.keyboard.type("q3 jk1?")
    assert page.locator(".find input[type=search]").input_value() == "q3 jk1?"
    assert tab.path == "/questions/q1"
    page.locator(".find input[type=search]").fill("q3")
    page.keyboard.press("Enter")
    page.wait_for_url("**/questions?q=q3")
    assert page.locator(".listed tbody tr").count() == 1


def test_a_question_mark_lists_the_keys(tab):
    page = tab.open("/")
    page.keyboard.press("?")
    assert page.get_by_role("dialog").is_visible()
    page.keyboard.press("Escape")
    assert not page.get_by_role("dialog").is_visible()


def test_j_and_k_walk_a_list(tab):
    page = tab.open("/questions")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/questions/q1")


def test_everything_can_be_read_without_scripts(browser, site):
    tab = Tab(browser, site, java_script_enabled=False)
    page = tab.open("/questions")
    page.locator("select[name=domain]").select_option("food")
    page.get_by_role("button", name="Apply").click()
    assert tab.path == "/questions?domain=food"
    page.locator(".listed tbody th a").first.click()
    opinion = page.locator("details.opinion[data-quote]").first
    opinion.locator("summary").click()
    assert opinion.locator(".why").is_visible()
    opinion.locator("a.quote").click()
    colour = "el => getComputedStyle(el).backgroundColor"
    target = page.locator("mark:target")
    assert target.count() == 1
    assert target.evaluate(colour) != page.locator("mark:not(:target)").first.evaluate(colour)
    page.get_by_role("link", name="next →").click()
    assert tab.path == "/questions/q3?domain=food"
    tab.context.close()


def test_every_page_has_landmarks_and_labels(tab):
    for path in ("/", "/questions", "/questions/q1", "/checks"):
        page = tab.open(path)
        assert page.locator("main h1").count() == 1
        assert page.get_by_role("navigation", name="Pages").locator("[aria-current=page]").count() == 1
        nameless = page.evaluate(
            "Array.from(document.querySelectorAll('input:not([type=hidden]), select'))"
            ".filter(field => !field.labels.length).length"
        )
        assert nameless == 0
        assert page.locator("th:not([scope])").count() == 0


def test_the_keyboard_reaches_everything_with_visible_focus(tab):
    page = tab.open("/questions/q1")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    seen = set()
    while (now := page.evaluate("document.activeElement.outerHTML")) not in seen and not now.startswith("<body"):
        seen.add(now)
        focused = "getComputedStyle(document.activeElement)"
        style, width = page.evaluate(f"[{focused}.outlineStyle, {focused}.outlineWidth]")
        assert style != "none", now
        assert width != "0px", now
        page.keyboard.press("Tab")
    for what in ('type="search"', 'name="models"', "<summary", "Answer of b", 'rel="next"'):
        assert any(what in element for element in seen), what


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["/", "/questions?verdict=missing", "/questions/q1", "/checks"])
def test_texts_stand_out_from_what_is_behind_them(browser, site, path, scheme):
    tab = Tab(browser, site, color_scheme=scheme)
    page = tab.open(path)
    faint = page.evaluate(
        """() => {
          const rgba = (text) => { const n = text.match(/[\\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
          const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
            .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
            .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
          const behind = (el) => { for (; el; el = el.parentElement) {
            const colour = rgba(getComputedStyle(el).backgroundColor); if (colour[3] === 1) return colour; }
            return [255, 255, 255, 1]; };
          const found = [];
          const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          while (texts.nextNode()) {
            const el = texts.currentNode.parentElement;
            if (!texts.currentNode.textContent.trim() || !el.checkVisibility() || el.closest("svg, .unseen")) continue;
            const [a, b] = [light(rgba(getComputedStyle(el).color)), light(behind(el))].sort((x, y) => y - x);
            const ratio = (a + 0.05) / (b + 0.05);
            if (ratio < 4.5) found.push(`${ratio.toFixed(2)} ${el.outerHTML.slice(0, 120)}`);
          }
          return found;
        }"""
    )
    assert faint == []
    tab.context.close()
