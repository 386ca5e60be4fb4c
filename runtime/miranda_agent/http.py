"""
As much HTTP as the agent needs. The standard library's own client takes longer to import than the worker to start.
"""

from __future__ import annotations

import socket


class Unreachable(Exception):
    """No answer came; the same request may be sent again."""


class Connection:
    def __init__(self, locate, token: str, timeout: float) -> None:
        #: Gives the server's address as it is now: a server that comes back may listen elsewhere.
        self.locate = locate
        self.token = token
        self.timeout = timeout
        self.socket: socket.socket | None = None
        self.buffer = b""

    def request(self, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        try:
            if self.socket is None:
                self.open()
            head = (
                f"{method} {path} HTTP/1.1\r\nHost: {self.host}\r\nAuthorization: Bearer {self.token}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            ).encode()
            if len(body) < 65_536:
                self.socket.sendall(head + body)
            else:
                self.socket.sendall(head)
                self.socket.sendall(body)
            return self.response()
        except (OSError, ValueError) as error:
            self.close()
            raise Unreachable(str(error)) from None

    def open(self) -> None:
        url = self.locate()
        self.buffer = b""
        if url.startswith("unix:"):
            self.host = "miranda"
            opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            opened.settimeout(self.timeout)
            opened.connect(url[5:])
            self.socket = opened
            return
        scheme, _, rest = url.partition("://")
        self.host = rest.partition("/")[0]
        name, _, port = self.host.rpartition(":") if not self.host.endswith("]") else (self.host, "", "")
        if not name:
            name, port = self.host, ""
        number = int(port) if port else (443 if scheme == "https" else 80)
        opened = socket.create_connection((name.strip("[]"), number), timeout=min(self.timeout, 10))
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        opened.settimeout(self.timeout)
        if scheme == "https":
            import ssl

            opened = ssl.create_default_context().wrap_socket(opened, server_hostname=name.strip("[]"))
        self.socket = opened

    def response(self) -> tuple[int, bytes]:
        while b"\r\n\r\n" not in self.buffer:
            self.receive()
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        status = int(lines[0].split(" ", 2)[1])
        headers = {}
        for line in lines[1:]:
            key, _, value = line.partition(":")
            headers[key.strip().lower()] = value.strip()
        if headers.get("transfer-encoding", "").lower() == "chunked":
            body = self.chunked()
        else:
            body = self.exactly(int(headers.get("content-length", "0")))
        if headers.get("connection", "").lower() == "close":
            self.close()
        return status, body

    def exactly(self, size: int) -> bytes:
        parts, have = [self.buffer], len(self.buffer)
        while have < size:
            data = self.socket.recv(1 << 16)
            if not data:
                raise ValueError("the connection was closed")
            parts.append(data)
            have += len(data)
        whole = b"".join(parts)
        self.buffer = whole[size:]
        return whole[:size]

    def chunked(self) -> bytes:
        parts = []
        while True:
            while b"\r\n" not in self.buffer:
                self.receive()
            line, _, self.buffer = self.buffer.partition(b"\r\n")
            size = int(line.split(b";")[0], 16)
            part = self.exactly(size)
            self.exactly(2)
            if size == 0:
                return b"".join(parts)
            parts.append(part)

    def receive(self) -> None:
        data = self.socket.recv(1 << 16)
        if not data:
            raise ValueError("the connection was closed")
        self.buffer += data

    def close(self) -> None:
        if self.socket is not None:
            try:
                self.socket.close()
            except OSError:
                pass
            self.socket = None
