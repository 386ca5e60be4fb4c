"""The kept results of one session: finds them for a plan or a run, loads what a run needs, and keeps what it makes."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from ..execution.graph import NodeState
from ..execution.keys import Keys
from ..execution.node_threads import Interrupted
from ..execution.plan import sends_constant
from ..isolation.seen import changed_since, reads_from
from ..lanes.lane import JobFailed, Lane, LaneEnded
from ..lanes.shared import value_at
from ..packages.fingerprints import Fingerprints
from .keeper import Keeper
from .kept import Kept
from .resume import adopt, candidates, kept_for_plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..worker.session import Session

#: Where the worker writes results, beneath the session's folder. The agent looks there: results/result_questions.py.
FOLDER = os.path.join(".miranda", "results")
#: Nodes whose code a pickle may need, one after the other.
MOST_MODULES = 1_000


class SessionResults:
    def __init__(self, session: Session, most: int) -> None:
        self.session = session
        self.executor = session.executor
        self.keys = Keys(Fingerprints(session.packages).of)
        folder = os.path.join(session.folder, FOLDER)
        self.keeper = Keeper(session.executor, self.keys, session.questions.ask_patiently, folder, most)
        #: Results that were kept and are gone, by key. The server says so once, and a plan may have asked first.
        self.lost: dict[str, str] = {}
        #: Results that depend on a variable or a file that is another by now.
        self.outdated: dict[str, str] = {}
        #: Nodes whose plan says why there is no result.
        self.explained: list[NodeState] = []
        #: Nodes that count as run, and whose values may have to be loaded.
        self.adopted: list[NodeState] = []
        self.loading = threading.Lock()

    # Before a run

    def begin(self) -> None:
        """Before the graph changes."""
        self.keeper.settle()

    def before_run(self, command: dict[str, Any]) -> dict[str, Any] | None:
        """Finds and loads what the run uses. None when it can start, else how it ended."""
        self.keeper.run = self.session.run_number
        self.executor.keeper = self.keeper
        for state, words in self.adopt(command):
            self.session.streams.record(2, f"{state.name} runs again. {words}")
        self.lost.clear()
        while self.unopened():
            try:
                self.executor.plan(command.get("mode", "changed"), command.get("target"))
            except ValueError:
                # The run itself reports what is wrong with the command.
                return None
            needed = self.needed()
            if not needed:
                return None
            if not self.open_all(needed):
                return {"error": None, "good": False, "interrupted": True, "failed": []}
        return None

    def unopened(self) -> bool:
        self.adopted = [state for state in self.adopted if state.kept is not None and not state.kept.is_open]
        return bool(self.adopted)

    def open_all(self, needed: list[NodeState]) -> bool:
        """False when somebody interrupted it."""
        scheduler = self.executor.scheduler
        self.executor.begin()
        try:
            for state in needed:
                self.open_or_lose(state)
        except KeyboardInterrupt:
            return False
        finally:
            scheduler.active = False
        return not scheduler.interrupted

    def adopt(self, command: dict[str, Any]) -> list[tuple[NodeState, str]]:
        """Lets kept results stand for runs. The nodes whose results are gone, and why."""
        graph = self.executor.graph
        for state in graph.fresh:
            state.fresh = False
        for state in self.explained:
            if not state.absent:
                state.lost = ""
        graph.fresh, self.explained = [], []
        self.outdated.clear()
        resume = bool(command.get("resume"))
        asks = [state.id for state in graph.nodes.values() if "project" in state.source and self.asks(state)]
        if not resume and not asks:
            return []
        wanted = candidates(graph, command.get("mode", "changed"), command.get("target"))
        keys = self.keys.of(graph)
        wished = {state.id: key for state in wanted if (resume or state.id in asks) and (key := keys[state.id].key)}
        found = self.find(list(wished.values()))

        def kept(state: NodeState) -> Kept | None:
            return found.get(wished.get(state.id, ""))

        if found:
            # Somebody may look at one before anything runs, and only this thread may start a process for that.
            self.executor.lanes.first()
        self.executor.number += 1
        self.adopted += adopt(graph, self.executor.number, wanted, keys, kept, skip_unneeded=resume)
        gone: list[tuple[NodeState, str]] = []
        for state in wanted:
            key = wished.get(state.id, "")
            if key in self.lost:
                state.lost = self.lost[key]
                gone.append((state, state.lost))
            elif state.version == 0 and key in self.outdated:
                state.lost = self.outdated[key]
            elif resume and state.version == 0 and keys[state.id].key is None:
                state.lost = f"It is not kept: {keys[state.id].why}"
        self.explained = [state for state in wanted if state.lost]
        return gone

    def asks(self, state: NodeState) -> bool:
        """Whether its class wants kept results in every run."""
        return self.keys.cache_of(state) == "project"

    def find(self, keys: list[str]) -> dict[str, Kept]:
        """Those of these that the server has and that are still what a run would send."""
        if not keys:
            return {}
        answer = self.session.questions.ask({"kind": "find_results", "keys": list(dict.fromkeys(keys))})
        if answer.get("error"):
            self.session.streams.record(2, f"Kept results cannot be used: {answer['error']}")
        words: dict[str, str] = answer.get("found") or {}
        reads: dict[str, Any] = answer.get("reads") or {}
        found: dict[str, Kept] = {}
        environment = self.executor.graph.environment
        for key, text in words.items():
            kept = Kept(key, text, reads_from(reads.get(key)))
            self.keeper.known[key] = kept.reads
            if other := changed_since(kept.reads, environment):
                self.outdated[key] = other
            else:
                found[key] = kept
        lost: dict[str, str] = answer.get("lost") or {}
        self.lost.update(lost)
        for key in lost:
            self.keeper.known.pop(key, None)
        return found

    def needed(self) -> list[NodeState]:
        """The nodes whose results are not loaded, and feed nodes that will run."""
        nodes = self.executor.graph.nodes
        found: dict[int, NodeState] = {}
        for state in nodes.values():
            for edge in state.inputs if state.planned else ():
                source = nodes[edge[0]]
                if source.kept is None or source.kept.is_open or source.planned or source.disabled:
                    continue
                if not sends_constant(source, edge[1]):
                    found[source.id] = source
        return list(found.values())

    # Loading

    def load_beside(self, state: NodeState, then: Callable[[], None]) -> bool:
        """Somebody looks at what a node sent. The thread that reads commands must not wait for it, so another does."""
        if state.kept is None or state.kept.is_open:
            return False

        def load() -> None:
            self.open_or_lose(state)
            then()

        threading.Thread(target=load, daemon=True, name="miranda-load").start()
        return True

    def open_or_lose(self, state: NodeState) -> bool:
        """Loads what a node sent. If that cannot be had, the node counts as run without its values."""
        kept = state.kept
        problem = self.open(state)
        if problem is None:
            return True
        if kept is not None:
            self.keeper.known.pop(kept.key, None)
        state.kept, state.absent = None, True
        state.lost = f"Its kept result cannot be used: {problem}"
        self.session.streams.record(2, f"{state.name} runs again. {state.lost}")
        return False

    def open(self, state: NodeState) -> str | None:
        kept = state.kept
        if kept is None or kept.is_open:
            return None
        with self.loading:
            answer = self.session.questions.ask({"kind": "load_result", "key": kept.key})
            path = answer.get("path")
            if not isinstance(path, str):
                return str(answer.get("error") or "it is gone.")
            lane = state.lane if state.lane is not None and state.lane.is_alive else self.executor.lanes.first()
            for _ in range(MOST_MODULES):
                found = self.read_in(lane, path)
                if isinstance(found, int):
                    if not self.load_code(found, lane):
                        return "the code of a class in it is gone."
                    continue
                if isinstance(found, str):
                    return found
                state.outputs = [(name, value_at(lane, value, kind)) for name, value, kind in found]
                kept.is_open = True
                return None
        return "it needs the code of too many nodes."

    def read_in(self, lane: Lane, path: str) -> Any:
        try:
            return lane.call("read", path)
        except LaneEnded:
            return "the process that opened it ended."
        except JobFailed as error:
            if str(error).startswith("Interrupted"):
                raise Interrupted("interrupt") from None
            return f"it could not be opened ({error})."[:500]

    def load_code(self, node: int, lane: Lane) -> bool:
        """The code of a node whose class is in a result."""
        state = self.executor.graph.nodes.get(node)
        if state is None:
            return False
        if state.lane is not lane or state.loaded is None:
            self.executor.load_in(state, lane)
        return state.loaded is not None and not state.failed


def open_results(session: Session) -> SessionResults | None:
    most = int(os.environ.pop("MIRANDA_RESULT_BYTES", "") or 0)
    return SessionResults(session, most) if most > 0 else None


@contextmanager
def planning(results: SessionResults | None, command: dict[str, Any]) -> Generator[None]:
    """The graph as a run with this command would find it, for as long as its plan is made."""
    if results is None:
        yield
        return
    if command.get("resume"):
        results.session.packages.use_installed(command)
    with kept_for_plan(results.executor.graph):
        results.adopt(command)
        yield
