"""Node code that replaces what is needed to put things back."""

from __future__ import annotations

import builtins
import gc
import logging
import os
import random
import signal
import sys
import threading
import types
import unittest
import warnings
from collections.abc import Callable
from typing import Any

from miranda.isolation.process_state import ProcessState

from .apart import Turn, apart, made

vars_of_builtins: Any = vars(builtins)
Anything = BaseException
RAISING = [False]
#: What node code changes in a module's functions stays: see docs/node-sdk.md.
FUNCTIONS: list[tuple[Any, str, Any]] = [
    *((os, name, getattr(os, name)) for name in ("getcwd", "umask")),
    (signal, "getsignal", signal.getsignal),
    (gc, "isenabled", gc.isenabled),
    *((random, name, getattr(random, name)) for name in ("seed", "_inst")),
]


class Hostile:
    """Whatever is done with it raises."""

    def refuse(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("hostile")

    __eq__ = __ne__ = __bool__ = __len__ = __iter__ = __getitem__ = __setitem__ = __call__ = refuse
    __hash__ = None  # type: ignore[assignment]

    def __getattribute__(self, name: str) -> Any:
        raise KeyboardInterrupt("hostile")


def every_builtin() -> None:
    for name in list(vars_of_builtins):
        if not name.startswith("__"):
            vars_of_builtins[name] = HELD[0]


def no_builtin() -> None:
    vars_of_builtins.clear()


def bad_variables() -> None:
    os.environ._data["a str"] = 5  # pyright: ignore
    os.environ._data[b"x=y"] = b"1"  # pyright: ignore[reportAttributeAccessIssue]


def ring() -> None:
    """Rings all the time, and raises once."""
    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.00002, 0.00002)
    RAISING[0] = True


def handler(*_: object) -> None:
    if RAISING[0]:
        RAISING[0] = False
        raise RuntimeError("the handler of a node")


def hostile_modules() -> None:
    for name in ("json", "random", "logging", "warnings", "os", "sys", "signal"):
        sys.modules[name] = HELD[0]  # pyright: ignore[reportArgumentType]


# Not a name of the module: unittest looks at those.
HELD: list[Any] = [Hostile()]
ACTS: list[Callable[[], object]] = [
    every_builtin,
    no_builtin,
    bad_variables,
    ring,
    hostile_modules,
    sys.modules.clear,
    lambda: setattr(sys, "modules", HELD[0]),
    lambda: setattr(sys, "path", HELD[0]),
    lambda: setattr(sys, "argv", HELD[0]),
    lambda: setattr(sys, "meta_path", [HELD[0]]),
    lambda: sys.path.append(HELD[0]),
    lambda: setattr(sys, "stdout", HELD[0]),
    lambda: setattr(os, "environ", HELD[0]),
    lambda: setattr(os.environ, "_data", HELD[0]),
    lambda: setattr(os, "getcwd", HELD[0]),
    lambda: setattr(os, "umask", HELD[0]),
    lambda: setattr(warnings, "filters", HELD[0]),
    lambda: setattr(warnings, "onceregistry", HELD[0]),
    lambda: warnings.filters.append(HELD[0]),  # pyright: ignore[reportAttributeAccessIssue]
    lambda: setattr(logging, "root", HELD[0]),
    lambda: setattr(logging, "lastResort", HELD[0]),
    lambda: setattr(logging, "basicConfig", HELD[0]),
    lambda: setattr(logging.getLogger("known"), "handlers", HELD[0]),
    logging.getLogger("known").__dict__.clear,
    logging.root.__dict__.clear,
    logging.root.manager.loggerDict.clear,
    lambda: logging.root.manager.loggerDict.update(x=HELD[0]),
    lambda: setattr(logging.root.manager, "loggerDict", HELD[0]),
    lambda: setattr(signal, "getsignal", HELD[0]),
    lambda: setattr(gc, "isenabled", HELD[0]),
    lambda: setattr(random, "_inst", HELD[0]),
    lambda: setattr(random, "seed", HELD[0]),
    lambda: setattr(threading, "excepthook", HELD[0]),
    lambda: sys.modules.update(numpy=HELD[0], matplotlib=types.ModuleType("matplotlib"), pandas=HELD[0]),
]


class Replaced(unittest.TestCase):
    @apart
    def test_everything_else_is_put_back(self) -> None:
        logging.getLogger("known").setLevel(10)
        known = logging.getLogger("known")
        state = ProcessState()
        home = made(state, 3)
        other = made(state, 3)
        with Turn(state, other):
            expected = random.random()
        problems: list[str] = []
        for number, act in enumerate(ACTS):
            handlers = signal.getsignal(signal.SIGALRM)
            was = (os.getcwd(), os.environ, sys.path, sys.argv, sys.modules, sys.stdout, warnings.filters, logging.root)
            contents = (list(sys.path), list(sys.argv), dict(os.environ), list(warnings.filters))
            state.enter(home)
            os.environ["MIRANDA_TEST"] = "1"
            os.chdir("/")
            builtins.shout = 1  # type: ignore[attr-defined]
            sys.setrecursionlimit(765)
            try:
                act()
            except Anything:
                pass
            state.leave()
            for module, name, function in FUNCTIONS:
                setattr(module, name, function)
            try:
                now = (os.getcwd(), os.environ, sys.path, sys.argv, sys.modules, sys.stdout)
                now += (warnings.filters, logging.root)
                assert all(one is two or one == two for one, two in zip(was, now, strict=True)), (was, now)
                assert "shout" not in vars(builtins)
                assert "MIRANDA_TEST" not in os.environ
                assert sys.getrecursionlimit() != 765
                assert contents == (list(sys.path), list(sys.argv), dict(os.environ), list(warnings.filters))
                assert signal.getsignal(signal.SIGALRM) == handlers
                assert logging.getLogger("known") is known and known.level == 10 and known.handlers == []
                with Turn(state, other):
                    assert random.random() == expected
                assert sys.modules["json" if "json" in sys.modules else "os"] is not HELD[0]
            except BaseException as error:
                problems.append(f"{number}: {error!r}"[:600])
        assert not problems, "\n".join(problems)

    @apart
    def test_a_signal_handler_that_raises_all_the_time_ends_with_its_node(self) -> None:
        state = ProcessState()
        home = made(state)
        for _ in range(300):
            state.enter(home)
            for _ in range(2):
                try:
                    ring()
                    state.leave()
                except RuntimeError:
                    # It rang just before or after.
                    continue
            state.leave()
            assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
            assert signal.getitimer(signal.ITIMER_REAL)[0] == 0

    @apart
    def test_an_instance_that_was_made_by_hostile_code_can_run_and_harms_nobody(self) -> None:
        state = ProcessState()
        other = made(state, 3)
        with Turn(state, other):
            expected = random.random()
        for act in (hostile_modules, bad_variables, lambda: setattr(sys, "stdout", HELD[0])):
            home = made(state, 3, act)
            state.enter(home)
            state.leave()
            with Turn(state, other):
                assert random.random() == expected
                assert sys.stdout is not HELD[0]


if __name__ == "__main__":
    unittest.main()
