"""Why a lane ended, in words, and where its node was."""

from __future__ import annotations

import os
import re
import signal

from .graph import NodeState

MEANINGS = {
    "SIGSEGV": "a library written in C crashed (segmentation fault)",
    "SIGABRT": "a library written in C gave up (abort)",
    "SIGBUS": "a library written in C crashed (bus error)",
    "SIGILL": "a library used an instruction that this processor does not have",
    "SIGFPE": "a library written in C crashed (arithmetic error)",
    "SIGKILL": "the system ended it, perhaps because it used too much memory",
}
OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FRAME = re.compile(r'  File "<.{1,1000} (\d{1,15})>", line (\d{1,9}) in (.{1,500})')


def death_words(state: NodeState, status: int, report: str) -> tuple[str, int, str]:
    """The traceback to show, and the line and function of the node's code."""
    if os.WIFSIGNALED(status):
        name = signal_name(os.WTERMSIG(status))
        why = MEANINGS.get(name, f"signal {name}")
    else:
        why = f"its code ended the process with exit code {os.waitstatus_to_exitcode(status)}"
    frames = own_frames(report)
    line, function = 0, "<module>"
    for frame in frames:
        found = FRAME.fullmatch(frame)
        if found and int(found[1]) == state.id:
            line, function = int(found[2]), found[3]
            break
    lines = ["Traceback (most recent call first):", *frames] if frames else []
    text = "\n".join([*lines, f"The process of {state.name} ended: {why}."])
    return f"{text}\n", line, function


def own_frames(report: str) -> list[str]:
    """What Python's fault handler wrote of the thread that crashed, without our own code."""
    _, found, rest = report.partition("Current thread")
    if not found:
        return []
    frames = rest.split("\n\n", 1)[0].splitlines()[1:]
    return [frame for frame in frames if f'File "{OURS}' not in frame and 'File "<string>"' not in frame]


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def memory_kills() -> int:
    """How often the kernel has ended something in this container for want of memory."""
    for path in ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"):
        try:
            with open(path, encoding="ascii") as file:
                found = dict(line.rsplit(" ", 1) for line in file.read().splitlines() if " " in line)
            return int(found.get("oom_kill", 0))
        except (OSError, ValueError):
            continue
    return 0


def was_killed_for_memory(status: int, known: int) -> bool:
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL and memory_kills() > known
