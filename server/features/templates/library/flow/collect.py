from miranda import Field, Node, Receiver, Slider, Toggle, Transmitter


class Collect(Node):
    """Gathers values that come one by one, and sends them on as a list whenever enough are there."""

    value = Receiver("any")
    size = Field(10, control=Slider(1, 1000))
    sliding = Field(False, control=Toggle())
    values = Transmitter("list")
    cache = False

    def run(self):
        self.__dict__.setdefault("kept", []).append(self.value)
        if len(self.kept) < self.size:
            return
        self.values.send(list(self.kept))
        self.kept = self.kept[1:] if self.sliding else []
