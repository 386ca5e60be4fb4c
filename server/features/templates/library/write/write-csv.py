# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
from miranda import Field, Node, Receiver, Select, Text, Transmitter, storage


class WriteCsv(Node):
    """Writes a table to a CSV file in the workflow's storage."""

    table = Receiver("dataframe")
    path = Field("result.csv", control=Text(placeholder="folder/file.csv"))
    separator = Field(",", control=Select(",", ";", "tab"))
    written = Transmitter("string")
    cache = False

    def run(self):
        file = place_of(self.path)
        self.table.to_csv(file, sep="\t" if self.separator == "tab" else self.separator, index=False)
        self.log.info("%d rows to %s", len(self.table), self.path)
        self.written.send(str(file))


def place_of(path):
    folder = storage().resolve()
    file = (folder / path).resolve()
    if not path or not file.is_relative_to(folder):
        raise ValueError("The path must stay inside the storage.")
    file.parent.mkdir(parents=True, exist_ok=True)
    return file
