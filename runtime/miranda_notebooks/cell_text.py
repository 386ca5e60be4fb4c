"""Edits the text of a cell at positions of its syntax tree, so that comments and layout stay."""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass

INDENT = "    "


def parse_cell(source: str) -> ast.Module:
    """Parses a cell. A cell may use `await` at its top level; a module may not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(source, "cell", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


@dataclass
class Edit:
    """Replaces the text between two positions, each with a line and a column."""

    begin: tuple[int, int]
    end: tuple[int, int]
    text: str


def place_of(node: ast.stmt | ast.expr) -> tuple[tuple[int, int], tuple[int, int]]:
    return (node.lineno, node.col_offset), (node.end_lineno or node.lineno, node.end_col_offset or 0)


def edited(source: str, edits: list[Edit]) -> str:
    # Columns of a syntax tree are counted in bytes.
    lines = [line.encode() for line in source.split("\n")]
    for edit in sorted(edits, key=lambda one: one.begin, reverse=True):
        (first, start), (last, stop) = edit.begin, edit.end
        joined = lines[first - 1][:start] + edit.text.encode() + lines[last - 1][stop:]
        lines[first - 1 : last] = joined.split(b"\n")
    return b"\n".join(lines).decode()


def without_lines(source: str, gone: set[int]) -> str:
    return "\n".join(line for number, line in enumerate(source.split("\n"), 1) if number not in gone)


def lines_of(node: ast.stmt) -> range:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(one.lineno for one in decorators)])
    return range(first, (node.end_lineno or node.lineno) + 1)


def with_comments(source: str, node: ast.stmt) -> tuple[set[int], str]:
    """The lines of a definition, with the comments right above it, and their text."""
    lines = source.split("\n")
    own = lines_of(node)
    first = own.start
    while first > 1 and lines[first - 2].startswith("#"):
        first -= 1
    numbers = range(first, own.stop)
    return set(numbers), "\n".join(lines[number - 1] for number in numbers)


def indented(source: str, depth: int) -> str:
    """Indents the lines, except those inside string literals: that would change the strings."""
    inside: set[int] = set()
    for part in ast.walk(parse_cell(source)):
        is_text = isinstance(part, ast.JoinedStr) or (
            isinstance(part, ast.Constant) and isinstance(part.value, (str, bytes))
        )
        if is_text and isinstance(part, ast.expr) and (part.end_lineno or 0) > part.lineno:
            inside.update(range(part.lineno + 1, (part.end_lineno or 0) + 1))
    shift = INDENT * depth
    lines = source.split("\n")
    return "\n".join(line if at in inside or not line.strip() else shift + line for at, line in enumerate(lines, 1))


def share_a_line(tree: ast.Module) -> bool:
    """Whether two statements share a line (`;`): then they cannot be separated by lines."""
    return any(
        next_one.lineno <= (one.end_lineno or one.lineno)
        for one, next_one in zip(tree.body, tree.body[1:], strict=False)
    )
