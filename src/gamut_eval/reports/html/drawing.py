"""Altair charts as SVG that a page may hold: no style, no link, no script, and every id its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from markupsafe import Markup

from gamut_eval.errors import MissingExtraError
from gamut_eval.extras import needed
from gamut_eval.reports.shapes import Figure, plain
from gamut_eval.reports.wording import visible

_SVG = "http://www.w3.org/2000/svg"
_TAGS = {"svg", "g", "path", "text", "line", "rect", "circle"}
_DRAWN = {"d", "transform", "x", "y", "x1", "x2", "y1", "y2", "width", "height", "viewBox", "opacity"}
_LOOKS = {"fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "stroke-linecap"}
_LETTERS = {"font-size", "font-weight", "font-style", "text-anchor"}
_COLOUR = re.compile(r"none|transparent|var\(--[a-z-]+\)|currentColor")
_NUMBER = re.compile(r"-?\d+\.\d{3,}")


class Drawings:
    """SVG elements by figure."""

    def __init__(self, figures: Sequence[Figure] = (), drawn: Sequence[Markup] = ()) -> None:
        self._of = {id(figure): svg for figure, svg in zip(figures, drawn, strict=True)}

    def get(self, figure: Figure) -> Markup | None:
        """The figure's elements; None where it cannot be drawn."""
        return self._of.get(id(figure))


def drawings(figures: Sequence[Figure]) -> tuple[Drawings, str | None]:
    """Each figure as SVG elements, one for wide and one for narrow windows.

    Without the packages that draw there are none; then it is said what is to be installed.
    """
    if not figures:
        return Drawings(), None
    try:
        convert = needed("vl_convert", "drawing the report's figures", "charts").vegalite_to_svg
        with needed("altair.utils.schemapi", "drawing the report's figures", "charts").debug_mode(False):
            drawn = [
                Markup("\n").join(
                    _drawn(convert(figure.draw(slim=slim).to_dict(validate=False)), figure, "slim" if slim else "full")
                    for slim in (False, True)
                )
                for figure in figures
            ]
    except MissingExtraError as error:
        return Drawings(), str(error)
    return Drawings(figures, drawn), None


def _drawn(svg: str, figure: Figure, width: str) -> Markup:
    """Only elements and attributes that a figure needs are let through, so that no chart can bring in any other."""
    root = _cleaned(ElementTree.fromstring(svg))  # noqa: S314 (what our own converter wrote)
    told = visible(plain((*figure.title, ". ", *figure.reading)))
    root.attrib = {"role": "img", "aria-label": told, "class": f"drawing {width}"} | root.attrib
    return Markup(ElementTree.tostring(root, encoding="unicode"))  # noqa: S704 (escaped by the writer)


def _cleaned(element: ElementTree.Element) -> ElementTree.Element:
    tag = element.tag.removeprefix(f"{{{_SVG}}}")
    kept = ElementTree.Element(tag, _attributes(element))
    kept.text = visible(element.text) if tag == "text" and element.text else None
    kept.extend(child for one in element if (child := _kept(one)) is not None)
    return kept


def _kept(element: ElementTree.Element) -> ElementTree.Element | None:
    if element.tag.removeprefix(f"{{{_SVG}}}") not in _TAGS:
        return None
    child = _cleaned(element)
    drawn = child.tag not in ("g", "text") or len(child) or child.text
    return child if drawn else None


def _attributes(element: ElementTree.Element) -> dict[str, Any]:
    """Places, looks, and what a reader is told of the mark."""
    kept = {
        name: _NUMBER.sub(lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), value)
        for name, value in element.attrib.items()
        if name in _DRAWN | _LETTERS
        or (name in _LOOKS and (name not in ("fill", "stroke") or _COLOUR.fullmatch(value)))
    }
    if element.get("aria-roledescription") and element.get("aria-label"):
        kept["data-tip"] = visible(element.attrib["aria-label"])
    return kept
