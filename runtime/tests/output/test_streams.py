"""What several threads print at the same time."""

from __future__ import annotations

import os
import unittest

from miranda.output.streams import QUIET_TICKS, STDOUT, Channel, OwnText, Streams


class UnfinishedLines(unittest.TestCase):
    def setUp(self) -> None:
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        self.addCleanup(os.close, writer)
        os.set_blocking(reader, False)
        self.reader = reader
        self.streams = Streams(Channel(writer))
        self.streams.is_live = False
        self.text = OwnText(self.streams, STDOUT, 1, 7)

    def sent(self) -> bytes:
        try:
            return os.read(self.reader, 1 << 16)
        except BlockingIOError:
            return b""

    def test_does_not_cut_a_line_in_two(self) -> None:
        self.text.write("one run 10")
        self.text.tick()
        self.text.write("\none run 11")
        self.text.tick()
        self.text.tick()
        self.assertTrue(self.sent().endswith(b"one run 10\n"))
        self.text.write("\n")
        self.text.tick()
        self.assertTrue(self.sent().endswith(b"one run 11\n"))

    def test_an_unfinished_line_is_sent_after_a_while(self) -> None:
        self.text.write("Working")
        for _ in range(QUIET_TICKS):
            self.text.tick()
        self.assertEqual(self.sent(), b"")
        self.text.tick()
        self.assertTrue(self.sent().endswith(b"Working"))
