"""
The state that libraries keep in the process: before a node runs it is as it was when the node's instance was made, not
as the node before has left it.

A process runs one node at a time. Between nodes it is at its base. `leave` looks for what a node changed and puts it
back; `enter` only makes the few changes that are the node's own. So a node that changes nothing pays for looking alone.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Generator as Yields
from contextlib import contextmanager
from typing import Any

from .generators import Generator, Generators
from .imports import ImportWatch
from .logging_state import let_basic_config_work
from .parts import Anything, Part, names_in
from .system_parts import TRIES, forget_shown_warnings, system_parts

LIBRARIES = frozenset(
    {
        *("random", "decimal", "numpy", "numpy.random", "pandas", "torch", "tensorflow"),
        *("matplotlib", "matplotlib.pyplot", "matplotlib._pylab_helpers"),
    }
)
#: What numpy's `seed` takes.
LARGEST_SEED = 2**32 - 1
#: What a module draws while it is imported is the same whichever node imports it first.
IMPORT_SEED = 0


def seed_of(workflow: str, node: int) -> int:
    """The seed that a node has when its class sets none: the same in every session, another for every node."""
    import hashlib

    return int.from_bytes(hashlib.sha256(f"{workflow}\0{node}".encode()).digest()[:4], "big")


def wanted_seed(node_class: type, workflow: str, node: int) -> int | None:
    """
    `seed = None` on the class asks for new numbers in every run, a whole number is the seed itself. Anything else of
    that name, such as a field or a method, is the node's own affair.
    """
    value: Any = getattr(node_class, "seed", ...)
    if value is None:
        return None
    if type(value) is int:
        return value & LARGEST_SEED
    return seed_of(workflow, node)


class Home:
    """What the process is like for one node. `seed` is None when every run shall draw new numbers."""

    __slots__ = ("own", "seed", "states")

    def __init__(self, seed: int | None) -> None:
        self.seed = seed
        self.own: dict[Part, Any] = {}
        #: Of generators that were used while the instance was made.
        self.states: dict[Generator, Any] = {}


class ProcessState:
    """Made once for each process, when what belongs to the worker is in its place and no node code has run."""

    def __init__(self) -> None:
        let_basic_config_work()
        #: Whose code runs, from `enter` to `leave`.
        self.home: Home | None = None
        self.generators = Generators()
        #: The modules whose settings are known by now.
        self.taken: dict[str, Any] = {}
        self.watch = ImportWatch(self, LIBRARIES)
        sys.meta_path.insert(0, self.watch)
        self.parts, self.modules = system_parts()
        self.shown_once: dict[Any, Any] = names_in(warnings)["onceregistry"]
        self.take_libraries()

    # For the executor

    def begin_making(self, home: Home) -> None:
        """Before a node's code is loaded and its instance made."""
        home.own, home.states = {}, {}
        self.enter(home)

    def set_seed(self, home: Home, seed: int | None) -> None:
        """Between loading the code and making the instance: only the loaded class tells which seed it wants."""
        if seed != home.seed:
            home.seed = seed
            self.generators.begin(seed, {})

    def end_making(self, home: Home) -> None:
        """After it: what the process is like now is what every run of the node begins with."""
        self.keep(home)

    def enter(self, home: Home) -> None:
        """Before each run of the node, and before its setup."""
        if self.home is not None:
            self.leave()
        self.take_libraries()
        for part, own in home.own.items():
            try:
                part.give(own)
            except Anything:
                # A folder that is gone, for instance: code that needs it says so better.
                continue
        self.shown_once.clear()
        forget_shown_warnings()
        self.generators.begin(home.seed, home.states)
        self.home = home

    def keep(self, home: Home) -> None:
        """After setup."""
        self.take_libraries()
        home.states = self.generators.used(home.seed)
        home.own = {}
        for part in self.parts:
            try:
                own = part.own()
            except Anything:
                continue
            if own is not None:
                home.own[part] = own

    def leave(self) -> None:
        """After a node's code. Never raises, whatever node code has put in the places of what is restored."""
        for _ in TRIES:
            try:
                if self.restore():
                    return
            except Anything:
                continue

    @contextmanager
    def changing_base(self) -> Yields[None]:
        """Around what the worker itself changes for all nodes: sys.path and PATH of an environment, for instance."""
        self.leave()
        try:
            yield
        finally:
            self.take_libraries()
            for part in self.parts:
                try:
                    part.take()
                except Anything:
                    continue

    # What it is made of

    def restore(self) -> bool:
        """Gives False when something was in the way, which may be gone by now."""
        is_good = True
        for part in self.parts:
            try:
                if part.is_base():
                    continue
            except Anything:
                is_good = False
            try:
                part.reset()
            except Anything:
                is_good = False
        self.home = None
        return is_good

    def take_libraries(self) -> None:
        """Those that came without being seen: before this began, or past the list of finders."""
        modules = self.modules.modules
        for name in LIBRARIES:
            if name in modules and name not in self.taken and not self.watch.is_inside:
                try:
                    self.take_library(name)
                except Anything:
                    continue

    def take_library(self, name: str) -> None:
        module = self.modules.modules[name]
        if self.taken.get(name) is module:
            return
        # Once for each module object, even when it fails: it is made differently, and would fail every time.
        self.taken[name] = module
        from .library_generators import generator_of
        from .library_parts import SETTINGS

        for kind in SETTINGS.get(name, ()):
            try:
                # Before the modules, which come last.
                self.parts.insert(-1, kind(module))
            except Anything:
                # A version of the library that is made differently: these settings go without.
                continue
        made = generator_of(name, module, lambda: self.home.seed if self.home is not None else None)
        if made is None:
            return
        self.generators.all.append(made)
        home = self.home
        if home is not None and home.seed is not None:
            made.seed(IMPORT_SEED if self.watch.is_inside else home.seed)

    def before_import(self) -> Any:
        seed = self.home.seed if self.home is not None else None
        states = {} if seed is None else self.generators.set_aside(IMPORT_SEED)
        known = [(part, value) for part in self.parts if (value := looked_at(part)) is not UNKNOWN]
        return states, known, list(self.generators.all)

    def after_import(self, before: Any) -> None:
        states, known, earlier = before
        seen = set[Part]()
        for part, value in known:
            seen.add(part)
            try:
                part.join(value)
            except Anything:
                continue
        for part in self.parts:
            if part not in seen:
                # The rest of the import may have gone on setting what the library has.
                part.take()
        self.generators.put_back(states)
        home = self.home
        if home is not None and home.seed is not None:
            for one in self.generators.all:
                if one not in earlier:
                    one.seed(home.seed)


UNKNOWN = object()


def looked_at(part: Part) -> Any:
    try:
        return part.now()
    except Anything:
        return UNKNOWN
