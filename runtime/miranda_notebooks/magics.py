"""
What IPython adds to Python: magics, shell lines and `?`. Cells run with all of it; here it becomes plain Python, as far
as that is needed to read which names a cell uses, and packages.
"""

from __future__ import annotations

import ast
import re
import shlex
import warnings
from dataclasses import dataclass, field

PIP = re.compile(r"^\s*[!%]\s*(?:(?:uv|python3?|sys\.executable)\s+(?:-m\s+)?)?pip3?\s+install\s+(?P<rest>.*)$")
CELL_MAGIC = re.compile(r"^\s*%%(?P<name>\w+)(?P<rest>.*)$")
LINE_MAGIC = re.compile(r"^(?P<indent>\s*)%(?P<name>\w+)(?P<rest>.*)$")
SHELL = re.compile(r"^(?P<indent>\s*)!(?P<rest>.*)$")
ASSIGNED = re.compile(r"^(?P<indent>\s*)(?P<target>[A-Za-z_][\w., ]*?)\s*=\s*(?P<magic>[!%][^=].*)$")
QUESTION = re.compile(r"^(?P<indent>\s*)(?:\?{1,2}[\w.]+|[\w.]+\?{1,2})\s*$")
REQUIREMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:\[[\w, .-]+\])?(?:\s*[<>=!~][^;]*)?")
#: Cell magics that only measure or hide: the code below them is plain Python.
AROUND_PYTHON = frozenset({"time", "timeit", "capture", "prun", "python", "python3", "memit", "matplotlib"})
#: Line magics that say how a notebook looks. A node does not need them.
ONLY_LOOKS = frozenset({"matplotlib", "config", "load_ext", "autoreload", "reload_ext", "pylab", "precision"})
#: Line magics before a Python statement.
BEFORE_PYTHON = frozenset({"time", "timeit", "prun", "memit"})
#: Options of pip that take a value.
VALUED = frozenset({"-r", "--requirement", "-i", "--index-url", "--extra-index-url", "-f", "--find-links", "-t", "-c"})


@dataclass
class Cleaned:
    """A cell as plain Python, to be read and not to be run."""

    source: str
    packages: list[str] = field(default_factory=list[str])
    #: What a person should look at.
    remarks: list[str] = field(default_factory=list[str])
    #: False when the cell is in another language.
    is_python: bool = True


def parses(source: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "cell", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def is_looks(line: str) -> bool:
    """A line that only says how a notebook looks."""
    magic = LINE_MAGIC.match(line)
    return magic is not None and magic["name"] in ONLY_LOOKS


def without_pip(source: str) -> str:
    """The packages of these lines are installed before the run."""
    return "\n".join(as_comment(line) if PIP.match(line) else line for line in source.split("\n"))


def has_magics(source: str) -> bool:
    """Whether it needs IPython, beyond lines that install packages or say how a notebook looks."""
    lines = without_pip(source).split("\n")
    return not parses("\n".join(as_comment(line) if is_looks(line) else line for line in lines))


def clean(source: str) -> Cleaned:
    """Plain Python stays as it is, whatever is in its strings."""
    if parses(source):
        return Cleaned(source)
    found = Cleaned("")
    lines = source.split("\n")
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    cell = CELL_MAGIC.match(lines[first])
    if cell and cell["name"] not in AROUND_PYTHON:
        found.source = commented(source)
        found.is_python = False
        return found
    if cell:
        lines[first] = f"# {lines[first].strip()}"
    found.source = "\n".join(clean_line(line, found) for line in lines)
    return found


def clean_line(line: str, found: Cleaned) -> str:
    pip = PIP.match(line)
    if pip:
        found.packages += requirements(pip["rest"], found)
        return f"{indent_of(line)}pass  # {line.strip()}" if indent_of(line) else f"# {line.strip()}"
    assigned = ASSIGNED.match(line)
    if assigned and not parses(line.strip()):
        return f"{assigned['indent']}{assigned['target']} = None  # {assigned['magic']}"
    magic = LINE_MAGIC.match(line)
    if magic:
        rest = magic["rest"].strip()
        if magic["name"] in BEFORE_PYTHON and rest and parses(rest):
            return f"{magic['indent']}{rest}"
        return as_comment(line)
    if SHELL.match(line):
        return as_comment(line)
    return as_comment(line) if QUESTION.match(line) else line


def as_comment(line: str) -> str:
    """Inside a block a statement has to stay, or the block would be empty."""
    indent = indent_of(line)
    return f"{indent}pass  # {line.strip()}" if indent else f"# {line.strip()}"


def indent_of(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def commented(source: str) -> str:
    return "\n".join(f"# {line}".rstrip() for line in source.split("\n"))


def requirements(rest: str, found: Cleaned) -> list[str]:
    """The packages of a pip line, without its options, which are for another machine."""
    try:
        words = shlex.split(rest, comments=True)
    except ValueError:
        words = rest.split()
    wanted: list[str] = []
    skips = False
    for word in words:
        if skips:
            skips = False
        elif word in VALUED:
            skips = True
            found.remarks.append(f"pip install {word} is left out: list its packages in the node.")
        elif not word.startswith("-") and REQUIREMENT.fullmatch(word):
            wanted.append(word)
    return wanted
