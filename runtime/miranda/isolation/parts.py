"""Kinds of state that a process has, each with how to look at it and how to put it back."""

from __future__ import annotations

from collections.abc import Callable
from operator import is_, itemgetter
from typing import Any

#: In changes: the name is not there.
MISSING: Any = object()
# Node code may put anything under the names of builtins.
Anything = BaseException
#: Its methods, past those of a library's own kind of dictionary.
Plain: Any = dict


class Part:
    """
    One kind of state. `base` is what it is like while no node runs, `own` what a node has made of it, as far as that
    is different.
    """

    base: Any = None

    def now(self) -> Any:
        raise NotImplementedError

    def put(self, value: Any) -> None:
        raise NotImplementedError

    def take(self) -> None:
        """What it is like now becomes the base."""
        self.base = self.now()
        self.prepare()

    def prepare(self) -> None:
        """Called when the base has changed."""

    def is_base(self) -> bool:
        return self.now() == self.base

    def reset(self) -> None:
        self.put(self.base)

    def own(self) -> Any:
        """None when nothing is different."""
        return None if self.is_base() else self.now()

    def give(self, own: Any) -> None:
        """From the base to what the node has made of it."""
        self.put(own)

    def join(self, before: Any) -> None:
        """What the import of a module changed since `before` stays, like the module itself."""
        now = self.now()
        if now != before:
            self.base = now
            self.prepare()


def names_in(module: Any) -> dict[str, Any]:
    return module.__dict__


def differ(one: Any, other: Any) -> bool:
    if one is other:
        return False
    try:
        return bool(one != other)
    except Anything:
        return True


def changes(before: dict[Any, Any], after: dict[Any, Any]) -> dict[Any, Any]:
    found = {key: value for key, value in after.items() if differ(before.get(key, MISSING), value)}
    for key in before:
        if key not in after:
            found[key] = MISSING
    return found


class Table(Part):
    """State of many named values, of which each is kept apart."""

    def apply(self, found: dict[Any, Any]) -> None:
        raise NotImplementedError

    def put(self, value: Any) -> None:
        self.apply(changes(self.now(), value))

    def own(self) -> Any:
        return None if self.is_base() else changes(self.base, self.now()) or None

    def give(self, own: Any) -> None:
        self.apply(own)

    def join(self, before: Any) -> None:
        now = self.now()
        found = changes(before, now)
        if not found:
            return
        base = dict(self.base)
        for key, value in found.items():
            if value is MISSING:
                base.pop(key, None)
            else:
                base[key] = value
        self.base = base
        self.prepare()


class Mapping(Table):
    """A dictionary that is changed in place."""

    def __init__(self, data: dict[Any, Any]) -> None:
        self.data = data
        self.take()

    def now(self) -> dict[Any, Any]:
        return dict(Plain.items(self.data))

    def prepare(self) -> None:
        self.values = [*self.base.values()]

    def is_base(self) -> bool:
        # Lists are compared three times as fast as dictionaries. An order that has changed takes the slow way.
        return [*Plain.values(self.data)] == self.values or Plain.__eq__(self.data, self.base)

    def apply(self, found: dict[Any, Any]) -> None:
        data = self.data
        for key, value in found.items():
            if value is not MISSING:
                Plain.__setitem__(data, key, value)
            elif Plain.__contains__(data, key):
                Plain.__delitem__(data, key)


class Builtins(Mapping):
    """Comes first: everything else here needs them. So it uses none but what it has at hand."""

    def __init__(self, data: dict[Any, Any]) -> None:
        self.clear, self.update = data.clear, data.update
        super().__init__(data)

    def is_base(self) -> bool:
        return [*self.data.values()] == self.values

    def reset(self) -> None:
        # In this order there is no moment without a builtin.
        self.update(self.base)
        if self.data != self.base:
            self.clear()
            self.update(self.base)


