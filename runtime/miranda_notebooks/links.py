"""
Names of one value, or of values that refer to each other: an optimizer and its model, a figure and its axes.
If each were copied alone, the copies would no longer refer to each other. So they go through one port.
"""

from __future__ import annotations

import ast

from .cells import Cell
from .changes import changed_by
from .names import called, root_of, stored

TOGETHER = frozenset({"subplots", "subplot_mosaic"})
OF_ANOTHER = frozenset({"add_subplot", "add_axes", "twinx", "twiny"})


def linked_names(cells: list[Cell]) -> dict[str, tuple[str, ...]]:
    """For each such name all names of its group, in the order in which they are made."""
    groups: dict[str, list[str]] = {}
    changed = {name for cell in cells for name in changed_by(cell.body, {})}
    used_outside = {name for cell in cells for name in cell.facts.outside()}
    for cell in cells:
        for part in cell.body:
            if isinstance(part, ast.Assign):
                together = [name for name in pairs(part, changed) if name in used_outside]
                if len(together) > 1:
                    join(groups, together)
    return {name: tuple(group) for group in groups.values() for name in group}


def pairs(part: ast.Assign, changed: set[str]) -> list[str]:
    made = sorted(name for target in part.targets for name in stored(target))
    value = part.value.value if isinstance(part.value, ast.Await) else part.value
    if isinstance(value, ast.Name) and len(made) == 1:
        # If nobody changes the value, its two names can be two copies.
        return [value.id, *made] if changed & {value.id, *made} else []
    if not isinstance(value, ast.Call):
        return []
    if called(value) in TOGETHER:
        return made
    if called(value) in OF_ANOTHER:
        return [root_of(value.func) or "", *made]
    given = [*value.args, *(one.value for one in value.keywords)]
    owners = [
        root_of(part.func) or ""
        for one in given
        for part in ast.walk(one)
        if isinstance(part, ast.Call) and called(part) in ("parameters", "named_parameters")
    ]
    if "lr_scheduler" in ast.unparse(value.func) or called(value).endswith("LR"):
        owners += [one.id for one in given[:1] if isinstance(one, ast.Name)]
    return [*owners, *made] if owners else []


def join(groups: dict[str, list[str]], names: list[str]) -> None:
    """Merges the groups of all names. Each group is stored under every name in it."""
    together: list[str] = []
    for name in names:
        for one in groups.get(name, [name]):
            if one and one not in together:
                together.append(one)
    for name in together:
        groups[name] = together
