"""
Writes docs/handbook/sdk.md from the signatures and docstrings of the package, and the anchors of its names for F1 in
the editor: `python -m tests.handbook.sdk_reference` in runtime/.
"""

from __future__ import annotations

import inspect
import json
import pathlib
import re
from dataclasses import dataclass, field
from typing import Any

import miranda

FOLDER = pathlib.Path(__file__).parents[3] / "docs" / "handbook"
PAGE = FOLDER / "sdk.md"
NAMES = FOLDER / "sdk-names.json"

GROUPS: list[tuple[str, str, list[str]]] = [
    ("The node", "Every node is a class that extends `Node`.", ["Node"]),
    (
        "Attributes",
        "Declared on the class. Their arguments must be literals, because they are read without running the code.",
        ["Receiver", "Transmitter", "Field", "Constant"],
    ),
    (
        "Controls",
        "How a field is edited: `Field(10, control=Slider(1, 200))`.",
        ["Text", "Number", "Slider", "Select", "Toggle", "Json", "Code", "File", "Secret"],
    ),
    (
        "Showing and logging",
        "Call these anywhere in `run` or `setup`, from threads too.",
        ["show", "progress", "log", "log_metric", "log_model"],
    ),
    ("Secrets and storage", "What a node needs from outside.", ["secret", "ask_password", "storage", "StorageError"]),
    ("Files", "Files that people upload, and files that they download.", ["UploadedFile", "OutputFile"]),
]

#: Methods that are part of the SDK, and class attributes with their text.
METHODS = {
    "Node": ["setup", "run", "show", "log"],
    "Transmitter": ["send"],
    "UploadedFile": ["path", "open", "read_bytes", "read_text"],
}
SETTINGS = {
    "cache": '`False`: never skip a run of it. `"project"`: use the results of earlier sessions without asking.',
    "parallel": "`False`: run this node alone, not beside others. Default: `True`.",
    "timeout": "A run of the node fails after so many seconds. Default: none.",
    "retries": "How often a failed run is tried again. Default: 0.",
}

START = """# SDK reference

Everything that node code imports from the package `miranda`. It has no dependencies and also works on a laptop:
`pip install ./runtime`. In the editor, **F1** on one of these names opens its entry here.

Outside the platform, `show`, `log_metric` and `log_model` print, `secret("API_KEY")` reads the environment variable
`MIRANDA_SECRET_API_KEY`, `ask_password` asks on the terminal, and `storage()` is the folder `miranda-storage`.
"""


@dataclass
class Explained:
    text: str = ""
    arguments: dict[str, str] = field(default_factory=dict[str, str])


def main() -> None:
    PAGE.write_text(page())
    NAMES.write_text(names())


def page() -> str:
    parts = [START]
    for title, about, members in GROUPS:
        parts.append(f"## {title}\n\n{about}\n")
        for name in members:
            parts.extend(entry(name))
    return "\n".join(parts)


def names() -> str:
    found = {member: member for _, _, members in GROUPS for member in members}
    for owner in ("Node", "Transmitter"):
        for method in METHODS[owner]:
            found.setdefault(method, f"{owner}.{method}")
    for setting in SETTINGS:
        found.setdefault(setting, "Node")
    return json.dumps(dict(sorted(found.items())), indent=2) + "\n"


def undocumented() -> list[str]:
    """What the page could not explain: exported names without an entry, and arguments without a text."""
    listed = {member for _, _, members in GROUPS for member in members}
    missing = [name for name in miranda.__all__ if name not in listed and name != "__version__"]
    for name in sorted(listed):
        missing.extend(unexplained(name, getattr(miranda, name)))
        for method in METHODS.get(name, []):
            missing.extend(unexplained(f"{name}.{method}", member_of(name, method)))
    return missing


def unexplained(name: str, member: Any) -> list[str]:
    explained = explain(member)
    missing = [name] if not explained.text else []
    given = parameters(member)
    missing += [f"{name}({one})" for one in given if one not in explained.arguments]
    return missing + [f"{name}({one}) is gone" for one in explained.arguments if one not in given]


