from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
import zipfile
from pathlib import Path
from typing import Any
from unittest import mock

from miranda.execution.graph import Graph
from miranda.execution.plan import make_plan
from miranda.packages.environments import MOST_ENVIRONMENTS, Environments, hold, versions_in
from miranda.packages.imports import Imports
from miranda.packages.installer import Failed, Interrupted, interrupt, interrupt_install, run
from miranda.packages.wanted import Unusable, Wanted, collect, line_of, needed, pinned, without_addresses
from miranda.packages.words import explain

from .graphs import edge, node

RUNTIME = Path(__file__).parents[1]
KEPT = Path(tempfile.gettempdir()) / f"miranda-test-uv-{os.getuid()}"


def find_uv() -> str | None:
    """The machine's, or one that is fetched for tests once."""
    found = shutil.which("uv") or KEPT / "bin" / "uv"
    if not os.path.exists(found):
        pip = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "-q",
            "--retries",
            "1",
            "--only-binary",
            ":all:",
            "--target",
            str(KEPT),
            "uv",
        ]
        subprocess.run(pip, check=False, capture_output=True)
    return str(found) if os.path.exists(found) else None


UV = find_uv()


def asks_for(*packages: str) -> str:
    listed = ", ".join(f'"{one}"' for one in packages)
    return f"# /// script\n# dependencies = [{listed}]\n# ///\n"


def asking(key: int, *packages: str, name: str | None = None) -> dict[str, Any]:
    given = node(key, "def run(self): pass")
    return {**given, "name": name or given["name"], "source_code": asks_for(*packages) + given["source_code"]}


def states_of(*nodes: dict[str, Any], edges: list[dict[str, Any]] | None = None) -> Graph:
    graph = Graph()
    graph.update({"nodes": list(nodes), "edges": edges or []})
    return graph


def wheel(folder: Path, name: str, version: str, needs: str = "", code: str | None = None) -> None:
    about = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as file:
        file.writestr(f"{name}.py", code or f"__version__ = '{version}'\n")
        requires = f"Requires-Dist: {needs}\n" if needs else ""
        file.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}")
        file.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{about}/entry_points.txt", f"[console_scripts]\n{name}-says = {name}:main\n")
        file.writestr(f"{about}/RECORD", f"{name}.py,,\n")


