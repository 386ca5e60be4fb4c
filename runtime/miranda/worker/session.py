"""Carries out the worker's commands: one thread reads them, the main thread runs node code."""

from __future__ import annotations

import builtins
import json
import os
import queue
import signal
import sys
import threading
import types
from time import perf_counter
from typing import Any

from .. import services
from ..debugging.crash_frames import CrashFrames
from ..debugging.debug_session import Debugging
from ..debugging.debugger import HAS_MONITORING
from ..declare import jsonable
from ..execution import child_modules
from ..execution.edited_plan import edited
from ..execution.executor import Executor
from ..execution.graph import Graph
from ..execution.loader import NodeProblem, file_name, load, user_traceback
from ..execution.node_threads import SIGNAL, Interrupted
from ..execution.sample import sample_of
from ..output.streams import FLUSH_EVERY, Channel, Streams, install_logging
from ..output.tqdm_bars import watch_tqdm
from ..packages.session_packages import SessionPackages
from ..results.session_results import SessionResults, open_results, planning
from .calls import Calls, show_sent
from .crash_notes import Statuses
from .first_imports import load_ahead
from .interrupts import Interrupts
from .platform_host import PlatformHost
from .process_limits import die_with_parent, set_limits
from .progress import ended_nodes, planned_message

LONGEST_TRACEBACK = 20_000
#: The longest traceback in a report. The agent ends a session that sends a longer one.
LONGEST_REPORTED = 200_000
LONGEST_ERROR = 50_000
#: Commands that run node code.
RUNNING = ("run", "compile", "run-setup")


