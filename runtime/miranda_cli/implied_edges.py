"""
The edges that a graph implies: the same rule as `contract/graph/resolution/implied-edges.ts`. A test compares the two.

When a field edge ends at a node's field, every node downstream that has a receiver field of the same name and kind, and
no edge of its own there, gets an edge from the same source. The nearest source comes first.
"""

from __future__ import annotations

from collections import deque

Edge = tuple[int, str, int, str]
#: Name, kind and direction.
Attribute = tuple[str, str, str]
FIELD = "RECEIVER_FIELD"


class Place:
    """A node, and what its code declares."""

    def __init__(self, number: int, is_code: bool, attributes: list[Attribute]) -> None:
        self.number = number
        self.is_code = is_code
        self.attributes = attributes

    def receiver(self, name: str) -> Attribute | None:
        return next((one for one in self.attributes if one[0] == name and one[2].startswith("RECEIVER")), None)

    def transmitter(self, name: str) -> Attribute | None:
        """A transmitter, or a receiver field that passes its value on."""
        named = [one for one in self.attributes if one[0] == name]
        sends = next((one for one in named if not one[2].startswith("RECEIVER")), None)
        return sends or next((one for one in named if one[2] == FIELD), None)


def implied_edges(places: list[Place], drawn: list[Edge]) -> list[Edge]:
    by_number = {place.number: place for place in places}
    targets: dict[int, list[int]] = {}
    for source, _, target, _ in drawn:
        targets.setdefault(source, []).append(target)
    joined = {(target, receiver) for _, _, target, receiver in drawn}
    found: list[tuple[int, str, int, int, str]] = []
    for (name, kind), sources in fed_fields(by_number, drawn).items():
        free = {
            place.number
            for place in places
            if place.receiver(name) == (name, kind, FIELD) and (place.number, name) not in joined
        }
        for (source, transmitter), starts in sources.items():
            for number, distance in walk(starts, targets):
                if number in free:
                    found.append((number, name, distance, source, transmitter))
    return [(source, transmitter, number, name) for number, name, _, source, transmitter in sorted(found)]


def fed_fields(
    by_number: dict[int, Place], drawn: list[Edge]
) -> dict[tuple[str, str], dict[tuple[int, str], list[int]]]:
    """The fields that an edge feeds, by name and kind: from which sources, and at which nodes."""
    fields: dict[tuple[str, str], dict[tuple[int, str], list[int]]] = {}
    for source, transmitter, target, receiver in drawn:
        sends = by_number[source].transmitter(transmitter)
        takes = by_number[target].receiver(receiver)
        # A broken edge, whose transmitter is gone, has nothing to pass on.
        if sends is None or takes is None or not sends[2].endswith("_FIELD") or takes[2] != FIELD:
            continue
        sources = fields.setdefault((receiver, takes[1]), {})
        sources.setdefault((source, transmitter), []).append(target)
    return fields


def walk(starts: list[int], targets: dict[int, list[int]]) -> list[tuple[int, int]]:
    """Every node that can be reached, and how far it is. A cycle is walked once."""
    distances = dict.fromkeys(starts, 0)
    waiting = deque(distances)
    while waiting:
        number = waiting.popleft()
        for other in targets.get(number, ()):
            if other not in distances:
                distances[other] = distances[number] + 1
                waiting.append(other)
    return list(distances.items())
