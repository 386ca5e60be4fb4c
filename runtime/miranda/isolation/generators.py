"""Generators of random numbers that belong to a library, not to an object of the node."""

from __future__ import annotations

from typing import Any

from .parts import Anything


class Generator:
    """`seed(None)` takes new numbers from the system."""

    #: False when the state can only be seeded.
    can_save = True

    def seed(self, seed: int | None) -> None:
        raise NotImplementedError

    def get(self) -> Any:
        """A state that can be compared with `==`."""

    def put(self, state: Any) -> None:
        """Sets a state that `get` gave."""


class Generators:
    """Those of the libraries that are loaded."""

    def __init__(self) -> None:
        self.all: list[Generator] = []

    def begin(self, seed: int | None, states: dict[Generator, Any]) -> None:
        for one in self.all:
            try:
                if one in states:
                    one.put(states[one])
                else:
                    one.seed(seed)
            except Anything:
                continue

    def used(self, seed: int | None) -> dict[Generator, Any]:
        """The states of those that have been used since they were seeded."""
        found: dict[Generator, Any] = {}
        if seed is None:
            return found
        for one in self.all:
            try:
                state = one.get() if one.can_save else None
                if state is None:
                    continue
                one.seed(seed)
                if one.get() != state:
                    found[one] = state
                one.put(state)
            except Anything:
                continue
        return found

    def set_aside(self, seed: int) -> dict[Generator, Any]:
        """Before an import. Gives what `begin` needs to put them back."""
        states: dict[Generator, Any] = {}
        for one in self.all:
            try:
                if one.can_save:
                    states[one] = one.get()
                    one.seed(seed)
            except Anything:
                continue
        return states

    def put_back(self, states: dict[Generator, Any]) -> None:
        for one, state in states.items():
            try:
                one.put(state)
            except Anything:
                continue
