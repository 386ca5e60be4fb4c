from collections import Counter

from miranda import Field, Json, Node, Receiver, Slider, Transmitter


class CountWords(Node):
    """Counts how often each word occurs, the most frequent first."""

    words = Receiver("list")
    most = Field(20, control=Slider(1, 500))
    ignore = Field(["the", "a", "of", "and"], control=Json())
    counts = Transmitter("table")

    def run(self):
        ignored = set(self.ignore)
        counted = Counter(word for word in self.words if word not in ignored)
        self.counts.send([{"word": word, "count": count} for word, count in counted.most_common(self.most)])
