"""Which packages the nodes require, and where in their code."""

from __future__ import annotations

import re

from ..declare import Refusal, dependencies, requires_python
from ..execution.graph import Graph, NodeState
from ..script_blocks import blocks_of
from . import python_versions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_REQUIREMENTS = 500
LONGEST_REQUIREMENT = 1_000
NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
VERSION = re.compile(r"[0-9][A-Za-z0-9.!+_-]{0,99}")


class Wanted:
    """One requirement of one node."""

    def __init__(self, state: NodeState, requirement: str, line: int | None = None) -> None:
        self.node = state.id
        self.node_name = state.name
        self.requirement = requirement
        #: Whether the node only imports it.
        self.is_implied = line is not None
        self.line = line_of(state.source, requirement) if line is None else line
        found = NAME.match(requirement)
        self.name = normal(found[0]) if found else ""


class Unusable(Exception):
    """A node's list of packages that cannot even be tried."""

    def __init__(self, state: NodeState, words: str, line: int) -> None:
        super().__init__(words)
        self.state, self.line = state, line


def normal(name: str) -> str:
    """One spelling for each distribution: PEP 503."""
    return re.sub(r"[-_.]+", "-", name).lower()


def declares(state: NodeState) -> bool:
    return "# ///" in state.source and not state.disabled


def needed(graph: Graph) -> list[NodeState]:
    """
    The nodes that will run, and everything that feeds them: their values come from code that is loaded too. And what
    runs in this session already, or what it imports would be gone.
    """
    found: dict[int, NodeState] = {}
    waiting = [state for state in graph.nodes.values() if state.planned or state.lane is not None]
    while waiting:
        state = waiting.pop()
        if state.id not in found and not state.disabled:
            found[state.id] = state
            waiting.extend(graph.sources_of(state))
    return [state for state in graph.nodes.values() if state.id in found]


def collect(states: list[NodeState], pythons: list[str] | None = None) -> list[Wanted]:
    """`pythons`: the versions of Python on this machine, for the words of a refusal."""
    found: list[Wanted] = []
    for state in states:
        if not declares(state):
            continue
        try:
            requirements = dependencies(state.source)
            specifier = requires_python(state.source)
        except Refusal as refusal:
            raise Unusable(state, str(refusal), block_line(state.source)) from None
        words = python_versions.refusal(state.name, specifier, pythons or []) if specifier is not None else None
        if words is not None:
            raise Unusable(state, words, line_with(state.source, "requires-python"))
        for given in requirements:
            requirement = " ".join(given.split())
            if not NAME.match(requirement) or len(requirement) > LONGEST_REQUIREMENT:
                # One that begins with a dash would be an option of the installer.
                shown = requirement[:100]
                raise Unusable(state, f"{shown!r} is not the name of a package.", line_of(state.source, given))
            found.append(Wanted(state, requirement))
        if len(found) > MOST_REQUIREMENTS:
            words = f"These nodes ask for more than {MOST_REQUIREMENTS} packages."
            raise Unusable(state, words, block_line(state.source))
    return found


def pinned(packages: dict[Any, Any]) -> list[str]:
    """The packages of an earlier run as requirements. They come from a worker of then, so anything else is left out."""
    found = [
        f"{name}=={version}"
        for name, version in list(packages.items())[:MOST_REQUIREMENTS]
        if isinstance(name, str) and isinstance(version, str) and NAME.fullmatch(name) and VERSION.fullmatch(version)
    ]
    return sorted(found)


def without_addresses(pins: list[str], wanted: list[Wanted]) -> list[str]:
    """What a node asks for by its address is at that address only: an index may have no such version."""
    addressed = {one.name for one in wanted if "@" in one.requirement}
    return [pin for pin in pins if normal(pin.partition("==")[0]) not in addressed]


def block_line(source: str) -> int:
    blocks = blocks_of(source)
    return blocks[0].first + 1 if blocks else 1


def line_of(source: str, requirement: str) -> int:
    return line_with(source, f'"{requirement}"', f"'{requirement}'")


def line_with(source: str, *texts: str) -> int:
    """The line of the block that has one of the texts; the block's first when it is written in another way there."""
    first = block_line(source)
    for number, line in enumerate(source.splitlines()[first - 1 :], first):
        if not line.startswith("#"):
            break
        if any(text in line for text in texts):
            return number
    return first
