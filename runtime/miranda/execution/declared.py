"""What the worker knows of a node's code: it runs in a lane, and the lane says what it declares."""

from __future__ import annotations

from typing import Any

from ..attributes import Attribute, Constant, Field, Receiver, Transmitter

KINDS: dict[str, type[Attribute]] = {
    "Receiver": Receiver,
    "Field": Field,
    "Transmitter": Transmitter,
    "Constant": Constant,
}


class Declared:
    def __init__(self, attributes: dict[str, Attribute]) -> None:
        self.attributes = attributes
        #: True, False or "project"; None for anything else.
        self.cache: Any = True
        self.parallel = True
        self.share_state = False
        self.has_secret = False
        #: None: new random numbers in every run, or those that other nodes have left.
        self.seed: int | None = None


def declared(description: tuple[Any, ...], value_of: Any) -> Declared:
    """`value_of` turns what the lane wrote for a value into the value, or into where it is."""
    given, cache, parallel, share_state, seed = description
    attributes: dict[str, Attribute] = {}
    has_secret = False
    for name, kind, optional, control, value in given:
        one = KINDS[kind].__new__(KINDS[kind])
        one.name, one.optional, one.value = name, optional, value_of(value)
        attributes[name] = one
        has_secret = has_secret or control == "secret"
    found = Declared(attributes)
    found.seed = seed
    found.cache, found.parallel, found.share_state, found.has_secret = cache, parallel, share_state, has_secret
    return found
