"""What the agent keeps of its events until the server has them."""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from miranda_agent import unsent
from miranda_agent.outbox import Outbox
from miranda_agent.unsent import Unsent, open_files


class UnsentEvents(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = Path(made.name)
        self.unsent = Unsent(open_files(made.name))
        self.outbox = Outbox(mock.Mock(), "job", 60, self.unsent)
        self.outbox.connection.request = mock.Mock(return_value=(200, b"{}"))

    def kept(self, name: str = "unsent-a") -> list[str]:
        return (self.folder / name).read_text().split("\n")

    def post(self) -> None:
        events, size = self.outbox.take()
        self.outbox.post(events)
        self.outbox.held -= size
        self.unsent.acknowledge(self.outbox.taken)

    def test_are_written_when_they_come_with_the_batches_that_were_sent(self) -> None:
        self.outbox.add_log(0, "a")
        self.outbox.add_log(0, "b\nc")
        self.post()
        self.outbox.add({"kind": "partial", "tag": 0, "text": "\ud800"})
        heading, a, b, batch, partial, end = self.kept()[1:]
        self.assertEqual((heading, batch, end), ("#0 0 1 0 0", "@1 1 2", ""))
        self.assertIn('"text":"a"', a)
        self.assertIn('"text":"b\\nc"', b)
        self.assertIn('"text":"?"', partial)

    def test_are_removed_when_the_server_has_them(self) -> None:
        self.outbox.add_log(0, "x" * 100_000)
        self.post()
        self.assertEqual(self.kept(), [""])
        self.outbox.add_log(0, "next")
        self.assertEqual(self.kept()[1], "#1 1 1 1 1")

    def test_take_a_bounded_room_however_many_there_are(self) -> None:
        with mock.patch.object(unsent, "SWITCH_AT", 10_000), mock.patch.object(unsent, "MOST", 40_000):
            for _ in range(2_000):
                self.outbox.add_log(0, "x" * 200)
                if len(self.outbox.waiting) > 50:
                    self.post()
                sizes = [path.stat().st_size for path in self.folder.iterdir()]
                self.assertLess(sum(sizes), 80_000)
            # Without an answer they do not grow either.
            for _ in range(2_000):
                self.outbox.add_log(0, "x" * 200)
            self.assertLess(sum(path.stat().st_size for path in self.folder.iterdir()), 80_000)

    def test_a_full_disk_leaves_a_gap_with_a_count_and_harms_nothing(self) -> None:
        self.outbox.add_log(0, "a")
        with mock.patch("os.write", side_effect=OSError(28, "No space left on device")):
            self.outbox.add_log(0, "b\nc")
        self.outbox.add_log(0, "d")
        self.assertIn("#2 3 1 0 0", self.kept())
        self.post()
        self.assertEqual(self.unsent.batch, (1, 1, 3))

    def test_only_new_files_are_written(self) -> None:
        elsewhere = self.folder / "elsewhere"
        elsewhere.write_text("mine")
        (self.folder / "unsent-a").unlink()
        os.symlink(elsewhere, self.folder / "unsent-a")
        again = Unsent(open_files(str(self.folder)))
        again.add({"kind": "partial"})
        self.assertEqual(elsewhere.read_text(), "mine")
        self.assertFalse((self.folder / "unsent-a").is_symlink())
        self.assertEqual(open_files(""), [])
