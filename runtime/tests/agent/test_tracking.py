"""The way of node code's MLflow client to the server, with real sockets at both ends."""

from __future__ import annotations

import json
import os
import socket
import threading
import unittest
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from unittest import mock

from miranda.worker.tracking import CONTROL, Tracking, begin_in_lane, without_proxy
from miranda_agent.tracking.door import TrackingDoor, listening_at

JOB_TOKEN, TOKEN, PROJECT = "of-the-job", "of-the-worker", "11111111-2222-4333-8444-555555555555"
PREFIX = f"/mlflow/{PROJECT}"
CALL = f"{PREFIX}/api/2.0/mlflow/runs/get"
FILE = f"{PREFIX}/api/2.0/mlflow-artifacts/artifacts/0/run/artifacts/a.bin"


class TrackingServer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    seen: list[dict[str, Any]]

    def body(self) -> bytes:
        if self.headers.get("transfer-encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("content-length", 0)))
        parts: list[bytes] = []
        while size := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def answer(self) -> None:
        if self.path.endswith("refused"):
            self.send_response(413)
            self.send_header("Connection", "close")
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")
            self.close_connection = True
            return
        body = self.body()
        self.seen.append({"method": self.command, "path": self.path, "headers": dict(self.headers), "size": len(body)})
        self.send_response(200)
        self.send_header("Set-Cookie", "not for node code")
        if self.path.endswith("chunked"):
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
            return
        answer = body if self.command == "PUT" else b'{"run": {}}'
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

    def log_message(self, format: str, *args: Any) -> None:
        pass


class FakeWorker:
    """Hands over what a worker would, at the other end of a real socket."""

    tracking_token = TOKEN

    def __init__(self) -> None:
        ours, self.theirs = socket.socketpair()
        self.control = ours.detach()
        self.nodes = [7]

    def take_control(self) -> int:
        return self.control

    def last_notes(self) -> tuple[list[int], str]:
        return self.nodes, ""


class TestTracking(unittest.TestCase):
    def setUp(self) -> None:
        self.seen: list[dict[str, Any]] = []
        handler = type("Handler", (TrackingServer,), {"seen": self.seen})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.settings = {
            "job": "the-job",
            "token": JOB_TOKEN,
            "project": PROJECT,
            "address_file": "",
            "url": f"http://127.0.0.1:{self.server.server_port}",
        }
        self.worker = FakeWorker()
        self.addCleanup(self.worker.theirs.close)
        self.door = TrackingDoor(self.settings, self.worker)  # type: ignore[arg-type]
        self.addCleanup(self.door.close)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port = listener.getsockname()[1]
            socket.send_fds(self.worker.theirs, [b"\0"], [listener.fileno()])

    def ask(self, method: str, path: str, body: Any = None, token: str = TOKEN, **headers: str) -> tuple[int, bytes]:
        client = HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            client.request(method, path, body, {"Authorization": f"Bearer {token}", **headers})
            answer = client.getresponse()
            return answer.status, answer.read()
        finally:
            client.close()

    def raw(self, data: bytes) -> bytes:
        with socket.create_connection(("127.0.0.1", self.port), 10) as client:
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
            answer = b""
            while more := client.recv(65_536):
                answer += more
            return answer

    def test_gives_the_server_the_jobs_token_and_the_node(self) -> None:
        status, body = self.ask("POST", CALL, b"{}", Cookie="mine", **{"X-Miranda-Node": "8"})
        self.assertEqual((status, body), (200, b'{"run": {}}'))
        headers = {name.lower(): value for name, value in self.seen[0]["headers"].items()}
        self.assertEqual(headers["authorization"], f"Bearer job.the-job.{JOB_TOKEN}")
        self.assertEqual(headers["x-miranda-node"], "7")
        self.assertNotIn("cookie", headers)

    def test_does_not_guess_the_node_when_several_run(self) -> None:
        self.worker.nodes = [7, 8]
        self.ask("GET", CALL)
        self.assertNotIn("x-miranda-node", {name.lower() for name in self.seen[0]["headers"]})

    def test_keeps_the_connection_and_hides_other_headers(self) -> None:
        client = HTTPConnection("127.0.0.1", self.port, timeout=10)
        for _ in range(3):
            client.request("GET", CALL, headers={"Authorization": f"Bearer {TOKEN}"})
            answer = client.getresponse()
            self.assertEqual(answer.read(), b'{"run": {}}')
            self.assertIsNone(answer.getheader("Set-Cookie"))
        client.close()
        self.assertEqual(len(self.seen), 3)

    def test_streams_large_bodies_both_ways(self) -> None:
        content = os.urandom(5_000_000)
        self.assertEqual(self.ask("PUT", FILE, content), (200, content))
        pieces = iter([content[:1_000_000], content[1_000_000:]])
        self.assertEqual(self.ask("PUT", FILE, pieces), (200, content))
        self.assertEqual(self.ask("PUT", FILE, iter([])), (200, b""))
        self.assertEqual(self.ask("GET", f"{CALL}?x=chunked"), (200, b"abcde"))

    def test_passes_on_a_refusal_that_comes_before_the_end_of_a_body(self) -> None:
        self.assertEqual(self.ask("PUT", f"{FILE}refused", b"x" * 10_000_000)[0], 413)

    def test_refuses_other_tokens(self) -> None:
        for token in ("", "x", JOB_TOKEN, TOKEN + "x"):
            status, body = self.ask("GET", CALL, token=token)
            self.assertEqual((status, json.loads(body)["error_code"]), (401, "UNAUTHENTICATED"))
        self.assertEqual(self.seen, [])

    def test_reaches_only_the_projects_tracking_server(self) -> None:
        other = PROJECT.replace("1", "9")
        paths = ["/", "/api/v3/me", "/api/runner/the-job/secret", f"/mlflow/{other}/api/2.0/mlflow/runs/get"]
        paths += [PREFIX, f"{PREFIX}/", f"{PREFIX}x/api/2.0/mlflow/runs/get", f"{PREFIX}/ajax-api/2.0/x"]
        paths += [f"http://elsewhere{CALL}", f"{PREFIX}/api/2.0/mlflow-other/x", f"{PREFIX}/healthy"]
        for path in paths:
            self.assertEqual(self.ask("GET", path)[0], 404, path)
        climbing = ("..", ".", "%2e%2e", "%2E.", "a%2f..%2fb", "..%5c..")
        for part in climbing:
            self.assertEqual(self.ask("GET", f"{PREFIX}/api/2.0/mlflow/{part}/x")[0], 400, part)
        self.assertEqual(self.seen, [])

    def test_refuses_requests_that_hide_a_second_one(self) -> None:
        start = f"POST {CALL} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n"
        heads = [
            "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
            "Content-Length: 5\r\nContent-Length: 6\r\n",
            "Content-Length: -1\r\n",
            "Content-Length: +5\r\n",
            "Transfer-Encoding: gzip, chunked\r\n",
            "User-Agent: x\nX-Miranda-Node: y\r\n",
            "User-Agent: x\rX-Miranda-Node: y\r\n",
        ]
        for head in heads:
            self.assertIn(b" 400 ", self.raw(f"{start}{head}\r\nhello".encode("latin-1")).split(b"\r\n")[0], head)
        for first in ("TRACE / HTTP/1.1", "GET /", "nonsense", f"GET {CALL} HTTP/2"):
            self.assertIn(b" 400 ", self.raw(f"{first}\r\n\r\n".encode()).split(b"\r\n")[0], first)
        long = f"{start}X: {'y' * 40_000}\r\n\r\n"
        self.assertIn(b" 431 ", self.raw(long.encode()).split(b"\r\n")[0])
        self.assertEqual(self.seen, [])

    def test_a_body_that_is_cut_reaches_nobody(self) -> None:
        head = f"PUT {FILE} HTTP/1.1\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: 100\r\n\r\n"
        self.assertIn(b" 503 ", self.raw(f"{head}half".encode()))

    def test_says_that_a_server_is_away(self) -> None:
        self.settings["url"] = "http://127.0.0.1:1"
        status, body = self.ask("GET", CALL)
        self.assertEqual((status, json.loads(body)["error_code"]), (503, "TEMPORARILY_UNAVAILABLE"))

    def test_ends_with_the_worker(self) -> None:
        client = HTTPConnection("127.0.0.1", self.port, timeout=10)
        client.request("GET", CALL, headers={"Authorization": f"Bearer {TOKEN}"})
        client.getresponse().read()
        self.door.close()
        with self.assertRaises(OSError):
            client.request("GET", CALL, headers={"Authorization": f"Bearer {TOKEN}"})
            client.getresponse().read()
            raise OSError
        with self.assertRaises(OSError):
            self.ask("GET", CALL)
        client.close()

    def test_takes_only_a_listening_socket(self) -> None:
        reader, writer = os.pipe()
        unix = socket.socket(socket.AF_UNIX)
        idle = socket.socket()
        datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for fd in (reader, os.dup(unix.fileno()), os.dup(idle.fileno()), os.dup(datagrams.fileno())):
            self.assertIsNone(listening_at(fd))
            with self.assertRaises(OSError):
                os.fstat(fd)
        os.close(writer)
        for one in (unix, idle, datagrams):
            one.close()


class TestSettings(unittest.TestCase):
    def test_gives_node_code_the_address_and_the_experiment_of_each_run(self) -> None:
        ours, theirs = socket.socketpair()
        self.addCleanup(ours.close)
        kept = os.dup(CONTROL) if os.path.exists(f"/proc/self/fd/{CONTROL}") else None
        os.dup2(theirs.fileno(), CONTROL)
        theirs.close()
        with mock.patch.dict(os.environ, {"MIRANDA_PROJECT": PROJECT, "MLFLOW_RUN_ID": "old"}):
            tracking = Tracking()
            begin_in_lane(tracking.begin_run("Iris"))
            self.assertEqual(os.environ["MLFLOW_TRACKING_URI"], tracking.uri)
            self.assertEqual(os.environ["MLFLOW_EXPERIMENT_NAME"], "Iris")
            self.assertNotIn("MLFLOW_RUN_ID", os.environ)
            self.assertNotIn("MIRANDA_PROJECT", os.environ)
            begin_in_lane(tracking.begin_run("Iris, renamed"))
            self.assertEqual(os.environ["MLFLOW_EXPERIMENT_NAME"], "Iris, renamed")
        _, descriptors, _, _ = socket.recv_fds(ours, 1, 1)
        listener = listening_at(descriptors[0])
        assert listener is not None
        self.assertIn(f":{listener.getsockname()[1]}/mlflow/{PROJECT}", tracking.uri)
        listener.close()
        if kept is not None:
            os.dup2(kept, CONTROL)

    def test_needs_no_agent(self) -> None:
        with mock.patch.dict(os.environ, {"MIRANDA_PROJECT": ""}):
            tracking = Tracking()
            tracking.begin_run("Iris")
            self.assertEqual(tracking.uri, "")

    def test_goes_past_a_proxy(self) -> None:
        with mock.patch.dict(os.environ, {"HTTP_PROXY": "http://proxy", "no_proxy": "inside"}, clear=True):
            past = without_proxy("127.0.0.1")
            self.assertEqual(past, {"no_proxy": "inside,127.0.0.1", "NO_PROXY": "inside,127.0.0.1"})
        with mock.patch.dict(os.environ, {}, clear=True):
            self.assertEqual(without_proxy("127.0.0.1"), {})
