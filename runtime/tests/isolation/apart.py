"""Tests that change the process they run in, each in a process of its own."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import subprocess
import sys
import traceback
import unittest
from collections.abc import Callable
from typing import Any

from miranda.isolation.process_state import Home, ProcessState

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def apart(method: Callable[[Any], None]) -> Callable[[Any], None]:
    @functools.wraps(method)
    def run(test: unittest.TestCase) -> None:
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            words, end, write, anything = "", os._exit, os.write, BaseException
            try:
                try:
                    method(test)
                except unittest.SkipTest as skipped:
                    words = f"skip:{skipped}"
                except anything:
                    words = traceback.format_exc()
                write(writer, words.encode())
                end(0)
            finally:
                end(1)
        os.close(writer)
        with open(reader, encoding="utf-8") as pipe:
            words = pipe.read()
        _, status = os.waitpid(child, 0)
        if words.startswith("skip:"):
            raise unittest.SkipTest(words.removeprefix("skip:"))
        if words or status:
            test.fail(words or f"The process of the test ended with {status}.")

    return run


def fresh(method: Callable[[Any], None]) -> Callable[[Any], None]:
    """In a new Python where another test has loaded a library already."""

    @functools.wraps(method)
    def run(test: unittest.TestCase) -> None:
        if "numpy" not in sys.modules:
            apart(method)(test)
            return
        ended = subprocess.run(
            [sys.executable, "-m", "unittest", test.id()], cwd=ROOT, capture_output=True, text=True, check=False
        )
        if ended.returncode:
            test.fail(ended.stderr)

    return run


def needs(*modules: str) -> Callable[[Any], Any]:
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    return unittest.skipIf(bool(missing), f"not installed: {', '.join(missing)}")


def library(name: str) -> Any:
    """By its name: pyright must not mind whether it is installed."""
    return importlib.import_module(name)


class Turn:
    """Runs code as a node would."""

    def __init__(self, state: ProcessState, home: Home) -> None:
        self.state, self.home = state, home

    def __enter__(self) -> None:
        self.state.enter(self.home)

    def __exit__(self, *_: object) -> None:
        self.state.leave()


def made(state: ProcessState, seed: int | None = 1, making: Callable[[], object] = lambda: None) -> Home:
    home = Home(seed)
    state.begin_making(home)
    making()
    state.end_making(home)
    state.leave()
    return home
