"""What a kind of report section is, and all sections of a report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gamut_eval.analysis.source import Source
from gamut_eval.registry import Registry
from gamut_eval.reports.shapes import Section


@dataclass(frozen=True)
class Kind:
    """What a file in ``kinds/`` has as ``REPORT``: where the section stands, and how it is made.

    ``build`` gives None where the source has nothing for it.
    """

    order: int
    build: Callable[[Source], Section | None]


REGISTRY: Registry[Kind] = Registry("report", "gamut_eval.reports.kinds", "REPORT")


def build_sections(source: Source) -> list[Section]:
    """All sections that the source has something for, in order."""
    kinds = sorted(REGISTRY.all(), key=lambda kind: kind.order)
    return [section for kind in kinds if (section := kind.build(source)) is not None]
