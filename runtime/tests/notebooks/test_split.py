"""Notebooks run as nodes, with the same outputs as they have cell by cell."""

from __future__ import annotations

import ast
import contextlib
import io
import os
import tempfile
import unittest
from typing import Any

from miranda.declare import declare, dependencies
from miranda.notebook.text import cells_of
from miranda.output.display import mime_bundle
from miranda_notebooks.cell_text import parse_cell
from miranda_notebooks.magics import clean
from miranda_notebooks.main import Split, TooMuch, split

from ..graphs import Bench


def split_notebook(*cells: str) -> Split:
    kinds = [("markdown", cell[3:]) if cell.startswith("md:") else ("code", cell) for cell in cells]
    given = [{"kind": kind, "source": source} for kind, source in kinds]
    return split({"name": "book.ipynb", "cells": given, "splits": True})


def groups_of(*cells: str) -> list[list[int]]:
    """The numbers of the cells that stay together in each node."""
    return [node["cells"] for node in split_notebook(*cells).nodes]


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
        bench = Bench(nodes, edges)
        self.addCleanup(bench.close)
        self.assertTrue(bench.run(), bench.exceptions)
        return sorted(bench.printed.splitlines()), sorted(bench.shown)

    def assert_same(self, *cells: str) -> Split:
        answer = split_notebook(*cells)
        code = [cell for cell in cells if not cell.startswith("md:")]
        self.assertEqual(self.run_nodes(answer), as_notebook(code))
        return answer

    def assert_together(self, groups: list[list[int]], *cells: str) -> None:
        self.assertEqual(groups_of(*cells), groups)
        self.assert_same(*cells)

    def test_ports_are_the_names_that_cells_share(self) -> None:
        answer = self.assert_same(
            "md:# Sales\n\nWhat was sold.",
            "import statistics as st",
            "md:## Load the data",
            "rows = [{'day': 1, 'amount': 10}, {'day': 2, 'amount': 30}]\nrows[:1]",
            "def amount(row):\n    return float(row['amount'])",
            "mean = st.mean([amount(row) for row in rows])\nmean",
            "print(len(rows), mean)",
        )
        self.assertEqual([node["name"] for node in answer.nodes], ["Load the data", "Make mean", "Cell 7"])
        self.assertEqual(answer.nodes[0]["description"], "# Sales\n\nWhat was sold.\n\n## Load the data")
        ports = {(edge["source"], edge["transmitter"], edge["target"], edge["receiver"]) for edge in answer.edges}
        self.assertEqual(ports, {(0, "rows", 1, "rows"), (0, "rows", 2, "rows"), (1, "mean", 2, "mean")})
        self.assertEqual((answer.remarks, answer.together), ([], []))

    def test_a_value_that_cells_change_stays_in_one_node_until_the_last_change(self) -> None:
        self.assert_together(
            [[1, 2, 3], [4]],
            "rows = [{'a': 1}]",
            "for row in rows:\n    row['b'] = row['a'] * 2",
            "rows.append({'a': 5, 'b': 6})",
            "print(rows)",
        )

    def test_two_names_of_one_value_and_parts_of_a_value_stay_with_it(self) -> None:
        self.assert_together([[1, 2, 3, 4], [5]], "a = [1]\nb = a", "a.append(2)", "print(a, b)", "b.append(3)", "a, b")
        cells = ["rows = [[1], [2]]", "part = rows[0]", "part[0] = 99", "print(rows)"]
        self.assert_together([[1, 2, 3], [4]], *cells)
        # Through a function and a container.
        self.assert_together(
            [[1, 2, 3, 4], [5]],
            "rows = [[1], [2]]",
            "def first(of):\n    return of[0]",
            "part = {'it': first(rows)}",
            "part['it'].append(3)",
            "print(rows)",
        )
        self.assert_together(
            [[2, 3], [4]],
            "def clean(rows):\n    for row in rows:\n        row.pop()",
            "rows = [[1, 2], [3, 4]]",
            "clean(rows)",
            "print(rows)",
        )

    def test_a_view_of_an_array_stays_with_the_array(self) -> None:
        cells = ["import numpy as np\nx2 = np.arange(9).reshape(3, 3)", "x2_sub = x2[:2, :2]", "x2_sub[0, 0] = 99"]
        self.assertEqual(groups_of(*cells, "print(x2)"), [[1, 2, 3], [4]])

    def test_functions_with_a_memory_and_classes_stay_with_those_that_use_them(self) -> None:
        self.assert_together(
            [[1, 2, 3, 4], [5]],
            "class Point:\n    def __init__(self, x):\n        self.x = x\n\ncount = 0",
            "def step(by=1):\n    global count\n    count += by\n    return Point(count)",
            "first = step(2)\nprint(isinstance(first, Point), first.x)",
            "second = step()\nprint(count, second.x)",
            "def twice(n):\n    return n if n > 10 else twice(n * 2)\nprint(twice(3))",
        )
        cached = "import functools\n@functools.cache\ndef slow(n):\n    print('slow')\n    return n"
        self.assert_together([[1, 2, 3]], cached, "slow(1)", "slow(1)")
        kept = "def keep(x, seen=[]):\n    seen.append(x)\n    return seen"
        self.assert_together([[1, 2, 3]], kept, "keep(1)", "keep(2)")

    def test_what_cannot_be_copied_stays_where_it_is(self) -> None:
        self.assert_together([[1, 2], [3]], "it = iter([1, 2, 3])\nnext(it)", "print(next(it))", "print('end')")
        self.assert_together([[1, 2]], "double = lambda n: n * 2", "print(double(2))")
        self.assert_together([[1, 2]], "a = (1,)\nb = a", "print(a is b)")

    def test_figures_stay_with_what_is_drawn_on_them(self) -> None:
        drawn = ["import matplotlib.pyplot as plt\nfig, ax = plt.subplots()", "ax.plot([1, 2])", "print(1)", "fig"]
        self.assertEqual(groups_of(*drawn), [[1, 2, 3, 4]])
        alone = ["import matplotlib.pyplot as plt", "plt.plot([1, 2])\nplt.show()", "plt.plot([3, 4])"]
        self.assertEqual(groups_of(*alone), [[2], [3]])

    def test_files_random_numbers_and_the_process_keep_their_order(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.txt")
            self.assert_together(
                [[1, 2, 3, 4]],
                f"import random\npath = {path!r}\nrandom.seed(7)",
                "with open(path, 'w') as file:\n    file.write(str(random.random()))",
                "print(random.random())",
                "with open(path) as file:\n    text = file.read()\nprint(text)",
            )
        for write, read in [
            ("np.savetxt('a.txt', [1])", "np.loadtxt('a.txt')"),
            ("np.savez('a', x=1)", "np.load('a.npz')"),
            ("df.to_csv('a.csv')", "pd.read_csv('a.csv')"),
        ]:
            head = "import numpy as np\nimport pandas as pd\ndf = pd.DataFrame()"
            self.assertEqual(groups_of(head, write, "print(1)", read), [[1], [2, 3, 4]], write)
        for change in [
            "import os\nos.environ['A'] = '1'",
            "import os\nos.chdir('..')",
            "import locale\nlocale.setlocale(locale.LC_ALL, '')",
            "import numpy as np\nnp.random.seed(0)",
            "import matplotlib.pyplot as plt\nsize = 3\nplt.rcParams['figure.dpi'] = size",
            "import json\njson.dumps = str",
        ]:
            self.assertEqual(groups_of("x = 1", change, "print(x)", "print(2)")[-1], [2, 3, 4], change)

    def test_settings_made_of_constants_are_copied_like_imports(self) -> None:
        settings = "import warnings\nwarnings.filterwarnings('ignore')"
        answer = self.assert_same(settings, "print(1)", "warnings.warn('not seen')\nprint(2)")
        self.assertEqual([node["cells"] for node in answer.nodes], [[2], [3]])
        self.assertIn("warnings.filterwarnings('ignore')", answer.nodes[1]["source_code"])

    def test_code_that_can_reach_any_name_keeps_everything_together(self) -> None:
        reaching = ("exec('x = 3')", "globals()['x'] = 3", "from math import *", "%timeit a, b = 1, 2", "!ls", "_")
        for cell in (*reaching, "import sys\nsys.path.insert(0, 'lib')", "import threading\nthreading.Thread()"):
            answer = split_notebook("x = 1", cell, "print(x)")
            self.assertEqual([node["cells"] for node in answer.nodes], [[1, 2, 3]], cell)
            self.assertIn("Cell 2", answer.together[0]["because"][0])

    def test_names_in_texts_are_read(self) -> None:
        answer = split_notebook("limit = 3", "import pandas as pd", "pd.DataFrame().query('size > @limit')")
        self.assertEqual([edge["receiver"] for edge in answer.edges], ["limit"])

    def test_a_value_made_in_some_cases_only(self) -> None:
        cells = ["x = 1\nready = False", "if ready:\n    x = 2\nfor i in []:\n    x = 3", "x"]
        self.assert_together([[1, 2, 3]], *cells)

    def test_several_statements_in_a_line_and_quiet_ends(self) -> None:
        self.assert_same("import math; r = 2; area = math.pi * r", "area;", "r")

    def test_cells_that_wait(self) -> None:
        answer = split_notebook("import asyncio\nawait asyncio.sleep(0)\nx = 1", "x")
        self.assertEqual(self.run_nodes(answer), ([], ["1"]))

    def test_classes_comprehensions_and_annotations_find_the_names_of_other_cells(self) -> None:
        box = "class Box:\n    sides = [size for _ in range(2)]\n    def area(self) -> Missing:\n        return size\n"
        future = "from __future__ import annotations"
        answer = self.assert_same(future, "size = 3", f"{box}print(Box.sides, Box().area())")
        self.assertEqual(len(answer.nodes), 2)

    def test_packages_go_to_the_nodes_that_use_them(self) -> None:
        answer = split_notebook("!pip install -q 'rich>=13' tabulate-x\nimport rich", "rich.print('hello')")
        self.assertIn('# dependencies = ["ipython", "rich>=13", "tabulate-x"]', answer.nodes[0]["source_code"])

    def test_a_cell_that_is_no_python_keeps_all_together(self) -> None:
        self.assertEqual(groups_of("x = 1", "def broken(:", "print(x)"), [[1, 2, 3]])

    def test_cells_in_another_order_stay_together(self) -> None:
        answer = split_notebook("print(x)", "x = 3")
        self.assertEqual([node["cells"] for node in answer.nodes], [[1, 2]])
        self.assertIn("only a later cell makes", answer.together[0]["because"][0])

    def test_a_large_notebook_takes_no_long_time(self) -> None:
        cells = ["total = 0", *(f"value{at} = total + {at}\nprint(value{at})" for at in range(298)), "print(total)"]
        self.assertEqual(len(split_notebook(*cells).nodes), 300)

    def test_what_would_become_too_much_is_refused(self) -> None:
        function = f"def f():\n    '{'x' * 10_000}'"
        self.assertEqual(len(split_notebook(function, *["f()"] * 50).nodes), 50)
        with self.assertRaises(TooMuch):
            split_notebook(function, *["f()"] * 900)
        names = [f"a{number}" for number in range(200)]
        reads = ", ".join(names)
        with self.assertRaises(TooMuch):
            split_notebook(f"{reads} = range(200)", *[f"print({reads})"] * 150)


class WholeTest(unittest.TestCase):
    """A notebook as one node."""

    def whole(self, *cells: str) -> str:
        given = [{"kind": "code", "source": source} for source in cells]
        answer = split({"name": "book.ipynb", "cells": given})
        self.assertEqual(len(answer.nodes), 1)
        source = answer.nodes[0]["source_code"]
        self.assertIsNone(declare(source)["error"])
        return source

    def test_the_text_is_kept_as_it_is(self) -> None:
        cells = ["a = '''x\n  y'''\n", 'b = """z"""\n\n\nprint(a, b, "\\n")', "%timeit a, b = 1, 2", "!ls"]
        source = self.whole(*cells)
        for cell in cells:
            self.assertIn(cell, text_of(source))

    def test_packages_that_it_installs_are_listed_and_not_installed_again(self) -> None:
        source = self.whole("%matplotlib inline\n!pip install -q 'rich>=13' tabulate-x\nimport rich")
        self.assertIn('# dependencies = ["ipython", "rich>=13", "tabulate-x"]', source)
        self.assertIn("# !pip install", source)

    def test_plain_python_needs_no_package(self) -> None:
        self.assertNotIn("ipython", self.whole("%matplotlib inline\nimport math\nmath.pi"))
        for cell in ("import numpy", "!ls", "%%bash\nls", "_", "x?"):
            self.assertIn('"ipython"', self.whole("x = 1", cell), cell)

    def test_its_own_list_of_packages_becomes_the_list_of_the_node(self) -> None:
        block = '# /// script\n# requires-python = ">=3.11"\n# dependencies = ["rich", "numpy<3"]\n# ///\nimport rich'
        source = self.whole(block, "print(1)")
        self.assertEqual(dependencies(source), ["ipython", "numpy<3", "rich"])
        self.assertIn('# requires-python = ">=3.11"', source)

    def test_a_line_that_would_begin_a_cell_is_kept_apart(self) -> None:
        given = [{"kind": "code", "source": "# %% a\nprint(1)\n# %%\n2"}]
        answer = split({"name": "book.ipynb", "cells": given})
        self.assertEqual(len(cells_of(text_of(answer.nodes[0]["source_code"]))), 1)
        self.assertEqual([remark["cell"] for remark in answer.remarks], [1])

    def test_a_cell_that_is_no_python_is_named(self) -> None:
        answer = split({"name": "a.ipynb", "cells": [{"kind": "code", "source": "def broken(:"}]})
        self.assertIn("It is not valid Python", answer.remarks[0]["text"])


def text_of(source: str) -> str:
    names: dict[str, Any] = {}
    exec(source, names)
    return names["CELLS"]


class ScriptTest(unittest.TestCase):
    def test_a_script_of_too_many_cells_is_refused(self) -> None:
        text = "# %%\nx = 1\n" * 1_001
        with self.assertRaises(TooMuch):
            split({"name": "a.py", "text": text, "splits": True})
        self.assertEqual(len(split({"name": "a.py", "text": text}).nodes), 1)

    def test_a_script_is_split_at_its_marks(self) -> None:
        text = "# %% [markdown]\n# # Title\n# %% Load\nx = 1\n# %%\nprint(x)\n"
        answer = split({"name": "a.py", "text": text, "splits": True})
        self.assertEqual([node["name"] for node in answer.nodes], ["Load", "Cell 3"])
        self.assertEqual(answer.nodes[0]["description"], "# Title")
        self.assertIn("run_script", answer.nodes[1]["source_code"])

    def test_a_script_without_marks_is_split_at_comments_and_at_its_guard(self) -> None:
        text = '"""What it does."""\nimport sys\n\n# Read\nx = [1]\n\n# Sum\ny = sum(x)\n\n\n'
        text += 'if __name__ == "__main__":\n    print(y)\n'
        answer = split({"name": "a.py", "text": text, "splits": True})
        self.assertEqual([node["name"] for node in answer.nodes][:2], ["Read", "Sum"])
        self.assertEqual(len(answer.nodes), 3)
        self.assertEqual(answer.nodes[0]["description"], "What it does.")
        whole = split({"name": "my_sum.py", "text": text})
        self.assertEqual([node["name"] for node in whole.nodes], ["my sum"])
        self.assertEqual(whole.cells, 4)

    def test_figures_of_a_script_stay_together(self) -> None:
        text = "import matplotlib.pyplot as plt\n# %%\nplt.plot([1])\n# %%\nplt.title('a')\n# %%\nprint(1)\n"
        answer = split({"name": "a.py", "text": text, "splits": True})
        self.assertEqual([node["cells"] for node in answer.nodes], [[2, 3], [4]])

    def test_a_node_stays_as_it_is(self) -> None:
        text = 'from miranda import Node\n\n\nclass MyNode(Node):\n    """Says hello."""\n'
        answer = split({"name": "a.py", "text": text})
        self.assertEqual((answer.form, answer.nodes[0]["source_code"]), ("node", text))
        self.assertEqual(answer.nodes[0]["name"], "My Node")

    def test_a_text_is_no_python(self) -> None:
        for text in ("Dear all, see below.", "hello", "https://example.org", "{"):
            answer = split({"name": "", "text": text})
            self.assertEqual((answer.form, answer.nodes), ("text", []))
            self.assertTrue(answer.remarks)


if __name__ == "__main__":
    unittest.main()
