"""What the worker does at a stop, in the stopped thread: reports the place and answers questions until it continues."""

from __future__ import annotations

import queue
import signal
import sys
import threading
import types
from collections.abc import Callable
from time import perf_counter
from typing import Any

from ..execution.loader import is_ours
from ..lanes.stop_token import StopToken
from ..output.streams import Channel, Streams
from .breakpoints import words_of
from .debugger import LOOK_EVERY, STEPS, Debugger
from .locals_tree import Budget, References, locals_tree, unfold, value_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..lanes.node_runs import NodeRuns

#: Commands that only a stopped program can obey.
AT_A_STOP = ("continue", "evaluate", "unfold", "frame", *STEPS)
MOST_FRAMES = 100
LONGEST_OUTPUT = 20_000
LONGEST_ERROR = 2_000
NOT_PAUSED = "The processor is not paused any more."


class EvaluationStopped(BaseException):
    """
    Ends an evaluation that takes too long. Not an Exception, so that what is evaluated does not catch it by accident.
    """


class Debugging:
    def __init__(self, channel: Channel, streams: Streams, report: Callable[[], None], token: StopToken) -> None:
        self.channel = channel
        self.streams = streams
        self.report = report
        self.debugger = Debugger(self.on_stop, lambda text: streams.record(1, text), token)
        #: The nodes whose code runs here.
        self.runs: NodeRuns
        self.references = References()
        self.frames: list[tuple[types.FrameType, int]] = []
        self.lock = threading.Lock()
        #: The thread that evaluates something now, and whether it was asked to stop.
        self.evaluating: int | None = None
        self.is_cancelled = False

    # In the thread that reads commands

    def receive(self, command: dict[str, Any]) -> bool:
        """Takes the commands that are about debugging; False: it is another."""
        name = command["command"]
        if name in AT_A_STOP:
            if self.debugger.stopped:
                self.debugger.commands.put(command)
            else:
                self.done(command, NOT_PAUSED)
        elif name == "cancel-evaluate":
            self.cancel()
            self.done(command)
        elif name == "exceptions":
            self.debugger.set_exceptions(command["mode"])
            self.done(command)
        else:
            return False
        return True

    def done(self, command: dict[str, Any], error: str | None = None, **more: Any) -> None:
        number = command["number"]
        self.channel.event({"kind": "done", "command": command["command"], "number": number, "error": error, **more})

    def cancel(self) -> bool:
        """Ends what is being evaluated, if something is. The program stays where it is stopped."""
        with self.lock:
            thread = self.evaluating
            if thread is None:
                return False
            self.is_cancelled = True
            if thread == threading.main_thread().ident:
                # A signal also ends a sleep, if it comes to that thread and no other.
                signal.pthread_kill(thread, signal.SIGUSR2)
            else:
                raise_in(thread, EvaluationStopped)
            return True

    def check_cancelled(self) -> None:
        """Called by the signal's handler, in the main thread."""
        if self.is_cancelled and self.evaluating == threading.get_ident():
            raise EvaluationStopped

    # In the thread that stopped

    def on_stop(
        self, reason: str, line: int, frame: types.FrameType, commands: queue.SimpleQueue[dict[str, Any]]
    ) -> str:
        nodes = self.runs.reports.node_files()
        self.frames = self.debugger.left_frames or frames_from(frame, line)
        self.frames = user_frames(self.frames, self.debugger.codes)
        self.streams.flush()
        self.report()
        self.channel.event(
            {
                "kind": "break",
                "reason": reason,
                "node": nodes.get(frame.f_code.co_filename),
                "line": line,
                "function": frame.f_code.co_name[:1_000],
                "note": self.debugger.note,
                "stack": [described(one, at, nodes) for one, at in self.frames],
                **self.variables(frame),
            }
        )
        began = perf_counter()
        command: dict[str, Any] | None = None
        try:
            while command is None:
                command = self.answer(self.wait(commands))
            lines = command.get("lines")
            if lines is not None:
                self.debugger.set_breakpoints(frame.f_code.co_filename, lines)
            return str(command["command"])
        finally:
            # Also when an interrupt ends the wait.
            self.references.clear()
            self.frames = []
            current = self.runs.current
            if current is not None:
                current.away += perf_counter() - began
            self.channel.event({"kind": "resumed"})
            # An interrupt is no command to the one who is stopped.
            if command is not None and "number" in command:
                self.done(command)

    def wait(self, commands: queue.SimpleQueue[dict[str, Any]]) -> dict[str, Any]:
        while True:
            try:
                # In short waits: one that never ends could not be interrupted.
                return commands.get(timeout=LOOK_EVERY)
            except queue.Empty:
                pass

    def answer(self, command: dict[str, Any]) -> dict[str, Any] | None:
        """Answers a question; a command to go on comes back."""
        name = command["command"]
        if name == "evaluate":
            self.evaluate(command)
        elif name == "unfold":
            self.unfold(command)
        elif name == "frame":
            at: int = command["frame"]
            if at < len(self.frames):
                self.done(command, frame=at, **self.variables(self.frames[at][0]))
            else:
                self.done(command, "There is no such frame.", frame=at)
        else:
            return command
        return None

    def variables(self, frame: types.FrameType) -> dict[str, Any]:
        budget = Budget(self.references)
        return {"locals": locals_tree(frame.f_locals, budget), "cuts": budget.cuts}

    def unfold(self, command: dict[str, Any]) -> None:
        reference, start = command["reference"], command["from"]
        place = {"reference": reference, "from": start}
        if reference not in self.references.values:
            return self.done(command, "This value is not there any more.", **place)
        try:
            answer = unfold(self.references.values[reference], start, self.references)
        except Exception as error:
            # Another thread may change it meanwhile.
            return self.done(command, words_of(error)[:LONGEST_ERROR], **place)
        self.done(command, **place, **answer)

    def evaluate(self, command: dict[str, Any]) -> None:
        current = self.runs.current
        if current is not None:
            # It may change what the node makes.
            current.evaluated = True
        expression, at = command.get("expression", ""), command.get("frame") or 0
        answer: dict[str, Any] = {"expression": expression, "frame": at, "value": None, "cuts": [], "output": ""}
        if at >= len(self.frames):
            return self.done(command, "There is no such frame.", **answer)
        recorder = Recorder()
        error: str | None = None
        interrupt: BaseException | None = None
        timer = threading.Timer(command["seconds"], self.cancel) if command.get("seconds") else None
        try:
            try:
                with self.lock:
                    self.evaluating, self.is_cancelled = threading.get_ident(), False
                if timer is not None:
                    timer.daemon = True
                    timer.start()
                with recorder:
                    value = run_in(expression, self.frames[at][0])
                    budget = Budget(self.references)
                    answer["value"], answer["cuts"] = value_tree(value, budget), budget.cuts
            finally:
                with self.lock:
                    self.evaluating = None
                # What was raised to end it comes now at the latest, and not while something is being sent.
                for _ in range(10):
                    pass
        except EvaluationStopped:
            error = "Stopped: it took too long." if timer is not None else "Stopped."
        except (Exception, SystemExit, GeneratorExit) as raised:
            error = words_of(raised)[:LONGEST_ERROR]
        except BaseException as raised:
            # The run is being interrupted, and not only this.
            error, interrupt = "Interrupted.", raised
        finally:
            if timer is not None:
                timer.cancel()
        answer["output"] = recorder.text()
        self.streams.flush()
        self.done(command, error, **answer)
        if interrupt is not None:
            raise interrupt


