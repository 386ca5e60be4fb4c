"""A split is compared with the run as one node before it is made."""

from __future__ import annotations

import unittest
from typing import Any

from miranda.notebook.check import check_split
from miranda_notebooks.main import Split, split


def given(*cells: str) -> dict[str, Any]:
    return {"name": "book.ipynb", "cells": [{"kind": "code", "source": source} for source in cells]}


def check(whole: Split, parts: Split) -> dict[str, Any]:
    sources = [node["source_code"] for node in parts.nodes]
    return check_split(whole.nodes[0]["source_code"], sources, parts.edges)


class CheckTest(unittest.TestCase):
    def test_a_split_that_gives_the_same_is_found_to_do_so(self) -> None:
        cells = given("rows = [1, 2]\nrows", "print(sum(rows))", "total = len(rows)", "print(total)\ntotal")
        found = check(split(cells), split({**cells, "splits": True}))
        self.assertEqual(found, {"same": True, "problem": "", "cells": [], "lines": 2, "shown": 2})

    def test_cells_that_give_something_else_are_named(self) -> None:
        # As if nobody had seen that both cells change one list.
        whole = split(given("rows = [1]", "part = rows", "part.append(2)", "print(rows)"))
        parts = split({**given("rows = [1]", "part = rows", "part", "print(rows)"), "splits": True})
        found = check(whole, parts)
        self.assertEqual((found["same"], found["cells"]), (False, ["Cell 3", "Cell 4"]))

    def test_an_exception_on_either_side_is_named(self) -> None:
        whole = split(given("print(1)", "1 / 0"))
        fine = split({**given("print(1)", "print(2)"), "splits": True})
        self.assertIn("As one node it ends with: ZeroDivisionError", check(whole, fine)["problem"])
        found = check(split(given("print(1)", "print(2)")), split({**given("print(1)", "1 / 0"), "splits": True}))
        self.assertIn("Split, it ends with: ZeroDivisionError", found["problem"])

    def test_a_script_is_compared_as_one_text(self) -> None:
        text = "# %%\nx = 1\nprint('a')\n# %%\nprint('b')\n# %%\nprint(x)\n"
        code = {"name": "a.py", "text": text}
        found = check(split(code), split({**code, "splits": True}))
        self.assertEqual((found["same"], found["lines"]), (True, 3))

    def test_an_imported_node_can_be_split_later(self) -> None:
        cells = given("rows = [1, 2]", "print(sum(rows))", "print(len(rows))")
        whole = split(cells)
        later = split({"name": "", "text": whole.nodes[0]["source_code"], "splits": True})
        self.assertEqual(later.nodes, split({**cells, "splits": True}).nodes)
        kept = split({"name": "", "text": whole.nodes[0]["source_code"], "splits": True, "together": 2})
        self.assertEqual([node["cells"] for node in kept.nodes], [[1, 2], [3]])
        script = split({"name": "a.py", "text": "# %%\nx = 1\n# %%\nprint(x)\n"})
        again = split({"name": "", "text": script.nodes[0]["source_code"], "splits": True})
        self.assertEqual(len(again.nodes), 2)


if __name__ == "__main__":
    unittest.main()
