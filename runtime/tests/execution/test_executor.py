from __future__ import annotations

import os
import time
import unittest
from typing import Any

from miranda.execution.sample import described

from ..graphs import Bench, edge, node

COLLECT = """
    rows = Receiver()
    got = None
    def run(self):
        if self.got is None:
            self.got = []
        self.got.append(self.rows)
"""


def source(key: int, *values: object) -> dict[str, Any]:
    sends = "\n".join(f"        self.out.send({value!r})" for value in values) or "        pass"
    return node(key, f"    out = Transmitter()\n    ran = 0\n    def run(self):\n        self.ran += 1\n{sends}")


def relay(key: int) -> dict[str, Any]:
    return node(
        key,
        "    inp = Receiver()\n    out = Transmitter()\n    def run(self):\n        self.out.send((self.inp or 0) + 1)",
    )


class Times(unittest.TestCase):
    def test_measures_only_a_nodes_own_time(self) -> None:
        slow = node(2, "    inp = Receiver()\n    def run(self):\n        import time\n        time.sleep(0.1)")
        # Its second send runs the waiting receivers before it returns.
        bench = Bench([source(1, 1, 2, 3), slow], [edge(1, "out", 2, "inp")])
        bench.run()
        first, second = (bench.executor.graph.nodes[key] for key in (1, 2))
        self.assertEqual(second.runs, 3)
        self.assertGreaterEqual(second.seconds, 0.3)
        self.assertLess(first.seconds, 0.1)


class Samples(unittest.TestCase):
    def test_samples_the_last_value_sent(self) -> None:
        bench = Bench([source(1, 1, "two", [{"a": 1}, {"b": 2}])])
        bench.run()
        sample = bench.sample(1, "out")
        self.assertEqual(
            (sample["sent"], sample["value_kind"], sample["size"]), (3, "table", "2 rows \u00d7 2 columns")
        )
        self.assertEqual(sample["value"], [{"a": 1}, {"b": 2}])
        self.assertIsNone(bench.sample(1, "nothing")["value_kind"])
        self.assertIsNone(bench.sample(9, "out")["value_kind"])

    def test_samples_a_node_that_sent_too_much_to_keep(self) -> None:
        body = """
            out = Transmitter()
            def run(self):
                for at in range(10_050):
                    self.out.send(at)
            """
        bench = Bench([node(1, body)])
        bench.run()
        sample = bench.sample(1, "out")
        self.assertEqual((sample["value"], sample["sent"]), (10_049, None))

    def test_sampling_runs_no_node_code(self) -> None:
        class Odd:
            def __len__(self) -> int:
                raise AssertionError

            __repr__ = __bool__ = __len__  # type: ignore[assignment]

        self.assertEqual(described(Odd())[:2], ("Odd", ""))
        for value, expected in (
            ("tide", ("text", "4 characters")),
            (b"\x89PNG\r\n\x1a\n...", ("image", "11 bytes")),
            (None, ("nothing", "")),
            (True, ("truth", "")),
            ({}, ("object", "0 items")),
            ([], ("list", "0 items")),
        ):
            self.assertEqual(described(value)[:2], expected)


