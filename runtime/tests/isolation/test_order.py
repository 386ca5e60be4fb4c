"""Nodes that use everything at once: the order in which they run changes nothing."""

from __future__ import annotations

import builtins
import os
import random
import unittest
from collections.abc import Callable
from typing import Any

from miranda.isolation.process_state import ProcessState

from .apart import Turn, apart, made
from .test_process_state import BASE_LOCALE, KINDS, seen_locale

NODES = 12
ROUNDS = 6
#: It shows other numbers of processes each time.
LEFT_OUT = ("a variable for children", "an open catch_warnings")


def node(state: ProcessState, number: int) -> Callable[[], list[Any]]:
    """Some of what it sets it sets while it is made, some in its runs. A run gives what it finds and draws."""
    chosen = random.Random(number).sample([kind for kind in KINDS if kind[0] not in LEFT_OUT], 10)

    def put(kinds: list[Any]) -> None:
        for _, act, _ in kinds:
            try:
                act()
            except unittest.SkipTest:
                continue

    home = made(state, number, lambda: put(chosen[:3]))

    def run() -> list[Any]:
        with Turn(state, home):
            found = [look() for name, _, look in KINDS if name not in LEFT_OUT]
            put(chosen[3:])
            return found

    return run


class Order(unittest.TestCase):
    @apart
    def test_nodes_find_and_draw_the_same_in_any_order(self) -> None:
        state = ProcessState()
        BASE_LOCALE[0] = seen_locale()
        nodes = [node(state, number) for number in range(NODES)]
        first = [run() for run in nodes]
        choose = random.Random(5)
        for _ in range(ROUNDS):
            numbers = [*range(NODES), *choose.sample(range(NODES), 4)]
            choose.shuffle(numbers)
            for number in numbers:
                found = nodes[number]()
                for (name, _, _), now, before in zip(
                    [kind for kind in KINDS if kind[0] not in LEFT_OUT], found, first[number], strict=True
                ):
                    assert now == before, f"{name} of node {number}: {now}, first {before}"

    @apart
    def test_r11_a_variable_and_a_builtin_of_one_node_do_not_reach_a_reader(self) -> None:
        state = ProcessState()
        writer, reader = made(state), made(state)

        def write() -> None:
            os.environ["R11_MODE"] = "fast"
            builtins.total = sum  # type: ignore[attr-defined]

        def read() -> tuple[str | None, bool]:
            return os.environ.get("R11_MODE"), hasattr(builtins, "total")

        for home, act in [(writer, write), (reader, read), (reader, read), (writer, write)] * 2:
            with Turn(state, home):
                found = act()
                assert found in (None, (None, False)), found


if __name__ == "__main__":
    unittest.main()
