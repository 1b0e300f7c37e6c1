"""What statistics found, as plain data: fractions, and None where undefined, with the reason."""

from __future__ import annotations

from typing import Any

from gamut_eval.analysis.inference import Inference
from gamut_eval.stats.bootstrap import Interval
from gamut_eval.stats.paired import Comparison
from gamut_eval.stats.ranks import RankAgreement


def inference_data(how: Inference) -> dict[str, Any]:
    """How intervals and tests were made."""
    return {"level": how.level, "method": how.method, "replicates": how.replicates, "seed": how.seed}


def interval_data(interval: Interval) -> dict[str, Any]:
    """An interval without what all of a report share."""
    return {
        "estimate": interval.estimate,
        "low": interval.low,
        "high": interval.high,
        "standard_error": interval.standard_error,
        "n_questions": interval.n_questions,
        "n_clusters": interval.n_clusters,
        "why": interval.why,
        "notes": list(interval.notes),
    }


def comparison_data(pair: Comparison) -> dict[str, Any]:
    """Two models, or two judges, on the questions that both have."""
    return {
        "one": pair.one,
        "other": pair.other,
        "difference": interval_data(pair.interval),
        "p_permutation": pair.p_permutation,
        "p_bootstrap": pair.p_bootstrap,
        "p_holm": pair.p_holm,
        "exact": pair.exact,
        "wins": pair.wins,
        "ties": pair.ties,
        "losses": pair.losses,
        "n_shared": len(pair.shared),
        "only_one": list(pair.only_one),
        "only_other": list(pair.only_other),
        "why": pair.why,
    }


def ranking_data(found: RankAgreement) -> dict[str, Any]:
    """How far two rankings are alike."""
    return {
        "kendall_tau_b": found.kendall_tau_b,
        "spearman": found.spearman,
        "n_models": found.n,
        "left_out": list(found.left_out),
        "why": found.why,
    }