class Names(Table):
    """Names in modules, such as `sys.stdout`: what they stand for, whatever that looks like itself."""

    def __init__(self, places: list[tuple[dict[str, Any], str]]) -> None:
        self.places = places
        self.take()

    def now(self) -> dict[int, Any]:
        return {index: space.get(name, MISSING) for index, (space, name) in enumerate(self.places)}

    def prepare(self) -> None:
        """By module, so that all its names are fetched at once."""
        self.checks: list[tuple[Callable[[Any], Any], dict[str, Any], list[Any]]] = []
        self.missing: list[tuple[dict[str, Any], str]] = []
        spaces: dict[int, dict[str, Any]] = {}
        names: dict[int, list[int]] = {}
        for index, (space, name) in enumerate(self.places):
            if self.base[index] is MISSING:
                self.missing.append((space, name))
            else:
                spaces[id(space)] = space
                names.setdefault(id(space), []).append(index)
        for key, found in names.items():
            # Twice the first: of a single name the getter would not make a tuple.
            found.append(found[0])
            get = itemgetter(*(self.places[index][1] for index in found))
            self.checks.append((get, spaces[key], [self.base[index] for index in found]))

    def is_base(self) -> bool:
        for get, space, values in self.checks:
            if not all(map(is_, get(space), values)):
                return False
        return all(name not in space for space, name in self.missing)

    def own(self) -> Any:
        found = {index: value for index, value in self.now().items() if value is not self.base[index]}
        return copies(found) or None

    def give(self, own: dict[int, Any]) -> None:
        # A list in the place of `sys.path` is changed by every run.
        self.apply(copies(own))

    def put(self, value: dict[int, Any]) -> None:
        self.apply(value)

    def apply(self, found: dict[int, Any]) -> None:
        for index, value in found.items():
            space, name = self.places[index]
            if value is MISSING:
                space.pop(name, None)
            else:
                space[name] = value

    def join(self, before: dict[int, Any]) -> None:
        now = self.now()
        changed = {index: value for index, value in now.items() if value is not before[index]}
        self.base = {**self.base, **changed}
        self.prepare()


def copies(values: dict[int, Any]) -> dict[int, Any]:
    return {index: value.copy() if type(value) in (list, dict) else value for index, value in values.items()}


class Items(Part):
    """A list that is changed in place. What a node has made of it is kept as its difference from the base of then."""

    def __init__(self, space: dict[str, Any], name: str, on_change: Callable[[], object] | None = None) -> None:
        self.space, self.name = space, name
        self.items: list[Any] = space[name]
        self.on_change = on_change
        self.take()

    def gather(self) -> None:
        """Code that put another list in its place: what that holds, in the list that was there."""
        current = self.space.get(self.name)
        if current is not self.items and type(current) is list:
            self.items[:] = current  # pyright: ignore[reportUnknownArgumentType]
            self.space[self.name] = self.items

    def now(self) -> list[Any]:
        return self.items.copy()

    def is_base(self) -> bool:
        return self.items == self.base

    def put(self, value: list[Any]) -> None:
        self.items[:] = value
        if self.on_change is not None:
            self.on_change()

    def own(self) -> Any:
        self.gather()
        return None if self.is_base() else (self.now(), self.base)

    def give(self, own: tuple[list[Any], list[Any]]) -> None:
        value, base = own
        self.put(value if base == self.base else moved(value, base, self.base))

    def join(self, before: list[Any]) -> None:
        now = self.items
        if now != before:
            self.base = moved(now, before, self.base)


def moved(value: list[Any], old: list[Any], new: list[Any]) -> list[Any]:
    """The same additions and removals that made `value` of `old`, made to `new`."""
    first = next((index for index, item in enumerate(value) if item in old), len(value))
    front = [item for item in value[:first] if item not in new]
    back = [item for item in value[first:] if item not in old and item not in new]
    return front + [item for item in new if item not in old or item in value] + back


class Values(Table):
    """What can only be asked for and set by a function each."""

    def __init__(self, functions: list[tuple[Callable[[], Any], Callable[[Any], object]]]) -> None:
        self.getters = [get for get, _ in functions]
        self.setters = [put for _, put in functions]
        self.take()

    def now(self) -> dict[int, Any]:
        return {index: look(get) for index, get in enumerate(self.getters)}

    def prepare(self) -> None:
        self.values = [*self.base.values()]

    def is_base(self) -> bool:
        return [get() for get in self.getters] == self.values

    def apply(self, found: dict[int, Any]) -> None:
        for index, value in found.items():
            try:
                self.setters[index](value)
            except Anything:
                continue


def look(get: Callable[[], Any]) -> Any:
    try:
        return get()
    except Anything:
        return MISSING
