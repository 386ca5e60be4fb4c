"""
The keys of results. A key is a hash of everything that a result was made from, so it is known before anything runs: the
code, the values, the packages, the version of Python, and the keys of the nodes that feed it.
"""

from __future__ import annotations

import ast
import json
import sys
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from .edited_plan import OTHER
from .graph import Graph, NodeState

#: Another number makes every older result unusable: increase it when the same code would send something else.
FORMAT = 2
PYTHON = sys.version.split()[0]
#: The versions of everything that a node may import; None while they are not installed.
PackagesOf = Callable[[NodeState], "tuple[str, ...] | None"]
#: A class may say how its results are used.
CACHES = (True, False, "project")


class Key(NamedTuple):
    key: str | None
    #: Why there is none.
    why: str = ""


class Keys:
    def __init__(self, packages_of: PackagesOf) -> None:
        self.packages_of = packages_of
        #: By node: what was hashed last, and its hash. Most of it is the same in the next run.
        self.hashed: dict[int, tuple[str, dict[str, Any], Any, str]] = {}
        self.caches: dict[int, tuple[str, Any]] = {}

    def of(self, graph: Graph) -> dict[int, Key]:
        found: dict[int, Key] = {}
        for state in graph.order():
            found[state.id] = self.key_of(graph, state, found)
        return found

    def key_of(self, graph: Graph, state: NodeState, known: dict[int, Key]) -> Key:
        if state.disabled:
            return Key(None, "it is disabled.")
        if state.source == OTHER:
            return Key(None, "its code changed.")
        if self.cache_of(state) not in (True, "project"):
            return Key(None, "its class says cache = False.")
        inputs: list[list[str]] = []
        for source_id, transmitter, _, receiver in state.inputs:
            source = graph.nodes[source_id]
            if source.disabled:
                inputs.append([receiver, transmitter, ""])
                continue
            fed = known.get(source_id)
            if fed is None:
                return Key(None, "it is part of a loop, or fed by one.")
            if fed.key is None:
                return Key(None, fed.why if "fed by" in fed.why else f"it is fed by {source.name}: {fed.why}")
            inputs.append([receiver, transmitter, fed.key])
        packages = self.packages_of(state)
        if packages is None:
            return Key(None, "its packages are not installed yet.")
        # Sorted: the order in which edges were drawn changes nothing.
        parts = [FORMAT, PYTHON, state.id, self.own_hash(state), packages, sorted(inputs)]
        return Key(hash_of(json.dumps(parts)))

    def own_hash(self, state: NodeState) -> str:
        """Of the code and the values. The value of a file control holds the hash of the file."""
        last = self.hashed.get(state.id)
        if last is not None and last[:3] == (state.source, state.values, state.storage):
            return last[3]
        text = json.dumps([state.source, state.values, state.storage], sort_keys=True)
        made = hash_of(text)
        self.hashed[state.id] = (state.source, state.values, state.storage, made)
        return made

    def cache_of(self, state: NodeState) -> Any:
        """What the class says about its results: True, False or "project". None for anything else."""
        if state.loaded is not None:
            return state.loaded.cache
        last = self.caches.get(state.id)
        if last is None or last[0] != state.source:
            last = self.caches[state.id] = (state.source, written_cache(state.source))
        return last[1]


def hash_of(text: str) -> str:
    # Imported here: a session starts without it.
    from hashlib import sha256

    return sha256(text.encode()).hexdigest()


def written_cache(source: str) -> Any:
    """What the code says about it, read without running it."""
    if "cache" not in source:
        return True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # It will not run either.
        return True
    found: Any = True
    for part in (one for top in tree.body if isinstance(top, ast.ClassDef) for one in top.body):
        targets = (
            part.targets if isinstance(part, ast.Assign) else [part.target] if isinstance(part, ast.AnnAssign) else []
        )
        if any(isinstance(target, ast.Name) and target.id == "cache" for target in targets):
            value = part.value  # type: ignore[union-attr]
            found = value.value if isinstance(value, ast.Constant) and value.value in CACHES else None
    return found
