"""What the worker asks of a lane, and the answers."""

from __future__ import annotations

import json
import marshal
import os
import threading
from collections.abc import Callable
from time import perf_counter
from typing import Any

from ..declare import jsonable
from ..execution.loader import NodeProblem, load, user_traceback
from ..execution.node_call import finish
from ..execution.sample import looked_at
from ..isolation.process_state import Home, seed_of
from ..worker.tracking import begin_in_lane
from .lane_node import LaneNode
from .shared import Unsharable, taken_in, written_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..packages.activation import Active
    from .lane_process import LaneProcess

#: From this size on, in bytes, the file of a value is kept for the next lane that asks for it.
SHARED_FROM = 1 << 20
#: So that node code has numbers left for files of its own.
MOST_FILES = 64


class LaneJobs:
    """Methods named `on_…` run in the thread that reads; those named `do_…` in the main thread, and are answered."""

    def __init__(self, lane: LaneProcess) -> None:
        self.lane = lane
        self.active: Active | None = None
        self.folders: dict[int, tuple[threading.Event, list[Any]]] = {}
        self.question = 0
        #: Large values that were written out, by number: several lanes map one file.
        self.files: dict[int, int] = {}

    @property
    def channel(self) -> Any:
        return self.lane.channel

    def receive(self, body: bytes, file: int | None) -> None:
        name, *rest = marshal.loads(body)
        at_once: Callable[..., None] | None = getattr(self, f"on_{name}", None)
        if at_once is not None:
            at_once(*rest, *([file] if name == "take" else []))
            return
        self.lane.interrupts.received += 1
        self.lane.work.put(lambda: self.perform(name, rest))

    def perform(self, name: str, rest: list[Any]) -> None:
        if name == "fire":
            self.fire(*rest)
            return
        job, *arguments = rest
        try:
            answer = getattr(self, f"do_{name}")(*arguments)
            error = ""
        except BaseException as caught:
            answer, error = None, f"{type(caught).__name__}: {caught}"[:50_000]
        self.lane.streams.flush_all()
        self.lane.reports.send_batch(is_tick=True)
        self.answer(job, answer, error)

    def answer(self, job: int, answer: Any, error: str = "", file: int | None = None) -> None:
        self.channel.control(("answer", job, answer, error), file)

    # Runs

    def on_begin(self, run: int, is_call: bool, name: str, environment: dict[str, str], exceptions: str) -> None:
        # Nothing runs now: the worker begins a run when the one before has ended.
        with self.lane.runs.state.changing_base():
            begin_in_lane(environment)
        self.lane.host.begin_run(run, is_call, environment.get("MLFLOW_TRACKING_URI", ""))
        self.lane.reports.crashes.begin_run()
        self.lane.debugger.begin()
        self.lane.debugger.set_exceptions(exceptions)

    def on_bind(self, run: int) -> None:
        """From here on nodes get their settings anew."""
        self.lane.runs.run = run

    def on_define(self, nodes: list[tuple[int, str, str, Any]]) -> None:
        for key, name, source, storage in nodes:
            self.lane.runs.define(key, name, source, storage)
            self.lane.watch([key])

    def on_forget(self, keys: list[int]) -> None:
        """These nodes are not run here any more, or their code is another: what was made with it must not be found."""
        import sys

        runs = self.lane.runs
        for key in keys:
            node = self.lane.nodes.pop(key, None)
            if node is not None:
                runs.release(node)
            sys.modules.pop(f"miranda_node_{key}", None)

    def on_values(self, given: list[tuple[int, dict[str, Any], dict[str, Any]]]) -> None:
        for key, values, fixed in given:
            node = self.lane.nodes[key]
            node.values, node.fixed = values, fixed

    def do_load(self, keys: list[int]) -> list[tuple[int, Any, bool]]:
        """For each node what it declares; None when it could not be loaded, and whether somebody interrupted that."""
        runs = self.lane.runs
        answers: list[tuple[int, Any, bool]] = []
        for key in keys:
            node = self.lane.nodes[key]
            if runs.is_interrupted:
                answers.append((key, None, True))
            elif runs.prepare(node):
                answers.append((key, runs.describe(node), False))
            else:
                answers.append((key, None, node.cut == "interrupt"))
        return answers

    def fire(self, entries: list[tuple[int, list[tuple[str, Any]], float]], chains: list[list[Any]]) -> None:
        """`chains`: the first node, then each that follows with the edge that leads there."""
        runs, nodes = self.lane.runs, self.lane.nodes
        followed: list[LaneNode] = []
        for first, *following in chains:
            node = nodes[first]
            for key, transmitter, receiver in following:
                after = nodes[key]
                node.following, node.transmitter, node.receiver = after, transmitter, receiver
                followed.append(node)
                node = after
        work = [
            (nodes[key], [(name, runs.value_of(value)) for name, value in given], since)
            for key, given, since in entries
        ]
        for node, _, _ in work:
            node.queued += 1
        runs.work(work)
        for node in followed:
            node.following = None
        reports = self.lane.reports
        # Also a line that has not ended yet: the end of the run may come next.
        self.lane.streams.flush_all()
        reports.batch.append(("idle",))
        reports.send_batch()

    def on_room(self, key: int) -> None:
        self.lane.runs.give_room(key)

    def on_interrupt(self) -> None:
        self.lane.interrupts.begin()

    def do_setup(self, key: int) -> tuple[bool, bool, str, int, float, tuple[bool, bool, bool, bool]]:
        """Whether it went well, whether somebody interrupted it, what went wrong and where, and how long it took."""
        runs, node = self.lane.runs, self.lane.nodes[key]
        if node.bound != runs.run:
            runs.bind(node)
        began = perf_counter()
        try:
            with runs.inside(node), runs.at_home(node), runs.reading(node):
                result = node.instance.setup()
                if result is not None:
                    finish(result)
        except BaseException as error:
            if runs.end_badly(node, error):
                return False, True, "", 0, 0.0, runs.flags_of(node)
            text, line, _, _ = user_traceback(error)
            last = text.strip().splitlines()[-1] if text.strip() else type(error).__name__
            return False, False, last, line, 0.0, runs.flags_of(node)
        return True, False, "", 0, perf_counter() - began, runs.flags_of(node)

    def do_compile(self, code: str, name: str, node: int | None, attributes: dict[str, Any]) -> tuple[str | None, Any]:
        """Runs the code apart from the graph's own nodes: dynamic attributes may depend on the values given."""
        extra: dict[str, Any] = {"__miranda_node_id__": node, "__miranda_attributes__": attributes}
        try:
            runs = self.lane.runs
            runs.state.enter(Home(seed_of("", node or 0)))
            try:
                loaded = load(None, f"{name} being compiled", code, extra)
            finally:
                runs.state.leave()
            found = [
                {**one, "value": jsonable(one["value"]), "control": jsonable(one["control"])}
                for one in loaded.describe()
            ]
            return None, json.dumps(found, allow_nan=False)
        except BaseException as error:
            if isinstance(error, NodeProblem):
                return f"{error} (line {error.line})", None
            text, line, _, _ = user_traceback(error)
            self.lane.streams.record(3, text.rstrip("\n"))
            last = text.strip().splitlines()[-1] if text.strip() else type(error).__name__
            return (f"{last} (line {line})" if line else last), None

    # Values

    def on_drop(self, numbers: list[int]) -> None:
        for number in numbers:
            self.lane.runs.values.pop(number, None)
            file = self.files.pop(number, None)
            if file is not None:
                os.close(file)

    def on_export(self, job: int, number: int) -> None:
        kept = self.files.get(number)
        if kept is not None:
            self.answer(job, None, "", kept)
            return
        try:
            data, file = written_out(self.lane.runs.values[number])
        except Unsharable as problem:
            self.answer(job, None, str(problem))
            return
        except KeyError:
            self.answer(job, None, "it is gone.")
            return
        self.answer(job, data, "", file)
        if file is None:
            return
        if os.fstat(file).st_size >= SHARED_FROM and len(self.files) < MOST_FILES:
            self.files[number] = file
        else:
            os.close(file)

    def on_take(self, number: int, data: bytes | None, file: int | None) -> None:
        """A value from another lane."""
        self.lane.runs.values[number] = taken_in(data, file)

    def on_sample(self, command: dict[str, Any], reference: Any) -> None:
        runs = self.lane.runs
        value = runs.values.get(reference) if type(reference) is int else runs.value_of(reference)
        kind, size, tree = looked_at(value)
        self.channel.event({"kind": "done", **command, "value_kind": kind, "size": size, "value": tree})

    def do_show(self, node: int, run: int, transmitter: str, reference: Any) -> None:
        from ..worker.calls import show_value

        show_value(self.lane.host.outputs, node, run, transmitter, self.lane.runs.value_of(reference))

    def do_read(self, path: str) -> Any:
        """The values of a kept result. A text says why it cannot be opened, a number which node's code it needs."""
        from ..results.kept_values import open_result

        found = open_result(path, self.lane.nodes)
        if not isinstance(found, list):
            return found
        runs = self.lane.runs
        return [(transmitter, runs.reference(value), type(value).__name__) for transmitter, value in found]

    def on_write(self, job: int, path: str, most: int, outputs: list[tuple[str, Any]]) -> None:
        """Writes what a node sent into a file, beside what runs."""

        def write() -> None:
            from ..results.kept_values import write_result

            runs = self.lane.runs
            try:
                found = [(name, runs.value_of(value)) for name, value in outputs]
                self.answer(job, write_result(path, most, found))
            except Exception as error:
                self.answer(job, None, f"{type(error).__name__}: {error}"[:500])

        threading.Thread(target=write, daemon=True, name="miranda-write").start()

    # The environment

    def do_activate(self, folder: str) -> str | None:
        from ..packages.activation import Active

        active = self.active = self.active or Active()
        with self.lane.runs.state.changing_base():
            return active.use(folder)

    def on_folder(self, question: int, path: str, error: str) -> None:
        event, answer = self.folders.pop(question)
        answer[:] = [path, error]
        event.set()

    def folder_of(self, node: int) -> str:
        """The folder of the bucket that a node stores in. The worker fills it."""
        from ..services import StorageError

        self.question += 1
        waiting = self.folders[self.question] = (threading.Event(), [])
        self.channel.control(("folder", self.question, node))
        waiting[0].wait()
        path, error = waiting[1]
        if error:
            raise StorageError(error)
        return path

    # Debugging

    def on_command(self, text: str) -> None:
        """A command of the debugger, as the agent sent it."""
        self.lane.debugging.receive(json.loads(text))

    def on_breakpoints(self, text: str) -> None:
        self.lane.set_breakpoints({int(key): points for key, points in json.loads(text).items()})

    def on_exceptions(self, mode: str) -> None:
        self.lane.debugger.set_exceptions(mode)

    def on_pause(self) -> None:
        self.lane.pause()

    def on_reply(self, text: str) -> None:
        """The answer to a question of node code."""
        self.lane.host.questions.answer(json.loads(text))

    def on_mask(self, secret: str) -> None:
        self.lane.reports.masks.add(secret)

    def on_exit(self) -> None:
        self.lane.streams.flush_all()
        self.lane.reports.send_batch(is_tick=True)
        os._exit(0)
