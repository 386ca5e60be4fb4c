"""Cells and scripts run as Jupyter and `python file.py` run them. The same with IPython, where it is installed."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
import unittest
from typing import Any
from unittest import mock

from miranda.declare import declare
from miranda.notebook import run
from miranda.notebook.run import has_ipython
from miranda.services import host, set_host

from ..graphs import Bench, DebuggerCase, LaneBench


class Screen:
    def __init__(self) -> None:
        self.shown: list[str] = []

    def show(self, bundle: dict[str, Any], metadata: dict[str, Any], id: str | None = None, file: Any = None) -> None:
        self.shown.append(bundle["text/plain"])


class RunCase(DebuggerCase):
    bench: Bench
    shown: list[str]
    printed: str
    errors: str

    def source(self, kind: str, text: str, name: str) -> dict[str, Any]:
        constant = kind.upper()
        source = f"from miranda import Node\nfrom miranda.notebook import run_{kind}\n\n\n"
        source += f"class Whole(Node):\n    def run(self):\n        run_{kind}({constant}, name={name!r})\n\n\n"
        source += f"{constant} = r'''\n{text}\n'''\n"
        self.assertIsNone(declare(source)["error"])
        return {"id": 1, "name": "Whole", "source_code": source}

    def run_text(self, kind: str, text: str, name: str) -> bool:
        self.bench = Bench([self.source(kind, text, name)])
        return self.run_bench()

    def run_bench(self) -> bool:
        self.addCleanup(self.bench.close)
        good = self.bench.run()
        self.shown, self.printed, self.errors = self.bench.shown, self.bench.printed, self.bench.channel.errors.decode()
        return good

    def cells(self, *cells: str) -> bool:
        return self.run_text("cells", "\n".join(f"# %%\n{cell}" for cell in cells), "book.ipynb")

    def traceback(self) -> str:
        return self.bench.exceptions[0][3]


class PlainCellsTest(RunCase):
    """Without IPython: plain Python."""

    def setUp(self) -> None:
        patch = mock.patch.object(run, "has_ipython", lambda: False)
        patch.start()
        self.addCleanup(patch.stop)

    def test_cells_are_code_of_the_main_module_in_one_namespace(self) -> None:
        good = self.cells(
            "from __future__ import annotations\nimport pickle",
            "class A:\n    def __init__(self, v: Missing): self.v = v",
            "k = 5\nclass B:\n    z = [k for _ in range(2)]\nprint(__name__, pickle.loads(pickle.dumps(A(3))).v, B.z)",
            "import timeit\ndef f() -> Missing: return k\nprint(timeit.timeit('f()', globals=globals(), number=3) > 0)",
            "def grow():\n    global k\n    k += 1\ngrow()\nprint(k)",
        )
        self.assertTrue(good, self.bench.exceptions)
        self.assertEqual(self.printed, "__main__ 3 [5, 5]\nTrue\n6\n")
        self.assertNotEqual(sys.modules["__main__"].__dict__.get("k"), 6)

    def test_the_last_value_of_each_cell_is_shown(self) -> None:
        good = self.cells("x = 1\nx", "x + 1;", "x + 2  # seen", "None", "for i in (1, 2): i", "display(7, 8); 9")
        self.assertTrue(good, self.bench.exceptions)
        self.assertEqual(self.shown, ["1", "3", "7", "8", "9"])

    def test_cells_may_wait(self) -> None:
        waits = "import asyncio\nasync def two(): return 2\ntask = asyncio.ensure_future(two())\nawait asyncio.sleep(0)"
        self.assertTrue(self.cells(waits, "await task"), self.bench.exceptions)
        self.assertEqual(self.shown, ["2"])

    def test_an_exception_names_the_cell_and_the_line(self) -> None:
        good = self.cells("x = 1", "def fail():\n    raise ValueError('no')\nx = 2\nfail()", "print('never')")
        self.assertFalse(good)
        self.assertIn("ValueError: no\nIn Cell 2, line 4 (book.ipynb).", self.traceback())
        self.assertNotIn("miranda/notebook", self.traceback())
        # The line of the node, where the editor leads.
        self.assertEqual(self.bench.exceptions[0][1:3], (15, "fail"))
        self.assertEqual(self.printed, "")

    def test_a_cell_that_is_no_python_names_its_line(self) -> None:
        self.assertFalse(self.cells("x = 1", "y = 2\nx = = 3"))
        self.assertIn("In Cell 2, line 2 (book.ipynb).", self.traceback())

    def test_a_cell_whose_author_expects_an_exception_does_not_end_the_run(self) -> None:
        text = '# %% tags=["raises-exception"]\n1 / 0\n# %%\nprint("on")'
        self.assertTrue(self.run_text("cells", text, "book.ipynb"), self.bench.exceptions)
        self.assertEqual(self.printed, "on\n")
        self.assertIn("ZeroDivisionError", self.errors)

    def test_a_cell_that_exits_fails_because_the_rest_did_not_run(self) -> None:
        self.assertFalse(self.cells("import sys", "sys.exit(0)", "print('never')"))
        self.assertIn("the cells below it did not run", self.traceback())

    def test_texts_between_cells_do_nothing(self) -> None:
        text = "# %% [markdown] Cell 1\n# # Title\n# %% Cell 2\nprint(1)\n# %% [raw]\nnot python"
        self.assertTrue(self.run_text("cells", text, "book.ipynb"), self.bench.exceptions)
        self.assertEqual(self.printed, "1\n")

    def test_a_breakpoint_in_a_cell_stops(self) -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            bench = LaneBench([self.source("cells", "# %%\nx = 1\ny = 2\nprint(x + y)", "book.ipynb")])
            bench.breakpoints({"1": [13]})
            bench.frames.append(lambda frame: "continue" if frame.f_globals["x"] == 1 else "kill")
            host_with_debugger = Screen()
            host_with_debugger.runs = bench.runs  # type: ignore[attr-defined]
            before = host
            set_host(host_with_debugger)  # pyright: ignore[reportArgumentType]
            try:
                self.assertTrue(bench.run(1), bench.quiet.events)
            finally:
                set_host(before)
        self.assertEqual([(reason, line) for reason, line, _ in bench.stops], [("breakpoint", 13)])


@unittest.skipUnless(has_ipython(), "IPython is not installed")
class IPythonCellsTest(RunCase):
    def test_magics_and_shell_lines_do_what_they_do_in_jupyter(self) -> None:
        good = self.cells(
            "%timeit -n1 -r1 a, b = 1, 2",
            "files = !echo one\nfiles[0]",
            "%%capture out\nprint('kept')",
            "print(out.stdout, 'a' in globals())",
            "_ = 3\nimport asyncio\nawait asyncio.sleep(0)\nget_ipython().run_line_magic('pwd', '')",
        )
        self.assertTrue(good, self.bench.exceptions)
        self.assertIn("per loop", self.printed)
        self.assertIn("kept\n False\n", self.printed)
        self.assertEqual(self.shown, ["'one'", repr(os.getcwd())])

    def test_an_exception_names_the_cell_and_the_line(self) -> None:
        self.assertFalse(self.cells("x = 1", "def fail():\n    raise ValueError('no')\nx = 2\nfail()"))
        self.assertTrue(self.traceback().rstrip().endswith("ValueError: no\nIn Cell 2, line 4 (book.ipynb)."))
        self.assertNotIn("IPython", self.traceback())
        self.assertEqual(self.bench.exceptions[0][1:3], (15, "fail"))

    def test_a_value_that_cannot_be_shown_fails_as_in_jupyter(self) -> None:
        broken = "class Broken:\n    def _repr_html_(self):\n        raise ValueError('not shown')\nBroken()"
        self.assertFalse(self.cells(broken, "print('never')"))
        self.assertIn("ValueError: not shown", self.traceback())

    def test_a_second_run_begins_anew(self) -> None:
        for _ in range(2):
            self.assertTrue(self.cells("'x' in globals()", "x = 1\nIn[1]"), self.bench.exceptions)
            self.assertEqual(self.shown, ["False", "\"'x' in globals()\""])


class ScriptTest(RunCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(folder.name)

    def script(self, text: str) -> bool:
        return self.run_text("script", text, "file.py")

    def test_it_is_the_main_program(self) -> None:
        good = self.script(
            "from __future__ import annotations\nimport os, sys\n"
            "def f() -> Missing: ...\n"
            "if __name__ == '__main__':\n"
            "    print(sys.argv, sys.path[0] == os.getcwd(), __file__ == os.path.abspath('file.py'))\n"
            "    print(open(__file__).readline().strip())\n"
            "sys.path.insert(0, 'lib')\n1 + 1"
        )
        self.assertTrue(good, self.bench.exceptions)
        self.assertEqual(self.printed, "['file.py'] True True\nfrom __future__ import annotations\n")
        self.assertEqual((self.shown, os.listdir("."), "lib" in sys.path), ([], [], False))

    def test_imports_wait_for_the_path_that_makes_them_possible(self) -> None:
        os.mkdir("lib")
        with open("lib/my_own_helpers.py", "w") as file:
            file.write("value = 7\n")
        text = "import sys\nsys.path.insert(0, 'lib')\nimport my_own_helpers\nprint(my_own_helpers.value)"
        self.assertTrue(self.script(text), self.bench.exceptions)
        self.assertEqual(self.printed, "7\n")

    def test_it_ends_as_a_program_does(self) -> None:
        good = self.script(
            "import atexit, threading, time\natexit.register(print, 'bye')\n"
            "@atexit.register\ndef end():\n    print('end')\n"
            "def late():\n    time.sleep(0.05)\n    print('late')\n"
            "threading.Thread(target=late).start()\nprint('main')"
        )
        self.assertTrue(good, self.bench.exceptions)
        self.assertEqual(self.printed, "main\nlate\nend\nbye\n")

    def test_its_functions_run_in_processes_of_their_own(self) -> None:
        for way in ("spawn", "fork"):
            good = self.script(
                "import multiprocessing\ndef double(n):\n    return n * 2\n"
                f"if __name__ == '__main__':\n    with multiprocessing.get_context('{way}').Pool(1) as pool:\n"
                "        print(pool.map(double, [1, 2]))"
            )
            self.assertTrue(good, self.bench.exceptions)
            self.assertEqual(self.printed, "[2, 4]\n", way)

    def test_an_exception_names_the_line(self) -> None:
        self.assertFalse(self.script("x = 1\n\nraise KeyError(3)"))
        self.assertIn("KeyError: 3\nIn line 3 (file.py).", self.traceback())
        self.assertFalse(self.script("x = 1\nx = = 2"))
        self.assertIn("In line 2 (file.py).", self.traceback())
        self.assertFalse(self.script("import sys\nsys.exit(3)"))
        self.assertTrue(self.script("import sys\nsys.exit(0)"))


if __name__ == "__main__":
    unittest.main()
