"""
A module that code runs in as the main one: `__name__` is "__main__", and what it defines can be pickled. What it
changes around it is as before when it has ended.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import types
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

#: There is one main module: two notebooks of one process wait for each other.
only_one = threading.Lock()
# A process that is forked meanwhile has a main module of its own, and nobody who would release it.
os.register_at_fork(after_in_child=only_one._at_fork_reinit)  # type: ignore[attr-defined]
LOOK_EVERY = 0.1
PICTURES = "module://miranda.notebook.pictures"
INLINE = "module://matplotlib_inline.backend_inline"


@contextmanager
def main_module(name: str, folder: str) -> Generator[types.ModuleType]:
    # With a limit, or an interrupt would have to wait too.
    while not only_one.acquire(timeout=LOOK_EVERY):
        pass
    before, path, arguments = sys.modules.get("__main__"), list(sys.path), sys.argv
    module = types.ModuleType("__main__")
    module.__dict__.update(__builtins__=__builtins__, __spec__=None, __loader__=None, __package__=None)
    try:
        sys.modules["__main__"] = module
        sys.argv = [name]
        # Python puts the folder of a script first.
        sys.path.insert(0, folder)
        yield module
    finally:
        sys.argv = arguments
        sys.path[:] = path
        if before is not None:
            sys.modules["__main__"] = before
        only_one.release()


@contextmanager
def drawing_with(backend: str) -> Generator[None]:
    """Figures that pyplot draws are shown at the node. Code that chooses another backend gets that one."""
    given = os.environ.get("MPLBACKEND")
    os.environ["MPLBACKEND"] = backend
    drawn: Any = sys.modules.get("matplotlib")
    before = drawn.get_backend() if drawn is not None else None
    if drawn is not None:
        drawn.use(backend, force=True)
    try:
        yield
    finally:
        if given is None:
            os.environ.pop("MPLBACKEND", None)
        else:
            os.environ["MPLBACKEND"] = given
        drawn = sys.modules.get("matplotlib")
        if drawn is not None:
            drawn.use(before or "agg", force=True)


@contextmanager
def as_a_program() -> Generator[None]:
    """What Python does when a program ends: it waits for its threads and calls what was registered for the end."""
    at_end: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = []
    register, unregister = atexit.register, atexit.unregister
    threads = set(threading.enumerate())

    def keep(function: Callable[..., Any], *args: Any, **named: Any) -> Callable[..., Any]:
        # What libraries register belongs to the process, which goes on.
        if sys._getframe(1).f_globals.get("__name__") != "__main__":
            return register(function, *args, **named)
        at_end.append((function, args, named))
        return function

    def forget(function: Callable[..., Any]) -> None:
        at_end[:] = [one for one in at_end if one[0] != function]
        unregister(function)

    atexit.register, atexit.unregister = keep, forget  # type: ignore[assignment]
    try:
        yield
    finally:
        try:
            for thread in threading.enumerate():
                while thread not in threads and not thread.daemon and thread.is_alive():
                    thread.join(LOOK_EVERY)
            while at_end:
                function, args, named = at_end.pop()
                function(*args, **named)
        finally:
            atexit.register, atexit.unregister = register, unregister
