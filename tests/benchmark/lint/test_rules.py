"""Contract of every lint rule: its own example triggers it, its counter-example does not, the docs know it."""

import re
from pathlib import Path

import pytest

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.lint import inspect_and_lint, lint, rules
from gamut_eval.benchmark.lint.catalogue import OTHER_CODES, REGISTRY, codes, explain
from gamut_eval.benchmark.load import question_from_dict
from gamut_eval.errors import UnknownNameError

ROOT = Path(__file__).parents[3]
BY_CODE = {rule.code: rule for rule in rules()}
DEFAULTS = {
    "domain": "food",
    "question": "How is this drink made, and what is it called?",
    "rubric": """
  items:
    - {id: heat, type: simple, tier: answer_critical, statement: Espresso is brewed hot., evidence: [page]}
  evidence:
    - {id: page, url: https://example.org/x, reviews: [{by: Ada, kind: person, at: 2026-11-30, supports: true}]}""",
}


def write(folder: Path, fragment: str, copies: int = 12) -> Path:
    """A benchmark of questions that are the fragment of a rule's example, and defaults for the rest."""
    (folder / "questions").mkdir(parents=True)
    (folder / "benchmark.yaml").write_text("name: example\n")
    (folder / "cup.jpg").write_bytes(b"not looked at")
    given = {line.partition(":")[0] for line in fragment.splitlines() if re.match(r"\w+:", line)}
    rest = "".join(f"{name}: {value}\n" for name, value in DEFAULTS.items() if name not in given)
    for n in range(copies):
        text = f"id: q{n}\n{fragment.strip()}\n{rest}"
        (folder / "questions" / f"q{n:02}.yaml").write_text(text, encoding="utf-8")
    return folder


def codes_of(folder: Path) -> set[str]:
    _, findings = inspect_and_lint(folder)
    assert not [str(finding) for finding in findings if finding.severity == "error"]
    return {finding.code for finding in findings}


def lint_one(items=None, **fields):
    """Codes with the paths inside the rubric, of one question in memory."""
    rubric = fields.pop("rubric", {"items": items})
    question = question_from_dict(
        {"id": "q", "domain": "d", "question": "How is this made, and what is it called?", "rubric": rubric} | fields
    )
    found = lint(Benchmark("b", (question,)))
    return [(one.code, one.path) for one in found if one.code != "no-evidence"]


def simple(*statements, **more):
    return [
        {"id": f"i{n}", "type": "simple", "tier": "answer_critical", "statement": statement} | more
        for n, statement in enumerate(statements)
    ]


def wording(*statements, **fields):
    codes = {"compound-statement", "vague-words", "dangling-reference", "near-duplicate-checks"}
    found = lint_one(simple(*statements), **fields)
    assert {code for code, _ in found} <= codes
    return [code for code, _ in found]


@pytest.mark.parametrize("code", BY_CODE)
def test_its_example_triggers_it_and_its_counter_example_does_not(code, tmp_path):
    rule = BY_CODE[code]
    assert code in codes_of(write(tmp_path / "bad", rule.triggers))
    assert code not in codes_of(write(tmp_path / "good", rule.clean))


@pytest.mark.parametrize("code", BY_CODE)
def test_it_is_documented(code):
    rule = BY_CODE[code]
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", code)
    assert rule.severity in ("warning", "info")
    assert rule.summary[-1] != "."
    assert rule.why[-1] == "."
    assert explain(code).startswith(f"{code} ({rule.severity}): {rule.summary}")
    assert f"### {code}\n" in (ROOT / "docs" / "lint.md").read_text(encoding="utf-8")


def test_codes_are_unique_among_all_codes():
    every = [*(rule.code for family in REGISTRY.all() for rule in family), *OTHER_CODES]
    assert len(every) == len(set(every))
    assert codes() == sorted(every)


def test_every_code_that_reading_gives_is_explained():
    package = ROOT / "src" / "gamut_eval"
    files = [*(package / "rubric").rglob("*.py"), *(package / "benchmark").glob("*.py"), package / "files.py"]
    used = {code for file in files for code in re.findall(r'Finding\(\s*"([a-z-]+)"', file.read_text(encoding="utf-8"))}
    assert "unknown-evidence" in used
    # "place" never reaches anybody; writing is not validated.
    assert used - {"place", "unwritable"} <= set(codes())


