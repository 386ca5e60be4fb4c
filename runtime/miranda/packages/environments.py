"""
The environments of a project: `<24 hex digits>` for each resolved set, real virtual environments whose files are hard
links into `cache`. `sets` remembers which environment a list of requirements came to, so that nobody asks uv twice.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import sys
import time
from collections.abc import Callable

from .installer import PYTHON, Failed, environment_for, find_uv, index_options, run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Progress(Protocol):
        def __call__(self, total: int, done: int, what: str) -> None: ...


VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
ENVIRONMENT = re.compile(r"[0-9a-f]{24}\Z")
#: ` + numpy==2.1.0`, ` + tides @ file:///tides.whl`, and ` + tides==1.0 (from file:///tides.whl)` of older ones.
PLANNED = re.compile(r" \+ (?P<name>[A-Za-z0-9._-]+)(?P<version>==\S+| @ \S+)(?: \(from (?P<url>.+)\))?\Z")
DOWNLOADS = re.compile(r"Would download (\d+) package")
INSTALLS = re.compile(r"Would install (\d+) package")
#: Those that were used last; others go when a new one is made, unless a session has them open.
MOST_ENVIRONMENTS = 12
MOST_SETS = 200
#: Nobody takes so long to install something.
ABANDONED = 6 * 3_600
IN_USE = "in-use"


def digest(*parts: str) -> str:
    return hashlib.sha256("\n".join([VERSION, *parts]).encode()).hexdigest()[:24]


def site_packages(folder: str) -> str:
    return os.path.join(folder, "lib", f"python{VERSION}", "site-packages")


def versions_in(folder: str) -> dict[str, str]:
    """What is installed there, by the folders that installers leave: reading all metadata would take a second."""
    try:
        names = os.listdir(site_packages(folder))
    except OSError:
        return {}
    ending = ".dist-info"
    found = (name.removesuffix(ending).rpartition("-") for name in names if name.endswith(ending))
    return {name.replace("_", "-").lower(): version for name, _, version in sorted(found) if name}


class Environments:
    def __init__(self, folder: str, uv: str | None, progress: Progress, log: Callable[[str], None]) -> None:
        self.folder = folder
        self.uv = uv
        self.progress = progress
        self.log = log

    def find(self, requirements: list[str]) -> str | None:
        """The environment that these requirements resolved to, if it exists. Starts no process."""
        try:
            with open(self.set_file(requirements), encoding="ascii") as file:
                name = file.read(100)
        except (OSError, ValueError):
            return None
        folder = os.path.join(self.folder, name)
        return folder if ENVIRONMENT.match(name) and os.path.isdir(site_packages(folder)) else None

    def set_file(self, requirements: list[str]) -> str:
        return os.path.join(self.folder, "sets", digest(*requirements))

    def make(self, requirements: list[str]) -> str:
        """Resolves and installs; raises Failed in the installer's words, or Interrupted."""
        os.makedirs(os.path.join(self.folder, "sets"), exist_ok=True)
        making = os.path.join(self.folder, f"making-{os.getpid()}-{time.monotonic_ns()}")
        self.progress(len(requirements), 0, "")
        uv = find_uv(self.uv, lambda: self.progress(len(requirements), 0, "uv"))
        try:
            name = self.by_uv(uv, requirements, making) if uv else self.by_pip(requirements, making)
            folder = os.path.join(self.folder, name)
            if os.path.isdir(making):
                try:
                    os.rename(making, folder)
                except OSError:
                    # Another session was faster; its folder holds the same.
                    if not os.path.isdir(site_packages(folder)):
                        raise
        finally:
            shutil.rmtree(making, ignore_errors=True)
        draft = f"{self.set_file(requirements)}.{os.getpid()}"
        with open(draft, "w", encoding="ascii") as file:
            file.write(name)
        os.replace(draft, self.set_file(requirements))
        self.clean(folder)
        return folder

    def by_uv(self, uv: str, requirements: list[str], making: str) -> str:
        cache = os.path.join(self.folder, "cache")
        env = environment_for(cache)
        flags = ["--quiet", "--no-project", "--relocatable", "--system-site-packages", "--python", PYTHON]
        run([uv, "venv", *flags, making], self.folder, env, lambda line: None)
        install = [uv, "pip", "install", *index_options(), "--python", os.path.join(making, "bin", "python")]
        output = run([*install, "--dry-run", "--", *requirements], self.folder, env, lambda line: None)
        planned = [found for line in output.splitlines() if (found := PLANNED.match(line))]
        pins = [f"{one['name']} @ {one['url']}" if one["url"] else one["name"] + one["version"] for one in planned]
        installs = INSTALLS.search(output)
        if installs and int(installs[1]) != len(pins):
            raise Failed(f"uv printed something unexpected: {output}")
        # A package from an address or a folder may have changed by the next time.
        stamp = [pin if " @ " not in pin else f"{pin} {stamp_of(pin)}" for pin in pins]
        name = digest(*sorted(stamp))
        if os.path.isdir(site_packages(os.path.join(self.folder, name))):
            return name
        if pins:
            downloads = DOWNLOADS.search(output)
            total = int(downloads[1]) if downloads else len(pins)
            before = count(os.path.join(cache, "archive-v0"))
            what = ""

            def look(line: str | None) -> None:
                nonlocal what
                words = line.split() if line else []
                if words[:1] in (["Downloading"], ["Building"]):
                    self.log(" ".join(words))
                    what = words[1]
                done = count(os.path.join(cache, "archive-v0")) - before
                self.progress(total, max(0, min(done, total)), what)

            self.progress(total, 0, "")
            run([*install, "--no-deps", "--", *pins], self.folder, env, look)
        return name

    def by_pip(self, requirements: list[str], making: str) -> str:
        env = environment_for(os.path.join(self.folder, "cache"))
        env["PIP_CACHE_DIR"] = os.path.join(self.folder, "cache", "pip")
        run(
            [PYTHON, "-I", "-m", "venv", "--without-pip", "--system-site-packages", making],
            self.folder,
            env,
            lambda line: None,
        )
        pip = [PYTHON, "-I", "-m", "pip", "--python", os.path.join(making, "bin", "python"), "install"]
        pip += ["--disable-pip-version-check", "--no-input", "--progress-bar", "off", "--ignore-installed"]
        total, done = len(requirements), 0

        def look(line: str | None) -> None:
            nonlocal done
            if line and line.startswith("Collecting "):
                done = min(done + 1, total)
                self.progress(total, done - 1, line.split()[1])

        try:
            run([*pip, *requirements], self.folder, env, look)
        except Failed as failure:
            errors = [line for line in str(failure).splitlines() if line.upper().startswith("ERROR")]
            raise Failed("\n".join(errors) or str(failure)) from None
        # Its programs begin with the path of the folder that they were made in.
        move_programs(
            os.path.join(making, "bin"), making, os.path.join(self.folder, name := digest("pip", *requirements))
        )
        return name

    def clean(self, kept: str) -> None:
        """Bounds what a project keeps: environments, what their hard links lead to, and what a killed session left."""
        now = time.time()
        found: list[tuple[float, str]] = []
        for entry in os.scandir(self.folder):
            if ENVIRONMENT.match(entry.name) and entry.path != kept:
                found.append((entry.stat(follow_symlinks=False).st_mtime, entry.path))
            elif entry.name.startswith("making-") and entry.stat(follow_symlinks=False).st_mtime < now - ABANDONED:
                shutil.rmtree(entry.path, ignore_errors=True)
        old = [path for _, path in sorted(found, reverse=True)[MOST_ENVIRONMENTS - 1 :]]
        removed = [path for path in old if remove_unused(path)]
        if removed:
            drop_unlinked(os.path.join(self.folder, "cache", "archive-v0"), now - ABANDONED)
        sets = sorted(os.scandir(os.path.join(self.folder, "sets")), key=lambda entry: entry.stat().st_mtime)
        for entry in sets[:-MOST_SETS]:
            os.unlink(entry.path)


