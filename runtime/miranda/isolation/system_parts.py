"""State of the process that every Python has: names, lists, environment, folder, signals and the like."""

from __future__ import annotations

import _locale
import builtins
import gc
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

from .parts import MISSING, Anything, Builtins, Items, Names, Part, Table, Values, changes, names_in

# Past `signal`, whose functions make an object of each number.
_signal: Any = __import__("_signal")
ALL_OF_LOCALE: int = _locale.LC_ALL
NAMES_OF_SYS = (
    *("stdout", "stderr", "stdin", "__stdout__", "__stderr__", "__stdin__"),
    *("displayhook", "excepthook", "unraisablehook", "breakpointhook", "__excepthook__", "__displayhook__"),
    *("path", "argv", "modules", "meta_path", "path_hooks", "path_importer_cache"),
    *("tracebacklimit", "dont_write_bytecode", "warnoptions"),
)
NAMES_OF_LOGGING = ("lastResort", "raiseExceptions", "_loggerClass", "_logRecordFactory", "root", "basicConfig")

#: The loader puts the module of each node there by hand.
OURS = "miranda_node_"
TIMERS: tuple[int, ...] = (_signal.ITIMER_REAL, _signal.ITIMER_VIRTUAL, _signal.ITIMER_PROF)
#: A signal handler of node code may end a try.
TRIES = (1, 2, 3)

# Taken here: node code may put anything under these names.
getcwd, chdir, umask, environ, tzset = os.getcwd, os.chdir, os.umask, os.environ, time.tzset
putenv, unsetenv = os.putenv, os.unsetenv
get_signal, set_signal, mask_signals = _signal.getsignal, _signal.signal, _signal.pthread_sigmask
get_timer, set_timer = _signal.getitimer, _signal.setitimer


def system_parts() -> tuple[list[Part], Modules]:
    """In the order in which they are put back: first what the others need, and what could interrupt them."""
    import logging

    from .logging_state import Handlers, Loggers

    modules = Modules()
    data: dict[bytes, bytes] = vars(environ)["_data"]
    parts: list[Part] = [
        Builtins(names_in(builtins)),
        Signals(),
        Timers(),
        Items(names_in(sys), "path"),
        Items(names_in(sys), "argv"),
        Items(names_in(sys), "meta_path"),
        Items(names_in(sys), "path_hooks"),
        Items(names_in(warnings), "filters", forget_shown_warnings),
        Names(
            [
                *((names_in(sys), name) for name in NAMES_OF_SYS),
                *((names_in(warnings), name) for name in ("filters", "showwarning", "formatwarning", "onceregistry")),
                *((names_in(warnings), name) for name in ("_showwarnmsg_impl", "defaultaction")),
                (names_in(threading), "excepthook"),
                (names_in(os), "environ"),
                (environ.__dict__, "_data"),
                *((names_in(logging), name) for name in NAMES_OF_LOGGING),
            ]
        ),
        Environment(data),
        Folder(),
        Values(plain_values(logging.root.manager)),
        Handlers(logging),
        Loggers(logging),
        modules,
    ]
    return parts, modules


def forget_shown_warnings() -> None:
    """Python shows a warning once for each line of code: a node that runs again shows it again."""
    warnings._filters_mutated()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


def plain_values(manager: Any) -> list[tuple[Callable[[], Any], Callable[[Any], object]]]:
    def set_disabled(value: Any) -> None:
        manager.disable = value
        # Each logger remembers what is enabled.
        manager._clear_cache()

    return [
        (read_umask, umask),
        (lambda: _locale.setlocale(ALL_OF_LOCALE, None), lambda value: _locale.setlocale(ALL_OF_LOCALE, value)),
        (sys.getrecursionlimit, sys.setrecursionlimit),
        (gc.isenabled, lambda value: gc.enable() if value else gc.disable()),
        (gc.get_threshold, lambda value: gc.set_threshold(*value)),
        (sys.getswitchinterval, sys.setswitchinterval),
        (sys.get_int_max_str_digits, sys.set_int_max_str_digits),
        (blocked_signals, block_signals),
        (lambda: manager.disable, set_disabled),
        (socket_timeout, set_socket_timeout),
    ]


def blocked_signals() -> Any:
    return mask_signals(_signal.SIG_BLOCK, ())


def block_signals(value: Any) -> None:
    mask_signals(_signal.SIG_SETMASK, value)


def read_umask() -> int:
    # There is no way to look at it. Files that a thread makes just now are closed rather than open to all.
    mask = umask(0o077)
    umask(mask)
    return mask


def socket_timeout() -> float | None:
    module = sys.modules.get("_socket")
    return None if module is None else module.getdefaulttimeout()


