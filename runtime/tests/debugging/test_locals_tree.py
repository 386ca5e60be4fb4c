"""Values that are too large to be shown at once."""

from __future__ import annotations

import sys
import types
import unittest

from miranda.debugging.locals_tree import Budget, References, locals_tree, unfold


class Unfolding(unittest.TestCase):
    def test_unfolds_every_kind_of_value(self) -> None:
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


class Shapes(unittest.TestCase):
    def test_a_tensor_shows_its_shape_and_nothing_of_its_content(self) -> None:
        torch = types.ModuleType("torch")

        class Tensor:
            __module__ = "torch"
            shape, dtype, device = (3, 4), "float32", "cuda:0"

            def tolist(self) -> None:
                raise RuntimeError("the device has failed")

        vars(torch)["Tensor"] = Tensor
        sys.modules["torch"] = torch
        self.addCleanup(sys.modules.pop, "torch")
        tree = locals_tree({"weights": Tensor()})
        self.assertEqual(tree["weights"], {"": "<Tensor float32>", "shape": [3, 4], "device": "cuda:0"})

    def test_other_keys_of_a_namespace_than_names_are_left_out(self) -> None:
        self.assertEqual(locals_tree({1: 2, "a": 3, None: 4}), {"a": 3})
