"""
Processes in a sandbox: with the filter of system calls, in a network of their own where the installation asks for it.
"""

from __future__ import annotations

import os
import threading
import time

from .children import Children
from .processes import descendants
from .worker_process import environment, high, spawn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .children import Child
    from .processes import Process

#: Where the sandbox's program looks for the filter, and where it reports that the process inside has started.
FILTER, INFO = 5, 6
#: Where the program that connects networks finds the namespaces.
USER, NET = 7, 8
PATIENCE = 5.0
#: In seconds. Longer than all the waiting inside.
LONGEST_SETTLING = 30.0
#: The state of a listening socket in /proc/net/tcp.
LISTEN = "0A"
NETWORK_SCRIPT = "import sys; sys.path.insert(0, {runtime!r}); from miranda_agent.network import main; main()"


class Sandbox:
    """Its settings from the engine. False when there is none and node code runs with the agent's own rights."""

    def __init__(self, settings: dict[str, str]) -> None:
        # Nothing is imported for this that could wait: the worker starts after it.
        parts = {name: settings.get(f"sandbox_{name}", "") for name in ("worker", "git", "connect")}
        self.around = {name: part.split("\x1f") if part else [] for name, part in parts.items()}
        self.filter = bytes.fromhex(settings.get("sandbox_filter", ""))
        #: Which addresses may be reached, as JSON; None where there is no network to connect.
        self.rules = settings.get("sandbox_rules")
        self.python, self.runtime = settings["python"], settings["runtime"]
        self.lock = threading.Lock()
        self.on_warning: Callable[[str], None] | None = None
        self.unreported: list[str] = []
        self.children = Children()

    def warn(self, words: str) -> None:
        with self.lock:
            if self.on_warning is None:
                self.unreported.append(words)
            else:
                self.on_warning(words)

    def report_to(self, on_warning: Callable[[str], None]) -> None:
        """Known only after the worker has started, and a warning may come before."""
        with self.lock:
            self.on_warning = on_warning
            for words in self.unreported:
                on_warning(words)

    def __bool__(self) -> bool:
        return bool(self.around["worker"])

    def is_part(self, process: Process) -> bool:
        """Of the sandbox itself: if it is asked to end, it takes everything in it along at once, without any grace."""
        return bool(self) and (process.name == b"bwrap" or self.children.is_own(process))

    def launch(
        self, what: str, arguments: list[str], env: dict[str, str], places: list[tuple[int, int]]
    ) -> tuple[Child, Network | None]:
        """The process, and its network when there is one to wait for."""
        around = self.around[what]
        if not around:
            return self.children.start(lambda: spawn(arguments[0], arguments, env, places)), None
        info, report = (high(fd) for fd in os.pipe())
        filter = high(os.memfd_create("filter"))
        try:
            os.write(filter, self.filter)
            os.lseek(filter, 0, os.SEEK_SET)
            whole = [*around, *arguments]
            inside = [*places, (filter, FILTER), (report, INFO)]
            child = self.children.start(lambda: spawn(whole[0], whole, env, inside))
        except BaseException:
            os.close(info)
            raise
        finally:
            os.close(filter)
            os.close(report)
        if self.rules is None:
            os.close(info)
            return child, None
        return child, Network(self, child, info)


