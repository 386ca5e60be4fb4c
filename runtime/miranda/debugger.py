"""
Breakpoints, steps and pauses in node code, and nowhere else. On Python 3.12 and later `sys.monitoring` watches the code
that has a breakpoint and costs the rest nothing; before, `sys.settrace` is on only while a node with a breakpoint runs.
"""

from __future__ import annotations

import queue
import sys
import threading
import types
from typing import Any, Callable, Iterable

from .loader import all_codes
from .node_threads import Interrupted

HAS_MONITORING = hasattr(sys, "monitoring")
STEPS = ("step-over", "step-in", "step-out")



class Debugger:
    def __init__(self, on_stop: Callable[[str, int, types.FrameType, queue.SimpleQueue[dict[str, Any]]], str]) -> None:
        self.on_stop = on_stop
        self.commands: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.codes: dict[str, list[types.CodeType]] = {}
        self.wanted: dict[str, set[int]] = {}
        #: Lines to stop at, by the identity of the code they are in.
        self.lines: dict[int, set[int]] = {}
        self.step: tuple[str, int, int] | None = None
        self.stopping = threading.RLock()
        self.stopped = False
        self.installed = False

    # What is watched

    def add_code(self, filename: str, code: types.CodeType) -> None:
        self.codes[filename] = list(all_codes(code))
        self.resolve(filename)

    def forget(self, filename: str) -> None:
        for code in self.codes.pop(filename, []):
            self.lines.pop(id(code), None)

    def set_breakpoints(self, filename: str, lines: Iterable[int]) -> None:
        self.wanted[filename] = {line for line in lines if line > 0}
        self.resolve(filename)

    def clear(self) -> None:
        for filename in list(self.wanted):
            self.set_breakpoints(filename, ())

    def has_breakpoints(self, filename: str) -> bool:
        return any(id(code) in self.lines for code in self.codes.get(filename, ()))

    def resolve(self, filename: str) -> None:
        """A breakpoint on a line without code moves down to the next that has some; below the last there is none."""
        codes = self.codes.get(filename, [])
        own = {id(code): {line for _, _, line in code.co_lines() if line} for code in codes}
        executable = sorted(set().union(*own.values())) if own else []
        found = set()
        for line in self.wanted.get(filename, ()):
            following = next((other for other in executable if other >= line), None)
            if following is not None:
                found.add(following)
        for code in codes:
            lines = own[id(code)] & found
            if lines:
                self.lines[id(code)] = lines
            else:
                self.lines.pop(id(code), None)
        self.watch(codes)

    def watch(self, codes: Iterable[types.CodeType]) -> None:
        if not HAS_MONITORING:
            return
        if not self.installed:
            if not self.lines and self.step is None:
                return
            self.install()
        monitoring = sys.monitoring
        for code in codes:
            wants = self.step is not None or id(code) in self.lines
            monitoring.set_local_events(self.tool, code, monitoring.events.LINE if wants else 0)
        # A line that said it needs no watching is asked again.
        monitoring.restart_events()

    def install(self) -> None:
        monitoring = sys.monitoring
        for tool in (monitoring.DEBUGGER_ID, 3, 4):
            if monitoring.get_tool(tool) is None:
                break
        self.tool = tool
        monitoring.use_tool_id(tool, "miranda")
        monitoring.register_callback(tool, monitoring.events.LINE, self.on_line)
        self.installed = True

    def watch_all(self) -> None:
        for codes in list(self.codes.values()):
            self.watch(codes)

    # Python 3.12 and later

    def on_line(self, code: types.CodeType, line: int) -> Any:
        step = self.step
        if step is None:
            lines = self.lines.get(id(code))
            if lines is None or line not in lines:
                return sys.monitoring.DISABLE
            self.stop("breakpoint", sys._getframe(1), line)
            return None
        frame = sys._getframe(1)
        if line in self.lines.get(id(code), ()):
            self.stop("breakpoint", frame, line)
        elif self.step_ends(step, frame):
            self.stop("step", frame, line)
        return None

    # Python 3.11

    def enter(self, filename: str) -> None:
        """Called before a node's code runs."""
        if not HAS_MONITORING and (self.step is not None or self.has_breakpoints(filename)):
            threading.settrace(self.trace_call)
            sys.settrace(self.trace_call)

    def leave(self) -> None:
        if not HAS_MONITORING and sys.gettrace() is not None:
            threading.settrace(None)  # type: ignore[arg-type]
            sys.settrace(None)

    def trace_call(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        if id(frame.f_code) in self.lines or (self.step is not None and frame.f_code.co_filename in self.codes):
            return self.trace_line
        return None

    def trace_line(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        if event == "line" and not self.stopped_here():
            step, line = self.step, frame.f_lineno
            if line in self.lines.get(id(frame.f_code), ()):
                self.stop("breakpoint", frame, line)
            elif step is not None and self.step_ends(step, frame):
                self.stop("step", frame, line)
        return self.trace_line

    def stopped_here(self) -> bool:
        return self.stopped and self.stopped_thread == threading.get_ident()

    # Stopping

    def step_ends(self, step: tuple[str, int, int], frame: types.FrameType) -> bool:
        kind, thread, depth = step
        if thread != threading.get_ident():
            return False
        if kind == "step-in":
            return True
        return depth_of(frame) <= depth if kind == "step-over" else depth_of(frame) < depth

    def pause(self, frame: types.FrameType | None) -> None:
        """Stops the main thread where it is in node code; called by a signal, between two instructions."""
        while frame is not None and frame.f_code.co_filename not in self.codes:
            frame = frame.f_back
        if frame is not None and not self.stopped:
            self.stop("pause", frame, frame.f_lineno)

    def stop(self, reason: str, frame: types.FrameType, line: int) -> None:
        with self.stopping:
            self.stopped, self.stopped_thread = True, threading.get_ident()
            self.step = None
            while not self.commands.empty():
                self.commands.get()
            try:
                command = self.on_stop(reason, line, frame, self.commands)
            finally:
                self.stopped = False
            if command == "interrupt":
                raise Interrupted(command)
            if command in STEPS:
                depth = depth_of(frame)
                self.step = (str(command), threading.get_ident(), depth)
            if HAS_MONITORING:
                self.watch_all()
            else:
                self.trace_stack(frame)

    def trace_stack(self, frame: types.FrameType | None) -> None:
        """Python 3.11: functions that run already are traced from now on, if something in them is to be stopped at."""
        if self.step is None and not self.lines:
            return
        threading.settrace(self.trace_call)
        sys.settrace(self.trace_call)
        while frame is not None:
            code = frame.f_code
            if id(code) in self.lines or (self.step is not None and code.co_filename in self.codes):
                frame.f_trace = self.trace_line
            frame = frame.f_back


def depth_of(frame: types.FrameType | None) -> int:
    depth = 0
    while frame is not None:
        depth += 1
        frame = frame.f_back
    return depth
