"""What a lane tells the worker: what its nodes did, in batches, and what went wrong."""

from __future__ import annotations

import json
import os
import re
import signal
import threading
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any

from ..debugging.crash_frames import CrashFrames
from ..debugging.masks import Masks
from ..execution.loader import file_name
from ..output.progress_bars import Bars
from ..output.streams import Streams
from .wire import LaneChannel

LONGEST_TRACEBACK = 20_000
#: The longest traceback in a report. The agent ends a session that sends a longer one.
LONGEST_REPORTED = 200_000
#: Of the notes that a lane leaves: the node that runs, then the words of Python's own fault handler.
NUMBERS = 8
NOTES_SIZE = 64 << 10
#: Makes a lane note where it is, whatever it does. Node code hardly uses it.
PLACE_SIGNAL = signal.SIGRTMIN + 5
FRAME = re.compile(r'  File "(.{1,1000})", line (\d{1,9}) in (.{1,500})')
ENDS = {"ended": "done", "failed": "error"}


class LaneReports:
    def __init__(self, channel: LaneChannel, streams: Streams, notes: int, nodes: dict[int, Any]) -> None:
        self.channel = channel
        self.streams = streams
        self.nodes = nodes
        #: What nodes did and sent since the last batch.
        self.batch: list[tuple[Any, ...]] = []
        self.sending = threading.Lock()
        self.sent_at = 0.0
        #: Sends what nodes have shown, before the news that they have ended.
        self.before_batch: Callable[[bool], None] = lambda has_ended: None
        self.bars: Bars | None = None
        self.masks = Masks()
        self.crashes = CrashFrames(self.node_files, self.masks)
        self.note = noting(notes)

    def send_batch(self, *, is_tick: bool = False) -> None:
        if not is_tick and not self.batch:
            return
        # One after the other, or a later batch could be there first.
        with self.sending:
            self.sent_at = perf_counter()
            batch = self.batch
            count = len(batch)
            items = batch[:count]
            del batch[:count]
            ended = {item[1]: ENDS[item[0]] for item in items if item[0] in ENDS}
            if ended or is_tick:
                self.before_batch(bool(ended))
                bars = self.bars.take(ended) if self.bars is not None else {}
                if bars:
                    items.append(("bars", json.dumps(bars)))
            if items:
                self.channel.control(("batch", items))

    def remark(self, level: int, text: str) -> None:
        self.streams.record(level, text)

    def node_files(self) -> dict[str, int]:
        return {file_name(node.id, node.name): node.id for node in list(self.nodes.values())}

    def exception(
        self, node: int, line: int, function: str, traceback: str, error: BaseException | None = None
    ) -> None:
        last = traceback.rstrip("\n").rpartition("\n")[2]
        # People see it at once, and find it in the log later. A problem with a bucket is logged already.
        if not last.startswith("miranda.StorageError"):
            self.streams.record(3, traceback[-LONGEST_TRACEBACK:].rstrip("\n"))
        self.streams.flush()
        self.channel.event(exception_message(node, line, function, traceback, self.crashes.of(error)))


def exception_message(node: int, line: int, function: str, traceback: str, frames: list[Any]) -> dict[str, Any]:
    return {
        "kind": "exception",
        "node": node,
        "line": line,
        "function": function[:1_000],
        "traceback": traceback[-LONGEST_REPORTED:],
        "frames": frames,
    }


def noting(file: int) -> Any:
    """Writes which node runs where the worker finds it, should this process end at once. Has to be quick."""
    import faulthandler
    import mmap

    memory = memoryview(mmap.mmap(file, NUMBERS)).cast("Q")
    os.lseek(file, NUMBERS, os.SEEK_SET)
    faulthandler.enable(file)
    # Written over by the worker before it asks again: the place goes on with every answer.
    faulthandler.register(PLACE_SIGNAL, file, all_threads=False)

    return partial(memory.__setitem__, 0)


def place_in(report: str, node: int) -> tuple[int, str]:
    """The line of the node that is being carried out, and the innermost function, in what the fault handler wrote."""
    frames = [found for line in report.splitlines() if (found := FRAME.fullmatch(line))]
    own = next((one for one in frames if one[1].endswith(f" {node}>")), None)
    inner = frames[0][3] if frames else ""
    return (int(own[2]), inner) if own is not None else (0, inner)
