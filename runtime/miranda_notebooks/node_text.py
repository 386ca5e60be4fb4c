"""Writes the code of a node that runs the text of cells, or of a script, as it is."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from miranda.reserved_names import RESERVED


@dataclass
class NodeText:
    class_name: str
    #: "cells" or "script".
    kind: str
    text: str
    #: The file that it comes from.
    name: str
    packages: Sequence[str] = ()
    python: str = ""
    #: The port of each name that it receives, and of each that it sends.
    receives: Mapping[str, str] = field(default_factory=dict[str, str])
    sends: Mapping[str, str] = field(default_factory=dict[str, str])

    def source(self) -> str:
        types = [name for name, used in (("Receiver", self.receives), ("Transmitter", self.sends)) if used]
        imports = f"from miranda import {', '.join(['Node', *types])}\nfrom miranda.notebook import run_{self.kind}"
        what = (
            'The cells. Each begins below a line "# %%".'
            if self.kind == "cells"
            else f"The text of {one_line(self.name)}."
        )
        text = f"# {what}\n{self.kind.upper()} = {literal(self.text)}"
        ports = [f"{port} = Receiver()" for port in self.receives.values()]
        ports += [f"{port} = Transmitter()" for port in self.sends.values()]
        members = "".join(f"    {line}\n" for line in ports) + ("\n" if ports else "")
        run = "\n".join(f"        {line}" for line in self.run())
        node = f"class {self.class_name}(Node):\n{members}    def run(self):\n{run}"
        head = "\n".join(part for part in (self.metadata(), imports) if part)
        # The text comes last: a breakpoint in it would move down to whatever is below it.
        return f"{head}\n\n\n{node}\n\n\n{text}\n"

    def run(self) -> list[str]:
        given = ", ".join(f'"{name}": self.{port}' for name, port in self.receives.items())
        arguments = [self.kind.upper(), *([f"{{{given}}}"] if given else []), f"name={self.name!r}"]
        call = f"run_{self.kind}({', '.join(arguments)})"
        sends = [f'self.{port}.send(names["{name}"])' for name, port in self.sends.items()]
        return [f"names = {call}" if sends else call, *sends]

    def metadata(self) -> str:
        if not self.packages and not self.python:
            return ""
        lines = [f'# requires-python = "{self.python}"'] if self.python else []
        listed = ", ".join(f'"{one}"' for one in self.packages)
        return "\n".join(["# /// script", *lines, f"# dependencies = [{listed}]", "# ///"])


def literal(text: str) -> str:
    """The text between quotes, with every line as it is."""
    body = f"\n{text}\n"
    for quotes in ("'''", '"""'):
        if quotes not in body:
            return f"r{quotes}{body}{quotes}"
    # Both are in it: the text goes on behind each of them.
    return "(r'''" + body.replace("'''", "'''\"'''\"r'''") + "''')"


def one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def class_name_of(title: str, otherwise: str) -> str:
    words = re.findall(r"[A-Za-z0-9]+", title)[:5]
    name = "".join(word[:1].upper() + word[1:] for word in words)[:40]
    is_taken = name in ("Node", "Receiver", "Transmitter", "CELLS", "SCRIPT") or keyword.iskeyword(name)
    return otherwise if not name or name[0].isdigit() or is_taken else name


def port_of(name: str, used: set[str]) -> str:
    """A name for a port. An output that is an input too needs another one."""
    found = name.strip("_") or "value"
    if found in RESERVED or found.startswith("_") or keyword.iskeyword(found):
        found = f"{found}_value"
    base, number = found if found not in used else f"{found}_out", 2
    found = base
    while found in used:
        found, number = f"{base}_{number}", number + 1
    used.add(found[:150])
    return found[:150]
