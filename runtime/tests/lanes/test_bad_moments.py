"""What goes wrong at a bad moment: an interrupt while a lane starts, a lane that dies while it hands over a value."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import unittest
from collections.abc import Callable
from typing import Any
from unittest import mock

from miranda.lanes.lane import Lane
from miranda.lanes.lanes import Lanes

from ..graphs import Bench, edge, node

SENDS = """
    out = Transmitter()
    def run(self):
        self.out.send(MADE)
"""
READS = """
    inp = Receiver()
    out = Transmitter()
    def run(self):
        import time
        time.sleep(0.05)
        self.out.send(VALUE)
"""


class Case(unittest.TestCase):
    def bench(self, nodes: list[Any], edges: list[Any] | None = None, slots: int = 3) -> Bench:
        made = Bench(nodes, edges, slots)
        self.addCleanup(made.close)
        return made


class Beginning(Case):
    def test_an_interrupt_while_a_lane_starts(self) -> None:
        """In every place of it: before its process is there, and between what it is told first."""
        for when in ("start", "begin"):
            with self.subTest(when):
                bench = self.bench([node(key, SENDS.replace("MADE", str(key))) for key in (1, 2, 3)])
                known: Callable[..., Any] = Lanes.start if when == "start" else bench.lanes.begin

                def interrupts(*arguments: Any, bench: Bench = bench, known: Any = known) -> Any:
                    bench.executor.scheduler.interrupt()
                    return known(*arguments)

                if when == "start":
                    with mock.patch.object(Lanes, "start", interrupts):
                        self.assertFalse(bench.run())
                else:
                    bench.lanes.begin = interrupts
                    self.assertFalse(bench.run())
                    bench.lanes.begin = known
                self.assertEqual({*bench.statuses.values()} - {"idle", "stopped"}, set())
                self.assertTrue(bench.run(), bench.exceptions)
                self.assertEqual([bench.sent(key) for key in (1, 2, 3)], [1, 2, 3])


class Ending(Case):
    def test_processes_of_node_code_end_when_they_are_asked_to(self) -> None:
        """The worker handles that signal, and lanes are its forks."""
        body = """
        out = Transmitter()
        def run(self):
            import os, signal, time
            child = os.fork()
            if child == 0:
                time.sleep(30)
                os._exit(0)
            time.sleep(0.05)
            os.kill(child, signal.SIGTERM)
            self.out.send(os.WTERMSIG(os.waitpid(child, 0)[1]))
        """
        before = signal.signal(signal.SIGTERM, lambda *_: None)
        self.addCleanup(signal.signal, signal.SIGTERM, before)
        bench = self.bench([node(1, body)])
        self.assertTrue(bench.run(), bench.exceptions)
        self.assertEqual(bench.sent(1), signal.SIGTERM)

    def test_a_frame_that_never_ends_fails_the_node_that_wrote_it(self) -> None:
        """What its process says later would be taken for the rest of the frame, and the run would never end."""
        for kind, size in ((1, 9 << 20), (0, 17 << 20), (77, 10)):
            body = f"""
            def run(self):
                import os, struct
                own = [int(fd) for fd in os.listdir("/proc/self/fd") if int(fd) > 2 and is_socket(int(fd))]
                os.write(own[0], struct.pack(">IB", {size}, {kind}) + b"x" * 8)
            """
            with self.subTest(kind=kind):
                code = node(1, body)
                code["source_code"] += """
def is_socket(fd):
    import os, stat
    try:
        return stat.S_ISSOCK(os.fstat(fd).st_mode)
    except OSError:
        return False