def stamp_of(pin: str) -> str:
    """Of a file on this machine, when it was changed; of an address, the hour."""
    path = pin.partition(" @ file://")[2]
    try:
        found = os.stat(path)
        return f"{found.st_mtime_ns} {found.st_size}"
    except OSError:
        return str(int(time.time() // 3_600))


def count(folder: str) -> int:
    try:
        return len(os.listdir(folder))
    except OSError:
        return 0


def move_programs(folder: str, before: str, after: str) -> None:
    for entry in os.scandir(folder):
        if entry.is_file(follow_symlinks=False) and entry.stat().st_size < 100_000:
            with open(entry.path, "r+b") as file:
                text = file.read()
                if before.encode() in text:
                    file.seek(0)
                    file.write(text.replace(before.encode(), after.encode()))
                    file.truncate()


def hold(folder: str) -> int:
    """Keeps others from removing an environment for as long as the descriptor is open, and marks it as used now."""
    fd = os.open(os.path.join(folder, IN_USE), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(fd, fcntl.LOCK_SH)
    os.utime(folder)
    return fd


def remove_unused(folder: str) -> bool:
    try:
        fd = os.open(os.path.join(folder, IN_USE), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Renamed first: nobody begins to use what is half removed.
        gone = os.path.join(os.path.dirname(folder), f"making-{os.path.basename(folder)}-{time.monotonic_ns()}")
        os.rename(folder, gone)
    except OSError:
        return False
    finally:
        os.close(fd)
    shutil.rmtree(gone, ignore_errors=True)
    return True


def drop_unlinked(archives: str, before: float) -> None:
    """Packages in the cache that no environment links to any more. Young ones may be on their way into one."""
    for entry in os.scandir(archives) if os.path.isdir(archives) else ():
        if entry.is_dir(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_mtime < before:
            files = (os.path.join(top, name) for top, _, names in os.walk(entry.path) for name in names)
            first = next(files, None)
            if first is None or os.lstat(first).st_nlink == 1:
                shutil.rmtree(entry.path, ignore_errors=True)
