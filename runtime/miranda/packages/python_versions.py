"""Which Python a node asks for: `requires-python` of its inline metadata, compared as PEP 440 says."""

from __future__ import annotations

import re
import sys

PART = r"(?:[0-9]+!)?[0-9]+(?:\.[0-9]+)*"
SUFFIX = (
    r"(?P<pre>[-_.]?(?:alpha|a|beta|b|preview|pre|c|rc)[-_.]?[0-9]*)?"
    r"(?P<post>-[0-9]+|[-_.]?(?:post|rev|r)[-_.]?[0-9]*)?"
    r"(?P<dev>[-_.]?dev[-_.]?[0-9]*)?"
    r"(?P<local>\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?"
)
CLAUSE = re.compile(
    rf"(?P<operator>~=|==|!=|<=|>=|<|>)\s*v?(?P<release>{PART})(?:(?P<any>\.\*)|{SUFFIX})",
    re.IGNORECASE,
)
#: The one comparison that is of texts.
SAME_TEXT = re.compile(r"===\s*(\S+)")
LONGEST = 200


class WrongSpecifier(Exception):
    """What is not a comparison of versions."""


def own_version() -> str:
    return ".".join(str(part) for part in sys.version_info[:3])


def is_met(specifier: str, version: str) -> bool:
    """Whether a final release of Python, as `3.12.1`, is among the versions that a specifier names."""
    return all([meets(clause.strip(), version) for clause in specifier.split(",") if clause.strip()])


def meets(clause: str, version: str) -> bool:
    if len(clause) > LONGEST:
        raise WrongSpecifier(clause[:LONGEST])
    text = SAME_TEXT.fullmatch(clause)
    if text is not None:
        return text[1].lower() == version
    found = CLAUSE.fullmatch(clause)
    if found is None:
        raise WrongSpecifier(clause)
    operator, release = found["operator"], found["release"]
    epoch, numbers = numbers_of(release)
    have = tuple(int(part) for part in version.split("."))
    if found["any"]:
        if operator not in ("==", "!="):
            raise WrongSpecifier(clause)
        is_same = epoch == 0 and padded(have, len(numbers))[: len(numbers)] == numbers
        return is_same if operator == "==" else not is_same
    if found["local"] and operator not in ("==", "!="):
        raise WrongSpecifier(clause)
    order = compare(have, epoch, numbers, rank(found))
    match operator:
        case "==":
            return order == 0 and not found["local"]
        case "!=":
            return order != 0 or bool(found["local"])
        case ">=":
            return order >= 0
        case "<=":
            return order <= 0
        case ">":
            return order > 0
        case "<":
            return order < 0
        case _:
            if len(numbers) < 2:
                raise WrongSpecifier(clause)
            shared = len(numbers) - 1
            return order >= 0 and epoch == 0 and padded(have, shared)[:shared] == numbers[:shared]


def numbers_of(release: str) -> tuple[int, tuple[int, ...]]:
    epoch, _, numbers = release.rpartition("!")
    return int(epoch or 0), tuple(int(part) for part in numbers.split("."))


def rank(found: re.Match[str]) -> int:
    """Where a version stands beside the final release of its numbers: before it, at it, or after it."""
    if found["pre"]:
        return -1
    if found["post"]:
        return 1
    return -1 if found["dev"] else 0


def compare(have: tuple[int, ...], epoch: int, numbers: tuple[int, ...], place: int) -> int:
    if epoch > 0:
        return -1
    size = max(len(have), len(numbers))
    one, other = padded(have, size), padded(numbers, size)
    if one != other:
        return 1 if one > other else -1
    return -place


def padded(numbers: tuple[int, ...], size: int) -> tuple[int, ...]:
    return numbers + (0,) * (size - len(numbers))


def refusal(node: str, specifier: str, others: list[str]) -> str | None:
    """
    Why a node cannot run with the Python of this session, in a sentence. `others`: which versions the machine
    has.
    """
    own = own_version()
    try:
        if is_met(specifier, own):
            return None
    except WrongSpecifier as wrong:
        return (
            f"{node}: requires-python has {str(wrong)!r}, which compares no versions. "
            'Write it as in ">=3.11" or "==3.12.*".'
        )
    words = f"{node} asks for Python {specifier.strip()}, and this session has Python {own}."
    return f"{words}{other_words(specifier, [one for one in others if one != own])}"


def other_words(specifier: str, others: list[str]) -> str:
    if not others:
        return ""
    fitting = [one for one in others if is_met(specifier, one)]
    named = f"The machine also has {listed(others)}"
    if not fitting:
        return f" {named}, which does not fit either." if len(others) == 1 else f" {named}; none of them fits."
    return f" {named}; all sessions use one Python, and the operator chooses it."


def listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
