"""
One lane: a process forked from the worker in which node code runs, one node at a time. Its main thread runs the code, a
second one reads what the worker sends, a third one reports.
"""

from __future__ import annotations

import builtins
import os
import queue
import signal
import socket
import sys
import threading
import types
from collections.abc import Callable
from select import POLLIN, poll
from time import perf_counter
from typing import Any

from .. import services
from ..debugging.debug_session import Debugging
from ..debugging.debugger import HAS_MONITORING
from ..execution import child_modules
from ..execution.loader import file_name, user_traceback
from ..execution.node_threads import SIGNAL, Interrupted
from ..isolation.process_state import ProcessState
from ..isolation.reads import Reads
from ..output.streams import FLUSH_EVERY, Streams, install_logging
from ..output.tqdm_bars import watch_tqdm
from ..worker.process_limits import die_with
from .lane_host import LaneHost
from .lane_interrupts import LaneInterrupts
from .lane_jobs import LaneJobs
from .lane_reports import LaneReports
from .node_runs import NodeRuns
from .stop_token import StopToken
from .wire import LaneChannel, Reader

#: How long a node runs before what waits behind it is given back, in milliseconds.
MOMENT = 2
#: After so many moments with nothing to give back, the reader sleeps until there is something.
QUIET = 25
#: Between two looks for something to report while nothing runs, in seconds.
IDLE = 0.1


