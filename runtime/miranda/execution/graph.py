"""The graph of one session: its nodes with their instances and last outputs, and what of it has changed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard

from ..attributes import Attribute, Constant, Field, Receiver, Transmitter
from ..isolation.seen import NOTHING
from .declared import Declared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..lanes.lane import Lane
    from ..results.kept import Kept
    from ..s3.mirror import Mirror

#: A node that sent more than this keeps no outputs: they would hold memory for a replay that may never come.
MOST_OUTPUTS = 10_000

Edge = tuple[int, str, int, str]


class NodeState:
    """What the session knows of one node."""

    __slots__ = (
        "absent",
        "again",
        "all_reads",
        "blocked_by",
        "bucket",
        "disabled",
        "evaluated",
        "failed",
        "fixed",
        "follower",
        "fresh",
        "has_threads",
        "id",
        "inputs",
        "interrupted",
        "is_source",
        "is_stateful",
        "kept",
        "lane",
        "last",
        "loaded",
        "lost",
        "name",
        "optional",
        "outputs",
        "planned",
        "queued",
        "queues",
        "ran_inputs",
        "ran_packages",
        "ran_reads",
        "ran_source",
        "ran_values",
        "reads",
        "ready_at",
        "required",
        "routes",
        "runs",
        "seconds",
        "secretive",
        "set_up",
        "source",
        "spans",
        "sticky",
        "storage",
        "tainted",
        "told",
        "unkept",
        "values",
        "version",
        "waiting",
    )  # fmt: skip

    def __init__(self, node_id: int) -> None:
        self.id = node_id
        self.name = ""
        self.source = ""
        self.values: dict[str, Any] = {}
        self.disabled = False
        #: A folder, or the settings of an S3 bucket.
        self.storage: str | dict[str, Any] | None = None
        #: The bucket's folder, once the node has asked for it.
        self.bucket: Mirror | None = None
        #: What its code declares, once a lane has loaded it.
        self.loaded: Declared | None = None
        #: The process that has its instance.
        self.lane: Lane | None = None
        #: Whether the instance holds something of its own, so that it cannot be made again elsewhere.
        self.is_stateful = False
        #: Whether threads that its code started still run.
        self.has_threads = False
        #: The values that its lane knows.
        self.told: Any = None
        self.version = 0
        self.failed = False
        self.interrupted = False
        self.ran_source: str | None = None
        self.ran_values: dict[str, Any] | None = None
        self.ran_inputs: dict[Edge, int] | None = None
        self.ran_packages: dict[str, str] = {}
        #: What its last good run read besides its inputs.
        self.ran_reads = NOTHING
        #: That, and what the nodes that feed it read for what it got.
        self.all_reads = NOTHING
        self.outputs: list[tuple[str, Any]] | None = []
        self.inputs: list[Edge] = []
        self.planned = False
        #: The newest value of each transmitter of a node that sent too much for `outputs`.
        self.last: dict[str, Any] = {}
        #: The kept result that stands for a run, and whether the present command found it.
        self.kept: Kept | None = None
        self.fresh = False
        #: Counts as run, but what it sent is not here: it runs again when a node needs that.
        self.absent = False
        #: Why there is no kept result, or it cannot be used: a sentence for the plan.
        self.lost = ""
        #: Runs for that reason alone: the nodes that it feeds need not run because of it.
        self.again = False
        #: Has used a secret or a password since its code was loaded, so it may hold it.
        self.secretive = False
        #: Somebody evaluated code in it while it was paused.
        self.evaluated = False
        #: Why what it sent depends on more than its key says, in words. Empty: it does not.
        self.tainted = ""
        #: Why what it sent is not kept for later sessions. Empty: it is, or nobody has tried.
        self.unkept = ""
        #: Its setup has run since its last good run.
        self.set_up = False
        self.clear_edges()
        self.begin()
        self.rest()

    def clear_edges(self) -> None:
        self.queues: dict[str, deque[Any]] = {}
        self.required: list[tuple[str, deque[Any]]] = []
        self.optional: list[tuple[str, deque[Any]]] = []
        self.sticky: dict[str, bool] = {}
        self.routes: dict[str, list[tuple[NodeState, deque[Any], bool]]] = {}
        self.is_source = True
        #: The one node that it feeds, when nobody else feeds that, and the edge between them.
        self.follower: tuple[NodeState, str, str] | None = None

    def begin(self) -> None:
        """Before a run: nothing waits."""
        for values in self.queues.values():
            values.clear()
        self.fixed: dict[str, Any] = {}
        self.waiting = len(self.required)
        self.queued = False
        self.runs = 0
        self.seconds = 0.0
        self.reads = NOTHING
        #: When it had everything it needs to fire.
        self.ready_at = 0.0
        #: When it was ready, began and ended; see spans.py.
        self.spans: list[tuple[float, float, float]] = []

    def rest(self) -> None:
        """None of its code runs."""
        #: The node that has to take something before it goes on.
        self.blocked_by: NodeState | None = None


class Graph:
    def __init__(self) -> None:
        self.name = ""
        self.nodes: dict[int, NodeState] = {}
        self.edges: list[Edge] = []
        #: The nodes in the order of their edges, once somebody has asked for it.
        self.ordered: list[NodeState] | None = None
        #: The nodes whose kept results the present command found.
        self.fresh: list[NodeState] = []
        #: The versions of the packages in use.
        self.packages: dict[str, str] = {}
        #: The environment variables that nodes find.
        self.environment: Mapping[str, str] = {}
        #: Which node wrote a file of the session's folder last.
        self.writers: dict[str, int] = {}
        #: What the edges were laid for, and those that carry a constant.
        self.laid: tuple[list[Edge], list[Declared | None], list[bool]] | None = None
        self.constants: list[tuple[NodeState, str, NodeState, str, Any]] = []

    def update(self, given: dict[str, Any]) -> list[NodeState]:
        """Takes the graph as it is now, and gives back the nodes whose code is no longer what was loaded."""
        changed: list[NodeState] = []
        self.name = str(given.get("name") or "")
        nodes: dict[int, NodeState] = {}
        for part in given["nodes"]:
            state = self.nodes.get(part["id"]) or NodeState(part["id"])
            if state.loaded is not None and (state.source != part["source_code"] or state.name != part["name"]):
                changed.append(state)
            state.name = part["name"]
            state.source = part["source_code"]
            state.values = part.get("values") or {}
            state.disabled = bool(part.get("disabled"))
            if state.storage != part.get("storage"):
                state.storage, state.bucket = part.get("storage"), None
            state.inputs = []
            nodes[state.id] = state
        changed.extend(state for key, state in self.nodes.items() if key not in nodes and state.loaded is not None)
        self.nodes = nodes
        self.ordered = None
        edges = (
            (part["source"], part["transmitter"], part["target"], part["receiver"]) for part in given.get("edges", ())
        )
        self.edges = [edge for edge in edges if edge[0] in nodes and edge[2] in nodes]
        for edge in self.edges:
            nodes[edge[2]].inputs.append(edge)
        return changed

    def sources_of(self, state: NodeState) -> list[NodeState]:
        return [self.nodes[edge[0]] for edge in state.inputs]

    def reach(self, start: int, forward: bool) -> set[int]:
        """Everything downstream (or upstream) of a node, itself included."""
        neighbours: dict[int, list[int]] = {}
        for source, _, target, _ in self.edges:
            neighbours.setdefault(source if forward else target, []).append(target if forward else source)
        seen = {start}
        waiting = [start]
        while waiting:
            for other in neighbours.get(waiting.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
        return seen

    def after(self, starts: Iterable[int]) -> set[int]:
        """These nodes and everything downstream of them."""
        found: set[int] = set()
        for start in starts:
            if start in self.nodes and start not in found:
                found |= self.reach(start, forward=True)
        return found

    def order(self) -> list[NodeState]:
        """Sources first, then the nodes they feed; in a cycle, the order of the graph."""
        if self.ordered is None:
            self.ordered = self.sort()
        return self.ordered

    def sort(self) -> list[NodeState]:
        missing = {key: len({edge[0] for edge in state.inputs} - {key}) for key, state in self.nodes.items()}
        targets: dict[int, dict[int, None]] = {}
        for source, _, target, _ in self.edges:
            if source != target:
                targets.setdefault(source, {})[target] = None
        ready = deque(key for key, count in missing.items() if count == 0)
        ordered: dict[int, None] = {}
        rest = deque(self.nodes)
        while ready or rest:
            if not ready:
                key = rest.popleft()
                if key in ordered:
                    continue
                ready.append(key)
            key = ready.popleft()
            if key in ordered:
                continue
            ordered[key] = None
            for other in targets.get(key, ()):
                missing[other] -= 1
                if missing[other] == 0:
                    ready.append(other)
        return [self.nodes[key] for key in ordered]


def connect(graph: Graph) -> None:
    """Lays every edge between loaded nodes: queues for receivers, fixed values for fields that a constant feeds."""
    nodes = graph.nodes.values()
    shape = (graph.edges, [state.loaded for state in nodes], [state.disabled for state in nodes])
    if shape != graph.laid:
        graph.laid = shape
        lay_edges(graph)
    for state in nodes:
        state.begin()
    for state, receiver, source, transmitter, default in graph.constants:
        state.fixed.setdefault(receiver, source.values.get(transmitter, default))


def lay_edges(graph: Graph) -> None:
    graph.constants = []
    for state in graph.nodes.values():
        state.clear_edges()
    feeders: dict[int, int] = {}
    for state in graph.nodes.values():
        if state.loaded is None:
            continue
        attributes = state.loaded.attributes
        for source_id, transmitter, _, receiver in state.inputs:
            source = graph.nodes[source_id]
            attribute = attributes.get(receiver)
            if not is_input(attribute):
                continue
            sent = source.loaded.attributes.get(transmitter) if source.loaded else None
            if isinstance(sent, Constant):
                if not source.disabled:
                    graph.constants.append((state, receiver, source, transmitter, sent.value))
                continue
            if sent is not None and not isinstance(sent, Transmitter):
                continue
            lay(state, attribute, receiver)
            source.routes.setdefault(transmitter, []).append((state, state.queues[receiver], not attribute.optional))
            feeders[state.id] = feeders.get(state.id, 0) + 1
        state.is_source = not state.required
    for state in graph.nodes.values():
        state.follower = follower_of(state, feeders)


def follower_of(state: NodeState, feeders: dict[int, int]) -> tuple[NodeState, str, str] | None:
    """The two then run in one go. Not where something has to be decided between them."""
    routes = [(name, route) for name, found in state.routes.items() for route in found]
    if len(routes) != 1:
        return None
    transmitter, (target, _, _) = routes[0]
    if feeders[target.id] != 1 or len(target.required) != 1 or target.sticky or target is state:
        return None
    if not is_plain(state) or not is_plain(target):
        return None
    return target, transmitter, target.required[0][0]


def is_plain(state: NodeState) -> bool:
    return state.loaded is not None and state.loaded.parallel and not isinstance(state.storage, dict)


def is_input(attribute: Attribute | None) -> TypeGuard[Receiver | Field[Any]]:
    return isinstance(attribute, (Receiver, Field))


def lay(state: NodeState, attribute: Receiver | Field[Any], receiver: str) -> None:
    if receiver in state.queues:
        return
    waiting: deque[Any] = deque()
    state.queues[receiver] = waiting
    if attribute.optional:
        state.optional.append((receiver, waiting))
        return
    state.required.append((receiver, waiting))
    if isinstance(attribute, Field):
        # A field keeps its value until another comes: it is a setting, not an item.
        state.sticky[receiver] = True
