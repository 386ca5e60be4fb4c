"""
Watches imports. A module is loaded once and stays for every node, so what it sets while it is imported stays too, and
what it draws from a generator is drawn for nobody.
"""

from __future__ import annotations

import sys
from _thread import get_ident
from collections.abc import Callable
from typing import Any

from .parts import Anything

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

    from .process_state import ProcessState


class ImportWatch:
    """First in `sys.meta_path`. It finds nothing itself: it has the loader say when it has loaded."""

    def __init__(self, state: ProcessState, libraries: frozenset[str]) -> None:
        self.state = state
        self.libraries = libraries
        self.thread = get_ident()
        #: Inside of an import of node code, whose own imports are a part of it.
        self.is_inside = False
        self.searching = False

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        is_library = name in self.libraries
        is_first = not self.is_inside and self.state.home is not None and get_ident() == self.thread
        if not is_library and (not is_first or name.startswith("miranda.")):
            return None
        spec = self.search(name, path, target)
        if spec is not None and hasattr(spec.loader, "exec_module"):
            loader: Any = spec.loader
            load = loader.exec_module
            try:
                # On the object: loaders are asked for their class and more. Those of built-in modules are classes, and
                # such a module sets nothing.
                if not isinstance(loader, type):
                    loader.exec_module = self.watched(name, loader, load)
            except AttributeError:
                pass
        return spec

    def search(self, name: str, path: Any, target: Any) -> ModuleSpec | None:
        for finder in sys.meta_path.copy():
            if finder is self:
                continue
            find = getattr(finder, "find_spec", None)
            spec = None if find is None else find(name, path, target)
            if spec is not None:
                return spec
        return None

    def watched(self, name: str, loader: Any, load: Callable[[Any], None]) -> Callable[[Any], None]:
        def exec_module(module: Any) -> None:
            loader.__dict__.pop("exec_module", None)
            if self.is_inside or self.state.home is None or get_ident() != self.thread:
                load(module)
                self.loaded(name)
                return
            before = self.state.before_import()
            self.is_inside = True
            try:
                load(module)
                self.loaded(name)
            finally:
                self.is_inside = False
                self.state.after_import(before)

        return exec_module

    def loaded(self, name: str) -> None:
        if name in self.libraries:
            try:
                self.state.take_library(name)
            except Anything:
                # A version that is made differently: its settings go without.
                pass
