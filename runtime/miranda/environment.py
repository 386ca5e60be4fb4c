"""Run Node Setup: the packages that the nodes ask for, in a folder kept per set of them, then every node's setup()."""

from __future__ import annotations

import hashlib
import os
import shutil
import site
import subprocess
import sys
import threading
import time
from typing import Any

from .declare import Refusal, dependencies
from .execution import Executor, wait_for_coroutine
from .graph import Graph, connect
from .loader import user_traceback
from .worker_output import Streams

#: People wait a minute for the answer; before that they are told that it goes on without them.
PATIENCE = 50.0


def wanted(graph: Graph) -> list[str]:
    found: set[str] = set()
    for state in graph.nodes.values():
        if not state.disabled and "# ///" in state.source:
            found.update(" ".join(one.split()) for one in dependencies(state.source))
    return sorted(found)


def folder_for(packages: list[str], environments: str) -> str:
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    name = hashlib.sha256("\n".join([version, *packages]).encode()).hexdigest()[:24]
    return os.path.join(environments, name)


def activate(graph: Graph, environments: str | None) -> None:
    """Makes an environment that an earlier setup left usable. Broken metadata is the setup's to complain about."""
    if not environments:
        return
    try:
        packages = wanted(graph)
    except Refusal:
        return
    folder = folder_for(packages, environments)
    if packages and folder not in sys.path and os.path.isdir(folder):
        use(folder)


def use(folder: str) -> None:
    import importlib

    site.addsitedir(folder)
    # Before the machine's own packages: the versions that the nodes asked for are the ones they get.
    sys.path.remove(folder)
    sys.path.insert(0, folder)
    importlib.invalidate_caches()


def run_setup(executor: Executor, command: dict[str, Any], streams: Streams) -> dict[str, Any]:
    late = threading.Timer(PATIENCE, tell_late, (streams, command))
    late.daemon = True
    late.start()
    executor.begin()
    try:
        error = install(executor.graph, command.get("environments"), streams) or set_up_nodes(executor)
    finally:
        executor.scheduler.active = False
        late.cancel()
    if error:
        streams.record(3, f"Node setup failed: {error}")
    else:
        streams.record(1, "Node setup is done.")
    return {"error": error}


def tell_late(streams: Streams, command: dict[str, Any]) -> None:
    streams.record(1, "Node setup goes on in the background; its progress is in this log.")
    streams.channel.event({"kind": "early", "command": "run-setup", "number": command.get("number", 0)})


def install(graph: Graph, environments: str | None, streams: Streams) -> str | None:
    try:
        packages = wanted(graph)
    except Refusal as refusal:
        return str(refusal)
    if not packages:
        return None
    if not environments:
        return "This processor has no place for packages."
    refused = [one for one in packages if one.startswith("-")]
    if refused:
        return f"{refused[0]!r} is not the name of a package."
    folder = folder_for(packages, environments)
    if not os.path.isdir(folder):
        streams.record(1, f"Installing {', '.join(packages)}")
        making = f"{folder}.{os.getpid()}"
        error = run_installer(packages, making)
        if error:
            shutil.rmtree(making, ignore_errors=True)
            return error
        try:
            os.rename(making, folder)
        except OSError:
            # Another session was faster; its folder holds the same.
            shutil.rmtree(making, ignore_errors=True)
    if folder not in sys.path:
        use(folder)
    return None


def run_installer(packages: list[str], target: str) -> str | None:
    uv = shutil.which("uv")
    if uv:
        command = [uv, "pip", "install", "--python", sys.executable, "--target", target, "--", *packages]
    else:
        command = [sys.executable, "-I", "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
        command += ["--progress-bar", "off", "--target", target, *packages]
    process = subprocess.Popen(command, stdout=1, stderr=subprocess.PIPE, text=True, errors="replace")
    assert process.stderr is not None
    words: list[str] = []
    for line in process.stderr:
        print(line, end="", file=sys.stderr)
        if line.strip():
            words.append(line.strip())
    if process.wait() == 0:
        return None
    errors = [line for line in words if line.upper().startswith("ERROR")] or words[-3:]
    return " ".join(errors) or f"The installer ended with {process.returncode}."


def set_up_nodes(executor: Executor) -> str | None:
    states = [state for state in executor.graph.order() if not state.disabled]
    for state in states:
        if not executor.prepare(state):
            return f"{state.name} could not be loaded."
    connect(executor.graph, executor.deliver)
    for state in states:
        executor.reporter.running = state.id
        started = time.monotonic()
        try:
            with executor.inside(state):
                result = state.instance.setup()
                if result is not None:
                    wait_for_coroutine(result)
        except BaseException as error:
            executor.fail(state, error)
            text, line, _, _ = user_traceback(error)
            last = text.strip().splitlines()[-1] if text.strip() else type(error).__name__
            executor.store()
            return f"{state.name}, line {line}: {last}"
        finally:
            executor.reporter.running = None
        if time.monotonic() - started > 1:
            print(f"{state.name} is set up.")
    executor.store()
    return "What it left in its storage could not be stored." if executor.failures else None
