"""
The network of a sandbox: which addresses node code may reach. Run as a program of its own, because only a process with
one thread can join the namespaces of another; it prints `ok` when everything is done.
"""

from __future__ import annotations

import ipaddress
import json
import os
import socket
import struct
import sys

NEW_RULE, REQUEST, ACK, EXCLUSIVE, CREATE, ERROR = 32, 0x1, 0x4, 0x200, 0x400, 2
DESTINATION, PRIORITY, TABLE, PORTS = 1, 6, 15, 24
TO_TABLE, PROHIBIT, MAIN = 1, 8, 254
FIRST = 100
#: The kernel's question for the user namespace that another namespace belongs to.
OWNER = 0xB701


def attribute(kind: int, value: bytes) -> bytes:
    return struct.pack("=HH", len(value) + 4, kind) + value + b"\0" * (-len(value) % 4)


def rule_message(place: int, address: str, port: int, is_allowed: bool) -> bytes:
    network = ipaddress.ip_network(address)
    family = socket.AF_INET if network.version == 4 else socket.AF_INET6
    action = TO_TABLE if is_allowed else PROHIBIT
    head = struct.pack("=BBBBBBBBI", family, network.prefixlen, 0, 0, MAIN if is_allowed else 0, 0, 0, action, 0)
    body = head + attribute(DESTINATION, network.network_address.packed)
    body += attribute(PRIORITY, struct.pack("=I", FIRST + place))
    if is_allowed:
        body += attribute(TABLE, struct.pack("=I", MAIN))
    if port:
        body += attribute(PORTS, struct.pack("=HH", port, port))
    flags = REQUEST | ACK | CREATE | EXCLUSIVE
    return struct.pack("=IHHII", len(body) + 16, NEW_RULE, flags, place + 1, 0) + body


def add_rules(rules: list[tuple[str, int, bool]]) -> None:
    """In their order: the first that fits decides."""
    has_six = os.path.exists("/proc/self/net/if_inet6")
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as kernel:
        for place, (address, port, is_allowed) in enumerate(rules):
            if ":" in address and not has_six:
                continue
            kernel.send(rule_message(place, address, port, is_allowed))
            answer = kernel.recv(65_536)
            kind = struct.unpack_from("=H", answer, 4)[0]
            code = struct.unpack_from("=i", answer, 16)[0] if kind == ERROR else 0
            if code:
                raise OSError(-code, f"{os.strerror(-code)} ({address})")


def namespaces(pid: int) -> tuple[int, int]:
    """
    The network namespace of a process, and the user namespace that owns it: only processes in that user namespace may
    change it. The process itself may be in another one further inside.
    """
    import fcntl

    net = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    return fcntl.ioctl(net, OWNER), net


def join(pid: int) -> None:
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    user, net = namespaces(pid)
    # Root has every right over the namespaces below; anybody else has it over those that are their own, from inside.
    for fd in (net,) if os.geteuid() == 0 else (user, net):
        if libc.setns(fd, 0) != 0:
            raise OSError(ctypes.get_errno(), f"setns: {os.strerror(ctypes.get_errno())}")


def main() -> None:
    try:
        join(int(sys.argv[1]))
        add_rules(json.loads(sys.argv[2]))
    except (OSError, ValueError) as error:
        print(error)
        sys.exit(1)
    print("ok")
