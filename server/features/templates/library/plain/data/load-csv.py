import csv
import io

from miranda import Field, Node, Receiver, Select, Text, Toggle, Transmitter


class LoadCsv(Node):
    """Reads CSV text, typed in or received, into a table: a list of rows, each a dict by column."""

    source = Receiver("string", optional=True)
    text = Field("name,value\na,1\nb,2\n", control=Text(multiline=True))
    delimiter = Field(",", control=Select(",", ";", "tab", "|"))
    numbers = Field(True, control=Toggle())
    rows = Transmitter("table")

    def run(self):
        text = self.source if self.source is not None else self.text
        delimiter = "\t" if self.delimiter == "tab" else self.delimiter
        rows = list(csv.DictReader(io.StringIO(text), delimiter=delimiter))
        if self.numbers:
            rows = [{name: as_number(value) for name, value in row.items()} for row in rows]
        self.log.info("%d rows", len(rows))
        self.rows.send(rows)


def as_number(text):
    for kind in (int, float):
        try:
            return kind(text)
        except (TypeError, ValueError):
            pass
    return text
