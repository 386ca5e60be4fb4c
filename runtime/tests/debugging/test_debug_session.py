"""What can be asked where a program stopped."""

from __future__ import annotations

import contextlib
import io
import signal
import threading
from typing import Any

from miranda.debugging.debug_session import Debugging
from miranda.lanes.stop_token import StopToken

from ..graphs import DebuggerCase, LaneBench, node


class StoppedWorker:
    """A graph that stops at a line, with the events the worker sends."""

    def __init__(self, source: str, line: int) -> None:
        self.events: list[dict[str, Any]] = []
        self.script: list[dict[str, Any]] = []
        self.debugging = Debugging(self, self, lambda: None, StopToken())  # type: ignore[arg-type]
        self.bench = LaneBench([node(1, source)], self.debugging.debugger)
        self.runs = self.debugging.runs = self.bench.runs
        self.bench.breakpoints({"1": [line]})

    def event(self, event: dict[str, Any]) -> None:
        self.events.append(event)
        if event["kind"] == "break" or (event["kind"] == "done" and event["command"] not in ("continue",)):
            following = self.script.pop(0) if self.script else {"command": "continue"}
            if callable(following):
                following = following(self.events)
            self.debugging.receive({"number": len(self.events), **following})

    def flush(self) -> None: ...

    def record(self, level: int, text: str) -> None: ...

    def ask(self, *commands: Any) -> list[dict[str, Any]]:
        self.script = [*commands]
        self.events.clear()
        with contextlib.redirect_stdout(io.StringIO()):
            self.bench.run()
        return [one for one in self.events if one["kind"] == "done" and one["command"] != "continue"]


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

    def asked(self, line: int = 8) -> StoppedWorker:
        return StoppedWorker(self.SOURCE, line)

    def test_the_stack_leaves_out_our_own_frames(self) -> None:
        asked = self.asked(14)
        answers = asked.ask({"command": "frame", "frame": 3}, {"command": "frame", "frame": 99})
        stopped = asked.events[0]
        places = [(frame["node"], frame["function"]) for frame in stopped["stack"] if frame["node"]]
        self.assertEqual(places, [(1, "encode"), (1, "inner"), (1, "run")])
        files = {frame["file"] for frame in stopped["stack"] if not frame["node"]}
        self.assertEqual([name.endswith("json/encoder.py") for name in files], [True])
        self.assertNotIn("miranda", "".join(files))
        self.assertEqual((answers[0]["frame"], answers[0]["error"]), (3, None))
        self.assertEqual(answers[1]["error"], "There is no such frame.")
        self.assertEqual(asked.events[-2], {"kind": "resumed"})

    def test_evaluates_expressions_and_statements_and_returns_their_output(self) -> None:
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

    def test_an_assignment_lasts_after_the_stop(self) -> None:
        asked = self.asked()
        asked.ask(evaluate("factor = 42"))
        self.assertEqual(asked.bench.instance(1).after, 42)

    def test_evaluates_in_the_frame_that_was_chosen(self) -> None:
        asked = self.asked(14)
        outermost = lambda events: evaluate("factor", frame=len(events[0]["stack"]) - 1)  # noqa: E731
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
            raise KeyboardInterrupt if asked.events[-1] == {"kind": "resumed"} else AssertionError(asked.events)

    def test_a_long_list_unfolds_in_hundreds(self) -> None:
        asked = self.asked()

        def part(start: int) -> Any:
            def command(events: list[dict[str, Any]]) -> dict[str, Any]:
                cut = next(one for one in events[0]["cuts"] if one["path"] == ["numbers"])
                self.assertEqual(cut["size"], 250)
                return {"command": "unfold", "reference": cut["reference"], "from": start}

            return command

        answers = asked.ask(part(100), part(200), part(900), {"command": "unfold", "reference": 10**9, "from": 0})
        self.assertEqual(asked.events[0]["locals"]["numbers"], list(range(100)))
        self.assertEqual(answers[0]["entries"], [[str(n), n] for n in range(100, 200)])
        self.assertEqual(answers[1]["entries"], [[str(n), n] for n in range(200, 250)])
        self.assertEqual((answers[2]["entries"], answers[2]["size"]), ([], 250))
        self.assertEqual(answers[3]["error"], "This value is not there any more.")
        self.assertEqual(asked.debugging.references.values, {})

    def test_commands_for_a_stop_are_refused_when_there_is_none(self) -> None:
        asked = self.asked()
        asked.debugging.receive({"command": "continue", "number": 1})
        self.assertEqual(asked.events[0]["error"], "The processor is not paused any more.")
