"""What a command prints: lines for people, or JSON for programs."""

from __future__ import annotations

import json
import re
import sys
import threading
from typing import Any

COLOURS = re.compile(r"\x1b\[[0-9;:]*m")
#: Control characters except tabs and line ends, and those that turn the direction of text around.
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    """
    Text that only shows itself. Names, log lines and refusals come from other people: in a terminal, control characters
    could hide lines, change its title, or type for the person.
    """
    return CONTROLS.sub(visible, COLOURS.sub("", text.replace("\r\n", "\n")))


def visible(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}"


def json_text(value: Any) -> str:
    """JSON escapes most control characters by itself."""
    return CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


class Printer:
    def __init__(self, is_json: bool) -> None:
        self.is_json = is_json
        self.lock = threading.Lock()

    def say(self, text: str) -> None:
        """A line that only people need."""
        if not self.is_json:
            self.write(text)

    def result(self, value: Any, text: str = "") -> None:
        """What the command found or did: one JSON value, or its text."""
        if self.is_json:
            self.put(json_text(value))
        elif text:
            self.write(text)

    def write(self, text: str) -> None:
        self.put(plain(text))

    def put(self, text: str) -> None:
        with self.lock:
            sys.stdout.write(text + "\n")
            sys.stdout.flush()


def complain(text: str) -> None:
    sys.stdout.flush()
    print(plain(text), file=sys.stderr, flush=True)


def table(rows: list[list[str]]) -> str:
    """Columns as wide as their longest cell."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))] if rows else []
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
    return "\n".join(lines)
