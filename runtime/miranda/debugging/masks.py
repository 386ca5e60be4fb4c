"""
Hides the secrets that this worker was given. The agent does so too, in everything that it passes on, but it gets values
after they were shortened: of a secret that the cut divides, the first part would remain.
"""

from __future__ import annotations

HIDDEN = "\u2022\u2022\u2022\u2022"
#: Shorter ones are in every text.
SHORTEST = 4
#: Shorter ones are not looked for in other forms than their own.
SHORTEST_ENCODED = 8


class Masks:
    def __init__(self) -> None:
        self.texts: list[str] = []
        self.bytes: list[bytes] = []
        self.longest = 0

    def add(self, secret: str) -> None:
        parts = [secret, *(line for line in secret.splitlines() if len(line) >= SHORTEST_ENCODED)]
        for form in [*parts, *(form for part in parts for form in encoded(part))]:
            if len(form) >= SHORTEST and form not in self.texts:
                self.texts.append(form)
                self.bytes.append(form.encode("utf-8", "surrogatepass"))
        # The longest first: a line of a secret must not be replaced before the whole of it.
        self.texts.sort(key=len, reverse=True)
        self.bytes.sort(key=len, reverse=True)
        self.longest = max(map(len, self.bytes), default=0)

    def text(self, value: str) -> str:
        for secret in self.texts:
            value = value.replace(secret, HIDDEN)
        return value

    def raw(self, value: bytes) -> bytes:
        for secret in self.bytes:
            value = value.replace(secret, b"****")
        return value


def encoded(secret: str) -> list[str]:
    """As it stands in a repr, an address or a header."""
    if len(secret) < SHORTEST_ENCODED:
        return []
    # Only now: most sessions have no secrets, and imports take time.
    from base64 import b64encode, urlsafe_b64encode
    from urllib.parse import quote, quote_plus

    data = secret.encode("utf-8", "replace")
    plain = [repr(secret)[1:-1], repr(data)[2:-1], quote(secret, ""), quote_plus(secret), data.hex()]
    return [*plain, b64encode(data).decode().rstrip("="), urlsafe_b64encode(data).decode().rstrip("=")]
