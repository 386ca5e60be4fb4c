"""
What the worker may send to the agent. Node code can write to the same pipe, so whatever is not on this list is refused,
and nothing here is about money, states or files outside the session's own folder. `contract/protocol/worker.ts` is the
same list in TypeScript, and `contract/protocol/messages.json` keeps the two alike.
"""

from __future__ import annotations

import re

from .message_checks import (
    LARGEST_WHOLE,
    MISSING,
    MOST_NODES,
    Default,
    amount,
    anything,
    checked,
    count,
    fields,
    is_list,
    is_object,
    line,
    list_of,
    mapping,
    matching,
    number,
    one_of,
    optional,
    refuse,
    seconds,
    text,
    truth,
    whole,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Check = Callable[[Any], Any]


#: Bars of one node, and nodes with bars in one message.
MOST_BARS, MOST_BAR_NODES = 8, 1_000
#: The most of each in one run, and in one message. `runMax` of worker.ts has the same.
MOST_SPANS, MOST_FRAMES, MOST_POINTS, MOST_KEYS = 40, 30, 5_000, 50_000
STATUSES = ("waiting", "running", "done", "error", "stopped", "idle")
STEPS, ENDINGS = ("step-over", "step-in", "step-out"), ("interrupt", "force-stop")
PLAIN_COMMANDS = ("pause", *ENDINGS, "break", "clear", "continue", *STEPS, "cancel-evaluate", "exceptions")
NODE_KEY = re.compile(r"\d{1,15}\Z", re.ASCII)
FILE_HASH = re.compile(r"[0-9a-zA-Z]{1,64}\Z")
LOGGED_MODEL = re.compile(r"m-[0-9a-f]{32}\Z")
RESULT_KEY = re.compile(r"[0-9a-f]{64}\Z")
MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9.+-]{0,63}/[a-z0-9][a-z0-9.+-]{0,126}\Z")
RESULT_FILE = re.compile(r"[0-9a-z]{1,64}\Z")


def share(value: Any) -> int:
    return whole(value, 10_000)


def step_of_path(value: Any) -> str | int:
    return whole(value) if type(value) is int else text(3_000)(value)


def entry(value: Any) -> list[Any]:
    if not is_list(value) or len(value) != 2:
        raise refuse("an entry that is none")
    return [text(3_000)(value[0]), anything(value[1])]


def time_spent(value: Any) -> list[Any]:
    if not is_list(value) or len(value) != 2:
        raise refuse("a time that is none")
    return [seconds(value[0]), count(value[1])]


def span(value: Any) -> list[Any]:
    if not is_list(value) or len(value) != 3:
        raise refuse("a time that is none")
    return [seconds(inner) for inner in value]


def point(value: Any) -> list[Any]:
    if not is_list(value) or len(value) != 4:
        raise refuse("a point that is none")
    return [text(200, least=1)(value[0]), number(value[1]), optional(number)(value[2]), seconds(value[3])]


def file_read(value: Any) -> list[Any]:
    if not is_list(value) or len(value) != 3 or type(value[0]) is not int or value[0] < -1:
        raise refuse("a file that is none")
    return [value[0], whole(value[1]), text(64)(value[2])]


def reads(value: Any) -> dict[str, Any]:
    """What a result depends on besides its key."""
    return checked(
        value,
        {"environment": mapping(text(1_000), text(64)), "files": mapping(text(4_096), file_read)},
    )


node = optional(whole)
key = matching(NODE_KEY)
command_error = Default(optional(text(100_000)), None)
place = {"node": whole, "line": line, "function": text(1_000)}
bar = {"label": text(100), "done": amount, "total": optional(amount)}
stack_frame = {"node": node, "line": line, "function": text(1_000), "file": Default(text(1_000), "")}
cut = {"path": list_of(step_of_path, 50), "size": whole, "reference": whole}
cut |= {"shown": Default(whole, 0), "text": Default(truth, False)}
cuts = Default(list_of(lambda value: checked(value, cut), 1_000), [])
exception_frame = {**stack_frame, "locals": Default(fields, {}), "cuts": cuts, "cause": Default(text(1_000), "")}
result_key = matching(RESULT_KEY)
planned = {"node": whole, "run": truth, "reason": text(10_000), "result": Default(optional(result_key), None)}

#: Of 10 MB, in base64.
output_file: dict[str, Check | Default] = {
    "name": text(200, least=1),
    "type": matching(MEDIA_TYPE),
    "content": text(13_333_336),
}