class Firing(unittest.TestCase):
    def test_a_source_runs_once_and_values_arrive_in_order(self) -> None:
        bench = Bench([source(1, "a", "b", "c"), node(2, COLLECT)], [edge(1, "out", 2, "rows")])
        self.assertTrue(bench.run())
        self.assertEqual(bench.instance(2).got, ["a", "b", "c"])
        self.assertEqual(bench.instance(1).ran, 1)
        self.assertEqual(bench.statuses, {1: "done", 2: "done"})

    def test_every_connected_receiver_must_have_a_value(self) -> None:
        both = node(
            3,
            "a = Receiver()\nb = Receiver()\ngot = ()\ndef run(self):\n    self.got += ((self.a, self.b),)",
        )
        bench = Bench([source(1, 1, 2, 3), source(2, "x"), both], [edge(1, "out", 3, "a"), edge(2, "out", 3, "b")])
        bench.run()
        self.assertEqual(bench.instance(3).got, ((1, "x"),))

    def test_an_optional_receiver_does_not_hold_back(self) -> None:
        late = node(
            3,
            """
            a = Receiver(optional=True)
            b = Receiver()
            got = ()
            def run(self):
                self.got += ((self.a, self.b),)
            """,
        )
        bench = Bench([source(1), source(2, "x"), late], [edge(1, "out", 3, "a"), edge(2, "out", 3, "b")])
        bench.run()
        self.assertEqual(bench.instance(3).got, ((None, "x"),))
        alone = node(2, "a = Receiver(optional=True)\ngot = ()\ndef run(self):\n    self.got += (self.a,)")
        bench = Bench([source(1), alone], [edge(1, "out", 2, "a")])
        bench.run()
        self.assertEqual(bench.instance(2).got, (None,))
        bench = Bench([source(1, 7, 8), alone], [edge(1, "out", 2, "a")])
        bench.run()
        self.assertEqual(bench.instance(2).got, (7, 8))

    def test_a_stream_is_read_while_it_is_sent(self) -> None:
        endless = node(
            1,
            """
            out = Transmitter()
            def run(self):
                import os, time
                for number in range(100):
                    self.out.send(number)
                    while number == 50 and not os.path.exists("seen"):
                        time.sleep(0.001)
            """,
        )
        reader = node(
            2, "rows = Receiver()\ndef run(self):\n    open('seen', 'a').close() if self.rows == 30 else None"
        )
        bench = Bench([endless, reader], [edge(1, "out", 2, "rows")])
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(bench.lanes.folder)
        self.assertTrue(bench.run())

    def test_a_cycle_runs_until_nothing_is_sent(self) -> None:
        counter = node(
            1,
            """
            start = Receiver(optional=True)
            again = Receiver(optional=True)
            out = Transmitter()
            top = 0
            def run(self):
                value = self.again if self.again is not None else 0
                self.top = value
                if value < 50:
                    self.out.send(value)
            """,
        )
        bench = Bench([counter, relay(2)], [edge(1, "out", 2, "inp"), edge(2, "out", 1, "again")])
        self.assertTrue(bench.run())
        self.assertEqual(bench.instance(1).top, 50)

    def test_a_disabled_node_is_skipped(self) -> None:
        off = {**source(1, 1), "disabled": True}
        bench = Bench([off, node(2, COLLECT)], [edge(1, "out", 2, "rows")])
        self.assertTrue(bench.run())
        self.assertIsNone(bench.executor.graph.nodes[1].lane)
        self.assertIsNone(bench.instance(2).got)

    def test_fields_take_their_value_from_the_graph_or_a_constant(self) -> None:
        fields = node(
            2, "a = Field(1)\nb = Field(2)\nc = Field(3)\ndef run(self):\n    self.seen = (self.a, self.b, self.c)"
        )
        constant = node(1, "seed = Constant(42)")
        bench = Bench([constant, {**fields, "values": {"b": 20}}], [edge(1, "seed", 2, "c")])
        bench.run()
        self.assertEqual(bench.instance(2).seen, (1, 20, 42))

    def test_a_field_fed_by_a_transmitter_waits_for_it_and_keeps_it(self) -> None:
        target = node(
            3, "rows = Receiver()\nrate = Field(1)\ngot = ()\ndef run(self):\n    self.got += ((self.rows, self.rate),)"
        )
        bench = Bench(
            [source(1, "a", "b"), source(2, 0.5), target], [edge(1, "out", 3, "rows"), edge(2, "out", 3, "rate")]
        )
        bench.run()
        self.assertEqual(bench.instance(3).got, (("a", 0.5), ("b", 0.5)))

    def test_values_sent_from_threads_arrive(self) -> None:
        threaded = node(
            1,
            """
            out = Transmitter()
            def run(self):
                import threading
                threads = [threading.Thread(target=self.out.send, args=(at,)) for at in range(20)]
                [thread.start() for thread in threads]
                [thread.join() for thread in threads]
            """,
        )
        bench = Bench([threaded, node(2, COLLECT)], [edge(1, "out", 2, "rows")])
        bench.run()
        self.assertEqual(sorted(bench.instance(2).got), list(range(20)))

    def test_runs_a_chain_of_a_thousand_nodes(self) -> None:
        nodes = [source(1, 0), *(relay(key) for key in range(2, 1001))]
        edges = [edge(1, "out", 2, "inp"), *(edge(key, "out", key + 1, "inp") for key in range(2, 1000))]
        bench = Bench(nodes, edges)
        bench.run()
        self.assertEqual(bench.executor.graph.nodes[1000].outputs, [("out", 999)])
        started = time.perf_counter()
        bench.run("all")
        self.assertLess(time.perf_counter() - started, 10)


