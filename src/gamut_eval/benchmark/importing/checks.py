"""Binary rubrics in the shapes that others store them in, each read to lines of tier and text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gamut_eval.benchmark.importing.table import text_of, unpacked
from gamut_eval.benchmark.importing.tiers import TierNames, normal
from gamut_eval.hashing import sha256
from gamut_eval.rubric.fields import Tier, slug

TEXT_FIELDS = (
    *("text", "check", "criterion", "statement", "requirement", "description", "checktext", "criteria", "content"),
    *("rubric", "item", "fact", "claim", "nugget", "question", "rubrictext", "itemtext", "binarycheck", "value"),
)
TIER_FIELDS = ("tier", "importance", "level", "priority", "category", "tiername", "importancetier", "weight", "label")
ID_FIELDS = ("id", "checkid", "criterionid", "itemid", "name", "key")
_OF_META_RUBRICS = {"options", "steps", "entities", "mincoverage", "items", "pool"}
_WRAPPERS = ("binaryrubric", "binarychecks", "binary", "checks", "checklist", "criteria", "rubric", "rubrics", "items")


@dataclass(frozen=True)
class Line:
    """One check as it was read; ``id`` where it had one. ``unused`` are its other fields."""

    tier: Tier
    text: str
    id: str | None = None
    unused: tuple[str, ...] = ()


class NotChecksError(ValueError):
    """A value has no shape of a binary rubric."""


class UnknownTierError(NotChecksError):
    """It has, but for the name of a tier, which nobody can guess."""


def read_lines(value: Any, tiers: TierNames) -> list[Line]:
    """The lines of a binary rubric.

    Read are a list of mappings with a text and a tier; a mapping from tiers to lists of texts (or
    of mappings); a mapping from ids to mappings; columns of equal length; any of these as JSON, or
    inside a mapping that has no other rubric.

    Raises
    ------
    UnknownTierError
        A tier has a name that is not known.
    NotChecksError
        It has none of these shapes.
    """
    value = unpacked(value)
    if isinstance(value, Mapping):
        return _of_mapping(value, tiers)
    if not isinstance(value, list | tuple) or not value:
        raise NotChecksError("is no list")
    return [_line(unpacked(entry), tiers) for entry in value]


def paired_lines(texts: Any, names: Any, tiers: TierNames) -> list[Line]:
    """The lines of a list of texts and the list of their tiers, which is as long."""
    texts, names = unpacked(texts), unpacked(names)
    if not isinstance(texts, list) or not isinstance(names, list) or len(texts) != len(names) or not texts:
        raise NotChecksError("are no two lists of one length")
    return [_line({"text": text, "tier": name}, tiers) for text, name in zip(texts, names, strict=True)]


def _of_mapping(value: Mapping[str, Any], tiers: TierNames) -> list[Line]:
    filled = {str(key): unpacked(one) for key, one in value.items() if one not in (None, [], {}, "")}
    if filled and all(tiers.of(key) for key in filled):
        return [line for key, members in filled.items() for line in _of_tier(key, members, tiers)]
    if len(filled) > 1 and all(isinstance(one, list) for one in filled.values()):
        lengths = {len(one) for one in filled.values()}
        if len(lengths) == 1 and _known(filled, TIER_FIELDS) and _known(filled, TEXT_FIELDS):
            rows = zip(*filled.values(), strict=True)
            return [_line(dict(zip(filled, row, strict=True)), tiers) for row in rows]
    if filled and all(isinstance(one, Mapping) for one in filled.values()):
        try:
            return [_line({"id": key, **one}, tiers) for key, one in filled.items()]
        except UnknownTierError:
            raise
        except NotChecksError:
            pass
    return _unwrapped(filled, tiers)


def _of_tier(tier: str, members: Any, tiers: TierNames) -> Iterator[Line]:
    for member in members if isinstance(members, list | tuple) else [members]:
        entry = unpacked(member)
        yield _line({**(entry if isinstance(entry, Mapping) else {"text": entry}), "tier": tier}, tiers)


def _unwrapped(filled: Mapping[str, Any], tiers: TierNames) -> list[Line]:
    found: dict[str, list[Line]] = {}
    for key, one in filled.items():
        if isinstance(one, Mapping | list) and "meta" not in normal(key):
            try:
                found[normal(key)] = read_lines(one, tiers)
            except UnknownTierError:
                raise
            except NotChecksError:
                continue
    for name in _WRAPPERS:
        if name in found:
            return found[name]
    if len(found) != 1:
        raise NotChecksError("holds no rubric" if not found else "holds several rubrics")
    return next(iter(found.values()))


def _known(entry: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """The keys of the entry that are among the names, best first."""
    by_name = {normal(key): key for key in entry}
    return [by_name[name] for name in names if name in by_name]


def _line(entry: Any, tiers: TierNames) -> Line:
    if not isinstance(entry, Mapping):
        raise NotChecksError("a member is no mapping of text and tier")
    filled = {str(key): one for key, one in entry.items() if one not in (None, "", [], {})}
    if any(normal(key) in _OF_META_RUBRICS for key in filled):
        raise NotChecksError("is a meta-rubric")
    tier_key = _tier_key(filled, tiers)
    text_key = _text_key(filled, tier_key)
    tier = tiers.of(filled[tier_key])
    if tier is None:
        raise UnknownTierError(f"the tier {filled[tier_key]!r} is not known")
    id_keys = [key for key in _known(filled, ID_FIELDS) if key not in (tier_key, text_key)]
    name = text_of(filled[id_keys[0]]) if id_keys else None
    used = {tier_key, text_key, *id_keys[:1]}
    return Line(tier, text_of(filled[text_key]), name, tuple(key for key in filled if key not in used))


def _tier_key(filled: Mapping[str, Any], tiers: TierNames) -> str:
    named = [key for key in _known(filled, TIER_FIELDS) if isinstance(filled[key], str | int)]
    meant = [key for key in named if tiers.of(filled[key])]
    other = [key for key in filled if key not in named and tiers.of(filled[key])]
    if meant or (len(other) == 1 and not named):
        return (meant or other)[0]
    if named and normal(named[0]) in TIER_FIELDS[:4]:
        return named[0]
    if len(other) == 1:
        return other[0]
    raise NotChecksError("no field is a tier")


def _text_key(filled: Mapping[str, Any], tier_key: str) -> str:
    texts = [key for key, value in filled.items() if key != tier_key and isinstance(value, str)]
    named = [key for key in _known(filled, TEXT_FIELDS) if key in texts]
    others = [key for key in texts if normal(key) not in ID_FIELDS]
    if named:
        return named[0]
    if len(others) == 1:
        return others[0]
    raise NotChecksError("no field is the text, or more than one may be")


def checks_of(lines: Sequence[Line]) -> list[dict[str, Any]]:
    """The lines as imported checks of a question's file.

    A check keeps its id where all ids can be kept and differ. Else it is called by the slug of its
    text, with a piece of the text's hash where two slugs are the same, so that ids do not depend on
    place.
    """
    names = [line.id for line in lines]
    if not all(name and _is_id(name) for name in names) or len(set(names)) != len(names):
        names = list(_by_text([line.text for line in lines]))
    return [{"id": name, "tier": line.tier.value, "text": line.text} for name, line in zip(names, lines, strict=True)]


def _is_id(name: str) -> bool:
    return name[0].isascii() and name[0].isalnum() and len(name) <= 200 and not any(char.isspace() for char in name)


def _by_text(texts: Sequence[str]) -> Iterator[str]:
    slugs = [slug(text) for text in texts]
    counts: dict[str, int] = {}
    for text, name in zip(texts, slugs, strict=True):
        plain = name if name and name[0].isascii() else f"c-{name}".rstrip("-")
        whole = plain if slugs.count(name) == 1 and name else f"{plain}-{sha256(text)[:8]}"
        counts[whole] = counts.get(whole, 0) + 1
        yield whole if counts[whole] == 1 else f"{whole}-{counts[whole]}"
