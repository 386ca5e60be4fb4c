"""Parses a cell, and finds the text of its statements."""

from __future__ import annotations

import ast
import warnings


def parse_cell(source: str) -> ast.Module:
    """Parses a cell. A cell may use `await` at its top level; a module may not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(source, "cell", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


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


def share_a_line(tree: ast.Module) -> bool:
    """Whether two statements share a line (`;`): then they cannot be separated by lines."""
    return any(
        next_one.lineno <= (one.end_lineno or one.lineno)
        for one, next_one in zip(tree.body, tree.body[1:], strict=False)
    )
