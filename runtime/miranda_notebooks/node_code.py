"""Writes a cell as the code of a node."""

from __future__ import annotations

import ast
import keyword
import re

from miranda.reserved_names import RESERVED

from .cell_text import Edit, edited, indented, lines_of, parse_cell, place_of, without_lines
from .cells import Cell, Definition
from .magics import commented
from .names import called, globals_of, names_inside, root_of, words
from .wiring import Wired, Wiring

PYPLOT = ("matplotlib.pyplot", "pylab")
DRAWING = ("seaborn", "matplotlib", "pandas", "mpl_toolkits")
#: Methods of frames that draw with pyplot.
PLOTS = frozenset({"plot", "hist", "boxplot", "bar", "barh", "scatter", "line", "pie", "area"})
#: Methods that change something and return nothing.
WITHOUT_VALUE = words(
    "add append appendleft clear close discard extend insert remove reverse setdefault sort update write"
)
#: Calls that always return something.
WITH_VALUE = words("""
    Counter DataFrame copy corr crosstab describe dict groupby head len list max mean min most_common nlargest nsmallest
    pivot_table predict round sample score set sort_values sorted str sum tail tuple type value_counts
    """)


class NodeCode:
    """The code of one node, and the names of its ports."""

    def __init__(self, wiring: Wiring, wired: Wired, class_name: str) -> None:
        self.wiring, self.wired, self.cell = wiring, wired, wired.cell
        self.class_name = class_name
        self.taken = {name for name in names_inside(self.cell.tree.body, set())} | self.cell.facts.bound
        self.receivers = {one: port(one, set()) for one in sorted(wired.inputs)}
        used = set(self.receivers.values())
        self.transmitters: dict[str, str] = {}
        for one in wired.outputs:
            name = port(one, used)
            self.transmitters[one] = name
            used.add(name)
        self.pyplot = self.pyplot_name()

    def source(self) -> str:
        if self.cell.error or not self.cell.is_python:
            return self.unread()
        source = self.written()
        try:
            # Only its grammar is checked: this runs nothing.
            compile(source, "node", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            words = f"It cannot be written as a node: {getattr(error, 'msg', error)}. Its text is kept as comments."
            self.wired.remarks.append(words)
            return self.unread()
        return source

    def unread(self) -> str:
        """Code that is not Python is kept as comments, and does nothing."""
        ports = "\n".join(f"    {line}" for line in self.ports()) or "    pass"
        text = commented(self.cell.source) if self.cell.is_python else self.cell.source
        kept = "\n".join(f"    {line}".rstrip() for line in text.split("\n"))
        names = sorted({"Node", *self.port_types()})
        return f"from miranda import {', '.join(names)}\n\n\nclass {self.class_name}(Node):\n{ports}\n\n{kept}\n"

    def written(self) -> str:
        pure, inner = self.functions()
        classes = self.pure_classes(inner)
        body = self.body(pure, inner, classes)
        blocks = [self.metadata(), self.imports()]
        blocks += [part.text for part in pure]
        blocks += ["\n".join(self.cell.source.split("\n")[n - 1] for n in lines_of(one)) for one in classes]
        if self.pyplot:
            blocks.append(FIGURES.replace("PYPLOT", self.pyplot))
        ports = self.ports()
        head = f"class {self.class_name}(Node):"
        is_async = any(isinstance(one, (ast.Await, ast.AsyncFor, ast.AsyncWith)) for one in awaited(parse_cell(body)))
        run = f"    {'async ' if is_async else ''}def run(self):\n{indented(body, 2)}"
        members = "\n".join(f"    {line}" for line in ports)
        node = f"{head}\n{members}\n\n{run}" if ports else f"{head}\n{run}"
        top = [block for block in blocks[:2] if block]
        return "\n".join(top) + "\n\n\n" + "\n\n\n".join([*blocks[2:], node]) + "\n"

    def port_types(self) -> list[str]:
        return [name for name, has in (("Receiver", self.receivers), ("Transmitter", self.transmitters)) if has]

    def ports(self) -> list[str]:
        receivers = [f"{name} = Receiver()" for name in self.receivers.values()]
        return receivers + [f"{name} = Transmitter()" for name in self.transmitters.values()]

    def metadata(self) -> str:
        packages = sorted(set(self.cell.packages))
        if not packages:
            return ""
        listed = ", ".join(f'"{one}"' for one in packages)
        return f"# /// script\n# dependencies = [{listed}]\n# ///"

    def imports(self) -> str:
        used = [one for one in self.wired.used if one.kind == "import"]
        future = [one.text for one in used if one.origin == "__future__"]
        plain = [one.text for one in used if not one.origin and isinstance(one.node, ast.Import)]
        other = [one.text for one in used if not one.origin and not isinstance(one.node, ast.Import)]
        from_ones: dict[str, list[str]] = {}
        for one in used:
            if one.origin and one.origin not in ("__future__", "miranda"):
                from_ones.setdefault(one.origin, []).append(one.text.partition(" import ")[2])
        grouped = [f"from {origin} import {', '.join(dict.fromkeys(names))}" for origin, names in from_ones.items()]
        own = [one.text.partition(" import ")[2] for one in used if one.origin == "miranda"]
        own += [text.partition(" import ")[2] for text in self.wired.extra_imports]
        if self.pyplot == "pyplot":
            grouped.append("from matplotlib import pyplot")
        miranda = f"from miranda import {', '.join(sorted({'Node', *self.port_types(), *own}))}"
        first = [*dict.fromkeys(future), *sorted(set(plain)), *sorted(grouped), *dict.fromkeys(other)]
        return "\n".join([*first, "", miranda] if first else [miranda])

    def functions(self) -> tuple[list[Definition], list[Definition]]:
        """Functions that need no values, and those that use values of this run and are defined inside it."""
        used = [one for one in self.wired.used if one.kind == "function"]
        values = {name for one in self.wired.inputs for name in self.wiring.members(one)}
        values |= self.cell.facts.bound | self.cell.facts.maybe
        inner_names: set[str] = set()
        grows = True
        while grows:
            inner = {
                name
                for one in used
                for name in one.names
                if one.needs & (values | inner_names) or (one.node and globals_of(one.node))
            }
            grows = inner != inner_names
            inner_names = inner
        used.sort(key=lambda one: (one.cell, min(one.lines)))
        pure = [one for one in used if not one.names & inner_names]
        return pure, [one for one in used if one.names & inner_names]

    def pure_classes(self, inner: list[Definition]) -> list[ast.ClassDef]:
        """Classes that need no value of this run. Outside of `run`, so that their objects can be pickled."""
        values = {name for one in self.wired.inputs for name in self.wiring.members(one)}
        values |= self.cell.facts.bound | self.cell.facts.maybe | {name for one in inner for name in one.names}
        classes = [one for one in self.cell.body if isinstance(one, ast.ClassDef)]
        found: list[ast.ClassDef] = []
        for one in classes:
            known = {other.name for other in [*found, one]}
            if not names_inside([one], set()) & (values - known) and one.name not in self.wired.changed:
                found.append(one)
        return found

    def body(self, pure: list[Definition], inner: list[Definition], classes: list[ast.ClassDef]) -> str:
        own_inner = {id(one) for one in inner if one.cell == self.cell.number}
        gone: set[int] = set()
        for one in self.cell.definitions:
            if id(one) not in own_inner:
                gone |= one.lines
        for one in classes:
            gone |= set(lines_of(one))
        kept = without_lines(edited(self.cell.source, self.edits(gone)), gone).strip("\n")
        if self.cell.shown is not None and self.is_own_line(self.cell.shown, gone):
            kept = self.with_shown(gone)
        copied = [nonlocals(one.text) for one in inner if id(one) not in own_inner]
        parts = [self.received(), *(f"\n{one}\n" for one in copied), nonlocals(kept)]
        if self.pyplot and not kept.endswith("\nshow_figures(self)"):
            parts.append("show_figures(self)")
        parts.append(self.sent())
        text = "\n".join(part for part in parts if part.strip()).strip("\n")
        return text if has_statement(text) else f"{text}\npass".strip("\n")

    def is_own_line(self, shown: ast.Expr, gone: set[int]) -> bool:
        return shown.lineno not in gone

    def with_shown(self, gone: set[int]) -> str:
        shown = self.cell.shown
        if shown is None:
            return ""
        begin, end = place_of(shown)
        edits = self.edits(gone)
        value = shown.value
        if self.is_drawn(value) or is_silent(value):
            return without_lines(edited(self.cell.source, edits), gone).strip("\n")
        if isinstance(value, (ast.Call, ast.Await, ast.IfExp, ast.BoolOp)) and not has_value(value):
            name = free_name("shown", self.taken)
            edits.append(Edit(begin, begin, f"{name} = "))
            edits.append(Edit(end, end, f"\nif {name} is not None:\n    self.show({name})"))
        else:
            # `a, b` is one value.
            is_bare = isinstance(value, ast.Tuple)
            edits.append(Edit(begin, begin, "self.show((" if is_bare else "self.show("))
            edits.append(Edit(end, end, "))" if is_bare else ")"))
        return without_lines(edited(self.cell.source, edits), gone).strip("\n")

    def edits(self, gone: set[int]) -> list[Edit]:
        """A node has no window to open: `plt.show()` shows the figures at the node."""
        found: list[Edit] = []
        if not self.pyplot:
            return found
        for part in ast.walk(ast.Module(self.cell.body, [])):
            if isinstance(part, ast.Expr) and isinstance(part.value, ast.Call) and part.lineno not in gone:
                call = part.value
                if called(call) == "show" and root_of(call.func) == self.pyplot:
                    found.append(Edit(*place_of(part), "show_figures(self)"))
        return found

    def is_drawn(self, value: ast.expr) -> bool:
        """What a drawing call returns is not shown: the figure is."""
        if not self.pyplot or not isinstance(value, ast.Call):
            return False
        root = root_of(value.func)
        drawing = {
            name
            for one in self.wired.used
            for name in one.names
            if one.kind == "import" and one.text.split()[1].startswith(("matplotlib", "seaborn", "pylab"))
        }
        is_axes = root in ("ax", "axes", "fig", "figure")
        return is_axes or root in drawing | {self.pyplot} or called(value) in PLOTS

    def pyplot_name(self) -> str:
        """The name of pyplot in the node; empty when the node does not draw with it."""
        if self.cell.error:
            return ""
        draws = False
        for one in self.wired.used:
            if one.kind != "import":
                continue
            if isinstance(one.node, ast.Import) and one.node.names[0].name in PYPLOT:
                return next(iter(one.names)) if one.node.names[0].asname else "pyplot"
            if one.origin == "matplotlib" and one.text.endswith(" import pyplot"):
                return "pyplot"
            if one.origin == "matplotlib" and " import pyplot as " in one.text:
                return next(iter(one.names))
            draws = draws or (one.text.split()[1].partition(".")[0] in DRAWING and self.plots())
        has_frames = self.plots() and any(
            "pandas" in one.text for cell in self.wiring.cells for one in cell.definitions
        )
        return "pyplot" if draws or has_frames else ""

    def plots(self) -> bool:
        words = {part.attr for part in ast.walk(self.cell.tree) if isinstance(part, ast.Attribute)}
        uses_seaborn = any(one.text.split()[1].startswith("seaborn") for one in self.wired.used if one.kind == "import")
        return uses_seaborn or bool(words & PLOTS)

    def received(self) -> str:
        lines: list[str] = []
        for variable, name in self.receivers.items():
            if variable not in self.wired.signals:
                lines.append(f"{', '.join(self.wiring.members(variable))} = self.{name}")
        return "\n".join(lines)

    def sent(self) -> str:
        lines: list[str] = []
        for variable, name in self.transmitters.items():
            members = self.wiring.members(variable)
            made = ["None" if one in self.wired.unmade and one not in self.cell.facts.bound else one for one in members]
            value = f"({', '.join(made)})" if len(made) > 1 else made[0]
            lines.append(f"self.{name}.send({'True' if variable in self.wired.signals else value})")
        return "\n".join(lines)


FIGURES = '''def show_figures(node):
    """Shows what was drawn, as a notebook does at the end of a cell."""
    for number in PYPLOT.get_fignums():
        node.show(PYPLOT.figure(number))
    PYPLOT.close("all")'''


def port(variable: str, used: set[str]) -> str:
    """A name for a port. An output that is an input too needs another one."""
    name = variable.strip("_") or "value"
    if name in RESERVED or name.startswith("_") or keyword.iskeyword(name):
        name = f"{name}_value"
    return free_name(name if name not in used else f"{name}_out", used)[:150]


def free_name(name: str, taken: set[str]) -> str:
    found, number = name, 2
    while found in taken:
        found, number = f"{name}_{number}", number + 1
    return found


def is_silent(value: ast.expr) -> bool:
    """Whether it changes something and returns nothing."""
    if not isinstance(value, ast.Call):
        return False
    return called(value) in WITHOUT_VALUE or any(one.arg == "inplace" for one in value.keywords)


def has_value(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and called(value) in WITH_VALUE


def has_statement(text: str) -> bool:
    return bool(parse_cell(text).body)


def awaited(tree: ast.Module) -> list[ast.AST]:
    """Everything outside of functions."""
    found: list[ast.AST] = []
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        part = waiting.pop()
        found.append(part)
        if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            waiting.extend(ast.iter_child_nodes(part))
    return found


def nonlocals(text: str) -> str:
    """Global names of the notebook become local names of `run`."""
    edits: list[Edit] = []
    for part in globals_of(parse_cell(text)):
        begin, _ = place_of(part)
        edits.append(Edit(begin, (begin[0], begin[1] + len("global")), "nonlocal"))
    return edited(text, edits) if edits else text


def class_name_of(title: str, cell: Cell, taken: set[str]) -> str:
    words = re.findall(r"[A-Za-z0-9]+", title)[:5]
    name = "".join(word[:1].upper() + word[1:] for word in words)[:40]
    if not name or name[0].isdigit() or name in taken or keyword.iskeyword(name) or name == "Node":
        name = f"Cell{cell.number}"
    return free_name(name, taken)
