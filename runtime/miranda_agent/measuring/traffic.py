"""
What a session received and sent, counted from outside it. If the session has its own network, the kernel counts
everything. In the machine's network we add up the kernel's counters of each of its TCP connections; connections between
two readings, and UDP, are missed there.
"""

from __future__ import annotations

import os
import socket
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..processes import Process

ASK, DUMP, DONE, ERROR, BY_FAMILY = 1, 0x300, 3, 2, 20
#: Ask for tcp_info. In it, where the kernel counts the bytes that the other side has confirmed, and those received.
INFO, ACKNOWLEDGED, RECEIVED = 2, 120, 128
MOST_SOCKETS = 4_096


class Traffic:
    """Grows only: what a namespace or connection that is gone had counted stays counted."""

    def __init__(self, is_contained: bool) -> None:
        self.is_contained = is_contained
        self.received = self.sent = 0
        #: The last counts of each namespace or connection.
        self.known: dict[object, tuple[int, int]] = {}

    def sample(self, processes: list[Process]) -> None:
        now: dict[object, tuple[int, int]] = {}
        if self.is_contained:
            now["container"] = interfaces("self")
        else:
            shared: list[Process] = []
            ours = namespace("self")
            for process in processes:
                own = namespace(str(process.pid))
                if own == ours:
                    shared.append(process)
                elif own is not None and own not in now:
                    now[own] = interfaces(str(process.pid))
            inodes = sockets_of(shared)
            if inodes:
                now.update((number, counted) for number, counted in connections() if number in inodes)
        for key, (received, sent) in now.items():
            before = self.known.get(key, (0, 0))
            self.received += max(0, received - before[0])
            self.sent += max(0, sent - before[1])
        self.known = now


def namespace(pid: str) -> str | None:
    try:
        return os.readlink(f"/proc/{pid}/ns/net")
    except OSError:
        return None


def interfaces(pid: str) -> tuple[int, int]:
    """What all interfaces of a namespace but its loopback have received and sent."""
    received = sent = 0
    try:
        with open(f"/proc/{pid}/net/dev", encoding="ascii") as file:
            lines = file.read().splitlines()[2:]
    except OSError:
        return 0, 0
    for line in lines:
        name, _, counts = line.partition(":")
        fields = counts.split()
        if name.strip() != "lo" and len(fields) > 8:
            received += int(fields[0])
            sent += int(fields[8])
    return received, sent


def sockets_of(processes: list[Process]) -> set[int]:
    found: set[int] = set()
    for process in processes:
        try:
            names = os.listdir(f"/proc/{process.pid}/fd")
        except OSError:
            continue
        for name in names[:MOST_SOCKETS]:
            try:
                target = os.readlink(f"/proc/{process.pid}/fd/{name}")
            except OSError:
                continue
            if target.startswith("socket:["):
                found.add(int(target[8:-1]))
    return found


def connections() -> Iterator[tuple[int, tuple[int, int]]]:
    """Every TCP connection of this machine to another one: its number, and what it has received and sent."""
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            yield from connections_of(family)
        except OSError:
            # A kernel without it: then nothing is counted, rather than the session ended.
            continue


def connections_of(family: int) -> Iterator[tuple[int, tuple[int, int]]]:
    with socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, 4) as kernel:
        kernel.settimeout(1)
        question = struct.pack("=BBBxI", family, socket.IPPROTO_TCP, 1 << (INFO - 1), 0xFFFFFFFF) + bytes(48)
        kernel.send(struct.pack("=IHHII", 16 + len(question), BY_FAMILY, ASK | DUMP, 1, 0) + question)
        while True:
            data = kernel.recv(1 << 18)
            at = 0
            while at + 16 <= len(data):
                length, kind = struct.unpack_from("=IH", data, at)
                if kind in (DONE, ERROR) or length < 16:
                    return
                counted = read_connection(data[at + 16 : at + length])
                if counted is not None:
                    yield counted
                at += (length + 3) & ~3


def read_connection(message: bytes) -> tuple[int, tuple[int, int]] | None:
    if len(message) < 72 or is_loopback(message[0], message[24:40]):
        return None
    inode = struct.unpack_from("=I", message, 68)[0]
    at = 72
    while at + 4 <= len(message):
        length, kind = struct.unpack_from("=HH", message, at)
        if length < 4:
            return None
        if kind == INFO and length >= 4 + RECEIVED + 8:
            sent, received = struct.unpack_from("=QQ", message, at + 4 + ACKNOWLEDGED)
            return inode, (received, sent)
        at += (length + 3) & ~3
    return None


def is_loopback(family: int, address: bytes) -> bool:
    if family == socket.AF_INET:
        return address[0] == 127
    return address == bytes(15) + b"\1" or address[:13] == bytes(10) + b"\xff\xff\x7f"
