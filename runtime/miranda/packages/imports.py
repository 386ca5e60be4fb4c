"""
Well-known packages that a node imports but does not list. They are installed as if it had listed them: an import of one
of these names has only one meaning. Any other name might be a typing error, and an attacker may have published a
malicious package under it.
"""

from __future__ import annotations

import re

from ..execution.graph import NodeState

FROM = re.compile(r"^[ \t]*from[ \t]+([A-Za-z_]\w*)[\w.]*[ \t]+import\b", re.M)
IMPORT = re.compile(r"^[ \t]*import[ \t]+([^\n#;]+)", re.M)

TRIED = re.compile(r"^[ \t]*try:[ \t]*\n[ \t]*\Z", re.M)


class Imports:
    def __init__(self) -> None:
        self.known: dict[str, str] = {}
        #: Of sources that were looked at, by node: the lines of well-known names that this Python does not have.
        self.found: dict[int, tuple[str, dict[str, int]]] = {}
        self.is_there: dict[str, bool] = {}

    def missing(self, state: NodeState, added: list[str]) -> dict[str, int]:
        """Distributions, each with the line that imports it. `added` are the paths of an environment in use."""
        source = state.source
        looked = self.found.get(state.id)
        if looked is None or looked[0] != source:
            looked = self.found[state.id] = (source, self.look_for(source, added) if "import" in source else {})
        return looked[1]

    def look_for(self, source: str, added: list[str]) -> dict[str, int]:
        lines: dict[str, int] = {}
        for found in (*IMPORT.finditer(source), *FROM.finditer(source)):
            if TRIED.search(source, 0, found.start()):
                # It goes without, if need be.
                continue
            for part in found[1].split(","):
                words = part.split()
                package = self.package_of(words[0].partition(".")[0], added) if words else None
                if package is not None:
                    lines.setdefault(package, source.count("\n", 0, found.start(1)) + 1)
        return lines

    def well_known(self) -> dict[str, str]:
        """The distributions of well-known modules, by the name of the module."""
        if not self.known:
            import json
            import os

            with open(os.path.join(os.path.dirname(__file__), "well_known.json"), encoding="utf-8") as file:
                self.known = json.load(file)
        return self.known

    def package_of(self, name: str, added: list[str]) -> str | None:
        if name not in self.well_known():
            return None
        if name not in self.is_there:
            self.is_there[name] = is_installed(name, added)
        return None if self.is_there[name] else self.known[name]


def is_installed(name: str, added: list[str]) -> bool:
    """In the machine's Python itself: what an environment has is gone with it."""
    import sys
    from importlib.machinery import PathFinder

    return PathFinder.find_spec(name, [path for path in sys.path if path not in added]) is not None