def test_an_unknown_code_gets_near_matches():
    with pytest.raises(UnknownNameError, match=r"unknown code 'vage-words' \(did you mean 'vague-words'"):
        explain("vage-words")


def test_explanations_of_other_codes():
    assert explain("schema").startswith("schema (error) ")
    assert explain("unused-ignore").startswith("unused-ignore (info) ")


# --- families


@pytest.mark.parametrize(
    "statement",
    [
        "The answer should define k-SAT and discuss its complexity.",
        "The answer should mention the range of P-waves, and also compare it with other waves.",
        "The tower is made of iron. It was opened to the public in 1889.",
        "The tower is made of iron; its steps are made of steel.",
        "Cefdinir is only available with a prescription and is taken by mouth.",
        "The drink is an espresso, and it can be served with milk.",
        "The tower is made of iron, but its steps are of steel.",
    ],
)
def test_compound(statement):
    assert wording(statement) == ["compound-statement"]


@pytest.mark.parametrize(
    "statement",
    [
        "The answer should define and discuss k-SAT.",
        "The answer should define the goal and the list of its methods.",
        "Mount St. Helens erupted in 1980 in the state of Washington.",
        "The U.S. Army adopted the Jeep in 1941 for its troops.",
        "The film was directed by J. J. Abrams in the summer of 2009.",
        "Acidic food can harm the seasoning. For example, tomatoes do so in time.",
        "If the pain is severe and is accompanied by fever, a doctor should be seen.",
        "The drug that is cheap and is safe is aspirin.",
        "Basil, pine nuts, garlic, and cheese are the ingredients of pesto.",
        "Pans can and should be oiled after washing.",
        "The sauce thickens because starch has swollen and has trapped water.",
        "Tabby is a coat pattern, not a cat breed.",
        "The immune response should provide memory and include several kinds of cells.",
    ],
)
def test_not_compound(statement):
    assert wording(statement) == []


def test_relationships_and_insights_may_hold_two_facts():
    text = "The sarsens are large, and the bluestones are small."
    relationship = {"id": "r", "type": "relationship", "tier": "answer_critical", "entities": ["sarsens", "bluestones"]}
    assert lint_one([relationship | {"statement": text}]) == []
    insights = [{"id": "k", "tier": "valuable", "statement": "The stones are large, and they are from the north."}]
    assert lint_one(rubric={"items": simple("The ring is made of stone."), "insights": insights}) == []


@pytest.mark.parametrize(
    "statement",
    [
        "Espresso is the base of cappuccino, latte, etc.",
        "The tree is used for paper, fuel and so on.",
        "The answer should mention some applications of the method.",
        "The answer could briefly explain different kinds of the method.",
        "The page explains the relevant aspects of the method.",
        "Wear appropriate shoes for the climb.",
    ],
)
def test_vague(statement):
    assert wording(statement) == ["vague-words"]


@pytest.mark.parametrize(
    "statement",
    [
        "Seeds are sown several weeks before the last frost.",
        "Trees provide many benefits to a city.",
        "The immune response can include several cell types.",
        "Espresso is usually brewed at about 9 bar.",
        "The library is used for key information retrieval.",
        "A person may do harm to oneself and others.",
    ],
)
def test_not_vague(statement):
    assert wording(statement) == []


@pytest.mark.parametrize(
    "statement",
    [
        "It is topped with a foam called crema.",
        "These antibodies remain detectable for months.",
        "The answer should mention that this problem is hard to solve.",
        "Its leaves are eaten by the caterpillars.",
        "The dish contains all of the above.",
        "The aforementioned sauce is served with the rice.",
    ],
)
def test_dangling(statement):
    assert wording(statement) == ["dangling-reference"]


@pytest.mark.parametrize(
    "statement",
    [
        "It is safe to eat the leaves raw.",
        "It takes about ten minutes to brew the tea.",
        "It (2017) was directed by Andy Muschietti.",
        "They Live is a 1988 film by John Carpenter.",
        "The above-ground parts of the plant are eaten.",
        "Those who climb the tower need good shoes.",
    ],
)
def test_not_dangling(statement):
    assert wording(statement) == []


