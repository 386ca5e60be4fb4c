"""The state of `logging`, and how a node's `logging.basicConfig` does what it does in a plain Python."""

from __future__ import annotations

import sys
import types
from typing import Any

from .parts import MISSING, Anything, Part, Table, names_in

#: Of a logger that nobody has changed: level, propagate, disabled, handlers, filters.
UNCHANGED = (0, True, False, (), ())


class Loggers(Table):
    """By name what was changed of loggers; the root has the name None."""

    def __init__(self, logging: types.ModuleType) -> None:
        self.root: Any = logging.root
        self.manager: Any = self.root.manager
        self.loggers: dict[str, Any] = self.manager.loggerDict
        self.placeholder = logging.PlaceHolder
        self.take()

    def now(self) -> dict[str | None, Any]:
        found: dict[str | None, Any] = {None: seen(self.root)}
        placeholder = self.placeholder
        for name, logger in self.loggers.copy().items():
            if logger.__class__ is placeholder:
                continue
            own = logger.__dict__
            if own["level"] or own["handlers"] or own["filters"] or own["disabled"] or own["propagate"] is not True:
                found[name] = seen(logger)
        return found

    def reset(self) -> None:
        found: dict[str | None, Any] = dict.fromkeys(self.loggers, MISSING)
        found.update(self.base)
        self.apply(found)

    def apply(self, found: dict[str | None, Any]) -> None:
        if self.manager.__dict__.get("loggerDict") is not self.loggers:
            self.manager.loggerDict = self.loggers
        for name, entry in found.items():
            try:
                self.set(name, entry)
            except Anything:
                continue
        self.manager._clear_cache()

    def set(self, name: str | None, entry: Any) -> None:
        logger, values = (self.loggers[name or ""], UNCHANGED) if entry is MISSING else entry
        if logger.__class__ is self.placeholder:
            return
        if name is not None and self.loggers.get(name) is not logger:
            self.loggers[name] = logger
        level, propagate, disabled, handlers, filters = values
        own = logger.__dict__
        own.update(level=level, propagate=propagate, disabled=disabled)
        own.update(handlers=list(handlers), filters=list(filters))
        own.setdefault("name", name or "root")
        own.setdefault("parent", None if name is None else self.root)
        own.setdefault("_cache", {})


def seen(logger: Any) -> tuple[Any, tuple[Any, ...]]:
    own = logger.__dict__
    values = (own["level"], own["propagate"], own["disabled"], tuple(own["handlers"]), tuple(own["filters"]))
    return logger, values


class Handlers(Part):
    """The format, level and filters of the worker's own handlers."""

    def __init__(self, logging: types.ModuleType) -> None:
        found = [*logging.root.handlers, logging.lastResort]
        self.handlers: list[Any] = [one for one in found if one is not None]
        self.take()

    def now(self) -> list[Any]:
        return [
            (one.__dict__.get("level"), one.__dict__.get("formatter"), list(one.__dict__.get("filters", ())))
            for one in self.handlers
        ]

    def put(self, value: list[Any]) -> None:
        for one, (level, formatter, filters) in zip(self.handlers, value, strict=True):
            one.__dict__.update(level=level, formatter=formatter, filters=list(filters))


def let_basic_config_work() -> None:
    """
    `basicConfig` does nothing where the root logger has a handler, and the worker gave it one. So that handler becomes
    the one of last resort, which Python uses where no other handler is found. Without more, lines would be shown
    twice: by the worker and by the handler that a node adds.
    """
    import logging

    root = logging.root
    if len(root.handlers) != 1 or hasattr(logging.basicConfig, "__wrapped__"):
        return
    handler = root.handlers[0]
    root.removeHandler(handler)
    logging.lastResort = handler  # pyright: ignore[reportAttributeAccessIssue]
    if names_in(logging)["_warnings_showwarning"] is not None:
        # In a plain Python warnings do not pass through the root logger either.
        captured = logging.getLogger("py.warnings")
        captured.addHandler(handler)
        captured.propagate = False
    plain, level = logging.basicConfig, root.level

    def basic_config(**settings: Any) -> None:
        if sys._getframe(1).f_globals is names_in(logging):
            # `logging.info` and the like call it where there is no handler: what they say would be shown otherwise
            # from the second line on.
            return
        if not root.handlers and root.level == level:
            root.setLevel(logging.WARNING)
        plain(**settings)

    basic_config.__name__ = basic_config.__qualname__ = "basicConfig"
    basic_config.__module__, basic_config.__doc__ = "logging", plain.__doc__
    basic_config.__wrapped__ = plain  # pyright: ignore[reportFunctionMemberAccess]
    logging.basicConfig = basic_config
