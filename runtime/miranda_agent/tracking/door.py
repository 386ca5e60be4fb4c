"""
The way of node code's MLflow client to the server. The worker listens at the loopback of its own network and hands us
the listening socket. Who comes there must know the worker's token, reaches the project's tracking server and nothing
else, and never sees the job's own token. Node code can hand us any descriptor and send us anything.
"""

from __future__ import annotations

import os
import socket
import stat
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..worker_process import Worker

MOST_CONNECTIONS = 32


class TrackingDoor:
    """For one worker."""

    def __init__(self, settings: dict[str, str], worker: Worker) -> None:
        self.settings = settings
        self.worker = worker
        self.control = socket.socket(fileno=worker.take_control())
        self.listener: socket.socket | None = None
        self.room = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self.lock = threading.Lock()
        self.is_closed = False
        self.connections: set[socket.socket] = set()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        try:
            listener = self.receive()
        except OSError:
            listener = None
        if listener is None:
            return
        with self.lock:
            self.listener = listener
            if self.is_closed:
                listener.close()
                return
        while True:
            self.room.acquire()
            try:
                connected, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self.attend, args=(connected,), daemon=True).start()

    def receive(self) -> socket.socket | None:
        """The socket that the worker listens at. Only the first that it sends counts."""
        _, descriptors, _, _ = socket.recv_fds(self.control, 1, 1)
        for fd in descriptors[1:]:
            os.close(fd)
        return listening_at(descriptors[0]) if descriptors else None

    def attend(self, connected: socket.socket) -> None:
        # Imported for the first connection only: most sessions have none.
        from .forwarding import Forwarding

        with self.lock:
            if self.is_closed:
                connected.close()
                return
            self.connections.add(connected)
        try:
            Forwarding(self.settings, self.worker.tracking_token, connected, self.node).serve()
        except (OSError, ValueError):
            # Its own client sees that, and the next call is another connection.
            pass
        finally:
            with self.lock:
                self.connections.discard(connected)
            connected.close()
            self.room.release()

    def node(self) -> int | None:
        """The node whose code runs, when there is only one."""
        nodes = self.worker.last_notes()[0]
        return nodes[0] if len(nodes) == 1 else None

    def close(self) -> None:
        with self.lock:
            self.is_closed = True
            for one in (self.control, self.listener, *self.connections):
                if one is not None:
                    # Closing alone would not wake the thread that waits for it.
                    shut_down(one)
            if self.listener is not None:
                self.listener.close()
            self.control.close()


def shut_down(one: socket.socket) -> None:
    try:
        one.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def listening_at(fd: int) -> socket.socket | None:
    """None when it is anything else than a listening socket: waiting for it could hold us up."""
    if not stat.S_ISSOCK(os.fstat(fd).st_mode):
        os.close(fd)
        return None
    listener = socket.socket(fileno=fd)
    try:
        is_fit = (listener.family, listener.type) == (socket.AF_INET, socket.SOCK_STREAM)
        if is_fit and listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            listener.setblocking(True)
            return listener
    except OSError:
        pass
    listener.close()
    return None
