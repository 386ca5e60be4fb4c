"""
Keeps what nodes sent, beside the run. One thread looks now and then which nodes have ended. Another writes their
results to files, which the agent sends to the server. The run waits for neither: when too many results wait, the next
ones are not kept.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from time import monotonic
from typing import Any, NamedTuple

from ..execution.graph import NodeState
from ..execution.keys import Key, Keys
from ..execution.plan import own_reason
from ..isolation.seen import Seen, both, reads_from
from ..lanes.lane import JobFailed, Lane, LaneEnded
from ..lanes.shared import Remote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..execution.executor import Executor

#: In seconds. What is made in less, with everything that would have to run for it, is not worth a file.
QUICK = 0.001
#: Between two looks, in seconds. Short runs are looked at when they have ended.
LOOK_EVERY = 0.05
#: Looking takes at most one part in so many of the time.
LOOKING_SHARE = 40
MOST_WAITING = 1_000
LONGEST_PROBLEM = 500
FED = "it is fed by"

Ask = Callable[[dict[str, Any]], dict[str, Any]]


class Result(NamedTuple):
    """What a node sent, and what it was made from."""

    node: int
    key: str
    outputs: list[tuple[str, Any]]
    seconds: float
    run: int
    reads: Seen


class Untaken(Exception):
    """Why the server does not have a result that could be kept, in words that follow a colon."""


class Keeper:
    def __init__(self, executor: Executor, keys: Keys, ask: Ask, folder: str, most: int) -> None:
        self.executor = executor
        self.keys = keys
        self.ask = ask
        self.folder = folder
        #: In bytes, of one result.
        self.most = most
        self.changed = threading.Condition()
        self.is_started = False
        #: The number of the present run.
        self.run = 0
        #: The nodes of the present run that may still end well, sources first.
        self.pending: list[NodeState] = []
        self.is_over = True
        self.ended: set[int] = set()
        self.found: dict[int, Key] | None = None
        #: Which nodes of earlier runs are as they were.
        self.current: dict[int, bool] | None = None
        #: How long it would take to make again what a node sent and nobody keeps, by node.
        self.costs: dict[int, float] = {}
        self.waiting: deque[Result] = deque()
        #: Keys that the server has, as far as this session knows, and what those results depend on besides.
        self.known: dict[str, Seen] = {}
        self.files = 0
        #: What was said in the log of this run. A full disk would be said for every node.
        self.said: set[str] = set()

    # Called by the run

    def begin(self, planned: list[NodeState]) -> None:
        with self.changed:
            self.pending, self.is_over = list(planned), False
            self.ended.clear()
            self.said.clear()
            self.found = self.current = None
            for state in planned:
                state.evaluated = False
                state.tainted = state.unkept = ""
            if not self.is_started:
                self.is_started = True
                for target in (self.look_forever, self.write_forever):
                    threading.Thread(target=target, daemon=True, name="miranda-results").start()
            self.changed.notify_all()

    def end(self) -> None:
        """The run is over. What ended well since the last look is looked at once more."""
        with self.changed:
            self.is_over = True
            self.changed.notify_all()

    def settle(self) -> None:
        """Before the graph changes: waits for the last look at the run before, a matter of milliseconds."""
        with self.changed:
            while self.is_started and self.pending and self.is_over:
                self.changed.wait()

    # Looking

    def look_forever(self) -> None:
        pause = LOOK_EVERY
        while True:
            with self.changed:
                self.changed.wait_for(lambda: bool(self.pending))
                # A thread of its own, so that short runs end undisturbed.
                self.changed.wait_for(lambda: self.is_over, pause)
                is_last = self.is_over
                pending = self.pending
            began = monotonic()
            try:
                left = self.look(pending)
            except Exception as error:
                left = []
                self.executor.reporter.remark(2, f"Results are not kept: {type(error).__name__}: {error}"[:500])
            pause = max(LOOK_EVERY, LOOKING_SHARE * (monotonic() - began))
            with self.changed:
                if self.pending is pending:
                    self.pending = [] if is_last else left
                self.changed.notify_all()

    def look(self, pending: list[NodeState]) -> list[NodeState]:
        """Takes the results of the nodes that have ended. The rest is looked at again."""
        left: list[NodeState] = []
        ended: list[tuple[NodeState, list[tuple[str, Any]] | None]] = []
        scheduler = self.executor.scheduler
        with scheduler.lock:
            for state in pending:
                if state.failed:
                    continue
                if self.has_ended(state):
                    self.ended.add(state.id)
                    ended.append((state, None if state.outputs is None else list(state.outputs)))
                else:
                    left.append(state)
        for state, outputs in ended:
            self.consider(state, outputs)
        return left

    def has_ended(self, state: NodeState) -> bool:
        """It has run, and nothing can make it run again. The scheduler's lock is held."""
        if state.runs == 0 or state.queued or state.id in self.executor.scheduler.open or state.has_threads:
            return False
        nodes = self.executor.graph.nodes
        return all(
            edge[0] in self.ended or not nodes[edge[0]].planned or nodes[edge[0]].disabled for edge in state.inputs
        )

    def consider(self, state: NodeState, outputs: list[tuple[str, Any]] | None) -> None:
        sources = self.executor.graph.sources_of(state)
        cost = state.seconds + sum(self.costs.get(source.id, 0.0) for source in sources)
        self.costs[state.id] = cost
        cache = self.keys.cache_of(state)
        state.all_reads = state.reads
        for source in sources:
            state.all_reads = both(state.all_reads, source.all_reads)
        state.tainted = self.taint_of(state, sources)
        if state.tainted:
            state.unkept = state.tainted
        elif outputs is None:
            state.unkept = "it sent too much."
        elif cost >= QUICK or cache == "project":
            key = self.key_of(state)
            if key.key is None:
                state.unkept = key.why
            elif self.has(key.key, state.all_reads):
                self.costs[state.id] = 0.0
            elif len(self.waiting) >= MOST_WAITING:
                state.unkept = "too many results were waiting to be written."
            else:
                self.costs[state.id] = 0.0
                self.add(Result(state.id, key.key, outputs, state.seconds, self.run, state.all_reads))
        self.tie_writers(state)

    def has(self, key: str, reads: Seen) -> bool:
        known = self.known.get(key)
        return known is not None and is_same(known, reads)

    def add(self, result: Result) -> None:
        with self.changed:
            self.waiting.append(result)
            self.changed.notify_all()

    def writers_of(self, state: NodeState) -> dict[str, NodeState]:
        """The nodes that wrote files of the session's folder that this one has read, by path."""
        graph = self.executor.graph
        found = {path: graph.nodes.get(graph.writers.get(path, 0)) for path in state.reads.files}
        return {path: writer for path, writer in found.items() if writer is not None and writer is not state}

    def tie_writers(self, state: NodeState) -> None:
        """
        The folder ends with the session. Whoever wrote a file there that another node has read has to run again in the
        next one, too: its kept result is usable only where the file is.
        """
        for path, writer in self.writers_of(state).items():
            key, outputs = self.key_of(writer).key, writer.outputs
            is_kept = key in self.known or any(one.key == key for one in list(self.waiting))
            if key is None or outputs is None or not is_kept or path in writer.all_reads.files:
                continue
            writer.all_reads = both(writer.all_reads, Seen({}, {path: state.reads.files[path]}))
            self.add(Result(writer.id, key, list(outputs), writer.seconds, self.run, writer.all_reads))

    def taint_of(self, state: NodeState, sources: list[NodeState]) -> str:
        if state.secretive or has_secret_field(state):
            return "it used a secret or a password."
        if state.evaluated:
            return "somebody evaluated code in it while it was paused."
        if state.all_reads.incomplete:
            return f"it read too much. {state.all_reads.incomplete}"
        for path, writer in self.writers_of(state).items():
            return f"it read the file {path}, which {writer.name} wrote and which ends with the session."
        for source in sources:
            if source.tainted:
                return source.tainted if source.tainted.startswith(FED) else f"{FED} {source.name}: {source.tainted}"
            if not source.planned and not source.disabled and not self.is_current(source):
                return f"{FED} {source.name}, which has changed since it ran."
        return ""

    def is_current(self, state: NodeState) -> bool:
        """
        Whether what a node sent in an earlier run is what its key says. A run of single nodes takes the values of what
        feeds them as they are.
        """
        if self.current is None:
            graph = self.executor.graph
            current: dict[int, bool] = {}
            for one in graph.order():
                fed = all(current.get(edge[0], False) for edge in one.inputs)
                current[one.id] = one.planned or one.disabled or (fed and not own_reason(graph, one))
            self.current = current
        return self.current[state.id]

    def key_of(self, state: NodeState) -> Key:
        if self.found is None:
            self.found = self.keys.of(self.executor.graph)
        return self.found[state.id]

    # Writing

    def write_forever(self) -> None:
        while True:
            with self.changed:
                self.changed.wait_for(lambda: bool(self.waiting))
                # Stays in the queue until it is written, so that the queue is never shorter than it looks.
                result = self.waiting[0]
            try:
                problem = self.keep(result)
            except Untaken as untaken:
                problem = str(untaken)
                self.say(result, problem)
            except Exception as error:
                problem = f"it could not be written ({type(error).__name__}: {error})."
                self.say(result, problem)
            if problem:
                self.costs[result.node] = result.seconds
                state = self.executor.graph.nodes.get(result.node)
                if state is not None:
                    state.unkept = problem[:LONGEST_PROBLEM]
            else:
                self.known[result.key] = result.reads
            with self.changed:
                self.waiting.popleft()
                self.changed.notify_all()

    def say(self, result: Result, problem: str) -> None:
        """In the log, for people who look for the result later. The plan says it only as long as the session lives."""
        state = self.executor.graph.nodes.get(result.node)
        if state is not None and problem not in self.said:
            self.said.add(problem)
            words = f"{state.name} is not kept for later sessions: {problem}"
            self.executor.reporter.remark(2, words[:LONGEST_PROBLEM])

    def keep(self, result: Result) -> str:
        """Why it cannot be kept; empty when the server has it."""
        if self.has(result.key, result.reads):
            return ""
        if result.key not in self.known:
            answer = self.ask({"kind": "find_results", "keys": [result.key]})
            given: dict[str, Any] = answer.get("reads") or {}
            found: dict[str, str] = answer.get("found") or {}
            if result.key in found and is_same(reads_from(given.get(result.key)), result.reads):
                return ""
        lane, outputs = self.place_of(result)
        if self.files == 0:
            import shutil

            # What a worker left that was killed while it wrote.
            shutil.rmtree(self.folder, ignore_errors=True)
        self.files += 1
        name = f"r{os.getpid()}n{self.files}"
        path = os.path.join(self.folder, name)
        try:
            problem = lane.call("write", path, self.most, outputs)
            if problem:
                return str(problem)
            question = {"kind": "keep_result", "key": result.key, "node": result.node, "run": result.run}
            reads = {"environment": result.reads.environment, "files": result.reads.files}
            answer = self.ask({**question, "seconds": round(result.seconds, 6), "file": name, "reads": reads})
        except LaneEnded:
            return "it was lost with the process that made it."
        except JobFailed as error:
            raise Untaken(f"it could not be written ({error}).") from None
        finally:
            try:
                os.unlink(path)
            except OSError:
                pass
        if answer.get("error"):
            raise Untaken(answer["error"])
        return ""

    def place_of(self, result: Result) -> tuple[Lane, list[tuple[str, Any]]]:
        """The lane that has all that a node sent, and where it is there."""
        values = [value for _, value in result.outputs if type(value) is Remote]
        known: dict[Lane, int] = values[0].numbers if values else {}
        common = (one for one in known if one.is_alive and all(one in value.numbers for value in values))
        lane = next(common, None)
        if lane is None and values:
            raise Untaken("it was lost with the process that made it.")
        lane = lane or self.executor.lanes.alive[0]
        return lane, [
            (name, value.numbers[lane] if type(value) is Remote else (value,)) for name, value in result.outputs
        ]


def is_same(one: Seen, other: Seen) -> bool:
    return one.environment == other.environment and one.files == other.files


def has_secret_field(state: NodeState) -> bool:
    return state.loaded is not None and state.loaded.has_secret
