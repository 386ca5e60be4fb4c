"""Makes an environment the one that this process and its children import from."""

from __future__ import annotations

import os
import sys

from .environments import hold, site_packages, versions_in

MOST_NAMED = 5


class Active:
    """The environment in use, and what has to be taken back when another takes its place."""

    def __init__(self) -> None:
        self.folder: str | None = None
        self.versions: dict[str, str] = {}
        self.added: list[str] = []
        self.held = -1
        self.path = os.environ.get("PATH", os.defpath)

    def use(self, folder: str) -> str | None:
        """Words about packages that are loaded in another version already, if there are any."""
        import importlib
        import site

        if folder == self.folder:
            return None
        held = hold(folder)
        packages = site_packages(folder)
        before = set(sys.path)
        site.addsitedir(packages)
        added = [path for path in sys.path if path not in before]
        sys.path[:] = [path for path in sys.path if path not in self.added and path != packages]
        # Before the machine's own packages: the versions that the nodes asked for are the ones they get.
        sys.path.insert(0, packages)
        importlib.invalidate_caches()
        versions = versions_in(folder)
        words = loaded_otherwise(packages, versions, self.versions)
        if self.held >= 0:
            os.close(self.held)
        self.folder, self.versions, self.added, self.held = folder, versions, [packages, *added], held
        self.tell_children(folder)
        return words

    def tell_children(self, folder: str) -> None:
        programs = os.path.join(folder, "bin")
        os.environ["VIRTUAL_ENV"] = folder
        os.environ["PATH"] = f"{programs}{os.pathsep}{self.path}"
        sys.executable = os.path.join(programs, "python")
        spawn = sys.modules.get("multiprocessing.spawn")
        if spawn is not None:
            spawn.set_executable(sys.executable)


def loaded_otherwise(packages: str, versions: dict[str, str], known: dict[str, str]) -> str | None:
    """Python does not load a module twice: what an earlier run imported stays until the session is restarted."""
    found: list[str] = []
    for entry in sorted(os.listdir(packages)):
        if not entry.endswith(".dist-info"):
            continue
        name = entry.removesuffix(".dist-info").rpartition("-")[0].replace("_", "-").lower()
        version = versions.get(name, "")
        for top in modules_of(os.path.join(packages, entry)):
            module = sys.modules.get(top)
            if module is None or (getattr(module, "__file__", None) or packages).startswith(packages + os.sep):
                continue
            loaded = known.get(name) or str(getattr(module, "__version__", ""))
            if loaded and loaded != version:
                found.append(f"{name} {loaded} was loaded: a new process uses {version}. What nodes sent is kept.")
                break
    if len(found) > MOST_NAMED:
        return " ".join(found[:MOST_NAMED]) + f" So are {len(found) - MOST_NAMED} more."
    return " ".join(found) or None


def modules_of(information: str) -> set[str]:
    """The modules at the top of a distribution, by its list of files."""
    try:
        with open(os.path.join(information, "RECORD"), encoding="utf-8") as file:
            tops = {line.partition(",")[0].partition("/")[0].removesuffix(".py") for line in file}
    except (OSError, ValueError):
        return set()
    return {top for top in tops if top.isidentifier()}
