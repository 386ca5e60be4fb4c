"""What a lane is to fire, and the values that it needs for that from other lanes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..lanes.shared import Remote
from .graph import NodeState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..lanes.lane import Lane
    from .scheduler import Scheduler


class Delivery:
    """What a lane is to fire, until it has every value that it needs for that."""

    def __init__(
        self,
        scheduler: Scheduler,
        lane: Lane,
        state: NodeState,
        entries: list[tuple[int, list[tuple[str, Any]], float]],
        chains: list[list[Any]],
        values: list[Remote],
    ) -> None:
        self.scheduler = scheduler
        self.lane = lane
        self.state = state
        self.entries = entries
        self.chains = chains
        self.missing = [value for value in dict.fromkeys(values) if lane not in value.numbers]
        self.left = len(self.missing)

    def begin(self) -> None:
        if not self.missing:
            self.send()
            return
        for value in self.missing:
            bring(value, self.lane, self.arrived)

    def arrived(self, value: Remote, problem: str) -> None:
        scheduler = self.scheduler
        with scheduler.lock:
            self.left -= 1
            if problem:
                value.problem = problem
            if self.left:
                return
            stuck = next((one for one in self.missing if self.lane not in one.numbers), None)
            if stuck is None and self.lane.is_alive and not scheduler.interrupted:
                self.send()
                return
            self.take_back(stuck)
            scheduler.pump()

    def send(self) -> None:
        lane = self.lane
        lane.tell_dropped()
        entries = [(key, list(self.referred(given)), since) for key, given, since in self.entries]
        lane.send("fire", entries, self.chains)

    def referred(self, given: list[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
        for name, value in given:
            yield name, value.numbers[self.lane] if type(value) is Remote else (value,)

    def take_back(self, stuck: Remote | None) -> None:
        """It cannot be fired there."""
        scheduler, lane, state = self.scheduler, self.lane, self.state
        lane.tasks = max(0, lane.tasks - 1)
        for key in (state.id, *lane.reserved):
            scheduler.open.pop(key, None)
        lane.open.pop(state.id, None)
        lane.reserved.clear()
        scheduler.is_alone = False
        if scheduler.interrupted:
            return
        given = [one for _, one, _ in self.entries]
        if stuck is None:
            scheduler.give_back(state, given)
        elif not stuck.is_there:
            scheduler.bereft[state.id] = state
        elif scheduler.on_stuck(state, stuck):
            scheduler.give_back(state, given)


def bring(value: Remote, lane: Lane, then: Callable[[Remote, str], None]) -> None:
    """Has the lane that has a value write it out for another."""
    owner = next((one for one in value.numbers if one.is_alive), None)
    if owner is None:
        then(value, "it was lost with the process that made it.")
        return

    def arrived(data: bytes | None, problem: str, file: int | None) -> None:
        if not problem:
            lane.taken -= 1
            number = lane.taken
            lane.send("take", number, data, file=file)
            value.numbers[lane] = number
        then(value, problem)

    owner.ask(arrived, "export", value.numbers[owner])
