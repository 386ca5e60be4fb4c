"""One cell: what it imports, defines, reads and makes."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from .cell_text import lines_of, parse_cell, share_a_line, with_comments
from .magics import clean, has_magics
from .names import Facts, Function, Reader, facts_of, free_names, imported, outer_expressions
from .script_cells import GivenCell


@dataclass(eq=False)
class Definition:
    """An import or a function: every node that needs it gets a copy."""

    kind: str
    names: frozenset[str]
    text: str
    #: The names that it needs itself.
    needs: frozenset[str]
    cell: int
    lines: frozenset[int] = frozenset()
    #: For `from x import a`: the module, and what is imported from it.
    origin: str = ""
    node: ast.stmt | None = None


@dataclass(eq=False)
class Cell:
    #: Counted from 1, as its author does.
    number: int
    source: str
    title: str = ""
    description: str = ""
    tree: ast.Module = field(default_factory=lambda: ast.Module([], []))
    body: list[ast.stmt] = field(default_factory=list[ast.stmt])
    definitions: list[Definition] = field(default_factory=list[Definition])
    facts: Facts = field(default_factory=Facts)
    packages: list[str] = field(default_factory=list[str])
    remarks: list[str] = field(default_factory=list[str])
    #: Why it cannot be read.
    error: str = ""
    #: What its author wrote, and whether that is Python without anything of IPython.
    given: str = ""
    is_plain: bool = True
    #: Whether everything that is not Python only says how a notebook looks, or installs packages.
    is_only_looks: bool = True
    is_python: bool = True


def read_cell(number: int, given: GivenCell, description: str) -> Cell:
    source = given.source.replace("\r\n", "\n").replace("\r", "\n")
    cleaned = clean(source)
    cell = Cell(number, cleaned.source, given.title, description, given=source, is_plain=cleaned.source == source)
    cell.is_only_looks = cell.is_plain or not has_magics(source)
    cell.packages, cell.remarks = cleaned.packages, cleaned.remarks
    cell.is_python = cleaned.is_python
    try:
        cell.tree = parse_cell(cell.source)
        if share_a_line(cell.tree):
            ends_quietly = cell.source.rstrip().endswith(";")
            cell.source = ast.unparse(cell.tree) + (";" if ends_quietly else "")
            cell.tree = parse_cell(cell.source)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        cell.error = f"{getattr(error, 'msg', error)}{f' (line {line})' if line else ''}"
        return cell
    except (RecursionError, MemoryError):
        cell.error = "It is nested too deeply to be read"
        return cell
    for part in cell.tree.body:
        found = definitions_in(part, cell)
        cell.definitions += found
        if not found:
            cell.body.append(part)
    cell.facts = facts_of(cell.body)
    return cell


def definitions_in(part: ast.stmt, cell: Cell) -> list[Definition]:
    if isinstance(part, (ast.Import, ast.ImportFrom)):
        return [import_of(one, part, cell) for one in part.names]
    if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return [function_of(part, cell)]
    if isinstance(part, (ast.Try, ast.If)) and only_imports(part):
        reader = Reader()
        reader.visit(part)
        lines, text = with_comments(cell.source, part)
        needs = frozenset(reader.loads - reader.stores)
        return [Definition("import", frozenset(reader.stores), text, needs, cell.number, frozenset(lines))]
    return []


def import_of(alias: ast.alias, part: ast.Import | ast.ImportFrom, cell: Cell) -> Definition:
    single = ast.Import([alias]) if isinstance(part, ast.Import) else ast.ImportFrom(part.module, [alias], part.level)
    names = imported(single)
    text = ast.unparse(single)
    origin = f"{'.' * part.level}{part.module or ''}" if isinstance(part, ast.ImportFrom) else ""
    if alias.name == "*":
        names = {f"* of {origin}"}
    return Definition(
        "import", frozenset(names), text, frozenset(), cell.number, frozenset(lines_of(part)), origin, single
    )


def function_of(part: Function, cell: Cell) -> Definition:
    lines, text = with_comments(cell.source, part)
    outer = Reader()
    for one in outer_expressions(part):
        outer.visit(one)
    needs = frozenset((free_names(part) | outer.loads) - {part.name})
    return Definition("function", frozenset({part.name}), text, needs, cell.number, frozenset(lines), node=part)


def only_imports(part: ast.Try | ast.If) -> bool:
    """`try: import a` with a fallback when it is not installed, and `if` with imports only."""
    blocks = [part.body, part.orelse]
    if isinstance(part, ast.Try):
        blocks += [part.finalbody, *(handler.body for handler in part.handlers)]
    inner = [one for block in blocks for one in block]
    simple = (ast.Import, ast.ImportFrom, ast.Pass)
    has_import = any(isinstance(one, simple[:2]) for one in inner)
    return has_import and all(isinstance(one, simple) or is_constant(one) for one in inner)


def is_constant(part: ast.stmt) -> bool:
    return isinstance(part, ast.Assign) and isinstance(part.value, ast.Constant)