def frames_from(frame: types.FrameType | None, line: int) -> list[tuple[types.FrameType, int]]:
    found: list[tuple[types.FrameType, int]] = []
    while frame is not None:
        found.append((frame, line if not found else frame.f_lineno))
        frame = frame.f_back
    return found


def user_frames(frames: list[tuple[types.FrameType, int]], codes: Any) -> list[tuple[types.FrameType, int]]:
    """Without ours, and without whatever called the outermost node code. The innermost come first."""
    own = [one for one in frames if not is_ours(one[0].f_code.co_filename)]
    while own and own[-1][0].f_code.co_filename not in codes:
        own.pop()
    return own[:MOST_FRAMES]


def described(frame: types.FrameType, line: int | None, nodes: dict[str, int]) -> dict[str, Any]:
    filename = frame.f_code.co_filename
    node = nodes.get(filename)
    short = "" if node is not None else "/".join(filename.split("/")[-3:])[-300:]
    return {"node": node, "line": line or 0, "function": frame.f_code.co_name[:300], "file": short}


def run_in(text: str, frame: types.FrameType) -> Any:
    """The value of an expression, or of the last line of statements when that is one."""
    import ast

    tree = ast.parse(text.strip("\n") if text[:1] not in " \t" else text.strip(), "<console>", "exec")
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        tree.body.pop()
    else:
        last = None
    variables = frame.f_locals
    space = frame.f_globals
    if "global " not in text and variables is not space and has_functions(tree, last):
        # A function inside sees globals only: without this, a lambda would not know the variables of the frame.
        space = {**space, **variables}
    try:
        if tree.body:
            exec(compile(tree, "<console>", "exec"), space, variables)
        if last is not None:
            return eval(compile(ast.Expression(last.value), "<console>", "eval"), space, variables)
        return None
    finally:
        keep_locals(frame)


def has_functions(tree: Any, last: Any) -> bool:
    import ast

    kinds = (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.GeneratorExp)
    kinds += (ast.ListComp, ast.SetComp, ast.DictComp)
    nodes = [*ast.walk(tree), *(ast.walk(last) if last is not None else ())]
    return any(isinstance(node, kinds) for node in nodes)


def keep_locals(frame: types.FrameType) -> None:
    """Before Python 3.13, what was assigned to a function's variables has to be written back."""
    if sys.version_info < (3, 13):
        import ctypes

        ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))


def raise_in(thread: int, kind: type[BaseException]) -> None:
    """Raises an exception in another thread at its next instruction."""
    import ctypes

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(kind))


class Recorder:
    """Keeps what one thread prints, while it goes to the log as always."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.left = LONGEST_OUTPUT
        self.thread = threading.get_ident()

    def __enter__(self) -> None:
        self.before = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = RecordedStream(sys.stdout, self), RecordedStream(sys.stderr, self)  # type: ignore[assignment]

    def __exit__(self, *_: object) -> None:
        sys.stdout, sys.stderr = self.before

    def record(self, text: str) -> None:
        if self.left > 0 and threading.get_ident() == self.thread:
            self.parts.append(text[: self.left])
            self.left -= len(text)

    def text(self) -> str:
        return "".join(self.parts) + ("…" if self.left < 0 else "")


class RecordedStream:
    def __init__(self, stream: Any, recorder: Recorder) -> None:
        self._stream = stream
        self._recorder = recorder

    def write(self, text: str) -> int:
        if isinstance(text, str):
            self._recorder.record(text)
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
