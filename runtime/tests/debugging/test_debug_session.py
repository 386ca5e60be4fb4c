"""Conditions, log points, exceptions, threads, and what can be asked where a program stopped."""

from __future__ import annotations

import contextlib
import io
import signal
import sys
import threading
import time
import unittest
from typing import Any

from miranda.debugging.debug_session import Debugging
from miranda.debugging.locals_tree import Budget, References, locals_tree, unfold
from miranda.execution.executor import Executor
from miranda.execution.graph import Graph

from ..graphs import Bench, DebuggerCase, node

LOOP = "def run(self):\n    total = 0\n    for n in range(5):\n        total += n\n    return total"


class Conditions(DebuggerCase):
    # Line 4 is def run; the loop's body is line 7.

    def bench(self, *points: Any) -> Bench:
        bench = Bench([node(1, LOOP)])
        bench.executor.breakpoints({"1": list(points)})
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

    def test_a_condition_that_raises_stops_and_says_so(self) -> None:
        bench = self.bench({"line": 7, "condition": "nothing > 1 or n"})
        self.assertTrue(bench.run())
        self.assertEqual(self.seen, [0, 1, 2, 3, 4])
        self.assertIn("NameError: name 'nothing' is not defined", self.notes[0] or "")
        bench = self.bench({"line": 7, "condition": "n ="})
        bench.run()
        self.assertIn("SyntaxError", self.notes[0] or "")

    def test_a_log_point_logs_and_does_not_stop(self) -> None:
        bench = self.bench({"line": 7, "log": "{n} of {total:03d} {n!r} {missing} {{}}", "condition": "n > 2"})
        told: list[str] = []
        bench.debugger.on_log = told.append
        self.assertTrue(bench.run())
        self.assertEqual(self.seen, [])
        missing = "<NameError: name 'missing' is not defined>"
        self.assertEqual(told, [f"3 of 003 3 {missing} {{}}", f"4 of 006 4 {missing} {{}}"])

    def test_a_log_message_that_cannot_be_read_stops_and_says_so(self) -> None:
        bench = self.bench({"line": 7, "log": "{n"})
        bench.run()
        self.assertIn("The log message of this breakpoint raised ValueError", self.notes[0] or "")

    def test_what_others_set_is_gone_when_the_next_run_begins(self) -> None:
        bench = self.bench({"line": 7, "condition": "True"}, 8)
        bench.debugger.begin()
        bench.frames = []
        bench.run()
        self.assertEqual([line for _, line, _ in bench.stops], [8])

    def test_points_that_cannot_be_are_left_out(self) -> None:
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

    def run_with(self, mode: str) -> Bench:
        bench = Bench([node(1, self.CODE)])
        self.notes: list[str | None] = []
        bench.frames = [lambda frame: self.notes.append(bench.debugger.note) or "continue"] * 9
        bench.debugger.set_exceptions(mode)
        self.assertFalse(bench.run())
        bench.debugger.set_exceptions("off")
        self.assertEqual(len(bench.exceptions), 1)
        return bench

    def test_off(self) -> None:
        self.assertEqual(self.run_with("off").stops, [])

    def test_uncaught_stops_once_where_it_was_raised(self) -> None:
        self.assertEqual(self.run_with("uncaught").stops, [("exception", 13, "deeper")])
        self.assertEqual(self.notes, ["KeyError: 'k'"])

    def test_all_stops_at_caught_ones_too_and_once_for_each(self) -> None:
        self.assertEqual(self.run_with("all").stops, [("exception", 6, "run"), ("exception", 13, "deeper")])
        self.assertEqual(self.notes[1], "KeyError: 'k'")


