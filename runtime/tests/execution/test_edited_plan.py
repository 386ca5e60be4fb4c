from __future__ import annotations

import unittest
from hashlib import sha256

from miranda.declare import declare
from miranda.execution.edited_plan import edited

from ..graphs import Bench, node


def hash_of(source: str) -> str:
    return sha256(source.encode()).hexdigest()


def planned(bench: Bench) -> dict[int, tuple[bool, str]]:
    return {entry["node"]: (entry["run"], entry["reason"]) for entry in bench.executor.plan("changed", None)}


class EditedPlan(unittest.TestCase):
    def test_a_node_with_other_code_would_run_and_keeps_its_instance(self) -> None:
        bench = Bench([node(1, "def run(self): pass"), node(2, "def run(self): pass")])
        bench.executor.run()
        graph = bench.executor.graph
        lane, source = graph.nodes[1].lane, graph.nodes[1].source
        with edited(graph, {"1": hash_of("other"), "9": "x", "no number": "x"}):
            self.assertEqual(planned(bench), {1: (True, "Its code changed."), 2: (False, "Nothing changed.")})
        self.assertEqual(graph.nodes[1].source, source)
        self.assertIs(graph.nodes[1].lane, lane)
        self.assertEqual(planned(bench)[1], (False, "Nothing changed."))

    def test_code_that_was_typed_back_to_what_ran_does_not_run(self) -> None:
        first = node(1, "def run(self): pass")
        bench = Bench([first])
        bench.executor.run()
        changed = {**first, "source_code": first["source_code"] + "# committed since\n"}
        bench.executor.update({"nodes": [changed], "edges": []})
        self.assertEqual(planned(bench)[1], (True, "Its code changed."))
        with edited(bench.executor.graph, {"1": hash_of(first["source_code"])}):
            self.assertEqual(planned(bench)[1], (False, "Nothing changed."))

    def test_tells_syntax_errors_from_wrong_declarations(self) -> None:
        self.assertIs(declare("class (:")["parsed"], False)
        self.assertNotIn("parsed", declare("x = 1\n"))
