"""Every kind of state that one node sets: another does not see it, nor does the base."""

from __future__ import annotations

import _thread
import builtins
import contextlib
import decimal
import gc
import io
import json
import locale
import logging
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import types
import unittest
import warnings
from collections.abc import Callable
from typing import Any

from miranda.isolation.process_state import Home, ProcessState

from .apart import Turn, apart, made


def add_logger() -> None:
    logging.getLogger("one.of.a.node").addHandler(logging.NullHandler())


def set_prec() -> None:
    decimal.getcontext().prec = 5


def set_default_prec() -> None:
    decimal.DefaultContext.prec = 5


def put_module() -> None:
    sys.modules["made_by_hand"] = types.ModuleType("made_by_hand")


def swap_module() -> None:
    sys.modules["json"] = types.ModuleType("json")


def block_signal() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})


def set_locale() -> None:
    for name in ("C", "C.UTF-8", "POSIX"):
        with contextlib.suppress(locale.Error):
            if locale.setlocale(locale.LC_ALL, name) and seen_locale() != BASE_LOCALE[0]:
                return
    raise unittest.SkipTest("only one locale")


def seen_locale() -> str:
    return locale.setlocale(locale.LC_ALL)


BASE_LOCALE = [""]
FINDER: Any = types.SimpleNamespace(find_spec=lambda *_: None)


def mask() -> int:
    value = os.umask(0)
    os.umask(value)
    return value


#: Its name, what sets it, what a node sees of it.
KINDS: list[tuple[str, Callable[[], Any], Callable[[], Any]]] = [
    ("a variable", lambda: os.environ.update(MIRANDA_TEST="1"), lambda: os.environ.get("MIRANDA_TEST")),
    (
        "a variable for children",
        lambda: os.environ.update(MIRANDA_TEST="1"),
        lambda: subprocess.check_output(["/usr/bin/env"]),
    ),
    ("a variable less", lambda: os.environ.pop("PATH"), lambda: "PATH" in os.environ),
    ("other variables", lambda: setattr(os, "environ", {}), lambda: len(os.environ)),
    ("the folder", lambda: os.chdir("/"), os.getcwd),
    ("the mask", lambda: os.umask(0o077), mask),
    ("a builtin", lambda: setattr(builtins, "print", len), lambda: builtins.print),
    ("a new builtin", lambda: setattr(builtins, "shout", len), lambda: hasattr(builtins, "shout")),
    ("stdout", lambda: setattr(sys, "stdout", io.StringIO()), lambda: sys.stdout),
    ("stderr", lambda: setattr(sys, "stderr", io.StringIO()), lambda: sys.stderr),
    ("stdin", lambda: setattr(sys, "stdin", io.StringIO()), lambda: sys.stdin),
    ("__stdout__", lambda: setattr(sys, "__stdout__", None), lambda: sys.__stdout__),
    ("excepthook", lambda: setattr(sys, "excepthook", print), lambda: sys.excepthook),
    ("displayhook", lambda: setattr(sys, "displayhook", print), lambda: sys.displayhook),
    ("unraisablehook", lambda: setattr(sys, "unraisablehook", print), lambda: sys.unraisablehook),
    ("threading.excepthook", lambda: setattr(threading, "excepthook", print), lambda: threading.excepthook),
    ("a path", lambda: sys.path.insert(0, "/of/a/node"), lambda: list(sys.path)),
    ("another path", lambda: setattr(sys, "path", ["/of/a/node"]), lambda: list(sys.path)),
    ("arguments", lambda: sys.argv.append("--fast"), lambda: list(sys.argv)),
    ("other arguments", lambda: setattr(sys, "argv", ["x.py"]), lambda: list(sys.argv)),
    (
        "a finder",
        lambda: sys.meta_path.append(FINDER),
        lambda: list(sys.meta_path),
    ),
    ("a module", put_module, lambda: "made_by_hand" in sys.modules),
    ("another module", swap_module, lambda: sys.modules.get("json") is json),
    ("a module less", lambda: sys.modules.pop("json"), lambda: sys.modules.get("json") is json),
    ("a warnings filter", lambda: warnings.simplefilter("error"), lambda: list(warnings.filters)),
    ("no warnings filter", warnings.resetwarnings, lambda: list(warnings.filters)),
    ("showwarning", lambda: setattr(warnings, "showwarning", print), lambda: warnings.showwarning),
    ("an open catch_warnings", lambda: warnings.catch_warnings().__enter__(), lambda: id(warnings.filters)),
    ("a logger's level", lambda: logging.getLogger("known").setLevel(3), lambda: logging.getLogger("known").level),
    ("a logger's handler", add_logger, lambda: list(logging.getLogger("one.of.a.node").handlers)),
    ("the root's level", lambda: logging.root.setLevel(50), lambda: logging.getLogger("x").isEnabledFor(40)),
    (
        "the root's handlers",
        lambda: logging.root.addHandler(logging.NullHandler()),
        lambda: list(logging.root.handlers),
    ),
    ("basicConfig", lambda: logging.basicConfig(level=10), lambda: (list(logging.root.handlers), logging.root.level)),
    ("logging.disable", lambda: logging.disable(50), lambda: logging.getLogger("x").isEnabledFor(40)),
    ("raiseExceptions", lambda: setattr(logging, "raiseExceptions", False), lambda: logging.raiseExceptions),
    ("a handled signal", lambda: signal.signal(signal.SIGUSR1, print), lambda: signal.getsignal(signal.SIGUSR1)),
    ("a blocked signal", block_signal, lambda: signal.pthread_sigmask(signal.SIG_BLOCK, ())),
    ("an alarm", lambda: signal.alarm(1000), lambda: signal.getitimer(signal.ITIMER_REAL)[0] > 0),
    ("decimal's precision", set_prec, lambda: decimal.getcontext().prec),
    ("decimal's precision in threads", set_default_prec, lambda: decimal.DefaultContext.prec),
    ("the recursion limit", lambda: sys.setrecursionlimit(777), sys.getrecursionlimit),
    ("the garbage collector", gc.disable, gc.isenabled),
    ("its thresholds", lambda: gc.set_threshold(12345), gc.get_threshold),
    ("the longest number", lambda: sys.set_int_max_str_digits(9999), sys.get_int_max_str_digits),
    ("the timeout of sockets", lambda: socket.setdefaulttimeout(3), socket.getdefaulttimeout),
    ("the locale", set_locale, seen_locale),
    ("random", lambda: random.seed(3), random.random),
]
NOT_MADE = ("an alarm",)