def test_steps_and_headings_stand_alone_too_and_options_are_names():
    process = {"id": "p", "type": "process", "tier": "answer_critical", "goal": "making pasta"}
    steps = ["cook the pasta in water", "drain it", "add the sauce and stir it in"]
    assert lint_one([process | {"steps": steps}]) == [
        ("dangling-reference", ("rubric", "items", 0, "steps", 1, "text"))
    ]
    films = {"id": "f", "type": "strict_list", "tier": "answer_critical", "topic": "films of the year"}
    assert lint_one([films | {"options": ["It", "They Live", "none of the above"]}]) == [
        ("dangling-reference", ("rubric", "items", 0, "options", 2, "text"))
    ]
    assert lint_one([films | {"topic": "its films", "options": ["It", "They Live"]}]) == [
        ("dangling-reference", ("rubric", "items", 0, "topic"))
    ]


FOREIGN = {
    "de": "Das Gericht ist aus Reis, Bohnen etc. Es ist warm und es ist scharf.",
    "fr": "Il est fait avec du riz, etc. Le plat est chaud et il est bon.",
    "es": "El plato es de arroz, etc. Se sirve caliente y es picante.",
    "it": "Il piatto è di riso, etc. Esso è molto piccante.",
    "pt": "O prato é de arroz, etc. Ele é muito picante.",
    "nl": "Het gerecht is in de pan gebakken, etc. Het is warm en is lekker.",
    "af": "Die gereg is van rys, etc. Dit is warm en is lekker.",
    "da": "Retten er lavet af ris, etc. Den er for to personer.",
    "fi": "Ruoka on tehty riisista, etc. Se on tulista.",
    "et": "Toit on tehtud riisist, etc. See on terav.",
    "tr": "Bu yemek pirinçten yapılır, etc. Çok acıdır.",
    "id": "Hidangan ini dibuat dengan nasi, etc. Rasanya pedas.",
    "pl": "To danie jest z ryżu, etc. Jest ostre.",
    "ru": "Оно готовится из риса, etc. Это острое блюдо; оно красное.",
    "zh": "它是一种米饭菜肴, etc. 它很辣。",
    "ar": "هذا الطبق من الأرز, etc. إنه حار.",
}


@pytest.mark.parametrize("language", FOREIGN)
def test_the_rules_on_wording_keep_silent_on_other_languages(language):
    text = FOREIGN[language]
    assert wording(text) == []  # in a rubric whose question is English
    assert wording(text, question=text) == []
    assert wording(text, "etc.", question=text) == []


def test_near_duplicates_are_found_across_item_types():
    items = [
        {"id": "base", "type": "strict_list", "tier": "answer_critical", "topic": "the base of jollof rice"}
        | {"options": ["tomatoes", "red peppers"]},
        *simple("Tomatoes are the base of jollof rice."),
    ]
    assert lint_one(items) == [("near-duplicate-checks", ("rubric", "items", 1, "statement"))]
    checks = [
        {"id": "a", "tier": "answer_critical", "text": "States that the dish is jollof rice."},
        {"id": "b", "tier": "valuable", "text": "States that the dish is a jollof rice."},
    ]
    assert lint_one(rubric={"checks": checks}) == [("near-duplicate-checks", ("rubric", "checks", 1, "text"))]


def test_imported_checks_are_left_as_they_are_worded():
    checks = [{"id": "a", "tier": "answer_critical", "text": "It mentions rice, beans, etc. It is polite to users."}]
    assert lint_one(rubric={"checks": checks, "items": simple("It is topped with foam, etc.")}) == []


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (["sunscald", {"text": "sunburnt fruit", "aliases": ["sun scald"]}], True),
        (["a tomato", {"text": "Tomatoes", "id": "more"}], True),
        (["the tomatoes", {"text": "Tomato's", "id": "more"}], True),
        (["mozzarella", "mozarella"], True),
        (["sodium nitrite", "sodium nitrate"], False),
        (["oil", "olive oil"], False),
        (["красный перец", {"text": "перец", "aliases": ["Красный  перец"]}], True),
        (["红茶", "绿茶"], False),
    ],
)
def test_duplicate_options(options, found):
    item = {"id": "l", "type": "strict_list", "tier": "answer_critical", "topic": "parts of the dish"}
    path = ("rubric", "items", 0, "options", 1)
    assert lint_one([item | {"options": options}]) == ([("duplicate-option", path)] if found else [])


def test_steps_may_come_again():
    process = {"id": "p", "type": "process", "tier": "answer_critical", "goal": "dyeing wool"}
    steps = ["rinse the wool", "dye the wool", {"text": "Rinse the wool", "id": "again"}]
    assert lint_one([process | {"steps": steps}]) == []


