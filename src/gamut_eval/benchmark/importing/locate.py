"""Where a data set's files are: one file, a folder of them, or a data set on the Hugging Face hub."""

from __future__ import annotations

import fnmatch
import importlib
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from gamut_eval.benchmark.importing.table import ENDINGS
from gamut_eval.errors import Finding, InputError, MissingExtraError
from gamut_eval.files import shown

TIMEOUT_S = 10.0
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


def is_on_hub(file: str) -> bool:
    """Whether the name is ``owner/name`` and no local file.

    >>> is_on_hub("facebook/GAMUT"), is_on_hub("data/test.parquet")
    (True, False)
    """
    named = _REPOSITORY.fullmatch(file) and Path(file).suffix.lower() not in ENDINGS
    return bool(named) and not os.path.exists(file)


def data_files(file: str, split: str | None = None) -> tuple[list[Path], str]:
    """The local files of one split, downloaded if need be, and a word on where they come from.

    Parameters
    ----------
    file
        A file (which is the answer, whatever the split), a folder, or ``owner/name`` on the hub.
    split
        None: all there is.

    Raises
    ------
    MissingExtraError
        The hub is asked for, and its client is not installed.
    InputError
        Nothing is there, or the hub cannot be reached or refuses.
    """
    if is_on_hub(file):
        return _from_hub(file, split)
    if not os.path.isdir(file):
        return [Path(file)], _called([Path(file)])
    found = sorted(one.relative_to(file).as_posix() for one in Path(file).rglob("*") if one.is_file())
    files = [Path(file, name) for name in _of_split(file, found, split, {})]
    return files, _called(files)


def _called(files: Sequence[Path]) -> str:
    """The names of files, without the folders that one machine has them in."""
    names = ["standard input" if str(one) == "-" else shown(one.name) for one in files]
    return " and ".join(names if len(names) < 3 else [names[0], f"{len(names) - 1} files more"])


def splits_in(file: str, wanted: Sequence[str]) -> list[str]:
    """Which of the splits a folder or a hub data set has; all of them where it is one file."""
    if is_on_hub(file):
        info = _info(file)
        names, card = _names(info), _card(info)
    elif os.path.isdir(file):
        names, card = [one.relative_to(file).as_posix() for one in Path(file).rglob("*") if one.is_file()], {}
    else:
        return list(wanted)
    return [split for split in wanted if _matching(names, split, card)]


def _of_split(file: str, names: Sequence[str], split: str | None, card: Mapping[str, Any]) -> list[str]:
    found = _matching(names, split, card)
    if not found:
        data = [name for name in names if name.lower().endswith(ENDINGS)]
        what = f"no file of the split {split!r}" if split else "no table"
        seen = f"there are {', '.join(data[:8])}; name one with --split, or give a file" if data else "nothing to read"
        raise InputError([Finding("unreadable", f"has {what}: {seen}", file=file)])
    return found


def _matching(names: Sequence[str], split: str | None, card: Mapping[str, Any]) -> list[str]:
    data = sorted(name for name in names if name.lower().endswith(ENDINGS))
    if split is None:
        return data
    declared = [glob for name, glob in _declared(card) if name == split]
    if declared:
        return [name for name in data if any(fnmatch.fnmatchcase(name, glob) for glob in declared)]
    written = re.compile(rf"(.*/)?{re.escape(split)}((-\d+-of-\d+)?\.\w+|/.*)")
    return [name for name in data if written.fullmatch(name)]


def _declared(card: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The splits that a data set card declares, each with the pattern of its files."""
    configs = card.get("configs")
    for config in configs if isinstance(configs, list) else ():
        files = config.get("data_files") if isinstance(config, dict) else None
        for entry in files if isinstance(files, list) else ():
            if isinstance(entry, dict) and "split" in entry:
                paths = entry.get("path", ())
                yield from ((entry["split"], path) for path in ([paths] if isinstance(paths, str) else paths))


# --- The hub ---------------------------------------------------------------------------------


def _from_hub(repository: str, split: str | None) -> tuple[list[Path], str]:
    info = _info(repository)
    names = _of_split(repository, _names(info), split, _card(info))
    return [_download(repository, name, info.sha) for name in names], f"{repository} (revision {info.sha})"


def _names(info: Any) -> list[str]:
    return [sibling.rfilename for sibling in info.siblings or ()]


def _card(info: Any) -> Mapping[str, Any]:
    return info.card_data.to_dict() if info.card_data else {}


def _client() -> Any:
    try:
        import huggingface_hub
    except ImportError:
        purpose = "reading a data set from the hub (there is no local file of that name) with 'gamut import'"
        raise MissingExtraError(purpose, "huggingface_hub", "hub") from None
    if not sys.stderr.isatty():
        importlib.import_module("huggingface_hub.utils").disable_progress_bars()
    return huggingface_hub


@cache
def _info(repository: str) -> Any:
    client = _client()
    try:
        return client.HfApi().dataset_info(repository, timeout=TIMEOUT_S)
    except Exception as error:  # network, proxy, server, login: each library version has its own errors
        raise _refused(repository, error) from None


def _download(repository: str, name: str, revision: str | None) -> Path:
    try:
        path = _client().hf_hub_download(
            repository, name, repo_type="dataset", revision=revision, etag_timeout=TIMEOUT_S
        )
    except Exception as error:
        raise _refused(f"{repository}/{name}", error) from None
    return Path(path)


def _refused(what: str, error: Exception) -> InputError:
    kinds = {one.__name__ for one in type(error).__mro__}
    if "GatedRepoError" in kinds:
        told = "asks to accept its terms first: do so on its page, log in with 'hf auth login', and run this again"
    elif "RepositoryNotFoundError" in kinds:
        told = "there is no such data set on the hub, or it is private; check the name, or log in with 'hf auth login'"
    else:
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        told = f"cannot be had from the hub ({reason}); check the network, or give the path of a downloaded file"
    return InputError([Finding("unreachable", told, file=what)])
