"""Finding the things that come one to a file: item types, outside data sets, models, judges, reports.

A module in the registry's package is found by its file name. Other distributions add theirs with
an entry point in the registry's group, for instance::

    [project.entry-points."gamut_eval.judges"]
    keyword = "my_package.keyword:JUDGE"
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, TypeVar, cast

from gamut_eval.errors import InputError, UnknownNameError

T = TypeVar("T")


class Registry(Generic[T]):
    """Names to things of one kind; nothing is imported before it is asked for."""

    def __init__(self, what: str, package: str, attribute: str) -> None:
        self.what = what
        self._package = package
        self._attribute = attribute
        self._group = f"gamut_eval.{package.rpartition('.')[2]}"

    @cached_property
    def _modules(self) -> list[str]:
        package: Any = importlib.import_module(self._package)
        return [module.name for module in pkgutil.iter_modules(package.__path__)]

    @cached_property
    def _outside(self) -> dict[str, EntryPoint]:
        return {point.name: point for point in entry_points(group=self._group)}

    def names(self) -> list[str]:
        """All names: those of this package in file order, then those from entry points."""
        return [*self._modules, *(name for name in self._outside if name not in self._modules)]

    def get(self, name: str) -> T:
        """The thing of that name.

        Raises
        ------
        UnknownNameError
            With near matches.
        """
        if name in self._modules:
            module = importlib.import_module(f"{self._package}.{name}")
            return cast(T, getattr(module, self._attribute))
        if name in self._outside:
            return cast(T, self._loaded(self._outside[name]))
        raise UnknownNameError(self.what, name, self.names())

    def _loaded(self, point: EntryPoint) -> Any:
        try:
            return point.load()
        except Exception as error:  # another distribution's fault, whatever it is
            raise InputError(self.fault(point.name, error)) from error

    def fault(self, name: str, error: Exception) -> str:
        """What to say of a thing of another distribution that does not work."""
        value = self._outside[name].value
        return f"{self.what} {name!r} ({value}) does not work: {type(error).__name__}: {error}; ask who made it"

    def is_outside(self, name: str) -> bool:
        """Whether the thing of that name comes from another distribution."""
        return name in self._outside and name not in self._modules

    def all(self) -> list[T]:
        """Every registered thing, in the order of `names`."""
        return [self.get(name) for name in self.names()]
