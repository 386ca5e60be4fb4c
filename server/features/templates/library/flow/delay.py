import time

from miranda import Field, Node, Number, Receiver, Transmitter


class Delay(Node):
    """Waits, then hands on what it got."""

    value = Receiver("any")
    seconds = Field(1.0, control=Number(min=0, max=86400))
    same = Transmitter("any")
    cache = False

    def run(self):
        time.sleep(self.seconds)
        self.same.send(self.value)
