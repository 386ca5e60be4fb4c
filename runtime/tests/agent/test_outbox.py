"""How the agent collects events before it sends them."""

from __future__ import annotations

import unittest
from typing import Any, cast

from miranda_agent.http import Connection
from miranda_agent.outbox import Outbox


class MergedLines(unittest.TestCase):
    def test_consecutive_lines_of_one_level_become_one_s9_009(self) -> None:
        outbox = Outbox(cast(Connection, None), "job", 1.0)
        for tag, text in ((1, "a"), (1, "b"), (2, "c"), (1, "d")):
            outbox.add_log(tag, text)
        events, _ = outbox.take()
        found = [(cast(Any, event)["tag"], cast(Any, event)["text"]) for event in events]
        self.assertEqual(found, [(1, "a\nb"), (2, "c"), (1, "d")])