class Kinds(unittest.TestCase):
    def each(self, check: Callable[[ProcessState, str, Callable[[], Any], Callable[[], Any]], None]) -> None:
        logging.getLogger("known")
        state = ProcessState()
        BASE_LOCALE[0] = seen_locale()
        problems: list[str] = []
        for name, put, look in KINDS:
            try:
                check(state, name, put, look)
            except unittest.SkipTest:
                continue
            except BaseException as error:
                problems.append(f"{name}: {error!r}"[:500])
        assert not problems, "\n".join(problems)

    @apart
    def test_what_a_node_sets_is_not_seen_by_another_or_by_the_base(self) -> None:
        def check(state: ProcessState, name: str, put: Callable[[], Any], look: Callable[[], Any]) -> None:
            one, other = made(state), made(state)
            base = None if name == "random" else look()
            with Turn(state, other):
                before = look()
            with Turn(state, one):
                put()
                set_to = look()
            if name != "random":
                assert look() == base, f"{name}: the base has {look()}"
            with Turn(state, other):
                assert look() == before, f"{name}: the other has {look()}"
            with Turn(state, one):
                assert look() != set_to or set_to == before, f"{name}: a second run begins with it"

        self.each(check)

    @apart
    def test_what_the_making_of_an_instance_sets_is_there_in_every_run_of_it_alone(self) -> None:
        def check(state: ProcessState, name: str, put: Callable[[], Any], look: Callable[[], Any]) -> None:
            if name in NOT_MADE:
                return
            seen: list[Any] = []

            def making() -> None:
                put()
                if name != "random":
                    seen.append(look())

            other = made(state)
            with Turn(state, other):
                before = look()
            one = made(state, making=making)
            with Turn(state, one):
                if name == "random":
                    seen.append(look())
                if "catch_warnings" not in name:
                    assert look() == seen[0] or name == "random", f"{name}: {look()} is not {seen[0]}"
            with Turn(state, other):
                assert look() == before, f"{name}: the other has {look()}"
            with Turn(state, one):
                first = look()
            with Turn(state, one):
                assert look() == first, f"{name}: the runs begin differently"

        self.each(check)