@pytest.mark.parametrize(
    ("url", "sound"),
    [
        ("https://example.org", True),
        ("http://example.org:8080/a_b?c=%20#d", True),
        ("https://en.wikipedia.org/wiki/Jollof_(rice)", True),
        ("https://пример.рф/чай", True),
        ("https://192.0.2.1/tea", True),
        ("https://[2001:db8::1]/tea", True),
        ("https://user_pages.example.org/", True),
        ("doi:10.1000/182", True),
        ("urn:isbn:9780140328721", True),
        ("www.example.org", False),
        ("example.org:80/tea", False),
        ("https://…", False),
        ("https://example.org/tea and more", False),
        ("https:/example.org/tea", False),
        ("https://", False),
        ("https://localhost/tea", False),
        ("https://https://example.org", False),
        ("https://example.org:port/", False),
        ("<https://example.org>", False),
        ("https://[2001:db8::1/", False),
    ],
)
def test_urls(url, sound):
    evidence = [
        {"id": "e", "url": url, "reviews": [{"by": "A", "kind": "person", "at": "2026-11-30", "supports": True}]}
    ]
    found = lint_one(rubric={"items": simple("Tea is brewed hot.", evidence=["e"]), "evidence": evidence})
    assert found == ([] if sound else [("malformed-url", ("rubric", "evidence", 0, "url"))])


def test_the_last_review_counts():
    def reviewed(*supports):
        reviews = [
            {"by": "A", "kind": "model", "at": f"2026-11-{30 - n}", "supports": s} for n, s in enumerate(supports)
        ]
        evidence = [{"id": "e", "url": "https://example.org", "reviews": reviews}]
        return lint_one(rubric={"items": simple("Tea is brewed hot.", evidence=["e"]), "evidence": evidence})

    assert reviewed(True, False) == []
    assert reviewed(False, True) == [("rejected-evidence", ("rubric", "evidence", 0, "reviews", 0))]


def evidence_codes(rubric):
    question = question_from_dict({"id": "q", "domain": "d", "question": "What is tea?", "rubric": rubric})
    return [(f.code, f.path) for f in lint(Benchmark("b", (question,))) if f.code == "no-evidence"]


def test_without_any_evidence_it_is_said_once():
    two = simple("Tea is brewed hot.", "Tea is a drink of leaves.")
    assert evidence_codes({"items": two}) == [("no-evidence", ("rubric",))]
    page = [{"id": "e", "url": "https://example.org"}]
    cited = [two[0] | {"evidence": ["e"]}, two[1]]
    assert evidence_codes({"items": cited, "evidence": page}) == [("no-evidence", ("rubric", "items", 1))]


def test_parts_and_items_carry_evidence_too():
    page = [{"id": "e", "url": "https://example.org"}]
    item = {"id": "l", "type": "strict_list", "tier": "answer_critical", "topic": "kinds of tea"}
    options = [{"text": "green", "evidence": ["e"]}, {"text": "black", "evidence": ["e"]}]
    insight = {"id": "k", "tier": "valuable", "statement": "All tea is from one plant."}
    rubric = {"items": [item | {"options": options}], "insights": [insight | {"items": ["l"]}], "evidence": page}
    assert evidence_codes(rubric) == []
    rubric = {"items": [item | {"options": [options[0], "black"]}], "insights": [insight], "evidence": page}
    assert evidence_codes(rubric) == [
        ("no-evidence", ("rubric", "items", 0)),
        ("no-evidence", ("rubric", "insights", 0)),
    ]


@pytest.mark.parametrize(
    ("question", "subject", "leaks"),
    [
        ("What is an espresso?", "espresso", True),
        ("How old do tabby cats get?", "tabby cat", True),
        ("What is this cat's coat called?", "tabby cat", False),
        ("When was the Eiffel Tower’s lift built?", "Eiffel Tower (Paris)", True),
        ("Что такое эспрессо?", "эспрессо", True),
        ("红茶怎么泡？", "红茶", True),
        ("这是什么茶？", "红茶", False),
        ("Was ist ein Espresso?", "Espresso", True),
        ("How is this made?", None, False),
    ],
)
def test_leaked_subjects(question, subject, leaks):
    fields = {"question": question, "subject": subject, "text_only": "What is tea?"}
    found = lint_one(simple("Tea."), image={"path": "x.jpg"}, **fields)
    assert found == ([("leaked-subject", ("question",))] if leaks else [])
    assert lint_one(simple("Tea."), **fields) == []


