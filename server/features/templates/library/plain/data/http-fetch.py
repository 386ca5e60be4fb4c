import urllib.request

from miranda import Field, Node, Number, Receiver, Secret, Select, Text, Transmitter


class HttpFetch(Node):
    """Fetches an address and sends its text on."""

    url = Field("https://example.org/", control=Text(placeholder="https://…"))
    method = Field("GET", control=Select("GET", "POST", "PUT", "DELETE"))
    body = Receiver("string", optional=True)
    bearer = Field("", control=Secret())
    timeout_seconds = Field(30, control=Number(min=1, max=600))
    text = Transmitter("string")
    status = Transmitter("int")
    cache = False

    def run(self):
        if not self.url.startswith(("http://", "https://")):
            raise ValueError("The address must begin with http:// or https://.")
        data = None if self.body is None else self.body.encode()
        request = urllib.request.Request(self.url, data=data, method=self.method)
        if self.bearer:
            request.add_header("Authorization", f"Bearer {self.bearer}")
        with urllib.request.urlopen(request, timeout=self.timeout_seconds) as answer:
            encoding = answer.headers.get_content_charset() or "utf-8"
            text = answer.read().decode(encoding, errors="replace")
            self.log.info("%s %s: %d characters", answer.status, self.url, len(text))
            self.status.send(answer.status)
            self.text.send(text)
