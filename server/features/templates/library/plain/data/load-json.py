import json

from miranda import Field, Node, Receiver, Text, Transmitter


class LoadJson(Node):
    """Reads JSON text, typed in or received. A path such as data.items takes a part of it."""

    source = Receiver("string", optional=True)
    text = Field('[{"name": "a", "value": 1}]', control=Text(multiline=True))
    path = Field("", control=Text(placeholder="data.items"))
    value = Transmitter("any")

    def run(self):
        value = json.loads(self.source if self.source is not None else self.text)
        for part in filter(None, self.path.split(".")):
            value = value[int(part)] if isinstance(value, list) else value[part]
        self.value.send(value)
