from __future__ import annotations

import sys
import unittest
from typing import Any

from ..graphs import DebuggerCase, LaneBench, node


class Breakpoints(DebuggerCase):
    def bench(self) -> LaneBench:
        # Line 4 is def run; the loop's body is line 6.
        return LaneBench([node(1, "def run(self):\n    for n in range(3):\n        x = n * 2\n    return x")])

    def test_stops_on_the_line_every_time(self) -> None:
        bench = self.bench()
        bench.breakpoints({"1": [6]})
        seen: list[dict[str, Any]] = []
        bench.frames = [lambda frame: seen.append(dict(frame.f_locals)) or "continue"] * 3
        self.assertTrue(bench.run())
        self.assertEqual(bench.stops, [("breakpoint", 6, "run")] * 3)
        self.assertEqual([one["n"] for one in seen], [0, 1, 2])

    def test_steps_over_into_and_out_of_calls(self) -> None:
        bench = self.bench()
        bench.breakpoints({"1": [6]})
        bench.frames = [lambda frame: bench.debugger.clear() or "step-over", lambda frame: "step-over"]
        bench.run()
        self.assertEqual([line for _, line, _ in bench.stops], [6, 5, 6])

    def test_a_breakpoint_that_is_gone_is_not_hit(self) -> None:
        bench = self.bench()
        bench.breakpoints({"1": [6]})
        bench.run()
        self.assertEqual(len(bench.stops), 3)
        bench.breakpoints({})
        bench.run()
        self.assertEqual(len(bench.stops), 3)
        bench.breakpoints({"1": [7]})
        bench.run()
        self.assertEqual(bench.stops[-1], ("breakpoint", 7, "run"))

    def test_moves_a_breakpoint_down_to_a_line_with_code(self) -> None:
        bench = self.bench()
        for line in (0, -1, 10**9):
            bench.breakpoints({"1": [line]})
            bench.run()
            self.assertEqual(bench.stops, [])

    def test_pause_stops_where_node_code_is(self) -> None:
        bench = LaneBench([node(1, "def run(self):\n    import sys\n    HOOK(sys._getframe())")])
        bench.node(1).source = "HOOK = None\n" + bench.node(1).source
        bench.runs.prepare(bench.node(1))
        sys.modules["miranda_node_1"].HOOK = bench.debugger.pause  # type: ignore[attr-defined]
        bench.run()
        self.assertEqual(bench.stops, [("pause", 7, "run")])

    @unittest.skipUnless(hasattr(sys, "monitoring"), "sys.monitoring is new in 3.12")
    def test_code_without_breakpoints_is_not_watched(self) -> None:
        bench = LaneBench([node(1, "def run(self):\n    pass"), node(2, "def run(self):\n    pass")])
        bench.breakpoints({"1": [5]})
        bench.run()
        events = sys.monitoring.get_local_events
        debugger = bench.debugger
        watched = {name: any(events(debugger.tool, code) for code in codes) for name, codes in debugger.codes.items()}
        self.assertEqual(watched, {"<N1 1>": True, "<N2 2>": False})
        debugger.clear()

    @unittest.skipIf(hasattr(sys, "monitoring"), "3.11 only")
    def test_does_not_trace_nodes_without_breakpoints(self) -> None:
        bench = LaneBench([node(1, "def run(self):\n    import sys\n    self.trace = sys.gettrace()")])
        bench.breakpoints({"2": [1]})
        bench.run()
        self.assertIsNone(bench.instance(1).trace)


if __name__ == "__main__":
    unittest.main()
