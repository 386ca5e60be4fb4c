"""
Breakpoints, steps and pauses in node code, and nowhere else. On Python 3.12 and later `sys.monitoring` watches the code
that has a breakpoint and costs the rest nothing; before, `sys.settrace` is on only while a node with a breakpoint runs.

Nodes run in several threads. A breakpoint works in each of them; one thread is stopped at a time, and another that
comes to a breakpoint waits until that one goes on. A step stays in its thread.
"""

from __future__ import annotations

import queue
import sys
import threading
import types
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from ..execution.loader import all_codes
from ..execution.node_threads import Interrupted
from ..lanes.stop_token import StopToken
from .breakpoints import Point, point_of, words_of

HAS_MONITORING = hasattr(sys, "monitoring")
STEPS = ("step-over", "step-in", "step-out")
#: What to do when node code raises: nothing, stop where nobody catches it, or stop wherever it comes by.
EXCEPTION_MODES = ("off", "uncaught", "all")
#: A thread that waits here looks this often whether somebody wants to interrupt it.
LOOK_EVERY = 0.1


class Debugger:
    def __init__(
        self,
        on_stop: Callable[[str, int, types.FrameType, queue.SimpleQueue[dict[str, Any]]], str],
        on_log: Callable[[str], None] = print,
        token: StopToken | None = None,
    ) -> None:
        #: Held by the one thread of the session that is stopped, whichever process it is in.
        self.token = token or StopToken()
        self.on_stop = on_stop
        self.on_log = on_log
        self.commands: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.codes: dict[str, list[types.CodeType]] = {}
        self.wanted: dict[str, dict[int, Point]] = {}
        #: Where to stop, by the identity of the code it is in, then by line.
        self.lines: dict[int, dict[int, Point]] = {}
        #: What kind of step, in which thread, from which depth.
        self.step: tuple[str, int, int] | None = None
        self.exceptions = "off"
        #: The next thread that comes to a line of node code stops there.
        self.pausing = False
        #: Whether everything that runs is being interrupted.
        self.is_ending: Callable[[], bool] = lambda: False
        self.stopping = threading.RLock()
        self.stopped = False
        self.stopped_thread = 0
        #: About the present stop: why, in words, and the frames of an exception that has left them already.
        self.note: str | None = None
        self.left_frames: list[tuple[types.FrameType, int]] | None = None
        self.installed = False

    # What is watched

    def add_code(self, filename: str, code: types.CodeType) -> None:
        self.codes[filename] = list(all_codes(code))
        self.resolve(filename)

    def forget(self, filename: str) -> None:
        for code in self.codes.pop(filename, []):
            self.lines.pop(id(code), None)

    def set_breakpoints(self, filename: str, points: Iterable[Any]) -> None:
        """Lines, or objects with a line and a condition or a log message."""
        found = [point_of(given) for given in points]
        self.wanted[filename] = {point.line: point for point in found if point is not None}
        self.resolve(filename)

    def also_stop_at(self, filename: str, line: int) -> None:
        self.wanted.setdefault(filename, {})[line] = Point(line)
        self.resolve(filename)

    def clear(self) -> None:
        for filename in list(self.wanted):
            self.set_breakpoints(filename, ())

    def begin(self) -> None:
        """
        Called before code runs for a person. Conditions and log messages are code of the people who set them, and must
        not run with another person's secrets: only those that come with the command itself stay.
        """
        self.exceptions = "off"
        self.end_pause()
        for filename, points in list(self.wanted.items()):
            if not all(point.is_plain for point in points.values()):
                self.wanted[filename] = {line: point for line, point in points.items() if point.is_plain}
                self.resolve(filename)

    def set_exceptions(self, mode: str) -> None:
        self.exceptions = mode if mode in EXCEPTION_MODES else "off"
        if HAS_MONITORING and (self.installed or self.exceptions == "all"):
            self.install()
            sys.monitoring.set_events(self.tool, sys.monitoring.events.RAISE if self.exceptions == "all" else 0)

    def has_breakpoints(self, filename: str) -> bool:
        return any(id(code) in self.lines for code in self.codes.get(filename, ()))

    @property
    def is_active(self) -> bool:
        """Whether a node that is about to run has to be traced, before Python 3.12."""
        return bool(self.lines) or self.step is not None or self.pausing or self.exceptions == "all"

    def resolve(self, filename: str) -> None:
        """A breakpoint on a line without code moves down to the next that has some; below the last there is none."""
        codes = self.codes.get(filename, [])
        own = {id(code): {line for _, _, line in code.co_lines() if line} for code in codes}
        executable = sorted({line for lines in own.values() for line in lines})
        found: dict[int, Point] = {}
        for line, point in self.wanted.get(filename, {}).items():
            following = next((other for other in executable if other >= line), None)
            if following is not None:
                found[following] = point
        for code in codes:
            points = {line: point for line, point in found.items() if line in own[id(code)]}
            if points:
                self.lines[id(code)] = points
            else:
                self.lines.pop(id(code), None)
        self.watch(codes)

    def watch(self, codes: Iterable[types.CodeType]) -> None:
        if not HAS_MONITORING:
            return
        is_stepping = self.step is not None or self.pausing
        if not self.installed:
            if not self.lines and not is_stepping:
                return
            self.install()
        monitoring = sys.monitoring
        for code in codes:
            wants = is_stepping or id(code) in self.lines
            monitoring.set_local_events(self.tool, code, monitoring.events.LINE if wants else 0)
        # Watch lines again that were switched off with DISABLE.
        monitoring.restart_events()

    def install(self) -> None:
        if self.installed:
            return
        monitoring = sys.monitoring
        for tool in (monitoring.DEBUGGER_ID, 3, 4):
            if monitoring.get_tool(tool) is None:
                break
        self.tool = tool
        monitoring.use_tool_id(tool, "miranda")
        monitoring.register_callback(tool, monitoring.events.LINE, self.on_line)
        monitoring.register_callback(tool, monitoring.events.RAISE, self.on_raise)
        self.installed = True

    def watch_all(self) -> None:
        for codes in list(self.codes.values()):
            self.watch(codes)

    # Python 3.12 and later

    def on_line(self, code: types.CodeType, line: int) -> Any:
        points = self.lines.get(id(code))
        point = points.get(line) if points is not None else None
        if point is None and self.step is None and not self.pausing:
            return sys.monitoring.DISABLE
        if not self.stopped_here():
            self.look_at(sys._getframe(1), line, point)
        return None

    def on_raise(self, code: types.CodeType, offset: int, error: BaseException) -> None:
        if code.co_filename in self.codes and not self.stopped_here():
            self.raised(sys._getframe(1), error, error.__traceback__)

    # Python 3.11

    def enter(self, filename: str) -> None:
        """Called before a node's code runs, in the thread that runs it."""
        if HAS_MONITORING:
            return
        if self.step is not None or self.pausing or self.exceptions == "all" or self.has_breakpoints(filename):
            threading.settrace(self.trace_call)
            sys.settrace(self.trace_call)

    def leave(self) -> None:
        if not HAS_MONITORING and sys.gettrace() is not None:
            threading.settrace(None)  # type: ignore[arg-type]
            sys.settrace(None)

    def is_traced(self, code: types.CodeType) -> bool:
        if id(code) in self.lines:
            return True
        follows = self.step is not None or self.pausing or self.exceptions == "all"
        return follows and code.co_filename in self.codes

    def trace_call(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        return self.trace_line if self.is_traced(frame.f_code) else None

    def trace_line(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        if event == "line" and not self.stopped_here():
            line = frame.f_lineno
            point = self.lines.get(id(frame.f_code), {}).get(line)
            if point is not None or self.step is not None or self.pausing:
                self.look_at(frame, line, point)
        elif event == "exception" and self.exceptions == "all" and not self.stopped_here():
            self.raised(frame, argument[1], argument[2])
        return self.trace_line

    def stopped_here(self) -> bool:
        return self.stopped and self.stopped_thread == threading.get_ident()

    # Whether to stop

    def look_at(self, frame: types.FrameType, line: int, point: Point | None) -> None:
        if point is not None:
            reason, note = "breakpoint", None
            try:
                if point.holds(frame):
                    if point.log is None:
                        return self.stop(reason, frame, line, point=point)
                    self.on_log(point.message(frame))
            except (Exception, SystemExit) as error:
                what = "condition" if point.log is None else "log message"
                note = f"The {what} of this breakpoint raised {words_of(error)}"
                return self.stop(reason, frame, line, note, point)
        step = self.step
        if step is not None and self.step_ends(step, frame):
            self.stop("step", frame, line)
        elif self.pausing:
            self.stop("pause", frame, line)

    def step_ends(self, step: tuple[str, int, int], frame: types.FrameType) -> bool:
        kind, thread, depth = step
        if thread != threading.get_ident():
            return False
        if kind == "step-in":
            return True
        return depth_of(frame) <= depth if kind == "step-over" else depth_of(frame) < depth

    def raised(self, frame: types.FrameType, error: BaseException, at: types.TracebackType | None) -> None:
        """An exception has come to node code. It comes by again on its way out, and to those who call: stop once."""
        if not isinstance(error, Exception) or isinstance(error, (StopIteration, StopAsyncIteration)):
            return
        while at is not None:
            if at.tb_frame is not frame and at.tb_frame.f_code.co_filename in self.codes:
                return
            at = at.tb_next
        self.stop("exception", frame, frame.f_lineno, words_of(error))

    def failed(self, error: BaseException) -> None:
        """Nobody has caught it. Its frames are over, but their variables can still be looked at."""
        if self.exceptions != "uncaught" or not isinstance(error, Exception) or self.stopped_here():
            return
        #: The innermost first.
        frames: deque[tuple[types.FrameType, int]] = deque()
        at = error.__traceback__
        while at is not None:
            frames.appendleft((at.tb_frame, at.tb_lineno))
            at = at.tb_next
        while frames and frames[0][0].f_code.co_filename not in self.codes:
            # The line of the node that called a library explains more than the line of the library.
            frames.popleft()
        if frames:
            frame, line = frames[0]
            self.stop("exception", frame, line, words_of(error), left_frames=list(frames))

    def pause(self, frame: types.FrameType | None) -> None:
        """
        Stops the main thread where it is in node code; called by a signal, between two instructions. When it is not in
        node code, the first thread that comes to a line of node code is stopped there.
        """
        while frame is not None and frame.f_code.co_filename not in self.codes:
            frame = frame.f_back
        if self.stopped:
            return
        if frame is not None:
            self.stop("pause", frame, frame.f_lineno)
        else:
            self.pause_soon()

    def pause_soon(self) -> None:
        self.pausing = True
        if HAS_MONITORING:
            self.watch_all()
            return
        # Threads that are traced already look at the next line of what they run; others at the next node.
        for frame in list(sys._current_frames().values()):
            self.trace_frames(frame)

    def end_pause(self) -> None:
        if self.pausing or self.step is not None:
            self.pausing = False
            self.step = None
            self.watch_all()

    # Stopping

    def stop(
        self,
        reason: str,
        frame: types.FrameType,
        line: int,
        note: str | None = None,
        point: Point | None = None,
        left_frames: list[tuple[types.FrameType, int]] | None = None,
    ) -> None:
        # In short waits: a thread that waits for a lock could not be interrupted.
        while not self.stopping.acquire(timeout=LOOK_EVERY):
            if self.is_ending():
                return
        has_token = False
        try:
            while not has_token:
                if self.is_ending():
                    return
                has_token = self.token.take(LOOK_EVERY)
            if self.is_ending():
                # It is interrupted: nobody waits for where it comes by on its way out.
                return
            if point is not None and line not in self.lines.get(id(frame.f_code), ()):
                # Taken away while this thread waited for another to go on.
                return
            self.stopped, self.stopped_thread = True, threading.get_ident()
            self.note, self.left_frames = note, left_frames
            self.pausing = False
            if self.step is not None and self.step[1] == self.stopped_thread:
                self.step = None
            while not self.commands.empty():
                self.commands.get()
            try:
                command = self.on_stop(reason, line, frame, self.commands)
            finally:
                self.stopped = False
                self.note = self.left_frames = None
            if command == "interrupt" and left_frames is None:
                raise Interrupted(command)
            if command in STEPS and left_frames is None:
                self.step = (str(command), threading.get_ident(), depth_of(frame))
            if HAS_MONITORING:
                self.watch_all()
            else:
                self.trace_stack(frame)
        finally:
            if has_token:
                self.token.give()
            self.stopping.release()

    def trace_stack(self, frame: types.FrameType | None) -> None:
        """Python 3.11: functions that run already are traced from now on, if something in them is to be stopped at."""
        if not self.is_active:
            return
        threading.settrace(self.trace_call)
        sys.settrace(self.trace_call)
        self.trace_frames(frame)

    def trace_frames(self, frame: types.FrameType | None) -> None:
        while frame is not None:
            if self.is_traced(frame.f_code):
                frame.f_trace = self.trace_line
            frame = frame.f_back


def depth_of(frame: types.FrameType | None) -> int:
    depth = 0
    while frame is not None:
        depth += 1
        frame = frame.f_back
    return depth