class Threads(DebuggerCase):
    def test_one_stop_at_a_time_and_a_breakpoint_works_in_every_thread(self) -> None:
        bench = Bench(
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
        bench.executor.breakpoints({"1": [7]})
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
        bench = Bench([node(1, code)])
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
        bench = Bench([node(1, code)])
        bench.executor.breakpoints({"1": [9]})
        bench.frames = [lambda frame: "step-over"] * 20
        bench.run()
        self.assertEqual({name for _, _, name in bench.stops}, {"run"})
        self.assertIn(13, [line for _, line, _ in bench.stops])


class Asked:
    """A worker's debugging with a graph, and whatever it says."""

    def __init__(self, source: str, line: int) -> None:
        self.told: list[dict[str, Any]] = []
        self.script: list[dict[str, Any]] = []
        self.debugging = Debugging(self, self, lambda: None)  # type: ignore[arg-type]
        self.statuses: dict[int, str] = {}
        self.running: int | None = None
        self.executor = self.debugging.executor = Executor(Graph(), self.debugging.debugger, self)
        self.executor.update({"nodes": [node(1, source)], "edges": []})
        self.executor.breakpoints({"1": [line]})

    def event(self, event: dict[str, Any]) -> None:
        self.told.append(event)
        if event["kind"] == "break" or (event["kind"] == "done" and event["command"] not in ("continue",)):
            following = self.script.pop(0) if self.script else {"command": "continue"}
            if callable(following):
                following = following(self.told)
            self.debugging.receive({"number": len(self.told), **following})

    def flush(self) -> None: ...

    def record(self, level: int, text: str) -> None: ...

    def exception(self, *_: Any) -> None: ...

    def ask(self, *commands: Any) -> list[dict[str, Any]]:
        self.script = [*commands]
        self.told.clear()
        with contextlib.redirect_stdout(io.StringIO()):
            self.executor.run("all")
        return [one for one in self.told if one["kind"] == "done" and one["command"] != "continue"]


def evaluate(expression: str, **more: Any) -> dict[str, Any]:
    return {"command": "evaluate", "expression": expression, **more}


class Questions(DebuggerCase):
    SOURCE = """
        def run(self):
            numbers = list(range(250))
            factor = 3
            self.inner(factor)
            self.after = factor
        def inner(self, k):
            import json
            json.JSONEncoder(default=self.encode).encode(object())
        def encode(self, given):
            one = 1
            return one
        """

    def asked(self, line: int = 8) -> Asked:
        return Asked(self.SOURCE, line)

    def test_the_stack_has_node_code_and_libraries_and_none_of_ours(self) -> None:
        asked = self.asked(14)
        answers = asked.ask({"command": "frame", "frame": 3}, {"command": "frame", "frame": 99})
        stopped = asked.told[0]
        places = [(frame["node"], frame["function"]) for frame in stopped["stack"] if frame["node"]]
        self.assertEqual(places, [(1, "encode"), (1, "inner"), (1, "run")])
        files = {frame["file"] for frame in stopped["stack"] if not frame["node"]}
        self.assertEqual([name.endswith("json/encoder.py") for name in files], [True])
        self.assertNotIn("miranda", "".join(files))
        self.assertEqual((answers[0]["frame"], answers[0]["error"]), (3, None))
        self.assertEqual(answers[1]["error"], "There is no such frame.")
        self.assertEqual(asked.told[-2], {"kind": "resumed"})

    def test_expressions_statements_and_what_they_print(self) -> None:
        answers = self.asked().ask(
            evaluate("factor + 1"),
            evaluate("sum(n * factor for n in numbers[:3])"),
            evaluate("[(lambda: n * factor)() for n in (1, 2)]"),
            evaluate("print('hello'); factor"),
            evaluate("factor = 7\nfor n in range(2):\n    print(n)\nfactor * 2"),
            evaluate("1 +"),
            evaluate("nothing"),
            evaluate("raise SystemExit(3)"),
            evaluate("print('x' * 100_000)"),
        )
        values = [(one["value"], one["output"]) for one in answers[:5]]
        self.assertEqual(values, [(4, ""), (9, ""), ([3, 6], ""), (3, "hello\n"), (14, "0\n1\n")])
        self.assertEqual(
            [one["error"].partition(":")[0] for one in answers[5:8]], ["SyntaxError", "NameError", "SystemExit"]
        )
        self.assertEqual(len(answers[8]["output"]), 20_001)

    def test_what_is_assigned_counts_when_the_code_goes_on(self) -> None:
        asked = self.asked()
        asked.ask(evaluate("factor = 42"))
        self.assertEqual(asked.executor.graph.nodes[1].instance.after, 42)

    def test_evaluates_in_the_frame_that_was_chosen(self) -> None:
        asked = self.asked(14)
        outermost = lambda told: evaluate("factor", frame=len(told[0]["stack"]) - 1)  # noqa: E731
        answers = asked.ask(evaluate("given is not None"), outermost, evaluate("1", frame=99))
        self.assertEqual([one["value"] for one in answers], [True, 3, None])
        self.assertEqual(answers[2]["error"], "There is no such frame.")

    def test_an_endless_evaluation_ends_after_its_seconds_and_the_stop_stays(self) -> None:
        asked = self.asked()
        before = signal.signal(signal.SIGUSR2, lambda *_: asked.debugging.check_cancelled())
        self.addCleanup(signal.signal, signal.SIGUSR2, before)
        sleep = evaluate("import time\ntime.sleep(100)", seconds=0.1)
        answers = asked.ask(evaluate("while True: pass", seconds=0.1), sleep, evaluate("factor"))
        late = "Stopped: it took too long."
        self.assertEqual([one["error"] for one in answers], [late, late, None])
        self.assertEqual(answers[2]["value"], 3)

    def test_an_endless_evaluation_ends_in_any_thread(self) -> None:
        asked = self.asked()
        answers: list[dict[str, Any]] = []
        commands = evaluate("while True: pass", seconds=0.1), evaluate("factor")
        thread = threading.Thread(target=lambda: answers.extend(asked.ask(*commands)))
        thread.start()
        thread.join(20)
        self.assertEqual([one["value"] for one in answers], [None, 3])

    def test_an_interrupt_ends_the_evaluation_and_the_wait(self) -> None:
        asked = self.asked()
        with self.assertRaises(KeyboardInterrupt):
            asked.ask(evaluate("raise KeyboardInterrupt"))
            raise KeyboardInterrupt if asked.told[-1] == {"kind": "resumed"} else AssertionError(asked.told)

    def test_a_long_list_unfolds_in_hundreds(self) -> None:
        asked = self.asked()

        def part(start: int) -> Any:
            def command(told: list[dict[str, Any]]) -> dict[str, Any]:
                cut = next(one for one in told[0]["cuts"] if one["path"] == ["numbers"])
                self.assertEqual(cut["size"], 250)
                return {"command": "unfold", "reference": cut["reference"], "from": start}

            return command

        answers = asked.ask(part(100), part(200), part(900), {"command": "unfold", "reference": 10**9, "from": 0})
        self.assertEqual(asked.told[0]["locals"]["numbers"], list(range(100)))
        self.assertEqual(answers[0]["entries"], [[str(n), n] for n in range(100, 200)])
        self.assertEqual(answers[1]["entries"], [[str(n), n] for n in range(200, 250)])
        self.assertEqual((answers[2]["entries"], answers[2]["size"]), ([], 250))
        self.assertEqual(answers[3]["error"], "This value is not there any more.")
        self.assertEqual(asked.debugging.references.values, {})

    def test_commands_for_a_stop_are_refused_when_there_is_none(self) -> None:
        asked = self.asked()
        asked.debugging.receive({"command": "continue", "number": 1})
        self.assertEqual(asked.told[0]["error"], "The processor is not paused any more.")


class Unfolding(unittest.TestCase):
    def test_every_kind_of_value(self) -> None:
        class Thing:
            def __init__(self) -> None:
                self.__dict__.update({f"a{n}": n for n in range(150)})

        references = References()
        budget = Budget(references)
        values = {
            "object": {n: n for n in range(150)},
            "many": set(range(150)),
            "pair": tuple(range(150)),
            "text": "x" * 25_000,
            "thing": Thing(),
            "deep": [[[[[[[[1]]]]]]]],
        }
        tree = locals_tree(values, budget)
        cuts = {one["path"][0]: one for one in budget.cuts}
        self.assertEqual(len(tree["object"]), 100)
        self.assertEqual(len(tree["text"]), 2_000)
        sizes = {name: one["size"] for name, one in cuts.items()}
        self.assertEqual(sizes, {"object": 150, "many": 150, "pair": 150, "text": 25_000, "thing": 150, "deep": 1})
        for name in ("object", "many", "pair", "thing"):
            found = unfold(references.values[cuts[name]["reference"]], 100, references)
            self.assertEqual(len(found["entries"]), 50, name)
        self.assertEqual(len(unfold(values["text"], 20_000, references)["text"]), 5_000)
        self.assertEqual(cuts["deep"]["path"], ["deep", 0, 0, 0, 0, 0, 0])
        inner = unfold(references.values[cuts["deep"]["reference"]], 0, references)
        self.assertEqual(inner["entries"], [["0", [1]]])

    def test_a_tree_stays_small_however_much_there_is(self) -> None:
        import json

        references = References()
        budget = Budget(references)
        tree = locals_tree({f"n{n}": ["y" * 1_999] * 100 for n in range(150)}, budget)
        self.assertLess(len(json.dumps(tree)), 600_000)
        self.assertLessEqual(len(budget.cuts), 1_000)
        # What did not fit can be unfolded.
        self.assertEqual(tree["n149"], "…")
        last = next(one for one in budget.cuts if one["path"] == ["n149"])
        self.assertEqual(len(unfold(references.values[last["reference"]], 0, references)["entries"]), 100)


if __name__ == "__main__":
    unittest.main()