class Session:
    """Reports of nodes are kept and sent by a timer: reporting must not slow a fast graph."""

    def __init__(self, commands_fd: int, channel_fd: int, folder: str) -> None:
        self.folder = folder
        self.commands = os.fdopen(commands_fd, "rb")
        self.channel = Channel(channel_fd)
        self.streams = Streams(self.channel)
        self.work: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.statuses: dict[int, str] = Statuses()
        self.running: int | None = None
        self.reported_running: int | None = None
        self.debugging = Debugging(self.channel, self.streams, self.report)
        self.debugger = self.debugging.debugger
        self.executor = self.debugging.executor = Executor(Graph(), self.debugger, self, self.streams)
        self.channel.node = self.current_node
        self.host = PlatformHost(self.channel, self.streams, self.executor)
        self.crashes = CrashFrames(self.node_files, self.host.masks)
        self.interrupts = Interrupts(self.executor, self.debugger, self.host, self.channel, lambda: self.given)
        self.packages = SessionPackages(self)
        #: None where nothing is kept: on a laptop, or when the installation has no room for it.
        self.results: SessionResults | None = open_results(self)
        #: In a session that serves calls.
        self.calls: Calls | None = None
        self.run_number = 0
        self.is_pausing = False
        self.reporting = threading.RLock()
        #: The number of the command that node code runs for, from when it was read until it has ended.
        self.given = 0

    # Reporting

    def exception(
        self, node: int, line: int, function: str, traceback: str, error: BaseException | None = None
    ) -> None:
        last = traceback.rstrip("\n").rpartition("\n")[2]
        # People see it at once, and find it in the log later. A problem with a bucket is logged already.
        if not last.startswith("miranda.StorageError"):
            self.streams.record(3, traceback[-LONGEST_TRACEBACK:].rstrip("\n"))
        self.streams.flush()
        self.channel.event(
            {
                "kind": "exception",
                "node": node,
                "line": line,
                "function": function[:1_000],
                "traceback": traceback[-LONGEST_REPORTED:],
                "frames": self.crashes.of(error),
            }
        )

    def node_files(self) -> dict[str, int]:
        return {file_name(state.id, state.name): state.id for state in self.executor.graph.nodes.values()}

    def planned(self, plan: list[dict[str, Any]]) -> None:
        self.channel.event(planned_message(self.run_number, plan))

    def remark(self, level: int, text: str) -> None:
        self.streams.record(level, text)

    def current_node(self) -> int:
        current = self.executor.current
        return current.id if current is not None else 0

    def report(self) -> None:
        # One after the other: what the timer took must not be sent after the last report of a run.
        with self.reporting:
            self.send_progress()

    def send_progress(self) -> None:
        statuses = self.statuses
        running = self.running
        changed: dict[int, str] = {}
        while True:
            try:
                node, status = statuses.popitem()
            except KeyError:
                break
            # It may have changed once more meanwhile.
            changed[node] = status
        self.host.outputs.send_waiting(is_end=bool(changed))
        self.host.metrics.send_waiting(is_end=bool(changed))
        bars = self.host.bars.take(changed)
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

    def flush_forever(self) -> None:
        wait = threading.Event().wait
        while True:
            wait(FLUSH_EVERY)
            self.streams.tick()
            self.report()

    # The main thread

    def serve(self) -> None:
        sys.stdout, sys.stderr = self.streams.stdout, self.streams.stderr
        sys.__stdout__, sys.__stderr__ = sys.stdout, sys.stderr
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 (open as long as the process)
        install_logging(self.streams)
        set_limits()
        services.set_host(self.host)
        watch_tqdm(self.host.bars, self.host.node)
        die_with_parent()
        signal.signal(SIGNAL, self.on_signal)
        self.executor.threads.install()
        builtins.input = self.host.ask_input
        threading.excepthook = self.thread_exception
        threading.Thread(target=self.flush_forever, daemon=True, name="miranda-flush").start()
        threading.Thread(target=self.read_commands, daemon=True, name="miranda-commands").start()
        load_ahead()
        while True:
            command = self.work.get()
            if command["command"] == "exit":
                break
            self.perform(command)
        self.streams.flush_all()
        sys.exit(0)

    def perform(self, command: dict[str, Any]) -> None:
        name, number = command["command"], command.get("number", 0)
        if self.folder not in sys.path:
            # Not before the first command: a file that an earlier worker left there must not stand for one of ours
            # while the sandbox is not closed yet.
            sys.path.insert(0, self.folder)
            child_modules.begin(self.folder)
        if name in RUNNING:
            self.debugger.begin()
        if self.results is not None:
            self.results.begin()
        try:
            answer = getattr(self, "do_" + name.replace("-", "_"))(command)
        except KeyboardInterrupt:
            answer = {"error": "Interrupted."}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        if os.getpid() != self.channel.owner:
            # A fork that node code let run on past its own run would answer a second time.
            self.streams.flush()
            os._exit(0)
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
        if command.get("breakpoints") is not None:
            executor.breakpoints(command["breakpoints"])
        self.debugger.set_exceptions(command.get("exceptions") or "off")
        # The server counts: a worker that was restarted would begin at one again.
        self.run_number = int(command.get("run") or self.run_number + 1)
        executor.began = perf_counter()
        self.host.begin_run(self.run_number)
        self.crashes.begin_run()
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
            show_sent(executor.graph, self.host.outputs, self.run_number, call["outputs"])
        return {"error": None, **ended._asdict(), "run": self.run_number, "packages": self.packages.versions}

    def take_graph(self, command: dict[str, Any]) -> None:
        """The graph of a run. A session that serves calls is given it once, and then only the values of each call."""
        call = command.get("call")
        if "graph" in command:
            self.executor.update(command["graph"])
        self.host.is_call = call is not None
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
        first = next((self.executor.graph.nodes[entry["node"]] for entry in entries if entry["run"]), None)
        if first is not None:
            self.debugger.also_stop_at(file_name(first.id, first.name), command["line"])

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
        extra: dict[str, Any] = {"__miranda_node_id__": node, "__miranda_attributes__": command.get("attributes") or {}}
        try:
            loaded = load(None, f"{name} being compiled", command["code"], extra)
            attributes = [
                {**one, "value": jsonable(one["value"]), "control": jsonable(one["control"])}
                for one in loaded.describe()
            ]
            json.dumps(attributes, allow_nan=False)
        except BaseException as error:
            if isinstance(error, NodeProblem):
                words = f"{error} (line {error.line})"
            else:
                text, line, _, _ = user_traceback(error)
                self.streams.record(3, text.rstrip("\n"))
                last = text.strip().splitlines()[-1] if text.strip() else type(error).__name__
                words = f"{last} (line {line})" if line else last
            return {"error": words, "node": node, "attributes": None}
        return {"error": None, "node": node, "attributes": attributes}

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
        self.host.begin_stores()
        from ..packages.setup import run_setup

        return run_setup(self.executor, command, self.streams, self.packages)

    # The command thread

    def read_commands(self) -> None:
        for line in self.commands:
            command = json.loads(line)
            try:
                self.receive(command)
            except Exception as error:
                self.channel.event(
                    {
                        "kind": "done",
                        "command": command.get("command"),
                        "number": command.get("number", 0),
                        "error": f"{type(error).__name__}: {error}"[:LONGEST_ERROR],
                    }
                )
        # The agent is gone: nothing would ever read our output or stop us.
        os._exit(70)

    def receive(self, command: dict[str, Any]) -> None:
        name = command["command"]
        if name == "answer":
            self.host.answer(command)
        elif name in ("break", "clear"):
            self.set_breakpoints(name, command)
        elif name == "pause":
            self.is_pausing = True
            os.kill(os.getpid(), SIGNAL)
            self.done(command)
        elif name == "interrupt":
            self.interrupts.begin()
            self.done(command)
        elif self.debugging.receive(command):
            pass
        elif name == "sample":
            self.sample(command)
        elif name == "info":
            self.channel.event({"kind": "done", "command": name, "number": command["number"], **self.do_info(command)})
        else:
            if name in RUNNING:
                self.given = command["number"]
            self.work.put(command)

    def sample(self, command: dict[str, Any]) -> None:
        state = self.executor.graph.nodes.get(command["node"])
        if (
            self.results is not None
            and state is not None
            and self.results.load_beside(state, lambda: self.sample(command))
        ):
            return
        answer = sample_of(self.executor.graph, command["node"], command["transmitter"])
        self.channel.event({"kind": "done", "command": "sample", "number": command["number"], "error": None, **answer})

    def on_signal(self, _number: int, frame: types.FrameType | None) -> None:
        self.executor.threads.on_signal(frame)
        self.debugging.check_cancelled()
        if self.is_pausing:
            self.is_pausing = False
            self.debugger.pause(frame)
        elif self.executor.active:
            self.debugger.trace_stack(frame)

    def done(self, command: dict[str, Any], error: str | None = None) -> None:
        self.channel.event({"kind": "done", "command": command["command"], "number": command["number"], "error": error})

    def set_breakpoints(self, name: str, command: dict[str, Any]) -> None:
        wanted = command.get("breakpoints")
        nodes = self.executor.graph.nodes
        if wanted is None:
            if name == "clear":
                self.debugger.clear()
        else:
            for key, lines in wanted.items():
                state = nodes.get(int(key)) if key.isdigit() else None
                if state is not None:
                    self.debugger.set_breakpoints(file_name(state.id, state.name), lines if name == "break" else ())
        if not HAS_MONITORING:
            # Only the main thread itself can have what it is running traced.
            os.kill(os.getpid(), SIGNAL)
        self.done(command)

    def thread_exception(self, arguments: threading.ExceptHookArgs) -> None:
        """An exception that ends a thread of node code is reported like one that ends a node."""
        error = arguments.exc_value
        if error is None or isinstance(error, SystemExit):
            return
        if isinstance(error, Interrupted):
            return
        self.debugger.failed(error)
        text, line, function, filename = user_traceback(error)
        node = self.node_files().get(filename or "") or self.current_node() or None
        if node is None:
            self.streams.record(3, text.rstrip("\n"))
        else:
            self.exception(node, line, function, text, error)
