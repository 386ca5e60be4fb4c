"""Which cells become nodes, what each of them needs, and where that comes from."""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass, field

from .cells import Cell, Definition
from .changes import FunctionChanges, changed_by, changes_of
from .links import linked_names
from .order import kept_order, shares

BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__"}
#: What a notebook offers without an import.
OFFERED = {"display": "from miranda import show as display"}


@dataclass(eq=False)
class Wired:
    """A cell with what it needs from others."""

    cell: Cell
    at: int
    #: For each value, the cell that makes it; None when no cell does.
    inputs: dict[str, int | None] = field(default_factory=dict[str, "int | None"])
    outputs: list[str] = field(default_factory=list[str])
    used: list[Definition] = field(default_factory=list[Definition])
    #: Values that only keep the order of cells.
    signals: set[str] = field(default_factory=set[str])
    changed: set[str] = field(default_factory=set[str])
    remarks: list[str] = field(default_factory=list[str])
    #: Names of groups that no cell has made so far.
    unmade: set[str] = field(default_factory=set[str])
    extra_imports: set[str] = field(default_factory=set[str])

    @property
    def is_node(self) -> bool:
        cell = self.cell
        return bool(cell.body or cell.error or self.kept) or not cell.is_python

    #: Definitions that nobody uses: they stay where they were.
    kept: list[Definition] = field(default_factory=list[Definition])


