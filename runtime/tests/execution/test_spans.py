"""When nodes were ready, began and ended, and what a run says that it will do."""

from __future__ import annotations

import unittest
from time import perf_counter

from miranda.execution.spans import MOST_SPANS, spans_of

from ..graphs import Bench, edge, node


class SpansTest(unittest.TestCase):
    def spans(self, bench: Bench, key: int) -> list[list[float]]:
        return spans_of(bench.executor.graph.nodes[key], bench.executor.began)

    def test_a_node_is_ready_when_the_node_before_it_has_sent_and_runs_after_that(self) -> None:
        first = "out = Transmitter()\ndef run(self):\n    import time\n    self.out.send(1)\n    time.sleep(0.02)\n"
        second = "given = Receiver()\ndef run(self):\n    pass\n"
        bench = Bench([node(1, first), node(2, second)], [edge(1, "out", 2, "given")])
        bench.executor.began = perf_counter()
        self.assertTrue(bench.run())
        ((ready, began, ended),) = self.spans(bench, 2)
        ((_, first_began, first_ended),) = self.spans(bench, 1)
        self.assertLessEqual(first_began, ready)
        self.assertLess(ready, first_ended)
        self.assertLessEqual(ready, began)
        self.assertLessEqual(began, ended)

    def test_a_node_that_fires_often_keeps_its_first_spans_and_the_last_one(self) -> None:
        first = "out = Transmitter()\ndef run(self):\n    for at in range(100):\n        self.out.send(at)\n"
        second = "given = Receiver()\ndef run(self):\n    pass\n"
        bench = Bench([node(1, first), node(2, second)], [edge(1, "out", 2, "given")])
        bench.executor.began = perf_counter()
        self.assertTrue(bench.run())
        spans = self.spans(bench, 2)
        self.assertEqual(len(spans), MOST_SPANS)
        self.assertEqual(spans, sorted(spans))
        self.assertTrue(bench.run("all"))
        self.assertEqual(len(self.spans(bench, 2)), MOST_SPANS)

    def test_a_node_that_raises_has_a_span_and_one_that_does_not_run_has_none(self) -> None:
        bench = Bench([node(1, "def run(self):\n    raise ValueError\n"), node(2, "def run(self):\n    pass\n")])
        bench.executor.began = perf_counter()
        self.assertFalse(bench.run())
        self.assertEqual(len(self.spans(bench, 1)), 1)
        bench.run("one", 1)
        self.assertEqual(self.spans(bench, 2), [])

    def test_a_run_says_what_it_will_do_before_its_first_node(self) -> None:
        bench = Bench([node(1, "def run(self):\n    pass\n")])
        bench.run()
        bench.run()
        self.assertEqual(
            bench.plans,
            [
                [{"node": 1, "run": True, "reason": "It has not run yet.", "result": None}],
                [{"node": 1, "run": False, "reason": "Nothing changed.", "result": None}],
            ],
        )


if __name__ == "__main__":
    unittest.main()
