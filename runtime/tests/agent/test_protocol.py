from __future__ import annotations

import json
import os
import random
import threading
import unittest
from pathlib import Path

from miranda_agent.frames import EVENT, LARGEST_FRAME, NODE, RECORD, STDOUT, Violation, read_frames
from miranda_agent.message_checks import DEEPEST
from miranda_agent.protocol import check_message, parse

FIXTURE = json.loads((Path(__file__).parents[3] / "contract/protocol/messages.json").read_text("utf-8"))


class Messages(unittest.TestCase):
    """The TypeScript side reads the same file: contract/protocol/protocol.test.ts."""

    def test_the_limits_are_those_of_the_fixture(self) -> None:
        here = {"event": LARGEST_FRAME[EVENT], "output": LARGEST_FRAME[STDOUT], "record": LARGEST_FRAME[RECORD]}
        self.assertEqual({**here, "node": LARGEST_FRAME[NODE], "deepest": DEEPEST}, FIXTURE["limits"])

    def test_accepts_every_message_of_a_worker(self) -> None:
        for message in FIXTURE["accepted"]:
            with self.subTest(message):
                found = check_message(message)
                self.assertEqual({**found, **message}, found)

    def test_refuses_everything_else(self) -> None:
        for one in FIXTURE["refused"]:
            with self.subTest(one["why"]), self.assertRaises(Violation):
                check_message(one["message"])

    def test_drops_fields_that_are_not_on_the_list(self) -> None:
        found = check_message({"kind": "secret", "question": 1, "key": "k", "command": 3, "body": {"question": 9}})
        self.assertEqual(found, {"kind": "secret", "question": 1, "key": "k"})

    def test_refuses_text_that_is_not_json(self) -> None:
        deep = (
            b'{"kind":"output","node":1,"run":1,"number":1,"metadata":{},"data":{"a":'
            + b"[" * 5000
            + b"]" * 5000
            + b"}}"
        )
        nested = (
            b'{"kind":"output","node":1,"run":1,"number":1,"metadata":{},"data":{"a":' + b"[" * 300 + b"]" * 300 + b"}}"
        )
        not_a_number = b'{"kind":"output","node":1,"run":1,"number":1,"metadata":{},"data":{"a":NaN}}'
        for body in (b"", b"\xff", b"[]", b"1", b"{", b'{"kind":"hello"', deep, nested, not_a_number, b"9" * 10_000):
            with self.subTest(body[:40]), self.assertRaises(Violation):
                parse(body)

    def test_keeps_backslashes_and_replaces_null_characters(self) -> None:
        body = json.dumps({"kind": "secret", "question": 1, "key": "a\0b\\u0000"}).encode()
        self.assertEqual(parse(body)["key"], "a\u2400b\\u0000")

    def test_random_json_is_a_message_or_a_violation(self) -> None:
        chance = random.Random(7)
        kinds = [*{message["kind"] for message in FIXTURE["accepted"]}, "usage", "state", "x"]
        for _ in range(3_000):
            message = dict(chance.choice(FIXTURE["accepted"])) if chance.random() < 0.7 else {}
            for name in chance.sample(
                ["kind", "node", "number", "error", "data", "command", "statuses", "question"], 2
            ):
                message[name] = chance.choice([None, True, -1, 1e400, "x", [], {}, {"a": [1]}, chance.choice(kinds)])
            try:
                check_message(message)
            except Violation:
                pass


class Frames(unittest.TestCase):
    def through(self, data: bytes, piece: int = 1 << 16) -> list[tuple[int, bytes]]:
        reader, writer = os.pipe()

        def write() -> None:
            try:
                for at in range(0, len(data), piece):
                    os.write(writer, data[at : at + piece])
            except OSError:
                pass
            finally:
                os.close(writer)

        thread = threading.Thread(target=write)
        thread.start()
        try:
            return list(read_frames(reader))
        finally:
            os.close(reader)
            thread.join()

    def frame(self, kind: int, body: bytes) -> bytes:
        return len(body).to_bytes(4, "big") + bytes((kind,)) + body

    def test_frames_come_whole_however_they_are_cut(self) -> None:
        frames = [(STDOUT, b"a"), (EVENT, b"x" * 70_000), (NODE, b"\0" * 8), (STDOUT, b""), (RECORD, b"\1last")]
        data = b"".join(self.frame(kind, body) for kind, body in frames)
        for piece in (1 << 16, 4_096, 7, 1):
            self.assertEqual(self.through(data, piece), frames)

    def test_refuses_a_length_that_its_kind_cannot_have(self) -> None:
        for kind, length in ((EVENT, 0xFFFFFFFF), (STDOUT, (1 << 20) + 1), (NODE, 9), (5, 0), (255, 1)):
            with self.subTest((kind, length)), self.assertRaises(Violation):
                self.through(length.to_bytes(4, "big") + bytes((kind,)) + b"x" * 10)


if __name__ == "__main__":
    unittest.main()