class Wiring:
    def __init__(self, cells: list[Cell]) -> None:
        self.cells = cells
        self.groups = linked_names(cells)
        #: For each name, the cells that bind it, in order, with the definition if it is one.
        self.bindings: dict[str, list[tuple[int, Definition | None]]] = {}
        self.known: dict[str, FunctionChanges] = {}
        self.stars: list[Definition] = []
        self.wired = [Wired(cell, at) for at, cell in enumerate(cells)]
        self.made: set[str] = set()
        #: Cells, and names that they need and only a later cell makes.
        self.later: list[tuple[int, str]] = []
        #: For each name, the cells that make it as a value.
        self.data_of: dict[str, list[int]] = {}
        for at, cell in enumerate(cells):
            for name in cell.facts.bound | cell.facts.maybe:
                self.data_of.setdefault(name, []).append(at)
        self.definitions_of: dict[str, list[Definition]] = {}
        for cell in cells:
            for one in cell.definitions:
                for name in one.names:
                    self.definitions_of.setdefault(name, []).append(one)

    def variable(self, name: str) -> str:
        """What is sent for a name: the name itself, or its group."""
        return "_".join(self.groups[name]) if name in self.groups else name

    def members(self, variable: str) -> tuple[str, ...]:
        for group in self.groups.values():
            if "_".join(group) == variable:
                return group
        return (variable,)

    def wire(self) -> list[Wired]:
        order = kept_order([shares(cell.tree) for cell in self.cells])
        for wired, kept in zip(self.wired, order, strict=True):
            self.read(wired)
            self.keep_order(wired, kept)
        self.keep_unused()
        self.use_later_ones()
        self.find_outputs()
        return self.wired

    def read(self, wired: Wired) -> None:
        """What one cell needs of the cells above it, and what it makes."""
        cell = wired.cell
        for one in cell.definitions:
            if one.kind == "function" and isinstance(one.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.known[one.node.name] = changes_of(one.node, self.known)
        self.resolve(wired, cell.facts.outside())
        wired.used += self.stars
        self.stars += [one for one in cell.definitions if any(name.startswith("* of ") for name in one.names)]
        changed = changed_by(cell.body, self.known)
        # A cell that uses one value of a group may change the others through it.
        changed |= {name for name in cell.facts.outside() if name in self.groups}
        bound = cell.facts.bound | cell.facts.maybe
        # A group is passed on as a whole: its other names have to be there.
        for name in bound | changed:
            group = self.groups.get(name)
            if group and self.last_data(name) is not None and not set(group) <= cell.facts.bound:
                wired.inputs.setdefault(self.variable(name), self.last_data(name))
        wired.changed = {name for name in changed if self.variable(name) in wired.inputs or name in bound}
        for one in cell.definitions:
            for name in one.names:
                self.bindings.setdefault(name, []).append((wired.at, one))
        for name in bound | wired.changed:
            self.made.add(name)
            for member in self.members(self.variable(name)):
                self.bindings.setdefault(member, []).append((wired.at, None))
        wired.unmade = {name for group in self.groups.values() for name in group if name not in self.made}

    def last(self, name: str) -> tuple[int, Definition | None] | None:
        found = self.bindings.get(name)
        return found[-1] if found else None

    def last_data(self, name: str) -> int | None:
        found = self.last(name)
        return found[0] if found and found[1] is None else None

    def resolve(self, wired: Wired, names: set[str]) -> None:
        """Finds everything that these names need, and what that needs in turn."""
        cell = wired.cell
        own: dict[str, Definition] = {name: one for one in cell.definitions for name in one.names}
        bound = cell.facts.bound | cell.facts.maybe
        seen: set[str] = set()
        waiting = [(name, False) for name in sorted(names)]
        while waiting:
            name, is_inner = waiting.pop(0)
            if name in seen:
                continue
            seen.add(name)
            found = (wired.at, own[name]) if name in own else self.last(name)
            if is_inner and name in bound and (found is None or found[1] is not None):
                continue
            if found is None:
                self.miss(wired, name)
            elif found[1] is None:
                wired.inputs.setdefault(self.variable(name), found[0])
            else:
                for one in self.all_of(name, found[1]):
                    if one not in wired.used:
                        wired.used.append(one)
                    waiting += [(inner, True) for inner in sorted(one.needs)]

    def all_of(self, name: str, found: Definition) -> list[Definition]:
        """`import a.b` and `import a.c` both make `a`."""
        if not is_plain(found):
            return [found]
        same = [one for one in self.definitions_of.get(name, []) if isinstance(one.node, ast.Import)]
        return [one for one in same if one.cell <= found.cell and is_plain(one)] or [found]

    def miss(self, wired: Wired, name: str) -> None:
        """A name that no cell above makes."""
        later = [one for one in self.definitions_of.get(name, []) if one.cell > wired.cell.number]
        if later:
            wired.used.append(later[0])
            self.resolve(wired, set(later[0].needs))
        elif any(at > wired.at for at in self.data_of.get(name, [])):
            self.later.append((wired.at, name))
        elif name in OFFERED:
            wired.extra_imports.add(OFFERED[name])
        elif name not in BUILTINS | wired.cell.facts.bound | wired.cell.facts.maybe and not self.stars:
            wired.remarks.append(f"It uses {name}, which no cell makes.")

    def keep_order(self, wired: Wired, kept: dict[str, bool]) -> None:
        for what, changes in kept.items():
            signal = f"after_{what}"
            # The notebook already uses this name for something else.
            if signal in self.data_of or signal in self.definitions_of or not wired.cell.body:
                continue
            found = self.last(signal)
            if found is not None:
                wired.inputs[signal] = found[0]
                wired.signals.add(signal)
            if changes:
                wired.signals.add(signal)
                self.bindings.setdefault(signal, []).append((wired.at, None))

    def keep_unused(self) -> None:
        used = {id(one) for wired in self.wired for one in wired.used}
        for wired in self.wired:
            unused = [one for one in wired.cell.definitions if one.kind == "function" and id(one) not in used]
            if unused:
                wired.kept = unused
                self.resolve_again(wired, unused)

    def resolve_again(self, wired: Wired, definitions: list[Definition]) -> None:
        """Resolves what these definitions need, with only the cells above this one."""
        before = self.bindings
        self.bindings = {
            name: earlier for name, found in before.items() if (earlier := [one for one in found if one[0] < wired.at])
        }
        wired.used += [one for one in definitions if one not in wired.used]
        self.resolve(wired, {name for one in definitions for name in one.needs} - wired.cell.facts.bound)
        self.bindings = before

    def use_later_ones(self) -> None:
        """Its author ran the cells in another order. That works unless two cells need each other."""
        for at, name in self.later:
            wired = self.wired[at]
            source = next(one for one in self.data_of[name] if one > at)
            variable = self.variable(name)
            if variable in wired.inputs:
                continue
            maker = self.cells[source].number
            if self.reaches(at, source):
                wired.inputs[variable] = None
                wired.remarks.append(
                    f"It uses {name}, which only cell {maker} makes, and cell {maker} needs this one: a circle. "
                    f"The input {name} is left open."
                )
            else:
                wired.inputs[variable] = source
                wired.remarks.append(f"It uses {name}, which only cell {maker} below makes. It runs after that cell.")

    def reaches(self, start: int, end: int) -> bool:
        next_ones: dict[int, list[int]] = {}
        for wired in self.wired:
            for source in wired.inputs.values():
                if source is not None:
                    next_ones.setdefault(source, []).append(wired.at)
        waiting, seen = [start], {start}
        while waiting:
            at = waiting.pop()
            if at == end:
                return True
            for following in next_ones.get(at, []):
                if following not in seen:
                    seen.add(following)
                    waiting.append(following)
        return False

    def find_outputs(self) -> None:
        """What others need of each cell. A value that it makes only in some cases is also its input."""
        made_before: dict[str, list[int]] = {}
        for name, found in self.bindings.items():
            made_before[self.variable(name)] = [at for at, definition in found if definition is None]
        wanted: dict[int, set[str]] = {}
        for wired in self.wired:
            for variable, source in wired.inputs.items():
                if source is not None:
                    wanted.setdefault(source, set()).add(variable)
        for wired in reversed(self.wired):
            outputs = wanted.get(wired.at, set())
            for variable in outputs:
                is_sure = all(name not in wired.cell.facts.maybe for name in self.members(variable))
                earlier = [at for at in made_before.get(variable, []) if at < wired.at]
                if not is_sure and earlier and variable not in wired.inputs:
                    wired.inputs[variable] = earlier[-1]
                    wanted.setdefault(earlier[-1], set()).add(variable)
            wired.outputs = sorted(outputs)


def is_plain(one: Definition) -> bool:
    return isinstance(one.node, ast.Import) and all(alias.asname is None for alias in one.node.names)
