"""How often several judges say the same of a check, in words."""

from __future__ import annotations

from gamut_eval.analysis.judges import Pair, alike_by_all, pairs
from gamut_eval.analysis.source import Source
from gamut_eval.reports.shapes import Name, Words, listed
from gamut_eval.reports.wording import number, percent


def agreement(source: Source) -> Words:
    """The share of checks on which all judges gave the same verdict, in words, with Cohen's kappa by pairs.

    It is over the checks of an answer that all of its judges judged. Nothing for a single judge.
    """
    answers = [(model, variant) for model, variant, *_ in source.asked]
    if len(set(answers)) == len(answers):
        return ()
    n_all, n_same = alike_by_all(source)
    if not n_all:
        return ("No check has been judged by all judges yet, so their agreement is n/a.",)
    whole = f"All judges gave the same verdict on {percent(n_same / n_all)}% of the {n_all:,} checks that all judged"
    return (whole, *_beyond_chance(pairs(source)), ".")


def _beyond_chance(every: list[Pair]) -> Words:
    if len(every) == 1:
        return (f" (Cohen's kappa {number(every[0].kappa)})",)
    phrases: list[Words] = [
        (Name(pair.one), " with ", Name(pair.other), f" {_share(pair.same)} ({number(pair.kappa)})") for pair in every
    ]
    return ("; by pairs, with Cohen's kappa: ", *listed(phrases))


def _share(value: float | None) -> str:
    return percent(value) if value is None else f"{percent(value)}%"
