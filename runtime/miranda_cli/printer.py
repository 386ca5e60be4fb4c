"""What a command prints: lines for people, or JSON for programs."""

from __future__ import annotations

import json
import sys
import threading
from typing import Any


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
            self.write(json.dumps(value, ensure_ascii=False))
        elif text:
            self.write(text)

    def write(self, text: str) -> None:
        with self.lock:
            sys.stdout.write(text + "\n")
            sys.stdout.flush()


def complain(text: str) -> None:
    sys.stdout.flush()
    print(text, file=sys.stderr, flush=True)


def table(rows: list[list[str]]) -> str:
    """Columns as wide as their longest cell."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))] if rows else []
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
    return "\n".join(lines)
