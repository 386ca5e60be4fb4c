"""What differs between two folders of a workflow: code as unified diffs, everything else as field lines."""

from __future__ import annotations

import difflib
import hashlib
import json
from typing import Any

from miranda_agent.message_checks import is_object

from .folder import TOML, Files, parse_toml


class Differences:
    def __init__(self) -> None:
        #: The path of the code, and its unified diff.
        self.code: list[tuple[str, str]] = []
        #: The field, before and after; None where it is missing.
        self.fields: list[tuple[str, Any, Any]] = []

    def __bool__(self) -> bool:
        return bool(self.code or self.fields)

    def as_json(self) -> dict[str, Any]:
        return {
            "code": [{"file": name, "diff": text} for name, text in self.code],
            "fields": [{"field": field, "before": before, "after": after} for field, before, after in self.fields],
        }

    def as_text(self) -> str:
        fields = [f"{field}: {shown(before)} → {shown(after)}" for field, before, after in self.fields]
        return "\n".join([*(text for _, text in self.code), *fields])


def shown(value: Any) -> str:
    if value is None:
        return "(nothing)"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 200 else text[:200] + "…"


def compare(before: Files, after: Files, names: tuple[str, str]) -> Differences:
    """`names` are what the two sides are called in the headers of diffs."""
    found = Differences()
    old, new = (Side(files, name) for files, name in zip((before, after), names, strict=True))
    for node in sorted({*old.nodes, *new.nodes}, key=lambda one: new.keys.get(one) or old.keys.get(one) or ""):
        first, second = old.code(node), new.code(node)
        if first != second:
            found.code.append((new.path(node) or old.path(node), diff(first, second, old, new, node)))
        add_fields(found, new.keys.get(node) or old.keys[node], old.fields(node), new.fields(node))
    first, second = old.rest(), new.rest()
    for key in sorted({*first, *second}):
        (before_name, was), (after_name, now) = first.get(key, ("", None)), second.get(key, ("", None))
        if was != now:
            found.fields.append((after_name or before_name, was, now))
    return found


def add_fields(found: Differences, name: str, before: dict[str, Any], after: dict[str, Any]) -> None:
    for field in sorted({*before, *after}):
        first, second = before.get(field), after.get(field)
        if first != second:
            found.fields.append((f"{name}.{field}", first, second))


def diff(first: str, second: str, old: Side, new: Side, node: str) -> str:
    before, after = (f"{side.name}/{side.path(node) or 'none'}" for side in (old, new))
    lines: list[str] = []
    parts = difflib.unified_diff(first.splitlines(True), second.splitlines(True), before, after)
    for line in parts:
        lines.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return "".join(lines).rstrip("\n")


class Side:
    """One of the two folders. Nodes are named by their lineage, so that a new name is no new node."""

    def __init__(self, files: Files, name: str) -> None:
        self.files = files
        self.name = name
        self.toml = parse_toml(files[TOML], TOML)
        self.nodes = {str(node.get("lineage") or key): dict(node) for key, node in self.table("nodes").items()}
        self.keys = {str(node.get("lineage") or key): key for key, node in self.table("nodes").items()}
        self.lineages = {key: lineage for lineage, key in self.keys.items()}

    def table(self, name: str) -> dict[str, Any]:
        return dict(self.toml.get(name, {}))

    def path(self, node: str) -> str:
        path = f"nodes/{self.keys.get(node)}.py"
        return path if path in self.files else ""

    def code(self, node: str) -> str:
        return self.files.get(self.path(node), b"").decode("utf-8", "replace")

    def fields(self, node: str) -> dict[str, Any]:
        key = self.keys.get(node)
        if key is None:
            return {}
        own = {name: value for name, value in self.nodes[node].items() if name != "lineage"}
        values = {f"values.{name}": self.value(one) for name, one in self.table("values").get(key, {}).items()}
        settings = {f"settings.{name}": one for name, one in self.table("settings").get(key, {}).items()}
        place = self.table("layout").get(key)
        return {**own, **values, **settings, **({"layout": place} if place is not None else {})}

    def value(self, value: Any) -> Any:
        """An uploaded file differs when its content does."""
        if not is_object(value) or "file" not in value:
            return value
        data = self.files.get(str(value["file"]), b"")
        return {**value, "sha256": hashlib.sha256(data).hexdigest()[:12]}

    def rest(self) -> dict[str, tuple[str, Any]]:
        """Edges and groups: what people call them, and what they are, by lineage."""
        found: dict[str, tuple[str, Any]] = {}
        for edge in self.table("graph").get("edges", []):
            ends = [str(edge["from"]), str(edge["to"])]
            more = {name: value for name, value in edge.items() if name not in ("from", "to")} or True
            found[" → ".join(map(self.end, ends))] = (f"edge {' → '.join(ends)}", more)
        for key, group in self.table("groups").items():
            own = {name: value for name, value in group.items() if name != "lineage"}
            own["members"] = sorted(self.lineages.get(str(one), str(one)) for one in own.get("members", []))
            found[str(group.get("lineage") or key)] = (f"group {key}", own)
        return found

    def end(self, text: str) -> str:
        key, dot, attribute = text.partition(".")
        return self.lineages.get(key, key) + dot + attribute
