"""The plan of a run that would first commit unsaved code: nodes are compared by that code, and nothing is changed."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from .graph import Graph

#: Stands for code that is not the code of the node's last run.
OTHER = "\0"


@contextmanager
def edited(graph: Graph, hashes: dict[str, str] | None) -> Generator[None]:
    """
    Lets nodes have the code with these hashes for as long as the plan is made. Loading it would lose their instances.
    """
    before: list[tuple[int, str]] = []
    for key, wanted in (hashes or {}).items():
        state = graph.nodes.get(int(key)) if key.isdigit() else None
        if state is not None:
            before.append((state.id, state.source))
            ran = state.ran_source
            state.source = ran if ran is not None and is_code(ran, wanted) else OTHER
    try:
        yield
    finally:
        for node, source in before:
            graph.nodes[node].source = source


def is_code(source: str, wanted: str) -> bool:
    from hashlib import sha256

    return sha256(source.encode("utf-8", "surrogatepass")).hexdigest() == wanted