class LaneProcess:
    def __init__(self, link: socket.socket, notes: int, token: StopToken, folder: str) -> None:
        self.link = link
        self.folder = folder
        self.channel = LaneChannel(link)
        self.streams = Streams(self.channel)
        self.nodes: dict[int, Any] = {}
        self.reports = LaneReports(self.channel, self.streams, notes, self.nodes)
        self.debugging = Debugging(self.channel, self.streams, self.report, token)
        self.debugger = self.debugging.debugger
        self.runs = self.debugging.runs = NodeRuns(self.debugger, self.reports)
        self.runs.nodes = self.nodes
        self.channel.node = self.current_node
        self.jobs = LaneJobs(self)
        self.host = LaneHost(self.reports, self.runs, self.jobs.folder_of)
        self.interrupts = LaneInterrupts(self.runs, self.debugger, self.host.questions, self.channel)
        self.work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self.is_pausing = False
        #: Breakpoints by node.
        self.wanted: dict[int, list[Any]] = {}
        self.waker = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self.runs.look_out = lambda: os.eventfd_write(self.waker, 1)

    def current_node(self) -> int:
        current = self.runs.current
        return current.id if current is not None else 0

    def report(self) -> None:
        self.reports.send_batch()

    def before_batch(self, has_ended: bool) -> None:
        self.host.outputs.send_waiting(is_end=has_ended)
        self.host.metrics.send_waiting(is_end=has_ended)

    def serve(self, parent: int) -> None:
        """In the main thread of the fork. Never returns."""
        try:
            self.begin(parent)
            while True:
                task = self.work.get()
                self.interrupts.begin_task()
                task()
                self.interrupts.end_task()
                if os.getpid() != self.channel.owner:
                    # A fork that node code let run on past its own run would answer a second time.
                    self.streams.flush()
                    os._exit(0)
        except BaseException as error:
            self.channel.event({"kind": "lane failed", "error": f"{type(error).__name__}: {error}"[:500]})
            os._exit(70)

    def begin(self, parent: int) -> None:
        sys.stdout, sys.stderr = self.streams.stdout, self.streams.stderr
        sys.__stdout__, sys.__stderr__ = sys.stdout, sys.stderr
        sys.path.insert(0, self.folder)
        child_modules.begin(self.folder)
        install_logging(self.streams)
        services.set_host(self.host)
        watch_tqdm(self.host.bars, self.host.node)
        die_with(parent)
        signal.signal(SIGNAL, self.on_signal)
        self.runs.threads.install()
        self.reports.before_batch = self.before_batch
        self.reports.bars = self.host.bars
        builtins.input = self.host.ask_input
        threading.excepthook = self.thread_exception
        self.write_in_order()
        self.runs.state = ProcessState()
        self.runs.reads = Reads(dict(os.environ))
        threading.Thread(target=self.flush_forever, daemon=True, name="miranda-flush").start()
        threading.Thread(target=self.read, daemon=True, name="miranda-lane").start()

    def write_in_order(self) -> None:
        """What node code writes to the descriptors itself comes after what it has printed before."""
        write, owner, streams = os.write, os.getpid(), self.streams
        outlets = {1: streams.stdout, 2: streams.stderr}

        def write_in_order(fd: int, data: Any, /) -> int:
            if fd in outlets and os.getpid() == owner:
                outlets[fd].flush()
                return outlets[fd].pipe.write(memoryview(data).cast("B"))
            return write(fd, data)

        write_in_order.__doc__, write_in_order.__name__ = write.__doc__, "write"
        os.write = write_in_order

    # The thread that reports

    def flush_forever(self) -> None:
        wait = threading.Event().wait
        while True:
            is_quiet = not self.interrupts.is_busy and not self.runs.threads.children
            wait(IDLE if is_quiet else FLUSH_EVERY)
            self.streams.tick()
            self.reports.send_batch(is_tick=True)

    # The thread that reads

    def read(self) -> None:
        reader = Reader(self.link)
        waiting = poll()
        waiting.register(self.link, POLLIN)
        waiting.register(self.waker, POLLIN)
        quiet = 0
        runs = self.runs
        while True:
            is_watching = self.interrupts.is_busy and quiet < QUIET
            if not is_watching:
                runs.is_watched = False
            found = waiting.poll(MOMENT if is_watching or runs.ready else runs.until_next())
            runs.is_watched = True
            quiet = quiet + 1 if is_watching else 0
            runs.end_late()
            if self.interrupts.is_busy and runs.ready:
                quiet = 0
                if runs.firing is not None and (perf_counter() - runs.fired_at) * 1_000 >= MOMENT:
                    runs.give_back()
            for fd, _ in found:
                if fd == self.waker:
                    os.eventfd_read(self.waker)
                    quiet = 0
                    continue
                frames = reader.read()
                if frames is None:
                    # The worker is gone: nothing would ever read our output or stop us.
                    os._exit(70)
                for _, body, file in frames:
                    self.receive(body, file)
                    quiet = 0

    def receive(self, body: bytes, file: int | None) -> None:
        try:
            self.jobs.receive(body, file)
        except Exception as error:
            self.reports.remark(3, f"{type(error).__name__}: {error}")

    # Debugging

    def on_signal(self, _number: int, frame: types.FrameType | None) -> None:
        self.runs.threads.on_signal(frame)
        self.debugging.check_cancelled()
        if self.is_pausing:
            self.is_pausing = False
            self.debugger.pause(frame)
        elif self.runs.firing is not None:
            self.debugger.trace_stack(frame)

    def pause(self) -> None:
        self.is_pausing = True
        os.kill(os.getpid(), SIGNAL)

    def set_breakpoints(self, wanted: dict[int, list[Any]]) -> None:
        """All there are: those of nodes that come later wait for them."""
        self.debugger.clear()
        self.wanted = wanted
        self.watch(list(wanted))
        if not HAS_MONITORING:
            # Only the main thread itself can have what it is running traced.
            os.kill(os.getpid(), SIGNAL)

    def watch(self, keys: list[int]) -> None:
        for key in keys:
            node = self.nodes.get(key)
            if node is not None and key in self.wanted:
                self.debugger.set_breakpoints(file_name(node.id, node.name), self.wanted[key])

    def thread_exception(self, arguments: threading.ExceptHookArgs) -> None:
        """An exception that ends a thread of node code is reported like one that ends a node."""
        error = arguments.exc_value
        if error is None or isinstance(error, (SystemExit, Interrupted)):
            return
        self.debugger.failed(error)
        text, line, function, filename = user_traceback(error)
        node = self.reports.node_files().get(filename or "") or self.current_node() or None
        if node is None:
            self.streams.record(3, text.rstrip("\n"))
        else:
            self.reports.exception(node, line, function, text, error)
