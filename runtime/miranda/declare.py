"""
Reads a node's attributes from its source by syntax tree alone: nothing of the source is ever run.

`python -m miranda.declare` reads a source on standard input and prints its api as JSON. `--batch` reads a JSON array of
{"name", "source_code"} and prints an array; `--serve` answers one JSON line {"id", "nodes"} after the other.
"""

# This reads literals of any type from source code.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import ast
import json
import math
import sys
import warnings
from collections import deque
from typing import Any

from .attributes import ATTRIBUTES, Attribute
from .controls import CONTROLS, Control
from .reserved_names import RESERVED
from .script_blocks import blocks_of

LONGEST = 1_000_000
MOST_ATTRIBUTES = 500
LONGEST_NUMBER = 1_000


class Refusal(Exception):
    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


class NotPython(Refusal):
    """The source does not even parse."""


def declare(source: str) -> dict[str, Any]:
    """The api of a source. It never raises: a mistake is reported in `error`, with its line."""
    try:
        return read(source)
    except NotPython as refusal:
        return {**failed(str(refusal), refusal.line), "parsed": False}
    except Refusal as refusal:
        return failed(str(refusal), refusal.line)
    except (RecursionError, MemoryError):
        return failed("The code is nested too deeply to be read.", None)
    except Exception:
        # Others wait behind this one: whatever it has found to break us with is its own affair.
        return failed("The code could not be read.", None)


def failed(message: str, line: int | None) -> dict[str, Any]:
    return {"compiled": False, "error": message, "error_line": line, "attributes": [], "class": None, "description": ""}


def read(source: str) -> dict[str, Any]:
    if len(source) > LONGEST:
        raise Refusal(f"The code has {len(source)} characters; {LONGEST} is the most.")
    tree = parse(source)
    names = Names(tree)
    node = find_class(tree, names)
    attributes: dict[str, dict[str, Any]] = {}
    for part in [*names.bases_in_file(node), node]:
        collect(part, names, attributes)
    if len(attributes) > MOST_ATTRIBUTES:
        raise Refusal(f"A node can have at most {MOST_ATTRIBUTES} attributes.", node.lineno)
    return {
        "compiled": True,
        "error": None,
        "error_line": None,
        "attributes": list(attributes.values()),
        "class": node.name,
        "description": ast.get_docstring(node) or "",
    }


def parse(source: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source.removeprefix("\ufeff"))
    except SyntaxError as error:
        line = error.lineno or null_line(source)
        raise NotPython(f"{error.msg}{f' (line {line})' if line else ''}", line) from None
    except ValueError as error:
        line = null_line(source)
        raise NotPython(f"{error}{f' (line {line})' if line else ''}", line) from None


def null_line(source: str) -> int | None:
    at = source.find("\0")
    return None if at < 0 else source.count("\n", 0, at) + 1


