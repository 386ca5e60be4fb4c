"""A notebook, or a script, as one node that runs as it ran."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field

from miranda.declare import Refusal, dependencies
from miranda.notebook.text import MARK, MAY_FAIL
from miranda.script_blocks import blocks_of

from .cells import Cell
from .magics import has_magics, is_looks, without_pip
from .names import Reader
from .node_text import NodeText, class_name_of
from .packages import Packages
from .script_cells import GivenCell

#: Names that only IPython knows.
OF_IPYTHON = frozenset({"get_ipython", "In", "Out", "_", "__", "___", "_ih", "_oh"})


@dataclass
class Text:
    """The text of a node, and what it needs."""

    text: str
    packages: list[str] = field(default_factory=list[str])
    python: str = ""
    remarks: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])


def whole_script(text: str, name: str, title: str) -> str:
    """It lists its packages itself, where it does."""
    return NodeText(class_name_of(title, "Script"), "script", text.rstrip("\n"), name).source()


def whole_notebook(given: list[GivenCell], cells: list[Cell], name: str, title: str) -> tuple[str, Text]:
    text = text_of(given, cells, needs_ipython(cells))
    packages = Packages(cells)
    text.remarks += package_remarks(cells, packages, text.packages)
    text.packages = sorted({*text.packages, *packages.installed.values()})
    node = NodeText(class_name_of(title, "Notebook"), "cells", text.text, name, text.packages, text.python)
    return node.source(), text


def text_of(given: list[GivenCell], cells: list[Cell], ipython: bool, before: str = "") -> Text:
    """The cells with a mark above each."""
    found = Text("")
    numbers = {cell.number: cell for cell in cells}
    parts: list[str] = [f"# %% {BEFORE}\n{before}"] if before else []
    for number, one in enumerate(given, 1):
        cell = numbers.get(number)
        title = f" {one_line(cell.title)}" if cell is not None and cell.title else ""
        if one.kind == "markdown":
            parts.append(f"# %% [markdown] Cell {number}\n{commented(one.source)}")
        elif cell is not None:
            tags = f' tags=["{MAY_FAIL}"]' if one.may_fail else ""
            parts.append(f"# %% Cell {number}{title}{tags}\n{own_text(cell, one, ipython, found)}")
    found.text = "\n".join(part.rstrip("\n") for part in parts)
    listed, found.text, found.python = own_metadata(found.text)
    found.packages = sorted({*listed, *(["ipython"] if ipython else [])})
    return found


def package_remarks(cells: list[Cell], packages: Packages, listed: Sequence[str]) -> list[tuple[int, str]]:
    """Imports whose package nobody knows, once each."""
    found: dict[str, int] = {}
    for cell in cells:
        for remark in packages.remarks(cell.definitions):
            if not any(remark.startswith(f"It imports {one},") for one in listed):
                found.setdefault(remark, cell.number)
    return [(number, remark) for remark, number in found.items()]


BEFORE = "From the cells above"


def own_text(cell: Cell, given: GivenCell, ipython: bool, found: Text) -> str:
    source = given.source.replace("\r\n", "\n").replace("\r", "\n")
    text = without_pip(source) if not cell.is_plain else source
    if not ipython:
        text = "\n".join(f"# {line}" if is_looks(line) else line for line in text.split("\n"))
    if any(MARK.match(line) for line in text.split("\n")):
        # A line that would begin another cell here.
        text = re.sub(r"(?m)^# %%", "#  %%", text)
        found.remarks.append((cell.number, "Some of its lines begin with “# %%”. They got one more space."))
    return text


def needs_ipython(cells: list[Cell]) -> bool:
    """
    Whether the cells use more than plain Python of the standard library. Then Jupyter's own machinery runs them: its
    magics, and how it shows values and figures.
    """
    for cell in cells:
        if not cell.is_python or cell.error or (not cell.is_plain and has_magics(cell.given)):
            return True
        reader = Reader()
        reader.visit(cell.tree)
        if (reader.loads & OF_IPYTHON) - reader.stores:
            return True
        for part in ast.walk(cell.tree):
            names = [one.name for one in part.names] if isinstance(part, ast.Import) else []
            if isinstance(part, ast.ImportFrom) and part.level == 0:
                names = [part.module or ""]
            if any(one.partition(".")[0] not in sys.stdlib_module_names for one in names):
                return True
    return False


def own_metadata(text: str) -> tuple[list[str], str, str]:
    """Packages that the cells list themselves (PEP 723). The node has one list: theirs becomes a plain comment."""
    blocks = blocks_of(text)
    block = next((one for one in blocks if one.kind == "script"), None)
    if block is None:
        return [], text, ""
    lines = text.split("\n")
    try:
        listed = dependencies("\n".join(lines[block.first : block.last + 1]))
        python = tomllib.loads(block.content).get("requires-python", "")
    except (Refusal, tomllib.TOMLDecodeError):
        return [], text, ""
    for one in blocks:
        for at in range(one.first, one.last + 1):
            lines[at] = lines[at].replace("# ///", "#  ///")
    return listed, "\n".join(lines), str(python)


def commented(text: str) -> str:
    return "\n".join(f"# {line}".rstrip() for line in text.split("\n"))


def one_line(text: str) -> str:
    return re.sub(r"[\s\[\]=]+", " ", text).strip()[:80]
