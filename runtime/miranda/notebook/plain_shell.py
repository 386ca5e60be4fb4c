"""Runs cells of plain Python, without IPython: shows the value of the last line as Jupyter does."""

from __future__ import annotations

import ast
import inspect
import io
import re
import tokenize
import types
from collections.abc import Callable
from typing import Any

from ..services import show
from .text import Cell, Place

#: What `from __future__ import …` switches on stays on in the cells below.
FUTURE = 0xFFE0000
AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
WAITING = re.compile(r"\b(await|async|asyncio)\b")


class PlainShell:
    def __init__(self, module: types.ModuleType, place: Place, watch: Callable[[types.CodeType], None]) -> None:
        self.names = module.__dict__
        self.names.setdefault("display", display)
        self.place = place
        self.watch = watch
        self.flags = 0
        self.loop: Any = None

    def run(self, cell: Cell) -> None:
        work = self.perform(cell)
        if self.loop is None and WAITING.search(cell.source):
            import asyncio

            # One for all cells below: what one of them starts goes on in the next.
            self.loop = asyncio.Runner()
        if self.loop is not None:
            self.loop.run(work)
            return
        try:
            work.send(None)
        except StopIteration:
            pass

    async def perform(self, cell: Cell) -> None:
        source = self.place.compiled(cell.source, cell.line)
        tree = compile(source, self.place.filename, "exec", self.flags | ast.PyCF_ONLY_AST | AWAIT, dont_inherit=True)
        body = list(tree.body)
        last = body.pop() if body and isinstance(body[-1], ast.Expr) and not ends_quietly(cell.source) else None
        if body:
            await self.evaluate(ast.Module(body, []), "exec")
        if isinstance(last, ast.Expr):
            value = await self.evaluate(ast.Expression(last.value), "eval")
            if value is not None:
                show(value)

    async def evaluate(self, tree: ast.Module | ast.Expression, kind: str) -> Any:
        code = compile(tree, self.place.filename, kind, self.flags | AWAIT, dont_inherit=True)
        self.flags |= code.co_flags & FUTURE
        self.watch(code)
        value = eval(code, self.names)
        return await value if code.co_flags & inspect.CO_COROUTINE else value

    def close(self) -> None:
        if self.loop is not None:
            self.loop.close()


def display(*values: Any) -> None:
    for value in values:
        show(value)


def ends_quietly(source: str) -> bool:
    """Whether it ends with a semicolon, below which there are only comments."""
    if ";" not in source:
        return False
    last = ""
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type in (tokenize.OP, tokenize.NAME, tokenize.NUMBER, tokenize.STRING):
                last = token.string
    except (tokenize.TokenError, SyntaxError):
        return False
    return last == ";"
