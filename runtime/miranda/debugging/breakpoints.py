"""What a breakpoint may carry besides its line: a condition to stop, and a message to log instead of stopping."""

from __future__ import annotations

import types
from typing import Any, cast

#: Of one value in a log message, and of the whole message.
LONGEST_VALUE = 2_000
LONGEST_MESSAGE = 10_000
LONGEST_WORDS = 1_000


class Point:
    __slots__ = ("code", "condition", "line", "log", "parts")

    def __init__(self, line: int, condition: str | None = None, log: str | None = None) -> None:
        self.line = line
        self.condition = condition or None
        self.log = log or None
        #: Compiled at the first hit: a mistake in it is reported at its line.
        self.code: types.CodeType | None = None
        self.parts: list[tuple[str, types.CodeType | None, str, str | None]] | None = None

    @property
    def is_plain(self) -> bool:
        return self.condition is None and self.log is None

    def holds(self, frame: types.FrameType) -> bool:
        if self.condition is None:
            return True
        if self.code is None:
            self.code = compile(self.condition.strip(), "<condition>", "eval")
        return bool(eval(self.code, frame.f_globals, frame.f_locals))

    def message(self, frame: types.FrameType) -> str:
        """
        The log message with the values of its braces. A value that cannot be computed shows the reason in its place.
        """
        if self.parts is None:
            self.parts = parts_of(self.log or "")
        found: list[str] = []
        variables = frame.f_locals
        for literal, code, form, conversion in self.parts:
            found.append(literal)
            if code is not None:
                found.append(shown(code, form, conversion, frame.f_globals, variables))
        return "".join(found)[:LONGEST_MESSAGE]


def point_of(given: Any) -> Point | None:
    """From a line, or from an object with a line. None when the line is not a line number."""
    fields: dict[str, Any] = cast("dict[str, Any]", given) if isinstance(given, dict) else {"line": given}
    line, condition, log = fields.get("line"), fields.get("condition"), fields.get("log")
    if type(line) is not int or line <= 0:
        return None
    return Point(line, condition if isinstance(condition, str) else None, log if isinstance(log, str) else None)


def parts_of(message: str) -> list[tuple[str, types.CodeType | None, str, str | None]]:
    from string import Formatter

    return [
        (literal, None if field is None else compile(field.strip(), "<log message>", "eval"), form or "", conversion)
        for literal, field, form, conversion in Formatter().parse(message)
    ]


def shown(code: types.CodeType, form: str, conversion: str | None, space: dict[str, Any], variables: Any) -> str:
    try:
        value = eval(code, space, variables)
        if conversion == "r":
            value = repr(value)
        return format(value if form else str(value), form)[:LONGEST_VALUE]
    except (Exception, SystemExit) as error:
        return f"<{words_of(error)}>"


def words_of(error: BaseException) -> str:
    """The type and text of an exception. Its text may be node code's, and may raise itself."""
    try:
        text = str(error)
    except Exception:
        text = ""
    return f"{type(error).__name__}: {text}"[:LONGEST_WORDS] if text else type(error).__name__
