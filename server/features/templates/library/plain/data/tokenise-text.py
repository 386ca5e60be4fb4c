import re

from miranda import Field, Node, Receiver, Slider, Text, Toggle, Transmitter


class TokeniseText(Node):
    """Splits text, typed in or received, into words."""

    source = Receiver("string", optional=True)
    text = Field("The quick brown fox jumps over the lazy dog.", control=Text(multiline=True))
    lower_case = Field(True, control=Toggle())
    shortest = Field(1, control=Slider(1, 10))
    words = Transmitter("list")

    def run(self):
        text = self.source if self.source is not None else self.text
        words = re.findall(r"[^\W_]+(?:['’-][^\W_]+)*", text.lower() if self.lower_case else text)
        self.words.send([word for word in words if len(word) >= self.shortest])
