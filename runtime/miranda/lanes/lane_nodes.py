"""The nodes of a lane: loads their code, makes their instances, and keeps the values that are here."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from typing import Any, cast

from ..attributes import Constant, Field, Receiver, Transmitter
from ..debugging.debugger import Debugger
from ..execution.loader import file_name, load
from ..execution.values import UNCHANGEABLE, opened, pack
from ..files import file_value
from ..isolation.inert import is_inert
from ..isolation.process_state import Home, ProcessState, seed_of, wanted_seed
from ..isolation.reads import Reads
from ..isolation.seen import NOTHING, both
from ..node import Outlet
from .lane_node import LaneNode
from .lane_reports import LaneReports
from .shared import LARGEST_CONSTANT, Unsharable, is_inline, taken_in, written_out

KINDS = (Receiver, Field, Transmitter, Constant)


class LaneNodes:
    def __init__(self, debugger: Debugger, reports: LaneReports) -> None:
        self.debugger = debugger
        self.reports = reports
        #: Keeps apart what nodes set in the process. Made when the process is as they are to find it.
        self.state: ProcessState
        #: Notes what node code reads besides its inputs.
        self.reads: Reads
        self.nodes: dict[int, LaneNode] = {}
        #: What nodes sent here, and what came from other lanes, by number.
        self.values: dict[int, Any] = {}
        self.number = 0
        #: The run that is under way.
        self.run = 0

    def define(self, key: int, name: str, source: str, storage: Any) -> None:
        """A node as it is now. Its instance ends when its code is another."""
        node = self.nodes.get(key)
        if node is None:
            node = self.nodes[key] = LaneNode(key)
        elif node.loaded is not None and (node.source != source or node.name != name):
            self.release(node)
        if node.storage != storage:
            node.storage, node.bucket = storage, None
        node.name, node.source = name, source

    def release(self, node: LaneNode) -> None:
        if node.loaded is not None:
            self.debugger.forget(node.loaded.filename)
        node.loaded = node.instance = node.run = None
        node.secretive = False
        node.made_with = NOTHING
        node.bound = -1

    @contextmanager
    def inside(self, node: LaneNode) -> Generator[None]:
        """The code of a node outside its run: what it prints and asks for is its own, and it can be interrupted."""
        self.reports.note(node.id)
        self.enter(node)
        try:
            yield
        finally:
            # Nothing is raised here from outside after this.
            node.is_open = False
            self.reports.streams.flush()
            self.leave(node)
            self.reports.note(0)

    def prepare(self, node: LaneNode) -> bool:
        """Loads the node's code and makes its instance; what goes wrong is reported as the node's exception."""
        if node.instance is not None:
            return True
        try:
            with self.inside(node), self.making(node), self.reading(node):
                self.make(node)
            return True
        except BaseException as error:
            self.release(node)
            self.end_badly(node, error)
            return False

    def make(self, node: LaneNode) -> None:
        filename = file_name(node.id, node.name)
        codes: list[Any] = []

        def on_code(code: Any) -> None:
            codes.append(code)
            self.debugger.add_code(filename, code)

        self.debugger.enter(filename)
        try:
            loaded = node.loaded = load(node.id, node.name, node.source, on_code=on_code)
            home = node.home
            if loaded.shares_state:
                node.home = None
            elif home is not None:
                self.state.set_seed(home, wanted_seed(loaded.node_class, "", node.id))
            node.is_inert = is_inert(codes[0])
            instance = loaded.node_class()
            instance.__dict__["_miranda_name"] = node.name
            node.size = len(instance.__dict__)
            node.instance, node.run = instance, instance.run
        finally:
            self.debugger.leave()

    @contextmanager
    def reading(self, node: LaneNode) -> Generator[None]:
        """What is read now counts for every run of the instance."""
        self.reads.begin()
        try:
            yield
        finally:
            node.made_with = both(node.made_with, self.reads.end())

    @contextmanager
    def making(self, node: LaneNode) -> Generator[None]:
        """What the process is like when the instance is made is what each run of it begins with."""
        home = node.home = Home(seed_of("", node.id))
        self.state.begin_making(home)
        try:
            yield
            self.state.end_making(home)
        finally:
            self.state.leave()

    @contextmanager
    def at_home(self, node: LaneNode) -> Generator[None]:
        """The process is as the node's setup expects it, and what that changes stays for its runs."""
        home = node.home
        if home is None:
            yield
            return
        self.state.enter(home)
        try:
            yield
            self.state.keep(home)
        finally:
            self.state.leave()

    def describe(self, node: LaneNode) -> tuple[Any, ...]:
        """What the worker has to know of a node to plan with it."""
        assert node.loaded is not None
        loaded = node.loaded
        attributes = [
            (
                one.name,
                next(kind.__name__ for kind in KINDS if isinstance(one, kind)),
                bool(one.optional),
                one.control.type if one.control is not None else "",
                self.written(one.value) if isinstance(one, Constant) else (None,),
            )
            for one in loaded.attributes.values()
        ]
        cache = getattr(loaded.node_class, "cache", True)
        known = cache if cache in (True, False, "project") else None
        seed = node.home.seed if node.home is not None else None
        return attributes, known, loaded.parallel, loaded.shares_state, seed

    def bind(self, node: LaneNode) -> None:
        """Gives the instance its settings and its outlets, once in a run."""
        node.bound, node.seen = self.run, None
        held = node.instance.__dict__
        loaded = node.loaded
        assert loaded is not None
        if loaded.settings:
            values = node.values
            for name, default, is_file in loaded.settings:
                value = values.get(name, default)
                held[name] = file_value(value) if is_file else own(value)
        for name in loaded.receivers:
            held[name] = None
        for name, value in node.fixed.items():
            held[name] = own(self.value_of(value))
        for name in loaded.transmitters:
            outlet = held.get(name)
            if not isinstance(outlet, Outlet):
                outlet = held[name] = Outlet(name)
            if outlet._deliver is None:
                outlet._deliver = partial(self.deliver, node)

    # Values

    def value_of(self, reference: Any) -> Any:
        if type(reference) is bytes:
            return taken_in(reference, None)
        return cast("tuple[Any]", reference)[0] if type(reference) is tuple else self.values[reference]

    def written(self, constant: Any) -> Any:
        """A constant in a form that any lane can open. Only its number where there is none: it stays here."""
        if is_inline(constant):
            return (constant,)
        packed = pack(constant, lambda kind: None)
        try:
            data, file = written_out(packed, LARGEST_CONSTANT)
        except Unsharable:
            return self.reference(packed)
        if file is not None:
            os.close(file)
        return self.reference(packed) if data is None else data

    def reference(self, value: Any) -> Any:
        """The value itself in a tuple, or the number under which it is kept here, and the name of its type."""
        if is_inline(value):
            return (value,)
        self.number += 1
        self.values[self.number] = value
        return self.number

    # By those who fire

    def enter(self, node: LaneNode) -> None:
        raise NotImplementedError

    def leave(self, node: LaneNode) -> None:
        raise NotImplementedError

    def end_badly(self, node: LaneNode, error: BaseException) -> bool:
        raise NotImplementedError

    def deliver(self, node: LaneNode, transmitter: str, value: Any) -> None:
        raise NotImplementedError


def own(value: Any) -> Any:
    """For settings, which are small: a value that its reader may change."""
    return value if type(value) in UNCHANGEABLE else opened(pack(value, lambda kind: None))
