"""Which names code reads, binds and deletes, in order."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

Function = ast.FunctionDef | ast.AsyncFunctionDef
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


@dataclass
class Facts:
    """What some statements do with the names around them."""

    #: Read before they were certainly bound here.
    reads: set[str] = field(default_factory=set[str])
    #: Read by the functions that are defined here, whenever these are called.
    late: set[str] = field(default_factory=set[str])
    bound: set[str] = field(default_factory=set[str])
    #: Bound in some cases only.
    maybe: set[str] = field(default_factory=set[str])

    def outside(self) -> set[str]:
        """The names that have to come from elsewhere."""
        return self.reads | (self.late - self.bound - self.maybe)


def facts_of(statements: Iterable[ast.stmt]) -> Facts:
    facts = Facts()
    Walk(facts).block(statements, facts.bound)
    facts.maybe -= facts.bound
    return facts


class Walk:
    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    def block(self, statements: Iterable[ast.stmt], bound: set[str]) -> None:
        for part in statements:
            self.statement(part, bound)

    def branches(self, ways: list[list[ast.stmt]], bound: set[str], given: Iterable[str] = ()) -> list[set[str]]:
        """What each of several branches has bound at its end."""
        ends: list[set[str]] = []
        for way in ways:
            own = bound | set(given)
            self.block(way, own)
            self.facts.maybe |= own
            ends.append(own)
        return ends

    def statement(self, part: ast.stmt, bound: set[str]) -> None:
        if isinstance(part, ast.If):
            self.expression(part.test, bound)
            bound |= in_all(self.branches([part.body, part.orelse], bound))
        elif isinstance(part, (ast.For, ast.AsyncFor)):
            self.expression(part.iter, bound)
            self.target(part.target, bound)
            self.branches([[*part.body, *part.orelse]], bound, stored(part.target))
        elif isinstance(part, ast.While):
            self.expression(part.test, bound)
            self.branches([[*part.body, *part.orelse]], bound)
        elif isinstance(part, (ast.Try, ast.TryStar)):
            self.tried(part, bound)
        elif isinstance(part, (ast.With, ast.AsyncWith)):
            for item in part.items:
                self.expression(item.context_expr, bound)
                if item.optional_vars is not None:
                    self.target(item.optional_vars, bound)
                    bound |= stored(item.optional_vars)
            self.block(part.body, bound)
        elif isinstance(part, ast.Match):
            self.expression(part.subject, bound)
            for case in part.cases:
                self.branches([[*([ast.Expr(case.guard)] if case.guard else []), *case.body]], bound, caught(case))
        elif isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for outer in outer_expressions(part):
                self.expression(outer, bound)
            self.facts.late |= free_names(part)
            bound.add(part.name)
        elif isinstance(part, ast.ClassDef):
            for outer in [*part.decorator_list, *part.bases, *(one.value for one in part.keywords)]:
                self.expression(outer, bound)
            # Most of it is read when its methods are called.
            self.facts.late |= names_inside(part.body, {part.name})
            bound.add(part.name)
        else:
            self.simple(part, bound)

    def tried(self, part: ast.Try | ast.TryStar, bound: set[str]) -> None:
        after = set(bound)
        self.block([*part.body, *part.orelse], after)
        self.facts.maybe |= after
        ends = [after]
        for handler in part.handlers:
            if handler.type is not None:
                self.expression(handler.type, bound)
            own = bound | ({handler.name} if handler.name else set[str]())
            self.block(handler.body, own)
            own -= {handler.name or ""}
            self.facts.maybe |= own
            if not (handler.body and isinstance(handler.body[-1], (ast.Raise, ast.Return, ast.Continue, ast.Break))):
                ends.append(own)
        bound |= in_all(ends)
        self.block(part.finalbody, bound)

    def simple(self, part: ast.stmt, bound: set[str]) -> None:
        reader = Reader()
        reader.visit(part)
        self.facts.reads |= reader.loads - bound
        bound |= reader.stores
        gone = reader.deletes
        bound -= gone
        self.facts.maybe -= gone

    def expression(self, part: ast.expr, bound: set[str]) -> None:
        reader = Reader()
        reader.visit(part)
        self.facts.reads |= reader.loads - bound
        bound |= reader.stores

    def target(self, part: ast.expr, bound: set[str]) -> None:
        """`for rows[0] in …` reads `rows`."""
        reader = Reader()
        reader.visit(part)
        self.facts.reads |= reader.loads - bound


class Reader(ast.NodeVisitor):
    """The names of one statement, without the order inside it."""

    def __init__(self) -> None:
        self.loads: set[str] = set()
        self.stores: set[str] = set()
        self.deletes: set[str] = set()
        self.globals: set[str] = set()

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self.stores.add(node.id)
        elif isinstance(node.ctx, ast.Del):
            self.deletes.add(node.id)
            self.loads.add(node.id)
        else:
            self.loads.add(node.id)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self.loads.add(node.target.id)
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        self.globals.update(node.names)

    def visit_FunctionDef(self, node: Function) -> None:
        for outer in outer_expressions(node):
            self.visit(outer)
        self.stores.add(node.name)
        self.loads |= free_names(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for default in [*node.args.defaults, *node.args.kw_defaults]:
            if default is not None:
                self.visit(default)
        # It may be called now or later: only names that nothing here binds have to come from elsewhere.
        self.loads |= names_inside([node.body], parameters(node.args))

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for outer in [*node.decorator_list, *node.bases, *(one.value for one in node.keywords)]:
            self.visit(outer)
        self.stores.add(node.name)
        self.loads |= names_inside(node.body, {node.name})

    def visit_comprehension_of(self, node: Comprehension) -> None:
        inner = Reader()
        for part in ast.iter_child_nodes(node):
            inner.visit(part)
        targets = {name for one in node.generators for name in stored(one.target)}
        self.loads |= inner.loads - targets
        # `:=` binds outside.
        self.stores |= inner.stores - targets

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_comprehension_of

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        self.stores |= imported(node)

    visit_ImportFrom = visit_Import

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.stores.add(node.name)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar) -> None:
        if node.name:
            self.stores.add(node.name)
        self.generic_visit(node)

    visit_MatchStar = visit_MatchAs

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest:
            self.stores.add(node.rest)
        self.generic_visit(node)


def in_all(sets: list[set[str]]) -> set[str]:
    return sets[0].intersection(*sets[1:])


def names_inside(body: Iterable[ast.AST], own: set[str]) -> set[str]:
    """What a scope reads from outside."""
    inner = Reader()
    for part in body:
        inner.visit(part)
    return (inner.loads - own - (inner.stores - inner.globals)) | inner.globals


def free_names(node: Function) -> set[str]:
    """What the body of a function reads from outside. Its own name is left out: it may call itself."""
    return names_inside(node.body, parameters(node.args)) - {node.name}


def parameters(given: ast.arguments) -> set[str]:
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    return {one.arg for one in every if one is not None}


def outer_expressions(node: Function) -> list[ast.expr]:
    """What is evaluated where the function is defined."""
    every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
    notes = [one.annotation for one in every if one is not None]
    defaults = [*node.args.defaults, *node.args.kw_defaults]
    return [one for one in [*node.decorator_list, *defaults, *notes, node.returns] if one is not None]


def imported(node: ast.Import | ast.ImportFrom) -> set[str]:
    if isinstance(node, ast.Import):
        return {one.asname or one.name.partition(".")[0] for one in node.names}
    return {one.asname or one.name for one in node.names if one.name != "*"}


def stored(target: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(target) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def caught(case: ast.match_case) -> set[str]:
    reader = Reader()
    reader.visit(case.pattern)
    return reader.stores


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())
