"""Bytes of a stream to whole lines. Nothing here looks at single lines of a large piece unless it must."""

from __future__ import annotations

LONGEST_LINE = 10 * 1024 * 1024
LONGEST_PARTIAL = 4_000
MOST_PARTS = 4_096


class Lines:
    """
    Pieces end where a line ends, so a character is never torn. A line longer than the cap is cut and marked, and the
    stream goes on. What a carriage return has overwritten is dropped, as a terminal would.
    """

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self.longest = longest
        self.parts: list[bytes] = []
        self.size = 0
        self.dropped = 0
        self.last_partial = b""
        self.taken = 0

    def feed(self, data: bytes) -> str | None:
        """The lines that are now whole, without the last newline; None when there are none."""
        end = data.rfind(b"\n")
        if end < 0:
            self.hold(data)
            return None
        first = data.find(b"\n")
        whole: list[bytes] = []
        if self.parts or self.dropped or first > self.longest:
            whole.append(self.take() + self.fit(data[:first]))
        rest = data[first + 1 : end + 1] if whole else data[: end + 1]
        if self.dropped:
            whole[0] += self.mark()
        if rest:
            whole.append(rest[:-1])
        self.dropped = 0
        self.hold(data[end + 1 :])
        return decode(b"\n".join(whole))

    def fit(self, data: bytes) -> bytes:
        """What still belongs to the line that is being finished."""
        room = self.longest - self.taken
        if len(data) > room:
            self.dropped += len(data) - room
        return data[:room]

    def mark(self) -> bytes:
        return b" \xe2\x80\xa6 [%d bytes of this line were cut]" % self.dropped

    def hold(self, data: bytes) -> None:
        if not data:
            return
        room = self.longest - self.size
        if len(data) > room:
            self.dropped += len(data) - room
            data = data[:room]
        if data:
            self.parts.append(data)
            self.size += len(data)
            if len(self.parts) > MOST_PARTS:
                # Each piece has a price of its own, however small it is.
                self.parts = [b"".join(self.parts)]

    def take(self) -> bytes:
        held = b"".join(self.parts)
        self.taken = len(held)
        self.parts, self.size, self.last_partial = [], 0, b""
        return held

    def finish(self) -> str | None:
        """What is left when the stream ends; None when nothing is."""
        if not self.parts and not self.dropped:
            return None
        mark = self.mark() if self.dropped else b""
        held = self.take() + mark
        self.dropped = 0
        return decode(held)

    def partial(self) -> str | None:
        """The unfinished line, if it has changed since it was last asked for."""
        if not self.parts:
            return None
        tail = b"".join(self.parts[-8:])[-LONGEST_PARTIAL:]
        if tail == self.last_partial:
            return None
        self.last_partial = tail
        return decode(tail)


def decode(data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    if "\r" in text:
        text = "\n".join(overwritten(line) for line in text.split("\n"))
    return text.replace("\0", "\u2400") if "\0" in text else text


def overwritten(line: str) -> str:
    line = line.removesuffix("\r")
    return line[line.rfind("\r") + 1 :]