@pytest.mark.parametrize(
    ("text", "needs"),
    [
        ("What is this?", True),
        ("Who are these people, and what do they do?", True),
        ("What is the dish in the picture?", True),
        ("How is the tower shown here built?", True),
        ("What is this about?", False),
        ("What is jollof rice, and how is this dish made?", False),
        ("Was ist in this Bild zu sehen, und was ist das?", False),
    ],
)
def test_questions_that_need_their_image(text, needs):
    expected = [("needs-image", ("text_only",))] if needs else []
    assert lint_one(simple("Tea."), question="How is it made?", text_only=text, image={"path": "x.jpg"}) == expected
    assert lint_one(simple("Tea."), question=text) == ([("needs-image", ("question",))] if needs else [])
    assert lint_one(simple("Tea."), question=text, image={"path": "x.jpg"}) == [("no-text-only", ("text_only",))]


@pytest.mark.parametrize(("n", "least", "found"), [(4, 3, None), (5, 4, "info"), (5, 3, None), (5, 5, "warning")])
def test_coverage_of_nearly_all(n, least, found, tmp_path):
    options = ", ".join(["thyme", "nutmeg", "ginger", "bay leaf", "white pepper"][:n])
    item = f"{{id: s, type: flexible_list, tier: valuable, topic: spices, min_coverage: {least}, options: [{options}]}}"
    _, findings = inspect_and_lint(write(tmp_path / "b", f"rubric:\n  items:\n    - {item}\n", copies=1))
    assert [f.severity for f in findings if f.code == "coverage-is-all"] == ([found] if found else [])


def test_balance_is_not_judged_of_a_few_checks(tmp_path):
    fragment = BY_CODE["tier-balance"].triggers
    assert "tier-balance" not in codes_of(write(tmp_path / "few", fragment, copies=9))
    assert "tier-balance" in codes_of(write(tmp_path / "enough", fragment, copies=10))


def test_gamut_mini_is_clean_and_the_starter_has_no_warning():
    data = ROOT / "src" / "gamut_eval" / "data"
    assert inspect_and_lint(data / "gamut_mini")[1] == []
    _, findings = inspect_and_lint(data / "starter")
    assert {finding.severity for finding in findings} <= {"info"}


CUT = """rubric:
  items:
    - id: order
      type: strict_list
      tier: answer_critical
      topic: the order
      options:
        - %s
        - by size
"""


@pytest.mark.parametrize(
    ("written", "line"),
    [
        ("sort by label # and by date", 9),
        ("sort by label # and by date.", 9),
        ("sort by label # then sort by date.", 9),
        ("sort by\n          label # and by date", 9),
        ("mention issue #12 first", 9),
        ("mention issue #12", 9),
        ("know C (and C #, its heir)", 9),
        ("end with the # of the room", 9),
        ("{text: sort by label, aliases: [label]}\n        - text: sort # and\n          id: x", 10),
    ],
)
def test_cut_by_a_comment(tmp_path, written, line):
    _, findings = inspect_and_lint(write(tmp_path / "b", CUT % written, copies=1))
    cut = [one for one in findings if one.code == "cut-by-comment"]
    assert [(one.line, one.severity, one.question_id) for one in cut] == [(line, "warning", "q0")]


@pytest.mark.parametrize(
    "written",
    [
        "sort by label # the paper's example",
        "sort by label # by Ada",
        "sort by label # see: the manual.",
        "sort by label # TODO: and the date.",
        "Sort by label. # and by date.",
        "sort by label  # and by date.",
        "sort by label # gamut: ignore vague-words",
        "'sort by label' # and by date.",
        "'sort by label # and by date.'",
        "sort by label#and by date.",
        "{text: sort by label} # and by date.",
        "sort by a longer label # and by date.\n        - sort by a label        # and by size.",
        "|\n          sort by label # and by date",
    ],
)
def test_not_cut_by_a_comment(tmp_path, written):
    _, findings = inspect_and_lint(write(tmp_path / "b", CUT % written, copies=1))
    assert not [one for one in findings if one.code == "cut-by-comment" or one.severity == "error"]


def test_a_comment_that_is_one_can_be_told_so(tmp_path):
    written = "sort by label # and by size. # gamut: ignore cut-by-comment"
    _, findings = inspect_and_lint(write(tmp_path / "b", CUT % written, copies=1))
    assert not {"cut-by-comment", "unused-ignore"} & {one.code for one in findings}
