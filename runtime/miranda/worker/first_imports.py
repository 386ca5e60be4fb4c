"""Modules that a run needs, and a session can do without until then."""

from __future__ import annotations


def load_ahead() -> None:
    """What the first run imports. It takes a moment until the first command comes, and then somebody waits."""
    for name in ("inspect", "hashlib", "pickle", "copy"):
        __import__(name)
