from __future__ import annotations

import unittest
from typing import Any

from miranda.execution.graph import Graph
from miranda.execution.keys import Key, Keys, written_cache

from ..graphs import edge, node

CODE = "inp = Receiver()\nout = Transmitter()\nx = Field(1)"


def keys(nodes: list[dict[str, Any]], edges: list[dict[str, Any]], packages: tuple[str, ...] = ()) -> dict[int, Key]:
    graph = Graph()
    graph.update({"nodes": nodes, "edges": edges})
    return Keys(lambda state: packages).of(graph)


class ResultKeys(unittest.TestCase):
    def setUp(self) -> None:
        self.nodes = [node(1, CODE), node(2, CODE), node(3, CODE)]
        self.edges = [edge(1, "out", 3, "inp"), edge(2, "out", 3, "inp")]
        self.before = keys(self.nodes, self.edges)

    def changed(self, nodes: list[dict[str, Any]], edges: list[dict[str, Any]] | None = None) -> list[int]:
        after = keys(nodes, self.edges if edges is None else edges)
        return [key for key in after if after[key] != self.before[key]]

    def test_everything_downstream_of_a_change_has_another_key(self) -> None:
        self.assertEqual(self.changed(self.nodes), [])
        self.assertEqual(self.changed([node(1, CODE + " "), *self.nodes[1:]]), [1, 3])
        self.assertEqual(self.changed([{**self.nodes[0], "values": {"x": 2}}, *self.nodes[1:]]), [1, 3])
        self.assertEqual(self.changed([{**self.nodes[0], "storage": "/data"}, *self.nodes[1:]]), [1, 3])
        self.assertEqual(self.changed(self.nodes, self.edges[:1]), [3])
        self.assertEqual(self.changed(self.nodes, [self.edges[0], edge(2, "out", 3, "x")]), [3])

    def test_names_and_the_order_of_edges_change_nothing(self) -> None:
        self.assertEqual(self.changed([{**one, "name": "another"} for one in self.nodes]), [])
        self.assertEqual(self.changed(self.nodes, self.edges[::-1]), [])
        self.assertEqual(self.changed(self.nodes[::-1]), [])

    def test_other_packages_make_other_keys(self) -> None:
        after = keys(self.nodes, self.edges, ("numpy==2.1.0",))
        self.assertEqual([key for key in after if after[key] == self.before[key]], [])

    def test_two_nodes_with_the_same_code_have_different_keys(self) -> None:
        same = [{**self.nodes[0], "id": key} for key in (1, 2)]
        found = keys(same, [])
        self.assertNotEqual(found[1], found[2])

    def test_says_why_a_node_has_no_key(self) -> None:
        never = node(1, "cache = False\n" + CODE)
        found = keys([never, *self.nodes[1:]], self.edges)
        self.assertEqual(found[1], Key(None, "its class says cache = False."))
        self.assertEqual(found[3], Key(None, "it is fed by N1: its class says cache = False."))
        loop = keys(self.nodes, [*self.edges, edge(3, "out", 1, "inp")])
        self.assertEqual(loop[1].key, None)
        self.assertEqual(loop[3].key, None)
        self.assertNotEqual(loop[2].key, None)
        self.assertEqual(keys([{**self.nodes[0], "disabled": True}], [])[1].key, None)

    def test_reads_what_a_class_says_without_running_it(self) -> None:
        self.assertIs(written_cache("class A(Node):\n    cache = False"), False)
        self.assertEqual(written_cache("class A(Node):\n    cache: str = 'project'"), "project")
        self.assertIs(written_cache("class A(Node):\n    def run(self):\n        cache = {}"), True)
        self.assertIsNone(written_cache("class A(Node):\n    cache = ask()"))
        self.assertIs(written_cache("class A(Node):\n    cache = "), True)