class Exceptions(unittest.TestCase):
    def test_reports_line_function_and_traceback_without_our_frames(self) -> None:
        bench = Bench([node(1, "def run(self):\n    self.deeper()\ndef deeper(self):\n    1 / 0")])
        self.assertFalse(bench.run())
        [(key, line, function, traceback)] = bench.exceptions
        self.assertEqual((key, line, function), (1, 7, "deeper"))
        self.assertIn("ZeroDivisionError", traceback)
        self.assertIn("1 / 0", traceback)
        self.assertNotIn("execution.py", traceback)
        self.assertEqual(bench.statuses[1], "error")

    def test_no_node_waits_or_runs_after_a_failed_run(self) -> None:
        bad = node(2, "inp = Receiver()\nout = Transmitter()\ndef run(self):\n    1 / self.inp")
        edges = [edge(1, "out", 2, "inp"), edge(2, "out", 3, "rows")]
        bench = Bench([source(1, 1, 0, 1), bad, node(3, COLLECT), source(4)], edges)
        # A worker removes what it has reported from here.
        bench.exception = lambda *_: bench.statuses.clear()  # type: ignore[method-assign]
        self.assertFalse(bench.run())
        self.assertEqual({key: bench.statuses.get(key) for key in (2, 3)}, {2: "error", 3: "idle"})
        self.assertFalse({"waiting", "running"} & set(bench.statuses.values()))

    def test_reports_what_is_wrong_with_the_code(self) -> None:
        cases = [
            ("class N(:\n", 1, "SyntaxError"),
            ("x = 1\n", 1, "no class that extends Node"),
            ("from miranda import *\nimport nothing_of_this_name\n", 2, "ModuleNotFoundError"),
            ("from miranda import *\nclass A(Node): pass\nclass B(Node): pass\n", 3, "A and B"),
            ("from miranda import *\nclass A(Node):\n    run = Receiver()\n", 2, "run is a name"),
            ("x = 1\ny = '\0'\n", 2, "null"),
        ]
        for text, line, words in cases:
            with self.subTest(words):
                bench = Bench([{"id": 1, "name": "N", "source_code": text}])
                self.assertFalse(bench.run())
                self.assertEqual(bench.exceptions[0][1], line)
                self.assertIn(words, bench.exceptions[0][3])

    def test_nodes_that_do_not_depend_on_a_failure_run(self) -> None:
        bad = node(2, "inp = Receiver()\ndef run(self):\n    1 / 0")
        broken = {"id": 5, "name": "N5", "source_code": "class N(:"}
        edges = [edge(1, "out", 2, "inp"), edge(1, "out", 3, "rows")]
        bench = Bench([source(1, 1, 2, 3), bad, node(3, COLLECT), source(4, 1), broken], edges)
        ended = bench.executor.run()
        self.assertEqual(ended, (False, False, [5, 2]))
        self.assertEqual(bench.instance(3).got, [1, 2, 3])
        self.assertEqual(bench.statuses, {1: "done", 2: "error", 3: "done", 4: "done", 5: "error"})
        self.assertEqual({key for key, (run, _) in bench.plan().items() if run}, {2, 5})

    def test_an_exit_without_a_code_is_a_success(self) -> None:
        bench = Bench([node(1, "def run(self):\n    import sys\n    sys.exit(0)")])
        self.assertTrue(bench.run())

    def test_an_exit_with_a_code_is_an_exception(self) -> None:
        bench = Bench([node(1, "def run(self):\n    raise SystemExit(3)")])
        self.assertFalse(bench.run())
        self.assertIn("SystemExit", bench.exceptions[0][3])

    def test_reports_an_exception_downstream_once(self) -> None:
        bad = node(2, "rows = Receiver()\ndef run(self):\n    raise ValueError(self.rows)")
        bench = Bench([source(1, 1, 2, 3), bad], [edge(1, "out", 2, "rows")])
        self.assertFalse(bench.run())
        self.assertEqual(len(bench.exceptions), 1)
        self.assertEqual(bench.exceptions[0][0], 2)


