from __future__ import annotations

import os
import socket
import tempfile
import threading
import unittest
from unittest import mock

from miranda_agent.measuring.metering import own_size
from miranda_agent.results.result_questions import ResultQuestions, open_written, pieces


class WrittenFiles(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.results = os.path.join(self.folder, ".miranda", "results")
        os.makedirs(self.results)

    def settings(self, **more: str) -> dict[str, str]:
        return {
            "job": "x",
            "folder": self.folder,
            "result_bytes": "1000",
            "url": "http://127.0.0.1:1",
            "token": "t",
            **more,
        }

    def keep(self, name: str) -> str:
        settings = self.settings(address_file="/nowhere")
        answer = ResultQuestions(settings).ask(
            "keep_result", {"key": "a" * 64, "node": 1, "run": 1, "seconds": 1, "file": name, "reads": {}}
        )
        return answer.get("error") or ""

    def test_opens_a_file_of_the_worker(self) -> None:
        with open(os.path.join(self.results, "x"), "wb") as file:
            file.write(b"hello")
        fd = open_written(self.folder, "x")
        self.addCleanup(os.close, fd)
        self.assertEqual(b"".join(pieces(fd, 5)), b"hello")

    def test_follows_no_link(self) -> None:
        os.symlink("/etc/passwd", os.path.join(self.results, "x"))
        with self.assertRaises(OSError):
            open_written(self.folder, "x")
        os.rename(self.results, self.results + "-away")
        os.symlink("/etc", self.results)
        with self.assertRaises(OSError):
            open_written(self.folder, "passwd")

    def test_refuses_what_is_no_file_or_too_large(self) -> None:
        os.mkfifo(os.path.join(self.results, "pipe"))
        os.mkdir(os.path.join(self.results, "folder"))
        with open(os.path.join(self.results, "huge"), "wb") as file:
            file.truncate(10 << 30)
        self.assertEqual(self.keep("pipe"), "its file is none.")
        self.assertEqual(self.keep("folder"), "its file is none.")
        self.assertIn("GB is the most", self.keep("huge"))
        self.assertIn("No such file", self.keep("nothing"))

    def sent_to(self, *answers: bytes) -> tuple[str, int]:
        """What becomes of a result whose server answers so, closing each connection, and how often it was sent."""
        listening = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listening.close)
        sent: list[int] = []

        def serve() -> None:
            while True:
                try:
                    connected, _ = listening.accept()
                except OSError:
                    return
                with connected:
                    connected.recv(1 << 16)
                    sent.append(1)
                    connected.sendall(answers[len(sent) - 1])

        threading.Thread(target=serve, daemon=True).start()
        with open(os.path.join(self.results, "x"), "wb") as file:
            file.write(b"hello")
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        settings = self.settings(address_file="/nowhere", url=url)
        question = {"key": "a" * 64, "node": 1, "run": 1, "seconds": 1, "file": "x", "reads": {}}
        return ResultQuestions(settings).ask("keep_result", question).get("error") or "", len(sent)

    def test_what_takes_too_long_to_send_is_not_sent_again(self) -> None:
        words = "sending its 5e-09 GB took longer than 2 minutes."
        timeout = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n"
        self.assertEqual(self.sent_to(timeout), (words, 1))
        with mock.patch("miranda_agent.results.result_questions.LONGEST_UPLOAD", 0.0):
            self.assertEqual(self.sent_to(b""), (words.replace("2", "0"), 1))

    def test_a_connection_that_breaks_early_is_tried_again(self) -> None:
        good = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
        self.assertEqual(self.sent_to(b"", b"", good), ("", 3))

    def test_a_file_on_its_way_does_not_count_as_disk_up_to_the_size_of_one(self) -> None:
        with open(os.path.join(self.results, "x"), "wb") as file:
            file.write(bytes(3_000_000))
        most = 100_000_000
        limits = ("0", "1000000", "9000000")
        sizes = [own_size(self.settings(result_bytes=limit), most) for limit in limits]
        self.assertGreater(sizes[0], 3_000_000)
        self.assertEqual(sizes[0] - sizes[1], 1_000_000)
        self.assertLess(sizes[2], 1_000_000)
