"""
The code of nodes as files, for processes that node code starts: a function of a node that is sent to another process is
named by its module, `miranda_node_7`, and that process has to find it.
"""

from __future__ import annotations

import os
import sys

folder: str | None = None


def begin(session_folder: str) -> None:
    global folder  # noqa: PLW0603 (one session per process)
    made = os.path.join(session_folder, ".miranda", "nodes")
    try:
        os.makedirs(made, exist_ok=True)
        # A file where Python would keep compiled code: it takes code of the same second and length for unchanged.
        with open(os.path.join(made, "__pycache__"), "ab"):
            pass
    except OSError:
        # A full disk: nodes run all the same, but not in processes of their own.
        return
    folder = made
    sys.path.append(made)
    runtime = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    os.environ["PYTHONPATH"] = os.pathsep.join([made, runtime])


def keep(module: str, source: str) -> None:
    if folder is None:
        return
    try:
        with open(os.path.join(folder, f"{module}.py"), "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(source)
    except OSError:
        pass