def entry(name: str) -> list[str]:
    member = getattr(miranda, name)
    parts = [f"### `{name}`\n", *described(name, member)]
    if name == "Node":
        rows = "\n".join(f"| `{setting}` | {text} |" for setting, text in SETTINGS.items())
        parts.append(f"Settings of a class:\n\n| Name | Meaning |\n|---|---|\n{rows}\n")
    for method in METHODS.get(name, []):
        parts.append(f"#### `{name}.{method}`\n")
        parts.extend(described(method, member_of(name, method)))
    return parts


def described(name: str, member: Any) -> list[str]:
    explained = explain(member)
    parts = [f"```python signature\n{signature(name, member)}\n```\n"] if not is_property(member) else []
    parts.append(f"{explained.text}\n")
    if explained.arguments:
        rows = "\n".join(f"| `{one}` | {text} |" for one, text in explained.arguments.items())
        parts.append(f"| Argument | Meaning |\n|---|---|\n{rows}\n")
    return parts


def member_of(name: str, method: str) -> Any:
    return inspect.getattr_static(getattr(miranda, name), method)


def is_property(member: Any) -> bool:
    return isinstance(member, property)


def is_called(member: Any) -> bool:
    """Errors are caught, not made."""
    return not is_property(member) and not (inspect.isclass(member) and issubclass(member, BaseException))


def arguments(member: Any) -> list[inspect.Parameter]:
    if not is_called(member) or member is miranda.Node:
        return []
    called = member.__init__ if inspect.isclass(member) else member
    if called is object.__init__:
        return []
    return [one for one in inspect.signature(called).parameters.values() if one.name != "self"]


def parameters(member: Any) -> list[str]:
    return [one.name for one in arguments(member)]


def signature(name: str, member: Any) -> str:
    if member is miranda.Node:
        return "class Node"
    if not is_called(member):
        return f"class {name}({member.__bases__[0].__name__})"
    given = [written(one) for one in with_star(arguments(member))]
    answer = "None" if inspect.isclass(member) else str(inspect.signature(member).return_annotation)
    end = "" if answer == "None" else f" -> {answer}"
    line = f"{name}({', '.join(given)}){end}"
    if len(line) <= 100:
        return line
    inner = ",\n    ".join(given)
    return f"{name}(\n    {inner},\n){end}"


def with_star(given: list[inspect.Parameter]) -> list[inspect.Parameter | None]:
    """None stands for the star before the arguments that must be named."""
    parts: list[inspect.Parameter | None] = []
    for one in given:
        if one.kind is inspect.Parameter.KEYWORD_ONLY and None not in parts:
            parts.append(None)
        parts.append(one)
    return parts


def written(one: inspect.Parameter | None) -> str:
    if one is None:
        return "*"
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(one.kind, "")
    kind = str(one.annotation).replace("ShownWhen", "dict")
    default = "" if one.default is inspect.Parameter.empty else f" = {json.dumps(one.default)}"
    for json_word, word in (("null", "None"), ("true", "True"), ("false", "False")):
        default = default.replace(f" = {json_word}", f" = {word}")
    return f"{stars}{one.name}: {kind}{default}"


def explain(member: Any) -> Explained:
    """A docstring: what it is, then a paragraph with a line "`argument`: meaning" for each argument."""
    text = inspect.cleandoc((member.fget if is_property(member) else member).__doc__ or "")
    explained = Explained()
    kept: list[str] = []
    last = ""
    for line in text.splitlines():
        found = re.match(r"`(\w+)`: (.*)", line)
        if found:
            last = found[1]
            explained.arguments[last] = found[2]
        elif last and line.strip():
            explained.arguments[last] += f" {line.strip()}"
        else:
            kept.append(line)
    explained.text = "\n".join(kept).strip()
    return explained


if __name__ == "__main__":
    main()
