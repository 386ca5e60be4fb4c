"""The values of kept results, in the lane that has or gets them."""

from __future__ import annotations

import os
import re
import sys
from typing import Any

from ..execution.node_threads import Interrupted
from .result_file import Damaged, Unkeepable, encode, lay_out, read, write

NODE_MODULE = re.compile(r"miranda_node_(\d+)\Z")


class NeedsNode(Exception):
    """A pickle needs a class of a node whose code is not loaded."""

    def __init__(self, node: int) -> None:
        super().__init__(node)
        self.node = node


def open_result(path: str, nodes: dict[int, Any]) -> list[tuple[str, Any]] | str | int:
    """What the node sent; else why it cannot be opened, or the node whose code has to be loaded first."""

    def find_class(module: str, _name: str) -> None:
        found = NODE_MODULE.match(module)
        if found is None:
            return
        node = nodes.get(int(found[1]))
        # What an earlier code of the node left is another class of that name.
        if node is None or node.loaded is None or module not in sys.modules:
            raise NeedsNode(int(found[1]))

    try:
        return read(path, find_class)
    except NeedsNode as needed:
        return needed.node
    except Interrupted:
        raise
    except Damaged:
        return "its file is damaged."
    except Exception as error:
        return f"it could not be opened ({type(error).__name__}: {error})."[:500]


def write_result(path: str, most: int, outputs: list[tuple[str, Any]]) -> str:
    """Why it cannot be kept; empty when it is written."""
    try:
        layout = lay_out(encode(outputs))
    except Unkeepable as problem:
        return str(problem)
    if layout.size > most:
        return f"it sent {layout.size / 1e9:.3g} GB, and {most / 1e9:.3g} GB is the most."
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        write(path, layout)
    except BaseException:
        os.unlink(path)
        raise
    return ""
