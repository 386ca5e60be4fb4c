from __future__ import annotations

import os
import random
import tempfile
import time
import unittest
from unittest import mock

from miranda_agent.beneath import folder_size
from miranda_agent.lines import Lines
from miranda_agent.outbox import Outbox
from miranda_agent.worker_process import environment


class LineAssembly(unittest.TestCase):
    def test_gives_the_same_lines_however_the_bytes_are_split(self) -> None:
        chance = random.Random(1)
        for _ in range(500):
            text = "".join(chance.choice(["a", "é", "\n", "😀", "b\n"]) for _ in range(chance.randint(0, 40)))
            data, lines, got = text.encode(), Lines(), []
            at = 0
            while at < len(data):
                size = chance.randint(1, 6)
                whole = lines.feed(data[at : at + size])
                if whole is not None:
                    got.append(whole)
                at += size
            rest = lines.finish()
            self.assertEqual("\n".join([*got, rest or ""]) if got else (rest or ""), text)

    def test_a_long_line_is_cut_and_marked(self) -> None:
        lines = Lines(longest=10)
        self.assertIsNone(lines.feed(b"x" * 8))
        self.assertIsNone(lines.feed(b"y" * 8))
        self.assertEqual(lines.feed(b"zzz\nok\n"), "xxxxxxxxyy … [9 bytes of this line were cut]\nok")

    def test_keeps_only_what_follows_a_carriage_return(self) -> None:
        self.assertEqual(Lines().feed(b"10%\r20%\r\nplain\r\n"), "20%\nplain")


class Sending(unittest.TestCase):
    def test_secrets_are_masked_everywhere(self) -> None:
        outbox = Outbox(mock.Mock(), "job", 1)
        outbox.secrets = ["hunter2"]
        outbox.add_log(0, "it is hunter2!")
        self.assertEqual(outbox.waiting[0][0]["text"], "it is ••••!")
        self.assertEqual(outbox.masked({"a": ["hunter2"], "hunter2": 1}), {"a": ["••••"], "••••": 1})

    def test_does_not_mask_a_node_id_that_equals_a_secret(self) -> None:
        from miranda_agent.relay import Relay

        outbox = Outbox(mock.Mock(), "job", 1)
        outbox.secrets = ["1042", "done"]
        relay = Relay(mock.Mock(), outbox, mock.Mock(), mock.Mock(), mock.Mock(), mock.Mock(), mock.Mock())
        progress = {"kind": "progress", "running": 1042, "statuses": {"1042": "done"}, "run": 1, "times": {}}
        self.assertEqual(relay.masked(progress), progress)
        bar = {"label": "1042 of it", "done": 1042, "total": None}
        masked = relay.masked({"kind": "progress", "running": None, "statuses": {}, "bars": {"1042": [bar]}})
        self.assertEqual(masked["bars"], {"1042": [{"label": "•••• of it", "done": 1042, "total": None}]})
        ended = relay.masked({"kind": "done", "command": "run", "number": 1, "error": "the pin 1042 is done"})
        self.assertEqual(ended, {"kind": "done", "command": "run", "number": 1, "error": "the pin •••• is ••••"})

    def test_a_run_that_ends_after_a_restart_came_does_not_name_the_restart(self) -> None:
        from miranda_agent.relay import Relay
        from miranda_agent.state_reports import StateReports

        outbox = Outbox(mock.Mock(), "job", 1)
        states = StateReports(outbox)
        relay = Relay(mock.Mock(), outbox, states, mock.Mock(), mock.Mock(), mock.Mock(), mock.Mock())
        relay.unfinished_commands[5] = "run"
        states.command = 6
        relay.finish({"kind": "done", "command": "run", "number": 5}, 0)
        relay.begin()
        reported = [(event["state"], event["command"]) for event, _ in outbox.waiting if event["kind"] == "state"]
        self.assertEqual(reported, [("READY", 5), ("READY", 6)])

    def test_masks_each_line_of_a_secret(self) -> None:
        outbox = Outbox(mock.Mock(), "job", 1)
        outbox.hide("hunter22\n")
        outbox.hide("-----BEGIN\n  a long line\nabc\n")
        outbox.hide("no")
        for text in ("hunter22", "x a long line x", "-----BEGIN", "abc no"):
            outbox.add_log(0, text)
        self.assertEqual([event["text"] for event, _ in outbox.waiting], ["••••", "x •••• x", "••••", "abc no"])

    def test_joins_lines_of_one_level_and_keeps_their_order(self) -> None:
        outbox = Outbox(mock.Mock(), "job", 1)
        for tag, text in ((0, "a"), (0, "b"), (2, "c"), (0, "d")):
            outbox.add_log(tag, text)
        events, _ = outbox.take()
        self.assertEqual([(event["tag"], event["text"]) for event in events], [(0, "a\nb"), (2, "c"), (0, "d")])

    def test_events_are_numbered_and_sent_until_they_are_acknowledged(self) -> None:
        connection = mock.Mock()
        connection.request.side_effect = [(500, b""), (503, b""), (200, b"{}"), (200, b"{}")]
        outbox = Outbox(connection, "job", 60)
        with mock.patch("time.sleep"):
            outbox.post([{"kind": "log"}, {"kind": "log"}])
            outbox.post([{"kind": "log"}])
        bodies = [call.args[2] for call in connection.request.call_args_list]
        self.assertEqual(bodies[0], bodies[2])
        self.assertIn(b'"first": 3', bodies[3])


class Metering(unittest.TestCase):
    def test_samples_do_not_depend_on_the_wall_clock(self) -> None:
        """Fault 18: the clock steps an hour either way; samples are taken by one that nobody can set."""
        from miranda_agent.children import Children
        from miranda_agent.measuring.metering import Metering

        outbox = mock.Mock()
        metering = Metering({}, outbox, Children())
        metering.meter = meter = mock.Mock(memory=10**9, processes=1, found=[])
        meter.sample.return_value = 0.5
        for step in (3_600, -3_600):
            with mock.patch("time.time", return_value=time.time() + step):
                metering.sample()
        for call in outbox.add.call_args_list:
            self.assertGreaterEqual(call.args[0]["seconds"], 0)
            self.assertLess(call.args[0]["seconds"], 1)


class FolderSizes(unittest.TestCase):
    def test_counts_a_file_with_several_names_once(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "one"), "wb") as file:
                file.write(b"x" * 1_000_000)
            alone = folder_size(folder, 1 << 40)
            for at in range(10):
                os.link(os.path.join(folder, "one"), os.path.join(folder, f"name{at}"))
            self.assertLess(folder_size(folder, 1 << 40), alone + 10_000)
            # Names are not free, or any number of them could be kept.
            self.assertGreater(folder_size(folder, 1 << 40), alone)


class Environment(unittest.TestCase):
    def test_node_code_does_not_see_the_servers_settings(self) -> None:
        given = {"PATH": "/bin", "DATABASE_URL": "postgres://secret", "MIRANDA_SECRET_KEY": "k", "https_proxy": "p"}
        self.assertEqual(
            environment(given, {"MIRANDA_JOB": "j"}), {"PATH": "/bin", "https_proxy": "p", "MIRANDA_JOB": "j"}
        )


if __name__ == "__main__":
    unittest.main()