def set_socket_timeout(value: float | None) -> None:
    module = sys.modules.get("_socket")
    if module is not None:
        module.setdefaulttimeout(value)


class Environment(Table):
    """The variables as `os.environ` holds them, and as C libraries and child processes find them."""

    def __init__(self, data: dict[bytes, bytes]) -> None:
        self.data = data
        self.take()

    def now(self) -> dict[bytes, bytes]:
        return self.data.copy()

    def is_base(self) -> bool:
        return self.data == self.base

    def apply(self, found: dict[bytes, bytes]) -> None:
        for name, value in found.items():
            try:
                if value is MISSING:
                    self.data.pop(name, None)
                    unsetenv(name)
                else:
                    self.data[name] = value
                    putenv(name, value)
            except Anything:
                # A name or a value that no environment can have: only the dictionary had it.
                continue
        if b"TZ" in found:
            tzset()


class Folder(Part):
    def __init__(self) -> None:
        self.take()

    def now(self) -> str:
        return getcwd()

    def put(self, value: str) -> None:
        chdir(value)

    def join(self, before: Any) -> None:
        """A module that changes the folder while it is imported does so for the node alone."""


class Signals(Table):
    def __init__(self) -> None:
        self.numbers: list[int] = sorted(_signal.valid_signals())
        self.take()

    def now(self) -> dict[int, Any]:
        return {number: get_signal(number) for number in self.numbers}

    def prepare(self) -> None:
        self.values = [*self.base.values()]

    def is_base(self) -> bool:
        return [*map(get_signal, self.numbers)] == self.values

    def reset(self) -> None:
        # A handler of node code may raise at any place here.
        for _ in TRIES:
            try:
                found = changes(self.now(), self.base)
                for number in found:
                    set_handler(number, do_nothing)
                # The system's own answer to most signals is to end the process: none may be on its way.
                stop_timers()
                self.apply(found)
                return
            except Anything:
                continue

    def apply(self, found: dict[int, Any]) -> None:
        for number, handler in found.items():
            set_handler(number, handler)


def do_nothing(*_: object) -> None:
    pass


def set_handler(number: int, handler: Any) -> None:
    try:
        set_signal(number, handler)
    except (TypeError, ValueError, OSError):
        # A handler that C code installed, which Python cannot install again.
        pass


def stop_timers() -> None:
    for number in TIMERS:
        set_timer(number, 0)


class Timers(Part):
    """An alarm that rings after the node has ended would ring in the next one."""

    def now(self) -> bool:
        return any(get_timer(number)[0] for number in TIMERS)

    def take(self) -> None:
        pass

    def is_base(self) -> bool:
        return not self.now()

    def reset(self) -> None:
        stop_timers()

    def own(self) -> None:
        return None

    def join(self, before: Any) -> None:
        pass


class Modules(Part):
    """
    Modules that were imported stay. What node code put there by hand, replaced or removed is its own. A module made by
    an import knows where it came from; one made by hand does not.
    """

    def __init__(self) -> None:
        self.modules = sys.modules
        self.take()

    def now(self) -> dict[str, Any]:
        return self.modules.copy()

    def prepare(self) -> None:
        self.values = [*self.base.values()]

    def is_base(self) -> bool:
        return [*self.modules.values()] == self.values

    def own(self) -> Any:
        found: dict[str, Any] = {}
        for name, module in self.base.items():
            current = self.modules.get(name, MISSING)
            if current is not module and not is_ours(name):
                found[name] = current
        for name, module in self.now().items():
            if name not in self.base and is_by_hand(name, module):
                found[name] = module
        return found or None

    def put(self, value: dict[str, Any]) -> None:
        modules = self.modules
        for name, module in value.items():
            if modules.get(name) is not module and not is_ours(name):
                modules[name] = module
        for name in [name for name, module in self.now().items() if name not in value and is_by_hand(name, module)]:
            modules.pop(name, None)
        # With what was imported.
        self.take()

    def give(self, own: dict[str, Any]) -> None:
        for name, module in own.items():
            if module is MISSING:
                self.modules.pop(name, None)
            else:
                self.modules[name] = module

    def join(self, before: dict[str, Any]) -> None:
        """Some libraries put modules there by hand while they are imported: those stay too."""
        modules = self.modules
        for name, module in self.now().items():
            if before.get(name) is not module:
                self.base[name] = module
        for name in before:
            if name not in modules:
                self.base.pop(name, None)
        self.prepare()


def is_ours(name: Any) -> bool:
    return type(name) is str and name.startswith(OURS)


def is_by_hand(name: Any, module: Any) -> bool:
    if is_ours(name):
        return False
    try:
        return module.__spec__ is None
    except Anything:
        return True
