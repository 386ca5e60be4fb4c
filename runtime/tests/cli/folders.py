"""Folders of workflows for tests, on a real disk."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

HEAD = """\
format = 1
sdk = "0.1.0"

[workflow]
name = "Test"
id = "0e2f8a2e-1111-4111-8111-111111111111"
version = "0e2f8a2e-2222-4222-8222-222222222222"
"""


class FolderCase(unittest.TestCase):
    """Each test has a folder of its own, and is in it."""

    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.root = Path(made.name).resolve()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.root)

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(textwrap.dedent(text), encoding="utf-8")

    def workflow(self, rest: str, **codes: str) -> None:
        """A workflow in the folder `flow`, with the code of each node."""
        self.write("flow/workflow.toml", HEAD + textwrap.dedent(rest))
        for name, code in codes.items():
            self.write(f"flow/nodes/{name}.py", code)

    def miranda(self, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        """The real command, in a process of its own."""
        runtime = str(Path(__file__).resolve().parent.parent.parent)
        given = {**os.environ, "PYTHONPATH": runtime, "XDG_CONFIG_HOME": str(self.root / "config"), **env}
        return subprocess.run(
            [sys.executable, "-m", "miranda_cli", *arguments],
            capture_output=True,
            text=True,
            env=given,
            cwd=self.root,
            stdin=subprocess.DEVNULL,
            check=False,
        )
