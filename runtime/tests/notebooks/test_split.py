"""Notebooks run as nodes, with the same outputs as they have cell by cell."""

from __future__ import annotations

import ast
import contextlib
import io
import os
import tempfile
import unittest
from typing import Any

from miranda.declare import declare
from miranda.output.display import mime_bundle
from miranda.services import host, set_host
from miranda_notebooks.cell_text import parse_cell
from miranda_notebooks.magics import clean
from miranda_notebooks.main import Split, TooMuch, split

from ..graphs import Bench


def split_notebook(*cells: str) -> Split:
    kinds = [("markdown", cell[3:]) if cell.startswith("md:") else ("code", cell) for cell in cells]
    return split({"name": "book.ipynb", "cells": [{"kind": kind, "source": source} for kind, source in kinds]})


class Screen:
    """Keeps what nodes show."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def show(self, bundle: dict[str, Any], metadata: dict[str, Any], id: str | None = None, file: Any = None) -> None:
        self.shown.append(bundle["text/plain"])


def as_notebook(cells: list[str]) -> tuple[list[str], list[str]]:
    """What a notebook prints and shows."""
    names: dict[str, Any] = {"__name__": "__main__"}
    shown: list[str] = []
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for cell in cells:
            source = clean(cell).source
            body = parse_cell(source).body
            last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
            exec(compile(ast.Module(body, []), "cell", "exec"), names)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
                if value is not None and not source.rstrip().endswith(";"):
                    shown.append(mime_bundle(value)[0]["text/plain"])
    return sorted(printed.getvalue().splitlines()), sorted(shown)


class SplitTest(unittest.TestCase):
    def run_nodes(self, answer: Split) -> tuple[list[str], list[str]]:
        """What the nodes print and show. Nodes that do not wait for each other may run in any order."""
        for node in answer.nodes:
            declared = declare(node["source_code"])
            self.assertIsNone(declared["error"], node["source_code"])
        nodes = [{**node, "id": at, "name": node["name"]} for at, node in enumerate(answer.nodes, 1)]
        edges = [{**edge, "source": edge["source"] + 1, "target": edge["target"] + 1} for edge in answer.edges]
        screen, before, printed = Screen(), host, io.StringIO()
        set_host(screen)  # pyright: ignore[reportArgumentType]
        bench = Bench(nodes, edges)
        try:
            with contextlib.redirect_stdout(printed):
                self.assertTrue(bench.run(), bench.exceptions)
        finally:
            set_host(before)
        return sorted(printed.getvalue().splitlines()), sorted(screen.shown)

    def assert_same(self, *cells: str) -> Split:
        answer = split_notebook(*cells)
        code = [cell for cell in cells if not cell.startswith("md:")]
        self.assertEqual(self.run_nodes(answer), as_notebook(code))
        return answer

    def test_ports_are_the_names_that_cells_share(self) -> None:
        answer = self.assert_same(
            "md:# Sales\n\nWhat was sold.",
            "import csv, io\nimport statistics as st",
            "md:## Load the data",
            'text = """day,amount\n1,10\n2,30\n"""\nrows = list(csv.DictReader(io.StringIO(text)))\nrows[:1]',
            "def amount(row):\n    return float(row['amount'])",
            "mean = st.mean(amount(row) for row in rows)\nmean",
            "print(len(rows), mean)",
        )
        self.assertEqual([node["name"] for node in answer.nodes], ["Load the data", "Make mean", "Cell 7"])
        self.assertEqual(answer.nodes[0]["description"], "# Sales\n\nWhat was sold.\n\n## Load the data")
        ports = {(edge["source"], edge["transmitter"], edge["target"], edge["receiver"]) for edge in answer.edges}
        self.assertEqual(ports, {(0, "rows", 1, "rows"), (0, "rows", 2, "rows"), (1, "mean", 2, "mean")})
        self.assertEqual(answer.remarks, [])

    def test_a_value_that_a_cell_changes_is_passed_on(self) -> None:
        answer = self.assert_same(
            "rows = [{'a': 1}]\nlog = []",
            "for row in rows:\n    row['b'] = row['a'] * 2\nrows.append({'a': 5, 'b': 6})",
            "def note(text):\n    log.append(text)\nnote('one')",
            "note('two')\nprint(log, rows)",
            "rows.sort(key=lambda row: -row['a'])\nrows",
        )
        self.assertIn("rows_out", answer.nodes[1]["source_code"])

    def test_functions_that_use_values_and_classes_keep_working(self) -> None:
        self.assert_same(
            "class Point:\n    def __init__(self, x):\n        self.x = x\n\ncount = 0",
            "def step(by=1):\n    global count\n    count += by\n    return Point(count)",
            "first = step(2)\nprint(isinstance(first, Point), first.x)",
            "second = step()\ncount, second.x",
            "def twice(n):\n    return n if n > 10 else twice(n * 2)",
            "twice(count)",
        )

    def test_names_for_one_value_stay_one_value(self) -> None:
        self.assert_same("a = [1]\nb = a", "a.append(2)", "print(a, b)", "b.append(3)", "a, b")

    def test_the_order_of_files_and_random_numbers_stays(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.txt")
            self.assert_same(
                f"import random\npath = {path!r}\nrandom.seed(7)",
                "with open(path, 'w') as file:\n    file.write(str(random.random()))",
                "print(random.random())",
                "with open(path) as file:\n    text = file.read()\ntext",
            )

    def test_a_value_made_in_some_cases_only(self) -> None:
        self.assert_same("x = 1\nready = False", "if ready:\n    x = 2\nfor i in []:\n    x = 3", "x")

    def test_several_statements_in_a_line_and_quiet_ends(self) -> None:
        self.assert_same("import math; r = 2; area = math.pi * r", "area;", "r")

    def test_cells_that_wait(self) -> None:
        answer = split_notebook("import asyncio\nawait asyncio.sleep(0)\nx = 1", "x")
        self.assertEqual(self.run_nodes(answer), ([], ["1"]))

    def test_magics_become_packages_plain_python_or_comments(self) -> None:
        answer = split_notebook(
            "%matplotlib inline\n!pip install -q 'rich>=13' tabulate-x\nimport rich",
            "%%time\nrich.print('hello')",
            "%time total = sum([1, 2])\nfiles = !ls\ntotal",
            "%%bash\necho never run",
        )
        sources = [node["source_code"] for node in answer.nodes]
        self.assertIn('# dependencies = ["rich>=13", "tabulate-x"]', sources[0])
        self.assertIn("total = sum([1, 2])", sources[1])
        self.assertIn("# echo never run", sources[2])
        self.assertEqual([remark["cell"] for remark in answer.remarks], [3, 4])

    def test_a_cell_of_comments_describes_the_next_node(self) -> None:
        answer = split_notebook("%matplotlib inline\n# Prices of today", "x = 1\nprint(x)")
        self.assertEqual([node["description"] for node in answer.nodes], ["Prices of today"])

    def test_a_cell_that_is_no_python_is_kept_and_named(self) -> None:
        answer = split_notebook("x = 1", "def broken(:", "print(x)")
        self.assertIn("# def broken(:", answer.nodes[1]["source_code"])
        self.assertEqual(answer.remarks[0]["cell"], 2)
        self.assertIn("It is not valid Python", answer.remarks[0]["text"])
        self.assertEqual(self.run_nodes(answer), (["1"], []))

    def test_cells_in_another_order_and_in_a_circle(self) -> None:
        later = split_notebook("print(x)", "x = 3")
        self.assertEqual(later.edges, [{"source": 1, "transmitter": "x", "target": 0, "receiver": "x"}])
        self.assertEqual(self.run_nodes(later), (["3"], []))
        circle = split_notebook("print(a)\nb = 1", "a = b + 1")
        self.assertEqual(circle.edges, [{"source": 0, "transmitter": "b", "target": 1, "receiver": "b"}])
        self.assertEqual(
            circle.remarks[0]["text"],
            "It uses a, which only cell 2 makes, and cell 2 needs this one: a circle. The input a is left open.",
        )

    def test_names_that_nobody_makes_and_unknown_packages_are_named(self) -> None:
        answer = split_notebook("import my_helpers\nmy_helpers.go(nowhere)")
        texts = [remark["text"] for remark in answer.remarks]
        self.assertEqual(texts[0], "It uses nowhere, which no cell makes.")
        self.assertIn("my_helpers", texts[1])

    def test_a_large_notebook_takes_no_long_time(self) -> None:
        cells = ["total = 0", *(f"total += {at}\nvalue{at} = total" for at in range(298)), "print(total)"]
        answer = split_notebook(*cells)
        self.assertEqual(len(answer.nodes), 300)

    def test_what_would_become_too_much_is_refused(self) -> None:
        function = f"def f():\n    '{'x' * 10_000}'"
        self.assertEqual(len(split_notebook(function, *["f()"] * 50).nodes), 50)
        with self.assertRaises(TooMuch):
            split_notebook(function, *["f()"] * 900)
        names = [f"a{number}" for number in range(200)]
        reads = ", ".join(names)
        with self.assertRaises(TooMuch):
            split_notebook(f"{reads} = range(200)", *[f"print({reads})"] * 150)
        remarks = split_notebook("\n".join(["!ls"] * 5_000)).remarks
        self.assertEqual(len(remarks), 1_000)


class ScriptTest(unittest.TestCase):
    def test_a_script_of_too_many_cells_is_refused(self) -> None:
        text = "# %%\nx = 1\n" * 1_001
        with self.assertRaises(TooMuch):
            split({"name": "a.py", "text": text})
        self.assertEqual(len(split({"name": "a.py", "text": text, "splits": False}).nodes), 1)

    def test_a_script_is_split_at_its_marks(self) -> None:
        text = "# %% [markdown]\n# # Title\n# %% Load\nx = 1\n# %%\nprint(x)\n"
        answer = split({"name": "a.py", "text": text})
        self.assertEqual([node["name"] for node in answer.nodes], ["Load", "Cell 3"])
        self.assertEqual(answer.nodes[0]["description"], "# Title")

    def test_a_script_without_marks_is_split_at_comments_and_at_its_guard(self) -> None:
        text = '"""What it does."""\nimport sys\n\n# Read\nx = [1]\n\n# Sum\ny = sum(x)\n\n\n'
        text += 'if __name__ == "__main__":\n    print(y)\n'
        answer = split({"name": "a.py", "text": text})
        self.assertEqual([node["name"] for node in answer.nodes][:2], ["Read", "Sum"])
        self.assertEqual(len(answer.nodes), 3)
        self.assertEqual(answer.nodes[0]["description"], "What it does.")
        whole = split({"name": "my_sum.py", "text": text, "splits": False})
        self.assertEqual([node["name"] for node in whole.nodes], ["my sum"])
        self.assertEqual(whole.cells, 4)

    def test_a_node_stays_as_it_is(self) -> None:
        text = 'from miranda import Node\n\n\nclass MyNode(Node):\n    """Says hello."""\n'
        answer = split({"name": "a.py", "text": text})
        self.assertEqual((answer.form, answer.nodes[0]["source_code"]), ("node", text))
        self.assertEqual(answer.nodes[0]["name"], "My Node")

    def test_a_text_is_no_python(self) -> None:
        for text in ("Dear all, see below.", "hello", "https://example.org", "{"):
            answer = split({"name": "", "text": text, "splits": False})
            self.assertEqual((answer.form, answer.nodes), ("text", []))
            self.assertTrue(answer.remarks)


if __name__ == "__main__":
    unittest.main()
