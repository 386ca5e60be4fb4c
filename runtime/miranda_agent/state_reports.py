"""The states of the session, as the agent reports them to the server."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .message_types import Death, StateEvent
    from .outbox import Outbox


class StateReports:
    def __init__(self, outbox: Outbox) -> None:
        self.outbox = outbox
        #: The last command that changes the state. The server ignores a state that names an older one.
        self.command = 0

    def publish(
        self, state: str, reason: str | None = None, death: Death | None = None, command: int | None = None
    ) -> None:
        self.outbox.add(self.event(state, reason, death, command))

    def event(
        self, state: str, reason: str | None = None, death: Death | None = None, command: int | None = None
    ) -> StateEvent:
        """`command`: the one that led to the state, when another may have come since."""
        number = self.command if command is None else command
        event: StateEvent = {"kind": "state", "state": state, "reason": reason, "command": number}
        if death is not None:
            event["death"] = death
        return event
