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

from .cell_text import lines_of, parse_cell, without_lines
from .cells import Cell, read_cell
from .magics import parses
from .names import names_inside
from .node_code import NodeCode, class_name_of
from .packages import Packages
from .script_cells import GivenCell, has_marks, marked_cells, sections
from .wiring import Wired, Wiring

HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(?P<text>.+?)\s*#*\s*$")
LONGEST_NAME = 80
LONGEST_DESCRIPTION = 20_000
MOST_MEMORY = 1 << 30
MOST_CELLS = 1_000
MOST_EDGES = 20_000
#: Characters of all nodes. Each has a copy of the functions that it needs, so a short file can become a long answer.
MOST_CODE = 4_000_000
MOST_REMARKS = 1_000
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


def split(given: dict[str, Any]) -> Split:
    name = str(given.get("name") or "")
    if "cells" in given:
        cells = [GivenCell(str(one["kind"]), str(one["source"])) for one in given["cells"]]
        return split_cells(cells, name)
    text = str(given.get("text", "")).removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    declared = declare(text)
    if declared["compiled"]:
        title = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", declared["class"])
        node = {"name": title, "description": declared["description"], "source_code": text, "cells": [1]}
        return Split([node], form="node", cells=1)
    if has_marks(text):
        cells = marked_cells(text)
    elif parses(text):
        tree = parse_cell(text)
        if not does_something(tree):
            return Split(form="text", remarks=[{"cell": None, "text": "It does nothing."}])
        cells = sections(text, tree)
        about = docstring(tree)
        if about and cells and cells[0].source.lstrip().startswith(('"', "'", "#")):
            cells[0] = without_docstring(cells[0])
            cells.insert(0, GivenCell("markdown", about))
    else:
        return Split(form="text", remarks=[{"cell": None, "text": declared["error"] or "It is not valid Python."}])
    if not given.get("splits", True):
        whole = split_cells([GivenCell("code", text, stem(name))], name)
        whole.cells = len([one for one in cells if one.kind == "code"])
        return whole
    return split_cells(cells, name)


def split_cells(given: list[GivenCell], name: str) -> Split:
    if sum(one.kind == "code" for one in given) > MOST_CELLS:
        raise TooMuch
    answer = Split()
    cells: list[Cell] = []
    notes: list[str] = []
    titles: list[str] = []
    for number, one in enumerate(given, 1):
        if one.kind == "markdown":
            notes.append(one.source.strip())
            titles += [found["text"] for line in one.source.split("\n") if (found := HEADING.match(line))]
        elif one.kind == "code" and one.source.strip():
            cell = read_cell(number, one, "\n\n".join(notes)[:LONGEST_DESCRIPTION])
            cell.title = cell.title or (titles[-1] if titles else "")
            notes, titles = [], []
            cells.append(cell)
    answer.cells = len(cells)
    wiring = Wiring(cells)
    write(answer, wiring, wiring.wire(), name)
    if notes and answer.nodes:
        last = answer.nodes[-1]
        last["description"] = "\n\n".join([last["description"], *notes]).strip()[:LONGEST_DESCRIPTION]
    return answer


def write(answer: Split, wiring: Wiring, wired: list[Wired], name: str) -> None:
    chosen = [one for one in wired if one.is_node]
    if not chosen and wired:
        # Only imports: one node keeps them.
        wired[-1].used = [one for cell in wiring.cells for one in cell.definitions]
        chosen = wired[-1:]
    packages = Packages(wiring.cells)
    places = {one.at: at for at, one in enumerate(chosen)}
    codes: list[NodeCode] = []
    names: set[str] = set()
    carried = ""
    room = MOST_CODE
    for one in wired:
        cell = one.cell
        if one.at not in places:
            # Text above a cell of imports or functions goes to the description of the next node.
            told = comment_of(cell) if cell.is_comment else ""
            carried = "\n\n".join(part for part in (carried, cell.description, told) if part)
            for remark in cell.remarks:
                answer.remarks.append({"cell": cell.number, "text": remark})
            continue
        title = unique(title_of(one, wiring, stem(name) if len(chosen) == 1 else ""), names)
        cell.packages = packages.of(one.used) + ([] if codes else packages.others)
        taken = {used for part in one.used for used in part.names} | names_inside(cell.tree.body, set())
        code = NodeCode(wiring, one, class_name_of(title, cell, taken | cell.facts.bound | cell.facts.maybe))
        description = "\n\n".join(part for part in (carried, cell.description) if part)[:LONGEST_DESCRIPTION]
        carried = ""
        source = code.source()
        room -= len(source)
        if room < 0:
            raise TooMuch
        answer.nodes.append({"name": title, "description": description, "source_code": source, "cells": [cell.number]})
        codes.append(code)
        if cell.error:
            one.remarks.append(f"It is not valid Python: {cell.error}. Its text is kept as comments.")
        for remark in [*cell.remarks, *one.remarks, *packages.remarks(one.used)]:
            answer.remarks.append({"cell": cell.number, "text": remark})
    del answer.remarks[MOST_REMARKS:]
    for code in codes:
        if len(answer.edges) > MOST_EDGES:
            raise TooMuch
        for variable, source in code.wired.inputs.items():
            if source is not None and source in places:
                answer.edges.append(
                    {
                        "source": places[source],
                        "transmitter": codes[places[source]].transmitters[variable],
                        "target": places[code.wired.at],
                        "receiver": code.receivers[variable],
                    }
                )


def comment_of(cell: Cell) -> str:
    """The text of a cell that is only a comment, without magics."""
    lines = [re.sub(r"^\s*# ?", "", line) for line in cell.source.split("\n")]
    return "\n".join(line for line in lines if not line.startswith(("%", "!"))).strip()


def title_of(one: Wired, wiring: Wiring, otherwise: str) -> str:
    """What its author wrote above it; else what it makes."""
    cell = one.cell
    title = cell.title
    if not title:
        first = next((line for line in cell.source.split("\n") if line.strip()), "")
        text = first.lstrip("#").strip(" #=-*")
        title = text if first.startswith("#") and 2 < len(text) <= 60 and not text.startswith(("%", "!")) else ""
    title = title or otherwise
    # Titles may be Markdown.
    title = re.sub(r"[*`]|\[([^\]]*)\]\([^)]*\)", lambda found: found[1] or "", title).strip()
    made = [name for output in one.outputs if output not in one.signals for name in wiring.members(output)]
    made = [name for name in made if name in cell.facts.bound] or made
    if not title and made:
        verb = "Make" if set(made) & (cell.facts.bound | cell.facts.maybe) else "Change"
        title = f"{verb} {', '.join(made[:3])}{' …' if len(made) > 3 else ''}"
    return title[:LONGEST_NAME] or f"Cell {cell.number}"


def does_something(tree: ast.Module) -> bool:
    """Whether it is more than names and values: a single word is valid Python, but nobody means it."""
    return any(not isinstance(part, ast.Expr) or has_call(part) for part in tree.body)


def has_call(part: ast.Expr) -> bool:
    return any(isinstance(one, (ast.Call, ast.Await)) for one in ast.walk(part))


def docstring(tree: ast.Module) -> str:
    first = tree.body[0] if tree.body else None
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return (ast.get_docstring(tree) or "") if is_text else ""


def without_docstring(cell: GivenCell) -> GivenCell:
    first = parse_cell(cell.source).body[0]
    return GivenCell(cell.kind, without_lines(cell.source, set(lines_of(first))), cell.title)


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
