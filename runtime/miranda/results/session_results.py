"""The kept results of one session: finds them for a plan or a run, loads what a run needs, and keeps what it makes."""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from ..execution.graph import NodeState
from ..execution.keys import Keys
from ..execution.node_threads import Interrupted
from ..execution.plan import sends_constant
from ..packages.fingerprints import Fingerprints
from .keeper import Keeper
from .kept import Kept
from .resume import adopt, candidates, kept_for_plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..worker.session import Session

#: Where the worker writes results, beneath the session's folder. The agent looks there: results/result_questions.py.
FOLDER = os.path.join(".miranda", "results")
NODE_MODULE = re.compile(r"miranda_node_(\d+)\Z")
#: Nodes whose code a pickle may need, one after the other.
MOST_MODULES = 1_000


class NeedsNode(Exception):
    """A pickle needs a class of a node whose code is not loaded."""

    def __init__(self, node: int) -> None:
        super().__init__(node)
        self.node = node


class SessionResults:
    def __init__(self, session: Session, most: int) -> None:
        self.session = session
        self.executor = session.executor
        self.keys = Keys(Fingerprints(session.packages).of)
        folder = os.path.join(session.folder, FOLDER)
        self.keeper = Keeper(session.executor, self.keys, session.host.ask_patiently, folder, most)
        #: Results that were kept and are gone, by key. The server says so once, and a plan may have asked first.
        self.lost: dict[str, str] = {}
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
        resume = bool(command.get("resume"))
        asks = [state.id for state in graph.nodes.values() if "project" in state.source and self.asks(state)]
        if not resume and not asks:
            return []
        wanted = candidates(graph, command.get("mode", "changed"), command.get("target"))
        keys = self.keys.of(graph)
        wished = {state.id: key for state in wanted if (resume or state.id in asks) and (key := keys[state.id].key)}
        found = self.find(list(wished.values()))

        def kept(state: NodeState) -> Kept | None:
            key = wished.get(state.id)
            return Kept(key, found[key]) if key is not None and key in found else None

        self.executor.number += 1
        self.adopted += adopt(graph, self.executor.number, wanted, keys, kept, skip_unneeded=resume)
        gone: list[tuple[NodeState, str]] = []
        for state in wanted:
            key = wished.get(state.id, "")
            if key in self.lost:
                state.lost = self.lost[key]
                gone.append((state, state.lost))
            elif resume and state.version == 0 and keys[state.id].key is None:
                state.lost = f"It is not kept: {keys[state.id].why}"
        self.explained = [state for state in wanted if state.lost]
        return gone

    def asks(self, state: NodeState) -> bool:
        """Whether its class wants kept results in every run."""
        return self.keys.cache_of(state) == "project"

    def find(self, keys: list[str]) -> dict[str, str]:
        """Which of these the server has, with words about where they come from."""
        if not keys:
            return {}
        answer = self.session.host.ask({"kind": "find_results", "keys": list(dict.fromkeys(keys))})
        if answer.get("error"):
            self.session.streams.record(2, f"Kept results cannot be used: {answer['error']}")
        found: dict[str, str] = answer.get("found") or {}
        lost: dict[str, str] = answer.get("lost") or {}
        self.lost.update(lost)
        self.keeper.known.update(found)
        self.keeper.known.difference_update(lost)
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
            self.keeper.known.discard(kept.key)
        state.kept, state.absent = None, True
        state.lost = f"Its kept result cannot be used: {problem}"
        self.session.streams.record(2, f"{state.name} runs again. {state.lost}")
        return False

    def open(self, state: NodeState) -> str | None:
        # Imported here: a session starts without it.
        from .result_file import Damaged, read

        kept = state.kept
        if kept is None or kept.is_open:
            return None
        with self.loading:
            answer = self.session.host.ask({"kind": "load_result", "key": kept.key})
            path = answer.get("path")
            if not isinstance(path, str):
                return str(answer.get("error") or "it is gone.")
            for _ in range(MOST_MODULES):
                try:
                    with self.executor.inside(state):
                        outputs = read(path, self.find_class)
                except NeedsNode as needed:
                    other = self.executor.graph.nodes.get(needed.node)
                    if other is None or not self.executor.prepare(other):
                        return "the code of a class in it is gone."
                    continue
                except Interrupted:
                    raise
                except Damaged:
                    return "its file is damaged."
                except Exception as error:
                    return f"it could not be opened ({type(error).__name__}: {error})."[:500]
                state.outputs, kept.is_open = outputs, True
                return None
        return "it needs the code of too many nodes."

    def find_class(self, module: str, _name: str) -> None:
        found = NODE_MODULE.match(module)
        if found is None:
            return
        state = self.executor.graph.nodes.get(int(found[1]))
        # What an earlier code of the node left is another class of that name.
        if state is None or state.loaded is None or module not in sys.modules:
            raise NeedsNode(int(found[1]))


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
