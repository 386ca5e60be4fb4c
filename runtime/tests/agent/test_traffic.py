from __future__ import annotations

import os
import socket
import struct
import unittest

from miranda_agent.measuring import traffic
from miranda_agent.processes import read


def own_address() -> str | None:
    """An address of this machine that is not its loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        return probe.getsockname()[0]


def talk(address: str) -> tuple[socket.socket, socket.socket]:
    with socket.create_server((address, 0)) as server:
        one = socket.create_connection(server.getsockname())
        other, _ = server.accept()
    one.sendall(b"x" * 50_000)
    left = 50_000
    while left:
        left -= len(other.recv(left))
    return one, other


class Counting(unittest.TestCase):
    def count(self, counted: traffic.Traffic) -> tuple[int, int]:
        me = read(os.getpid())
        counted.sample([me] if me else [])
        return counted.received, counted.sent

    def test_counts_the_connections_of_processes_in_the_machines_own_network(self) -> None:
        address = own_address()
        if address is None or address.startswith("127."):
            self.skipTest("This machine has no address but its loopback.")
        counted = traffic.Traffic(False)
        before = self.count(counted)
        ends = talk(address)
        try:
            received, sent = self.count(counted)
            # Both ends are ours.
            self.assertGreaterEqual(received - before[0], 50_000)
            self.assertGreaterEqual(sent - before[1], 50_000)
            self.assertEqual(self.count(counted)[0], received)
        finally:
            for end in ends:
                end.close()
        self.assertGreaterEqual(self.count(counted)[0], received)

    def test_does_not_count_loopback_connections(self) -> None:
        counted = traffic.Traffic(False)
        before = self.count(counted)
        ends = talk("127.0.0.1")
        try:
            self.assertLess(self.count(counted)[0] - before[0], 50_000)
        finally:
            for end in ends:
                end.close()

    def test_adds_up_the_interfaces_of_a_namespace_but_not_its_loopback(self) -> None:
        received, sent = traffic.interfaces("self")
        self.assertGreaterEqual(received, 0)
        self.assertGreaterEqual(sent, 0)
        self.assertEqual(traffic.interfaces("0"), (0, 0))

    def test_ignores_a_message_of_the_kernel_that_is_cut_short(self) -> None:
        whole = bytes([socket.AF_INET]) + bytes(23) + bytes([10, 0, 0, 1]) + bytes(44)
        for message in (b"", whole[:40], whole, whole + struct.pack("=HH", 2, traffic.INFO)):
            self.assertIsNone(traffic.read_connection(message))


if __name__ == "__main__":
    unittest.main()
