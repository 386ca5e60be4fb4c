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
from .result_file import Damaged, read
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
        #: Why results that were kept are gone, by the name of their node.
        self.lost: dict[str, str] = {}
        self.loading = threading.Lock()

    # Before a run

    def begin(self) -> None:
        """Before the graph changes."""
        self.keeper.settle()

    def before_run(self, command: dict[str, Any]) -> dict[str, Any] | None:
        """Finds and loads what the run uses. None when it can start, else how it ended."""
        mode, target = command.get("mode", "changed"), command.get("target")
        self.keeper.run = self.session.run_number
        self.executor.keeper = self.keeper
        self.adopt(command)
        for name, words in self.lost.items():
            self.session.streams.record(2, f"{name} runs again: {words}")
        while True:
            try:
                self.executor.plan(mode, target)
            except ValueError:
                # The run itself reports what is wrong with the command.
                return None
            needed = self.needed()
            if not needed:
                return None
            self.executor.begin()
            try:
                for state in needed:
                    self.open_or_lose(state)
            except KeyboardInterrupt:
                return {"error": None, "good": False, "interrupted": True, "failed": []}
            finally:
                interrupted, self.executor.scheduler.active = self.executor.scheduler.interrupted, False
            if interrupted:
                return {"error": None, "good": False, "interrupted": True, "failed": []}

    def adopt(self, command: dict[str, Any]) -> None:
        graph = self.executor.graph
        self.lost.clear()
        for state in graph.nodes.values():
            state.fresh = False
        resume = bool(command.get("resume"))
        wanted = candidates(graph, command.get("mode", "changed"), command.get("target"))
        if not resume and not any(self.keys.cache_of(state) == "project" for state in wanted):
            return
        keys = self.keys.of(graph)
        asked = [state for state in wanted if resume or self.keys.cache_of(state) == "project"]
        found, lost = self.find([key for state in asked if (key := keys[state.id].key) is not None])

        def kept(state: NodeState) -> Kept | None:
            key = keys[state.id].key
            words = found.get(key) if key is not None and (resume or self.keys.cache_of(state) == "project") else None
            return Kept(key, words) if key is not None and words is not None else None

        self.executor.number += 1
        adopt(graph, self.executor.number, wanted, keys, kept, skip_unneeded=resume)
        self.lost = {state.name: words for state in wanted if (words := lost.get(keys[state.id].key or "")) is not None}

    def find(self, keys: list[str]) -> tuple[dict[str, str], dict[str, str]]:
        """Which of these the server has, with words about where they come from; and why others are lost."""
        if not keys:
            return {}, {}
        answer = self.session.host.ask({"kind": "find_results", "keys": list(dict.fromkeys(keys))})
        # From the agent: without an answer of the server there are none.
        found: dict[str, str] = answer.get("found") or {}
        lost: dict[str, str] = answer.get("lost") or {}
        self.keeper.known.update(found)
        self.keeper.known.difference_update(lost)
        return found, lost

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
