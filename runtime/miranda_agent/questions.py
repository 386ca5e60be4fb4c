"""
What the worker asks of the server: secrets and files. Two questions are asked at a time. When too many wait, the worker
is not read any further: a thread for each question would let node code fill the machine with threads.
"""

from __future__ import annotations

import queue
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .message_types import Answer

AT_ONCE = 2
MOST_WAITING = 200


class Questions:
    def __init__(self, ask: Callable[[str, Mapping[str, Any]], Answer], answer: Callable[[int, Answer], None]) -> None:
        self.ask, self.answer = ask, answer
        self.waiting: queue.Queue[tuple[int, str, dict[str, Any]]] = queue.Queue(MOST_WAITING)
        self.threads = 0

    def put(self, question: int, what: str, body: dict[str, Any]) -> None:
        if self.threads < AT_ONCE:
            self.threads += 1
            threading.Thread(target=self.serve, daemon=True).start()
        self.waiting.put((question, what, body))

    def serve(self) -> None:
        while True:
            question, what, body = self.waiting.get()
            self.answer(question, self.ask(what, body))
