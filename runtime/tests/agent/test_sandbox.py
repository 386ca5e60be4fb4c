"""When the network of a sandbox is ready."""

from __future__ import annotations

import os
import socket
import unittest

from miranda_agent.sandbox import forwarded_ports, listens


class ForwardedPorts(unittest.TestCase):
    def test_reads_the_ports_that_are_forwarded(self) -> None:
        self.assertEqual(forwarded_ports(["pasta", "-t", "none", "-T", "8443,5000", "-4"]), {8443, 5000})
        self.assertEqual(forwarded_ports(["pasta", "-T", "none"]), set())
        self.assertEqual(forwarded_ports([]), set())

    def test_is_ready_when_somebody_listens_at_each_of_them(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            port, other = server.getsockname()[1], silent.getsockname()[1]
            self.assertTrue(listens(os.getpid(), set()))
            self.assertTrue(listens(os.getpid(), {port}))
            self.assertFalse(listens(os.getpid(), {port, other}))
