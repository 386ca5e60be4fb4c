"""Writes groups of cells as nodes, with the values that they send each other."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from .cell_text import lines_of
from .cells import Cell, Definition
from .groups import Group, Notebook
from .node_text import NodeText, class_name_of, port_of
from .script_cells import GivenCell
from .whole import text_of


@dataclass
class Part:
    """A group that becomes a node."""

    group: Group
    #: The names that it receives, each with the place of the group that sends it.
    inputs: dict[str, int] = field(default_factory=dict[str, int])
    outputs: set[str] = field(default_factory=set[str])
    #: Imports, functions and settings that it gets a copy of, by cell and line.
    copied: dict[tuple[int, int], str] = field(default_factory=dict[tuple[int, int], str])
    definitions: list[Definition] = field(default_factory=list[Definition])


def parts_of(notebook: Notebook) -> list[Part]:
    groups = notebook.groups()
    used = {name for group in groups for name in notebook.closed(group.needs)}
    parts = [Part(group) for group in groups if is_node(group, notebook, used)] or [Part(one) for one in groups[-1:]]
    makers: dict[str, list[int]] = {}
    for at, part in enumerate(parts):
        for name in part.group.facts.bound & notebook.all_values:
            makers.setdefault(name, []).append(at)
    for at, part in enumerate(parts):
        copy_definitions(part, notebook)
        for name in sorted(notebook.closed(part.group.needs)):
            earlier = [one for one in makers.get(name, []) if one < at]
            if earlier:
                part.inputs[name] = earlier[-1]
                parts[earlier[-1]].outputs.add(name)
    return parts


def is_node(group: Group, notebook: Notebook, used: set[str]) -> bool:
    """Cells of imports, settings, and functions that others use, are copied to those that need them."""
    for cell in group.cells:
        if any(id(part) not in notebook.settings and not is_text(part) for part in cell.body):
            return True
        functions = [one for one in cell.definitions if one.kind == "function"]
        if any(not one.names <= used or not one.names <= set(notebook.functions) for one in functions):
            return True
    return len(group.cells) > 1


def is_text(part: ast.stmt) -> bool:
    return isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)


def copy_definitions(part: Part, notebook: Notebook) -> None:
    """What the group needs of the cells above it, in their order."""
    first = part.group.cells[0].number
    needed = notebook.closed(part.group.needs)
    mentioned = notebook.mentioned_anywhere
    for cell in notebook.cells:
        if cell.number >= first:
            break
        for one in cell.tree.body:
            if id(one) in notebook.settings:
                needed |= {name.id for name in ast.walk(one) if isinstance(name, ast.Name)}
                part.copied[(cell.number, one.lineno)] = source_of(cell, one)
    for cell in notebook.cells:
        if cell.number >= first:
            break
        for one in cell.definitions:
            # An import that no cell mentions does something by itself.
            is_wanted = one.names & needed or (
                one.kind == "import" and (one.origin == "__future__" or not one.names & mentioned)
            )
            is_copied = one.kind == "import" or one.names <= set(notebook.functions)
            if is_wanted and is_copied:
                part.definitions.append(one)
                key = (cell.number, min(one.lines, default=0))
                text = part.copied.get(key)
                part.copied[key] = one.text if text is None or text == one.text else f"{text}\n{one.text}"


def source_of(cell: Cell, part: ast.stmt) -> str:
    lines = cell.source.split("\n")
    return "\n".join(lines[number - 1] for number in lines_of(part))


def before(part: Part) -> str:
    """The text of what is copied. `from __future__` comes first, or Python would refuse it."""
    texts = [text for _, text in sorted(part.copied.items())]
    lines = [line for text in texts for line in ([text] if "\n" in text and "def " in text else text.split("\n"))]
    future = [line for line in lines if line.startswith("from __future__")]
    rest = [line for line in lines if not line.startswith("from __future__")]
    return "\n".join(dict.fromkeys([*future, *rest]))


def node_of(part: Part, given: list[GivenCell], name: str, title: str, notebook: Notebook) -> NodeText:
    """`given` are all cells of the notebook; those of the group are taken with the texts between them."""
    is_script = notebook.is_script
    first, last = part.group.cells[0].number, part.group.cells[-1].number
    own = [one if first <= at <= last else GivenCell("raw", "") for at, one in enumerate(given, 1)]
    used: set[str] = set()
    receives = {one: port_of(one, used) for one in sorted(part.inputs)}
    sends = {one: port_of(one, used) for one in sorted(part.outputs)}
    text = text_of(own, part.group.cells, notebook.needs_ipython, before(part))
    definitions = [*part.definitions, *(one for cell in part.group.cells for one in cell.definitions)]
    body = text.text
    if is_script:
        codes = [given[cell.number - 1].source for cell in part.group.cells]
        body = "\n\n".join([one for one in [before(part), *codes] if one])
    kind = "script" if is_script else "cells"
    packages = [] if is_script else sorted({*text.packages, *notebook.packages.of(definitions)})
    return NodeText(class_name_of(title, f"Cell{first}"), kind, body, name, packages, text.python, receives, sends)


def title_of(group: Group, outputs: set[str]) -> str:
    """What its author wrote above it; else what it makes."""
    title = next((cell.title for cell in group.cells if cell.title), "")
    if not title:
        first = next((line for line in group.cells[0].source.split("\n") if line.strip()), "")
        text = first.lstrip("#").strip(" #=-*")
        title = text if first.startswith("#") and 2 < len(text) <= 60 and not text.startswith(("%", "!")) else ""
    title = re.sub(r"[*`]|\[([^\]]*)\]\([^)]*\)", lambda found: found[1] or "", title).strip()
    if title:
        return title[:80]
    made = sorted(outputs)
    if made:
        return f"Make {', '.join(made[:3])}{' …' if len(made) > 3 else ''}"[:80]
    numbers = [cell.number for cell in group.cells]
    return f"Cell {numbers[0]}" if len(numbers) == 1 else f"Cells {numbers[0]} to {numbers[-1]}"
