"""The pages: from what an address asks for to HTML."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from jinja2 import ChoiceLoader, Environment, PackageLoader

from gamut_eval.analysis.breakdown import domain_means
from gamut_eval.analysis.inference import Inference
from gamut_eval.benchmark.question import Question
from gamut_eval.errors import UnknownNameError
from gamut_eval.records import VERDICTS
from gamut_eval.reports.html.page import environment
from gamut_eval.reports.leaderboard import BOUNDED, COMBINED_NOTES, INCOMPLETE, UNDEFINED
from gamut_eval.reports.ranking import Facet, unasked, why_first
from gamut_eval.reports.scoring_words import TIERS_EXPLAINED, made_how
from gamut_eval.reports.wording import KIND_NAMES, NOT_AVAILABLE, TIER_MEANS, TIER_SHORT
from gamut_eval.rubric.fields import TIERS
from gamut_eval.web.view.choice import SORTS, STATES, Choice, Params
from gamut_eval.web.view.listing import MISSED_PAGE, PAGE, missed_checks
from gamut_eval.web.view.pictures import Picture, picture, reason_without
from gamut_eval.web.view.question import shown
from gamut_eval.web.view.viewing import View, Viewing

QUESTIONS = "/questions"
KEYS = (
    ("j or →", "next question"),
    ("k or ←", "question before"),
    ("u", "back to the list"),
    ("/", "search"),
    ("1 … 9", "show or hide a model’s answer"),
    ("Esc", "close what is open"),
    ("?", "these keys"),
)
"""What keys do, where scripts run."""


@dataclass(frozen=True)
class Neighbours:
    """Where a question stands among those of the filter: its place from 1, of how many, and the questions beside it.

    ``page`` is that of the list on which it stands.
    """

    place: int
    n: int
    page: int
    before: str | None
    after: str | None


def address(question: str, choice: Choice) -> str:
    """Where a question is shown.

    >>> address("food-001", Choice(tier="context"))
    '/questions/food-001?tier=context'
    """
    return f"{QUESTIONS}/{quote(question, safe='')}{choice.query}"


class Pages:
    """Renders what there is to see of runs."""

    def __init__(self, viewing: Viewing) -> None:
        self.viewing = viewing
        self._templates = _templates()

    def overview(self, params: Params) -> str:
        """The runs, the leaderboard of a variant and judge, the domains."""
        view, choice, facet = self._looked(params)
        lines, known = view.standings.lines(facet) if facet else ([], True)
        return self._render(
            "overview.html",
            view,
            choice,
            facet=facet,
            lines=lines,
            known=known,
            notes=list(_notes(view, facet)),
            unasked=unasked(view.snapshot.source, facet) if facet else "",
            how=Inference().words,
            scoring=made_how(view.snapshot.source.scores.settings),
            domains=_domains(view, facet) if facet else [],
            domain=_domain(view, facet),
        )

    def questions(self, params: Params) -> str:
        """A list of questions."""
        view, choice, facet = self._looked(params)
        listing = view.listing(choice)
        n_pages = max(1, math.ceil(len(listing.order) / PAGE)) if listing else 1
        choice = choice.but(page=min(choice.page, n_pages))
        rows = listing.rows(view.snapshot, choice.page) if listing else []
        asked = {"facet": facet, "listing": listing, "rows": rows, "n_pages": n_pages, "domain": _domain(view, facet)}
        return self._render("list.html", view, choice, path=QUESTIONS, **asked)

    def checks(self, params: Params) -> str:
        """The checks that answers miss most."""
        view, choice, facet = self._looked(params)
        missed = missed_checks(view.snapshot, facet, choice) if facet else None
        n_pages = max(1, math.ceil(missed.n / MISSED_PAGE)) if missed else 1
        if facet and choice.page > n_pages:
            choice = choice.but(page=n_pages)
            missed = missed_checks(view.snapshot, facet, choice)
        asked = {"facet": facet, "missed": missed, "n_pages": n_pages, "first": (choice.page - 1) * MISSED_PAGE}
        return self._render("missed.html", view, choice, path="/checks", **asked)

    def question(self, question_id: str, params: Params) -> str:
        """One question with answers side by side.

        Raises
        ------
        UnknownNameError
            There is no such question.
        """
        view, choice, facet = self._looked(params)
        question = _question(view, question_id)
        variants = [variant for variant, _ in view.snapshot.facets if variant in question.variants]
        usual = facet.variant if facet else ""
        variant = usual if usual in variants or not variants else variants[0]
        found = shown(view.snapshot, question, choice, variant)
        return self._render(
            "one.html",
            view,
            choice,
            facet=facet,
            shown_question=found,
            shown_models={side.model for side in found.sides},
            several=choice.judge not in view.snapshot.source.judges and len(view.snapshot.source.judges) > 1,
            neighbours=_neighbours(view, question, choice),
            pictured=question.image,
            lacking=reason_without(question.image, self.viewing.root) if question.image else None,
            large=variant == "image",
        )

    def image(self, question_id: str) -> Picture:
        """A question's image.

        Raises
        ------
        InputError
            There is no such question, or its image cannot be shown.
        """
        question = _question(self.viewing.look(), question_id)
        if question.image is None:
            raise UnknownNameError("image", question_id, ())
        return picture(question.image, self.viewing.root)

    def failure(self, status: int, title: str, told: str) -> str:
        """What is shown in place of a page that cannot be had."""
        return self._templates.get_template("failure.html").render(status=status, title=title, told=told, keys=KEYS)

    def canonical(self, params: Params) -> Choice:
        """What an address chooses.

        Raises
        ------
        InputError
            It names what there is not.
        """
        return Choice.parsed(params, self.viewing.look().snapshot.known)

    def _looked(self, params: Params) -> tuple[View, Choice, Facet | None]:
        view = self.viewing.look()
        choice = Choice.parsed(params, view.snapshot.known)
        return view, choice, view.snapshot.facet(choice)

    def _render(self, name: str, view: View, choice: Choice, **more: Any) -> str:
        told = {"view": view, "snapshot": view.snapshot, "source": view.snapshot.source, "choice": choice}
        facet = more.get("facet")
        usual = choice.judge is None and facet in view.snapshot.main
        told |= {"why_first": why_first(view.snapshot.source, facet) if facet and usual else ()}
        told |= {"trouble": self.viewing.trouble, "stale": view.changed, "keys": KEYS, "lens": choice.lens}
        return self._templates.get_template(name).render(told | more)


def _templates() -> Environment:
    reports = environment()
    own = reports.overlay(
        loader=ChoiceLoader([PackageLoader("gamut_eval.web.view"), reports.loader or ChoiceLoader([])])
    )
    own.globals = reports.globals | {
        "address": address,
        "whole": _whole,
        "kind_names": KIND_NAMES,
        "sorts": SORTS,
        "states": STATES,
        "tier_short": {tier.value: TIER_SHORT[tier] for tier in TIERS},
        "tier_means": {tier.value: TIER_MEANS[tier] for tier in TIERS},
        "tiers_explained": TIERS_EXPLAINED,
        "verdicts": [verdict.value for verdict in VERDICTS],
    }
    own.filters = reports.filters | {"zipped": _zipped}
    return own


def _zipped(names: Sequence[str], titles: Mapping[str, str] | None = None) -> list[tuple[str, str]]:
    """Values of a parameter with what they are called."""
    return [(name, (titles or {}).get(name, name)) for name in names]


def _whole(score: float | None) -> str:
    """A score as a whole percentage, for places where there are many.

    >>> _whole(0.586), _whole(-0.004), _whole(None)
    ('59', '0', 'n/a')
    """
    return NOT_AVAILABLE if score is None else str(round(score * 100)).replace("-", "−")


def _domain(view: View, facet: Facet | None) -> tuple[float, float]:
    """What small bars span: from 0, or as far below as any score goes, to 1."""
    lowest = view.snapshot.scoreboard(facet.variant, facet.judge).lowest if facet else 0.0
    return min(0.0, lowest), 1.0


def _question(view: View, question_id: str) -> Question:
    places = view.snapshot.places
    if question_id not in places:
        raise UnknownNameError("question", question_id, places)
    return view.snapshot.source.questions[places[question_id]]


def _neighbours(view: View, question: Question, choice: Choice) -> Neighbours | None:
    """None where the filter leaves the question out."""
    listing = view.listing(choice)
    at = view.snapshot.places[question.id]
    if listing is None or at not in listing.order:
        return None
    place, ids = listing.order.index(at), [one.id for one in view.snapshot.source.questions]
    before = ids[listing.order[place - 1]] if place else None
    after = ids[listing.order[place + 1]] if place + 1 < len(listing.order) else None
    return Neighbours(place + 1, len(listing.order), place // PAGE + 1, before, after)


def _notes(view: View, facet: Facet | None) -> Sequence[tuple[str, str]]:
    """Tone and text of what has to be known before the numbers are read."""
    source = view.snapshot.source
    notes = [("note", note) for note in source.notes]
    if source.scores.incomplete:
        over = facet.over if facet else ""
        told = f"Scores are {over}. {BOUNDED}" if over else UNDEFINED
        notes.append(("warning", f"{INCOMPLETE}{told}"))
    notes += [("warning", note) for note in source.said_of_judges]
    combined = {judge: text for judge, text in COMBINED_NOTES.items() if facet and judge == facet.judge}
    return list(dict.fromkeys([*notes, *(("note", text) for text in combined.values())]))


def _domains(view: View, facet: Facet) -> list[tuple[str, int, list[float | None]]]:
    """Each domain with how many of its questions count and each model's mean; None where a score is open."""
    means = domain_means(view.snapshot.source, facet.variant, facet.judge)
    return [(domain, n, [own.get(row.model) for row in facet.rows]) for domain, (n, own) in means.items()]