def put_back(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


class Declared(unittest.TestCase):
    def test_a_run_needs_what_its_nodes_and_those_that_feed_them_ask_for(self) -> None:
        nodes = [
            asking(1, "one"),
            asking(2, "two"),
            asking(3, "three"),
            asking(4, "four"),
            {**asking(5, "five"), "disabled": True},
        ]
        graph = states_of(*nodes, edges=[edge(1, "o", 2, "i"), edge(2, "o", 3, "i"), edge(5, "o", 3, "i")])
        make_plan(graph, "one", 3)
        self.assertEqual([one.requirement for one in collect(needed(graph))], ["one", "two", "three"])

    def test_a_requirement_is_found_at_its_line(self) -> None:
        source = "import x\n# /// script\n# dependencies = [\n#   'numpy<2',\n#   \"pandas\",\n# ]\n# ///\n"
        self.assertEqual([line_of(source, one) for one in ("numpy<2", "pandas", "other")], [4, 5, 2])

    def test_refuses_a_malformed_requirement_at_its_line(self) -> None:
        for wrong in ("--index-url=http://x", "-r file", "", "../folder", "x" * 2_000):
            with self.subTest(wrong), self.assertRaisesRegex(Unusable, "is not the name of a package"):
                collect(list(states_of(asking(1, wrong)).nodes.values()))
        broken = {**asking(1), "source_code": "x = 1\n# /// script\n# dependencies = [\n# ///\n"}
        with self.assertRaisesRegex(Unusable, "cannot be read") as caught:
            collect(list(states_of(broken).nodes.values()))
        self.assertEqual(caught.exception.line, 2)

    def test_refuses_more_packages_than_an_installer_should_be_asked_for(self) -> None:
        many = asking(1, *(f"p{at}" for at in range(501)))
        with self.assertRaisesRegex(Unusable, "more than 500 packages"):
            collect(list(states_of(many).nodes.values()))


class Pinned(unittest.TestCase):
    def test_the_packages_of_an_earlier_run_become_requirements(self) -> None:
        self.assertEqual(pinned({"numpy": "2.1.0", "a-b": "1!2.0+local"}), ["a-b==1!2.0+local", "numpy==2.1.0"])
        self.assertEqual(pinned({}), [])

    def test_leaves_out_what_is_no_name_and_no_version(self) -> None:
        wrong = {"--index-url": "1", "x @ http://h": "1", "": "1", "a": "", "b": "1 --pre", "c": "@ file:///x", "d": 1}
        self.assertEqual(pinned(wrong), [])

    def test_leaves_out_packages_that_nodes_ask_for_by_address(self) -> None:
        wanted = collect(list(states_of(asking(1, "My_Tides @ file:///x.whl", "numpy")).nodes.values()))
        self.assertEqual(without_addresses(["my-tides==1.0", "numpy==2.0"], wanted), ["numpy==2.0"])


class Imported(unittest.TestCase):
    def missing(self, source: str) -> dict[str, int]:
        graph = states_of({"id": 1, "name": "N1", "source_code": source})
        imports = Imports()
        # As if this Python had none of them.
        imports.is_there = dict.fromkeys(("pandas", "numpy", "sklearn", "PIL"), False)
        return imports.missing(graph.nodes[1], [])

    def test_well_known_packages_are_wanted_where_they_are_imported(self) -> None:
        source = "import os, pandas as pd\nfrom sklearn.svm import SVC\ndef run():\n    import numpy, PIL.Image\n"
        self.assertEqual(self.missing(source), {"pandas": 1, "scikit-learn": 2, "numpy": 4, "pillow": 4})

    def test_does_not_want_packages_that_are_not_well_known(self) -> None:
        source = "import panda\nimport nothing_of_this_name\ntry:\n    import numpy\nexcept ImportError:\n    pass\n"
        self.assertEqual(self.missing(source), {})

    def test_does_not_want_modules_of_the_standard_library(self) -> None:
        imports = Imports()
        imports.known = {"json": "json"}
        graph = states_of({"id": 1, "name": "N1", "source_code": "import json\n"})
        self.assertEqual(imports.missing(graph.nodes[1], []), {})


class Words(unittest.TestCase):
    def wanted(self) -> list[Wanted]:
        nodes = (asking(1, "numpy<2", name="Load"), asking(2, "numpy>=2", "six", name="Train"))
        return collect(list(states_of(*nodes).nodes.values()))

    def test_a_conflict_names_both_nodes(self) -> None:
        message = "error: No solution found\n  cause: Because you require numpy<2 and numpy>=2, we can conclude that …"
        problem = explain(message, self.wanted())
        self.assertEqual([one.node for one in problem.blamed], [1, 2])
        self.assertEqual(problem.summary, "numpy<2 (Load) and numpy>=2 (Train) cannot be installed together.")
        self.assertIn("Because you require numpy<2 and numpy>=2", problem.text)

    def test_a_conflict_with_many_nodes_names_the_first_and_counts_the_rest(self) -> None:
        nodes = [asking(key, "numpy>=2", name=f"Step {key}") for key in range(1, 9)]
        wanted = collect(list(states_of(*nodes, asking(9, "numpy<2", name="Old code")).nodes.values()))
        problem = explain("error: Because you require numpy<2 and numpy>=2, we can conclude that …", wanted)
        expected = "numpy>=2 (Step 1, Step 2, Step 3 and 5 more) and numpy<2 (Old code) cannot be installed together."
        self.assertEqual(problem.summary, expected)
        self.assertEqual(explain("error: numpy was not found", wanted[:8]).summary, "numpy>=2 cannot be installed.")

    def test_explains_a_full_disk_and_a_missing_network(self) -> None:
        full = explain("error: failed to write\n  cause: No space left on device (os error 28)", self.wanted())
        self.assertEqual(full.summary, "There is no room on the disk for the packages.")
        away = explain("error: Request failed after 3 retries\n  cause: dns error", self.wanted())
        self.assertEqual(away.summary, "The package index could not be reached.")


class Installation:
    """With wheels of our own in a folder: no network is needed, and nothing is as large as what people install."""

    uv: str | None = None

    def setUp(self: Any) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.wheels = self.folder / "wheels"
        self.wheels.mkdir()
        self.environments = self.folder / "environments"
        self.environments.mkdir()
        for version in ("1.0", "2.0"):
            wheel(self.wheels, "tides", version)
        wheel(self.wheels, "waves", "1.0", "tides<2")
        for name in ("PIP_FIND_LINKS", "PIP_NO_INDEX", "PIP_INDEX_URL", "PATH", "UV_HTTP_RETRIES", "PIP_RETRIES"):
            before = os.environ.get(name)
            self.addCleanup(put_back, name, before)
        os.environ.update({"PIP_FIND_LINKS": str(self.wheels), "PIP_NO_INDEX": "1"})
        if self.uv is None:
            os.environ["PATH"] = "/nowhere"
        self.progress: list[tuple[int, int, str]] = []

    def note(self: Any, total: int, done: int, what: str) -> None:
        self.progress.append((total, done, what))

    def open(self: Any) -> Environments:
        return Environments(str(self.environments), self.uv, self.note, lambda words: None)

    def make(self: Any, *requirements: str) -> str:
        environments = self.open()
        return environments.find(sorted(requirements)) or environments.make(sorted(requirements))

    def test_makes_a_virtual_environment_with_its_programs(self: Any) -> None:
        made = self.make("tides==1.0")
        self.assertEqual(versions_in(made), {"tides": "1.0"})
        python = os.path.join(made, "bin", "python")
        printed = subprocess.run(
            [python, "-I", "-c", "import tides; print(tides.__version__)"], check=False, capture_output=True, text=True
        )
        self.assertEqual((printed.stdout, printed.stderr), ("1.0\n", ""))
        program = subprocess.run([os.path.join(made, "bin", "tides-says")], check=False, capture_output=True, text=True)
        self.assertIn("cannot import name 'main' from 'tides'", program.stderr)
        self.assertIn((1, 0, ""), self.progress)

    def test_a_known_set_starts_no_process(self: Any) -> None:
        made = self.make("tides", "waves")
        self.uv, os.environ["PATH"] = "/nowhere/uv", "/nowhere"
        self.progress.clear()
        self.assertEqual(self.make("tides", "waves"), made)
        self.assertEqual(self.progress, [])

    def test_a_set_that_cannot_be_resolved_leaves_nothing(self: Any) -> None:
        for wrong in (["no-such-package-of-ours"], ["waves", "tides==2.0"], ["tides bad"]):
            with self.subTest(wrong), self.assertRaises(Failed) as caught:
                self.make(*wrong)
            self.assertRegex(str(caught.exception), "tides|no-such-package-of-ours|waves")
        self.assertEqual([one.name for one in self.environments.iterdir() if one.name not in ("cache", "sets")], [])

    def test_an_interrupt_ends_the_installer_with_all_that_it_started(self: Any) -> None:
        source = self.wheels / "slow-1.0"
        source.mkdir()
        mark = self.folder / "building"
        build = f"""
            import os, subprocess, sys, time
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            open({str(mark)!r}, "w").write(str(child.pid) + "\\n")
            time.sleep(600)
        """
        (source / "setup.py").write_text(textwrap.dedent(build))
        (source / "pyproject.toml").write_text(
            '[build-system]\nrequires = []\nbuild-backend = "setup"\nbackend-path = ["."]\n'
        )
        ended: list[BaseException] = []

        def install() -> None:
            try:
                with interrupt:
                    self.make(f"slow @ {source.as_uri()}")
            except BaseException as error:
                ended.append(error)

        self.assertFalse(interrupt_install())
        thread = threading.Thread(target=install)
        thread.start()
        while thread.is_alive() and not (mark.exists() and mark.read_text().endswith("\n")):
            time.sleep(0.02)
        self.assertTrue(interrupt_install(), ended)
        thread.join(30)
        self.assertIsInstance(ended[0], Interrupted)
        with self.assertRaises(ProcessLookupError):
            while True:
                # The process is an orphan: the process that adopts it has to reap it first.
                state = Path(f"/proc/{mark.read_text().strip()}/stat")
                if not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z":
                    raise ProcessLookupError
                time.sleep(0.02)
        self.assertEqual([one.name for one in self.environments.iterdir() if one.name.startswith("making")], [])

    def test_explains_that_the_index_is_unreachable(self: Any) -> None:
        del os.environ["PIP_NO_INDEX"]
        os.environ |= {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "UV_HTTP_RETRIES": "0", "PIP_RETRIES": "0"}
        wanted = collect(list(states_of(asking(1, "nowhere-to-be-had")).nodes.values()))
        with self.assertRaises(Failed) as caught:
            self.make("nowhere-to-be-had")
        problem = explain(str(caught.exception), wanted)
        self.assertIn(
            problem.summary, ("The package index could not be reached.", "nowhere-to-be-had cannot be installed.")
        )


class LastWords(unittest.TestCase):
    def installer(self, script: str) -> list[str]:
        return ["sh", "-c", script]

    @mock.patch("miranda.packages.installer.LAST_WORDS", 20)
    def test_that_arrive_after_the_installer_has_ended_are_kept(self) -> None:
        late = self.installer("echo Using Python; (sleep 0.5; echo error: dns error) & exit 2")
        with self.assertRaisesRegex(Failed, "dns error"):
            run(late, "/", dict(os.environ), lambda line: None)

    def test_of_a_program_that_it_left_running_are_not_awaited(self) -> None:
        began = time.monotonic()
        run(self.installer("sleep 20 & echo done"), "/", dict(os.environ), lambda line: None)
        self.assertLess(time.monotonic() - began, 15)


class ByPip(Installation, unittest.TestCase):
    """Where there is no uv."""


@unittest.skipUnless(UV, "There is no uv here, and the package index does not answer.")
class ByUv(Installation, unittest.TestCase):
    uv = UV

    def test_requirements_with_the_same_resolution_share_an_environment(self) -> None:
        self.assertEqual(self.make("tides>1"), self.make("tides==2.0"))
        self.assertNotEqual(self.make("tides>1"), self.make("tides<2"))

    def test_environments_are_hard_links_into_one_cache(self) -> None:
        first = self.make("tides==1.0")
        second = self.make("tides==1.0", "waves")
        files = [
            os.stat(os.path.join(made, "lib", f"python3.{sys.version_info[1]}", "site-packages", "tides.py"))
            for made in (first, second)
        ]
        self.assertEqual(files[0].st_ino, files[1].st_ino)

    def test_keeps_as_many_environments_as_it_may_and_those_in_use(self) -> None:
        used = self.make("tides==1.0")
        held = hold(used)
        self.addCleanup(os.close, held)
        os.utime(used, (1, 1))
        for at in range(MOST_ENVIRONMENTS + 3):
            made = self.environments / f"{at:024x}"
            (made / "lib").mkdir(parents=True)
            os.utime(made, (100 + at, 100 + at))
        made = self.make("tides==2.0")
        left = {one.name for one in self.environments.iterdir() if len(one.name) == 24}
        self.assertIn(os.path.basename(used), left)
        self.assertIn(os.path.basename(made), left)
        self.assertEqual(len(left), MOST_ENVIRONMENTS + 1)

    @unittest.skipUnless(shutil.which("bwrap"), "There is no bubblewrap here to make a small disk with.")
    def test_explains_that_the_disk_is_full(self) -> None:
        wheel(self.wheels, "large", "1.0", code="x = 1\n" * 400_000)
        script = f"""
            import sys
            sys.path.insert(0, {str(RUNTIME)!r})
            from tests.test_packages import *
            environments = Environments({str(self.environments)!r}, {self.uv!r}, lambda *progress: None, print)
            try:
                environments.make(["large"])
            except (Failed, OSError) as error:
                wanted = collect(list(states_of(asking(1, "large")).nodes.values()))
                print(explain(str(error), wanted).summary, sorted(os.listdir(environments.folder)))
        """
        small = ["bwrap", "--dev-bind", "/", "/", "--size", "1000000", "--tmpfs", str(self.environments)]
        ran = subprocess.run(
            [*small, sys.executable, "-c", textwrap.dedent(script)],
            check=False,
            capture_output=True,
            text=True,
            cwd=RUNTIME,
        )
        self.assertIn("There is no room on the disk for the packages. ['cache', 'sets']", ran.stdout, ran.stderr)


if __name__ == "__main__":
    unittest.main()
