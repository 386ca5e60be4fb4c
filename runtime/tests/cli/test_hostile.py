"""Servers, zips and folders that were made to do harm."""

from __future__ import annotations

import io
import os
import stat
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

from miranda_cli.failures import Failure
from miranda_cli.folder import Folder, unpack, write_files
from miranda_cli.printer import json_text, plain

from .folders import HEAD, FolderCase

TITLE = "\x1b]0;owned\x07"


def zip_of(names: list[str], data: bytes = b"x") -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name in names:
            zipped.writestr(zipfile.ZipInfo(name), HEAD.encode() if name.endswith("workflow.toml") else data)
    return packed.getvalue()


class ZipTest(FolderCase):
    def test_refuses_names_that_are_no_files_of_a_workflow_before_unpacking(self) -> None:
        names = (
            *("/etc/passwd", "flow//etc/passwd", "flow/nodes//a.py", "flow/nodes/a/b.py", "flow\\nodes\\a.py"),
            *("flow/nodes/..\\a.py", "C:/nodes/a.py", "flow/nodes/c:a.py", "flow/nodes/con.py", "flow/files/NUL"),
            *("flow/files/aux.txt", "flow/nodes/.py", "flow/nodes/.hidden.py", "flow/files/.bashrc"),
            *(f"flow/nodes/{TITLE}.py", "flow/nodes/a\n.py", "flow/nodes/a\x9b.py", "flow/nodes/" + "a" * 300 + ".py"),
            *("other/nodes/a.py", "workflow.toml", "flow/nodes/a.py/", "flow/nodes/a.pyc"),
        )
        for name in names:
            with self.subTest(name), self.assertRaisesRegex(Failure, "not part of a workflow"):
                unpack(zip_of(["flow/workflow.toml", name]))

    def test_refuses_two_files_that_are_one_on_some_laptops(self) -> None:
        for one, other in (("a", "A"), ("\u00e9", "e\u0301"), ("a", "a"), ("stra\u00dfe", "strasse")):
            names = ["flow/workflow.toml", f"flow/nodes/{one}.py", f"flow/nodes/{other}.py"]
            with self.subTest(other), self.assertRaisesRegex(Failure, "two files of the same name"):
                unpack(zip_of(names))

    def test_refuses_broken_large_and_empty_zips_without_a_traceback(self) -> None:
        good = zip_of(["flow/workflow.toml", "flow/nodes/a.py"], b"text" * 100)
        encrypted = bytearray(good)
        at = encrypted.find(b"PK\x01\x02")
        encrypted[at + 8] |= 1
        strange = bytearray(good)
        strange[strange.find(b"PK\x01\x02") + 10] = 99
        cut = bytearray(good)
        cut[40:60] = bytes(20)
        for name, data in (("encrypted", encrypted), ("strange", strange), ("cut", cut), ("text", b"<html>")):
            with self.subTest(name), self.assertRaisesRegex(Failure, "not a zip file"):
                unpack(bytes(data))
        with self.assertRaisesRegex(Failure, "no workflow.toml"):
            unpack(zip_of([]))
        bomb = zip_of(["flow/workflow.toml", *(f"flow/files/{at}" for at in range(30))], bytes(10 * 1024 * 1024))
        with self.assertRaisesRegex(Failure, "too large"):
            unpack(bomb)


class FolderTest(FolderCase):
    def test_sends_no_hidden_file_even_through_a_link(self) -> None:
        self.write("flow/.git/config", "password = hunter2")
        self.workflow('[nodes.a]\n[values.a]\ndata = { file = ".git/config" }\n', a="")
        with self.assertRaisesRegex(Failure, "hidden"):
            Folder(Path("flow")).files()
        self.workflow("[nodes.a]\n", a="")
        (self.root / "flow/nodes/b.py").symlink_to("../.git/config")
        with self.assertRaisesRegex(Failure, "hidden"):
            Folder(Path("flow")).files()

    def test_changes_and_removes_nothing_outside_through_a_linked_folder(self) -> None:
        self.write("precious/a.py", "mine")
        self.write("precious/b.py", "mine")
        self.workflow("[nodes.a]\n[nodes.b]\n")
        (self.root / "flow/nodes").symlink_to(self.root / "precious", target_is_directory=True)
        toml = (self.root / "flow/workflow.toml").read_bytes()
        for files in ({"workflow.toml": b"new"}, {"workflow.toml": b"new", "nodes/a.py": b"new"}):
            with self.assertRaisesRegex(Failure, "leads out"):
                write_files(Path("flow"), files)
        self.assertEqual([(self.root / f"precious/{name}.py").read_text() for name in "ab"], ["mine", "mine"])
        self.assertEqual((self.root / "flow/workflow.toml").read_bytes(), toml)

    def test_writes_nothing_through_a_linked_file(self) -> None:
        self.write("precious.py", "mine")
        self.workflow("[nodes.a]\n", b="")
        (self.root / "flow/nodes/a.py").symlink_to(self.root / "precious.py")
        with self.assertRaisesRegex(Failure, "leads out"):
            write_files(Path("flow"), {"workflow.toml": b"x", "nodes/a.py": b"new"})
        self.assertEqual((self.root / "precious.py").read_text(), "mine")

    def test_runs_no_node_whose_name_is_a_path(self) -> None:
        self.write("photos/1.jpg", "mine")
        key = str(self.root / "photos")
        self.workflow(f'[nodes."{key}"]\nclass = "compute_policy"\n')
        done = self.miranda("run", "flow")
        self.assertEqual(done.returncode, 2)
        self.assertIn("must be a file name", done.stderr)
        self.assertEqual((self.root / "photos/1.jpg").read_text(), "mine")