class Network:
    """
    The network of one sandbox. It is connected and restricted after the process inside has started, and before that
    process runs any node code: the agent waits here before it gives the process anything to run.
    """

    def __init__(self, sandbox: Sandbox, child: Child, info: int) -> None:
        self.sandbox = sandbox
        self.child = child
        self.connector: Child | None = None
        self.has_given_up = False
        self.is_settled = threading.Event()
        threading.Thread(target=self.settle, args=(info,), daemon=True).start()

    def settle(self, info: int) -> None:
        try:
            with open(info, "rb") as file:
                file.read()
            inside = self.find_inside()
            # In this order: with its limits, a network whose gateway is a private address could not be connected.
            problem = self.connect(inside) or self.limit(inside)
        except Exception as error:
            problem = str(error) or type(error).__name__
        if problem:
            self.end()
            self.sandbox.warn(f"This session has no network: {problem}")
        self.is_settled.set()

    def find_inside(self) -> int:
        """A process with the other network: the sandbox's own program keeps ours."""
        ours = os.readlink("/proc/self/ns/net")
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            for process in reversed(descendants(self.child.pid)):
                try:
                    if os.readlink(f"/proc/{process.pid}/ns/net") != ours:
                        return process.pid
                except OSError:
                    continue
            time.sleep(0.002)
        raise OSError("the sandbox did not start.")

    def limit(self, inside: int) -> str | None:
        sandbox = self.sandbox
        reader, writer = (high(fd) for fd in os.pipe())
        script = NETWORK_SCRIPT.format(runtime=sandbox.runtime)
        arguments = [sandbox.python, "-I", "-S", "-c", script, str(inside), sandbox.rules or "[]"]
        nothing = high(os.open(os.devnull, os.O_RDWR))
        places = [(nothing, 0), (writer, 1), (writer, 2)]
        env = environment(dict(os.environ), {})
        sandbox.children.start(lambda: spawn(arguments[0], arguments, env, places), is_own=True)
        os.close(writer)
        os.close(nothing)
        with open(reader, encoding="utf-8", errors="replace") as file:
            answer = file.read().strip()
        return None if answer == "ok" else answer[-500:] or "its limits could not be set."

    def connect(self, inside: int) -> str | None:
        from .network import namespaces

        connect = self.sandbox.around["connect"]
        ports = forwarded_ports(connect)
        program = [*connect, "--userns", f"/proc/self/fd/{USER}", "--netns", f"/proc/self/fd/{NET}"]
        user, net = (high(fd) for fd in namespaces(inside))
        nothing = high(os.open(os.devnull, os.O_RDWR))
        env = environment(dict(os.environ), {"MIRANDA_JOB": os.environ.get("MIRANDA_JOB", "")})
        # Its own messages are in the agent's log.
        places = [(nothing, 0), (nothing, 1), (user, USER), (net, NET)]
        children = self.sandbox.children
        connector = self.connector = children.start(lambda: spawn(program[0], program, env, places), is_own=True)
        for fd in (nothing, user, net):
            os.close(fd)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            # The ports come after the route: a connection between the two would be refused.
            if has_route(inside) and listens(inside, ports):
                return None
            if connector.has_ended:
                break
            time.sleep(0.003)
        return "it could not be connected."

    def wait(self) -> None:
        """Without its limits node code gets no network at all."""
        if not self.is_settled.wait(LONGEST_SETTLING) and not self.has_given_up:
            self.has_given_up = True
            self.end()
            self.sandbox.warn("This session has no network: it was not ready in time.")

    def end(self) -> None:
        if self.connector is not None:
            self.sandbox.children.kill(self.connector)


def forwarded_ports(connect: list[str]) -> set[int]:
    """The ports of this machine's loopback that the sandbox reaches at its own."""
    ports = connect[connect.index("-T") + 1] if "-T" in connect else "none"
    return set() if ports == "none" else {int(port) for port in ports.split(",")}


def listens(pid: int, ports: set[int]) -> bool:
    """Whether somebody listens at all these ports in the network of a process."""
    listening: set[int] = set()
    for name in ("tcp", "tcp6") if ports else ():
        try:
            with open(f"/proc/{pid}/net/{name}", encoding="ascii") as file:
                rows = [line.split() for line in file.read().splitlines()[1:]]
        except OSError:
            continue
        listening.update(int(row[1].rpartition(":")[2], 16) for row in rows if row[3] == LISTEN)
    return ports <= listening


def has_route(pid: int) -> bool:
    """Whether it has a way out; the first line of the older file is a heading."""
    for name, heading in (("route", 1), ("ipv6_route", 0)):
        try:
            with open(f"/proc/{pid}/net/{name}", encoding="ascii") as file:
                routes = file.read().splitlines()[heading:]
        except OSError:
            continue
        if any(not route.rstrip().endswith("lo") for route in routes):
            return True
    return False
