"""Which seed a node has."""

from __future__ import annotations

import unittest

from miranda import Constant, Field, Node
from miranda.isolation.process_state import seed_of, wanted_seed


class Plain(Node):
    pass


class Entropy(Node):
    seed = None


class Number(Node):
    seed = 42


class Negative(Node):
    seed = -1


class OfAField(Node):
    seed = Field(3)


class OfAConstant(Node):
    seed = Constant(3)


class OfAMethod(Node):
    def seed(self) -> int:
        return 3


class OfAProperty(Node):
    @property
    def seed(self) -> int:
        return 3


class OfABool(Node):
    seed = True


class Seeds(unittest.TestCase):
    def test_every_node_of_every_workflow_has_its_own(self) -> None:
        seeds = {seed_of(workflow, node) for workflow in ("a", "b") for node in range(100)}
        self.assertEqual(len(seeds), 200)
        self.assertTrue(all(0 <= seed < 2**32 for seed in seeds))

    def test_is_the_same_in_every_process(self) -> None:
        self.assertEqual(seed_of("workflow", 7), 550090729)

    def test_the_class_decides(self) -> None:
        self.assertIsNone(wanted_seed(Entropy, "a", 1))
        self.assertEqual(wanted_seed(Number, "a", 1), 42)
        self.assertEqual(wanted_seed(Negative, "a", 1), 2**32 - 1)

    def test_anything_else_of_that_name_is_the_nodes_own_affair(self) -> None:
        for kind in (Plain, OfAField, OfAConstant, OfAMethod, OfAProperty, OfABool):
            self.assertEqual(wanted_seed(kind, "a", 1), seed_of("a", 1))


if __name__ == "__main__":
    unittest.main()
