"""tqdm's bars as bars of the node. Its own class is changed when node code imports it, and not before."""

from __future__ import annotations

import os
import sys
from typing import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

MODULE = "tqdm.std"


def watch_tqdm(bars: Any, node: Any) -> None:
    """`node` gives the node whose code is running."""
    if MODULE in sys.modules:
        change(sys.modules[MODULE], bars, node)
    else:
        sys.meta_path.insert(0, Watcher(bars, node))


class Watcher:
    def __init__(self, bars: Any, node: Any) -> None:
        self.bars = bars
        self.node = node

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != MODULE:
            return None
        from importlib.machinery import PathFinder

        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            # All that an import needs of a loader.
            spec.loader = Loader(spec.loader, self.bars, self.node)  # pyright: ignore[reportAttributeAccessIssue]
        return spec


class Loader:
    def __init__(self, own: Any, bars: Any, node: Any) -> None:
        self.own = own
        self.bars = bars
        self.node = node

    def __getattr__(self, name: str) -> Any:
        return getattr(self.own, name)

    def exec_module(self, module: Any) -> None:
        self.own.exec_module(module)
        try:
            change(module, self.bars, self.node)
        except AttributeError:
            # A tqdm that is made in another way prints its bars, as everywhere.
            pass


def change(module: Any, bars: Any, node: Any) -> None:
    kind = module.tqdm
    display, close = kind.display, kind.close
    owner = os.getpid()

    def is_ours(bar: Any) -> bool:
        stream = getattr(bar, "fp", None)
        # A child process has no channel, and a file of its own is what somebody wants to have.
        return os.getpid() == owner and getattr(stream, "_wrapped", stream) in (sys.stdout, sys.stderr)

    def new_display(self: Any, msg: Any = None, pos: Any = None) -> Any:
        if not is_ours(self):
            return display(self, msg, pos)
        if not hasattr(self, "_miranda_node"):
            # It belongs to who made it, also when another thread moves it. Its id may be another one's later.
            self._miranda_node, self._miranda_key = node(), object()
        bars.set(self._miranda_node, self._miranda_key, self.n, self.total, str(self.desc or "").rstrip(": "))
        return True

    def new_close(self: Any) -> None:
        if self.disable or not is_ours(self):
            return close(self)
        self.disable = True
        self._decr_instances(self)
        if not self.leave:
            if hasattr(self, "_miranda_key"):
                bars.remove(self._miranda_node, self._miranda_key)
            return
        new_display(self)
        # One line in the log of what was hundreds.
        self.fp.write(f"{self}\n")

    kind.display, kind.close = new_display, new_close
