"""Questions to the agent and the server, and their answers."""

from __future__ import annotations

import os
import threading
from typing import Any

from ..execution.node_threads import Interrupted
from ..output.streams import Channel, Streams

#: What waits for an answer, by the number of its question.
Waiting = dict[int, tuple[threading.Event, dict[str, Any]]]


class Questions:
    def __init__(self, channel: Channel, streams: Streams) -> None:
        self.channel = channel
        self.streams = streams
        self.waiting: Waiting = {}
        #: Those that an interrupt does not end.
        self.lasting: Waiting = {}
        #: Not from one: an answer that was meant for another worker, or for another lane, must not fit.
        self.number = int.from_bytes(os.urandom(5), "big") >> 1
        self.lock = threading.Lock()

    def ask_patiently(self, event: dict[str, Any]) -> dict[str, Any]:
        """For what no node waits for: an interrupt does not end it."""
        return self.ask(event, self.lasting)

    def ask(self, event: dict[str, Any], waiting: Waiting | None = None) -> dict[str, Any]:
        with self.lock:
            self.number += 1
            question = self.number
        answered: tuple[threading.Event, dict[str, Any]] = (threading.Event(), {})
        if waiting is None:
            self.waiting[question] = answered
            self.streams.flush()
        else:
            waiting[question] = answered
        self.channel.event({**event, "question": question})
        answered[0].wait()
        if answered[1].get("given_up"):
            raise Interrupted("interrupt")
        return answered[1]

    def give_up(self) -> None:
        """An interrupt: ends the wait for every answer."""
        for question in list(self.waiting):
            waiting = self.waiting.pop(question, None)
            if waiting is not None:
                waiting[1]["given_up"] = True
                waiting[0].set()
                self.channel.event({"kind": "withdraw", "question": question})

    def answer(self, command: dict[str, Any]) -> bool:
        """Whether it was a question of ours."""
        number = command["question"]
        waiting = self.waiting.pop(number, None) or self.lasting.pop(number, None)
        if waiting is None:
            return False
        waiting[1].update(command)
        waiting[0].set()
        return True

    def read_secret(self, key: str) -> str:
        answer = self.ask({"kind": "secret", "key": str(key)})
        if answer.get("value") is None:
            raise KeyError(answer.get("error") or f"There is no secret {key!r}.")
        return str(answer["value"])
