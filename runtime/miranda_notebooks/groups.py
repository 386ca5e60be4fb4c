"""Which cells stay together in one node, and why. What cannot be shown to be safe stays together."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from functools import cached_property

from .calls import MAKING, called, dotted
from .cells import Cell, Definition
from .effects import Effects, Together, every, settings_of
from .names import Facts, Reader, facts_of, free_names, stored
from .packages import Packages
from .sharing import Sharing
from .whole import needs_ipython

WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass
class Group:
    """Cells that follow each other and become one node."""

    cells: list[Cell]
    #: The names that it needs from groups above: values, imports and functions.
    needs: set[str] = field(default_factory=set[str])
    facts: Facts = field(default_factory=Facts)
    because: list[str] = field(default_factory=list[str])

    @property
    def body(self) -> list[ast.stmt]:
        return [part for cell in self.cells for part in cell.tree.body]


class Notebook:
    """All cells, with what their names stand for."""

    def __init__(self, cells: list[Cell], is_script: bool, together: int = 0) -> None:
        self.cells = cells
        #: Cells up to this number gave something else when they were apart.
        self.kept = together
        self.is_script = is_script
        self.needs_ipython = not is_script and needs_ipython(cells)
        self.packages = Packages(cells)
        self.bound: dict[str, int] = {}
        self.imports: dict[str, list[Definition]] = {}
        defined: dict[str, list[Definition]] = {}
        for cell in cells:
            for one in cell.definitions:
                for name in one.names:
                    (self.imports if one.kind == "import" else defined).setdefault(name, []).append(one)
            for name in cell.facts.bound | cell.facts.maybe:
                self.bound[name] = self.bound.get(name, 0) + 1
        self.modules = modules_of(self.imports)
        self.functions: dict[str, Definition] = {}
        for name, found in defined.items():
            if len(found) == 1 and name not in self.bound and name not in self.imports and is_plain(found[0]):
                self.functions[name] = found[0]
        #: Names that are a module in one cell and something else in another.
        self.unclear = {name for name in self.imports if name in self.bound or name in defined}
        self.settings = settings_of(cells, self.modules)
        constant = constants(cells)
        values = {*self.bound, *(name for name in defined if name not in self.functions)}
        self.values = values - constant
        self.all_values = values

    # What is mentioned where

    @cached_property
    def mentioned(self) -> dict[int, set[str]]:
        """By the number of the cell: every name that it may use or make, those in its texts too."""
        known = {*self.all_values, *self.imports, *self.functions}
        return {
            cell.number: self.closed((names_in(cell.tree.body) | words_in(cell.tree.body)) & known) & known
            for cell in self.cells
        }

    @cached_property
    def mentioned_anywhere(self) -> set[str]:
        return {name for names in self.mentioned.values() for name in names}

    @cached_property
    def needs(self) -> dict[str, set[str]]:
        """What each function needs, with the names in its texts."""
        known = {*self.all_values, *self.imports, *self.functions}
        return {
            name: {*one.needs, *(words_in([one.node]) if one.node is not None else ())} & known
            for name, one in self.functions.items()
        }

    def closed(self, names: set[str]) -> set[str]:
        """With the names that functions of these names need."""
        seen, waiting = set(names), list(names)
        while waiting:
            for name in self.needs.get(waiting.pop(), set[str]()) - seen:
                seen.add(name)
                waiting.append(name)
        return seen

    def tree(self, cell: Cell) -> list[ast.stmt]:
        """Its statements, and the functions that it may call."""
        own = list(cell.tree.body)
        known = {id(part) for part in own}
        functions = [self.functions[name].node for name in sorted(self.mentioned[cell.number] & set(self.functions))]
        return own + [one for one in functions if one is not None and id(one) not in known]

    # Together

    def together(self) -> list[Together]:
        last = len(self.cells) - 1
        effects = Effects(self.cells, [self.tree(cell) for cell in self.cells], self.modules, self.is_script)
        found = effects.found(set(self.settings))
        if self.unclear:
            name = sorted(self.unclear)[0]
            found.append(Together(0, last, f"{name} is a module in one cell and something else in another."))
        missing = self.made_later()
        if missing:
            found.append(Together(0, last, missing))
        kept = [at for at, cell in enumerate(self.cells) if cell.number <= self.kept]
        if kept:
            found.append(Together(0, kept[-1], "A run as several nodes gave something else."))
        return found + self.shared()

    def made_later(self) -> str:
        """Jupyter would have stopped there: its author ran the cells in another order."""
        made: set[str] = set()
        known = {*self.values, *self.all_values, *self.imports, *self.functions}
        for cell in self.cells:
            facts = facts_of(cell.tree.body)
            needed = self.closed(facts.reads) & known
            made |= facts.bound | facts.maybe
            for name in sorted(needed - made):
                return f"Cell {cell.number} uses {name}, which only a later cell makes."
        return ""

    def shared(self) -> list[Together]:
        sharing = Sharing(self.values, self.functions, self.modules)
        changed: list[set[str]] = []
        unsure: set[str] = set()
        read: set[str] = set()
        for cell in self.cells:
            body = [part for part in cell.tree.body if id(part) not in self.settings]
            changed.append(sharing.read(body) & self.values)
            facts = facts_of(cell.tree.body)
            deleted = {one.id for one in every(body) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Del)}
            unsure |= facts.maybe | deleted
            read |= self.closed(facts.outside() | words_in(body))
        # Bound in some cases only: what another cell reads depends on what it was before.
        sharing.fixed |= unsure & read & self.all_values
        touched: dict[str, list[int]] = {}
        changes: dict[str, list[int]] = {}
        for at, cell in enumerate(self.cells):
            for name in self.mentioned[cell.number] & self.all_values:
                touched.setdefault(sharing.root(name), []).append(at)
            for name in changed[at]:
                changes.setdefault(sharing.root(name), []).append(at)
        fixed = {sharing.root(name) for name in sharing.fixed if name in self.all_values}
        members: dict[str, list[str]] = {}
        for name in sorted(self.all_values):
            members.setdefault(sharing.root(name), []).append(name)
        found: list[Together] = []
        for root, cells in sorted(touched.items()):
            several = [name for name in members.get(root, [root]) if self.is_in_several(name)]
            names = listed(several or members.get(root, [root]))
            if root in fixed:
                found.append(Together(cells[0], cells[-1], f"They share {names}, of which there are no copies."))
            elif root in changes:
                found.append(Together(cells[0], changes[root][-1], f"They change {names} in place."))
        return found

    def is_in_several(self, name: str) -> bool:
        return sum(name in names for names in self.mentioned.values()) > 1

    def groups(self) -> list[Group]:
        spans = sorted((one for one in self.together() if one.last > one.first), key=lambda one: (one.first, one.last))
        merged: list[tuple[int, int, list[str]]] = []
        for one in spans:
            if merged and one.first <= merged[-1][1]:
                first, last, because = merged[-1]
                merged[-1] = (first, max(last, one.last), [*because, one.because])
            else:
                merged.append((one.first, one.last, [one.because]))
        groups: list[Group] = []
        at = 0
        while at < len(self.cells):
            span = next((one for one in merged if one[0] == at), None)
            last = span[1] if span else at
            group = Group(self.cells[at : last + 1], because=list(dict.fromkeys(span[2])) if span else [])
            group.facts = facts_of(group.body)
            known = {*self.all_values, *self.imports, *self.functions}
            mentioned = (words_in(group.body) & known) - group.facts.bound
            group.needs = group.facts.outside() | mentioned
            groups.append(group)
            at = last + 1
        return groups


def modules_of(imports: dict[str, list[Definition]]) -> dict[str, str]:
    """What a name of an import stands for: `np` is `numpy`, `plt` is `matplotlib.pyplot`."""
    found: dict[str, str] = {}
    for name, definitions in imports.items():
        for one in definitions:
            part = one.node
            if isinstance(part, ast.Import):
                found[name] = part.names[0].name if part.names[0].asname else name
            elif isinstance(part, ast.ImportFrom):
                found[name] = f"{part.module or '.'}.{part.names[0].name}"
            else:
                # One of several, by `try` or `if`.
                found[name] = "?"
    return found


def is_plain(one: Definition) -> bool:
    """Whether every node can have a copy of the function: it keeps nothing from one call to the next."""
    node = one.node
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or node.decorator_list:
        return False
    defaults = [*node.args.defaults, *(one for one in node.args.kw_defaults if one is not None)]
    if not all(isinstance(default, (ast.Constant, ast.UnaryOp)) for default in defaults):
        return False
    states = (ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await)
    if any(isinstance(part, states) for part in ast.walk(node)):
        return False
    own = {dotted(target).partition(".")[0] for part in ast.walk(node) for target in places(part)}
    return node.name not in own and not (own & free_names(node))


def places(part: ast.AST) -> list[ast.AST]:
    """Targets that are no names: `f.calls = 1`"""
    targets = part.targets if isinstance(part, ast.Assign) else []
    targets = [part.target] if isinstance(part, (ast.AugAssign, ast.AnnAssign)) else targets
    return [one for one in targets if isinstance(one, (ast.Attribute, ast.Subscript))]


def constants(cells: list[Cell]) -> set[str]:
    """Names that only ever stand for numbers and texts: nobody can change these."""
    found: dict[str, bool] = {}
    for cell in cells:
        simple: set[str] = set()
        for part in cell.body:
            if isinstance(part, ast.Assign) and len(part.targets) == 1 and isinstance(part.targets[0], ast.Name):
                name = part.targets[0].id
                is_constant = is_number(part.value)
                found[name] = found.get(name, True) and is_constant
                if is_constant:
                    simple.add(name)
        bound = cell.facts.bound | cell.facts.maybe
        for part in ast.walk(ast.Module(list(cell.body), [])):
            is_simple = isinstance(part, ast.Assign) and part in cell.body
            if isinstance(part, (ast.AugAssign, ast.For, ast.NamedExpr, ast.AnnAssign)) or (
                isinstance(part, ast.Assign) and not is_simple
            ):
                for name in stored(part.target) if not isinstance(part, ast.Assign) else stored(part):
                    found[name] = False
        for name in bound - simple:
            found[name] = False
    return {name for name, is_constant in found.items() if is_constant}


def is_number(value: ast.expr) -> bool:
    if isinstance(value, (ast.Constant, ast.JoinedStr)):
        return True
    if isinstance(value, ast.UnaryOp):
        return is_number(value.operand)
    if isinstance(value, ast.BinOp):
        return is_number(value.left) and is_number(value.right)
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and called(value) in MAKING - {"sum", "pow"}


def names_in(tree: list[ast.stmt]) -> set[str]:
    """Every name outside of functions and imports, and those that functions read from outside."""
    reader = Reader()
    for part in tree:
        if not isinstance(part, (ast.Import, ast.ImportFrom)):
            reader.visit(part)
    return reader.loads | reader.stores | reader.deletes | reader.globals


def words_in(tree: list[ast.stmt]) -> set[str]:
    """Names in texts: `timeit("f()", globals=globals())`, `df.query("size > @limit")`"""
    texts = [part.value for part in every(tree) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return {word for text in texts for word in WORD.findall(text)}


def listed(names: list[str]) -> str:
    short = names[:4]
    return ", ".join(short) + (" and more" if len(names) > len(short) else "")
