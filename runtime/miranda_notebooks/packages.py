"""Which packages a node has to list: those that the notebook installs. Run finds well-known ones by their import."""

from __future__ import annotations

import json
import os
import re
import sys

import miranda

from .cells import Cell, Definition


class Packages:
    def __init__(self, cells: list[Cell]) -> None:
        folder = os.path.dirname(miranda.__file__)
        with open(os.path.join(folder, "packages", "well_known.json"), encoding="utf-8") as file:
            self.known: dict[str, str] = json.load(file)
        #: What the notebook installs, by normalized package name.
        self.installed = {normal(one): one for cell in cells for one in cell.packages}
        imports = [one for cell in cells for one in cell.definitions if one.kind == "import"]
        imported = {normal(self.package_of(one)) for one in imports}
        #: No cell imports these by name. The first node lists them: all nodes share one environment.
        self.others = [one for name, one in self.installed.items() if name not in imported]

    def package_of(self, part: Definition) -> str:
        return self.known.get(top_of(part), top_of(part))

    def of(self, used: list[Definition]) -> list[str]:
        names = {normal(self.package_of(one)) for one in used if one.kind == "import"}
        return sorted(one for name, one in self.installed.items() if name in names)

    def remarks(self, used: list[Definition]) -> list[str]:
        """Imports whose package is not known."""
        found: list[str] = []
        for part in used:
            top = top_of(part) if part.kind == "import" else ""
            is_known = top in sys.stdlib_module_names or top in self.known or top == "miranda"
            if top and not is_known and normal(top) not in self.installed:
                found.append(f"It imports {top}, which is neither part of Python nor a well-known package.")
        return list(dict.fromkeys(found))


def top_of(part: Definition) -> str:
    words = part.text.split()
    is_import = len(words) > 1 and words[0] in ("import", "from")
    return words[1].partition(".")[0].rstrip(",") if is_import else ""


def normal(requirement: str) -> str:
    name = re.split(r"[<>=!~\[; ]", requirement, maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()
