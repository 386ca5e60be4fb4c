"""
Reads a notebook or a script as JSON from the standard input, and prints what it becomes: nodes, the edges between them,
and what a person should look at. `python -m miranda_notebooks.main`
"""

from __future__ import annotations

import ast
import json
import re
import sys
from dataclasses import dataclass, field
from typing import Any

from miranda.declare import declare

from .cell_text import parse_cell
from .cells import Cell, read_cell
from .groups import Notebook
from .magics import parses
from .node_text import NodeText
from .packages import Packages
from .parts import node_of, parts_of, title_of
from .script_cells import GivenCell, has_marks, marked_cells, sections
from .whole import package_remarks, whole_notebook, whole_script

HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(?P<text>.+?)\s*#*\s*$")
#: The title of a cell in the text of a node: its number, and what its author called it.
MARKED = re.compile(r"Cell \d+ ?(?P<title>.*)")
LONGEST_NAME = 80
LONGEST_DESCRIPTION = 20_000
MOST_MEMORY = 1 << 30
MOST_CELLS = 1_000
MOST_EDGES = 20_000
#: Characters of all nodes. Each has a copy of the functions that it needs, so a short file can become a long answer.
MOST_CODE = 4_000_000
MOST_REMARKS = 1_000
MOST_REASONS = 20
#: As `sourceCodeMax` of contract/limits.ts.
LONGEST_CODE = 1_000_000
#: What the process ends with.
TOO_MUCH = 3


class TooMuch(Exception):
    """It would become more than a workflow takes at once."""


@dataclass
class Split:
    nodes: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    edges: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    #: About the cell with that number, or about the whole notebook.
    remarks: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    #: "node": it was a node already. "cells": it was split. "text": it is not Python.
    form: str = "cells"
    cells: int = 0
    #: Cells that stay together in a node, and why.
    together: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


def split(given: dict[str, Any]) -> Split:
    name, splits = str(given.get("name") or ""), bool(given.get("splits", False))
    if "cells" in given:
        cells = [GivenCell(str(one["kind"]), str(one["source"]), "", bool(one.get("fails"))) for one in given["cells"]]
        return read_cells(cells, name, splits)
    text = str(given.get("text", "")).removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    declared = declare(text)
    imported = imported_text(text) if declared["compiled"] and splits else None
    if imported is not None:
        kind, text, name = imported
        if kind == "cells":
            return read_cells(cells_from(text), name, True, together=int(given.get("together") or 0))
    elif declared["compiled"]:
        title = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", declared["class"])
        node = {"name": title, "description": declared["description"], "source_code": text, "cells": [1]}
        return Split([node], form="node", cells=1)
    is_script = name.lower().endswith(".py")
    if not parses(text):
        if not is_script and has_marks(text):
            return read_cells(marked_cells(text), name, splits)
        return Split(form="text", remarks=[{"cell": None, "text": declared["error"] or "It is not valid Python."}])
    tree = parse_cell(text)
    if not does_something(tree):
        return Split(form="text", remarks=[{"cell": None, "text": "It does nothing."}])
    cells = marked_cells(text) if has_marks(text) else sections(text, tree)
    if not is_script:
        return read_cells(cells if has_marks(text) else [GivenCell("code", text)], name, splits)
    if splits:
        answer = read_cells(cells, name, True, as_script=True, together=int(given.get("together") or 0))
        about = docstring(tree)
        if about and answer.nodes:
            first = answer.nodes[0]
            first["description"] = "\n\n".join(one for one in (about, first["description"]) if one)
        return answer
    title = stem(name) or "Script"
    source = whole_script(text, name, title)
    numbers = [at for at, one in enumerate(cells, 1) if one.kind == "code"]
    check_length(source)
    node = {
        "name": title,
        "description": docstring(tree)[:LONGEST_DESCRIPTION],
        "source_code": source,
        "cells": numbers,
    }
    return Split([node], cells=len(numbers), remarks=script_remarks(tree, text))


def imported_text(source: str) -> tuple[str, str, str] | None:
    """Of a node that an import made: whether it has cells or a script, the text, and the name of the file."""
    text = kind = name = ""
    for part in ast.walk(ast.parse(source)):
        if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name):
            if part.targets[0].id in ("CELLS", "SCRIPT") and isinstance(part.value, ast.Constant):
                text, kind = str(part.value.value), part.targets[0].id.lower()
        elif isinstance(part, ast.keyword) and part.arg == "name" and isinstance(part.value, ast.Constant):
            name = str(part.value.value)
    return (kind, text.removeprefix("\n"), name) if text else None


def cells_from(text: str) -> list[GivenCell]:
    """The cells of the text of a node, as they were given."""
    found: list[GivenCell] = []
    for cell in marked_cells(text):
        mark = MARKED.fullmatch(cell.title)
        cell.title = mark["title"] if mark else cell.title
        found.append(cell)
    return found


def read_cells(given: list[GivenCell], name: str, splits: bool, as_script: bool = False, together: int = 0) -> Split:
    """`together`: cells up to this number stay in one node."""
    if sum(one.kind == "code" for one in given) > MOST_CELLS:
        raise TooMuch
    cells = [
        read_cell(number, one, "") for number, one in enumerate(given, 1) if one.kind == "code" and one.source.strip()
    ]
    answer = Split(cells=len(cells))
    if splits:
        write_groups(answer, given, cells, name, as_script, together)
    else:
        write_whole(answer, given, cells, name)
    for node in answer.nodes:
        check_length(node["source_code"])
    if sum(len(node["source_code"]) for node in answer.nodes) > MOST_CODE or len(answer.edges) > MOST_EDGES:
        raise TooMuch
    del answer.remarks[MOST_REMARKS:]
    return answer


