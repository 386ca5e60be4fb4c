"""Results depend on the files and variables that a run read."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from miranda.packages.setup import set_up_nodes

from ..graphs import edge
from .test_resume import KEPT, ResumeCase, chain, step


def reader(key: int, path: str, body: str = "") -> dict[str, Any]:
    return step(key, f"open({path!r}).read()", body)


def finder(key: int, path: str) -> dict[str, Any]:
    """Does without the file where there is none."""
    found = step(key, "text")
    attempt = f"try: text = open({path!r}).read()\n        except FileNotFoundError: text = 'none'\n        "
    found["source_code"] = found["source_code"].replace("time.sleep", f"{attempt}time.sleep")
    return found


class WhatWasRead(ResumeCase):
    def setUp(self) -> None:
        super().setUp()
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="miranda-reads-"))
        self.file = Path(self.folder, "data.csv")
        self.file.write_text("one")
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)

    def test_a_file_that_changes_makes_its_reader_run_again(self) -> None:
        bench = self.bench([reader(1, str(self.file)), step(2, "self.inp + '!'"), step(3)], [edge(1, "out", 2, "inp")])
        self.assertEqual(bench.go(), [1, 2, 3])
        self.assertEqual(bench.go(), [])
        self.file.write_text("two")
        self.assertEqual(bench.plan()[1], (True, "The file data.csv changed."))
        self.assertEqual(bench.go(), [1, 2])
        self.assertEqual(self.value(bench, 2), "two!")
        # The same content at another time is the same file.
        os.utime(self.file, ns=(1, 1))
        self.assertEqual(bench.go(), [])

    def test_a_file_that_appears_makes_who_looked_for_it_run_again(self) -> None:
        bench = self.bench([finder(1, "late")])
        self.assertEqual(bench.go(), [1])
        Path("late").write_text("here")
        self.assertEqual(bench.go(), [1])
        self.assertEqual(self.value(bench, 1), "here")

    def test_a_file_that_was_read_while_the_instance_was_made_or_set_up(self) -> None:
        for made in ("def __init__(self)", "def setup(self)"):
            with self.subTest(made):
                self.file.write_text("one")
                body = f"{made}: self.text = open({str(self.file)!r}).read()"
                bench = self.bench([step(1, "getattr(self, 'text', '')", body)])
                bench.executor.begin()
                self.assertIsNone(set_up_nodes(bench.executor))
                bench.executor.scheduler.active = False
                self.assertEqual(bench.go(), [1])
                self.assertEqual(bench.go(), [])
                self.file.write_text("two")
                self.assertEqual(bench.go(), [1])

    def test_a_variable_of_the_environment(self) -> None:
        os.environ["COLOUR"] = "red"
        self.addCleanup(os.environ.pop, "COLOUR", None)
        nodes = [step(1, "os.environ['COLOUR']", "import os\n        globals()['os'] = os"), step(2)]
        self.assertEqual(self.bench(nodes).go(), [1, 2])
        self.assertEqual(self.bench(nodes).kept_plan(), {1: KEPT, 2: KEPT})
        os.environ["COLOUR"] = "blue"
        later = self.bench(nodes)
        self.assertEqual(later.kept_plan(), {1: (True, "The environment variable COLOUR changed."), 2: KEPT})
        self.assertEqual(later.go(resume=True), [1])
        self.assertEqual(self.value(later, 1), "blue")

    def test_a_later_session_uses_a_result_as_long_as_its_files_are_the_same(self) -> None:
        nodes, edges = [reader(1, str(self.file)), step(2, "self.inp + '!'")], chain(2)
        self.assertEqual(self.bench(nodes, edges).go(), [1, 2])
        self.assertEqual(self.bench(nodes, edges).kept_plan(), {1: KEPT, 2: KEPT})
        self.file.write_text("two")
        later = self.bench(nodes, edges)
        changed = "The file data.csv changed."
        # What follows depends on the file too, although its own key is the same.
        self.assertEqual(later.kept_plan(), {1: (True, changed), 2: (True, changed)})
        self.assertEqual(later.go(resume=True), [1, 2])
        self.assertEqual(self.value(later, 2), "two!")
        # The newer result has taken the place of the older.
        self.assertEqual(self.bench(nodes, edges).kept_plan(), {1: KEPT, 2: KEPT})

    def test_a_file_that_another_node_wrote_ends_with_the_session(self) -> None:
        writes = step(1, "len('x')", "def __del__(self): pass")
        writes["source_code"] = writes["source_code"].replace(
            "time.sleep", "open('between.txt', 'w').write('made')\n        time.sleep"
        )
        reads = step(2, "open('between.txt').read() + str(self.inp)")
        nodes, edges = [writes, reads, step(3)], chain(2)
        first = self.bench(nodes, edges)
        self.assertEqual(first.go(), [1, 2, 3])
        words = "it read the file between.txt, which N1 wrote and which ends with the session."
        self.assertEqual(first.executor.graph.nodes[2].unkept, words)
        os.unlink("between.txt")
        later = self.bench(nodes, edges)
        self.assertEqual(later.go(resume=True), [1, 2])
        self.assertEqual(self.value(later, 2), "made1")
