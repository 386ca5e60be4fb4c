"""
Which node's code a thread runs, also in threads that node code starts, and how a thread is made to leave it.

Python runs signal handlers in the main thread alone. There a signal ends also what sleeps or waits; in other threads an
exception arrives as soon as Python code runs, and a sleep is woken.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
import types
from _thread import get_ident
from collections.abc import Callable
from typing import Any

from .loader import PACKAGE_FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..lanes.lane_node import LaneNode

#: For the main thread. It pauses as well: the handler knows what was asked for.
SIGNAL = signal.SIGUSR2
MAIN = threading.main_thread().ident or 0
#: Node code that goes on all the same is asked again, but gets the time to tidy up first.
ASK_AGAIN_AFTER = 1.0
#: An import that is cut short leaves half a package behind, with which every later import of it in this session fails.
IMPORT_MAY_TAKE = 5.0
IMPORTER = "<frozen importlib._bootstrap>"

real_sleep = time.sleep
#: Code of ours that may be left at any place.
HARMLESS: set[types.CodeType] = set()


class Interrupted(KeyboardInterrupt):
    """Ends the code of a node: an interrupt, or the time it may take is over."""

    __module__ = "miranda"


class NodeThreads:
    def __init__(self) -> None:
        self.nodes: dict[int, LaneNode] = {}
        #: How many threads that node code started are alive.
        self.children = 0
        self.lock = threading.Lock()
        #: Called when one begins.
        self.on_child: Callable[[], None] = lambda: None
        #: Called in a thread of node code that ends.
        self.on_end: Callable[[int], None] = lambda thread: None
        #: Returns the node that an unknown thread must belong to, because only one runs.
        self.only: Callable[[], LaneNode | None] = lambda: None

    @property
    def current(self) -> LaneNode | None:
        return self.nodes.get(get_ident()) or self.only()

    # Threads that node code starts

    def install(self) -> Callable[[], None]:
        """Lets threads belong to the node that starts them, and sleeps be interrupted. Gives back how to undo it."""
        start = threading.Thread.start
        threads = self

        def start_for_node(thread: threading.Thread) -> None:
            state = threads.nodes.get(get_ident())
            if state is not None:
                thread.run = threads.owned(state, thread.run)  # type: ignore[method-assign]
            start(thread)

        def sleep(seconds: Any, /) -> None:
            state = threads.nodes.get(get_ident())
            if state is None or get_ident() == MAIN or type(seconds) not in (int, float) or seconds <= 0:
                return real_sleep(seconds)
            if wake_of(state).wait(seconds):
                raise interruption(state)

        HARMLESS.add(sleep.__code__)
        sleep.__doc__ = time.sleep.__doc__
        threading.Thread.start = start_for_node  # type: ignore[method-assign]
        time.sleep = sleep

        def undo() -> None:
            threading.Thread.start = start  # type: ignore[method-assign]
            time.sleep = real_sleep

        return undo

    def owned(self, state: LaneNode, run: Callable[[], None]) -> Callable[[], None]:
        def run_for_node() -> None:
            self.nodes[get_ident()] = state
            self.count(1)
            self.on_child()
            try:
                run()
            finally:
                self.on_end(get_ident())
                self.count(-1)
                self.nodes.pop(get_ident(), None)

        return run_for_node

    def count(self, change: int) -> None:
        with self.lock:
            self.children += change

    # Leaving

    def throw(self, state: LaneNode) -> None:
        """Makes every thread of the node leave its code, as soon as that can be done without harm to ours."""
        now = time.monotonic()
        if not state.is_open or now - state.asked_at < ASK_AGAIN_AFTER:
            return
        if state.wake is not None:
            state.wake.set()
        if state.thread == MAIN:
            signal.pthread_kill(MAIN, SIGNAL)
        frames = sys._current_frames()
        for thread, owner in list(self.nodes.items()):
            if owner is state and thread != MAIN and thread in frames and may_leave(state, frames[thread]):
                raise_in(thread)
                if thread == state.thread:
                    state.asked_at = now

    def on_signal(self, frame: types.FrameType | None) -> None:
        """In the main thread, between two instructions of Python."""
        state = self.nodes.get(MAIN)
        if state is None or not state.is_open or state.cut is None or frame is None or not may_leave(state, frame):
            return
        if time.monotonic() - state.asked_at >= ASK_AGAIN_AFTER:
            raise interruption(state)


def interruption(state: LaneNode) -> Interrupted:
    state.asked_at = time.monotonic()
    return Interrupted(state.cut or "")


def wake_of(state: LaneNode) -> threading.Event:
    if state.wake is None:
        state.wake = threading.Event()
    return state.wake


def may_leave(state: LaneNode, frame: types.FrameType) -> bool:
    if is_inside(frame):
        return False
    return time.monotonic() - state.cut_at >= IMPORT_MAY_TAKE or not is_importing(frame)


def is_importing(frame: types.FrameType) -> bool:
    at: types.FrameType | None = frame
    while at is not None and not at.f_code.co_filename.startswith(PACKAGE_FOLDER):
        if at.f_code.co_filename == IMPORTER:
            return True
        at = at.f_back
    return False


def is_inside(frame: types.FrameType) -> bool:
    """Whether it is our own code that runs: it would not survive an exception at any place."""
    at: types.FrameType | None = frame
    while at is not None and at.f_code.co_filename == threading.__file__:
        at = at.f_back
    if at is None or at.f_code in HARMLESS:
        return False
    return at.f_code.co_filename.startswith(PACKAGE_FOLDER)


def raise_in(thread: int) -> None:
    import ctypes

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Interrupted))
