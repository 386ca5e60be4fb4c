"""A kept result that stands for a run of its node."""

from __future__ import annotations

from ..isolation.seen import NOTHING, Seen


class Kept:
    __slots__ = ("is_open", "key", "reads", "words")

    def __init__(self, key: str, words: str, reads: Seen = NOTHING) -> None:
        self.key = key
        #: The variables and files that it depends on.
        self.reads = reads
        #: Where it comes from, for the plan.
        self.words = words
        #: Whether its values are in the node's outputs. They are loaded when a node that runs needs them.
        self.is_open = False