class TerminalTest(FolderCase):
    def test_shows_control_characters_instead_of_sending_them_to_the_terminal(self) -> None:
        self.assertEqual(plain(f"a{TITLE}b"), "a\\x1b]0;owned\\x07b")
        self.assertEqual(plain("real\rfake \x9b2J \u202eevil"), "real\\x0dfake \\x9b2J \\u202eevil")
        self.assertEqual(plain("\x1b[31mred\x1b[0m\tand\r\nplain"), "red\tand\nplain")
        self.assertEqual(json_text({"a": f"{TITLE}\x9b\u202e"}), '{"a": "\\u001b]0;owned\\u0007\\u009b\\u202e"}')

    def test_a_node_cannot_write_control_characters_to_the_terminal(self) -> None:
        code = f'from miranda import *\nclass A(Node):\n    def run(self):\n        print({TITLE!r} + "done")\n'
        self.workflow("[nodes.a]\n", a=code)
        done = self.miranda("run", "flow")
        self.assertIn("owned", done.stdout)
        self.assertNotIn("\x1b", done.stdout + done.stderr)


class Hostile(BaseHTTPRequestHandler):
    """Answers every call as the test wishes, and notes what it was sent."""

    answer: tuple[int, dict[str, str], bytes] = (200, {}, b"")
    seen: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.seen.append(str(self.headers.get("Authorization")))
        status, headers, body = self.answer
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


class ServerTest(FolderCase):
    def setUp(self) -> None:
        super().setUp()
        server = ThreadingHTTPServer(("127.0.0.1", 0), Hostile)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.url = f"http://127.0.0.1:{server.server_port}"
        Hostile.seen = []

    def pull(self, status: int, headers: dict[str, str], body: bytes) -> tuple[int, str]:
        Hostile.answer = (status, headers, body)
        done = self.miranda(
            "pull", "0e2f8a2e-1111-4111-8111-111111111111", "flow", MIRANDA_URL=self.url, MIRANDA_TOKEN="mir_secret"
        )
        self.assertNotIn("Traceback", done.stderr)
        self.assertNotIn("\x1b", done.stdout + done.stderr)
        return done.returncode, done.stderr

    def test_writes_nothing_of_a_zip_with_a_path_that_climbs_out(self) -> None:
        body = zip_of(["flow/workflow.toml", "flow/nodes/a.py", "flow/nodes/../../evil.py"])
        code, words = self.pull(200, {}, body)
        self.assertEqual(code, 1)
        self.assertIn("not part of a workflow", words)
        self.assertEqual(sorted(path.name for path in self.root.iterdir()), [])

    def test_shows_the_words_of_a_refusal_without_its_control_characters(self) -> None:
        code, words = self.pull(403, {"X-Miranda-Error": "graph_read_only"}, f"no{TITLE}".encode())
        self.assertEqual(code, 3)
        self.assertIn("no\\x1b]0;owned", words)

    def test_waits_neither_for_ever_nor_for_a_time_that_is_no_number(self) -> None:
        for wait in ("soon", "-1", "9" * 30, "1e9"):
            code, _ = self.pull(429, {"Retry-After": wait, "X-Miranda-Error": "rate_limited"}, b"later")
            self.assertEqual(code, 3)

    def test_sends_its_token_to_no_other_address(self) -> None:
        code, words = self.pull(302, {"Location": f"{self.url}/elsewhere"}, b"")
        self.assertEqual([code, Hostile.seen], [3, ["Bearer mir_secret"]])
        self.assertIn("another address", words)


class LoginTest(FolderCase):
    def test_refuses_a_file_of_tokens_that_others_may_read(self) -> None:
        self.write("config/miranda/logins.json", '{"default": null, "servers": {}}')
        path = self.root / "config/miranda/logins.json"
        os.chmod(path, 0o644)
        done = self.miranda("models")
        self.assertEqual(done.returncode, 2)
        self.assertIn("chmod 600", done.stderr)
        os.chmod(path, 0o600)
        self.assertIn("not logged in", self.miranda("models").stderr)
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
