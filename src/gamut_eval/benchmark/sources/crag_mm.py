"""CRAG-MM: the photographs that the paper's questions are about, attached to a benchmark folder.

Its licence lets nobody else hand them out, so each user takes them from CRAG-MM. Where it holds only
an address in place of an image, the address is listed; nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gamut_eval.benchmark.attaching import attach_images, refuse_other_image
from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.images import damage, file_inside, image_ending, image_type
from gamut_eval.benchmark.importing.fields import tables
from gamut_eval.benchmark.importing.source import Ledger, Request, Source
from gamut_eval.benchmark.importing.table import Row, Table, is_bare_number, text_of, unpacked
from gamut_eval.benchmark.importing.tiers import normal
from gamut_eval.benchmark.importing.writing import counted, next_step, safe_id
from gamut_eval.benchmark.load import MANIFEST, load_benchmark
from gamut_eval.benchmark.write import write_jsonl
from gamut_eval.errors import Finding, InputError, Place
from gamut_eval.files import native, write_bytes
from gamut_eval.hashing import sha256

_IDS = ("interaction_id", "session_id", "id", "question_id")
_EGOCENTRIC = ("is_ego", "is_egocentric", "egocentric")
_GOOD = "normal"


def _run(request: Request, ledger: Ledger) -> str:
    folder = Path(request.output)
    if not (folder / MANIFEST).is_file():
        message = f"has no {MANIFEST}; -o names the benchmark folder to put the images into, which is made first"
        raise InputError([Finding("unreadable", message, file=request.output)])
    taking = _Taking(request, load_benchmark(folder), folder, ledger)
    for table in tables(request):
        taking.read(table)
    return taking.finished()


@dataclass
class _Taking:
    """Takes images into a benchmark folder. ``images`` are the new fields of questions, by id."""

    request: Request
    benchmark: Benchmark
    folder: Path
    ledger: Ledger
    images: dict[str, dict[str, Any]] = field(default_factory=dict)
    addresses: dict[str, str] = field(default_factory=dict)
    bad: dict[str, tuple[str, str]] = field(default_factory=dict)
    strangers: list[str] = field(default_factory=list)

    def read(self, table: Table) -> None:
        """Take what is in one table."""
        image = self.request.columns.get("image", "image")
        address = self.request.columns.get("image_url", "image_url")
        if image not in table.columns and address not in table.columns:
            told = f"The columns are\n{table.described()}\nSay which with --column image=NAME"
            raise table.refusal(f"there is no column 'image'. {told}")
        for place, row in table.rows(table.columns):
            names = _names(row, self.request)
            if not any(name in self.benchmark.by_id for name in names):
                self.strangers.append(names[0] if names else f"the one at {place}")
            for name in names:
                if name in self.images:
                    self._compare(name, place, row.get(image))
                elif name in self.benchmark.by_id:
                    self._take(name, row, place, row.get(image), text_of(row.get(address)))

    def _compare(self, name: str, place: Place, value: Any) -> None:
        """Name another image of a question that has taken one."""
        try:
            data = _bytes(value, place)
        except InputError:
            return
        if data is not None and sha256(data) != self.images[name]["sha256"]:
            self.ledger.lose("further images of questions, of which the first is taken", f"{name} ({place})")

    def _take(self, name: str, row: Row, place: Place, value: Any, address: str) -> None:
        try:
            data = _bytes(value, place)
        except InputError as error:
            data, why = None, str(error)
        else:
            why = str(place)
        if data is None and address:
            self.addresses[name] = address
        elif data is None:
            self.bad[name] = ("questions with neither an image that is there nor an address", why)
        elif image_type(data) is None:
            self.bad[name] = ("questions with bytes that are no image", why)
        elif fault := damage(data):
            self.bad[name] = ("questions with an image that cannot be opened", f"{place}: {fault}")
        else:
            self._write(name, row, data)

    def _write(self, name: str, row: Row, data: bytes) -> None:
        path = f"images/{name}{image_ending(data)}"
        image = {"path": path, "sha256": sha256(data), "source": "CRAG-MM", **_about(row)}
        for number in filter(is_bare_number, _qualities(row)):
            self.ledger.lose("qualities of images that are numbers without names", f"{number} of {name}")
        refuse_other_image(self.benchmark, name, image)
        write_bytes(self.folder / native(path), data)
        self.images[name] = image

    def finished(self) -> str:
        """Write the questions' files, and say what was done and what was not."""
        changed = attach_images(self.benchmark, self.images)
        self._list_addresses()
        for name, (what, why) in self.bad.items():
            if name not in self.images and name not in self.addresses:
                self.ledger.lose(what, f"{name} ({why})")
        matched = {*self.images, *self.addresses, *self.bad}
        for question in self.benchmark.questions:
            if question.id not in matched and question.image is None:
                self.ledger.lose("questions that are not in the file", question.id)
        if self.strangers:
            n, such = counted(len(self.strangers), "row"), self.strangers[0]
            self.ledger.note(f"{n} of the file to no question of the benchmark (such as {such}): passed over")
        of = f"{len(matched):,} of {counted(len(self.benchmark.questions), 'question')}"
        there = len(self.images) - changed
        already = f"; {there:,} had theirs already" if there else ""
        said = f"Matched {of}; attached {counted(changed, 'image')} in {self.folder}{already}."
        return said + (next_step("Next", "gamut validate --images", str(self.folder)) if self.images else "")

    def _list_addresses(self) -> None:
        left = {name: address for name, address in self.addresses.items() if name not in self.images}
        if left:
            side = f"{str(self.folder).rstrip('/')}.addresses.jsonl"
            write_jsonl(side, [{"id": name, "image_url": address} for name, address in left.items()])
            what = f"questions with an address in place of an image, which is not fetched (listed in {side})"
            for name in left:
                self.ledger.lose(what, name)


