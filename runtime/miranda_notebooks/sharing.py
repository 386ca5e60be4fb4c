"""
Which values may be one, or hold parts of each other, and which cells change them. A node gets copies of its values: a
copy of a changed value, or of two values with a common part, would no longer be what it was. In doubt they are one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from .calls import (
    CALLING,
    CHANGING,
    FRESH,
    FRESH_ATTRIBUTES,
    HARMLESS,
    MAKING,
    NOT_COPIED,
    NOT_QUIET,
    QUIET,
    READING,
    base_of,
    called,
)
from .cells import Definition
from .effects import DRAWING
from .names import Function, names_inside, parameters, stored

Loop = ast.For | ast.AsyncFor | ast.comprehension


class Sharing:
    """
    `values` are the names that could be sent, `functions` those that every node gets a copy of, and `modules` what
    names of modules stand for.
    """

    def __init__(self, values: set[str], functions: Mapping[str, Definition], modules: Mapping[str, str]) -> None:
        self.values, self.functions, self.modules = values, functions, modules
        self.parent: dict[str, str] = {}
        #: Values that cannot be copied, or whose copy would be another one.
        self.fixed: set[str] = set()
        self.pure: dict[str, bool] = {}

    def root(self, name: str) -> str:
        while self.parent.get(name, name) != name:
            name = self.parent[name]
        return name

    def join(self, names: Iterable[str]) -> None:
        own = [name for name in names if name in self.values]
        for name in own[1:]:
            self.parent[self.root(name)] = self.root(own[0])

    # What code does

    def read(self, tree: Iterable[ast.AST]) -> set[str]:
        """Joins what this code joins, and returns the names whose values it changes."""
        changed: set[str] = set()
        waiting = list(tree)
        while waiting:
            part = waiting.pop()
            self.bind(part)
            changed |= self.changed_by(part)
            if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)) and part.name in self.functions:
                continue
            waiting.extend(ast.iter_child_nodes(part))
        return changed

    def bind(self, part: ast.AST) -> None:
        if isinstance(part, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr)):
            targets = part.targets if isinstance(part, ast.Assign) else [part.target]
            names = {base_of(one) or "" for target in targets for one in flat(target)}
            if part.value is not None:
                self.join([*names, *self.held(part.value)])
                if self.is_fixed(part.value):
                    self.fixed |= names
        elif isinstance(part, (ast.For, ast.AsyncFor, ast.comprehension)):
            self.join([*stored(part.target), *self.held(part.iter)])
        elif isinstance(part, ast.withitem) and part.optional_vars is not None:
            self.join([*stored(part.optional_vars), *self.loads(part.context_expr)])
            self.fixed |= stored(part.optional_vars)
        elif isinstance(part, ast.ExceptHandler) and part.name:
            self.fixed.add(part.name)
        elif isinstance(part, ast.Match):
            self.join([*self.loads(part.subject), *(name for case in part.cases for name in caught(case))])
        elif isinstance(part, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            if part.name in self.values:
                self.fixed.add(part.name)
                self.join([part.name, *names_inside([part], set())])
        elif isinstance(part, ast.Compare) and any(isinstance(one, (ast.Is, ast.IsNot)) for one in part.ops):
            if not any(isinstance(one, ast.Constant) for one in [part.left, *part.comparators]):
                self.fixed |= self.loads(part)
                self.join(self.loads(part))

    def changed_by(self, part: ast.AST) -> set[str]:
        if isinstance(part, ast.AugAssign):
            return {base_of(part.target) or ""}
        if isinstance(part, (ast.Assign, ast.AnnAssign, ast.Delete, ast.For, ast.AsyncFor)):
            targets = part.targets if isinstance(part, (ast.Assign, ast.Delete)) else [part.target]
            parts = [one for target in targets for one in flat(target) if not isinstance(one, ast.Name)]
            return {base_of(one) or "" for one in parts}
        if isinstance(part, ast.Call):
            return self.changed_by_call(part)
        return set()

    def changed_by_call(self, call: ast.Call) -> set[str]:
        name, base = called(call), base_of(call.func) or ""
        given = {one for value in [*call.args, *(one.value for one in call.keywords)] for one in self.loads(value)}
        changed: set[str] = set()
        if name == "id" and not isinstance(call.func, ast.Attribute):
            self.fixed |= given
        # These say it themselves.
        for one in call.keywords:
            if one.arg in ("out", "inplace", "copy") and not is_harmless_option(one):
                changed |= given | {base}
        if isinstance(call.func, ast.Name):
            if base in self.functions:
                if not self.is_pure(base):
                    outside = names_inside([self.functions[base].node or ast.Pass()], set())
                    changed |= given | (outside & self.values)
                    self.join(changed)
            elif base in self.modules:
                changed |= self.changed_by_library(base, name, given)
            elif base in self.values or base not in READING:
                changed |= given | {base}
                self.join([base, *given])
            return changed
        if base in self.modules:
            return changed | self.changed_by_library(base, name, given)
        if name not in HARMLESS and not name.startswith("to_"):
            self.join([base, *given])
            changed |= {base} if name in CHANGING else given | {base}
        return changed

    def changed_by_library(self, base: str, name: str, given: set[str]) -> set[str]:
        if self.modules[base].partition(".")[0] in QUIET and name not in NOT_QUIET:
            return set()
        self.join(given)
        return given

    def is_pure(self, name: str) -> bool:
        """Whether a function changes only what it makes itself."""
        if name in self.pure:
            return self.pure[name]
        # Until it is known: it may call itself.
        self.pure[name] = True
        node = self.functions[name].node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return True
        own = own_values(node)
        names = (
            names_inside([node], set()) | parameters(node.args) | {one for part in node.body for one in stored(part)}
        )
        inner = Sharing((self.values | names) - set(self.functions), self.functions, self.modules)
        inner.pure = self.pure
        changed = inner.read(node.body)
        self.pure[name] = not (changed - own)
        return self.pure[name]

    # What values are made of

    def loads(self, node: ast.AST) -> set[str]:
        """The names that the expression mentions, and those that the functions it calls read."""
        found = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        waiting, seen = list(found), set(found)
        while waiting:
            function = self.functions.get(waiting.pop())
            for name in function.needs if function is not None else ():
                if name not in seen:
                    seen.add(name)
                    waiting.append(name)
        return seen & self.values

    def held(self, node: ast.expr) -> set[str]:
        """The names whose values may be in the value of the expression."""
        if isinstance(node, (ast.Constant, ast.JoinedStr, ast.Compare)):
            return set()
        if isinstance(node, ast.Attribute) and node.attr in FRESH_ATTRIBUTES:
            return set()
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            return {name for one in node.elts for name in self.held(one)}
        if isinstance(node, ast.IfExp):
            return self.held(node.body) | self.held(node.orelse)
        if isinstance(node, ast.Call):
            name = called(node)
            is_making = name in MAKING and isinstance(node.func, ast.Name) and name not in self.modules
            if is_making or (name in FRESH and isinstance(node.func, ast.Attribute)):
                return set()
        return self.loads(node)

    def is_fixed(self, value: ast.expr) -> bool:
        """Whether a value cannot be sent: it is a function, an iterator or a figure, or has one in it."""
        waiting: list[ast.AST] = [value]
        while waiting:
            part = waiting.pop()
            if isinstance(part, (ast.Lambda, ast.GeneratorExp)):
                return True
            if isinstance(part, ast.Name) and part.id in self.functions:
                return True
            if isinstance(part, ast.Call):
                base = base_of(part.func) or ""
                name = called(part)
                if self.modules.get(base, "").partition(".")[0] in DRAWING or name in ("plot", "hist", "boxplot"):
                    return True
                is_python = isinstance(part.func, ast.Name)
                if name in NOT_COPIED and (is_python or base in self.modules):
                    return True
                if is_python and base in self.functions:
                    # A function that is called: what it returns is a value.
                    waiting += [*part.args, *(one.value for one in part.keywords)]
                    continue
                if name in CALLING or (is_python and name in MAKING):
                    waiting.append(part.func)
                    continue
                if is_python and name in ("list", "tuple", "dict", "sorted", "set", "frozenset", "min", "max"):
                    continue
            waiting.extend(ast.iter_child_nodes(part))
        return False


def flat(target: ast.AST) -> list[ast.AST]:
    if isinstance(target, (ast.Tuple, ast.List)):
        return [inner for one in target.elts for inner in flat(one)]
    return [target.value] if isinstance(target, ast.Starred) else [target]


def is_harmless_option(one: ast.keyword) -> bool:
    """`inplace=False`, `copy=True`, `out=None`"""
    value = one.value.value if isinstance(one.value, ast.Constant) else ...
    return value is (one.arg == "copy") or (one.arg == "out" and value is None)


def own_values(node: Function) -> set[str]:
    """Names that the function binds only to values that it makes itself: it may change these."""
    made: dict[str, bool] = {}
    for part in ast.walk(node):
        if isinstance(part, ast.Assign):
            for target in part.targets:
                for one in flat(target):
                    if isinstance(one, ast.Name):
                        made[one.id] = made.get(one.id, True) and is_made(part.value)
        elif isinstance(part, (ast.For, ast.AsyncFor, ast.comprehension)):
            for name in stored(part.target):
                made[name] = False
        elif isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name):
            made.setdefault(part.target.id, False)
    return {name for name, is_own in made.items() if is_own} - parameters(node.args)


def is_made(value: ast.expr) -> bool:
    if isinstance(value, (ast.List, ast.Set, ast.Tuple)):
        return all(isinstance(one, ast.Constant) for one in value.elts)
    if isinstance(value, ast.Dict):
        return all(isinstance(one, ast.Constant) for one in value.values)
    if isinstance(value, ast.Call):
        return called(value) in ("copy", "deepcopy", "zeros", "ones", "empty", "full", "defaultdict", "Counter") or (
            called(value) in ("list", "dict", "set") and not value.args
        )
    return isinstance(value, (ast.Constant, ast.JoinedStr))


def caught(case: ast.match_case) -> set[str]:
    return {
        part.name
        for part in ast.walk(case.pattern)
        if isinstance(part, (ast.MatchAs, ast.MatchStar)) and part.name is not None
    }
