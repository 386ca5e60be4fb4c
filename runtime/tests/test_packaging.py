"""What `pip install ./runtime` installs."""

from __future__ import annotations

import tomllib
import unittest
from pathlib import Path

RUNTIME = Path(__file__).resolve().parent.parent


class PackagingTest(unittest.TestCase):
    def setUp(self) -> None:
        with (RUNTIME / "pyproject.toml").open("rb") as file:
            self.tools = tomllib.load(file)["tool"]["setuptools"]

    def test_every_package_is_installed(self) -> None:
        found = {
            ".".join(path.parent.relative_to(RUNTIME).parts)
            for path in RUNTIME.rglob("__init__.py")
            if path.relative_to(RUNTIME).parts[0].startswith("miranda")
        }
        self.assertEqual(set(self.tools["packages"]), found)

    def test_every_file_that_is_no_code_is_installed(self) -> None:
        installed = {f"{package}/{name}" for package, names in self.tools["package-data"].items() for name in names}
        found = {
            f"{'.'.join(path.parent.relative_to(RUNTIME).parts)}/{path.name}"
            for folder in RUNTIME.glob("miranda*")
            for path in folder.rglob("*")
            if path.is_file() and path.suffix not in (".py", ".pyc")
        }
        self.assertEqual(installed, found)