"""
                bench = self.bench([code, node(2, "out = Transmitter()\ndef run(self):\n    self.out.send(1)")])
                self.assertFalse(bench.run())
                self.assertEqual(bench.statuses, {1: "error", 2: "done"})

    def test_the_end_of_a_node_is_known_before_the_next_one_holds_the_lock_of_python(self) -> None:
        """Otherwise a forced stop of that one would lose the result of a node that has finished."""
        # What this one did is told at its end, so what follows within a moment would be told later.
        first = "out = Transmitter()\ndef run(self):\n    import time; time.sleep(0.01); self.out.send('a')"
        load = "inp = Receiver()\nout = Transmitter()\ndef run(self):\n    self.out.send('b')"
        match = 'inp = Receiver()\ndef run(self):\n    import re\n    re.match(r"(a+)+$", "a" * 60 + self.inp)'
        edges = [edge(1, "out", 2, "inp"), edge(2, "out", 3, "inp")]
        bench = self.bench([node(1, first), node(2, load), node(3, match)], edges, slots=1)
        found: list[str] = []

        def stop() -> None:
            until = time.monotonic() + 10
            while bench.statuses.get(2) != "done" and time.monotonic() < until:
                time.sleep(0.01)
            found.append(bench.statuses[2])
            for lane in bench.lanes.alive:
                lane.was_forced = True
                lane.kill()

        ending = threading.Thread(target=stop)
        ending.start()
        bench.run()
        ending.join()
        self.assertEqual(found, ["done"])
        self.assertEqual(bench.sent(2), "b")

    def test_a_pool_of_processes_answers(self) -> None:
        """Its processes close what they take for the standard input."""
        body = """
        out = Transmitter()
        def run(self):
            import multiprocessing
            with multiprocessing.get_context("fork").Pool(1) as pool:
                self.out.send(pool.map(abs, [-1, -2]))
        """
        before = sys.stdin
        self.addCleanup(setattr, sys, "stdin", before)
        # As the worker has it: with a low number.
        with open(os.devnull, encoding="utf-8") as sys.stdin:
            bench = self.bench([node(1, body)])
            self.assertTrue(bench.run(), bench.exceptions)
            self.assertEqual(bench.sent(1), [1, 2])


class Breakpoints(Case):
    def test_one_stop_at_a_time_although_three_lanes_reach_a_breakpoint_at_once(self) -> None:
        """Each of the three is stopped at once, and none runs on before somebody continues it."""
        body = "out = Transmitter()\ndef run(self):\n    at = 1\n    self.out.send(at)"
        bench = self.bench([node(key, body) for key in (1, 2, 3)])
        bench.executor.set_breakpoints({str(key): [7] for key in (1, 2, 3)})
        bench.lanes.begin = lambda lane: lane.send("breakpoints", json.dumps(bench.executor.breakpoints))
        stops: list[int] = []
        together: list[str] = []

        def continue_each() -> None:
            while len(stops) < 3:
                event = bench.events.get(timeout=30)
                if event["kind"] != "break":
                    continue
                stops.append(event["node"])
                time.sleep(0.1)
                while not bench.events.empty():
                    together.append(bench.events.get()["kind"])
                lane = bench.lanes.stopped
                assert lane is not None
                lane.send("command", json.dumps({"command": "continue", "number": len(stops)}))

        person = threading.Thread(target=continue_each, daemon=True)
        person.start()
        self.assertTrue(bench.run(), bench.exceptions)
        person.join(10)
        self.assertEqual(sorted(stops), [1, 2, 3])
        self.assertNotIn("break", together)


class Handing(Case):
    def test_a_lane_that_dies_while_it_hands_over_a_value(self) -> None:
        """What it had sent is made again, and its readers get it."""
        ask, killed = Lane.ask, []

        def kills(lane: Lane, then: Any, name: str, *arguments: Any) -> None:
            ask(lane, then, name, *arguments)
            if name == "export" and not killed:
                killed.append(lane.pid)
                lane.kill()

        made = SENDS.replace("MADE", "bytes(50_000_000)")
        reads = READS.replace("VALUE", "len(self.inp)")
        edges = [edge(1, "out", 2, "inp"), edge(1, "out", 3, "inp")]
        bench = self.bench([node(1, made), node(2, reads), node(3, reads)], edges)
        with mock.patch.object(Lane, "ask", kills):
            bench.run()
        self.assertEqual(len(killed), 1)
        # What ran in the lane fails by name, and who needs it does not run. Everybody else has what it needs.
        failed = [key for key in (1, 2, 3) if bench.statuses[key] == "error"]
        named = [key for key, _, _, text in bench.exceptions if f"The process of N{key} ended" in text]
        self.assertEqual(failed, named)
        self.assertLessEqual(set(bench.statuses.values()), {"done", "error", "idle" if 1 in failed else "done"})
        self.assertTrue(bench.run(), bench.exceptions)
        self.assertEqual([bench.sent(2), bench.sent(3)], [50_000_000] * 2)

    def test_functions_without_a_name_keep_their_readers_in_the_same_process(self) -> None:
        made = SENDS.replace("MADE", "lambda value: value + 1")
        reads = READS.replace("VALUE", "self.inp(1)")
        edges = [edge(1, "out", 2, "inp"), edge(1, "out", 3, "inp")]
        bench = self.bench([node(1, made), node(2, reads), node(3, reads)], edges)
        self.assertTrue(bench.run(), bench.exceptions)
        self.assertEqual([bench.sent(2), bench.sent(3)], [2, 2])


if __name__ == "__main__":
    unittest.main()
