"""Explains why an installer failed, and which nodes required the packages that it could not install."""

from __future__ import annotations

import re

from .wanted import Wanted, normal

NO_ROOM = re.compile(r"no space left|os error (28|122)\b|errno (28|122)\b|disk quota exceeded", re.IGNORECASE)
OFFLINE = re.compile(
    r"dns error|failed to lookup|connect error|client error \(connect\)|network connectivity|are you offline|"
    r"temporary failure in name resolution|name or service not known|request failed after|newconnectionerror|"
    r"timed? ?out",
    re.IGNORECASE,
)
LEFT_OUT = re.compile(r"(Using Python|Using CPython|Resolved \d|Audited \d)")
PREFIX = re.compile(r"^\s*(error:|cause:|[×╰─▶]+)\s*", re.IGNORECASE)  # noqa: RUF001 (uv draws with it)
MOST_NAMES = 3
NAMES = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?")


class Problem:
    """Why packages could not be installed: the installer's words, a last line that sums up, and who asked for them."""

    def __init__(self, words: str, summary: str, blamed: list[Wanted]) -> None:
        self.words, self.summary, self.blamed = words, summary, blamed

    @property
    def text(self) -> str:
        return f"{self.words}\nPackageError: {self.summary}\n" if self.words else f"PackageError: {self.summary}\n"


def explain(message: str, wanted: list[Wanted]) -> Problem:
    words = "\n".join(clean(message))
    if NO_ROOM.search(message):
        return Problem(words, "There is no room on the disk for the packages.", wanted[:1])
    if OFFLINE.search(message):
        return Problem(words, "The package index could not be reached.", wanted[:1])
    blamed = named_in(message, wanted)
    return Problem(words, summary_of(blamed), blamed or wanted[:1])


def clean(message: str) -> list[str]:
    lines = (PREFIX.sub("", line).rstrip() for line in message.splitlines() if not LEFT_OUT.match(line))
    return [line for line in lines if line.strip()]


def named_in(message: str, wanted: list[Wanted]) -> list[Wanted]:
    """Those whose package the installer names. Of one node that names a package twice, both."""
    names = {normal(found) for found in NAMES.findall(message.lower())}
    # If the message names what is required, use only that: it may list every version of other packages before.
    required = {normal(found) for found in re.findall(r"you require ([a-z0-9][a-z0-9._-]*)", message.lower())}
    exact = [one for one in wanted if one.name in required]
    return exact or [one for one in wanted if one.name in names]


def summary_of(blamed: list[Wanted]) -> str:
    if not blamed:
        return "The packages could not be installed."
    askers: dict[str, list[str]] = {}
    for one in blamed:
        names = askers.setdefault(one.requirement, [])
        if one.node_name not in names:
            names.append(one.node_name)
    parts = [f"{requirement} ({listed(names)})" for requirement, names in askers.items()]
    if len(parts) == 1:
        return f"{blamed[0].requirement} cannot be installed."
    return f"{', '.join(parts[:-1])} and {parts[-1]} cannot be installed together."


def listed(names: list[str]) -> str:
    """The first nodes, and how many more: a workflow may have hundreds that ask for the same package."""
    more = len(names) - MOST_NAMES
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:MOST_NAMES])} and {more} more"
