"""
Every Python example of the handbook is run. What follows an example as `<!-- check … -->` is run after it; without one,
its nodes must need no input, and are run.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import pathlib
import re
import tempfile
import threading
import unittest
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from miranda import Node, Receiver, services
from miranda.attributes import attributes_of
from miranda.declare import declare, dependencies

FOLDER = pathlib.Path(__file__).parents[3] / "docs" / "handbook"
EXAMPLE = re.compile(r"^```python\n(.*?)^```$(?:\n\n<!-- check\n(.*?)^-->$)?", re.DOTALL | re.MULTILINE)

#: Examples that need packages are run where these are installed. Elsewhere only what they declare is read.
NEED_PACKAGES = {
    "GroupFrame",
    "Noise",
    "Plot",
    "QueryPostgres",
    "ReadExcel",
    "ReadFrame",
    "Search",
    "TrainIris",
}


@dataclass
class Example:
    page: str
    code: str
    check: str | None

    @property
    def name(self) -> str:
        found = re.findall(r"^class (\w+)\(Node\)|^def (\w+)", self.code, re.MULTILINE)
        return next((one or other for one, other in found), "example")


def examples() -> list[Example]:
    return [
        Example(path.stem, found[1], found[2])
        for path in sorted(FOLDER.glob("*.md"))
        for found in EXAMPLE.finditer(path.read_text())
    ]


class Answers(BaseHTTPRequestHandler):
    """Answers everything, so that no example needs the internet."""

    def do_GET(self) -> None:
        body = b'{"ok": true}'
        self.rfile.read(int(self.headers.get("content-length", "0")))
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, format: str, *args: Any) -> None:
        pass


class SomebodyAnswers(services.Laptop):
    def ask_password(self, prompt: str) -> str:
        return "s3cret"


class Examples(unittest.TestCase):
    def setUp(self) -> None:
        server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.address = f"http://127.0.0.1:{server.server_port}/"
        services.set_host(SomebodyAnswers())
        self.addCleanup(services.set_host, services.Laptop())
        os.environ["MIRANDA_SECRET_API_KEY"] = "k"
        self.addCleanup(os.environ.pop, "MIRANDA_SECRET_API_KEY")

    def test_the_cookbook_has_thirty_answers(self) -> None:
        self.assertGreaterEqual(len([one for one in examples() if one.page == "cookbook"]), 30)

    def test_every_example_runs(self) -> None:
        left_out: set[str] = set()
        for example in examples():
            with self.subTest(f"{example.page}: {example.name}"):
                if "(Node)" in example.code:
                    self.assertIsNone(declare(example.code)["error"])
                if has_packages(example.code):
                    self.run_example(example)
                else:
                    left_out.add(example.name)
        self.assertEqual(left_out - NEED_PACKAGES, set())

    def run_example(self, example: Example) -> None:
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            os.chdir(folder)
            try:
                with contextlib.redirect_stderr(io.StringIO()):
                    self.run_code(example)
            finally:
                os.chdir(before)

    def run_code(self, example: Example) -> None:
        names: dict[str, Any] = {"__name__": "example", "SERVER": self.address}
        exec(compile(example.code, f"{example.page}.md", "exec"), names)
        if example.check is not None:
            exec(compile(example.check, f"{example.page}.md, check", "exec"), names)
            return
        made = [one for one in names.values() if isinstance(one, type) and issubclass(one, Node) and one is not Node]
        self.assertNotEqual(made, [], "An example without a node needs a check.")
        for node in made:
            receivers = [one for one in attributes_of(node).values() if isinstance(one, Receiver)]
            self.assertEqual(receivers, [], f"{node.__name__} has receivers: it needs a check.")
            node().run()


def has_packages(code: str) -> bool:
    """Packages by the names that they are imported by."""
    modules = {"scikit-learn": "sklearn", "psycopg[binary]": "psycopg"}
    required = [re.split(r"[<>=~! ]", one)[0] for one in dependencies(code)]
    return all(importlib.util.find_spec(modules.get(one, one)) for one in required)