def write_whole(answer: Split, given: list[GivenCell], cells: list[Cell], name: str) -> None:
    if not cells:
        return
    title = stem(name) or "Notebook"
    source, text = whole_notebook(given, cells, name, title)
    above = [one.source.strip() for one in given[: cells[0].number - 1] if one.kind == "markdown"]
    description = "\n\n".join(above)[:LONGEST_DESCRIPTION]
    numbers = [cell.number for cell in cells]
    answer.nodes.append({"name": title, "description": description, "source_code": source, "cells": numbers})
    for cell in cells:
        remarks = [*cell.remarks]
        if cell.error and cell.is_plain:
            remarks.append(f"It is not valid Python: {cell.error}. The run stops there, as in Jupyter.")
        answer.remarks += [{"cell": cell.number, "text": one} for one in remarks]
    answer.remarks += [{"cell": number, "text": one} for number, one in text.remarks]


def check_length(source: str) -> None:
    if len(source) > LONGEST_CODE:
        raise TooMuch


def script_remarks(tree: ast.Module, text: str) -> list[dict[str, Any]]:
    """Packages that it neither lists nor that are known."""
    cell = read_cell(1, GivenCell("code", text), "")
    found = Packages([cell]).remarks(cell.definitions)
    return [{"cell": None, "text": one} for one in found]


def write_groups(
    answer: Split, given: list[GivenCell], cells: list[Cell], name: str, is_script: bool, together: int
) -> None:
    """Nodes for cells that have been shown not to disturb each other; the others stay together."""
    if not cells:
        return
    headings = title_cells(given, cells)
    notebook = Notebook(cells, is_script, together)
    parts = parts_of(notebook)
    packages = notebook.packages
    names: set[str] = set()
    nodes: list[NodeText] = []
    seen = 0
    for part in parts:
        last = part.group.cells[-1].number
        own = title_of(part.group, part.outputs) if len(parts) > 1 else stem(name) or title_of(part.group, part.outputs)
        title = unique(own, names)
        node = node_of(part, given, name, title, notebook)
        if not nodes and not is_script:
            node.packages = sorted({*node.packages, *packages.others})
        texts = [one.source.strip() for one in given[seen:last] if one.kind == "markdown"]
        seen = last
        numbers = [cell.number for cell in part.group.cells]
        description = "\n\n".join(texts)[:LONGEST_DESCRIPTION]
        nodes.append(node)
        answer.nodes.append({"name": title, "description": description, "source_code": node.source(), "cells": numbers})
        if part.group.because and len(numbers) > 1:
            answer.together.append({"cells": numbers, "because": part.group.because[:MOST_REASONS]})
        check_total(answer)
    for at, part in enumerate(parts):
        for variable, source in part.inputs.items():
            answer.edges.append(
                {
                    "source": source,
                    "transmitter": nodes[source].sends[variable],
                    "target": at,
                    "receiver": nodes[at].receives[variable],
                }
            )
    rest = [one.source.strip() for one in given[seen:] if one.kind == "markdown"]
    if rest:
        last_node = answer.nodes[-1]
        last_node["description"] = "\n\n".join([last_node["description"], *rest]).strip()[:LONGEST_DESCRIPTION]
    remarks = [(cell.number, remark) for cell in headings for remark in cell.remarks]
    remarks += package_remarks(cells, packages, [one for node in nodes for one in node.packages])
    answer.remarks += [{"cell": number, "text": remark} for number, remark in remarks]


def title_cells(given: list[GivenCell], cells: list[Cell]) -> list[Cell]:
    """Gives a cell the heading above it as its title."""
    numbers = {cell.number: cell for cell in cells}
    title = ""
    for number, one in enumerate(given, 1):
        if one.kind == "markdown":
            found = [match["text"] for line in one.source.split("\n") if (match := HEADING.match(line))]
            title = found[-1] if found else title
        elif number in numbers:
            numbers[number].title = numbers[number].title or title
            title = ""
    return cells


def check_total(answer: Split) -> None:
    if sum(len(node["source_code"]) for node in answer.nodes) > MOST_CODE:
        raise TooMuch


def does_something(tree: ast.Module) -> bool:
    """Whether it is more than names and values: a single word is valid Python, but nobody means it."""
    return any(not isinstance(part, ast.Expr) or has_call(part) for part in tree.body)


def has_call(part: ast.Expr) -> bool:
    return any(isinstance(one, (ast.Call, ast.Await)) for one in ast.walk(part))


def docstring(tree: ast.Module) -> str:
    first = tree.body[0] if tree.body else None
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return (ast.get_docstring(tree) or "") if is_text else ""


def unique(title: str, names: set[str]) -> str:
    found, number = title, 2
    while found in names:
        found, number = f"{title} {number}", number + 1
    names.add(found)
    return found


def stem(name: str) -> str:
    return re.sub(r"[_-]+", " ", name.rpartition("/")[2].rpartition(".")[0] or name).strip()[:LONGEST_NAME]


def limit_process() -> None:
    """Code that needs too much memory to read must not take the memory of other processes."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def main() -> None:
    limit_process()
    try:
        answer = split(json.load(sys.stdin.buffer))
    except TooMuch:
        sys.exit(TOO_MUCH)
    json.dump(vars(answer), sys.stdout)


if __name__ == "__main__":
    main()