def _names(row: Row, request: Request) -> list[str]:
    """The ids by which the row may be a question's, the turns' before the session's."""
    wanted = [request.columns["id"]] if "id" in request.columns else _IDS
    known = [text_of(one.get(key)) for key in wanted for one in (*_turns(row), row)]
    return list(dict.fromkeys(safe_id(name) for name in known if name))


def _turns(row: Row) -> list[Mapping[str, Any]]:
    """The turns, which some writers store as one mapping of lists."""
    turns = unpacked(row.get("turns"))
    if isinstance(turns, Mapping):
        lists = {key: value for key, value in turns.items() if isinstance(value, list)}
        n = max((len(value) for value in lists.values()), default=0)
        return [{key: value[at] for key, value in lists.items() if at < len(value)} for at in range(n)]
    return [one for one in turns if isinstance(one, Mapping)] if isinstance(turns, list) else []


def _bytes(value: Any, place: Place) -> bytes | None:
    """The bytes of an image: in the table, or in a file below the table's folder."""
    if isinstance(value, Mapping):
        value = value.get("bytes") or value.get("path")
    if isinstance(value, bytes):
        return value or None
    if not isinstance(value, str) or not value.strip():
        return None
    return file_inside(Path(str(place.file)).parent, value)


def _qualities(row: Row) -> list[str]:
    """What the row and its turns call the image's quality, each once."""
    told = [one.get("image_quality") for one in (row, *_turns(row))]
    return list(dict.fromkeys(str(one) if is_bare_number(one) else text_of(one) for one in told))


def _about(row: Row) -> dict[str, Any]:
    quality = [one for one in _qualities(row) if one and not is_bare_number(one)]
    told = dict.fromkeys("_".join(one.lower().replace("-", " ").split()) for one in quality)
    kept = [one for one in told if normal(one) != _GOOD]
    egocentric = next((row[name] for name in _EGOCENTRIC if isinstance(row.get(name), bool)), None)
    return ({"quality": kept} if kept else {}) | ({} if egocentric is None else {"egocentric": egocentric})


def _example() -> Iterator[dict[str, Any]]:
    turn = {"interaction_id": "q1", "domain": "food", "query": "What is it?", "image_quality": "low light"}
    yield {"session_id": "s1", "image": None, "image_url": "https://images.example/1.jpg", "turns": [turn]}


SOURCE = Source(
    summary="CRAG-MM: puts its images into the benchmark folder that -o names.",
    run=_run,
    columns=("id", "image", "image_url"),
    options=("split",),
    example=tuple(_example()),
    extends=True,
)
