# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
import re

from miranda import Field, Node, Receiver, Text, Toggle, Transmitter


class CleanText(Node):
    """Tidies a column of texts: lower case, without addresses, punctuation and double spaces."""

    table = Receiver("dataframe")
    column = Field("text", control=Text())
    lower_case = Field(True, control=Toggle())
    keep_numbers = Field(False, control=Toggle())
    cleaned = Transmitter("dataframe")

    def run(self):
        self.cleaned.send(self.table.assign(**{self.column: self.table[self.column].map(self.clean)}))

    def clean(self, text):
        text = re.sub(r"https?://\S+", " ", str(text))
        text = re.sub(r"[^\w\s']|_" if self.keep_numbers else r"[^\w\s']|[_\d]", " ", text)
        text = " ".join(text.split())
        return text.lower() if self.lower_case else text
