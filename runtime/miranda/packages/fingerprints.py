"""Which packages a node may import, at which versions: a part of the key of its result."""

from __future__ import annotations

import os
import re
import sys

from .imports import FROM, IMPORT
from .wanted import NAME, Unusable, collect, normal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..execution.graph import NodeState
    from .session_packages import SessionPackages

#: Of one node. A package that needs more is as good as unique.
MOST_PACKAGES = 2_000
OWN = frozenset(("miranda", "__future__"))
#: Code that may import what its text does not name.
DYNAMIC = re.compile(r"\b(?:importlib|__import__|exec|eval|pkgutil|runpy|pickle)\b")
EXTRA = re.compile(r";.*\bextra\b")


class Fingerprints:
    def __init__(self, packages: SessionPackages) -> None:
        self.packages = packages
        #: Of sources that were looked at, by node.
        self.names: dict[int, tuple[str, frozenset[str]]] = {}
        #: What was found in the present environment.
        self.folder: str | None = None
        self.needs: dict[str, tuple[str, list[str]] | None] = {}
        self.providers: dict[str, list[str]] | None = None
        self.machine: set[str] | None = None

    def of(self, state: NodeState) -> tuple[str, ...] | None:
        """Names and versions, with everything that they need. None while something is not installed."""
        modules = self.modules_of(state)
        is_open = bool(modules) or DYNAMIC.search(state.source) is not None
        try:
            wanted = collect([state])
        except Unusable:
            return None
        if not is_open and not wanted:
            return ()
        packages, active = self.packages, self.packages.active
        missing = packages.imports.missing(state, packages.added)
        if (wanted or missing) and active is None:
            return None
        if not packages.requirements.issuperset(one.requirement for one in wanted):
            return None
        if active is not None and active.folder != self.folder:
            self.folder, self.providers = active.folder, None
            self.needs.clear()
        if any(self.find(normal(name)) is None for name in missing):
            return None
        # Of a module without a package, at least its name.
        known = {name: self.package_of(name) for name in modules}
        lines = {name for name, package in known.items() if package is None}
        lines |= self.versions_of([package for package in known.values() if package is not None])
        lines |= self.versions_of([one.name for one in wanted])
        # What it imports may look for any other package, and use it when it is there.
        if active is not None:
            lines |= {f"{name}=={version}" for name, version in active.versions.items()}
        elif is_open:
            lines |= self.of_the_machine()
        return tuple(sorted(lines))

    def of_the_machine(self) -> set[str]:
        """Every package of Python itself: they stay as they are as long as the session lives."""
        if self.machine is None:
            names = [name for path in sys.path if os.path.isdir(path) for name in os.listdir(path)]
            # By their folders: reading what is in them takes a tenth of a second.
            self.machine = {name for name in names if name.endswith(".dist-info")}
        return self.machine

    def modules_of(self, state: NodeState) -> frozenset[str]:
        last = self.names.get(state.id)
        if last is None or last[0] != state.source:
            last = self.names[state.id] = (state.source, imported(state.source))
        return last[1]

    def package_of(self, module: str) -> str | None:
        name = normal(self.packages.imports.well_known().get(module, module))
        if self.find(name) is not None:
            return name
        if self.providers is None:
            from importlib.metadata import packages_distributions

            self.providers = {key: list(value) for key, value in packages_distributions().items()}
        found = self.providers.get(module)
        return normal(found[0]) if found else None

    def versions_of(self, names: list[str]) -> set[str]:
        lines: set[str] = set()
        seen: set[str] = set()
        waiting = list(names)
        while waiting and len(seen) < MOST_PACKAGES:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            found = self.find(name)
            if found is not None:
                lines.add(f"{name}=={found[0]}")
                waiting.extend(found[1])
        return lines

    def find(self, name: str) -> tuple[str, list[str]] | None:
        """Its version and what it needs."""
        if name not in self.needs:
            self.needs[name] = look_for(name)
        return self.needs[name]


def look_for(name: str) -> tuple[str, list[str]] | None:
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        found = distribution(name)
        needed = (NAME.match(line) for line in found.requires or () if not EXTRA.search(line))
        return found.version or "", [normal(one[0]) for one in needed if one]
    except (PackageNotFoundError, ValueError, OSError, KeyError):
        return None


def imported(source: str) -> frozenset[str]:
    """The modules of others that the code imports, by their first names."""
    if "import" not in source:
        return frozenset()
    names = {found[1] for found in FROM.finditer(source)}
    for found in IMPORT.finditer(source):
        names |= {words[0].partition(".")[0] for part in found[1].split(",") if (words := part.split())}
    return frozenset(name for name in names if name not in sys.stdlib_module_names and name not in OWN)