MESSAGES: dict[str, dict[str, Check | Default]] = {
    "hello": {},
    "resumed": {},
    "break": {
        "node": node,
        "line": line,
        "function": Default(text(1_000), ""),
        "reason": Default(text(100), "breakpoint"),
        "locals": fields,
        "note": Default(optional(text(5_000)), None),
        "stack": Default(list_of(lambda value: checked(value, stack_frame), 100), []),
        "cuts": cuts,
    },
    "exception": {
        "node": node,
        "line": line,
        "function": text(1_000),
        "traceback": text(1_000_000),
        "frames": Default(list_of(lambda value: checked(value, exception_frame), MOST_FRAMES), []),
    },
    "planned": {
        "run": count,
        "nodes": list_of(lambda value: checked(value, planned), MOST_NODES),
        "python": Default(text(50), ""),
    },
    "metrics": {"node": node, "run": count, "points": list_of(point, MOST_POINTS)},
    "find_results": {"question": whole, "keys": list_of(result_key, MOST_KEYS)},
    "load_result": {"question": whole, "key": result_key},
    "keep_result": {
        "question": whole,
        "key": result_key,
        "node": whole,
        "run": count,
        "seconds": seconds,
        "file": matching(RESULT_FILE),
        "reads": Default(reads, {"environment": {}, "files": {}}),
    },
    "progress": {
        "running": node,
        "statuses": mapping(key, one_of(*STATUSES)),
        "run": Default(count, 0),
        "times": Default(mapping(key, time_spent), {}),
        "spans": Default(mapping(key, list_of(span, MOST_SPANS)), {}),
        "seeds": Default(mapping(key, whole), {}),
        "bars": Default(mapping(key, list_of(lambda value: checked(value, bar), MOST_BARS), MOST_BAR_NODES), {}),
    },
    "output": {
        "file": Default(lambda value: checked(value, output_file), MISSING),
        "node": node,
        "run": count,
        "number": count,
        "data": fields,
        "metadata": fields,
        "id": Default(text(200, least=1), MISSING),
    },
    "model": {
        "node": node,
        "run": count,
        "name": text(200, least=1),
        "metrics": mapping(text(LARGEST_WHOLE), optional(number)),
        "hardware": list_of(text(100), 20),
        "authors": optional(list_of(text(200), 50)),
        "artifact": Default(optional(text(4_000)), MISSING),
        "params": Default(mapping(text(LARGEST_WHOLE), text(LARGEST_WHOLE)), MISSING),
        "logged_model": Default(matching(LOGGED_MODEL), MISSING),
    },
    "ask_password": {
        "question": whole,
        "prompt": text(2_000),
        "node": Default(node, MISSING),
        "hidden": Default(truth, True),
    },
    "withdraw": {"question": whole},
    "interrupting": {"seconds": seconds, "nodes": list_of(lambda value: checked(value, place), 1_000)},
    "installing": {"total": share, "done": share, "what": text(200)},
    "secret": {"question": whole, "key": text(200)},
    "file": {"question": whole, "file": matching(FILE_HASH)},
    "early": {"command": one_of("run-setup"), "number": whole},
}

DONE: dict[str, dict[str, Check | Default]] = {
    "run": {
        "good": Default(truth, MISSING),
        "run": Default(count, 0),
        "interrupted": Default(truth, False),
        "failed": Default(list_of(whole, MOST_NODES), []),
        "packages": Default(mapping(text(200, least=1), text(100), 1_000), {}),
    },
    "compile": {
        "node": Default(node, MISSING),
        "attributes": Default(optional(list_of(fields, 10_000)), MISSING),
    },
    "run-setup": {},
    "plan": {
        "plan": Default(list_of(lambda value: checked(value, planned), 100_000), []),
        "mode": Default(text(20), ""),
        "target": Default(node, None),
    },
    "evaluate": {
        "expression": Default(text(1_000_000), ""),
        "frame": Default(whole, 0),
        "value": Default(anything, MISSING),
        "cuts": cuts,
        "output": Default(text(50_000), ""),
    },
    "frame": {"frame": whole, "locals": Default(fields, {}), "cuts": cuts},
    "unfold": {
        "reference": whole,
        "from": whole,
        "size": Default(whole, 0),
        "entries": Default(list_of(entry, 100), []),
        "text": Default(optional(text(20_000)), None),
        "cuts": cuts,
    },
    "sample": {
        "node": Default(whole, 0),
        "transmitter": Default(text(1_000), ""),
        "sent": Default(node, None),
        "value_kind": Default(optional(text(1_000)), None),
        "size": Default(optional(text(1_000)), None),
        "value": Default(anything, MISSING),
    },
    "info": {"info": Default(optional(fields), None)},
    **{name: {} for name in PLAIN_COMMANDS},
}


def parse(body: bytes) -> dict[str, Any]:
    """A message of the worker, checked; raises Violation for anything else."""
    import json

    try:
        value = json.loads(body, parse_constant=refuse_constant)
    except (ValueError, RecursionError):
        raise refuse("something that is no JSON") from None
    return check_message(value)


def check_message(value: Any) -> dict[str, Any]:
    kind: Any = value.get("kind") if is_object(value) else None
    if type(kind) is not str:
        raise refuse("a message without a kind")
    if kind == "done":
        command = value.get("command")
        shape = DONE.get(command) if type(command) is str else None
        if shape is None:
            raise refuse("the end of a command that there is not")
        head = checked(value, {"number": whole, "error": command_error})
        return {"kind": kind, "command": command, **head, **checked(value, shape)}
    if kind not in MESSAGES:
        raise refuse(f"a message of the kind {kind[:40]!r}")
    if kind == "installing" and whole(value.get("done")) > whole(value.get("total")):
        raise refuse("more packages than there are")
    return {"kind": kind, **checked(value, MESSAGES[kind])}


def refuse_constant(_name: str) -> Any:
    raise ValueError("NaN and the infinities are no JSON.")
