"""All lanes of a worker, and what they tell it."""

from __future__ import annotations

import json
import os
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any, Protocol

from ..output.streams import ERROR, EVENT, RECORD, Channel
from .lane import Lane
from .stop_token import StopToken
from .wire import Message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..execution.graph import NodeState


class Conductor(Protocol):
    """Who decides what runs in the lanes."""

    def on_message(self, lane: Lane, message: Message) -> None: ...
    def on_end(self, lane: Lane, status: int, node: int, report: str) -> None: ...
    def on_stopped(self, lane: Lane, is_stopped: bool) -> None: ...


class Base:
    """How the worker's process was before it did anything."""

    def __init__(self) -> None:
        self.path = list(sys.path)
        self.environment = dict(os.environ)
        self.executable = sys.executable

    def restore(self) -> None:
        sys.path[:] = self.path
        if os.environ != self.environment:
            os.environ.clear()
            os.environ.update(self.environment)
        sys.executable = self.executable


class Lanes:
    def __init__(self, channel: Channel, folder: str) -> None:
        self.channel = channel
        self.folder = folder
        self.token = StopToken()
        self.all: list[Lane] = []
        self.count = 0
        self.conductor: Conductor
        #: What a process of node code begins with: the worker's own changes, for its packages, are not for it.
        self.base = Base()
        #: The session was asked to end: that its lanes end is no news.
        self.is_ending = False
        #: The lane in which node code is stopped.
        self.stopped: Lane | None = None
        self.stopped_node = 0
        #: Stops of other lanes that came before the news that this one goes on.
        self.next_stops: list[tuple[Lane, int, bytes]] = []
        self.stopping = threading.Lock()
        #: Which lane asked a question, and whether its answer is a secret.
        self.questions: dict[int, tuple[Lane, bool]] = {}
        #: What lanes that start later have to be told first.
        self.begin: Callable[[Lane], None] = lambda lane: None
        #: Fills the folder of the bucket that a node stores in.
        self.folder_of: Callable[[int], str] = lambda node: ""

    @property
    def alive(self) -> list[Lane]:
        return [lane for lane in self.all if lane.is_alive]

    def start(self) -> Lane:
        """Only in the main thread."""
        with warnings.catch_warnings():
            # Python warns of forks beside threads: ours hold no lock that the new process would need.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.count += 1
            lane = Lane(self.count, self)
        self.all = [*self.alive, lane]
        self.begin(lane)
        return lane

    def first(self) -> Lane:
        alive = self.alive
        return alive[0] if alive else self.start()

    def send(self, *message: Any) -> None:
        for lane in self.alive:
            lane.send(*message)

    # What they tell

    def on_message(self, lane: Lane, message: Message) -> None:
        if message[0] == "folder":
            _, question, node = message
            threading.Thread(target=self.give_folder, args=(lane, question, node), daemon=True).start()
        else:
            self.conductor.on_message(lane, message)

    def on_event(self, lane: Lane, event: dict[str, Any], body: bytes) -> None:
        kind = event["kind"]
        if kind in ("secret", "file", "ask_password"):
            is_secret = kind == "secret" or (kind == "ask_password" and event.get("hidden") is not False)
            self.questions[event["question"]] = (lane, is_secret)
        elif kind == "withdraw":
            self.questions.pop(event["question"], None)
        elif kind == "break":
            self.stop(lane, event.get("node") or 0, body)
            return
        elif kind == "resumed":
            with self.stopping:
                self.channel.frame(EVENT, body)
                self.go_on(lane)
            return
        elif kind == "lane failed":
            words = f"A process of node code ended: {event['error']}"
            self.channel.text(RECORD, bytes((ERROR,)) + words.encode("utf-8", "backslashreplace"), lane.node)
            return
        self.channel.frame(EVENT, body)

    def stop(self, lane: Lane, node: int, body: bytes) -> None:
        """Each lane is read by its own thread: one may have stopped before the other has said that it goes on."""
        with self.stopping:
            if self.stopped not in (None, lane):
                self.next_stops.append((lane, node, body))
            else:
                self.tell_stop(lane, node, body)

    def tell_stop(self, lane: Lane, node: int, body: bytes) -> None:
        self.stopped, self.stopped_node = lane, node
        self.conductor.on_stopped(lane, True)
        self.channel.frame(EVENT, body)

    def go_on(self, lane: Lane) -> None:
        if self.stopped is not lane:
            return
        self.stopped = None
        self.conductor.on_stopped(lane, False)
        if self.next_stops:
            self.tell_stop(*self.next_stops.pop(0))

    def answer(self, command: dict[str, Any]) -> bool:
        """Whether it was a question of node code."""
        lane, is_secret = self.questions.pop(command["question"], (None, False))
        if lane is None:
            return False
        value = command.get("value")
        if is_secret and isinstance(value, str):
            # A node in another lane may be given it.
            for other in self.alive:
                other.send("mask", value)
        lane.send("reply", json.dumps(command))
        return True

    def give_folder(self, lane: Lane, question: int, node: int) -> None:
        try:
            path, error = self.folder_of(node), ""
        except Exception as failure:
            path, error = "", str(failure) or type(failure).__name__
        lane.send("folder", question, path, error)

    def on_end(self, lane: Lane, status: int, node: int, report: str) -> None:
        self.all = [one for one in self.all if one is not lane]
        if self.is_ending:
            return
        for question, (asker, _) in list(self.questions.items()):
            if asker is lane:
                self.questions.pop(question, None)
                self.channel.event({"kind": "withdraw", "question": question})
        with self.stopping:
            self.next_stops = [one for one in self.next_stops if one[0] is not lane]
            if self.stopped is lane:
                # It cannot give the token back any more.
                self.token.give()
                self.channel.event({"kind": "resumed"})
                self.go_on(lane)
        self.conductor.on_end(lane, status, node, report)

    def close(self) -> None:
        for lane in self.alive:
            lane.send("exit")


def place_of(states: list[NodeState], slots: int) -> dict[int, int]:
    """
    For each node the lane it is for, from 0 on: what can run at the same time is in different lanes, and a node follows
    the first that feeds it as long as nobody else does.
    """
    planned = {state.id for state in states}
    sizes = [0] * max(1, slots)
    placed: dict[int, int] = {}
    followed: set[int] = set()
    for state in states:
        if "share_state" in state.source:
            # All of them in one, also those of a later run.
            placed[state.id] = 0
            continue
        sources = [edge[0] for edge in state.inputs if edge[0] in planned and edge[0] in placed]
        source = next((one for one in sources if one not in followed), None)
        if source is not None:
            followed.add(source)
            lane = placed[source]
        elif sources:
            # The others after a fork: where the least is so far.
            lane = sizes.index(min(sizes))
        else:
            lane = sizes.index(min(sizes))
        placed[state.id] = lane
        sizes[lane] += 1
    return placed


def cores() -> int:
    """As many as the session's policy has, else as the machine has."""
    given = float(os.environ.pop("MIRANDA_PARALLEL", "") or 0)
    if given > 0:
        return max(1, round(given))
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