class Details(unittest.TestCase):
    @apart
    def test_setup_changes_what_every_later_run_begins_with(self) -> None:
        state = ProcessState()
        home = made(state, 4)
        state.enter(home)
        os.environ["MIRANDA_TEST"] = "by setup"
        random.random()
        state.keep(home)
        after = random.random()
        state.leave()
        for _ in range(2):
            with Turn(state, home):
                assert os.environ["MIRANDA_TEST"] == "by setup"
                assert random.random() == after
        assert "MIRANDA_TEST" not in os.environ

    @apart
    def test_a_warning_is_shown_again_in_every_run(self) -> None:
        state = ProcessState()
        home = made(state)
        shown: list[str] = []
        for _ in range(3):
            with Turn(state, home):
                warnings.simplefilter("default")
                warnings.showwarning = lambda message, *rest: shown.append(str(message))
                for _ in range(2):
                    warnings.warn("old", stacklevel=1)
        assert shown == ["old"] * 3, shown

    @apart
    def test_what_the_worker_changes_for_all_reaches_nodes_that_have_their_own(self) -> None:
        state = ProcessState()
        home = made(state, making=lambda: sys.path.insert(0, "/of/the/node"))
        with state.changing_base():
            sys.path.insert(0, "/of/all")
            os.environ["OF_ALL"] = "1"
        with Turn(state, home):
            assert sys.path[:2] == ["/of/the/node", "/of/all"], sys.path
            assert os.environ["OF_ALL"] == "1"
        assert sys.path[0] == "/of/all"

    @apart
    def test_modules_that_were_imported_stay(self) -> None:
        state = ProcessState()
        one, other = made(state), made(state)
        sys.modules.pop("colorsys", None)
        with Turn(state, one):
            import colorsys
        with Turn(state, other):
            assert sys.modules["colorsys"] is colorsys

    @apart
    def test_a_node_with_seed_none_draws_other_numbers_in_every_run(self) -> None:
        state = ProcessState()
        home = made(state, None)
        drawn = set[float]()
        for _ in range(3):
            with Turn(state, home):
                drawn.add(random.random())
        assert len(drawn) == 3

    @apart
    def test_the_seed_of_the_class_counts_from_the_making_of_its_instance_on(self) -> None:
        state = ProcessState()
        drawn: list[float] = []
        for first in (1, 2):
            home = Home(first)
            state.begin_making(home)
            random.random()
            state.set_seed(home, 42)
            state.end_making(home)
            state.leave()
            with Turn(state, home):
                drawn.append(random.random())
        assert drawn == [random.Random(42).random()] * 2

    @apart
    def test_leaves_the_tracing_of_the_debugger_alone(self) -> None:
        state = ProcessState()

        def trace(*_: object) -> None:
            return None

        with Turn(state, made(state)):
            sys.settrace(trace)
        assert sys.gettrace() is trace

    @apart
    def test_a_thread_does_not_disturb_the_next_node(self) -> None:
        state = ProcessState()
        home, go = made(state), _thread.allocate_lock()
        with go, Turn(state, home):
            _thread.start_new_thread(go.acquire, ())
        with Turn(state, home):
            assert "MIRANDA_TEST" not in os.environ

    @apart
    def test_a_folder_that_is_gone_does_not_keep_a_node_from_running(self) -> None:
        state = ProcessState()
        base = os.getcwd()
        folder = tempfile.mkdtemp()
        home = made(state, making=lambda: os.chdir(folder))
        with Turn(state, home):
            assert os.path.samefile(os.getcwd(), folder)
            os.rmdir(folder)
        assert os.getcwd() == base
        with Turn(state, home):
            assert os.getcwd() == base

    @apart
    def test_a_run_may_be_entered_without_leaving_the_one_before(self) -> None:
        state = ProcessState()
        one, other = made(state), made(state)
        state.enter(one)
        os.environ["MIRANDA_TEST"] = "1"
        state.enter(other)
        assert "MIRANDA_TEST" not in os.environ
        state.leave()


class Logging(unittest.TestCase):
    @apart
    def test_basic_config_does_what_it_does_in_a_plain_python(self) -> None:
        lines: list[str] = []

        class Worker(logging.Handler):
            def emit(self, record: logging.LogRecord) -> None:
                lines.append(self.format(record))

        logging.root.addHandler(Worker())
        logging.root.setLevel(logging.DEBUG)
        logging.captureWarnings(True)
        state = ProcessState()
        one, other = made(state), made(state)
        with Turn(state, other):
            logging.info("before")
            logging.getLogger("a").debug("too")
            warnings.warn("old", stacklevel=1)
        assert lines[:2] == ["before", "too"], lines
        assert "old" in lines[2]
        lines.clear()
        text = io.StringIO()
        with Turn(state, one):
            logging.basicConfig(format="%(levelname)s-%(message)s", stream=text)
            logging.info("hidden")
            logging.warning("shown")
            warnings.warn("older", stacklevel=1)
        assert text.getvalue() == "WARNING-shown\n", text.getvalue()
        assert len(lines) == 1 and "older" in lines[0], lines
        lines.clear()
        with Turn(state, other):
            logging.debug("again")
            handler = logging.StreamHandler(text)
            logging.getLogger("mine").addHandler(handler)
            logging.getLogger("mine").error("once")
        assert lines == ["again"], lines
        assert text.getvalue().endswith("once\n")

    @apart
    def test_basic_config_of_the_class_lasts(self) -> None:
        state = ProcessState()
        text = io.StringIO()
        home = made(state, making=lambda: logging.basicConfig(format="%(message)s!", stream=text, level=20))
        for _ in range(2):
            with Turn(state, home):
                logging.info("hello")
        assert text.getvalue() == "hello!\n" * 2
        assert not logging.root.handlers

    @apart
    def test_a_handler_that_each_run_adds_is_there_once(self) -> None:
        state = ProcessState()
        home = made(state)
        text = io.StringIO()
        for _ in range(3):
            with Turn(state, home):
                logging.getLogger("n").addHandler(logging.StreamHandler(text))
                logging.getLogger("n").error("x")
        assert text.getvalue() == "x\n" * 3


if __name__ == "__main__":
    unittest.main()
