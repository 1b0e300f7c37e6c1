"""Comments silence what they name, where they stand, and say so when they have nothing to do."""

import pytest

from gamut_eval.benchmark.lint import inspect_and_lint
from gamut_eval.benchmark.load import load_benchmark

QUESTION = """\
# A comment above.
id: tea{first}
domain: food
question: How is tea made, and what is it called?
rubric:
  items:
    {above}
    - id: heat{item}
      type: simple
      tier: answer_critical
      statement: >-{statement}
        It is brewed from leaves, herbs, etc.
      evidence: [page]
    - id: kinds
      type: flexible_list
      tier: valuable
      topic: kinds of tea
      min_coverage: 2{coverage}
      options: [green, black]
      evidence: [page]
  evidence:
    - id: page
      url: https://example.org/tea
      reviews: [{{by: Ada, kind: person, at: 2026-11-30, supports: true}}]
"""
SPOTS = dict.fromkeys(("first", "above", "item", "statement", "coverage"), "")
ALL = [("dangling-reference", 11, 18), ("vague-words", 11, 18), ("coverage-is-all", 18, 21)]


def linted(tmp_path, **comments):
    file = tmp_path / "tea.yaml"
    file.write_text(QUESTION.format(**SPOTS | comments).replace("\n    \n", "\n    # nothing\n"))
    return [(one.code, one.line, one.column) for one in inspect_and_lint(file)[1]]


def test_findings_have_line_and_column_of_the_value(tmp_path):
    assert linted(tmp_path) == ALL


@pytest.mark.parametrize(
    ("spot", "comment", "silenced"),
    [
        ("statement", "  # gamut: ignore vague-words", {"vague-words"}),
        ("statement", "  #gamut:ignore vague-words, dangling-reference", {"vague-words", "dangling-reference"}),
        ("statement", " # gamut: ignore vague-words (the judge copes)", {"vague-words"}),
        ("statement", " # gamut: ignore vague-words: the judge copes", {"vague-words"}),
        ("statement", " # gamut: ignore vague-words - the judge copes", {"vague-words"}),
        ("item", "  # gamut: ignore vague-words", {"vague-words"}),
        ("above", "# gamut: ignore vague-words", {"vague-words"}),
        ("first", "  # gamut: ignore coverage-is-all, vague-words", {"coverage-is-all", "vague-words"}),
        ("coverage", "  # gamut: ignore coverage-is-all", {"coverage-is-all"}),
        ("coverage", "  # vague-words are ignored", set()),
    ],
)
def test_a_comment_silences(spot, comment, silenced, tmp_path):
    assert linted(tmp_path, **{spot: comment}) == [one for one in ALL if one[0] not in silenced]


def test_a_comment_elsewhere_silences_nothing_and_is_told_of(tmp_path):
    assert linted(tmp_path, coverage="  # gamut: ignore vague-words") == [*ALL[:2], ("unused-ignore", 18, None), ALL[2]]


@pytest.mark.parametrize("comment", ["  # gamut: ignore vage-words", "  # gamut: ignore"])
def test_a_comment_without_a_known_code_is_a_warning(comment, tmp_path):
    found = linted(tmp_path, coverage=comment)
    assert [one for one in found if one not in ALL] == [("unknown-ignore", 18, None)]


def test_errors_cannot_be_silenced(tmp_path):
    found = linted(tmp_path, coverage="1  # gamut: ignore coverage-above-options")
    assert ("coverage-above-options", 18, 21) in found


def test_comments_change_nothing_of_the_meaning(tmp_path):
    linted(tmp_path)
    before = load_benchmark(tmp_path / "tea.yaml").hash
    linted(tmp_path, first="  # gamut: ignore vague-words")
    assert load_benchmark(tmp_path / "tea.yaml").hash == before


def test_windows_line_ends(tmp_path):
    linted(tmp_path, statement="  # gamut: ignore vague-words")
    file = tmp_path / "tea.yaml"
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert [one.code for one in inspect_and_lint(file)[1]] == ["dangling-reference", "coverage-is-all"]
