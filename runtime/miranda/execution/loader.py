"""Turns the source of a node into its class, with the line numbers of the source."""

from __future__ import annotations

import linecache
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from ..attributes import Attribute, Constant, Field, Receiver, Transmitter, attributes_of
from ..node import Node
from ..reserved_names import RESERVED
from . import child_modules

#: The folder of the package `miranda`: frames of files below it are ours and not shown to people.
PACKAGE_FOLDER = __file__.rpartition("/")[0].rpartition("/")[0]
MOST_RETRIES = 100
LONGEST_TIMEOUT = 30 * 24 * 3_600


class NodeProblem(Exception):
    """Code that cannot be a node, and the line to blame."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


def file_name(node_id: int | None, name: str) -> str:
    return f"<{name or 'node'} {node_id or ''}>".replace(" >", ">")


class Loaded:
    """The class of a node, and every piece of code that its source defines."""

    def __init__(self, node_class: type[Node], code: types.CodeType, filename: str) -> None:
        self.node_class = node_class
        # Once: what a class declares does not change while the session runs it.
        self.attributes = attributes_of(node_class)
        declared = self.attributes.items()
        self.settings = [
            (name, one.value, one.control is not None and one.control.type == "file")
            for name, one in declared
            if isinstance(one, (Field, Constant))
        ]
        self.receivers = [name for name, one in declared if isinstance(one, Receiver)]
        self.transmitters = [name for name, one in declared if isinstance(one, Transmitter)]
        self.codes = list(all_codes(code))
        self.filename = filename
        self.shares_state = getattr(node_class, "share_state", False) is True
        self.parallel = getattr(node_class, "parallel", True) is not False
        self.retries = limit_of(node_class, "retries", MOST_RETRIES)
        self.timeout = limit_of(node_class, "timeout", LONGEST_TIMEOUT)
        self.has_limits = bool(self.retries or self.timeout)

    def describe(self) -> list[dict[str, Any]]:
        return [attribute.describe() for attribute in self.attributes.values()]


def limit_of(node_class: type[Node], name: str, most: int) -> float:
    """
    A number that the class sets for its runs, or 0. An attribute or a method of that name is the node's own affair.
    """
    value = getattr(node_class, name, None)
    if value is None or isinstance(value, (Attribute, property)) or callable(value):
        return 0
    if type(value) not in (int, float) or not 0 <= value <= most:
        raise NodeProblem(f"{name} is a number from 0 to {most:,}, not {value!r:.100}.")
    return value


def all_codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from all_codes(constant)


def load(
    node_id: int | None,
    name: str,
    source: str,
    extra: dict[str, Any] | None = None,
    on_code: Callable[[types.CodeType], None] | None = None,
) -> Loaded:
    """
    Runs the source as a module of its own. SyntaxError and whatever the source raises come out as they are;
    NodeProblem when the source runs but is no node.
    """
    source = source.removeprefix("\ufeff")
    filename = file_name(node_id, name)
    if "\0" in source:
        line = source.count("\n", 0, source.index("\0")) + 1
        raise NodeProblem("The code contains a null character.", line)
    # Without a time the entry is never checked against a file, so tracebacks find the node's own lines.
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    code = compile(source, filename, "exec", dont_inherit=True)
    module = types.ModuleType(f"miranda_node_{node_id or 'new'}")
    module.__file__ = filename
    module.__dict__.update(extra or {})
    # In sys.modules, or nothing of the node could be pickled for its own child processes.
    sys.modules[module.__name__] = module
    child_modules.keep(module.__name__, source)
    if on_code is not None:
        on_code(code)
    exec(code, module.__dict__)
    return Loaded(find_class(module, source), code, filename)


def find_class(module: types.ModuleType, source: str) -> type[Node]:
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Node) and value.__module__ == module.__name__
    ]
    leaves = [one for one in found if not any(other is not one and issubclass(other, one) for other in found)]
    leaves = list(dict.fromkeys(leaves))
    if not leaves:
        raise NodeProblem("The code has no class that extends Node.")
    if len(leaves) > 1:
        line = line_of_class(source, leaves[1].__name__)
        raise NodeProblem(f"One class per node: {leaves[0].__name__} and {leaves[1].__name__} both extend Node.", line)
    for base in leaves[0].__mro__:
        for name, value in vars(base).items():
            if name in RESERVED and isinstance(value, Attribute):
                line = line_of_class(source, leaves[0].__name__)
                raise NodeProblem(f"{name} is a name that nodes use themselves.", line)
    return leaves[0]


def line_of_class(source: str, name: str) -> int:
    for number, line in enumerate(source.splitlines(), 1):
        words = line.replace("(", " ").replace(":", " ").split()
        if words[:2] == ["class", name]:
            return number
    return 1


def is_ours(frame_file: str) -> bool:
    return frame_file.startswith(PACKAGE_FOLDER) or frame_file.startswith("<frozen ")


def user_traceback(error: BaseException) -> tuple[str, int, str, str | None]:
    """The traceback without our frames, and the line, function and file of the last frame of a node's code."""
    import traceback

    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        current.__traceback__ = without_ours(current.__traceback__)
        current = current.__cause__ or current.__context__
    line, function, filename = 0, "<module>", None
    if isinstance(error, NodeProblem):
        line = error.line
        return str(error) + "\n", line, function, None
    at = error.__traceback__
    while at is not None:
        name = at.tb_frame.f_code.co_filename
        if name.startswith("<") and name in linecache.cache:
            line, function, filename = at.tb_lineno, at.tb_frame.f_code.co_name, name
        at = at.tb_next
    if isinstance(error, SyntaxError) and error.filename in linecache.cache and str(error.filename).startswith("<"):
        line, filename = error.lineno or line, error.filename
    try:
        text = "".join(traceback.format_exception(error))
    except Exception:
        text = f"{type(error).__name__} (its own text cannot be had)\n"
    return text[:200_000], line, function, filename


def without_ours(at: types.TracebackType | None) -> types.TracebackType | None:
    frames: list[types.TracebackType] = []
    while at is not None:
        if not is_ours(at.tb_frame.f_code.co_filename):
            frames.append(at)
        at = at.tb_next
    following = None
    for frame in reversed(frames):
        following = types.TracebackType(following, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    return following
