"""Finds the blocks of comments that PEP 723 defines. `contract/packages/inline-metadata.ts` finds them the same way."""

from __future__ import annotations

import re
from typing import NamedTuple

OPENING = re.compile(r"# /// ([a-zA-Z0-9-]+)")
CLOSING = "# ///"


class Block(NamedTuple):
    kind: str
    #: The numbers of its first and last line, from 0.
    first: int
    last: int
    #: What is between those, without the signs of the comment.
    content: str


def blocks_of(source: str) -> list[Block]:
    """
    A block ends at the last closing line of its comment. Line by line: the pattern that the PEP gives needs minutes for
    a text that somebody made for it.
    """
    found: list[Block] = []
    comment: list[str] = []
    for number, line in enumerate([*source.replace("\r\n", "\n").split("\n"), ""]):
        if line == "#" or line.startswith("# "):
            comment.append(line)
            continue
        if comment:
            block = block_in(comment, number - len(comment))
            found += [block] if block else []
            comment = []
    return found


def block_in(comment: list[str], offset: int) -> Block | None:
    for start, line in enumerate(comment):
        opening = OPENING.fullmatch(line)
        if not opening:
            continue
        last = len(comment) - 1
        while last > start + 1 and comment[last] != CLOSING:
            last -= 1
        if last <= start + 1:
            return None
        content = "\n".join(one[2:] for one in comment[start + 1 : last])
        return Block(opening[1], offset + start, offset + last, content)
    return None
