"""The agent's calls to the server. Each is repeated until it is answered, or until the server was away for too long."""

from __future__ import annotations

import json
from functools import partial

from .http import Connection, Unreachable
from .outbox import Ended, Outbox

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .message_types import Answer, Command


def locate(settings: dict[str, str]) -> str:
    """The server's address as it is now: a server that comes back may listen elsewhere."""
    try:
        with open(settings["address_file"], encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return settings["url"]


def connect(settings: dict[str, str], timeout: float) -> Connection:
    return Connection(partial(locate, settings), settings["token"], timeout)


class ServerClient:
    def __init__(self, settings: dict[str, str], outbox: Outbox) -> None:
        self.settings = settings
        self.outbox = outbox
        self.path = f"/api/runner/{settings['job']}"
        self.heartbeat = settings["heartbeat"]
        self.connection = connect(settings, float(self.heartbeat) + 30)

    def get(self, path: str) -> bytes:
        return self.outbox.retry(lambda: self.connection.request("GET", f"{self.path}/{path}"))

    def commands_after(self, number: int) -> list[Command]:
        """Waits for one when there are none. This is the heartbeat too."""
        return json.loads(self.get(f"commands?after={number}&wait={self.heartbeat}"))["commands"]

    def graph(self) -> bytes:
        return self.get("graph")

    def ask(self, what: str, question: Mapping[str, Any]) -> Answer:
        """On a connection of its own: the one for commands may be waiting for a command."""
        connection = connect(self.settings, 30)
        body = json.dumps(question).encode()
        try:
            return json.loads(self.outbox.retry(lambda: connection.request("POST", f"{self.path}/{what}", body)))
        except (Ended, Unreachable) as error:
            return {"error": str(error)}
        finally:
            connection.close()
