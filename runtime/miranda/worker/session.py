"""
Carries out the worker's commands: one thread reads them, the main thread performs them. Node code runs in lanes, which
are processes of their own: nothing here loads it or opens a value of it.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
from time import monotonic, perf_counter
from typing import Any

from ..execution.edited_plan import edited
from ..execution.executor import Executor
from ..execution.graph import Graph
from ..execution.sample import sample_of
from ..lanes.lane import Lane, LaneEnded
from ..lanes.lane_reports import LONGEST_TRACEBACK, exception_message
from ..lanes.lanes import Base, Lanes
from ..output.streams import FLUSH_EVERY, Channel, Streams
from ..packages.session_packages import SessionPackages
from ..results.session_results import SessionResults, open_results, planning
from .calls import Calls, show_sent
from .crash_notes import Statuses
from .interrupts import Interrupts
from .process_limits import die_with_parent, set_limits
from .progress import ended_nodes, planned_message
from .questions import Questions
from .session_stores import SessionStores
from .tracking import Tracking

LONGEST_ERROR = 50_000
#: Commands that run node code.
RUNNING = ("run", "compile", "run-setup")
#: Commands for the lane in which node code is stopped.
AT_A_STOP = ("continue", "evaluate", "unfold", "frame", "cancel-evaluate", "step-over", "step-in", "step-out")
#: How long the worker waits for lanes that end, in seconds.
LAST_WORDS = 2.0
#: And for those that were asked to end and clean up first. The agent ends everything before that.
CLEANING_UP = 10.0
NOT_PAUSED = "The processor is not paused any more."


class Session:
    """Reports of nodes are kept and sent by a timer: reporting must not slow a fast graph."""

    def __init__(self, commands_fd: int, channel_fd: int, folder: str) -> None:
        self.folder = folder
        self.commands = os.fdopen(commands_fd, "rb")
        self.channel = Channel(channel_fd)
        self.streams = Streams(self.channel)
        self.work: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.statuses: dict[int, str] = Statuses()
        self.bars: dict[int, list[dict[str, Any]]] = {}
        self.reported_running: int | None = None
        self.lanes = Lanes(self.channel, folder)
        self.lanes.begin = self.begin_lane
        self.executor = Executor(Graph(), self, self.lanes)
        self.questions = Questions(self.channel, self.streams)
        self.stores = SessionStores(self.executor, self.questions, self.streams)
        self.lanes.folder_of = self.stores.folder_of
        self.tracking = Tracking()
        self.interrupts = Interrupts(self.executor, self.questions, self.channel, lambda: self.given)
        self.packages = SessionPackages(self)
        #: None where nothing is kept: on a laptop, or when the installation has no room for it.
        self.results: SessionResults | None = open_results(self)
        #: In a session that serves calls.
        self.calls: Calls | None = None
        self.run_number = 0
        self.is_call = False
        self.exceptions = "off"
        #: The environment variables of this run, for lanes that start later.
        self.environment: dict[str, str] = {}
        self.reporting = threading.RLock()
        #: The number of the command that node code runs for, from when it was read until it has ended.
        self.given = 0

    def begin_lane(self, lane: Lane) -> None:
        """What every lane has to know first."""
        if self.packages.active is not None and self.packages.active.folder is not None:
            lane.ask(lambda answer, error, file: None, "activate", self.packages.active.folder)
        name = self.executor.graph.name
        lane.send("begin", self.run_number, self.is_call, name, self.environment, self.exceptions)
        lane.send("bind", self.executor.scheduler.serial)
        lane.send("breakpoints", json.dumps(self.executor.breakpoints))

    # Reporting

    def exception(self, node: int, line: int, function: str, traceback: str) -> None:
        """What did not happen in node code: a problem with its packages or its storage, or the end of its process."""
        last = traceback.rstrip("\n").rpartition("\n")[2]
        # People see it at once, and find it in the log later. A problem with a bucket is logged already.
        if not last.startswith("miranda.StorageError"):
            self.streams.record(3, traceback[-LONGEST_TRACEBACK:].rstrip("\n"))
        self.streams.flush()
        self.channel.event(exception_message(node, line, function, traceback, []))

    def planned(self, plan: list[dict[str, Any]]) -> None:
        self.channel.event(planned_message(self.run_number, plan))

    def remark(self, level: int, text: str) -> None:
        self.streams.record(level, text)

    def show_bars(self, bars: dict[int, list[dict[str, Any]]]) -> None:
        self.bars.update(bars)

    def report(self) -> None:
        # One after the other: what the timer took must not be sent after the last report of a run.
        with self.reporting:
            self.send_progress()

    def send_progress(self) -> None:
        statuses = self.statuses
        running = self.note_running()
        changed: dict[int, str] = {}
        while True:
            try:
                node, status = statuses.popitem()
            except KeyError:
                break
            # It may have changed once more meanwhile.
            changed[node] = status
        bars, self.bars = self.bars, {}
        if not changed and not bars and running == self.reported_running:
            return
        self.reported_running = running
        self.channel.event(
            {
                "kind": "progress",
                "running": running,
                "statuses": changed,
                "run": self.run_number,
                "bars": bars,
                **ended_nodes(self.executor, changed),
            }
        )

    def note_running(self) -> int | None:
        """The node whose code runs, or the first of several. In a chain it goes on without asking."""
        found: int | None = None
        for lane in self.lanes.alive:
            node = lane.current if lane.tasks else 0
            if node:
                found = found or node
                state = self.executor.graph.nodes.get(node)
                if node in lane.reserved and state is not None and state.runs == 0 and not state.failed:
                    self.statuses.setdefault(node, "running")
        return found

    def flush_forever(self) -> None:
        wait = threading.Event().wait
        while True:
            wait(FLUSH_EVERY)
            self.streams.tick()
            self.report()
            for lane in self.lanes.alive:
                lane.tell_dropped()

    # The main thread

    def serve(self) -> None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 (open as long as the process)
        set_limits()
        die_with_parent()
        self.lanes.base = Base()
        self.executor.graph.environment = self.lanes.base.environment
        # For lanes; here it would end the worker.
        signal.signal(signal.SIGUSR2, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, self.on_terminate)
        threading.Thread(target=self.flush_forever, daemon=True, name="miranda-flush").start()
        threading.Thread(target=self.read_commands, daemon=True, name="miranda-commands").start()
        while True:
            command = self.work.get()
            if command["command"] == "exit":
                break
            self.perform(command)
        self.lanes.close()
        for lane in self.lanes.alive:
            # What it has printed last is on its way.
            lane.has_ended.wait(LAST_WORDS)
        self.streams.flush_all()
        os._exit(0)

    def on_terminate(self, *_: object) -> None:
        """Everything in the session is asked to end."""
        if self.lanes.is_ending:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGTERM)
        self.lanes.is_ending = True
        threading.Thread(target=self.end_after_lanes, daemon=True, name="miranda-end").start()

    def end_after_lanes(self) -> None:
        """What node code prints while it cleans up is still passed on."""
        self.stores.abandon_uploads()
        until = monotonic() + CLEANING_UP
        for lane in self.lanes.alive:
            lane.has_ended.wait(max(0.0, until - monotonic()))
        self.streams.flush_all()
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)

    def perform(self, command: dict[str, Any]) -> None:
        name, number = command["command"], command.get("number", 0)
        if self.results is not None:
            self.results.begin()
        try:
            answer = getattr(self, "do_" + name.replace("-", "_"))(command)
        except KeyboardInterrupt:
            answer = {"error": "Interrupted."}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        if self.given == number:
            self.given = 0
        self.streams.flush_all()
        self.report()
        if isinstance(answer.get("error"), str):
            answer["error"] = answer["error"][:LONGEST_ERROR]
        self.channel.event({"kind": "done", "command": name, "number": number, **answer})

    def do_run(self, command: dict[str, Any]) -> dict[str, Any]:
        executor = self.executor
        self.take_graph(command)
        # The server counts: a worker that was restarted would begin at one again.
        self.run_number = int(command.get("run") or self.run_number + 1)
        executor.began = perf_counter()
        self.begin_run(command.get("exceptions") or "off")
        if command.get("breakpoints") is not None:
            executor.set_breakpoints(command["breakpoints"])
        unfit = self.packages.ensure(command) or (self.results.before_run(command) if self.results else None)
        if unfit is not None:
            return unfit
        if command.get("line"):
            self.stop_first_at(command)
        try:
            ended = executor.run(command.get("mode", "changed"), command.get("target"))
        except ValueError as error:
            return {"error": str(error)}
        if call := command.get("call"):
            show_sent(executor, self.run_number, call["outputs"])
        return {"error": None, **ended._asdict(), "run": self.run_number, "packages": self.packages.versions}

    def begin_run(self, exceptions: str) -> None:
        self.exceptions = exceptions
        self.executor.forget_conditions()
        self.environment = self.tracking.begin_run(self.executor.graph.name)
        self.stores.begin()
        name = self.executor.graph.name
        self.lanes.send("begin", self.run_number, self.is_call, name, self.environment, exceptions)

    def take_graph(self, command: dict[str, Any]) -> None:
        """The graph of a run. A session that serves calls is given it once, and then only the values of each call."""
        call = command.get("call")
        if "graph" in command:
            self.executor.update(command["graph"])
        self.is_call = call is not None
        if call is None:
            self.executor.always = frozenset()
            return
        if self.calls is None:
            self.calls = Calls(self.executor.graph)
        if "graph" in command:
            self.calls.release(command["graph"])
        self.executor.always = frozenset(call["always"])
        self.calls.lay(call["values"])

    def stop_first_at(self, command: dict[str, Any]) -> None:
        """A start line stops the first node that runs there: code cannot begin in its middle."""
        entries = self.executor.plan(command.get("mode", "changed"), command.get("target"))
        first = next((entry["node"] for entry in entries if entry["run"]), None)
        if first is not None:
            self.executor.breakpoints.setdefault(first, []).append(command["line"])
            self.lanes.send("breakpoints", json.dumps(self.executor.breakpoints))

    def do_plan(self, command: dict[str, Any]) -> dict[str, Any]:
        self.executor.update(command["graph"])
        try:
            with edited(self.executor.graph, command.get("edited")), planning(self.results, command):
                plan = self.executor.plan(
                    command.get("mode", "changed"), command.get("target"), command.get("breakpoints")
                )
        except ValueError as error:
            return {"error": str(error), "plan": []}
        return {"error": None, "plan": plan, "mode": command.get("mode", "changed"), "target": command.get("target")}

    def do_compile(self, command: dict[str, Any]) -> dict[str, Any]:
        """Runs the code apart from the graph's own nodes: dynamic attributes may depend on the values given."""
        node, name = command.get("node"), command.get("name") or "node"
        try:
            error, found = self.lanes.first().call(
                "compile", command["code"], name, node, command.get("attributes") or {}
            )
        except LaneEnded:
            error, found = "The process of the code ended.", None
        return {"error": error, "node": node, "attributes": None if found is None else json.loads(found)}

    def do_info(self, command: dict[str, Any]) -> dict[str, Any]:
        nodes = {
            state.id: {"name": state.name, "has_run": state.version > 0, "outputs": len(state.outputs or ())}
            for state in self.executor.graph.nodes.values()
        }
        return {
            "error": None,
            "info": {"python": sys.version.split()[0], "runs": self.run_number, "pid": os.getpid(), "nodes": nodes},
        }

    def do_run_setup(self, command: dict[str, Any]) -> dict[str, Any]:
        self.executor.update(command["graph"])
        self.begin_run("off")
        from ..packages.setup import run_setup

        return run_setup(self.executor, command, self.streams, self.packages)

    # The command thread

    def read_commands(self) -> None:
        for line in self.commands:
            command = json.loads(line)
            try:
                self.receive(command)
            except Exception as error:
                self.done({"command": None, "number": 0, **command}, f"{type(error).__name__}: {error}"[:LONGEST_ERROR])
        # The agent is gone: nothing would ever read our output or stop us.
        os._exit(70)

    def receive(self, command: dict[str, Any]) -> None:
        name = command["command"]
        if name == "answer":
            if not self.questions.answer(command):
                self.lanes.answer(command)
        elif name in ("break", "clear"):
            self.change_breakpoints(name, command)
        elif name == "pause":
            lane = next((one for one in self.lanes.alive if one.current), None)
            if lane is not None:
                lane.send("pause")
            self.done(command)
        elif name == "interrupt":
            self.interrupts.begin(float(command.get("force_after") or 0))
            self.done(command)
        elif name == "force-stop":
            is_there = self.interrupts.force(int(command["node"]))
            self.done(command, None if is_there else "That node does not run any more.")
        elif name in AT_A_STOP:
            self.at_a_stop(command)
        elif name == "exceptions":
            self.exceptions = command["mode"]
            self.lanes.send("exceptions", command["mode"])
            self.done(command)
        elif name == "sample":
            self.sample(command)
        elif name == "info":
            self.channel.event({"kind": "done", "command": name, "number": command["number"], **self.do_info(command)})
        else:
            if name in RUNNING:
                self.given = command["number"]
            self.work.put(command)

    def at_a_stop(self, command: dict[str, Any]) -> None:
        lane = self.lanes.stopped
        if lane is not None:
            lines = command.get("lines")
            if lines is not None:
                self.executor.set_breakpoints({str(self.lanes.stopped_node): lines}, is_only=False)
            lane.send("command", json.dumps(command))
        elif command["command"] == "cancel-evaluate":
            self.done(command)
        else:
            self.done(command, NOT_PAUSED)

    def sample(self, command: dict[str, Any]) -> None:
        state = self.executor.graph.nodes.get(command["node"])
        if (
            self.results is not None
            and state is not None
            and self.results.load_beside(state, lambda: self.sample(command))
        ):
            return
        sample_of(self.executor.graph, self.channel, command)

    def done(self, command: dict[str, Any], error: str | None = None) -> None:
        self.channel.event({"kind": "done", "command": command["command"], "number": command["number"], "error": error})

    def change_breakpoints(self, name: str, command: dict[str, Any]) -> None:
        wanted = command.get("breakpoints")
        executor = self.executor
        if wanted is None:
            if name == "clear":
                executor.set_breakpoints({})
        else:
            executor.set_breakpoints(
                {key: lines if name == "break" else [] for key, lines in wanted.items()}, is_only=False
            )
        self.done(command)
