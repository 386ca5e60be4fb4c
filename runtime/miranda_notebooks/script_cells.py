"""Where a script is split: at its `# %%` lines, else at comments and at the guard of its main part."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

MARK = re.compile(r"^#\s*(?:%%|In\[[ \d]*\]:?)(?P<rest>.*)$")
MARKDOWN = re.compile(r"\[(?:markdown|md)\]", re.IGNORECASE)


@dataclass
class GivenCell:
    """A cell as its author wrote it."""

    #: "code", "markdown" or "raw".
    kind: str
    source: str
    #: What its author called it.
    title: str = ""
    #: Its author expects an exception.
    may_fail: bool = False


def has_marks(text: str) -> bool:
    return any(MARK.match(line) for line in text.split("\n"))


def marked_cells(text: str) -> list[GivenCell]:
    """The cells of the percent format, which Spyder, VS Code and Jupytext write."""
    cells = [GivenCell("code", "")]
    lines: list[list[str]] = [[]]
    for line in text.split("\n"):
        mark = MARK.match(line)
        if mark:
            is_markdown = MARKDOWN.search(mark["rest"]) is not None
            title = re.sub(r"\[[^\]]*\]|\w+=\"[^\"]*\"", "", mark["rest"]).strip()
            cells.append(GivenCell("markdown" if is_markdown else "code", "", title))
            lines.append([])
        else:
            lines[-1].append(line)
    for cell, own in zip(cells, lines, strict=True):
        is_markdown = cell.kind == "markdown"
        texts = [re.sub(r"^# ?", "", line) for line in own if line.strip() not in ('"""', "'''")]
        cell.source = "\n".join(texts if is_markdown else own).strip("\n")
    return [cell for cell in cells if cell.source.strip()]


def sections(text: str, tree: ast.Module) -> list[GivenCell]:
    """A script without marks: a new cell begins at a comment that stands alone after an empty line."""
    lines = text.split("\n")
    body = tree.body
    starts = {first_line(part) for part in body}
    inside: set[int] = set()
    for part in body:
        inside.update(range(first_line(part), (part.end_lineno or part.lineno) + 1))
    splits = [0]
    for at, line in enumerate(lines):
        is_alone = line.startswith("#") and not line.startswith("#!") and at + 1 not in inside
        if at > 0 and is_alone and not lines[at - 1].strip() and leads_to_code(lines, at, starts, inside):
            splits.append(at)
    guard = next((part for part in body if is_guard(part)), None)
    if guard is not None:
        splits.append(first_line(guard) - 1)
    splits = sorted(set(splits))
    cells: list[GivenCell] = []
    for begin, end in zip(splits, [*splits[1:], len(lines)], strict=True):
        source = "\n".join(lines[begin:end]).strip("\n")
        if source.strip():
            cells.append(GivenCell("code", unguarded(source), comment_title(lines[begin])))
    return cells


def leads_to_code(lines: list[str], at: int, starts: set[int], inside: set[int]) -> bool:
    """Whether code follows: a comment at the end of the script begins no cell."""
    for number in range(at + 1, len(lines) + 1):
        if number in starts:
            return True
        if number in inside:
            return False
    return False


def first_line(part: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(part, "decorator_list", [])
    return min([part.lineno, *(one.lineno for one in decorators)])


def is_guard(part: ast.stmt) -> bool:
    """`if __name__ == "__main__":`"""
    return isinstance(part, ast.If) and ast.unparse(part.test) in (
        "__name__ == '__main__'",
        "'__main__' == __name__",
    )


def unguarded(source: str) -> str:
    """Removes the guard: a node is never the main module, so the code inside has to run without it."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return source
    if not any(is_guard(part) for part in tree.body):
        return source
    body: list[ast.stmt] = []
    for part in tree.body:
        body += part.body if isinstance(part, ast.If) and is_guard(part) else [part]
    return ast.unparse(ast.Module(body, []))


def comment_title(line: str) -> str:
    """The comment that begins a section, when it reads like a title."""
    text = line.lstrip("#").strip(" #=-*—")
    return text if line.startswith("#") and 0 < len(text) <= 60 else ""
