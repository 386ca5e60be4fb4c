from __future__ import annotations

import unittest
from typing import Any

from miranda.worker.calls import Calls, is_json, show_sent

from ..graphs import Bench, edge, node

LEARN = "out = Transmitter()\ncount = 0\ndef run(self):\n    self.count += 1\n    self.out.send(self.count)"
ANSWER = (
    "model = Receiver()\nnumber = Field(1)\nresult = Transmitter()\ndef run(self): self.result.send(self.number * 2)"
)


def planned(bench: Bench, mode: str) -> list[int]:
    return [entry["node"] for entry in bench.executor.plan(mode, None) if entry["run"]]


class CallsOfARelease(unittest.TestCase):
    def setUp(self) -> None:
        self.graph = {"nodes": [node(1, LEARN), node(2, ANSWER)], "edges": [edge(1, "out", 2, "model")]}
        self.bench = Bench(self.graph["nodes"], self.graph["edges"])
        self.bench.executor.always = frozenset({2})

    def test_warming_up_runs_what_no_call_changes_and_loads_the_rest(self) -> None:
        self.assertEqual(planned(self.bench, "warm"), [1])
        self.bench.executor.run("warm")
        nodes = self.bench.executor.graph.nodes
        self.assertIsNotNone(nodes[2].lane)
        self.assertEqual(planned(self.bench, "call"), [2])

    def test_every_call_runs_its_nodes_and_lays_its_values_over_the_release(self) -> None:
        executor = self.bench.executor
        calls = Calls(executor.graph)
        calls.release(self.graph)
        sent: list[dict[str, Any]] = []
        for given in ({"2": {"number": 21}}, {}, {"2": {"number": "a"}, "9": {"x": 1}, "no": {}}):
            calls.lay(given)
            executor.run("call")
            show_sent(executor, 1, [{"node": 2, "transmitter": "result"}, {"node": 9, "transmitter": "x"}])
            sent.append(self.bench.outputs.pop(0))
        self.assertEqual([one["data"]["application/json"] for one in sent], [42, 2, "aa"])
        self.assertEqual(sent[0]["metadata"], {"transmitter": "result"})
        # Learned once, for the first call.
        self.assertEqual(executor.graph.nodes[1].outputs, [("out", 1)])

    def test_knows_what_json_can_hold(self) -> None:
        for value in (None, True, 1, 1.5, "a", [1, {"a": None}]):
            self.assertTrue(is_json(value), value)
        for value in (float("nan"), {1, 2}, b"a", [object()], "x" if False else [float("inf")], 1 << 2_000):
            self.assertFalse(is_json(value), value)
