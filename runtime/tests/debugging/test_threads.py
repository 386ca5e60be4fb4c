"""Breakpoints, pauses and steps where node code runs several threads."""

from __future__ import annotations

import sys
import threading
import time
import unittest
from typing import Any

from ..graphs import DebuggerCase, LaneBench, node


class Threads(DebuggerCase):
    def test_one_stop_at_a_time_and_a_breakpoint_works_in_every_thread(self) -> None:
        bench = LaneBench(
            [
                node(
                    1,
                    """
                    def run(self):
                        import threading
                        def work(n):
                            x = n
                            return x
                        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
                        for one in threads: one.start()
                        for one in threads: one.join()
                    """,
                )
            ]
        )
        bench.breakpoints({"1": [7]})
        busy = []
        at_once = []
        seen = []

        def look(frame: Any) -> str:
            busy.append(1)
            at_once.append(len(busy))
            time.sleep(0.02)
            seen.append(frame.f_locals["n"])
            busy.pop()
            return "continue"

        bench.frames = [look] * 4
        self.assertTrue(bench.run())
        self.assertEqual((sorted(seen), max(at_once)), ([0, 1, 2, 3], 1))

    @unittest.skipUnless(hasattr(sys, "monitoring"), "before 3.12 a thread that is not traced runs on")
    def test_pause_stops_a_thread_that_is_not_the_main_one(self) -> None:
        code = """
            def run(self):
                import threading
                def work():
                    self.turns = 0
                    while not getattr(self, "over", False):
                        self.turns += 1
                thread = threading.Thread(target=work); thread.start(); thread.join()
            """
        bench = LaneBench([node(1, code)])
        stopped = threading.Event()

        def look(frame: Any) -> str:
            frame.f_locals["self"].over = True
            stopped.set()
            return "continue"

        bench.frames = [look]
        runner = threading.Thread(target=bench.run)
        runner.start()
        while not getattr(bench.instance(1), "turns", 0):
            time.sleep(0.001)
        bench.debugger.pause(None)
        self.assertTrue(stopped.wait(20))
        runner.join()
        self.assertEqual([(reason, name) for reason, _, name in bench.stops], [("pause", "work")])

    def test_a_step_stays_in_its_thread(self) -> None:
        code = """
            def run(self):
                import threading
                def work():
                    x = 1
                    return x
                y = 1
                thread = threading.Thread(target=work)
                thread.start()
                thread.join()
                z = 2
            """
        bench = LaneBench([node(1, code)])
        bench.breakpoints({"1": [9]})
        bench.frames = [lambda frame: "step-over"] * 20
        bench.run()
        self.assertEqual({name for _, _, name in bench.stops}, {"run"})
        self.assertIn(13, [line for _, line, _ in bench.stops])