class Names:
    """Under which names this source knows what the miranda package offers."""

    def __init__(self, tree: ast.Module) -> None:
        self.direct: dict[str, str] = {}
        self.modules: set[str] = set()
        self.classes: dict[str, ast.ClassDef] = {}
        for part in tree.body:
            if isinstance(part, ast.ImportFrom) and part.module == "miranda" and part.level == 0:
                for alias in part.names:
                    if alias.name == "*":
                        self.direct.update({name: name for name in [*ATTRIBUTES, *CONTROLS, "Node"]})
                    else:
                        self.direct[alias.asname or alias.name] = alias.name
            elif isinstance(part, ast.Import):
                self.modules.update(alias.asname or alias.name for alias in part.names if alias.name == "miranda")
            elif isinstance(part, ast.ClassDef):
                self.classes[part.name] = part

    def meaning(self, expression: ast.expr) -> str | None:
        if isinstance(expression, ast.Name):
            return self.direct.get(expression.id)
        if isinstance(expression, ast.Attribute) and isinstance(expression.value, ast.Name):
            return expression.attr if expression.value.id in self.modules else None
        return None

    def direct_bases(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        known = [self.classes.get(base.id) for base in node.bases if isinstance(base, ast.Name)]
        return [base for base in known if base is not None and base is not node]

    def bases_in_file(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        found: deque[ast.ClassDef] = deque()
        seen = {id(node)}
        waiting = deque([node])
        while waiting:
            for base in reversed(self.direct_bases(waiting.popleft())):
                if id(base) not in seen:
                    seen.add(id(base))
                    found.appendleft(base)
                    waiting.append(base)
        return list(found)

    def nodes_among(self, classes: list[ast.ClassDef]) -> list[ast.ClassDef]:
        """Those that extend Node, directly or through others. Each is looked at once: everybody waits for this."""
        heirs: dict[int, list[ast.ClassDef]] = {}
        for part in classes:
            for base in self.direct_bases(part):
                heirs.setdefault(id(base), []).append(part)
        waiting = [part for part in classes if any(self.meaning(base) == "Node" for base in part.bases)]
        found = {id(part) for part in waiting}
        while waiting:
            for heir in heirs.get(id(waiting.pop()), []):
                if id(heir) not in found:
                    found.add(id(heir))
                    waiting.append(heir)
        return [part for part in classes if id(part) in found]


def find_class(tree: ast.Module, names: Names) -> ast.ClassDef:
    nodes = names.nodes_among([part for part in tree.body if isinstance(part, ast.ClassDef)])
    # What a node extends extends Node itself, or is not among them.
    bases = {base.name for node in nodes for base in names.direct_bases(node)}
    nodes = [node for node in nodes if node.name not in bases]
    if not nodes:
        raise Refusal("The code has no class that extends Node.")
    if len(nodes) > 1:
        line = nodes[1].lineno
        raise Refusal(f"One class per node: {nodes[0].name} and {nodes[1].name} both extend Node (line {line}).", line)
    return nodes[0]


def collect(node: ast.ClassDef, names: Names, attributes: dict[str, dict[str, Any]]) -> None:
    for part in node.body:
        if isinstance(part, ast.Assign) and len(part.targets) == 1:
            target, value = part.targets[0], part.value
        elif isinstance(part, ast.AnnAssign) and part.value is not None:
            target, value = part.target, part.value
        else:
            continue
        if not isinstance(target, ast.Name) or not isinstance(value, ast.Call):
            continue
        kind = names.meaning(value.func)
        if kind not in ATTRIBUTES:
            continue
        if target.id in RESERVED:
            raise Refusal(f"{target.id} is a name that nodes use themselves (line {part.lineno}).", part.lineno)
        attributes[target.id] = describe(ATTRIBUTES[kind], target.id, value, names)


def describe(kind: type[Attribute], name: str, call: ast.Call, names: Names) -> dict[str, Any]:
    positional, named = literal_arguments(call, names)
    try:
        attribute = kind(*positional, **named)
        attribute.name = name
        described = attribute.describe()
    except Exception as error:
        raise Refusal(f"{kind.__name__} {name}: {error} (line {call.lineno}).", call.lineno) from None
    if not isinstance(described["kind"], str) or not isinstance(described["edge_text"], str):
        raise Refusal(f"{kind.__name__} {name}: kind and edge_text are text (line {call.lineno}).", call.lineno)
    if not is_shown_when(described["shown_when"]):
        raise Refusal(
            f"{kind.__name__} {name}: shown_when maps names to lists of conditions (line {call.lineno}).", call.lineno
        )
    # An infinite number is written as what no JSON has.
    described["shown_when"] = jsonable(described["shown_when"])
    described["value"] = jsonable(described["value"])
    if described["control"]:
        described["control"] = jsonable(described["control"])
    return described


def is_shown_when(rule: Any) -> bool:
    if rule is None:
        return True
    return isinstance(rule, dict) and all(
        isinstance(name, str) and isinstance(tests, list) and all(isinstance(test, dict) for test in tests)
        for name, tests in rule.items()
    )


def literal_arguments(call: ast.Call, names: Names) -> tuple[list[Any], dict[str, Any]]:
    """The arguments that are literals; the processor's compile finds what the others come to."""
    positional = [literal(argument, names) for argument in call.args]
    named = {part.arg: literal(part.value, names) for part in call.keywords if part.arg is not None}
    return positional, named


def literal(expression: ast.expr, names: Names) -> Any:
    if isinstance(expression, ast.Call):
        control = names.meaning(expression.func)
        if control in CONTROLS:
            positional, named = literal_arguments(expression, names)
            try:
                return CONTROLS[control](*positional, **named)
            except TypeError as error:
                raise Refusal(f"{control}: {error} (line {expression.lineno}).", expression.lineno) from None
    try:
        return ast.literal_eval(expression)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def jsonable(value: Any) -> Any:
    """The value as JSON can carry it."""
    if isinstance(value, Control):
        return value.describe()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        # Python writes no number of more than some thousand digits, and no browser reads one.
        return value if value.bit_length() <= LONGEST_NUMBER else None
    if isinstance(value, dict):
        return {str(key): jsonable(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [jsonable(inner) for inner in value]
    return repr(value)


def inline_metadata(source: str) -> dict[str, Any]:
    """The inline metadata of PEP 723."""
    blocks = [block for block in blocks_of(source) if block.kind == "script"]
    if not blocks:
        return {}
    if len(blocks) > 1:
        raise Refusal("The code has two script blocks of inline metadata.")
    import tomllib

    try:
        return tomllib.loads(blocks[0].content)
    except tomllib.TOMLDecodeError as error:
        raise Refusal(f"The inline metadata cannot be read: {error}") from None


def dependencies(source: str) -> list[str]:
    """Which packages the inline metadata asks for."""
    wanted = inline_metadata(source).get("dependencies", [])
    if not isinstance(wanted, list) or not all(isinstance(one, str) for one in wanted):
        raise Refusal("The dependencies of the inline metadata are not a list of texts.")
    return wanted


def requires_python(source: str) -> str | None:
    """Which Python it asks for, as a specifier of versions."""
    wanted = inline_metadata(source).get("requires-python")
    if wanted is not None and not isinstance(wanted, str):
        raise Refusal("The requires-python of the inline metadata is not a text.")
    return wanted


def declare_all(nodes: list[dict[str, str]]) -> list[dict[str, Any]]:
    return [declare(str(node.get("source_code", ""))) for node in nodes]


def main(arguments: list[str]) -> None:
    if "--serve" in arguments:
        for line in sys.stdin.buffer:
            request = json.loads(line)
            answer = {"id": request["id"], "apis": declare_all(request["nodes"])}
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()
    elif "--batch" in arguments:
        json.dump(declare_all(json.load(sys.stdin.buffer)), sys.stdout)
    else:
        json.dump(declare(sys.stdin.buffer.read().decode("utf-8", "replace")), sys.stdout, indent=2)
        sys.stdout.write("\n")


if __name__ == "__main__":
    main(sys.argv[1:])
