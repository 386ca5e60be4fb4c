"""Breakpoints with a condition or a log message, and stops at exceptions."""

from __future__ import annotations

from typing import Any

from ..graphs import DebuggerCase, LaneBench, node

LOOP = "def run(self):\n    total = 0\n    for n in range(5):\n        total += n\n    return total"


class Conditions(DebuggerCase):
    # Line 4 is def run; the loop's body is line 7.

    def bench(self, *points: Any) -> LaneBench:
        bench = LaneBench([node(1, LOOP)])
        bench.breakpoints({"1": list(points)})
        self.seen: list[int] = []
        self.notes: list[str | None] = []

        def look(frame: Any) -> str:
            self.seen.append(frame.f_locals["n"])
            self.notes.append(bench.debugger.note)
            return "continue"

        bench.frames = [look] * 20
        return bench

    def test_stops_only_where_the_condition_holds(self) -> None:
        bench = self.bench({"line": 7, "condition": "n % 2 == 1"})
        self.assertTrue(bench.run())
        self.assertEqual((self.seen, self.notes), ([1, 3], [None, None]))

    def test_stops_with_a_note_where_a_condition_raises(self) -> None:
        bench = self.bench({"line": 7, "condition": "nothing > 1 or n"})
        self.assertTrue(bench.run())
        self.assertEqual(self.seen, [0, 1, 2, 3, 4])
        self.assertIn("NameError: name 'nothing' is not defined", self.notes[0] or "")
        bench = self.bench({"line": 7, "condition": "n ="})
        bench.run()
        self.assertIn("SyntaxError", self.notes[0] or "")

    def test_a_log_point_logs_and_does_not_stop(self) -> None:
        bench = self.bench({"line": 7, "log": "{n} of {total:03d} {n!r} {missing} {{}}", "condition": "n > 2"})
        logged: list[str] = []
        bench.debugger.on_log = logged.append
        self.assertTrue(bench.run())
        self.assertEqual(self.seen, [])
        missing = "<NameError: name 'missing' is not defined>"
        self.assertEqual(logged, [f"3 of 003 3 {missing} {{}}", f"4 of 006 4 {missing} {{}}"])

    def test_stops_with_a_note_where_a_log_message_is_malformed(self) -> None:
        bench = self.bench({"line": 7, "log": "{n"})
        bench.run()
        self.assertIn("The log message of this breakpoint raised ValueError", self.notes[0] or "")

    def test_removes_conditions_before_the_next_run(self) -> None:
        bench = self.bench({"line": 7, "condition": "True"}, 8)
        bench.debugger.begin()
        bench.frames = []
        bench.run()
        self.assertEqual([line for _, line, _ in bench.stops], [8])

    def test_ignores_breakpoints_without_a_line_number(self) -> None:
        bench = self.bench(0, -1, "7", None, True, {"line": "7"}, {"condition": "1"}, [7])
        bench.run()
        self.assertEqual(self.seen, [])


class Exceptions(DebuggerCase):
    CODE = """
        def run(self):
            try:
                int("x")
            except ValueError:
                pass
            self.deeper()
        def deeper(self):
            for one in iter([1]):
                pass
            raise KeyError("k")
        """

    def run_with(self, mode: str) -> LaneBench:
        bench = LaneBench([node(1, self.CODE)])
        self.notes: list[str | None] = []
        bench.frames = [lambda frame: self.notes.append(bench.debugger.note) or "continue"] * 9
        bench.debugger.set_exceptions(mode)
        self.assertFalse(bench.run())
        bench.debugger.set_exceptions("off")
        self.assertEqual([event["kind"] for event in bench.quiet.events], ["exception"])
        return bench

    def test_does_not_stop_at_exceptions_when_off(self) -> None:
        self.assertEqual(self.run_with("off").stops, [])

    def test_stops_once_where_an_uncaught_exception_was_raised(self) -> None:
        self.assertEqual(self.run_with("uncaught").stops, [("exception", 13, "deeper")])
        self.assertEqual(self.notes, ["KeyError: 'k'"])

    def test_stops_once_at_every_exception_when_all(self) -> None:
        self.assertEqual(self.run_with("all").stops, [("exception", 6, "run"), ("exception", 13, "deeper")])
        self.assertEqual(self.notes[1], "KeyError: 'k'")