class Plans(unittest.TestCase):
    def chain(self) -> Bench:
        return Bench([source(1, 1), relay(2), relay(3)], [edge(1, "out", 2, "inp"), edge(2, "out", 3, "inp")])

    def test_runs_nothing_when_nothing_changed(self) -> None:
        bench = self.chain()
        self.assertEqual(bench.plan()[1], (True, "It has not run yet."))
        bench.run()
        self.assertEqual({run for run, _ in bench.plan().values()}, {False})
        bench.run()
        self.assertEqual(bench.instance(1).ran, 1)

    def test_changed_code_runs_with_what_follows(self) -> None:
        bench = self.chain()
        bench.run()
        bench.given["nodes"][1] = {**relay(2), "source_code": relay(2)["source_code"].replace("+ 1", "+ 10")}
        self.assertEqual(
            bench.plan(),
            {1: (False, "Nothing changed."), 2: (True, "Its code changed."), 3: (True, "N2 runs before it.")},
        )
        bench.run()
        self.assertEqual(bench.instance(1).ran, 1)
        self.assertEqual(bench.executor.graph.nodes[3].outputs, [("out", 12)])

    def test_runs_nodes_with_changed_values_or_edges_and_failed_nodes(self) -> None:
        bench = self.chain()
        bench.run()
        bench.given["nodes"][2] = {**relay(3), "values": {"speed": 3}}
        self.assertEqual(bench.plan()[3], (True, "speed changed."))
        bench.run()
        bench.given["edges"] = bench.given["edges"][:1]
        self.assertEqual(bench.plan()[3], (True, "Its connections changed."))
        failing = Bench([node(1, "def run(self):\n    1 / 0")])
        failing.run()
        self.assertEqual(failing.plan()[1], (True, "Its last run failed."))

    def test_always_runs_a_node_without_cache(self) -> None:
        bench = Bench([node(1, "cache = False\ndef run(self):\n    pass")])
        bench.run()
        self.assertEqual(bench.plan()[1], (True, "It is never skipped (cache = False)."))

    def test_plans_the_modes_one_to_from_and_all(self) -> None:
        bench = self.chain()
        bench.run("to", 2)
        self.assertEqual([bench.executor.graph.nodes[key].version > 0 for key in (1, 2, 3)], [True, True, False])
        bench.run("one", 2)
        self.assertEqual(bench.instance(1).ran, 1)
        bench.run()
        bench.run("one", 2)
        self.assertEqual(bench.plan()[3], (True, "N2 has run since."))
        bench.run("from", 2)
        self.assertEqual(bench.instance(1).ran, 1)
        self.assertEqual({run for run, _ in bench.plan().values()}, {False})
        bench.run("all")
        self.assertEqual(bench.instance(1).ran, 2)
        fresh = self.chain()
        fresh.run("one", 2)
        self.assertEqual([fresh.executor.graph.nodes[key].version > 0 for key in (1, 2, 3)], [True, True, False])

    def test_a_stream_is_not_stale_afterwards(self) -> None:
        bench = Bench([source(1, 1, 2, 3), node(2, COLLECT)], [edge(1, "out", 2, "rows")])
        bench.run()
        self.assertEqual({run for run, _ in bench.plan().values()}, {False})

    def test_plans_nodes_with_breakpoints_of_the_run(self) -> None:
        bench = Bench([source(1, 1)])
        bench.run()
        self.assertEqual(bench.plan(breakpoints={"1": [5]})[1], (True, "It has a breakpoint."))
        self.assertEqual(bench.plan(breakpoints={})[1], (False, "Nothing changed."))

    def test_unknown_targets_are_refused(self) -> None:
        for mode, target in (("one", 99), ("to", None), ("sideways", 1)):
            with self.assertRaises(ValueError):
                self.chain().plan(mode, target)


if __name__ == "__main__":
    unittest.main()
