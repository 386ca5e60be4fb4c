"""Where the text of a notebook or a script stands in its node, and where its cells begin."""

from __future__ import annotations

import ast
import linecache
import re
import types
from dataclasses import dataclass

MARK = re.compile(r"^# %%(?: +(?P<rest>.*))?$")
MAY_FAIL = "raises-exception"


@dataclass
class Place:
    """The file that the node's code is compiled as, and the line of it that the text begins in."""

    filename: str
    first_line: int

    def compiled(self, source: str, line: int) -> str:
        """The source with empty lines above it, so that its lines have the numbers that they have in the node."""
        return "\n" * (self.first_line + line - 2) + source


@dataclass
class Cell:
    name: str
    source: str
    #: Counted from 1, in the text.
    line: int
    #: Its author expects an exception: the cells below run all the same, as in Jupyter.
    may_fail: bool = False


def place_of(text: str, caller: types.FrameType) -> Place:
    """A text that is not written out in the node is a file of its own."""
    filename = caller.f_code.co_filename
    source = "".join(linecache.getlines(filename, caller.f_globals))
    try:
        parts = ast.walk(ast.parse(source))
        line = next(one.lineno for one in parts if isinstance(one, ast.Constant) and one.value == text)
    except (StopIteration, SyntaxError, ValueError, RecursionError):
        filename, line = "<text>", 1
        linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    return Place(filename, line)


def cells_of(text: str) -> list[Cell]:
    """The cells of code. Each begins below a line `# %%`; cells of `# %% [markdown]` are left out."""
    cells = [Cell("", "", 1)]
    kept = [True]
    parts: list[list[str]] = [[]]
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        mark = MARK.match(line)
        if mark is None:
            parts[-1].append(line)
            continue
        rest = mark["rest"] or ""
        name = re.sub(r"\[[^\]]*\]|\w+=\S+", "", rest).strip()
        cells.append(Cell(name or f"Cell {len(cells)}", "", number + 1, MAY_FAIL in rest))
        kept.append(re.match(r"\[(markdown|md|raw)\]", rest) is None)
        parts.append([])
    for cell, part in zip(cells, parts, strict=True):
        cell.source = "\n".join(part).rstrip("\n")
    cells[0].name = "the first cell"
    return [cell for cell, is_code in zip(cells, kept, strict=True) if is_code and cell.source.strip()]


def trim(error: BaseException, filename: str) -> None:
    """Without the frames above the cell's own."""
    at = error.__traceback__
    while at is not None and at.tb_frame.f_code.co_filename != filename:
        at = at.tb_next
    if at is not None:
        error.__traceback__ = at
