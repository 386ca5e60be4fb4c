from miranda import Field, Node, Receiver, Select, Text, Transmitter

LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}


class LogValue(Node):
    """Writes what it gets to the session's log and hands it on."""

    value = Receiver("any")
    level = Field("info", control=Select("debug", "info", "warning", "error"))
    text = Field("value:", control=Text())
    same = Transmitter("any")
    cache = False

    def run(self):
        self.log.log(LEVELS[self.level], "%s %r", self.text, self.value)
        self.same.send(self.value)
